"""A TOML file as a bounded dictionary, and the words in which its keys and values are named.

It knows no section. What comes out is short enough to print and shallow enough to walk.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Final

from tablectl.games.rules import Fault

FILE_BYTES_MAXIMUM: Final = 256 * 1024
_DEPTH_MAXIMUM: Final = 8
_SHOWN_MAXIMUM: Final = 40
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


def parse(path: Path) -> tuple[dict[str, Any], tuple[Fault, ...]]:
    """The file's dictionary, or what is wrong with it as a whole.

    Raises OSError where a file that is there cannot be opened or read.
    """
    found = _parsed(path)
    if isinstance(found, Fault):
        return {}, (found,)
    beyond = tuple(_beyond_bounds(found))
    return ({}, beyond) if beyond else (found, ())


def _parsed(path: Path) -> dict[str, Any] | Fault:
    """The file as TOML, or what is wrong with it as a whole (its key is then empty)."""
    try:
        with path.open("rb") as file:
            raw = file.read(FILE_BYTES_MAXIMUM + 1)
    except (FileNotFoundError, NotADirectoryError):
        return Fault("", "a file: there is none of this name", None)
    except IsADirectoryError:
        return Fault("", "a file: this is a folder", None)
    if len(raw) > FILE_BYTES_MAXIMUM:
        return Fault("", f"a file of at most {FILE_BYTES_MAXIMUM // 1024} KiB", None)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = raw.count(b"\n", 0, error.start) + 1
        return Fault("", f"UTF-8 text: line {place} holds a byte that is none", None)
    try:
        return tomllib.loads(text, parse_float=_exact)
    except tomllib.TOMLDecodeError as error:
        return Fault("", f"TOML: {_one_line(str(error))}", None)
    except (ValueError, RecursionError):  # thousands of digits, or of brackets
        return Fault("", "TOML with short numbers and a few levels of nesting", None)


def _beyond_bounds(raw: Mapping[str, Any]) -> Iterator[Fault]:
    """What later steps could not even print: huge integers, endless nesting."""
    waiting: list[tuple[tuple[str, ...], object]] = [((), raw)]
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, int) and value.bit_length() > 63:
            yield Fault(dotted(*place), "an integer of at most 64 bits", None)
        if not isinstance(value, dict | list):
            continue
        if len(place) >= _DEPTH_MAXIMUM:
            yield Fault(dotted(*place), f"at most {_DEPTH_MAXIMUM} levels of nesting", None)
            continue
        items = value.items() if isinstance(value, dict) else enumerate(value)
        waiting += [((*place, str(key)), item) for key, item in items]


class Exact(Decimal):
    """A decimal number of the file, shown in messages as a person writes it."""

    def __repr__(self) -> str:
        return str(self)


def _exact(text: str) -> Decimal:
    try:
        return Exact(text)
    except InvalidOperation:  # an exponent beyond what Decimal can hold
        return Exact("NaN")


def dotted(*parts: str) -> str:
    """A key's full name, quoted where TOML would want quotes; always short and on one line."""
    return ".".join(part if _BARE_KEY.fullmatch(part) else _quoted(part) for part in parts)


def _quoted(part: str) -> str:
    text = json.dumps(part)  # ASCII: no control character reaches a terminal
    return text if len(text) <= 64 else f'{text[:60]}..."'


def shown(value: object) -> str:
    """A wrong value as a message shows it: as TOML writes it, short and on one line."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = json.dumps(value) if isinstance(value, str) else str(value)
    return text if len(text) <= _SHOWN_MAXIMUM else f"{text[: _SHOWN_MAXIMUM - 3]}..."


def _one_line(text: str) -> str:
    return " ".join(text.split())
