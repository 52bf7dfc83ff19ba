"""What stands in the messages that are not events: canonical JSON, made from values. Pure.

Events are not made here: they leave with the very bytes that the journal holds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from tablectl.journal.canonical import canonical_bytes
from tablectl.journal.chain import rfc3339
from tablectl.journal.errors import Unrecordable
from tablectl.outbox.shapes import DeviceView, MeterView, Reply, Status
from tablectl.outbox.topics import BadName, Topics
from tablectl.outbox.view import alarm_view, snapshot
from tablectl.table.state import Device, MeterState, State

CLEARED: Final = b""  # an empty retained message: the broker forgets the topic
LISTED_MAXIMUM: Final = 512  # alarms, meters and devices together


@dataclass(frozen=True, slots=True)
class DeviceFacts:
    """What the links know of a device beside its health: who it is, and what they counted."""

    identity: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    counters: Mapping[str, int] = field(default_factory=dict)


NOTHING_KNOWN: Final = DeviceFacts()


def status(
    state: Literal["online", "offline"], *, epoch: int, since_ns: int, trouble: str | None = None
) -> bytes:
    """Whether the table is there. `trouble` is what the journal itself can no longer tell."""
    body: Status = {"state": state, "epoch": epoch, "since": rfc3339(since_ns)}
    if trouble is not None:
        body["trouble"] = trouble
    return canonical_bytes(body)


def meter(state: MeterState) -> MeterView:
    """A progressive meter; `rate` is an exact decimal, as text. What was wagered on it, what it
    paid and how much of that the floor paid by hand are totals that never start again."""
    return {
        "cents": state.cents,
        "reset": state.reset,
        "rate": state.rate,
        "hits": state.hits,
        "wagered": state.wagered,
        "awarded": state.awarded,
        "hand_paid": state.hand_paid,
        "keeper": state.keeper,
    }


def device(state: Device, facts: DeviceFacts = NOTHING_KNOWN) -> DeviceView:
    """A device: health as the table sees it, the rest as its link tells it."""
    return {
        "kind": state.kind,
        "health": state.health,
        "identity": dict(facts.identity),
        "versions": dict(facts.versions),
        "counters": dict(facts.counters),
    }


def reply(
    command_id: str,
    command: str,
    *,
    why: str | None = None,
    result: Mapping[str, Any] | None = None,
) -> bytes:
    """The answer to a command: done where there is no `why`."""
    body: Reply = {
        "id": command_id,
        "command": command,
        "ok": why is None,
        "why": why,
        "result": dict(result or {}),
    }
    return canonical_bytes(body)


def retained(
    topics: Topics, state: State, facts: Mapping[str, DeviceFacts], *, unconfirmed: int
) -> tuple[dict[str, bytes], list[str]]:
    """Every topic that a newcomer finds, status aside; and a sentence for what had to stay out."""
    found = {topics.state: canonical_bytes(snapshot(state, unconfirmed=unconfirmed))}
    left_out: list[str] = []
    listed = [
        *((topics.alarm, one.id, alarm_view(one)) for one in state.alarms),
        *((topics.meter, one.name, meter(one)) for one in state.meters),
        *(
            (topics.device, one.id, device(one, facts.get(one.id, NOTHING_KNOWN)))
            for one in state.devices
        ),
    ]
    for place, name, body in listed[:LISTED_MAXIMUM]:
        try:
            found[place(name)] = canonical_bytes(body)
        except (BadName, Unrecordable) as error:
            left_out.append(str(error))
    if len(listed) > LISTED_MAXIMUM:
        left_out.append(f"only {LISTED_MAXIMUM} of {len(listed)} alarms, meters and devices fit")
    return found, left_out
