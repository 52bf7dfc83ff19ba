"""What a progressive device tells about wagers: accepted, withdrawn, late (TCP 2.C, 7.F(4)).

The device says what it accepted while it was open; the table says what counts. After the lock
nothing it says makes a wager.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tablectl.table import acceptance, late_bets
from tablectl.table.devices import Handlers, tell
from tablectl.table.inputs import DeviceEvent
from tablectl.table.lockout import takes_wagers
from tablectl.table.progressive import WAGERS
from tablectl.table.state import Device
from tablectl.table.step import Refused, Step


@dataclass(frozen=True, slots=True)
class Betting:
    """How a game takes such a wager in: whether it offers it, and what accepting means."""

    check_offer: Callable[[Step, int, str, int], None]  # raises Refused
    accept: Callable[[Step, int, str, int, str], None]
    withdraw: Callable[[Step, Mapping[str, Any]], None]


def handlers(betting: Betting) -> Handlers:
    """What a progressive device tells, at a table of that game."""
    return {
        ("progressive", "accepted"): lambda step, event: _accepted(step, event, betting),
        ("progressive", "withdrawn"): lambda step, event: _withdrawn(step, event, betting),
        ("progressive", "late"): _late,
    }


def _spot(event: DeviceEvent) -> tuple[int, str] | None:
    seat, wager = event.args.get("seat"), event.args.get("wager")
    known = type(seat) is int and wager in WAGERS
    return (seat, wager) if known else None  # type: ignore[return-value]


def _accepted(step: Step, event: DeviceEvent, betting: Betting) -> str | None:
    """A chip was recognised: the seat's lamp is lit while the wager stands."""
    spot, cents = _spot(event), event.args.get("cents")
    device = step.state.device(event.device)
    assert device is not None
    if spot is None or type(cents) is not int:
        return "it accepted a wager without a seat, a progressive wager and cents"
    step.update_device(device.id, accepts=True)
    if not _open(step, device):
        return _after_the_lock(step, event, spot)
    if acceptance.accepted_by_another(step.round, spot, device.id):
        _dark(step, event.device, spot)
        return f"another device has accepted the {spot[1]} of seat {spot[0]}"
    try:
        betting.check_offer(step, *spot, cents)
    except Refused as refused:
        _dark(step, event.device, spot)
        return f"it accepted what is no wager here: {refused.why}"
    tell(step, "device.accepted", event, "progressive", f"accepted at seat {spot[0]}")
    betting.accept(step, *spot, cents, event.device)
    return None


def _withdrawn(step: Step, event: DeviceEvent, betting: Betting) -> str | None:
    """The chip was taken back before the lock."""
    step.update_device(event.device, accepts=True)
    spot = _spot(event)
    standing = acceptance.accepted(step.state.round) if step.state.round else ()
    mine = (w for w in standing if (w.seat, w.wager, w.device) == (*(spot or ()), event.device))
    wager = next(mine, None)
    if wager is None:
        return "it withdraws a wager that it did not accept"
    device = step.state.device(event.device)
    if device is None or not _open(step, device):
        return "it withdraws a wager after the lock: the wager stands"
    tell(step, "device.withdrawn", event, "progressive", f"withdrawn at seat {wager.seat}")
    betting.withdraw(step, {"seat": wager.seat, "wager": wager.wager})
    return None


def _late(step: Step, event: DeviceEvent) -> str | None:
    spot = _spot(event)
    if spot is None:
        return "it saw a late wager without a seat and a progressive wager"
    return _after_the_lock(step, event, spot)


def _after_the_lock(step: Step, event: DeviceEvent, spot: tuple[int, str]) -> str | None:
    round_ = step.state.round
    _dark(step, event.device, spot)
    if round_ is None or step.state.phase == "voided":
        return "it saw a chip while no round takes wagers: it is no wager"
    if not round_.was_locked:
        return "it saw a wager while it should be locked, before bets were open: it is no wager"
    if spot in round_.late:
        return f"seat {spot[0]}'s late wager is known already"
    tell(step, "device.late", event, "progressive", f"a wager after the lock at seat {spot[0]}")
    late_bets.record(step, *spot, (step.state.sequence,))
    return None


def _open(step: Step, device: Device) -> bool:
    """Whether what this device accepts now counts: never again once "no more bets" was said."""
    return takes_wagers(step.state, device) and not step.round.was_locked


def _dark(step: Step, device: str, spot: tuple[int, str]) -> None:
    """What is no wager shows no light: it is put down as lit, so that the lamp is sent off."""
    # A wager that stands keeps its lamp: whatever is put down here, light() has the last word.
    found = step.state.device(device)
    assert found is not None
    step.update_device(device, lit=tuple(sorted({*found.lit, spot})))
