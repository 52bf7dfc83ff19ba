"""Standing still safely: a halt restricts everything, records why, and waits for the floor.

A halt by an invariant or an exception voids a round before its reveal; after the reveal the floor
settles the open seats by hand. A halt by a person changes nothing else.
"""

from tablectl.table.irregularities import can_be_void, void
from tablectl.table.lockout import restrict_all, send_lock
from tablectl.table.phases import ROUND
from tablectl.table.state import Halt
from tablectl.table.step import HOUSE, Step

_FAILURES = ("invariant", "exception")


def halt(step: Step, cause: str, why: str) -> None:
    """Stop the table. Idempotent in what it restricts; the first cause stands."""
    if step.state.halt is None:
        step.update(halt=Halt(cause, why))
    step.emit("table.halted", {"cause": cause, "why": why}, HOUSE)
    restrict_all(step)
    if cause != "person":
        step.raise_alarm("table_halted", "critical", why, HOUSE)
    if cause not in _FAILURES or step.state.round is None:
        return
    if can_be_void(step):
        void(step, cause, (HOUSE,), deck_duty="reshuffle")
    elif step.state.phase == "settling":
        step.update_round(by_hand=True)
        end_by_hand(step)


def end_by_hand(step: Step) -> None:
    """Where the floor has no seat left to settle, the round is settled, by hand."""
    if not step.round.live_wagers():
        step.update(phase=ROUND.fire("-all_settled", step.state.phase, step.state))
        data = {"round": step.round.number, "seats": [], "results": [], "by_hand": True}
        step.emit("round.settled", data, HOUSE)


def resume(step: Step) -> None:
    """The floor lets the table go on; what permits waits until every device has told its state."""
    step.update(halt=None)
    step.emit("table.resumed", {}, HOUSE)
    step.clear_alarm("table_halted")
    step.clear_alarm("table_suspended")
    if step.state.lock == "locking":
        step.update(lock_attempts=0)
        send_lock(step)


def overdue(step: Step) -> None:
    """A wagering device did not acknowledge the lock in time: send again, then halt."""
    deadline = step.state.lock_deadline_ns
    if deadline is None or step.state.clock.mono_ns < deadline:
        return
    silent = [d.id for d in step.state.devices_of("progressive") if not d.locked]
    if step.state.lock_attempts < step.setup.lock_attempts:
        send_lock(step, again=True)
        what = f"lock sent again ({step.state.lock_attempts})"
        for device in silent:
            data = {"device": device, "kind": "progressive", "what": what}
            step.emit("device.fault", data, "TCP 2.C(2)", subject=f"device/{device}")
        return
    step.update(lock_deadline_ns=None)
    why = (
        f"{', '.join(silent)} did not acknowledge the lock: see that no wager can be placed there."
    )
    step.raise_alarm("lock_not_acknowledged", "critical", why, "TCP 2.C(2)")
    if step.state.halt is None:
        step.update(halt=Halt("lock", why))
        step.emit("table.halted", {"cause": "lock", "why": why}, "TCP 2.C(2)")
