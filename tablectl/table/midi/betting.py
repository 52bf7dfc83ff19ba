"""Wagers before the deal: placing, withdrawing, the lock, and what the floor may amend (MIDI 7).

An amount is what stands on the spot: placing again replaces it. Nothing here knows a card.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from tablectl.cards import dollars
from tablectl.games.midi_baccarat_rules import MAIN_WAGERS, WAGERS
from tablectl.table import acceptance
from tablectl.table.lockout import hold, send_lock, takes_wagers
from tablectl.table.midi.shoe import rules_of, shoe_of
from tablectl.table.midi.state import MidiHands
from tablectl.table.phases import ROUND
from tablectl.table.progressive import ROYAL_9, contributions
from tablectl.table.state import Round, Wager
from tablectl.table.step import HOUSE, Refused, Step, quoted

PROGRESSIVE: Final = ROYAL_9
_UNIT: Final = 100  # what an unknown amount is settled with, so that the odds are right
_STANDS: Final = '"no more bets" was said in this round: the progressive stays as it is'


def open_bets(step: Step) -> None:
    """A round begins with a shoe that is ready."""
    number, shoe = step.state.rounds + 1, shoe_of(step)
    step.update(rounds=number, round=Round(number, shoe.id, midi=MidiHands()))
    step.emit("round.opened", {"round": number, "kind": "live", "deck": shoe.id}, "MIDI 7.A")


def place(step: Step, args: Mapping[str, Any]) -> None:
    """A wager is put down, or changed, before "no more bets" (MIDI 7.B, 7.D)."""
    seat, wager, known = args["seat"], args["wager"], "amount" in args
    amount = _amount(step, args)
    override = _override(step, args)
    check_offer(step, seat, wager, amount, limited=known and not override)
    if wager == PROGRESSIVE:
        _check_devices(step)
    _put(step, Wager(seat, wager, amount, known=known), "wager.placed", **override)


def _check_devices(step: Step) -> None:
    """A progressive on the page: while the devices are open, and where none accepts by itself."""
    if step.round.was_locked:
        raise Refused(_STANDS, "MIDI 2.C(2)", "MIDI 7.D")
    devices = step.state.devices_of("progressive")
    if not all(takes_wagers(step.state, device) for device in devices):
        raise Refused("the wagering devices are not open: see to them first", "MIDI 2.C(1)")
    if any(device.accepts for device in devices):
        raise Refused(
            "the progressive device accepts wagers itself: its lamp says what counts", "MIDI 2.C(1)"
        )


def accept(step: Step, seat: int, wager: str, cents: int, device: str) -> None:
    """A device accepted a chip; whether a base wager is beside it counts at the lock."""
    put = Wager(seat, wager, cents, device=device)
    _put(step, put, "wager.placed")
    _emit(step, "wager.accepted", put, "MIDI 2.C(1)", "MIDI 7.A(9)", device=device)


def remove(step: Step, args: Mapping[str, Any]) -> None:
    """The dealer's page takes a wager off; what a device accepted, that device withdraws."""
    spot = (args["seat"], args["wager"])
    if any((w.seat, w.wager) == spot for w in acceptance.accepted(step.round)):
        raise Refused("its device accepted it: the chip comes off the device", "MIDI 2.C(1)")
    withdraw(step, args)


def withdraw(step: Step, args: Mapping[str, Any]) -> None:
    """A wager is taken back before "no more bets"."""
    seat, wager = args["seat"], args["wager"]
    found = _standing(step, seat, wager)
    if found is None:
        raise Refused(f"seat {seat} has no {wager} wager", WAGERS.get(wager, "MIDI 7.A"))
    if step.round.was_locked and wager == PROGRESSIVE:
        raise Refused(_STANDS, "MIDI 2.C(2)", "MIDI 7.D")
    _give_back(step, found, "withdrawn", "MIDI 7.D")
    if step.round.was_locked and _standing(step, seat, PROGRESSIVE) and not _has_base(step, seat):
        raise Refused(  # else it would be withdrawn by a way round (MIDI 7.A(9))
            f"seat {seat}'s progressive stands since \"no more bets\", and needs this {wager}",
            "MIDI 2.C(2)", "MIDI 7.D",
        )  # fmt: skip


def announce(step: Step) -> None:
    """ "No more bets": every wager stands as it is from here on (MIDI 7.D, 8.B)."""
    if step.state.phase == "locked":
        return  # said again while a cancellation was under way: it stays locked
    step.update(lock_attempts=0)
    for wager in step.round.live_wagers():
        if wager.wager == PROGRESSIVE and not _has_base(step, wager.seat):
            _give_back(step, wager, "condition", "MIDI 7.A(9)")
    locked = tuple(replace(wager, status="locked") for wager in step.round.wagers)
    first = not step.round.was_locked
    pending = contributions(step.setup, locked)
    step.update_round(wagers=locked, was_locked=True, pending=pending)
    step.emit("round.bets_locked", {"round": step.round.number}, "MIDI 7.D", "MIDI 8.B")
    for wager in locked:
        if first and wager.wager == PROGRESSIVE and not wager.device:
            _emit(step, "wager.accepted", wager, "MIDI 2.C(1)")
    acceptance.due(step)
    send_lock(step)


