"""The shapes in which every game says what a round pays: lines, seats, meters. No rules here.

A line is one wager's end; `returned` is all that the player gets for it, the stake included.
"""

from collections.abc import Iterable, Mapping
from typing import Final, Literal, NamedTuple

from tablectl.cards import Card
from tablectl.games.paytables import Outcome, Row

Decision = Literal["play", "fold"]


class SettleError(ValueError):
    """The round cannot be settled as it was given: one sentence, what is wrong and what to do."""

    def __init__(self, sentence: str, clause: str | None = None) -> None:
        super().__init__(f"{sentence} ({clause})" if clause else sentence)
        self.clause = clause


class Meter(NamedTuple):
    """A progressive meter: what it shows, and where it starts again once it has been won."""

    cents: int
    reset: int


class SeatHand(NamedTuple):
    """One seat at settlement. `cards` may be empty where the hand was folded and left play."""

    seat: int
    wagers: Mapping[str, int]
    cards: tuple[Card, ...]
    decision: Decision | None = None


Award = tuple[Row, int, int, int]
"""The end of one wager before it is spelled out: its row, stake, returned, vigorish."""


class AwardedRound(NamedTuple):
    """A round's awards by seat, in the order given; what every rendering starts from."""

    seats: dict[int, list[Award]]
    order: tuple[int, ...]
    meters: dict[str, Meter]


class Line(NamedTuple):
    """The end of one wager in full. The first seven fields are the JSON that readers see."""

    wager: str
    stake: int
    outcome: Outcome
    returned: int
    vigorish: int
    odds: str | None
    clause: str
    meter: str | None = None
    resets: bool = False


class Result(NamedTuple):
    """How a wager ended, whoever made it; `sealed`: cards that stay face down decide it."""

    wager: str
    outcome: Outcome | Literal["sealed"]
    odds: str | None
    clause: str


class SeatResult(NamedTuple):
    """What one seat gets back, in the order of settlement at the seat."""

    seat: int
    returned: int
    lines: tuple[Line, ...]


class Settlement(NamedTuple):
    """A settled round: seats as they were given, the order of settlement, meters afterwards."""

    seats: tuple[SeatResult, ...]
    order: tuple[int, ...]
    meters: dict[str, int]


# Makes a named tuple from a plain one at half the price of calling its class. For the few that are
# made by the dozen in every round; elsewhere, call the class.
record: Final = tuple.__new__


def line(award: Award) -> Line:
    """Spell an award out."""
    row, stake, returned, vigorish = award
    ended = (row.wager, stake, row.outcome, returned, vigorish)
    return record(Line, (*ended, row.odds, row.clause, row.meter, row.resets))


def result_of(row: Row) -> Result:
    """A row without anybody's stake."""
    return Result(row.wager, row.outcome, row.odds, row.clause)


def from_meter(row: Row, meters: dict[str, Meter]) -> int:
    """What a row pays from its meter: a share of what that shows at this turn.

    Changes `meters`. Raises SettleError where the meter that is won was not given.
    """
    name = row.meter or ""
    meter = meters.get(name)
    if meter is None:
        raise SettleError(
            f"the meter {name} is won but was not given: add it under meters", row.clause
        )
    award = (meter.cents * row.percent + 50) // 100  # half a cent goes up
    left = meter.reset if row.resets else meter.cents - award
    meters[name] = Meter(left, meter.reset)
    return award


def seat_result(seat: int, awards: Iterable[Award]) -> SeatResult:
    """Spell a seat's awards out."""
    lines = tuple([line(award) for award in awards])
    return SeatResult(seat, sum([one.returned for one in lines]), lines)


def amounts(awarded: AwardedRound) -> dict[int, int]:
    """Only what each seat gets back."""
    totals: dict[int, int] = {}
    for seat, awards in awarded.seats.items():
        total = 0
        for _, _, returned, _ in awards:
            total += returned
        totals[seat] = total
    return totals


def spelled_out(awarded: AwardedRound) -> Settlement:
    """The round with every line."""
    return Settlement(
        tuple([seat_result(seat, awards) for seat, awards in awarded.seats.items()]),
        awarded.order,
        {name: meter.cents for name, meter in awarded.meters.items()},
    )
