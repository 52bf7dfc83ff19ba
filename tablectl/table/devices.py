"""What devices may tell the table, and what follows: the vocabulary of DeviceEvent.

| kind | names |
|---|---|
| any | `online` (link up and state told), `offline{what}`, `fault{what}`, `cleared` |
| shuffler | `shuffle_started{deck?}`, `shuffle_done{deck?, count}`, `jam{deck?}` |
| shoe | `online{dispensed}` (stacks since it was loaded), `stack` (with cards), `held`, `jam` |
| shoe that reads | `card{place?, mode?}` (with one card), `cover_card`, `gap`, `standby`,
|  | `result{winner, player_pair?, banker_pair?}` |
| progressive | `online{locked, accepts?}`, `locked`, `unlocked`, `accepted{seat, wager, cents}`,
|  | `withdrawn{seat, wager}`, `late{seat, wager}` (seen after the lock) |
| button | `pressed` |

Commands: `lock`, `hold` restrict, and every one of them is answered (`locked`, `held`); `unlock`,
`dispense{stacks}`, `lamp{seat, wager, on}`, `show{sign}` permit. A report that makes no sense is
recorded as `device.refused` and changes nothing: a device cannot be argued with. What a shoe, a
button and an accepted wager mean stands with the games.
"""

from collections.abc import Callable, Mapping
from typing import Final

from tablectl.table import shuffling
from tablectl.table.decks import move
from tablectl.table.inputs import DeviceEvent
from tablectl.table.irregularities import report
from tablectl.table.lockout import hold, lock_acknowledged, send_lock
from tablectl.table.service import HEALTH
from tablectl.table.state import Device
from tablectl.table.step import Step

# A handler returns what is wrong with the report, or None.
Handler = Callable[[Step, DeviceEvent], str | None]
Handlers = Mapping[tuple[str, str], Handler]  # by kind of device and name of the report


def handle(step: Step, event: DeviceEvent, of_game: Handlers) -> None:
    """Take in what a device told; the game knows some reports better than all tables do."""
    device = step.state.device(event.device)
    if device is None:
        tell(step, "device.refused", event, "unknown", f"no device {event.device!r} is set up here")
        return
    said = (device.kind, event.name)
    handler = of_game.get(said) or _BY_KIND.get(said) or _ANY.get(event.name)
    wrong = (
        handler(step, event)
        if handler
        else f"a {device.kind} does not say {event.name!r}; see docs/integrators"
    )
    if wrong:
        tell(step, "device.refused", event, device.kind, wrong)


def _becomes(step: Step, device: Device, trigger: str) -> None:
    """Move a device's health; of one that is out of order only note what it would be."""
    health = HEALTH.fire(trigger, device.health, step.state)
    told = {"cleared": "online"}.get(trigger, trigger)
    behind = told if health == "out_of_order" else ""
    step.update_device(device.id, health=health, behind=behind)


def failed(step: Step, device: Device, what: str) -> int:
    """A device jammed or stopped: it has a fault; returns the event, as evidence."""
    _becomes(step, device, "fault")
    data = {"device": device.id, "kind": device.kind, "what": what}
    sequence = step.emit("device.fault", data, subject=f"device/{device.id}")
    step.raise_alarm("device_fault", "critical", what, about=device.id)
    return sequence


def shuffler_jam(step: Step, device: Device, what: str, deck: str | None = None) -> None:
    """A shuffler jammed or stopped, told by itself or by the dealer (TCP 13.F)."""
    evidence = [failed(step, device, what)]
    for each in _decks_in_jam(step, deck) or [None]:
        report(step, "shuffler_jam", what, deck=each, evidence=evidence)
        stopped = step.state.deck(each)
        if stopped is not None and stopped.preparation == "shuffling":  # whoever rules on it
            move(step, stopped, "shuffle_failed")


