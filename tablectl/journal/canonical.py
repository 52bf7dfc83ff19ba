"""Canonical JSON (RFC 8785) of the values that the journal allows: no floats, integers below 2**53.

The same value gives the same bytes in every language, which is what makes hashes comparable.
"""

import json
from typing import Final

from tablectl.journal.errors import Unrecordable

MAX_INTEGER: Final = 2**53 - 1

# RFC 8785 asks for the escapes that json.dumps writes when ensure_ascii is off.
_sorted = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, allow_nan=False, sort_keys=True, separators=(",", ":")
).encode


def canonical(value: object) -> str:
    """The canonical JSON text of `value`; raises Unrecordable where it has none."""
    try:
        text = _sorted(value) if _check(value) else _by_code_units(value)
        if not text.isascii():
            text.encode()
    except UnicodeEncodeError:
        raise Unrecordable("a text with half a surrogate pair cannot be recorded") from None
    except RecursionError:
        raise Unrecordable("a value nested this deep cannot be recorded") from None
    return text


def canonical_bytes(value: object) -> bytes:
    """The canonical JSON of `value` as the UTF-8 bytes that are hashed."""
    return canonical(value).encode()


def _check(value: object) -> bool:
    """Refuse what JSON cannot hold exactly; True where sort_keys will do: every key is ASCII."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return True
    if isinstance(value, int) and kind is int:
        if -MAX_INTEGER <= value <= MAX_INTEGER:
            return True
        raise Unrecordable(f"the integer {value} is beyond 2**53-1: write it as a string")
    if isinstance(value, dict) and kind is dict:
        plain = True
        for key, item in value.items():
            if type(key) is not str:
                raise Unrecordable(f"the key {_shown(key)} is not a string")
            # Both must be looked at: no short cut.
            plain = _check(item) and plain and key.isascii()
        return plain
    if isinstance(value, list | tuple) and kind in (list, tuple):
        plain = True
        for item in value:
            plain = _check(item) and plain
        return plain
    raise Unrecordable(f"{_shown(value)} ({kind.__name__}) cannot be recorded: no such JSON value")


def _by_code_units(value: object) -> str:
    """Sorted by UTF-16 code units (RFC 8785 3.2.3): not code points, above U+FFFF."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(f"{_sorted(k)}:{_by_code_units(value[k])}" for k in keys) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_by_code_units, value)) + "]"
    return _sorted(value)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
