"""What the odds of a wager are: how often each outcome comes, what it pays, and by which clause.

Every game's engine ends here. No rules, no cards and no rounding: counts are whole, pays exact.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from tablectl.games.paytables import Row
from tablectl.games.settlement import Award

NOT_COUNTED = "meter and fixed-dollar awards are counted as 0"
UNROUNDED = "the vigorish is not rounded"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One way in which a wager can end."""

    name: str
    count: int
    pays: Fraction
    """What is won per unit, net of the stake: a loss is -1, a push 0."""
    clause: str
    award: str | None = None
    """A meter's or a fixed sum as the rules print it; `pays` is then 0."""


@dataclass(frozen=True, slots=True)
class Odds:
    """The exact odds of one wager under one paytable."""

    game: str
    wager: str
    paytable: str
    decks: int
    total: int
    outcomes: tuple[Outcome, ...]
    notes: tuple[str, ...] = ()

    @property
    def edge(self) -> Fraction:
        """What the house keeps of each unit wagered, in the long run."""
        return -sum((one.count * one.pays for one in self.outcomes), Fraction()) / self.total


class Paid(NamedTuple):
    """How a class of deals ends: everything of an Outcome but its count."""

    name: str
    pays: Fraction
    clause: str
    award: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """One wager and paytable to be counted; asking costs nothing, `answer` does the work."""

    wager: str
    paytable: str
    answer: Callable[[], Odds]


def paid(awards: Sequence[Award], stake: int) -> Paid:
    """How a wager of `stake` ended that the settlement split into `awards` (most give one)."""
    rows = [award[0] for award in awards]
    award = next((row.odds for row in rows if row.meter is not None or row.cents), None)
    laid, returned = sum(award[1] for award in awards), sum(award[2] for award in awards)
    return Paid(
        name=", ".join(dict.fromkeys(_name(row) for row in rows)),
        pays=Fraction(0) if award else Fraction(returned - laid, stake),
        clause=", ".join(sorted({row.clause for row in rows})),
        award=award,
    )


def _name(row: Row) -> str:
    return row.hand or row.outcome


def outcomes(counted: Iterable[tuple[Paid, int]]) -> tuple[Outcome, ...]:
    """Outcomes with their counts added up, the best first.

    What ends alike under two clauses (a wager lost in two ways) is one outcome that cites both.
    """
    counts: Counter[tuple[bool, Fraction, str, str | None]] = Counter()
    clauses: dict[tuple[bool, Fraction, str, str | None], set[str]] = {}
    for end, count in counted:
        key = (end.award is None, -end.pays, end.name, end.award)
        counts[key] += count
        clauses.setdefault(key, set()).update(end.clause.split(", "))
    # Awards stand first, as the paytable has them; then what pays most, the rarer first.
    ordered = sorted(
        counts, key=lambda key: (key[:2], min(clauses[key]) if key[3] else "", counts[key])
    )
    return tuple(
        Outcome(name, counts[key], -cost, ", ".join(sorted(clauses[key])), award)
        for key in ordered
        for _, cost, name, award in (key,)
    )
