"""What devices may tell the table, and what follows: the vocabulary of DeviceEvent.

| kind | names |
|---|---|
| any | `online` (link up and state told), `offline{what}`, `fault{what}`, `cleared` |
| shuffler | `shuffle_started{deck?}`, `shuffle_done{deck?, count}`, `jam{deck?}` |
| shoe | `online{dispensed}` (stacks since it was loaded), `stack` (with cards), `held`, `jam` |
| progressive | `online{locked}`, `locked`, `unlocked` |
| button | `pressed` |

Commands: `lock`, `hold` restrict, and every one of them is answered (`locked`, `held`); `unlock`,
`dispense{stacks}` permit. A report that makes no sense
is recorded as `device.refused` and changes nothing: a device cannot be argued with.
"""

from collections.abc import Callable
from typing import Any, Final

from tablectl.table import betting, decks
from tablectl.table.dealing import stack, strayed
from tablectl.table.inputs import DeviceEvent
from tablectl.table.irregularities import report
from tablectl.table.lockout import hold, lock_acknowledged, send_lock
from tablectl.table.machines import FlatMachine, rows
from tablectl.table.phases import ROUND
from tablectl.table.state import Device
from tablectl.table.step import HOUSE, Refused, Step, quoted

HEALTH: Final = FlatMachine(
    "the device",
    ("unknown", "online", "offline", "fault"),
    (
        *rows("online", "unknown online offline fault", "online"),
        *rows("offline", "unknown online offline fault", "offline"),
        *rows("fault", "unknown online offline fault", "fault"),
        *rows("cleared", "fault", "online"),
    ),
)

LOCKED_UNTIL_DEALT: Final = ("locking", "locked", "cancelling", "dealing")

# A handler returns what is wrong with the report, or None.
Handler = Callable[[Step, DeviceEvent], str | None]


def handle(step: Step, event: DeviceEvent) -> None:
    """Take in what a device told."""
    device = step.state.device(event.device)
    if device is None:
        _emit(
            step, "device.refused", event, "unknown", f"no device {event.device!r} is set up here"
        )
        return
    handler = _ANY.get(event.name) or _BY_KIND[device.kind].get(event.name)
    wrong = (
        handler(step, event)
        if handler
        else f"a {device.kind} does not say {event.name!r}; see docs/integrators"
    )
    if wrong:
        _emit(step, "device.refused", event, device.kind, wrong)


def jam(step: Step, device: Device, what: str, deck: str | None = None) -> None:
    """A device jammed or stopped, told by itself or by the dealer; its kind decides the clause."""
    step.update_device(device.id, health=HEALTH.fire("fault", device.health, step.state))
    data = {"device": device.id, "kind": device.kind, "what": what}
    evidence = [step.emit("device.fault", data, subject=f"device/{device.id}")]
    step.raise_alarm("device_fault", "critical", what, about=device.id)
    if device.kind == "shuffler":
        for each in _decks_in_jam(step, deck) or [None]:
            report(step, "shuffler_jam", what, deck=each, evidence=evidence)
    elif step.state.phase in LOCKED_UNTIL_DEALT:
        report(step, "shoe_jam", what, evidence=evidence)
    else:
        # With every stack out only the stub is inside; before the lock nothing is void.
        report(step, "shoe_jam", what, evidence=evidence, stands=True)
        waiting = next((d.id for d in step.state.decks if d.custody == "shoe"), None)
        if waiting:
            custody = "discard" if step.state.round is None else "shoe"
            step.update_deck(waiting, preparation="used", custody=custody)
            step.open_duty("reshuffle", "TCP 13.G", deck=waiting)


def _decks_in_jam(step: Step, named: str | None) -> list[str | None]:
    """The decks that a shuffler's jam spoils: the one named, else what it shuffled or holds."""
    inside = [d for d in step.state.decks if d.custody == "shuffler" and not d.latched]
    shuffling = [d for d in inside if d.preparation == "shuffling"]
    return [d.id for d in inside if d.id == named] or [d.id for d in shuffling or inside]


