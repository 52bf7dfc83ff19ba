"""Progressive wins (TCP 11.D(5) to (9)): pending at the seat's turn, validated, then paid.

The amount is frozen at that turn. A floorperson validates every progressive payout before it is
paid (11.D(7)(c), 11.D(9)(e)); until then it stands as PENDING in the state and in the prompt.
"""

from collections.abc import Mapping
from typing import Any, Final

from tablectl.table.state import Payment, Round
from tablectl.table.step import Refused, Step
from tablectl.table.three_card.game import PROGRESSIVE

_VALIDATED_BY: Final = {
    "progressive": ("TCP 11.D(7)(c)",),
    "five_card_progressive": ("TCP 11.D(9)(e)",),
}


def wins(round_: Round) -> tuple[Payment, ...]:
    """What the seat whose turn it is has won by a progressive wager."""
    return tuple(p for p in round_.due if p.line.wager in PROGRESSIVE and p.line.returned)


def pending(round_: Round) -> tuple[Payment, ...]:
    """The wins that no floorperson has validated yet."""
    return tuple(p for p in wins(round_) if (p.seat, p.line.wager) not in round_.validated)


def recognised(step: Step) -> None:
    """Say what the turned cards have won; a claim that waited in a dispute is not told twice."""
    for payment in wins(step.round):
        won = (payment.seat, payment.line.wager, payment.line.returned)
        if won not in step.round.told:
            step.update_round(told=(*step.round.told, won))
            data = {**_data(step, payment), "status": "PENDING"}
            step.emit("progressive.hit", data, payment.line.clause)


def check_validated(step: Step) -> None:
    """Nothing is paid before the floor has validated it. Raises Refused."""
    for payment in pending(step.round):
        raise Refused(
            f"the floor validates seat {payment.seat}'s progressive win first "
            "(validate_progressive)",
            *_VALIDATED_BY[payment.line.wager],
        )


def validate(step: Step, args: Mapping[str, Any]) -> None:
    """A floorperson validates a win: the hand, the light, the amount."""
    seat, meter = args["seat"], args.get("meter")
    found = [p for p in pending(step.round) if p.seat == seat and meter in (None, p.line.meter)]
    if not found:
        raise Refused(f"seat {seat} has no such progressive win to validate", "TCP 11.D(7)(c)")
    for payment in found:
        won = (payment.seat, payment.line.wager)
        step.update_round(validated=(*step.round.validated, won))
        clauses = _VALIDATED_BY[payment.line.wager]
        step.emit("progressive.validated", _data(step, payment), *clauses)


def by_odds(step: Step, payment: Payment) -> None:
    """A win that leaves every meter as it is was paid."""
    step.emit("progressive.paid", _data(step, payment), payment.line.clause)


def _data(step: Step, payment: Payment) -> dict[str, Any]:
    line = payment.line
    data = {"round": step.round.number, "seat": payment.seat, "meter": line.meter}
    return {**data, "wager": line.wager, "cents": line.returned}
