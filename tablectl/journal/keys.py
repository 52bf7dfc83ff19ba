"""The journal's Ed25519 key: made once, kept beside the journal, signs checkpoints.

DATA/journal.key (mode 0600) never leaves the box; DATA/journal.pub is for everybody.
"""

from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from tablectl.journal.errors import KeyProblem
from tablectl.journal.files import write_whole

KEY_FILE: Final = "journal.key"
PUBLIC_FILE: Final = "journal.pub"
_DOMAIN: Final = b"tablectl-checkpoint-1"


def checkpoint_message(sequence: int, head: str, state: str) -> bytes:
    """What a checkpoint signs: domain || 8 bytes sequence, big-endian || 32 hash || 32 state."""
    return _DOMAIN + sequence.to_bytes(8, "big") + bytes.fromhex(head) + bytes.fromhex(state)


class SigningKey:
    """The private key, in memory."""

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        self.public = public_hex(private.public_key())

    def sign(self, sequence: int, head: str, state: str) -> str:
        """The signature of a checkpoint, hex."""
        return self._private.sign(checkpoint_message(sequence, head, state)).hex()


def signed_by(public: str, signature: str, sequence: int, head: str, state: str) -> bool:
    """Whether `signature` is the one that the key of `public` (hex) gave for this checkpoint."""
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
        key.verify(bytes.fromhex(signature), checkpoint_message(sequence, head, state))
    except (InvalidSignature, ValueError, OverflowError, TypeError):
        return False
    return True


def open_key(data: Path, *, create: bool) -> SigningKey:
    """The journal's key; made where `create` allows it. Raises KeyProblem."""
    path = data / KEY_FILE
    if not path.exists():
        if not create:
            raise KeyProblem(
                f"{path} is missing, and the journal is signed with it: put the key back, or move "
                "the journal's files away to begin a new journal"
            )
        private = Ed25519PrivateKey.generate()
        pem = private.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        write_whole(path, pem, mode=0o600)
    try:
        loaded = serialization.load_pem_private_key(path.read_bytes(), password=None)
    except (ValueError, TypeError, OSError) as error:
        raise KeyProblem(f"{path} is no usable private key: {error}") from None
    if not isinstance(loaded, Ed25519PrivateKey):
        raise KeyProblem(f"{path} is not an Ed25519 key")
    path.chmod(0o600)
    _keep_public(data / PUBLIC_FILE, loaded.public_key())
    return SigningKey(loaded)


def _keep_public(path: Path, public: Ed25519PublicKey) -> None:
    """Write the public key beside the private one, or make sure that it is the same."""
    if not path.exists():
        pem = public.public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        write_whole(path, pem, mode=0o644)
    elif read_public(str(path)) != public_hex(public):
        raise KeyProblem(
            f"{path} does not belong to {KEY_FILE} beside it: one of them was replaced"
        )


def public_hex(public: Ed25519PublicKey) -> str:
    """The 32 raw bytes of a public key, hex."""
    return public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw).hex()


def read_public(text: str) -> str:
    """A public key given as hex or as the path of a PEM file; its hex. Raises KeyProblem."""
    given = text.strip()
    if len(given) == 64 and not Path(given).exists():
        try:
            return public_hex(Ed25519PublicKey.from_public_bytes(bytes.fromhex(given)))
        except ValueError:
            raise KeyProblem(f"{given} is no Ed25519 public key in hex") from None
    try:
        loaded = serialization.load_pem_public_key(Path(given).read_bytes())
    except FileNotFoundError:
        raise KeyProblem(f"{given}: no such key file; give a PEM file or 64 hex digits") from None
    except (ValueError, TypeError, OSError) as error:
        raise KeyProblem(f"{given} is no usable public key: {error}") from None
    if not isinstance(loaded, Ed25519PublicKey):
        raise KeyProblem(f"{given} is not an Ed25519 key")
    return public_hex(loaded)