def _decks_in_jam(step: Step, named: str | None) -> list[str | None]:
    """The decks that a shuffler's jam spoils: the one named, else what it shuffled or holds."""
    inside = [d for d in step.state.decks if d.custody == "shuffler" and not d.latched]
    shuffling = [d for d in inside if d.preparation == "shuffling"]
    return [d.id for d in inside if d.id == named] or [d.id for d in shuffling or inside]


# ── any device ─────────────────────────────────────────────────────────────
def online(step: Step, event: DeviceEvent) -> str | None:
    """The link is up, and the device has told its state."""
    device = step.state.device(event.device)
    assert device is not None
    _becomes(step, device, "online")
    step.update_device(device.id, permitted=False, holding=False, opening=False, lit=(), sign="")
    if device.kind == "progressive" and event.args.get("accepts") is True:
        step.update_device(device.id, accepts=True)
    tell(step, "device.online", event, device.kind, "online, state told")
    step.clear_alarm("device_offline", device.id)
    step.clear_alarm("device_fault", device.id)
    if device.kind == "progressive" and event.args.get("locked") is True:
        _locked(step, event)
    elif device.kind == "progressive" and step.state.lock != "unlocked":
        send_lock(step)  # it came back open, or does not say: in doubt, locked
    return None


def _offline(step: Step, event: DeviceEvent) -> str | None:
    device = step.state.device(event.device)
    assert device is not None
    _becomes(step, device, "offline")
    what = str(event.args.get("what", "link lost"))[:200]
    tell(step, "device.offline", event, device.kind, what)
    step.raise_alarm("device_offline", "critical", f"{device.id}: {what}", about=device.id)
    return None


def _fault(step: Step, event: DeviceEvent) -> str | None:
    device = step.state.device(event.device)
    assert device is not None
    what = str(event.args.get("what", "fault"))[:200]
    if device.kind == "shuffler":  # it stopped: TCP 13.F treats it as a jam
        shuffler_jam(
            step, device, f"{device.kind} {device.id} stopped: {what}.", event.args.get("deck")
        )
        return None
    _becomes(step, device, "fault")
    tell(step, "device.fault", event, device.kind, what)
    step.raise_alarm("device_fault", "critical", f"{device.id}: {what}", about=device.id)
    return None


def _cleared(step: Step, event: DeviceEvent) -> str | None:
    device = step.state.device(event.device)
    assert device is not None
    if not HEALTH.row("cleared", device.health):
        return f"it reports a cleared fault while it is {device.health}"
    _becomes(step, device, "cleared")
    step.update_device(device.id, permitted=False)
    tell(step, "device.cleared", event, device.kind, "fault cleared")
    step.clear_alarm("device_fault", device.id)
    return None


# ── by kind ────────────────────────────────────────────────────────────────
def _jam(step: Step, event: DeviceEvent) -> str | None:
    device = step.state.device(event.device)
    assert device is not None
    shuffler_jam(step, device, f"{device.kind} {device.id} jammed.", event.args.get("deck"))
    return None


def _locked(step: Step, event: DeviceEvent) -> str | None:
    asked = step.state.lock != "unlocked"
    step.update_device(event.device, locked=True, opening=False)
    if asked:
        step.update_device(event.device, permitted=False)
    if event.name == "locked":
        tell(step, "device.locked", event, "progressive", "wagering locked")
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
    tell(step, "progressive.unlocked", event, "progressive", "wagering open")
    return None


_ANY: Final[dict[str, Handler]] = {
    "online": online,
    "offline": _offline,
    "fault": _fault,
    "cleared": _cleared,
}
_BY_KIND: Final[Handlers] = {
    ("shuffler", "shuffle_started"): shuffling.shuffle_started,
    ("shuffler", "shuffle_done"): shuffling.shuffle_done,
    ("shuffler", "jam"): _jam,
    ("progressive", "locked"): _locked,
    ("progressive", "unlocked"): _unlocked,
}


def tell(step: Step, type_: str, event: DeviceEvent, kind: str, what: str) -> None:
    """The event of a device's report."""
    data = {"device": event.device, "kind": kind, "what": what, "said": event.name}
    step.emit(type_, data, subject=f"device/{event.device}")
