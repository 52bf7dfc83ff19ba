"""Vigorish that is marked and owed (MIDI 12.D(2)(b)): by seat, until collected or written off."""

from collections.abc import Mapping
from typing import Any

from tablectl.table.midi.shoe import shoe_of, update_shoe
from tablectl.table.step import HOUSE, Refused, Step


def mark(step: Step, seat: int, cents: int) -> None:
    """A marker button is placed at the seat's number (MIDI 12.D(2)(b)(ii))."""
    owed = dict(shoe_of(step).owed)
    owed[seat] = owed.get(seat, 0) + cents
    update_shoe(step, owed=tuple(sorted(owed.items())))
    data = {"round": step.round.number, "seat": seat, "cents": cents, "owed": owed[seat]}
    step.emit("vigorish.marked", data, "MIDI 12.D(2)(b)(ii)")


def collect(step: Step, args: Mapping[str, Any]) -> None:
    """What a seat owes is paid, and its marker leaves the layout (MIDI 12.D(2)(b)(iii))."""
    seat, cents = args["seat"], _end(step, args["seat"])
    step.emit("vigorish.collected", {"seat": seat, "cents": cents}, "MIDI 12.D(2)(b)(iii)")


def write_off(step: Step, args: Mapping[str, Any]) -> None:
    """A player walked out: the floor writes the debt off, with a reason."""
    seat, cents = args["seat"], _end(step, args["seat"])
    data = {"seat": seat, "cents": cents, "reason": args["reason"]}
    step.emit("vigorish.written_off", data, HOUSE)


def unmark(step: Step, seat: int, cents: int) -> int:
    """A void takes that round's mark off again; returns what of it was collected since, and is to
    be given back."""
    owed = dict(shoe_of(step).owed)
    off = min(cents, owed.get(seat, 0))
    if off:
        owed[seat] -= off
        update_shoe(step, owed=tuple(sorted((s, c) for s, c in owed.items() if c)))
        data = {"round": step.round.number, "seat": seat, "cents": off}
        step.emit("vigorish.written_off", {**data, "reason": "void"}, HOUSE)
    return cents - off


def _end(step: Step, seat: int) -> int:
    owed = dict(shoe_of(step).owed)
    if seat not in owed:
        raise Refused(f"seat {seat} owes no vigorish", "MIDI 12.D(2)(b)", malformed=True)
    cents = owed.pop(seat)
    update_shoe(step, owed=tuple(sorted(owed.items())))
    return cents
