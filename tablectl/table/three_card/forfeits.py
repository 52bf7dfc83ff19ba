"""Seats that leave the round by the floor's word: abandoned (TCP 7.C(2)), forfeited (TCB 11.A(5)).

Every wager at the seat loses; it is the floor's choice, never inferred. The hand has left play: it
is not turned over, wins nothing, and gives no other seat an envy bonus.
"""

from collections.abc import Mapping
from typing import Any, Final

from tablectl.games.settlement import Line
from tablectl.table.state import Payment
from tablectl.table.step import Refused, Step
from tablectl.table.three_card import settling
from tablectl.table.three_card.deciding import ask_next

_RULES: Final = {"2": "touched another hand", "3": "hid the cards", "4": "told the hand"}


def abandon(step: Step, args: Mapping[str, Any]) -> None:
    """The player left during the round."""
    _take_out(step, args["seat"], "abandoned", "TCP 7.C(2)")


def forfeit(step: Step, args: Mapping[str, Any]) -> None:
    """The player broke one of the rules about hands, before that seat is settled."""
    reason = args["reason"].strip("() ")
    if reason not in _RULES:
        raise Refused("reason is the rule that was broken: 2, 3 or 4 of TCB 11.A", malformed=True)
    clause = f"TCB 11.A({reason})"
    _take_out(step, args["seat"], "forfeited", "TCB 11.A(5)", clause, what=_RULES[reason])


def _take_out(step: Step, seat: int, why: str, *clauses: str, **more: str) -> None:
    wagers = step.round.live_wagers(seat)
    if not wagers:
        raise Refused(f"seat {seat} has no wager in play", *clauses)
    step.emit(f"seat.{why}", {"round": step.round.number, "seat": seat, **more}, *clauses)
    clause = step.cite(clauses)[0]
    lines = [Line(w.wager, w.cents, "forfeit", 0, 0, None, clause) for w in wagers]
    decisions = tuple(made for made in step.round.decisions if made[0] != seat)
    step.update_round(out=(*step.round.out, (seat, why)), decisions=decisions)
    settling.end_wagers(step, [Payment(seat, line) for line in lines])
    if step.round.asked == seat:
        step.update_round(asked=None)
        ask_next(step)
    if step.state.phase == "settling":
        left = tuple(other for other in step.round.turns if other != seat)
        disputes = tuple(d for d in step.round.disputes if d[0] != seat)
        step.update_round(turns=left, disputes=disputes, waiting=(), due=())
        settling.next_turn(step)
