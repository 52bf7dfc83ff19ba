"""The `[rules]` of a Three Card Baccarat table, Maryland or Washington. It settles nothing."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, Final, Literal

from tablectl.games import paytables
from tablectl.games.rule_notes import (
    Fault,
    MeterTerms,
    RuleNote,
    choice,
    fixed,
    integer,
    note_faults,
    paytable,
    switch,
)
from tablectl.games.vigorish import ROUNDINGS

GAME: Final = "three_card_baccarat"

# In the order in which a seat is settled (TCB 11.B(5)-(10)).
WAGERS: Final = ("ante", "three_kings", "tie", "dragon")
_MARYLAND, _WASHINGTON = "MD", "WA"
# The clauses that permit the ante, and the bonus wagers beside it.
_PERMITTED: Final = {
    _MARYLAND: ("TCB 7.E(1)", "TCB 7.E(2)"),
    _WASHINGTON: ("WA-TCB D2", "WA-TCB D3"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreeCardBaccaratRules:
    """The rules in force at a Three Card Baccarat table; None for a wager that is not offered."""

    game: Literal["three_card_baccarat"] = GAME
    jurisdiction: str
    dealing: str
    seats: int
    commission: str
    vigorish_rounding: str
    three_kings: str | None
    tie: str | None
    dragon: bool
    dragon_three_face: str
    house_rulings: bool | None
    """Washington only: whether Maryland's rulings on irregularities hold as house procedure."""
    deck_change_lead_minutes: int
    idle_minutes: int

    @property
    def wagers(self) -> tuple[str, ...]:
        """The wagers offered, in the order in which a seat is settled."""
        return tuple(wager for wager in WAGERS if wager == "ante" or getattr(self, wager))

    @property
    def wager_clauses(self) -> Mapping[str, str]:
        """Every wager of the game with the clause that permits it."""
        ante, bonus = _PERMITTED[self.jurisdiction]
        return {wager: ante if wager == "ante" else bonus for wager in WAGERS}

    @property
    def metered_wagers(self) -> tuple[str, ...]:
        """No wager of the game pays from a meter."""
        return ()

    @property
    def meters(self) -> tuple[str, ...]:
        """The game has no meters."""
        return ()

    @property
    def meter_terms(self) -> Mapping[str, MeterTerms]:
        """The game has no meters."""
        return {}

    def paytable(self, wager: str) -> str | None:
        """The letter of a wager's paytable, or where it has none the commission in force."""
        letter: str | None = {"three_kings": self.three_kings, "tie": self.tie}.get(wager)
        return letter or self.commission


@cache
def notes(jurisdiction: str = _MARYLAND) -> Mapping[str, RuleNote]:
    """Every key of `[rules]` in a jurisdiction; what Washington does not print is no choice."""
    figures = paytables.three_card_baccarat(jurisdiction)
    most = figures.seats_maximum
    washington = jurisdiction == _WASHINGTON
    shoe, manual, hand = (
        ("WA-TCB D4", "WA-TCB R5", "WA-TCB R5")
        if washington
        else ("TCB 10.A", "TCB 8.A", "TCB 9.A")
    )
    vigorish = figures.commission
    bonuses = "WA-TCB paytable" if washington else None
    dragon = figures.table("dragon")
    found = {
        "game": fixed(GAME, required=True),
        "jurisdiction": choice(None, {_MARYLAND: None, _WASHINGTON: None}, _MARYLAND),
        "dealing": choice(
            "WA-TCB D4" if washington else "TCB 11.A",
            {"automated_shoe": shoe, "manual_shoe": manual, "hand": hand},
            "automated_shoe",
        ),
        "seats": integer(figures.seats_clause, 1, most, most),
        "commission": choice(
            vigorish.clause,
            {kind: figures.table("ante", kind).clause for kind in figures.letters("ante")},
            "five_percent",
        ),
        "vigorish_rounding": choice(
            vigorish.rounding_clause, dict.fromkeys(ROUNDINGS), ROUNDINGS[0]
        ),
        "three_kings": paytable(figures, "three_kings", bonuses or "TCB 12.B-1"),
        "tie": paytable(figures, "tie", bonuses or "TCB 12.B-2"),
        "dragon": switch(dragon.clause, default=False),
        "dragon_three_face": choice(dragon.clause, {"ten": None, "ten_against_zero": None}, "ten"),
    }
    if washington:
        found["house_rulings"] = switch(None, default=True)
    found |= {
        "deck_change_lead_minutes": integer(None if washington else "TCB 3.C", 0, 60, 3),
        "idle_minutes": integer(None if washington else "TCB 5.F", 1, 240, 5),
    }
    return MappingProxyType(found)


def jurisdiction_of(raw: Mapping[str, object]) -> str:
    """The jurisdiction by which a `[rules]` table is judged, Maryland's where it names none."""
    return _WASHINGTON if raw.get("jurisdiction") == _WASHINGTON else _MARYLAND


def faults(raw: Mapping[str, object]) -> Iterator[Fault]:
    """Everything that is wrong with a `[rules]` table of this game."""
    jurisdiction = jurisdiction_of(raw)
    for fault in note_faults(GAME, notes(jurisdiction), raw):
        key = fault.key.removeprefix("rules.")
        if key == "house_rulings" and jurisdiction == _MARYLAND:
            expected = "no such key in MD, whose rules rule themselves; it is Washington's"
            yield Fault(fault.key, expected, "TCB 13.A")
        elif jurisdiction == _WASHINGTON and key in raw and _only_elsewhere(key, raw[key]):
            yield Fault(fault.key, f"{fault.expected}: Maryland's, not Washington's", fault.clause)
        else:
            yield fault


def _only_elsewhere(key: str, value: object) -> bool:
    """Whether Maryland would allow what Washington does not print."""
    return key in notes(_MARYLAND) and notes(_MARYLAND)[key].allows(value)


def parse(raw: Mapping[str, object]) -> ThreeCardBaccaratRules:
    """The rules of a `[rules]` table that has no fault."""
    of_game = notes(jurisdiction_of(raw))
    values: dict[str, Any] = {key: raw.get(key, note.default) for key, note in of_game.items()}
    return ThreeCardBaccaratRules(**{"house_rulings": None, **values})
