"""Play or fold (TCP 11.B, 11.C): seats with an ante are asked one after the other.

A decision out of turn is not recorded; one that was can change until the next seat is asked.
"""

from collections.abc import Mapping
from typing import Any

from tablectl.table.state import Wager
from tablectl.table.step import Refused, Step
from tablectl.table.three_card.game import is_poker


def ask_next(step: Step) -> None:
    """Ask the next seat with an ante, from the dealer's far left; the last one stays asked."""
    for seat in step.round.ante_seats() if is_poker(step) else ():
        if step.round.decision(seat) is None:
            step.update_round(asked=seat)
            step.emit("seat.asked", {"round": step.round.number, "seat": seat}, "TCP 11.B")
            return
    if step.round.asked is None:
        return
    number = step.round.number
    step.emit("round.deciding", {"round": number, "decided": True}, "TCP 11.B")


def decide(step: Step, seat: int, decision: str) -> None:
    """Record what the seat that is asked does with its hand."""
    asked = step.round.asked
    if seat not in step.round.ante_seats():
        raise Refused(f"seat {seat} has no ante and is not asked", "TCP 11.B")
    if seat != asked:
        said = "has decided, and the next seat was asked" if step.round.decision(seat) else "waits"
        raise Refused(f"seat {seat} {said}: seat {asked} is asked now", "TCP 11.B")
    _record(step, seat, decision)
    ask_next(step)


def attest(step: Step, args: Mapping[str, Any]) -> None:
    """The floor attests what a seat had decided and nobody had keyed (house procedure)."""
    seat, decision = args["seat"], args["decision"]
    if decision not in ("play", "fold"):
        raise Refused("a decision is play or fold", malformed=True)
    if seat not in step.round.ante_seats() or step.round.decision(seat) is not None:
        raise Refused(f"seat {seat} has no decision to make", "TCP 11.B")
    _record(step, seat, decision, attested=True)
    if step.round.asked in (None, seat):
        ask_next(step)


def _record(step: Step, seat: int, decision: str, **more: bool) -> None:
    before = step.round.decision(seat)
    decisions = dict(step.round.decisions) | {seat: decision}
    step.update_round(decisions=tuple(sorted(decisions.items())))
    if decision == "play":
        _place_play(step, seat, **more)
    else:
        if before == "play":
            _withdraw_play(step, seat)
        where = {"round": step.round.number, "seat": seat, **more}
        step.emit("seat.folded", where, "TCP 11.B", "TCP 11.C")


def _place_play(step: Step, seat: int, **more: bool) -> None:
    """The play wager equals the ante (TCP 7.F(1)); it alone is made after the lock (7.D)."""
    ante = next(w for w in step.round.live_wagers(seat) if w.wager == "ante")
    play = Wager(seat, "play", ante.cents, "locked", known=ante.known)
    step.update_round(wagers=(*step.round.wagers, play))
    where = {"round": step.round.number, "seat": seat, **more}
    step.emit("seat.played", where, "TCP 11.B")
    data = {**where, "wager": "play", "cents": play.shown, "was": 0}
    step.emit("wager.placed", data, "TCP 7.D", "TCP 7.F(1)")


def _withdraw_play(step: Step, seat: int) -> None:
    play = next(w for w in step.round.live_wagers(seat) if w.wager == "play")
    step.update_round(wagers=tuple(w for w in step.round.wagers if w is not play))
    data = {"round": step.round.number, "seat": seat, "wager": "play", "cents": play.shown}
    step.emit("wager.returned", {**data, "reason": "changed decision"}, "TCP 11.B")
