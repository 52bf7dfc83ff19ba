"""The account of a settled round as it leaves the table. It invents no money."""

from typing import Any

from tablectl.games.settlement import Line, SeatResult
from tablectl.table.state import Payment, Round


def left_play(round_: Round) -> list[SeatResult]:
    """The seats that the floor took out, with what had become of their wagers."""
    return [
        SeatResult(seat, 0, tuple(p.line for p in round_.paid if p.seat == seat))
        for seat, _ in round_.out
    ]


def amount_is_known(round_: Round, payment: Payment) -> bool:
    """Whether a line's money is known; a bonus without a stake hangs on the wager it is for."""
    wager = {"ante_bonus": "ante", "envy_bonus": "progressive"}.get(payment.line.wager)
    spot = (payment.seat, wager or payment.line.wager)
    return all(w.known for w in round_.wagers if (w.seat, w.wager) == spot)


def of_seats(round_: Round, seats: list[SeatResult]) -> dict[str, Any]:
    """The seats with their money; where amounts are unknown, the odds of every wager."""
    if all(wager.known for wager in round_.wagers):
        told = [
            {"seat": r.seat, "returned": r.returned, "lines": [_public(line) for line in r.lines]}
            for r in seats
        ]
        return {"seats": told}
    results = [
        {"seat": r.seat, "wager": line.wager, "outcome": line.outcome}
        | {"odds": line.odds, "clause": line.clause}
        for r in seats
        for line in r.lines
    ]
    return {"seats": [], "results": results}


def _public(line: Line) -> dict[str, Any]:
    fields = line._asdict()
    return {name: fields[name] for name in Line._fields[:7]}
