"""Everything that can reach the table: a closed set of frozen values.

Time comes in here (`Stamp`), and so does randomness (the salt of every card that a reader saw, the
trigger of a Must Hit meter): the core asks nobody for either, so the same inputs give the same
events.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tablectl.cards import Card
from tablectl.table.setup import Setup


@dataclass(frozen=True, slots=True)
class Stamp:
    """When an input happened, as the box's two clocks told it."""

    utc_ns: int
    mono_ns: int
    boot: str  # the boot that mono_ns belongs to


@dataclass(frozen=True, slots=True)
class ReadCard:
    """A card as a reader saw it. The salt (32 fresh random bytes, hex) seals it until shown."""

    card: Card | None  # None: it left the shoe, and the reader could not tell which it is
    salt: str


@dataclass(frozen=True, slots=True)
class DrawnTrigger:
    """A hidden amount, drawn by the daemon. The salt (32 fresh random bytes, hex) seals it."""

    cents: int
    salt: str


@dataclass(frozen=True, slots=True)
class Second:
    """The second person, where an action needs two."""

    actor: str
    roles: tuple[str, ...]
    method: str


@dataclass(frozen=True, slots=True)
class Restart:
    """The process began, for the first time or again. Everything controllable is locked."""

    at: Stamp
    setup: Setup
    setup_digest: str  # SHA-256 of the canonical configuration, hex
    software: str
    core_version: int
    clock_synchronised: bool = True
    kind: Literal["restart"] = "restart"


@dataclass(frozen=True, slots=True)
class Action:
    """What a person wants done. The edge has proved who it is; no credential gets in here."""

    at: Stamp
    action: str
    actor: str
    roles: tuple[str, ...]
    method: str = "pin"
    args: Mapping[str, Any] = field(default_factory=dict)
    second: Second | None = None
    count: int = 1  # above 1: so many repeats of one refused action, collapsed into this record
    kind: Literal["action"] = "action"


@dataclass(frozen=True, slots=True)
class DeviceEvent:
    """What a device told. `name` and `args` are in the vocabulary of table/devices.py."""

    at: Stamp
    device: str
    name: str
    args: Mapping[str, Any] = field(default_factory=dict)
    cards: tuple[ReadCard, ...] = ()
    kind: Literal["device"] = "device"


@dataclass(frozen=True, slots=True)
class RoundOver:
    """What the device tells next is of another round, at a table that only listens: recorded ahead
    of it, so that between two rounds there is a moment without cards (`table.before` says when)."""

    at: Stamp
    device: str
    kind: Literal["round_over"] = "round_over"


@dataclass(frozen=True, slots=True)
class Drawn:
    """The trigger that the table asked for (table/must_hit.py says when)."""

    at: Stamp
    meter: str
    trigger: DrawnTrigger
    kind: Literal["drawn"] = "drawn"


@dataclass(frozen=True, slots=True)
class Tick:
    """The moment that the last outcome asked to be woken at has come."""

    at: Stamp
    kind: Literal["tick"] = "tick"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The journal signed its head, and says what the state's digest is there."""

    at: Stamp
    sequence: int
    hash: str
    key: str
    signature: str
    state: str  # SHA-256(32 salt bytes || the text of the state before this input), hex
    kind: Literal["checkpoint"] = "checkpoint"


@dataclass(frozen=True, slots=True)
class Segment:
    """A new journal file begins where the last one ended."""

    at: Stamp
    previous: str  # the closed segment's file name
    sequence: int  # the last sequence in it
    hash: str  # and its hash
    state: str  # SHA-256(32 salt bytes || the text of the state that the new file begins with)
    core_version: int = 0  # who writes it, so that a segment can be replayed alone
    kind: Literal["segment"] = "segment"


@dataclass(frozen=True, slots=True)
class JournalFailed:
    """A commit failed. Nothing permissive left; the table halts."""

    at: Stamp
    what: str
    kind: Literal["journal_failed"] = "journal_failed"


@dataclass(frozen=True, slots=True)
class Notice:
    """Something around the table that people must know of, or that is over: the broker is away,
    the archive is behind, or holds something else than the journal (`halts`)."""

    at: Stamp
    alarm: str
    what: str
    severity: str = "warning"
    over: bool = False
    halts: bool = False
    kind: Literal["notice"] = "notice"


@dataclass(frozen=True, slots=True)
class Unsealed:
    """Somebody, proved at the edge, is to see sealed cards of a device; or sees them no longer."""

    at: Stamp
    device: str
    actor: str
    roles: tuple[str, ...]
    method: str = "pin"
    over: bool = False
    shown: int = 0  # how many values, once it is over
    kind: Literal["unsealed"] = "unsealed"


Input = (
    Restart | Action | DeviceEvent | RoundOver | Drawn | Tick | Checkpoint | Segment | JournalFailed
    | Notice | Unsealed
)  # fmt: skip
