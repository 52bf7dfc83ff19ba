"""The site's own table of codes: which code stands on which card. Never logged, never shown.

From the configuration (`codes = { "0417" = "AS" }`) or from a TOML file of the same lines.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from drivers.barcode_reader.codec import LONGEST
from tablectl.hal.errors import BrokenDriver
from tablectl.hal.kinds import DECK, Card
from tablectl.hal.options import Option

COVER_CARD: Final = Card("cover_card")  # it stands in the table like any card
CODES_MAXIMUM: Final = 10_000  # eight decks with a code for each card are 416
FILE_MAXIMUM: Final = 1_000_000  # bytes
EXPECTED: Final = (
    'a table of CODE = "CARD", or the absolute path of a TOML file with such lines; '
    f'at most {CODES_MAXIMUM} codes of 1 to {LONGEST} signs, each a card such as "TD" or '
    f'"{COVER_CARD}"'
)

Codes = Mapping[str, Card]


def _fits(value: object) -> bool:
    if isinstance(value, str):
        return value.startswith("/") and value.isprintable()
    return isinstance(value, Mapping) and wrong_line(value) is None


def wrong_line(table: Mapping[str, object]) -> str | None:
    """What is wrong with a table; None where nothing is. It names the code, never the card."""
    if not 0 < len(table) <= CODES_MAXIMUM:
        return f"it has {len(table)} codes, not 1 to {CODES_MAXIMUM}"
    for code, card in table.items():
        if not 0 < len(code) <= LONGEST or not code.isascii() or not code.isprintable():
            return f"{code[:LONGEST]!r} is no code of 1 to {LONGEST} signs"
        if card not in DECK and card != COVER_CARD:
            return f"the code {code!r} has no card such as TD, and not {COVER_CARD}"
    return None


OPTION: Final = Option(EXPECTED, None, _fits)


def load(device: str, told: object) -> Codes:
    """The table. Raises BrokenDriver with what to do where there is none that can be used."""
    if told is None:
        raise BrokenDriver(f"{device} has no table of codes: set options.codes to {EXPECTED}")
    if isinstance(told, Mapping):
        return _cards(told)
    path = Path(str(told))
    try:
        with path.open("rb") as file:
            raw = file.read(FILE_MAXIMUM + 1)
        if len(raw) > FILE_MAXIMUM:
            raise BrokenDriver(f"the codes of {device}: {path} is larger than {FILE_MAXIMUM} bytes")
        table = tomllib.loads(raw.decode())
    except OSError as error:
        why = error.strerror or "it cannot be read"
        raise BrokenDriver(f"the codes of {device}: {path}: {why}; name a file") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BrokenDriver(f"the codes of {device}: {path} is no TOML: {error}") from None
    wrong = wrong_line(table)
    if wrong is not None:
        raise BrokenDriver(f"the codes of {device}: {path}: {wrong}; correct it")
    return _cards(table)


def _cards(table: Mapping[str, str]) -> Codes:
    return {code: Card(card) for code, card in table.items()}
