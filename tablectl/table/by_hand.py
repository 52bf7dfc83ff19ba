"""Seats that the floor settles by hand, after a halt with the cards already shown. Recorded so."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tablectl.games.settlement import Line
from tablectl.table import must_hit, progressive
from tablectl.table.halts import end_by_hand
from tablectl.table.step import HOUSE, Refused, Step


def settle_by_hand(step: Step, args: Mapping[str, Any]) -> None:
    """The floor settled a seat that a halt after the reveal had left open."""
    seat, returned = args["seat"], args["returned"]
    open_wagers = step.round.live_wagers(seat)
    if not open_wagers:
        raise Refused(f"seat {seat} has nothing open", malformed=True)
    if returned < 0:
        raise Refused("returned is a whole number of cents, 0 or more", malformed=True)
    wagers = tuple(
        replace(w, status="settled") if w in open_wagers else w for w in step.round.wagers
    )
    turns = tuple(s for s in step.round.turns if s != seat)
    _paid_from_meter(step, args, {wager.wager for wager in open_wagers})
    step.update_round(wagers=wagers, turns=turns, due=())
    for wager in open_wagers:
        data = {"round": step.round.number, "seat": seat, "wager": wager.wager}
        data |= {"cents": wager.shown, "outcome": "by_hand", "reason": args["reason"]}
        step.emit("wager.settled", data, HOUSE)
    total = {"round": step.round.number, "seat": seat, "returned": returned}
    step.emit("seat.settled_by_hand", {**total, "reason": args["reason"]}, HOUSE)
    end_by_hand(step)


def _paid_from_meter(step: Step, args: Mapping[str, Any], wagers: set[str]) -> None:
    """The floor paid a meter's award by hand, to a seat that wagered on it; all that the meter
    shows resets it."""
    named = args.get("meter")
    if named is None:
        return
    meter, award = step.state.meter(named), args.get("award", 0)
    if meter is None or not 0 < award <= min(meter.cents, args["returned"]):
        raise Refused(
            "name a meter and what it paid: no more than it shows, nor than was returned",
            malformed=True,
        )
    fed_by = progressive.wager_of(step.setup, meter.name)
    if fed_by not in wagers:
        raise Refused(f"seat {args['seat']} has no {fed_by} wager open", "TCP 11.D(5)", HOUSE)
    whole = award == meter.cents
    won_by = must_hit.METER if meter.name == must_hit.METER else fed_by
    line = Line(won_by, 0, "win", award, 0, None, HOUSE, meter.name, whole)
    progressive.take(step, args["seat"], line, by_hand=True)
