"""A table that only listens (`tracking = "cards"`): what all games have in common there.

Nobody acts and no command leaves. What nobody reports is inferred, and marked so; an irregularity
is recorded and raises an alarm, and blocks nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tablectl.table.devices import Handlers, tell
from tablectl.table.inputs import DeviceEvent
from tablectl.table.phases import ROUND
from tablectl.table.step import HOUSE, Step


@dataclass(frozen=True, slots=True)
class Observed:
    """One kind of irregularity that devices show, and what the record does with the round."""

    kind: str
    clauses: tuple[str, ...]
    ruling: str
    doubt: bool = False  # the round cannot be settled from its cards


def opens(step: Step) -> None:
    """A listening table opens by itself as soon as a device speaks."""
    if step.state.phase == "closed" and any(d.health == "online" for d in step.state.devices):
        step.update(phase=ROUND.fire("-opens", step.state.phase, step.state))
        step.emit("table.opened", {}, HOUSE, inferred=True)


def record(
    step: Step,
    row: Observed,
    what: str,
    evidence: Sequence[int] = (),
    *,
    stands: bool = False,
    between: bool = False,
) -> bool:
    """Record an irregularity; returns whether it leaves the round in doubt. `between`: it belongs
    to no round, though the cards of the last one may still lie there."""
    round_ = None if between else step.state.round
    doubtful = row.doubt and not stands and round_ is not None
    data = {
        "round": round_.number if round_ else None,
        "what": what,
        "evidence": list(evidence),
        "ruling": row.ruling if doubtful or not row.doubt else "recorded",
    }
    step.emit(f"irregularity.{row.kind}", data, *row.clauses)
    return doubtful


def alarm(step: Step, kind: str, what: str, *clauses: str, severity: str = "warning") -> None:
    """One alarm a kind, the newest: a table without people must not pile them up."""
    for each in step.state.alarms:
        if each.kind == kind:
            step.clear_alarm(kind, each.about)
    about = f"irregularity/{step.state.sequence}"
    step.raise_alarm(kind, severity, what, *clauses, about=about, until_seen=True)


def cleared(step: Step, doubts: Sequence[str], *clauses: str) -> None:
    """The cards of a round that is over have left the table; why it was not settled, if not."""
    if step.round.void_reason:
        doubts = (f"the round is void ({step.round.void_reason})", *doubts)
    data: dict[str, object] = {"round": step.round.number, "settled": not doubts}
    if doubts:
        data["why"] = doubts[0]
    step.update(phase=ROUND.fire("-cleared", step.state.phase, step.state))
    step.update(round=None)
    step.emit("round.cleared", data, *clauses, inferred=True)


def noted(step: Step, event: DeviceEvent) -> str | None:
    """Recorded; nothing follows from it where nobody is led."""
    device = step.state.device(event.device)
    tell(step, f"device.{event.name}", event, device.kind if device else "shoe", event.name)
    return None


# Other people's devices: what they take and when they lock is between them and the dealer.
HANDLERS: Final[Handlers] = {
    ("button", "pressed"): noted,
    **{
        ("progressive", name): noted
        for name in ("locked", "unlocked", "accepted", "withdrawn", "late")
    },
}