def shoe_fails_at_lock(step: Step) -> None:
    """A jam known when the lock is on, with no card out, voids too (TCP 13.G)."""
    if step.state.phase == "locked" and step.round.plan:
        deck = step.state.deck(step.round.deck)
        jammed = any(shoe.health == "fault" for shoe in step.state.devices_of("shoe"))
        if jammed or (deck is not None and deck.preparation != "shuffled"):
            report(step, "shoe_jam", "The shoe jammed before the deal and cannot deal this round.")


# ── any device ─────────────────────────────────────────────────────────────
def _online(step: Step, event: DeviceEvent) -> str | None:
    device = step.state.device(event.device)
    assert device is not None
    was_out = device.permitted
    health = HEALTH.fire("online", device.health, step.state)
    step.update_device(device.id, health=health, permitted=False, holding=False, opening=False)
    _emit(step, "device.online", event, device.kind, "online, state told")
    step.clear_alarm("device_offline", device.id)
    step.clear_alarm("device_fault", device.id)
    if device.kind == "shoe":
        _shoe_told(step, device, event.args.get("dispensed"), was_out)
    elif device.kind == "progressive" and event.args.get("locked") is True:
        _locked(step, event)
    elif device.kind == "progressive" and step.state.lock != "unlocked":
        send_lock(step)  # it came back open, or does not say: in doubt, locked
    return None


def _shoe_told(step: Step, shoe: Device, dispensed: Any, was_out: bool) -> None:
    """A dispense whose outcome nobody knows is a shoe failure: the round is void."""
    waiting = next((d.id for d in step.state.decks if d.custody == "shoe"), None)
    if step.state.phase == "preparing" and waiting and dispensed not in (None, shoe.dispensed):
        what = f"{shoe.id} says that cards have left it between rounds."
        report(step, "card_before_lock", what, deck=waiting)
        step.update_deck(waiting, custody="discard")
    if step.state.phase == "voided" and waiting and dispensed not in (None, shoe.dispensed):
        what = f"{shoe.id} says that cards have left it in spite of the void."
        report(step, "drawn_in_error", what)
        strayed(step, waiting)
    if step.state.phase not in ("betting", "locking", "locked", "cancelling", "dealing"):
        return
    unknown = dispensed is None and was_out
    if unknown or (dispensed is not None and dispensed != shoe.dispensed):
        told = "it cannot say how many" if dispensed is None else f"it says {dispensed}"
        what = f"The table saw {shoe.dispensed} stacks leave {shoe.id}; {told}."
        early = step.state.phase in ("betting", "locking")
        report(step, "card_before_lock" if early else "shoe_jam", what)
    else:
        betting.shoe_holds(step)


def _offline(step: Step, event: DeviceEvent) -> str | None:
    device = step.state.device(event.device)
    assert device is not None
    step.update_device(device.id, health=HEALTH.fire("offline", device.health, step.state))
    what = str(event.args.get("what", "link lost"))[:200]
    _emit(step, "device.offline", event, device.kind, what)
    step.raise_alarm("device_offline", "critical", f"{device.id}: {what}", about=device.id)
    return None


def _fault(step: Step, event: DeviceEvent) -> str | None:
    device = step.state.device(event.device)
    assert device is not None
    what = str(event.args.get("what", "fault"))[:200]
    if device.kind in ("shoe", "shuffler"):  # it stopped: TCP 13.F and 13.G treat it as a jam
        jam(step, device, f"{device.kind} {device.id} stopped: {what}.", event.args.get("deck"))
        return None
    step.update_device(device.id, health=HEALTH.fire("fault", device.health, step.state))
    _emit(step, "device.fault", event, device.kind, what)
    step.raise_alarm("device_fault", "critical", f"{device.id}: {what}", about=device.id)
    return None


