"""The `[rules]` of a Three Card Poker table. It says what is offered, and settles nothing."""

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
)

GAME: Final = "three_card_poker"

# In the order in which a seat is settled (TCP 11.D), each with the clause that permits it.
WAGERS: Final = MappingProxyType(
    {
        "ante": "TCP 7.F(1)",
        "play": "TCP 7.F(1)",  # the second half of the ante
        "pair_plus": "TCP 7.F(2)",
        "progressive": "TCP 7.F(4)(a)",
        "six_card_bonus": "TCP 7.F(5)(b)",
        "five_card_progressive": "TCP 7.F(6)(a)",
    }
)
_OPTIONAL_WAGERS: Final = ("progressive", "six_card_bonus", "five_card_progressive")
_METERED_WAGERS: Final = ("progressive", "five_card_progressive")


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreeCardPokerRules:
    """The rules in force at a Three Card Poker table; None for a wager that is not offered."""

    game: Literal["three_card_poker"] = GAME
    jurisdiction: str
    dealing: str
    seats: int
    ante_bonus: str
    pair_plus: str
    pair_plus_condition: str
    six_card_bonus: str | None
    progressive: str | None
    five_card_progressive: str | None
    adjacent_boxes: int
    dealer_cards: str = "delivered"
    deck_change_lead_minutes: int
    idle_minutes: int

    @property
    def wagers(self) -> tuple[str, ...]:
        """The wagers offered, in the order in which a seat is settled."""
        return tuple(w for w in WAGERS if w not in _OPTIONAL_WAGERS or getattr(self, w))

    @property
    def wager_clauses(self) -> Mapping[str, str]:
        """Every wager of the game with the clause that permits it."""
        return WAGERS

    @property
    def metered_wagers(self) -> tuple[str, ...]:
        """The wagers offered that pay from a meter, and need a device that accepts them."""
        return tuple(wager for wager in _METERED_WAGERS if getattr(self, wager) is not None)

    @property
    def meters(self) -> tuple[str, ...]:
        """The meters that the chosen paytables pay from."""
        return tuple(self.meter_terms)

    @property
    def meter_terms(self) -> Mapping[str, MeterTerms]:
        """What the rules ask of each of those meters."""
        figures = paytables.three_card_poker()
        tables = (figures.table(w, getattr(self, w)) for w in self.metered_wagers)
        found = {}
        for table in tables:
            rate = figures.rate_minimums.get((table.wager, table.letter))
            for meter in table.meters:
                found[meter] = MeterTerms(
                    f"paytable {table.letter} of {table.wager}",
                    table.clause,
                    figures.reset_minimum,
                    rate.clause if rate else table.clause,
                    rate,
                )
        return found

    def paytable(self, wager: str) -> str | None:
        """The paytable of a wager: the ante's is the Ante Bonus's, a play has none."""
        keys = {"ante": "ante_bonus", "play": None}
        key = keys.get(wager, wager)
        letter: str | None = getattr(self, key) if key else None
        return letter


@cache
def notes() -> Mapping[str, RuleNote]:
    """Every key of `[rules]` for Three Card Poker."""
    figures = paytables.three_card_poker()
    most = figures.seats_maximum
    dealing = {"automated_shoe": "TCP 10.A", "manual_shoe": "TCP 8.A", "hand": "TCP 9.A"}
    dealer_cards = {"delivered": "TCP 10.B(3)", "left_in_shuffler": "TCP 10.B(4)"}
    conditions = {
        "free": "TCP 7.F(3)",
        "ante_at_least_equal": "TCP 7.G(1)",
        "ante_at_least_half": "TCP 7.G(2)",
        "both_compulsory": "TCP 7.G(3)",
    }
    return MappingProxyType(
        {
            "game": fixed(GAME, required=True),
            "jurisdiction": fixed("MD"),
            "dealing": choice("TCP 11.A", dealing, "automated_shoe"),
            "seats": integer(figures.seats_clause, 1, most, most),
            "ante_bonus": paytable(figures, "ante_bonus", "TCP 12.B", required=True),
            "pair_plus": paytable(figures, "pair_plus", "TCP 12.D", required=True),
            "pair_plus_condition": choice("TCP 7.G", conditions, "free"),
            "six_card_bonus": paytable(figures, "six_card_bonus", "TCP 12.F"),
            "progressive": paytable(figures, "progressive", "TCP 12.E(1)"),
            "five_card_progressive": paytable(figures, "five_card_progressive", "TCP 12.G"),
            "adjacent_boxes": integer("TCP 7.H", 1, most, 1),
            "dealer_cards": choice("TCP 10.B", dealer_cards, "delivered"),
            "deck_change_lead_minutes": integer("TCP 3.C", 0, 60, 3),
            "idle_minutes": integer("TCP 5.H", 1, 240, 5),
        }
    )


def faults(raw: Mapping[str, object]) -> Iterator[Fault]:
    """Everything that is wrong with a `[rules]` table of this game."""
    yield from note_faults(GAME, notes(), raw)
    seats, boxes = raw.get("seats"), raw.get("adjacent_boxes")
    if (
        notes()["seats"].allows(seats)
        and notes()["adjacent_boxes"].allows(boxes)
        and isinstance(seats, int)
        and isinstance(boxes, int)
        and boxes > seats
    ):
        expected = f"no more boxes than the table's {seats} seats, not {boxes}"
        yield Fault("rules.adjacent_boxes", expected, notes()["adjacent_boxes"].clause)


def parse(raw: Mapping[str, object]) -> ThreeCardPokerRules:
    """The rules of a `[rules]` table that has no fault."""
    values: dict[str, Any] = {key: raw.get(key, note.default) for key, note in notes().items()}
    return ThreeCardPokerRules(**values)
