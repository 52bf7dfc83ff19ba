"""The packaged paytables, read once into frozen rows: the only place where `games` touches a file.

It gives every figure with its clause. It decides nothing: which row a hand takes is the game's.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any, Final, Literal

from tablectl.cards import dollars

Outcome = Literal["win", "lose", "push", "forfeit"]

# Bonuses without a stake of their own, and awards that are the whole return: no stake comes back.
_NO_STAKE_BACK: Final = frozenset({"ante_bonus", "envy_bonus", "royal_9"})

# What a game's TOML has beside its paytables.
_NO_PAYTABLES: Final = frozenset(
    {
        "game", "seats", "decks", "vigorish", "third_card", "meter_minimums", "progressive_stakes",
        "compulsory", "meter_rates",
    }
)  # fmt: skip

ONLY: Final = ""
"""The letter of a wager's only paytable, where the rules give it none."""


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One way in which a wager can end, with what comes back and the clause that says so.

    What comes back = stake x `multiple` / `divisor` + `cents` + `percent` of `meter`, less the
    vigorish; compared by identity, so that a row is a cheap dictionary key.
    """

    wager: str
    outcome: Outcome
    clause: str
    odds: str | None = None
    hand: str | None = None
    multiple: int = 0
    divisor: int = 1
    cents: int = 0
    meter: str | None = None
    percent: int = 0
    resets: bool = False
    """Whether the row pays a whole meter, which then starts again from its reset amount."""
    vigorish: bool = False
    """Whether the commission is taken from what the row wins."""
    at_least: bool = False
    """Whether these are the least odds that the house may pay; it sets its own."""


@dataclass(frozen=True, slots=True)
class Paytable:
    """One paytable of one wager, rows from the highest hand down; letter ONLY where it has none."""

    wager: str
    letter: str
    clause: str
    rows: tuple[Row, ...]
    variant: str | None = None
    """The variant of the game that the wager belongs to; None where any may offer it."""

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
class Commission:
    """The vigorish on what was won: its share, and the multiple that it may be rounded to."""

    percent: int
    rounding_cents: int
    clause: str
    rounding_clause: str | None
    """None where the text does not say how it may be rounded, and the house does."""


@dataclass(frozen=True, slots=True)
class DrawRow:
    """One line of the third-card rules: a hand with these points draws, or stays."""

    points: tuple[int, ...]
    draws: bool
    clause: str
    third: int | None = None
    """The value of the player's third card; None where it does not matter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFigures:
    """What every game's TOML says."""

    game: str
    tables: Mapping[tuple[str, str], Paytable]
    """By wager and letter; the envy bonus by the receiver's stake in cents."""
    seats_maximum: int
    seats_clause: str | None

    def letters(self, wager: str) -> tuple[str, ...]:
        """The paytables that the rules print for `wager`, in their order."""
        return tuple(letter for name, letter in self.tables if name == wager)

    def table(self, wager: str, letter: str = ONLY) -> Paytable:
        """The paytable of `wager` with that letter; raises KeyError where the rules have none."""
        return self.tables[wager, letter]

    @property
    def meters(self) -> tuple[str, ...]:
        """Every meter that any paytable of the game pays from."""
        return tuple(dict.fromkeys(m for table in self.tables.values() for m in table.meters))


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreeCardPokerFigures(GameFigures):
    """Three Card Poker, Maryland. Ante and play have one table, `ante_play`."""

    progressive_stakes: tuple[int, ...]
    progressive_stakes_clause: str
    compulsory_times: Figure
    """How many times the other an ante or a pair plus may be, where both are compulsory."""
    reset_minimum: Figure
    rate_minimums: Mapping[tuple[str, str], Figure]
    """By wager and letter; a paytable that is absent has no minimum rate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreeCardBaccaratFigures(GameFigures):
    """Three Card Baccarat as one jurisdiction prints it: its tables, with its clauses."""

    jurisdiction: str
    commission: Commission


@dataclass(frozen=True, slots=True, kw_only=True)
class MidiBaccaratFigures(GameFigures):
    """Midi Baccarat, Maryland. The tie's row is the least that it may pay."""

    commission: Commission
    decks: range
    decks_clause: str
    natural: DrawRow
    player_draws: tuple[DrawRow, ...]
    banker_draws_alone: tuple[DrawRow, ...]
    """The banker's hand where the player's stood."""
    banker_draws: tuple[DrawRow, ...]
    """The banker's hand where the player's drew."""
    reset_minimums: Mapping[tuple[str, str], Figure]
    """By meter and letter, of royal_9 or, for the meter must_hit, of must_hit."""
    maximum_minimums: Mapping[tuple[str, str], Figure]
    """The least maximum of a meter that must be hit, in the same way."""
    rate_clauses: Mapping[str, str]
    """By meter: where the house must say its rate."""


def unpaid(wager: str, outcome: Outcome, clause: str) -> Row:
    """How a wager ends that no paytable pays: lost, forfeited, or the stake comes back."""
    return Row(wager, outcome, clause, multiple=1 if outcome == "push" else 0)


