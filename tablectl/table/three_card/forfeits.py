"""Seats that leave the round by the floor's word: abandoned (TCP 7.C(2)), forfeited (TCB 11.A(5)).

Every wager at the seat loses; it is the floor's choice, never inferred. The hand has left play: it
is not turned over, wins nothing, and gives no other seat an envy bonus.
"""

from collections.abc import Mapping
from typing import Any, Final

from tablectl.table.step import Refused, Step
from tablectl.table.three_card import settling
from tablectl.table.three_card.dealing import infer_deal
from tablectl.table.three_card.deciding import ask_next

_RULES: Final = {"2": "touched another hand", "3": "hid the cards", "4": "told the hand"}


def abandon(step: Step, args: Mapping[str, Any]) -> None:
    """The player left during the round."""
    _take_out(step, args["seat"], "abandoned", settling.LEFT_BY["abandoned"])


def forfeit(step: Step, args: Mapping[str, Any]) -> None:
    """The player broke one of the rules about hands, before that seat is settled."""
    reason = args["reason"].strip("() ")
    if reason not in _RULES:
        known = ", ".join(f"{number} ({what})" for number, what in _RULES.items())
        raise Refused(f"reason is the rule that was broken: {known}", malformed=True)
    clause = f"TCB 11.A({reason})"
    _take_out(
        step, args["seat"], "forfeited", settling.LEFT_BY["forfeited"], clause, what=_RULES[reason]
    )


def _take_out(step: Step, seat: int, why: str, *clauses: str, **more: str) -> None:
    """Before the reveal its wagers stay where they are: a void still returns them (TCP 13.D)."""
    if not step.round.live_wagers(seat) or seat in dict(step.round.out):
        raise Refused(f"seat {seat} has no wager in play", *(clauses or ("TCP 7.C(2)",)))
    infer_deal(step)
    step.emit(f"seat.{why}", {"round": step.round.number, "seat": seat, **more}, *clauses)
    decisions = tuple(made for made in step.round.decisions if made[0] != seat)
    step.update_round(out=(*step.round.out, (seat, why)), decisions=decisions)
    if step.round.asked == seat:
        step.update_round(asked=None)
        ask_next(step)
    if step.state.phase == "settling":
        settling.collect_out(step, seat, why)
        left = tuple(other for other in step.round.turns if other != seat)
        disputes = tuple(d for d in step.round.disputes if d[0] != seat)
        step.update_round(turns=left, disputes=disputes, waiting=(), due=())
        settling.next_turn(step)
