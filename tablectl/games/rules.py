"""The `[rules]` of a table: parsed, checked against the regulations, with their clauses.

It says what a table offers. It reads no configuration file and settles nothing; the rules of the
baccarats will stand beside ThreeCardPokerRules, chosen by `game` in parse_rules.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from tablectl.cards import dollars
from tablectl.games import paytables

GAME: Final = "three_card_poker"
LATER_GAMES: Final = ("three_card_baccarat", "midi_baccarat")

# In the order in which a seat is settled (TCP 11.D). `play` is the second half of `ante`.
WAGERS: Final = (
    "ante", "play", "pair_plus", "progressive", "six_card_bonus", "five_card_progressive"
)  # fmt: skip
_OPTIONAL_WAGERS: Final = ("progressive", "six_card_bonus", "five_card_progressive")
_METERED_WAGERS: Final = ("progressive", "five_card_progressive")
_PAYTABLE_KEYS: Final = ("ante_bonus", "pair_plus", *_OPTIONAL_WAGERS)


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a configuration: where, what was expected, which clause asks for it."""

    key: str
    expected: str
    clause: str | None

    def __str__(self) -> str:
        """The fault as half a sentence."""
        expected = "" if self.expected.startswith("no such") else "expected "
        cited = f" ({self.clause})" if self.clause else ""
        return f"{self.key}: {expected}{self.expected}{cited}"


class RulesError(ValueError):
    """The rules are not ones that a table may play by; `faults` has every reason."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__("the rules cannot be used; " + "; ".join(map(str, faults)))
        self.faults = faults


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreeCardPokerRules:
    """The rules in force at a Three Card Poker table; None for a wager that is not offered."""

    game: str = GAME
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
    deck_change_lead_minutes: int
    idle_minutes: int

    @property
    def wagers(self) -> tuple[str, ...]:
        """The wagers offered, in the order in which a seat is settled."""
        return tuple(w for w in WAGERS if w not in _OPTIONAL_WAGERS or getattr(self, w))

    @property
    def meters(self) -> tuple[str, ...]:
        """The meters that the chosen paytables pay from."""
        return tuple(meter for table in _metered(self) for meter in table.meters)


@dataclass(frozen=True, slots=True)
class RuleNote:
    """One key of `[rules]`: its default, what it may be, and the clause behind it."""

    expected: str
    clause: str | None
    default: str | int | None = None
    required: bool = False
    choices: Mapping[str, str | None] | None = None
    """The values allowed, each with the clause that it puts in force."""
    bounds: tuple[int, int] | None = None

    def allows(self, value: object) -> bool:
        """Whether `value` is of the right type and within the rules."""
        if self.choices is not None:
            return isinstance(value, str) and value in self.choices
        if self.bounds is None or type(value) is not int:
            return False
        return self.bounds[0] <= value <= self.bounds[1]

    def clause_for(self, value: object) -> str | None:
        """The clause that `value` puts in force, the key's own where it has none."""
        if self.choices is not None and isinstance(value, str):
            return self.choices.get(value) or self.clause
        return self.clause


@dataclass(frozen=True, slots=True)
class RuleInForce:
    """A rule as `tablectl check` shows it."""

    value: str | int | None
    default: str | int | None
    clause: str | None


def _choice(clause: str, choices: Mapping[str, str | None], default: str) -> RuleNote:
    expected = "one of " + ", ".join(choices)
    return RuleNote(expected, clause, default, choices=MappingProxyType(dict(choices)))


def _integer(clause: str, low: int, high: int, default: int) -> RuleNote:
    return RuleNote(f"an integer from {low} to {high}", clause, default, bounds=(low, high))


def _paytable(wager: str, clause: str, *, required: bool = False) -> RuleNote:
    figures = paytables.three_card_poker()
    choices = {letter: figures.table(wager, letter).clause for letter in figures.letters(wager)}
    offered = "" if required else ", or no such key where the wager is not offered"
    expected = f"paytable {', '.join(choices)}{offered}"
    return RuleNote(expected, clause, required=required, choices=MappingProxyType(choices))


@cache
def rule_notes() -> Mapping[str, RuleNote]:
    """Every key of `[rules]` for Three Card Poker."""
    figures = paytables.three_card_poker()
    most = figures.seats_maximum
    dealing = {"automated_shoe": "TCP 10.A", "manual_shoe": "TCP 8.A", "hand": "TCP 9.A"}
    conditions = {
        "free": "TCP 7.F(3)",
        "ante_at_least_equal": "TCP 7.G(1)",
        "ante_at_least_half": "TCP 7.G(2)",
        "both_compulsory": "TCP 7.G(3)",
    }
    return MappingProxyType(
        {
            "game": RuleNote("three_card_poker", None, GAME, True, MappingProxyType({GAME: None})),
            "jurisdiction": RuleNote("MD", None, "MD", choices=MappingProxyType({"MD": None})),
            "dealing": _choice("TCP 11.A", dealing, "automated_shoe"),
            "seats": _integer(figures.seats_clause, 1, most, most),
            "ante_bonus": _paytable("ante_bonus", "TCP 12.B", required=True),
            "pair_plus": _paytable("pair_plus", "TCP 12.D", required=True),
            "pair_plus_condition": _choice("TCP 7.G", conditions, "free"),
            "six_card_bonus": _paytable("six_card_bonus", "TCP 12.F"),
            "progressive": _paytable("progressive", "TCP 12.E(1)"),
            "five_card_progressive": _paytable("five_card_progressive", "TCP 12.G"),
            "adjacent_boxes": _integer("TCP 7.H", 1, most, 1),
            "deck_change_lead_minutes": _integer("TCP 3.C", 0, 60, 3),
            "idle_minutes": _integer("TCP 5.H", 1, 240, 5),
        }
    )


