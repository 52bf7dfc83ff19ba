"""The `[rules]` of a Midi Baccarat table and its variants. It says what is offered, and settles
nothing. Where the text contradicts itself or is silent about money, the house must choose.
"""

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
    shown,
    switch,
)
from tablectl.games.vigorish import ROUNDINGS

GAME: Final = "midi_baccarat"

# In the order in which a seat's lines stand, each with the clause that permits it.
WAGERS: Final = MappingProxyType(
    {
        "player": "MIDI 7.A(2)",
        "banker": "MIDI 7.A(1)",
        "tie": "MIDI 7.A(3)",
        "dragon_bonus_player": "MIDI 7.A(4)",
        "dragon_bonus_banker": "MIDI 7.A(4)",
        "dragon_7": "MIDI 7.A(5)",
        "panda_8": "MIDI 7.A(6)",
        "fortune_7": "MIDI 7.A(7)",
        "one_up": "MIDI 7.A(8)",
        "treasure_fortune_7": "MIDI 7.A(11)",
        "golden_8": "MIDI 7.A(12)",
        "heavenly_9": "MIDI 7.A(13)",
        "blazing_7s": "MIDI 7.A(14)",
        "cover_all": "MIDI 7.A(15)",
        "any_pair": "MIDI 7.A(16)",
        "any_pair_player": "MIDI 7.A(16)",
        "any_pair_banker": "MIDI 7.A(16)",
        "lucky_nines": "MIDI 7.A(17)",
        "lucky_6": "MIDI 7.A(18)",
        "super_6": "MIDI 7.A(19)",
        "jackpot": "MIDI 7.A(10)",
        "royal_9": "MIDI 7.A(9)",
    }
)
MAIN_WAGERS: Final = ("player", "banker", "tie")
_ANY_PAIR: Final = {
    "either_hand": ("any_pair",),
    "nominated_hand": ("any_pair_player", "any_pair_banker"),
}
# The wagers that the house may leave out, by the key that offers them.
_OPTIONAL: Final = {
    "dragon_bonus_player": "dragon_bonus",
    "dragon_bonus_banker": "dragon_bonus",
    "blazing_7s": "blazing_7s",
    "lucky_nines": "lucky_nines",
    "lucky_6": "lucky_6",
    "super_6": "super_6",
    "jackpot": "jackpot",
    "royal_9": "royal_9",
}
_NO_SUCH_TIE: Final = 1000  # more than a thousand to 1 is a slip of the pen


@dataclass(frozen=True, slots=True, kw_only=True)
class MidiBaccaratRules:
    """The rules in force at a Midi Baccarat table; None or False for a wager not offered."""

    game: Literal["midi_baccarat"] = GAME
    jurisdiction: str
    seats: int
    decks: int
    variant: str
    tie_pays: int
    vigorish_rounding: str
    vigorish_collection: str
    dragon_bonus: str | None
    blazing_7s: str | None
    any_pair: str | None
    lucky_nines: str | None
    lucky_6: bool
    super_6: bool
    jackpot: str | None
    royal_9: str | None
    royal_9_reading: str | None
    must_hit: str | None
    disclosed_card: str
    exposed_due_card: str
    seat_order: str
    deck_change_lead_minutes: int
    idle_minutes: int

    def offers(self, wager: str) -> bool:
        """Whether this table takes the wager."""
        if wager in MAIN_WAGERS:
            return True
        if wager.startswith("any_pair"):
            return wager in _ANY_PAIR.get(self.any_pair or "", ())
        if wager in _OPTIONAL:
            return bool(getattr(self, _OPTIONAL[wager]))
        return variant_of(wager) == self.variant

    @property
    def wagers(self) -> tuple[str, ...]:
        """The wagers offered, in the order in which a seat's lines stand."""
        return tuple(wager for wager in WAGERS if self.offers(wager))

    @property
    def wager_clauses(self) -> Mapping[str, str]:
        """Every wager of the game with the clause that permits it."""
        return WAGERS

    @property
    def metered_wagers(self) -> tuple[str, ...]:
        """The wagers offered that pay from a meter, and need a device that accepts them."""
        return () if self.royal_9 is None else ("royal_9",)

    @property
    def meters(self) -> tuple[str, ...]:
        """The meters that the chosen paytables pay from."""
        return tuple(self.meter_terms)

    @property
    def meter_terms(self) -> Mapping[str, MeterTerms]:
        """What the rules ask of each of those meters."""
        figures, found = paytables.midi_baccarat(), {}
        if self.royal_9 is not None:
            table = figures.table("royal_9", self.royal_9)
            for meter in table.meters:
                least = figures.reset_minimums[meter, self.royal_9]
                pays = f"paytable {self.royal_9} of royal_9"
                rate = figures.rate_clauses[meter]
                found[meter] = MeterTerms(pays, table.clause, least, rate)
        if self.must_hit is not None:
            table, key = figures.table("must_hit"), ("must_hit", self.must_hit)
            found["must_hit"] = MeterTerms(
                f"must_hit {self.must_hit}",
                table.clause,
                figures.reset_minimums[key],
                figures.rate_clauses["must_hit"],
                maximum=figures.maximum_minimums[key],
            )
        return found

    def paytable(self, wager: str) -> str | None:
        """The letter of a wager's paytable, or where it has none the variant in force."""
        chosen = getattr(self, _OPTIONAL[wager]) if wager in _OPTIONAL else None
        return chosen if isinstance(chosen, str) else self.variant


