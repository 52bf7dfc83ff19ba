"""Devices that cannot be used: covered or marked, confirmed, returned (TCP 13.H, TCB 13.E).

Until that is done no other method of shuffling or dealing is used: `every_fault_is_covered` is the
guard for whoever offers one. A technician alone returns a device; it does not return by itself.
"""

from typing import Final

from tablectl.table.machines import SAME, FlatMachine, rows
from tablectl.table.state import Device, State
from tablectl.table.step import HOUSE, Refused, Step, quoted

OUT: Final = "out_of_order"
HEALTH: Final = FlatMachine(
    "the device",
    ("unknown", "online", "offline", "fault", "out_of_order"),
    (
        *rows("online", "unknown online offline fault", "online"),
        *rows("offline", "unknown online offline fault", "offline"),
        *rows("fault", "unknown online offline fault", "fault"),
        *rows("cleared", "fault", "online"),
        # TCP 13.H: a device that is covered or marked comes back by a technician alone.
        *rows("online", "out_of_order", SAME),
        *rows("offline", "out_of_order", SAME),
        *rows("fault", "out_of_order", SAME),
        *rows("cleared", "out_of_order", SAME),
        *rows("mark_out_of_order", "fault offline", "out_of_order", "TCP 13.H"),
    ),
)

_CLAUSES: Final = ("TCP 13.H(1)", "TCP 13.H(2)")
_AILING: Final = ("fault", "offline")
_ALARMS: Final = {"fault": "device_fault", "offline": "device_offline"}


# ── guards ─────────────────────────────────────────────────────────────────
def every_fault_is_covered(state: State) -> None:
    """No other method of shuffling or dealing before the failed device is covered or marked.

    Of a shoe that is no automated one only the reader can fail: it shuffles and deals nothing."""
    dealing = getattr(state.setup.rules, "dealing", "") if state.setup else ""
    machines = ("shoe", "shuffler") if dealing == "automated_shoe" else ("shuffler",)
    for device in state.devices:
        if device.kind in machines and device.health == "fault":
            raise Refused(
                f"{device.kind} {device.id} has a fault: cover it or mark it out of order first "
                "(mark_out_of_order)",
                "TCP 13.H",
            )
    every_cover_is_confirmed(state)


def every_cover_is_confirmed(state: State) -> None:
    """The floor has seen each cover or sign before the round goes on without that device."""
    for device in state.devices:
        if device.health == OUT and not device.confirmed:
            raise Refused(
                f"the floor confirms first that {device.id} is covered or marked "
                "(confirm_out_of_order)",
                "TCP 13.H",
            )


def a_device_ails(state: State) -> None:
    """Something can be marked: a device with a fault, or one that is away."""
    if all(device.health not in _AILING for device in state.devices):
        raise Refused("no device has a fault or is away", "TCP 13.H")


def a_cover_awaits_confirmation(state: State) -> None:
    if not any(device.health == OUT and not device.confirmed for device in state.devices):
        raise Refused("no device waits to be confirmed out of order", "TCP 13.H")


def a_device_can_return(state: State) -> None:
    if all(device.health not in ("fault", OUT) for device in state.devices):
        raise Refused("no device has a fault or is out of order", "TCP 13.H")


# ── what people do ─────────────────────────────────────────────────────────
def mark(step: Step, device_id: str) -> None:
    """The dealer covered the device or put the sign on it."""
    device = _named(step, device_id)
    if device.health not in _AILING:
        raise Refused(
            f"{device_id} is {device.health.replace('_', ' ')}: report what is wrong with it first",
            "TCP 13.H",
        )
    out = HEALTH.fire("mark_out_of_order", device.health, step.state)
    step.update_device(
        device_id, health=out, behind=device.health, confirmed=False, permitted=False
    )
    _tell(step, "device.out_of_order", device, "covered or marked out of order")
    step.clear_alarm(_ALARMS[device.health], device_id)
    step.clear_alarm("device_refused", device_id)
    what = f"{device_id} is out of order."
    step.raise_alarm(OUT, "warning", what, "TCP 13.H", about=device_id)


def confirm(step: Step, device_id: str) -> None:
    """The floor saw the cover or the sign (house procedure)."""
    device = _named(step, device_id)
    if device.health != OUT or device.confirmed:
        raise Refused(f"{device_id} does not wait to be confirmed out of order", "TCP 13.H")
    step.update_device(device_id, confirmed=True)
    _tell(step, "device.out_of_order", device, "confirmed by the floor")


def give_back(step: Step, device_id: str) -> None:
    """A technician has seen to a device; it counts again as what its link last told."""
    device = step.state.device(device_id)
    if device is None or device.health not in ("fault", OUT):
        raise Refused(
            f"{quoted(device_id)} is no device with a fault or out of order", malformed=True
        )
    left = device.behind if device.health == OUT else "fault"
    health = "online" if left == "fault" else left  # the fault is what the technician saw to
    step.update_device(device_id, health=health, behind="", confirmed=False)
    _tell(step, "device.returned", device, "returned to service")
    step.clear_alarm("device_fault", device_id)
    step.clear_alarm(OUT, device_id)


def _named(step: Step, device_id: str) -> Device:
    device = step.state.device(device_id)
    if device is None:
        raise Refused(f"{quoted(device_id)} is no device of this table", malformed=True)
    return device


def _tell(step: Step, type_: str, device: Device, what: str) -> None:
    data = {"device": device.id, "kind": device.kind, "what": what}
    clauses = _CLAUSES if type_ == "device.out_of_order" else (HOUSE,)
    step.emit(type_, data, *clauses, subject=f"device/{device.id}")
