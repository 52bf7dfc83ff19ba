"""The packaged paytables, read once into frozen rows: the only place where `games` touches a file.

It gives every figure with its clause. It decides nothing: which row a hand takes is the game's.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any, Final, Literal

from tablectl.cards import dollars

Outcome = Literal["win", "lose", "push", "forfeit"]

# Bonuses on somebody's hand, without a stake of their own that could come back.
_STAKELESS: Final = frozenset({"ante_bonus", "envy_bonus"})


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One way in which a wager can end, with what comes back and the clause that says so.

    What comes back = stake x `multiple` + `cents` + `percent` of `meter`; compared by identity, so
    that a row is a cheap dictionary key.
    """

    wager: str
    outcome: Outcome
    clause: str
    odds: str | None = None
    hand: str | None = None
    multiple: int = 0
    cents: int = 0
    meter: str | None = None
    percent: int = 0
    resets: bool = False
    """Whether the row pays a whole meter, which then starts again from its reset amount."""


@dataclass(frozen=True, slots=True)
class Paytable:
    """One lettered paytable of one wager, rows from the highest hand down."""

    wager: str
    letter: str
    clause: str
    rows: tuple[Row, ...]

    @property
    def meters(self) -> tuple[str, ...]:
        """The meters that its rows pay from, in the order of the rows."""
        return tuple(dict.fromkeys(row.meter for row in self.rows if row.meter is not None))


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that the rules print outside a paytable, with its clause."""

    value: Decimal
    clause: str


@dataclass(frozen=True, slots=True)
class GameFigures:
    """Everything that one game's TOML says."""

    game: str
    tables: Mapping[tuple[str, str], Paytable]
    """By wager and letter; the envy bonus by the receiver's stake in cents."""
    even_money: Row
    """The 1 to 1 of the main wagers, as printed (its wager is `ante_play`)."""
    seats_maximum: int
    seats_clause: str
    progressive_stakes: tuple[int, ...]
    progressive_stakes_clause: str
    reset_minimum: Figure
    rate_minimums: Mapping[tuple[str, str], Figure]
    """By wager and letter; a paytable that is absent has no minimum rate."""

    def letters(self, wager: str) -> tuple[str, ...]:
        """The paytables that the rules print for `wager`, in their order."""
        return tuple(letter for name, letter in self.tables if name == wager)

    def table(self, wager: str, letter: str) -> Paytable:
        """The paytable of `wager` with that letter; raises KeyError where the rules have none."""
        return self.tables[wager, letter]

    @property
    def meters(self) -> tuple[str, ...]:
        """Every meter that any paytable of the game pays from."""
        return tuple(dict.fromkeys(m for table in self.tables.values() for m in table.meters))


def _row(wager: str, raw: Mapping[str, Any]) -> Row:
    """Read a row: exactly one of `to`, `for`, `percent`, `cents` says how it pays."""
    own_stake = 0 if wager in _STAKELESS else 1
    common: dict[str, Any] = {
        "wager": wager, "outcome": "win", "clause": raw["clause"], "hand": raw["hand"]
    }  # fmt: skip
    if "to" in raw:
        return Row(**common, odds=f"{raw['to']:,} to 1", multiple=raw["to"] + own_stake)
    if "for" in raw:
        return Row(**common, odds=f"{raw['for']:,} for 1", multiple=raw["for"])
    if "percent" in raw:
        return Row(
            **common,
            odds=f"{raw['percent']} percent of {raw['of']}",
            meter=raw["meter"],
            percent=raw["percent"],
            resets=raw["percent"] == 100,
        )
    return Row(**common, odds=dollars(raw["cents"]), multiple=own_stake, cents=raw["cents"])


def _table(wager: str, letter: str, raw: Mapping[str, Any]) -> Paytable:
    return Paytable(wager, letter, raw["clause"], tuple(_row(wager, row) for row in raw["rows"]))


_PAYTABLE_WAGERS: Final = (
    "ante_bonus",
    "pair_plus",
    "progressive",
    "envy_bonus",
    "six_card_bonus",
    "five_card_progressive",
)


@cache
def three_card_poker() -> GameFigures:
    """The figures of Three Card Poker, Maryland."""
    source = resources.files("tablectl.games").joinpath("paytables", "three_card_poker.toml")
    raw = tomllib.loads(source.read_text(encoding="utf-8"), parse_float=Decimal)
    minimums = raw["meter_minimums"]
    return GameFigures(
        game=raw["game"],
        tables=MappingProxyType(
            {
                (wager, letter): _table(wager, letter, table)
                for wager in _PAYTABLE_WAGERS
                for letter, table in raw[wager].items()
            }
        ),
        even_money=_row("ante_play", raw["ante_play"]["rows"][0]),
        seats_maximum=raw["seats"]["maximum"],
        seats_clause=raw["seats"]["clause"],
        progressive_stakes=tuple(raw["progressive_stakes"]["cents"]),
        progressive_stakes_clause=raw["progressive_stakes"]["clause"],
        reset_minimum=Figure(Decimal(minimums["reset"]["cents"]), minimums["reset"]["clause"]),
        rate_minimums=MappingProxyType(
            {
                (wager, letter): Figure(figure["share"], figure["clause"])
                for wager, by_letter in minimums["rate"].items()
                for letter, figure in by_letter.items()
            }
        ),
    )
