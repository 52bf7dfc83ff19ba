"""The wagering lock: sent at once, acknowledged before a card may leave (TCP 2.C(2), 10.A(2)).

Restrict first, permit last: `send_lock` and `restrict_all` order what restricts, `give_leave` what
permits, and only when nothing speaks against it.
"""

from typing import Any

from tablectl.table import method
from tablectl.table.phases import LOCK, ROUND
from tablectl.table.state import Device, State
from tablectl.table.step import Step

_MS = 1_000_000


def send_lock(step: Step, *, again: bool = False) -> None:
    """Order every wagering device to lock; a table without any is locked at once. `again`: only
    those that have not acknowledged it.

    A device that is away locks itself and has an alarm of its own: it is waited for only where a
    round waits too. A table that only listens orders nobody.
    """
    if step.state.listens:
        return
    devices = step.state.devices_of("progressive")
    for device in devices:
        if again and device.locked:
            continue
        step.update_device(device.id, locked=False, permitted=False)
        step.command(device.id, "lock", restrictive=True)
    waits = step.state.phase == "locking" or any(d.health == "online" for d in devices)
    deadline_ns = step.state.clock.mono_ns + step.setup.lock_ack_ms * _MS
    step.update(
        lock=LOCK.fire("lock", step.state.lock, step.state),
        lock_attempts=step.state.lock_attempts + 1,
        lock_deadline_ns=deadline_ns if waits else None,
    )
    lock_acknowledged(step)


def is_answer(step: Step, device: Device, answered: Any) -> bool:
    """Whether "locked" answers a lock that was sent since the device was last opened. One that came
    late, or by itself while a lock is under way, says nothing of how the device is now."""
    if type(answered) is int:
        return answered > device.opened_by
    return not (device.numbers and step.state.lock == "locking")


def lock_acknowledged(step: Step) -> None:
    """Look whether every wagering device is locked; go on where the round waits for it."""
    devices = step.state.devices_of("progressive")
    if not all(device.locked for device in devices):
        return
    if step.state.lock == "locking":
        locked = LOCK.fire("acknowledged", "locking", step.state)
        step.update(lock=locked, lock_attempts=0, lock_deadline_ns=None)
        step.clear_alarm("lock_not_acknowledged")
    if step.state.phase == "locking":
        step.update(phase=ROUND.fire("-lock_acknowledged", "locking", step.state))
        if devices:
            names = [device.id for device in devices]
            step.emit(
                "progressive.locked",
                {"round": step.round.number, "devices": names},
                "TCP 2.C(2)", "TCP 10.A(2)",
            )  # fmt: skip


def lock_again(step: Step, device_id: str) -> None:
    """A wagering device in doubt: in doubt it is locked (TCP 2.C(2)).

    While bets are open it alone, and it is opened again once it has said so. Elsewhere all of
    them, and no further card leaves before each has acknowledged it anew.
    """
    if step.state.lock == "unlocked":
        step.update_device(device_id, locked=False, permitted=False, opening=False)
        step.command(device_id, "lock", restrictive=True)
    else:
        send_lock(step)
        hold(step)


def takes_wagers(state: State, device: Device) -> bool:
    """Wagers count only while the table has the device open, in betting, before any lock."""
    return (
        state.phase == "betting"
        and state.lock == "unlocked"
        and device.health == "online"
        and device.permitted
        and not device.locked
    )


def restrict_all(step: Step) -> None:
    """Close everything that can be closed: wagering locked, shoe held."""
    step.update(lock_attempts=0)
    send_lock(step)
    hold(step)


def hold(step: Step) -> None:
    """Order the shoe to hold; it gets no new leave before it has said that it does."""
    for shoe in step.state.devices_of("shoe"):
        if not step.setup.controls(shoe.id):
            continue
        step.command(shoe.id, "hold", restrictive=True)
        step.update_device(shoe.id, holding=True)


def leave_betting(step: Step) -> None:
    """A round that ends before the lock leaves wagering locked all the same (TCP 2.C(2))."""
    if step.state.lock == "unlocked":
        step.update(lock_attempts=0)
        send_lock(step)


def give_leave(step: Step) -> None:
    """Permit what the phase calls for: unlock for betting, dispense for the deal. Comes last."""
    state = step.state
    if state.halt is not None or state.untold:
        return
    round_ = state.round
    if round_ is None or round_.doubt:
        return
    if state.phase == "betting" and state.lock != "locking" and not round_.was_locked:
        _unlock(step)
    left = len(round_.plan) - round_.stacks
    deck = state.deck(round_.deck)
    begun = state.phase != "locked"  # once a card is out the deck is used; before, it is spoilt
    ready = deck is not None and deck.preparation in (("used",) if begun else ("shuffled", "cut"))
    if round_.count in ("due", "mismatch"):
        return  # TCP 10.A(3): the chips are verified before a card is dealt
    dealing = state.phase in ("locked", "dealing", "deciding") and left > 0
    if dealing and ready and state.lock == "locked" and method.dealing(state) == "automated_shoe":
        for shoe in state.devices_of("shoe"):
            if shoe.health == "online" and not shoe.permitted and not shoe.holding:
                step.update_device(shoe.id, permitted=True)
                step.command(shoe.id, "dispense", restrictive=False, stacks=left)


def _unlock(step: Step) -> None:
    """Open the wagering devices, each once; one that came back locked is opened again."""
    if step.state.lock == "locked":
        step.update(lock=LOCK.fire("unlock", "locked", step.state))
    for device in step.state.devices_of("progressive"):
        if device.health == "online" and device.locked and not device.permitted:
            step.command(device.id, "unlock", restrictive=False)
            opened_by = step.state.commands
            step.update_device(
                device.id, locked=False, permitted=True, opening=True, opened_by=opened_by
            )
