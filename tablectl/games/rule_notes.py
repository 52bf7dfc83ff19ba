"""What a key of `[rules]` or `[meters]` may be: the shapes in which every game says so, and the
checks that follow from them. Which keys a game has stands in the game's own rules module.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from tablectl.cards import dollars
from tablectl.games.paytables import Figure, GameFigures

RuleValue = str | int | None
"""A rule's value; bool is an int. None: not set, or the wager is not offered."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a configuration: where, what was expected, which clause asks for it.

    The key is empty where the whole file is meant.
    """

    key: str
    expected: str
    clause: str | None

    def __str__(self) -> str:
        """The fault as half a sentence."""
        key = f"{self.key}: " if self.key else ""
        expected = "" if self.expected.startswith("no such") else "expected "
        cited = f" ({self.clause})" if self.clause else ""
        return f"{key}{expected}{self.expected}{cited}"


class RulesError(ValueError):
    """The rules are not ones that a table may play by; `faults` has every reason."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__("the rules cannot be used; " + "; ".join(map(str, faults)))
        self.faults = faults


@dataclass(frozen=True, slots=True)
class RuleNote:
    """One key of `[rules]`: its default, what it may be, and the clause behind it."""

    expected: str
    clause: str | None
    default: RuleValue = None
    required: bool = False
    choices: Mapping[str, str | None] | None = None
    """The values allowed, each with the clause that it puts in force."""
    bounds: tuple[int, int] | None = None
    switch: bool = False
    """Whether the key is true or false."""

    def allows(self, value: object) -> bool:
        """Whether `value` is of the right type and within the rules."""
        if self.switch:
            return type(value) is bool
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

    value: RuleValue
    default: RuleValue
    clause: str | None


class MeterTerms(NamedTuple):
    """What the rules ask of one meter. `maximum` only where the meter must be hit by then."""

    pays: str
    """The paytable that pays from it, in words."""
    clause: str
    reset: Figure
    rate_clause: str
    rate: Figure | None = None
    """The least rate, where the rules print one."""
    maximum: Figure | None = None


def fixed(value: str, *, required: bool = False) -> RuleNote:
    """A key that can have one value only."""
    return RuleNote(value, None, value, required, MappingProxyType({value: None}))


def choice(
    clause: str | None, choices: Mapping[str, str | None], default: str | None = None
) -> RuleNote:
    """A key with named values; without a default it is not set."""
    expected = "one of " + ", ".join(choices)
    return RuleNote(expected, clause, default, choices=MappingProxyType(dict(choices)))


def integer(clause: str | None, low: int, high: int, default: int) -> RuleNote:
    """A whole number within bounds."""
    return RuleNote(f"an integer from {low} to {high}", clause, default, bounds=(low, high))


def switch(clause: str | None, *, default: bool) -> RuleNote:
    """A key that is true or false."""
    return RuleNote("true or false", clause, default, switch=True)


def paytable(figures: GameFigures, wager: str, clause: str, *, required: bool = False) -> RuleNote:
    """A key that chooses the paytable of a wager by its letter."""
    choices = {letter: figures.table(wager, letter).clause for letter in figures.letters(wager)}
    offered = "" if required else ", or no such key where the wager is not offered"
    expected = f"paytable {', '.join(choices)}{offered}"
    return RuleNote(expected, clause, required=required, choices=MappingProxyType(choices))


def note_faults(
    game: str, notes: Mapping[str, RuleNote], raw: Mapping[str, object]
) -> Iterator[Fault]:
    """Every key that is unknown, missing, or not what its note allows."""
    for key in raw:
        if key not in notes:
            known = ", ".join(notes)
            yield Fault(f"rules.{key}", f"no such key; the keys of {game} are {known}", None)
    for key, note in notes.items():
        if key in raw:
            if not note.allows(raw[key]):
                yield Fault(f"rules.{key}", f"{note.expected}, not {shown(raw[key])}", note.clause)
        elif note.required:
            yield Fault(f"rules.{key}", f"{note.expected}; the key is missing", note.clause)


def shown(value: object) -> str:
    """A wrong value as an error message shows it: short, and as a file writes it."""
    if value is None:
        return "null"
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def meter_faults(
    needed: Mapping[str, MeterTerms], meters: Mapping[str, Mapping[str, object]]
) -> Iterator[Fault]:
    """Every meter that is missing or too many, and every term below its minimum."""
    for name in meters:
        if name not in needed:
            known = ", ".join(needed) or "none"
            yield Fault(f"meters.{name}", f"no such meter; these rules use: {known}", None)
    for name, terms in needed.items():
        if name in meters:
            yield from _one_meter_faults(name, terms, meters[name])
        else:
            keys = _listed(_meter_keys(terms))
            yield Fault(f"meters.{name}", f"a meter with {keys}, for {terms.pays}", terms.clause)


def _one_meter_faults(name: str, terms: MeterTerms, meter: Mapping[str, object]) -> Iterator[Fault]:
    keys = _meter_keys(terms)
    for key in meter:
        if key not in keys:
            yield Fault(f"meters.{name}.{key}", f"no such key; a meter has {_listed(keys)}", None)
    reset, maximum = meter.get("reset"), meter.get("maximum")
    yield from _sum_fault(f"meters.{name}.reset", reset, terms.reset)
    if terms.maximum is not None:
        too_low = tuple(_sum_fault(f"meters.{name}.maximum", maximum, terms.maximum))
        yield from too_low
        if not too_low and type(maximum) is int and type(reset) is int and maximum <= reset:
            expected = f"more than the reset, {reset}, not {maximum}"
            yield Fault(f"meters.{name}.maximum", expected, terms.maximum.clause)
    # Where the rules print no least rate, a meter must still move.
    rate, least = _exact(meter.get("rate")), terms.rate
    low = Fraction(least.value) if least else None
    if rate is None or rate > 1 or rate <= 0 or (low is not None and rate < low):
        share = f"at least {least.value}" if least else "more than 0"
        expected = f"a share of each wager, {share} and at most 1{_given(meter.get('rate'))}"
        yield Fault(f"meters.{name}.rate", expected, terms.rate_clause)


def _sum_fault(key: str, cents: object, least: Figure) -> Iterator[Fault]:
    if type(cents) is not int or cents < least.value:
        sum_ = dollars(int(least.value))
        yield Fault(key, f"at least {least.value} cents ({sum_}){_given(cents)}", least.clause)


def _given(value: object) -> str:
    return "; the key is missing" if value is None else f", not {shown(value)}"


def _meter_keys(terms: MeterTerms) -> tuple[str, ...]:
    return ("reset", "rate") if terms.maximum is None else ("reset", "rate", "maximum")


def _listed(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}"


def _exact(rate: object) -> Fraction | None:
    """An exact share, or None; a binary float is refused, since 0.14 is not 14 percent there."""
    if isinstance(rate, bool) or not isinstance(rate, int | str | Decimal | Fraction):
        return None
    try:
        return Fraction(Decimal(rate) if isinstance(rate, str) else rate)
    except (InvalidOperation, ValueError, OverflowError):
        return None