def _row(wager: str, raw: Mapping[str, Any]) -> Row:
    """Read a row: exactly one of `to`, `for`, `push`, `percent`, `cents` says how it pays."""
    own_stake = 0 if wager in _NO_STAKE_BACK else 1
    common: dict[str, Any] = {
        "wager": wager,
        "outcome": "push" if raw.get("push") else "win",
        "clause": raw["clause"],
        "hand": raw["hand"],
        "vigorish": raw.get("vigorish", False),
        "at_least": raw.get("at_least", False),
    }
    if "push" in raw:
        return Row(**common, odds="push", multiple=1)
    if "to" in raw:
        won, staked = raw["to"], raw.get("against", 1)
        multiple = won + own_stake * staked
        return Row(**common, odds=f"{won:,} to {staked}", multiple=multiple, divisor=staked)
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
    rows = tuple(_row(wager, row) for row in raw["rows"])
    return Paytable(wager, letter, raw["clause"], rows, raw.get("variant"))


def _tables(raw: Mapping[str, Any]) -> Mapping[tuple[str, str], Paytable]:
    """The paytables of the wagers; one that has no letter stands under the wager itself."""
    lettered = {
        wager: {ONLY: table} if "rows" in table else table
        for wager, table in raw.items()
        if wager not in _NO_PAYTABLES
    }
    return MappingProxyType(
        {
            (wager, letter): _table(wager, letter, table)
            for wager, tables in lettered.items()
            for letter, table in tables.items()
        }
    )


def _read(game: str) -> dict[str, Any]:
    source = resources.files("tablectl.games").joinpath("paytables", f"{game}.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"), parse_float=Decimal)


def _commission(raw: Mapping[str, Any], key: str = "clause") -> Commission:
    """The commission, cited from the text that `key` stands for."""
    return Commission(raw["percent"], raw["rounding_cents"], raw[key], raw.get(f"rounding_{key}"))


@cache
def three_card_poker() -> ThreeCardPokerFigures:
    """The figures of Three Card Poker, Maryland."""
    raw = _read("three_card_poker")
    minimums = raw["meter_minimums"]
    return ThreeCardPokerFigures(
        game=raw["game"],
        tables=_tables(raw),
        seats_maximum=raw["seats"]["maximum"],
        seats_clause=raw["seats"]["clause"],
        progressive_stakes=tuple(raw["progressive_stakes"]["cents"]),
        progressive_stakes_clause=raw["progressive_stakes"]["clause"],
        compulsory_times=Figure(Decimal(raw["compulsory"]["times"]), raw["compulsory"]["clause"]),
        reset_minimum=Figure(Decimal(minimums["reset"]["cents"]), minimums["reset"]["clause"]),
        rate_minimums=MappingProxyType(
            {
                (wager, letter): Figure(figure["share"], figure["clause"])
                for wager, by_letter in minimums["rate"].items()
                for letter, figure in by_letter.items()
            }
        ),
    )


@cache
def three_card_baccarat(jurisdiction: str = "MD") -> ThreeCardBaccaratFigures:
    """The figures of Three Card Baccarat in a jurisdiction, MD or WA."""
    raw = _read("three_card_baccarat")
    tables, seats, cited = _tables(raw), raw["seats"][jurisdiction], "clause"
    if jurisdiction == "WA":
        tables, cited = _washington(raw, tables), "washington"
    return ThreeCardBaccaratFigures(
        game=raw["game"],
        jurisdiction=jurisdiction,
        tables=tables,
        seats_maximum=seats["maximum"],
        seats_clause=seats.get("clause"),
        commission=_commission(raw["vigorish"], cited),
    )


def _washington(
    raw: Mapping[str, Any], tables: Mapping[tuple[str, str], Paytable]
) -> Mapping[tuple[str, str], Paytable]:
    """The tables that Washington prints too, cited from there."""
    found = {}
    for (wager, letter), table in tables.items():
        clause = (raw[wager] if letter == ONLY else raw[wager][letter]).get("washington")
        if clause is not None:
            rows = tuple(replace(row, clause=clause) for row in table.rows)
            found[wager, letter] = replace(table, clause=clause, rows=rows)
    return MappingProxyType(found)


@cache
def midi_baccarat() -> MidiBaccaratFigures:
    """The figures of Midi Baccarat, Maryland."""
    raw = _read("midi_baccarat")
    third, minimums = raw["third_card"], raw["meter_minimums"]
    natural = DrawRow(tuple(third["natural"]["points"]), False, third["natural"]["clause"])
    return MidiBaccaratFigures(
        game=raw["game"],
        tables=_tables(raw),
        seats_maximum=raw["seats"]["maximum"],
        seats_clause=raw["seats"]["clause"],
        commission=_commission(raw["vigorish"]),
        decks=range(raw["decks"]["minimum"], raw["decks"]["maximum"] + 1),
        decks_clause=raw["decks"]["clause"],
        natural=natural,
        player_draws=_draws(third["player"]),
        banker_draws_alone=_draws(third["banker_alone"]),
        banker_draws=_draws(third["banker"]),
        reset_minimums=_by_meter(minimums["reset"]),
        maximum_minimums=_by_meter(minimums["maximum"]),
        rate_clauses=MappingProxyType(raw["meter_rates"]),
    )


def _draws(raw: Mapping[str, Any]) -> tuple[DrawRow, ...]:
    return tuple(
        DrawRow(tuple(row["points"]), row["draws"], row["clause"], row.get("third"))
        for row in raw["rows"]
    )


def _by_meter(raw: Mapping[str, Any]) -> Mapping[tuple[str, str], Figure]:
    return MappingProxyType(
        {
            (meter, letter): Figure(Decimal(figure["cents"]), figure["clause"])
            for meter, by_letter in raw.items()
            for letter, figure in by_letter.items()
        }
    )