def rules_in_force(rules: ThreeCardPokerRules) -> dict[str, RuleInForce]:
    """Each rule with its value, its default and the clause that it puts in force."""
    return {
        key: RuleInForce(value, note.default, note.clause_for(value))
        for key, note in rule_notes().items()
        for value in (getattr(rules, key),)
    }


def parse_rules(raw: Mapping[str, object]) -> ThreeCardPokerRules:
    """Read a `[rules]` table; raises RulesError with every fault, keys written `rules.KEY`."""
    game = raw.get("game")
    if isinstance(game, str) and game in LATER_GAMES:
        fault = Fault(
            "rules.game", f"{GAME}: {game} comes later, this build does not play it", None
        )
        raise RulesError((fault,))
    faults = tuple(_rule_faults(raw))
    if faults:
        raise RulesError(faults)
    values: dict[str, Any] = {key: raw.get(key, note.default) for key, note in rule_notes().items()}
    return ThreeCardPokerRules(**values)


def _rule_faults(raw: Mapping[str, object]) -> Iterator[Fault]:
    notes = rule_notes()
    for key in raw:
        if key not in notes:
            known = ", ".join(notes)
            yield Fault(f"rules.{key}", f"no such key; the keys of {GAME} are {known}", None)
    for key, note in notes.items():
        if key in raw:
            if not note.allows(raw[key]):
                yield Fault(f"rules.{key}", f"{note.expected}, not {shown(raw[key])}", note.clause)
        elif note.required:
            yield Fault(f"rules.{key}", f"{note.expected}; the key is missing", note.clause)
    seats, boxes = raw.get("seats"), raw.get("adjacent_boxes")
    if (
        notes["seats"].allows(seats)
        and notes["adjacent_boxes"].allows(boxes)
        and isinstance(seats, int)
        and isinstance(boxes, int)
        and boxes > seats
    ):
        expected = f"no more boxes than the table's {seats} seats, not {boxes}"
        yield Fault("rules.adjacent_boxes", expected, notes["adjacent_boxes"].clause)


def shown(value: object) -> str:
    """A wrong value as an error message shows it: short, whatever was written."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _metered(rules: ThreeCardPokerRules) -> Iterator[paytables.Paytable]:
    """The chosen paytables that may pay from a meter."""
    for wager in _METERED_WAGERS:
        letter = getattr(rules, wager)
        if letter is not None:
            yield paytables.three_card_poker().table(wager, letter)


def check_meters(
    rules: ThreeCardPokerRules, meters: Mapping[str, Mapping[str, object]]
) -> tuple[Fault, ...]:
    """Every fault of the `[meters.NAME]` tables under `rules`, keys written `meters.NAME.KEY`."""
    return tuple(_meter_faults(rules, meters))


def _meter_faults(
    rules: ThreeCardPokerRules, meters: Mapping[str, Mapping[str, object]]
) -> Iterator[Fault]:
    needed = {meter: table for table in _metered(rules) for meter in table.meters}
    for name in meters:
        if name not in needed:
            known = ", ".join(needed) or "none"
            yield Fault(f"meters.{name}", f"no such meter; these rules use: {known}", None)
    for name, table in needed.items():
        if name in meters:
            yield from _one_meter_faults(name, table, meters[name])
        else:
            expected = f"a meter with reset and rate, for paytable {table.letter} of {table.wager}"
            yield Fault(f"meters.{name}", expected, table.clause)


def _one_meter_faults(
    name: str, table: paytables.Paytable, meter: Mapping[str, object]
) -> Iterator[Fault]:
    figures = paytables.three_card_poker()
    for key in meter:
        if key not in ("reset", "rate"):
            yield Fault(f"meters.{name}.{key}", "no such key; a meter has reset and rate", None)
    least, reset = figures.reset_minimum, meter.get("reset")
    if type(reset) is not int or reset < least.value:
        sum_ = dollars(int(least.value))
        expected = f"at least {least.value} cents ({sum_}), not {shown(reset)}"
        yield Fault(f"meters.{name}.reset", expected, least.clause)
    minimum = figures.rate_minimums.get((table.wager, table.letter))
    rate = _exact(meter.get("rate"))
    # The rules print no least rate for the other paytables; a meter must still move.
    low = Fraction(minimum.value) if minimum else None
    if rate is None or rate > 1 or rate <= 0 or (low is not None and rate < low):
        share = f"at least {minimum.value}" if minimum else "more than 0"
        expected = f"a share of each wager, {share} and at most 1, not {shown(meter.get('rate'))}"
        clause = minimum.clause if minimum else table.clause
        yield Fault(f"meters.{name}.rate", expected, clause)


def _exact(rate: object) -> Fraction | None:
    """An exact share, or None; a binary float is refused, since 0.14 is not 14 percent there."""
    if isinstance(rate, bool) or not isinstance(rate, int | str | Decimal | Fraction):
        return None
    try:
        return Fraction(Decimal(rate) if isinstance(rate, str) else rate)
    except (InvalidOperation, ValueError, OverflowError):
        return None
