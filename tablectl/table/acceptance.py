"""Progressive wagers that a device accepts: the lamps, and the chips counted against them.

TCP 8.C(2), 9.B(2), 10.A(3), in Midi house procedure: after the lock the chips on the layout must be
as many as the wagers that the progressive system accepted. Until that is so, no card is dealt. A
wager keyed on the dealer's page was accepted by no device: there is nothing to count it against.
"""

from collections.abc import Mapping
from typing import Any

from tablectl.cards import dollars
from tablectl.games.settlement import Line
from tablectl.table import must_hit
from tablectl.table.progressive import ROYAL_9, contributions
from tablectl.table.state import Round, State, Wager
from tablectl.table.step import HOUSE, Refused, Step
from tablectl.table.wager_guards import COLLECT, COUNT, RECOUNT


def accepted(round_: Round) -> tuple[Wager, ...]:
    """The wagers that a device accepted, and that still stand."""
    return tuple(wager for wager in round_.live_wagers() if wager.device)


def accepted_by_another(round_: Round, spot: tuple[int, str], device: str) -> bool:
    """Whether a wager stands that another device answers for: each answers for its own."""
    return any((w.seat, w.wager) == spot and w.device != device for w in accepted(round_))


# ── the count ──────────────────────────────────────────────────────────────
def due(step: Step) -> None:
    """The lock is on: chips that a device accepted are to be counted, once a round."""
    if accepted(step.round) and not step.round.count:
        step.update_round(count="due", counts=0)


def count(step: Step, args: Mapping[str, Any]) -> None:
    """The dealer counted the chips in front of the inventory; values are compared where given."""
    chips, cents = args["chips"], args.get("cents")
    if chips < 0 or (cents is not None and cents < 0):
        raise Refused("chips and cents are whole numbers, 0 or more", malformed=True)
    wagers = accepted(step.round)
    value = sum(wager.cents for wager in wagers)
    data = {"round": step.round.number, "chips": chips, "accepted": len(wagers)}
    data |= {"cents": cents, "value": value}
    if chips == len(wagers) and cents in (None, value):
        step.update_round(count="verified", chips=chips)
        step.emit("progressive.count_verified", data, *COUNT)
        for wager in wagers:
            taken = {"round": step.round.number, "seat": wager.seat, "wager": wager.wager}
            step.emit("wager.collected", {**taken, "cents": wager.cents}, *COLLECT)
        step.clear_alarm("count_mismatch")
        return
    step.update_round(count="mismatch", counts=step.round.counts + 1, chips=chips)
    step.emit("progressive.count_mismatch", data, *COUNT)
    what = f"{chips} progressive chips, {len(wagers)} wagers accepted ({dollars(value)}): recount."
    step.raise_alarm("count_mismatch", "critical", what, *COUNT)


def resolve(step: Step, args: Mapping[str, Any]) -> None:
    """The floor decides on one chip; the dealer then counts again (house procedure)."""
    seat = args.get("seat")
    wagers = accepted(step.round)
    if (step.round.chips or 0) > len(wagers):
        _extra(step, seat, wagers)
    else:
        _missing(step, seat, args.get("wager"), wagers)
    left = accepted(step.round)
    step.update_round(count="due" if left else "verified", counts=RECOUNT - 1, chips=None)
    if not left:
        data = {"round": step.round.number, "chips": 0, "accepted": 0, "cents": 0, "value": 0}
        step.emit("progressive.count_verified", data, HOUSE, *COUNT)
        step.clear_alarm("count_mismatch")


def _extra(step: Step, seat: int | None, wagers: tuple[Wager, ...]) -> None:
    """An unlit chip is no wager (TCP 7.F(4)(b)): it goes back to its dark seat."""
    if seat is not None and not 1 <= seat <= step.setup.rules.seats:
        raise Refused(f"this table has seats 1 to {step.setup.rules.seats}", malformed=True)
    if seat in {wager.seat for wager in wagers}:
        raise Refused(f"seat {seat}'s lamp is lit: name the dark seat, or none", "TCP 7.F(4)(b)")
    offered = step.setup.rules.metered_wagers
    wager = offered[0] if len(offered) == 1 else None  # whose chip it is nobody can tell
    data = {"round": step.round.number, "seat": seat, "wager": wager, "cents": None}
    step.emit("wager.refused", {**data, "reason": "unlit"}, "TCP 7.F(4)(b)", HOUSE)


def _missing(step: Step, seat: int | None, named: str | None, wagers: tuple[Wager, ...]) -> None:
    """No chip for an acceptance: it and its contribution are cancelled; none may be added."""
    if seat is None:
        raise Refused("name the seat whose chip is missing or of another value", HOUSE, *COUNT)
    mine = [w for w in wagers if w.seat == seat and named in (None, w.wager)]
    if not mine:
        raise Refused(f"no such wager was accepted at seat {seat}", HOUSE, *COUNT)
    if len(mine) > 1:
        raise Refused(f"seat {seat} has two accepted wagers: name the wager", malformed=True)
    [gone] = mine
    step.update_round(wagers=tuple(w for w in step.round.wagers if w is not gone))
    step.update_round(pending=contributions(step.setup, step.round.live_wagers()))
    data = {"round": step.round.number, "seat": seat, "wager": gone.wager, "cents": gone.cents}
    step.emit("wager.refused", {**data, "reason": "no chip"}, HOUSE, *COUNT)


# ── lamps ──────────────────────────────────────────────────────────────────
def light(step: Step) -> None:
    """Lamps follow the table: lit for what was accepted, later for what is won (11.D(7)(b))."""
    if step.state.halt is not None:
        return  # a halted table permits nothing, not even a lamp
    for device in step.state.devices_of("progressive"):
        if not device.accepts or device.health != "online":
            continue
        wanted = _lit(step.state, device.id)
        for seat, wager in sorted(set(device.lit) ^ wanted):
            on = (seat, wager) in wanted
            step.command(device.id, "lamp", restrictive=False, seat=seat, wager=wager, on=on)
        step.update_device(device.id, lit=tuple(sorted(wanted)))


def _lit(state: State, device: str) -> set[tuple[int, str]]:
    if state.round is None:
        return set()
    mine = {(w.seat, w.wager) for w in state.round.wagers if w.device == device}
    if state.round.revealed:
        return mine & {(p.seat, _played(p.line)) for p in state.round.due if p.line.returned}
    return mine & {(w.seat, w.wager) for w in accepted(state.round)}


def _played(line: Line) -> str:
    """The wager whose lamp shows a win: the Must Hit has none of its own (MIDI 7.A(9)(a))."""
    return ROYAL_9 if line.wager == must_hit.METER else line.wager