def _cleared(step: Step, event: DeviceEvent) -> str | None:
    device = step.state.device(event.device)
    assert device is not None
    if not HEALTH.row("cleared", device.health):
        return f"it reports a cleared fault while it is {device.health}"
    step.update_device(device.id, health="online", permitted=False)
    _emit(step, "device.cleared", event, device.kind, "fault cleared")
    step.clear_alarm("device_fault", device.id)
    return None


def return_to_service(step: Step, device_id: str) -> None:
    """A technician has seen to a fault that the device itself does not report as over."""
    device = step.state.device(device_id)
    if device is None or device.health != "fault":
        raise Refused(f"{quoted(device_id)} is no device with a fault", malformed=True)
    step.update_device(device_id, health=HEALTH.fire("cleared", "fault", step.state))
    data = {"device": device_id, "kind": device.kind, "what": "returned to service"}
    step.emit("device.returned", data, HOUSE, subject=f"device/{device_id}")
    step.clear_alarm("device_fault", device_id)


# ── by kind ────────────────────────────────────────────────────────────────
def _jam(step: Step, event: DeviceEvent) -> str | None:
    device = step.state.device(event.device)
    assert device is not None
    jam(step, device, f"{device.kind} {device.id} jammed.", event.args.get("deck"))
    return None


def _held(step: Step, event: DeviceEvent) -> str | None:
    shoe = step.state.device(event.device)
    _emit(step, "device.held", event, "shoe", "holds")
    if shoe is not None and shoe.holding:  # else it answers a hold that another answer settled
        step.update_device(event.device, permitted=False, holding=False)
        betting.shoe_holds(step)
    return None


def _locked(step: Step, event: DeviceEvent) -> str | None:
    asked = step.state.lock != "unlocked"
    step.update_device(event.device, locked=True, opening=False)
    if asked:
        step.update_device(event.device, permitted=False)
    if event.name == "locked":
        _emit(step, "device.locked", event, "progressive", "wagering locked")
    step.clear_alarm("unlocked_by_itself", event.device)
    lock_acknowledged(step)
    return None


def _unlocked(step: Step, event: DeviceEvent) -> str | None:
    device = step.state.device(event.device)
    answer = device is not None and device.opening
    step.update_device(event.device, opening=False)
    if step.state.lock != "unlocked" and not answer:
        send_lock(step)  # locked again, and acknowledged again, before another card may leave
        hold(step)
        what = f"{event.device} opened wagering by itself; the lock was sent again."
        step.raise_alarm("unlocked_by_itself", "critical", what, "TCP 2.C(2)", about=event.device)
        return "it says unlocked while wagering is locked; the lock was sent again"
    _emit(step, "progressive.unlocked", event, "progressive", "wagering open")
    return None


def _pressed(step: Step, event: DeviceEvent) -> str | None:
    """The lock-out button says "no more bets" where bets are open; elsewhere all is locked."""
    _emit(step, "device.pressed", event, "button", "lock-out button")
    phase = step.state.phase
    if phase in ("betting", "cancelling"):
        step.update(phase=ROUND.fire("no_more_bets", phase, step.state))
        betting.announce(step)
    return None


_ANY: Final[dict[str, Handler]] = {
    "online": _online,
    "offline": _offline,
    "fault": _fault,
    "cleared": _cleared,
}
_BY_KIND: Final[dict[str, dict[str, Handler]]] = {
    "shuffler": {
        "shuffle_started": decks.shuffle_started,
        "shuffle_done": decks.shuffle_done,
        "jam": _jam,
    },
    "shoe": {"stack": stack, "held": _held, "jam": _jam},
    "progressive": {"locked": _locked, "unlocked": _unlocked},
    "button": {"pressed": _pressed},
}


def _emit(step: Step, type_: str, event: DeviceEvent, kind: str, what: str) -> None:
    data = {"device": event.device, "kind": kind, "what": what, "said": event.name}
    step.emit(type_, data, subject=f"device/{event.device}")
