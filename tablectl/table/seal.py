"""The seal on a face-down card or a hidden trigger: a commitment, which binds the value and tells
nothing of it."""

from hashlib import sha256
from typing import Final

_CARD: Final = b"tablectl-card-1"
_TRIGGER: Final = b"tablectl-must-hit-1"


def commitment(card: str, salt: str) -> str:
    """SHA-256(domain || 32 salt bytes || the card's two ASCII bytes), lower-case hex.

    Raises ValueError where `salt` is not 64 hex digits.
    """
    return _seal(_CARD, salt, card)


def trigger_commitment(cents: int, salt: str) -> str:
    """SHA-256(domain || 32 salt bytes || the cents in ASCII digits), lower-case hex.

    Raises ValueError where `salt` is not 64 hex digits.
    """
    return _seal(_TRIGGER, salt, str(cents))


def commitment_of(value: str, salt: str) -> str:
    """Of a sealed value as the journal holds it: digits are a trigger, anything else a card."""
    return _seal(_TRIGGER if value.isdigit() else _CARD, salt, value)


def _seal(domain: bytes, salt: str, value: str) -> str:
    salt_bytes = bytes.fromhex(salt)
    if len(salt_bytes) != 32:
        raise ValueError(f"a salt is 32 bytes, not {len(salt_bytes)}")
    return sha256(domain + salt_bytes + value.encode("ascii")).hexdigest()
