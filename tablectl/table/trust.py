"""Is it still the device that stood here? What each says of itself, remembered and compared.

The links refuse what the configuration pins otherwise (hal/identity.py); here that is recorded with
its basis, and what nothing pins is noticed: another device, other software, another game, a restart
that nobody ordered. A device is compared, never believed.
"""

from collections.abc import Mapping
from typing import Any, Final

from tablectl.table.inputs import DeviceEvent
from tablectl.table.service import OUT
from tablectl.table.state import Device, Known, State
from tablectl.table.step import HOUSE, Step

REFUSED: Final = "device_refused"
_ANOTHER: Final = ("kind", "serial", "model", "path")  # refused for these: it is another device
_SAID: Final = ("serial", "model", "path", "game_mode", "boot")
_TEXT_MAXIMUM: Final = 80
_VERSIONS_MAXIMUM: Final = 16


def told(event: DeviceEvent) -> Known | None:
    """Who the device says it is; None where it says nothing of that."""
    said = event.args.get("identity")
    if not isinstance(said, Mapping):
        return None
    versions = said.get("versions")
    pairs = versions.items() if isinstance(versions, Mapping) else ()
    kept = sorted((_text(name), _text(version)) for name, version in pairs)
    words = {name: _text(said.get(name)) for name in _SAID}
    return Known(**words, versions=tuple(kept[:_VERSIONS_MAXIMUM]))


def _text(value: object) -> str:
    return value[:_TEXT_MAXIMUM] if isinstance(value, str) else ""


def shown(known: Known) -> dict[str, Any]:
    """An identity as events tell it: what is known of it."""
    said = {name: getattr(known, name) for name in _SAID if getattr(known, name)}
    return {**said, "versions": dict(known.versions)}


# ── refused by its link ────────────────────────────────────────────────────
def refused(step: Step, event: DeviceEvent, device: Device, what: str, reason: str) -> None:
    """A device answers that must not be used as it is; its link stays closed until another does."""
    now = told(event)
    data: dict[str, Any] = {"device": device.id, "kind": device.kind, "what": what}
    data |= {"reason": reason, "identity": shown(now) if now is not None else None}
    clauses = _basis(step.state, reason)
    subject = f"device/{device.id}"
    step.emit("device.refused", data, *clauses, subject=subject)
    if reason in _ANOTHER:
        _swapped(step, device, now, what)
    step.clear_alarm(REFUSED, device.id)  # the last reason is the one to act on
    step.raise_alarm(REFUSED, "critical", f"{device.id}: {what}", *clauses, about=device.id)


def _basis(state: State, reason: str) -> tuple[str, ...]:
    """What a refusal rests on: Washington names versions, the rest is the house's own care."""
    rules = state.setup.rules if state.setup is not None else None
    washington = getattr(rules, "jurisdiction", "") == "WA"
    return ("WA-TCB R4",) if washington and reason == "version" else (HOUSE,)


# ── let in by its link ─────────────────────────────────────────────────────
def met(step: Step, event: DeviceEvent, device: Device) -> Known | None:
    """A device is online: remember who it is, and tell where that is not who was there before."""
    step.clear_alarm(REFUSED, device.id)
    now, before = told(event), device.known
    if now is None:
        return None
    step.update_device(device.id, known=now)
    if before is None:
        return now
    another = (now.serial, now.model) != (before.serial, before.model)
    if another or now.path != before.path:
        what = f"another one answers: {_who(now)}, before {_who(before)}"
        if not another:
            what = f"it is in the USB plug {now.path or '?'}, before {before.path or '?'}"
        _swapped(step, device, now, what)
        what = f"{device.id} was swapped: {what}."
        step.raise_alarm(
            "device_swapped", "critical", what, HOUSE, about=device.id, until_seen=True
        )
    if another:
        return now
    changes = _changes(before, now)
    if changes:
        _tell(step, "device.changed", device, f"it is not as it was: {'; '.join(changes)}")
        what = f"{device.id} is not as it was: {'; '.join(changes)}."
        step.raise_alarm(
            "device_changed", "critical", what, HOUSE, about=device.id, until_seen=True
        )
    if before.boot and now.boot != before.boot:
        _restarted(step, device)
    return now


def _who(known: Known) -> str:
    return " ".join(part for part in (known.model, known.serial) if part) or "one without a name"


def _changes(before: Known, now: Known) -> list[str]:
    had, has = dict(before.versions), dict(now.versions)
    found = [
        f"{name} {has.get(name, 'gone')}, before {had.get(name, 'none')}"
        for name in sorted(had.keys() | has.keys())
        if had.get(name) != has.get(name)
    ]
    if now.game_mode != before.game_mode:
        found.append(f"game {now.game_mode or 'none'}, before {before.game_mode or 'none'}")
    return found


def _swapped(step: Step, device: Device, now: Known | None, what: str) -> None:
    before = device.known
    data: dict[str, Any] = {"device": device.id, "kind": device.kind, "what": what}
    data |= {"before": shown(before) if before else None, "now": shown(now) if now else None}
    step.emit("device.swapped", data, HOUSE, subject=f"device/{device.id}")


def _restarted(step: Step, device: Device) -> None:
    """Expected while the table is closed, or while a technician sees to the device."""
    _tell(step, "device.restarted", device, "it restarted")
    if step.state.phase == "closed" or device.health == OUT:
        return
    what = f"{device.id} restarted by itself: see to its power, and that nobody opened it."
    step.raise_alarm("device_restarted", "warning", what, HOUSE, about=device.id, until_seen=True)


def _tell(step: Step, type_: str, device: Device, what: str) -> None:
    data = {"device": device.id, "kind": device.kind, "what": what}
    step.emit(type_, data, HOUSE, subject=f"device/{device.id}")