def cancel_lock(step: Step, _args: Mapping[str, Any]) -> None:
    """Pressed by mistake. A shoe that had leave must say first that it holds."""
    if step.state.phase == "betting":
        _reopen(step)
    elif any(shoe.permitted for shoe in step.state.devices_of("shoe")):
        hold(step)
    else:
        shoe_holds(step)


def shoe_holds(step: Step) -> None:
    """Nothing can leave the shoe any more; a cancelled lock takes effect."""
    if step.state.phase == "cancelling" and not step.state.cards_on_table:
        step.update(phase=ROUND.fire("-shoe_holds", "cancelling", step.state))
        _reopen(step)


def _reopen(step: Step) -> None:
    placed = tuple(
        replace(w, status="placed") if w.status == "locked" else w for w in step.round.wagers
    )
    step.update_round(wagers=placed, pending=())
    step.emit("round.lock_cancelled", {"round": step.round.number}, "MIDI 7.D", HOUSE)


def amend(step: Step, args: Mapping[str, Any]) -> None:
    """The floor corrects a wager that was placed in time and keyed wrong or late."""
    seat, wager = args["seat"], args["wager"]
    if wager == PROGRESSIVE:
        raise Refused("a progressive wager is what its device accepted", "MIDI 2.C(2)", "MIDI 7.D")
    amount, known = _amount(step, args), "amount" in args
    check_offer(step, seat, wager, amount, limited=known)
    put = Wager(seat, wager, amount, "locked", known=known)
    _put(step, put, "wager.amended", reason=args["reason"])


# ── parts ──────────────────────────────────────────────────────────────────
def _amount(step: Step, args: Mapping[str, Any]) -> int:
    """What was put down, in cents. Where only the seats are followed it need not be known: rules
    about amounts are then the dealer's. A progressive feeds meters, and has its amount always."""
    if "amount" in args:
        return int(args["amount"])
    if step.setup.tracking != "seats" or args["wager"] == PROGRESSIVE:
        raise Refused("an amount in cents is needed", malformed=True)
    return _UNIT


def _override(step: Step, args: Mapping[str, Any]) -> dict[str, str]:
    """The floor may go beyond the table's own limits, with a reason; never beyond a clause."""
    if "reason" not in args:
        return {}
    if step.events[-1].data["role"] != "floor":
        raise Refused("beyond the table's limits the floor decides", HOUSE, role=True)
    return {"override": args["reason"]}


def check_offer(step: Step, seat: int, wager: str, amount: int, *, limited: bool = True) -> None:
    """Whether the table takes such a wager at all; raises Refused."""
    rules = rules_of(step)
    if not 1 <= seat <= rules.seats:
        raise Refused(f"this table has seats 1 to {rules.seats}", "MIDI 2.A(1)", malformed=True)
    if wager not in rules.wagers:
        offered = ", ".join(rules.wagers)
        clause = WAGERS.get(wager, "MIDI 7.A")
        raise Refused(f"{quoted(wager)} is not offered here; offered are {offered}", clause)
    if amount <= 0:
        raise Refused("an amount is a whole number of cents above 0", malformed=True)
    if wager == PROGRESSIVE and seat not in dict(step.setup.printed_king_9):
        raise Refused(f"no king and nine is printed at seat {seat}", "MIDI 12.K")
    for limit in step.setup.limits:
        if limited and limit.wager == wager and not limit.minimum <= amount <= limit.maximum:
            low, high = dollars(limit.minimum), dollars(limit.maximum)
            raise Refused(f"this table takes {wager} wagers from {low} to {high}", HOUSE)


def _has_base(step: Step, seat: int) -> bool:
    return any(w.wager in MAIN_WAGERS for w in step.round.live_wagers(seat))


def _standing(step: Step, seat: int, wager: str) -> Wager | None:
    return next((w for w in step.round.live_wagers(seat) if w.wager == wager), None)


def _put(step: Step, wager: Wager, type_: str, **more: Any) -> None:
    before = _standing(step, wager.seat, wager.wager)
    kept = tuple(w for w in step.round.wagers if w is not before)
    step.update_round(wagers=(*kept, wager))
    was = before.shown if before else 0
    _emit(step, type_, wager, WAGERS[wager.wager], "MIDI 7.D", was=was, **more)


def _give_back(step: Step, wager: Wager, reason: str, *clauses: str) -> None:
    step.update_round(wagers=tuple(w for w in step.round.wagers if w is not wager))
    _emit(step, "wager.returned", wager, *clauses, reason=reason)


def _emit(step: Step, type_: str, wager: Wager, *clauses: str, **more: Any) -> None:
    data = {"round": step.round.number, "seat": wager.seat, "wager": wager.wager}
    step.emit(type_, {**data, "cents": wager.shown, **more}, *clauses)