@cache
def variant_of(wager: str) -> str | None:
    """The variant that a wager belongs to; None where any table may offer it."""
    figures = paytables.midi_baccarat()
    return next((t.variant for (name, _), t in figures.tables.items() if name == wager), None)


@cache
def notes() -> Mapping[str, RuleNote]:
    """Every key of `[rules]` for Midi Baccarat."""
    figures = paytables.midi_baccarat()
    most = figures.seats_maximum
    decks = figures.decks
    variants = {kind: figures.table("banker", kind).clause for kind in figures.letters("banker")}
    [tie] = figures.table("tie").rows
    least_tie = tie.multiple - 1
    must_hit = {
        letter: figure.clause
        for (meter, letter), figure in figures.reset_minimums.items()
        if meter == "must_hit"
    }
    return MappingProxyType(
        {
            "game": fixed(GAME, required=True),
            "jurisdiction": fixed("MD"),
            "seats": integer(figures.seats_clause, 1, most, most),
            "decks": integer(figures.decks_clause, decks[0], decks[-1], decks[-1]),
            "variant": choice("MIDI 12.C", variants, "standard"),
            "tie_pays": integer(tie.clause, least_tie, _NO_SUCH_TIE, least_tie),
            "vigorish_rounding": choice(
                figures.commission.rounding_clause, dict.fromkeys(ROUNDINGS), ROUNDINGS[0]
            ),
            "vigorish_collection": choice(
                "MIDI 12.D(2)",
                {"at_payout": "MIDI 12.D(2)(a)", "marked": "MIDI 12.D(2)(b)"},
                "at_payout",
            ),
            "dragon_bonus": paytable(figures, "dragon_bonus", "MIDI 12.F"),
            "blazing_7s": paytable(figures, "blazing_7s", "MIDI 12.P(4)"),
            "any_pair": choice(WAGERS["any_pair"], dict.fromkeys(_ANY_PAIR)),
            "lucky_nines": paytable(figures, "lucky_nines", "MIDI 12.R"),
            "lucky_6": switch(figures.table("lucky_6").clause, default=False),
            "super_6": switch(figures.table("super_6").clause, default=False),
            "jackpot": paytable(figures, "jackpot", "MIDI 12.M"),
            "royal_9": paytable(figures, "royal_9", "MIDI 12.K"),
            "royal_9_reading": choice("MIDI 12.K", {"printed_per_seat": None}),
            "must_hit": choice("MIDI 12.O(2)", must_hit),
            "disclosed_card": choice(
                "MIDI 13.C(2)",
                {"discard_with_next": "MIDI 13.C(2)(a)", "simulated_round": "MIDI 13.C(2)(b)"},
                "discard_with_next",
            ),
            "exposed_due_card": choice(
                "MIDI 13.D", {"set_aside": None, "simulated_round": None}, "set_aside"
            ),
            "seat_order": choice(
                "MIDI 5.B(2)", dict.fromkeys(("from_dealers_right", "from_dealers_left")),
                "from_dealers_right",
            ),
            "deck_change_lead_minutes": integer("MIDI 3.B", 0, 60, 3),
            "idle_minutes": integer(None, 1, 240, 5),
        }
    )  # fmt: skip


def faults(raw: Mapping[str, object]) -> Iterator[Fault]:
    """Everything that is wrong with a `[rules]` table of this game."""
    known = notes()
    for fault in note_faults(GAME, known, raw):
        if fault.key == "rules.any_pair":
            expected = (
                "nominated_hand or either_hand, since the rules contradict themselves and the "
                f"house must say which it plays, not {shown(raw.get('any_pair'))}"
            )
            yield Fault(fault.key, expected, fault.clause)
        else:
            yield fault
    yield from _together(raw)


def _together(raw: Mapping[str, object]) -> Iterator[Fault]:
    """Keys that need one another."""
    variant = raw.get("variant", "standard")
    if (
        "blazing_7s" in raw
        and notes()["variant"].allows(variant)
        and variant != variant_of("blazing_7s")
    ):
        expected = f"no such key at a table of the variant {variant}; it is five_treasures' wager"
        yield Fault("rules.blazing_7s", expected, WAGERS["blazing_7s"])
    if "royal_9" in raw and "royal_9_reading" not in raw:
        expected = (
            "printed_per_seat; the key is missing, and royal_9 cannot be offered without it, "
            "since the rules do not say what a personal award is"
        )
        yield Fault("rules.royal_9_reading", expected, notes()["royal_9"].clause)
    for key in ("royal_9_reading", "must_hit"):
        if key in raw and "royal_9" not in raw:
            expected = "no such key without royal_9, whose wagers it is about"
            yield Fault(f"rules.{key}", expected, "MIDI 7.A(9)(a)")


def parse(raw: Mapping[str, object]) -> MidiBaccaratRules:
    """The rules of a `[rules]` table that has no fault."""
    values: dict[str, Any] = {key: raw.get(key, note.default) for key, note in notes().items()}
    return MidiBaccaratRules(**values)
