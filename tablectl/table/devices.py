"""What devices may tell the table, and what follows: the vocabulary of DeviceEvent.

| kind | names |
|---|---|
| any | `online{identity?}` (link up and state told), `fault{what}`, `cleared`, |
|  | `offline{what, refused?, identity?}` (`refused`: one answers that must not be used) |
| shuffler | `shuffle_started{deck?}`, `shuffle_done{deck?, count, distinct?}`, `jam{deck?}`; |
|  | one with two compartments names `compartment` (1 or 2) in place of `deck` |
| shoe | `online{dispensed}` (stacks since it was loaded), `stack` (with cards), `held`, `jam` |
| shoe that reads | `card{place?, mode?, dispensed?}` (one card), `cover_card`, `gap`, `standby`,
|  | `result{winner, player_pair?, banker_pair?}` |
| progressive | `online{locked, accepts?}`, `locked{n?}` (of the order that it answers; none:
|  | by itself), `unlocked`, `accepted{seat, wager, cents}`,
|  | `withdrawn{seat, wager}`, `late{seat, wager}` (seen after the lock) |
| button | `pressed` |
| badge_reader | `badge{outcome, actor?}`: what the daemon's people made of it, never its number |

Commands: `lock`, `hold` restrict, and every one of them is answered (`locked`, `held`); `unlock`,
`dispense{stacks}`, `lamp{seat, wager, on}`, `show{sign}` permit. A report that makes no sense is
recorded as `device.refused` and changes nothing: a device cannot be argued with. What a shoe, a
button and an accepted wager mean stands with the games.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from tablectl.table import shuffling, trust
from tablectl.table.decks import move
from tablectl.table.inputs import DeviceEvent
from tablectl.table.irregularities import report
from tablectl.table.lockout import is_answer, lock_acknowledged, lock_again
from tablectl.table.service import HEALTH
from tablectl.table.state import Device, Known, Mark
from tablectl.table.step import HOUSE, Step

MARK_MAXIMUM: Final = 64

# A handler returns what is wrong with the report, or None.
Handler = Callable[[Step, DeviceEvent], str | None]
Handlers = Mapping[tuple[str, str], Handler]  # by kind of device and name of the report


def handle(step: Step, event: DeviceEvent, of_game: Handlers) -> None:
    """Take in what a device told; the game knows some reports better than all tables do."""
    device = step.state.device(event.device)
    if device is None:
        tell(step, "device.refused", event, "unknown", f"no device {event.device!r} is set up here")
        return
    mark = event.args.get("mark")
    if isinstance(mark, str):
        clock = step.state.clock
        step.update_device(device.id, mark=Mark(mark[:MARK_MAXIMUM], clock.mono_ns, clock.boot))
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
    """A shuffler jammed or stopped, told by itself or by the dealer (TCP 13.F). `deck`: the one
    that it spoilt, where that is known."""
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
    who = trust.met(step, event, device)
    tell(step, "device.online", event, device.kind, "online, state told", who)
    step.clear_alarm("device_offline", device.id)
    step.clear_alarm("device_fault", device.id)
    if device.kind == "progressive" and event.args.get("locked") is True:
        _locked(step, event)
    elif device.kind == "progressive":
        lock_again(step, device.id)  # it came back open, or does not say
    return None


def _offline(step: Step, event: DeviceEvent) -> str | None:
    device = step.state.device(event.device)
    assert device is not None
    _becomes(step, device, "offline")
    what = str(event.args.get("what", "link lost"))[:200]
    if "refused" in event.args:
        trust.refused(step, event, device, what, str(event.args["refused"])[:40])
        return None
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
    if device.kind == "progressive":  # whatever it may have been open for
        step.update_device(device.id, permitted=False)
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
    if device.kind == "progressive" and step.state.lock == "unlocked":
        lock_again(step, device.id)  # nobody knows whether the fault left it open
    return None


# ── by kind ────────────────────────────────────────────────────────────────
def _jam(step: Step, event: DeviceEvent) -> str | None:
    device = step.state.device(event.device)
    assert device is not None
    there = shuffling.inside(step.state, shuffling.compartment_of(event))
    deck = event.args.get("deck") or (there.id if there is not None else None)
    shuffler_jam(step, device, f"{device.kind} {device.id} jammed.", deck)
    return None


def _locked(step: Step, event: DeviceEvent) -> str | None:
    device, answered = step.state.device(event.device), event.args.get("n")
    assert device is not None
    if type(answered) is int:
        step.update_device(device.id, numbers=True)
    if event.name == "locked" and not is_answer(step, device, answered):
        return "it says locked, but not in answer to the last lock: that is waited for"
    asked = step.state.lock != "unlocked"
    step.update_device(event.device, locked=True, opening=False)
    if asked:
        step.update_device(event.device, permitted=False)
    if event.name == "locked":
        tell(step, "device.locked", event, "progressive", "wagering locked")
    lock_acknowledged(step)
    return None


def _badge(step: Step, event: DeviceEvent) -> str | None:
    """Somebody held a badge against a reader. Whose it is, was proved before: see daemon/badges."""
    outcome, actor = event.args.get("outcome"), event.args.get("actor")
    if outcome == "known" and isinstance(actor, str):
        tell(step, "device.badge", event, "badge_reader", f"a badge of {actor[:32]}")
        return None
    if outcome not in ("unknown", "locked_out"):
        return "it read a badge, and says nothing of whose it is"
    tell(step, "device.badge", event, "badge_reader", "a badge that lets nobody in here")
    if outcome == "locked_out":
        what = f"{event.device} was shown badges in vain again and again: it waits for a minute."
        step.raise_alarm(
            "badges_refused", "warning", what, HOUSE, about=event.device, until_seen=True
        )
    return None


def _unlocked(step: Step, event: DeviceEvent) -> str | None:
    device = step.state.device(event.device)
    answer = device is not None and device.opening
    step.update_device(event.device, opening=False)
    if not answer:
        lock_again(step, event.device)
        what = f"{event.device} opened wagering by itself; the lock was sent again."
        about = event.device
        step.raise_alarm(
            "unlocked_by_itself", "critical", what, "TCP 2.C(2)", about=about, until_seen=True
        )
        return "it says unlocked, and nobody had opened it; the lock was sent again"
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
    ("badge_reader", "badge"): _badge,
}


def tell(
    step: Step, type_: str, event: DeviceEvent, kind: str, what: str, who: Known | None = None
) -> None:
    """The event of a device's report; `who`: the identity that it told with it."""
    data: dict[str, Any] = {"device": event.device, "kind": kind, "what": what, "said": event.name}
    data |= {"identity": trust.shown(who)} if who is not None else {}
    step.emit(type_, data, subject=f"device/{event.device}")
