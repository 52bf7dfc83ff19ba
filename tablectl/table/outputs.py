"""Everything that leaves the table: events, commands, prompts, refusals. Frozen values, no I/O."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

# Orders that only light something: what restricts overtakes no lamp, whose wager stands.
LIGHTS: Final = frozenset({"lamp", "show"})


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened. The journal adds id, source, input digest and hash chain.

    `data` holds only JSON values, and no number but integers below 2**53.
    """

    sequence: int
    type: str  # area.name: "round.opened"
    subject: str  # "round/41", "deck/red", "table"
    time_ns: int  # UTC, never before the event ahead of it
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Command:
    """An order to a device. `{boot, n}` lets a device run a permissive one only once.

    A restrictive one leaves at once; a permissive one waits until its record is durable.
    """

    device: str
    name: str
    restrictive: bool
    boot: str
    n: int
    args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Prompt:
    """What comes next, for a person: the sentence, the action awaited, whose it is, and why."""

    text: str
    awaits: str
    role: str
    clauses: tuple[str, ...]
    key: str = ""  # which sentence it is, and what it is filled in with: for another language
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an action was not done, and what may be done instead."""

    why: str
    clauses: tuple[str, ...]
    allowed: tuple[str, ...] = ()
    malformed: bool = False  # the arguments make no sense (HTTP 400), not the moment (409)
    role: bool = False  # not this person's to do (403)


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a report would lead to; it takes effect when the report is confirmed."""

    ruling: str
    clauses: tuple[str, ...]
