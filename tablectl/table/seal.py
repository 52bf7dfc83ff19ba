"""The seal on a face-down card: its commitment, which binds the value and tells nothing of it."""

from hashlib import sha256

_DOMAIN = b"tablectl-card-1"


def commitment(card: str, salt: str) -> str:
    """SHA-256(domain || 32 salt bytes || the card's two ASCII bytes), lower-case hex.

    Raises ValueError where `salt` is not 64 hex digits.
    """
    salt_bytes = bytes.fromhex(salt)
    if len(salt_bytes) != 32:
        raise ValueError(f"a card's salt is 32 bytes, not {len(salt_bytes)}")
    return sha256(_DOMAIN + salt_bytes + card.encode("ascii")).hexdigest()
