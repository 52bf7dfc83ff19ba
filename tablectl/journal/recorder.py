"""The single-writer heart: steps the core, chains what comes of it, and lets out only what may.

What restricts leaves at once. What permits, and every publication, waits until its record is
durable. One thread owns a Recorder; the writer's thread only pokes it through `on_change`.
"""

from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from tablectl.journal.chain import Head, Identity, Published, digest, publish
from tablectl.journal.codec import Encoded, StateCodec, encode
from tablectl.journal.core import Core, OutcomeLike
from tablectl.journal.errors import JournalBehind, JournalError, Unrecordable, WrongTable
from tablectl.journal.files import FolderLock, closed_name
from tablectl.journal.keys import SigningKey
from tablectl.journal.refusals import Refusals, refused_source
from tablectl.journal.restore import Restored
from tablectl.journal.segments import Roll
from tablectl.journal.store import Entry, Meta, Snapshot
from tablectl.journal.wiring import Limits, Outlets
from tablectl.journal.writer import Writer
from tablectl.table.inputs import (
    Action,
    Checkpoint,
    DeviceEvent,
    Input,
    JournalFailed,
    Restart,
    Segment,
    Stamp,
    Tick,
)
from tablectl.table.outputs import LIGHTS, Command, Refusal, Ruling

_NEW_LINK: Final = ("offline", "online")
_ROW_BYTES: Final = 40  # what SQLite adds to a row, about


@dataclass(frozen=True, slots=True)
class Receipt:
    """What came of an input. `sequence` is what to wait for before saying that it is done."""

    recorded: bool  # False: nothing changed, a counted repeat, or the journal has failed
    record: int
    sequence: int
    events: tuple[Published, ...]
    outcome: OutcomeLike  # commands, prompts, refusal, ruling
    wake_ns: int | None  # when a Tick is wanted, on the monotonic clock

    @property
    def refusal(self) -> Refusal | None:
        """Why it was not done, if it was not."""
        return self.outcome.refusal

    @property
    def ruling(self) -> Ruling | None:
        """What a report would lead to."""
        return self.outcome.ruling


@dataclass(frozen=True, slots=True)
class _Held:
    """What waits for a record to become durable."""

    sequence: int
    commands: tuple[Command, ...]
    events: tuple[Published, ...]


@dataclass(frozen=True, slots=True)
class Opened:
    """A journal's parts, as tablectl.journal.opening puts them together."""

    data: Path
    lock: FolderLock
    meta: Meta
    restored: Restored
    size: int
    key: SigningKey
    core: Core
    codec: StateCodec
    writer: Writer


class Recorder:
    """Made by tablectl.journal.opening.open_journal; the first input must be a Restart."""

    def __init__(
        self, opened: Opened, outlets: Outlets, limits: Limits, draw: Callable[[int], bytes]
    ) -> None:
        meta, restored = opened.meta, opened.restored
        self.data = opened.data
        self._lock = opened.lock
        self._identity: Identity = meta.identity
        self._first_sequence = meta.first_sequence
        self._was_opened = meta.opened > 0 or meta.first_sequence > 1
        self.restored = restored
        self._state = restored.state
        self._head = restored.head
        self._record = restored.record
        self._size = opened.size
        self._key = opened.key
        self._core = opened.core
        self._codec = opened.codec
        self._writer = opened.writer
        self._outlets = outlets
        self._draw = draw
        self._segment_bytes = limits.segment_bytes
        self._refusals = Refusals(limits.window_ns)
        self._held: deque[_Held] = deque()
        self._keep_to = restored.record  # snapshots up to here are not thinned out
        self._signed = 0  # the last sequence that a checkpoint of ours covers
        self._at: Stamp | None = None
        self._wake_ns: int | None = None
        self._started = False
        self._failed = False
        self._closed = False

    # ── how things stand ───────────────────────────────────────────────────
    @property
    def state(self) -> Any:
        """The table as it is now, ahead of the disk by what is not yet durable."""
        return self._state

    @property
    def identity(self) -> Identity:
        """Site, table and epoch."""
        return self._identity

    @property
    def head(self) -> Head:
        """Where the chain ends."""
        return self._head

    @property
    def durable(self) -> int:
        """The last sequence that is safe."""
        return self._writer.durable

    @property
    def failure(self) -> str | None:
        """Why the journal failed; None while it works. Nothing permissive leaves after it."""
        return self._writer.failure

    @property
    def wake_ns(self) -> int | None:
        """When a Tick is wanted (monotonic): the core's wish, or a refusal window's end."""
        wishes = [w for w in (self._wake_ns, self._refusals.wake_ns) if w is not None]
        return min(wishes, default=None)

    # ── inputs ─────────────────────────────────────────────────────────────
    def submit(self, given: Input) -> Receipt:
        """Step, record, restrict at once, hold the rest. Raises Unrecordable, WrongTable."""
        if self._closed:
            raise JournalError("the journal is closed: open it again")
        encoded = encode(given)
        self._check_first(encoded.input)
        self._at = encoded.input.at
        self._notice_failure()
        if self._failed:
            return self._unrecorded(encoded.input)
        if self._refusals.due(encoded.input.at):
            self._tell_refusals()
        ahead = self._core.before(self._state, encoded.input)
        if ahead is not None:
            first = encode(ahead)
            self._submit_change(first, self._core.step(self._state, first.input))
        outcome = self._core.step(self._state, encoded.input)
        if isinstance(encoded.input, Tick) and not outcome.events:
            self._wake_ns = outcome.wake_ns
            return self._receipt(outcome, (), recorded=False)
        source = refused_source(encoded.input, outcome)
        if source and isinstance(encoded.input, Action):
            if self._refusals.counts(source, encoded.input):
                return self._receipt(outcome, (), recorded=False)
            if self._tell_refusals():
                outcome = self._core.step(self._state, encoded.input)
            receipt = self._adopt(encoded, outcome)
            self._refusals.opened(source, encoded.input.at)
            return receipt
        return self._submit_change(encoded, outcome)

    def _submit_change(self, encoded: Encoded, outcome: OutcomeLike) -> Receipt:
        again = self._tell_refusals()
        self._refusals.end()
        opens = any(event.type == "table.opened" for event in outcome.events)
        if opens and self._was_opened and not self._state.cards_on_table:
            self._roll(encoded.input.at)
            again = True
        if again:  # records went ahead of this one: the same input, on the state after them
            outcome = self._core.step(self._state, encoded.input)
        receipt = self._adopt(encoded, outcome)
        self._was_opened = self._was_opened or opens
        if any(event.type == "round.cleared" for event in outcome.events):
            self._checkpoint(encoded.input.at)
        if self._size >= self._segment_bytes and not self._state.cards_on_table:
            self._roll(encoded.input.at)
        return receipt

    def release(self) -> None:
        """Let out what has become durable, in order; see to a failure. On the owner's thread."""
        self._notice_failure()
        while self._held and self._held[0].sequence <= self._writer.durable:
            held = self._held.popleft()
            for command in held.commands:
                self._outlets.send(command)
            for event in held.events:
                self._outlets.publish(event)

    def wait_durable(self, sequence: int, timeout_s: float) -> bool:
        """Wait until `sequence` is safe, then release; False on failure or when time is up."""
        safe = self._writer.wait_durable(sequence, timeout_s)
        self.release()
        return safe

    def close(self, timeout_s: float = 10.0) -> bool:
        """Tell what is counted, sign the end, write everything, let go; False where it was not."""
        if self._closed:
            return self.failure is None
        self._closed = True
        self._notice_failure()
        if not self._failed:
            self._tell_refusals()
            quiet = not self._state.cards_on_table
            if self._at and quiet and self._head.sequence > self._signed and self._started:
                self._checkpoint(self._at)
        if not self._failed and self._record:
            self._writer.wait_durable(self._head.sequence, timeout_s)
        self.release()
        if not self._writer.close(timeout_s):
            return False  # it still writes: the lock ends with the process
        self._lock.release()
        return self.failure is None

    # ── the inside ─────────────────────────────────────────────────────────
    def _check_first(self, given: Input) -> None:
        if isinstance(given, Restart):
            ours, theirs = self._identity, given.setup
            if (ours.site, ours.table) != (theirs.site, theirs.table):
                raise WrongTable(
                    f"the journal in {self.data} belongs to table {ours.table} at {ours.site}, not "
                    f"to {theirs.table} at {theirs.site}: give each table its own data folder"
                )
            self._started = True
        elif not self._started:
            raise JournalError("the first input after opening a journal is a Restart")

    def _adopt(
        self, encoded: Encoded, outcome: OutcomeLike, snapshot: Snapshot | None = None
    ) -> Receipt:
        """Make a step count: restrict at once, chain and queue its record, hold the rest."""
        if self._failed:  # while another record went ahead of this one
            return self._unrecorded(encoded.input)
        if isinstance(encoded.input, DeviceEvent) and encoded.input.name in _NEW_LINK:
            self._withdraw(encoded.input.device)
        self._restrict(outcome.commands)
        entry = self._entry(encoded, outcome, snapshot)
        if entry is None:
            return self._fault(f"the table's answer to {encoded.input.kind} cannot be recorded")
        if isinstance(encoded.input, Restart):
            self._keep_to = max(self._keep_to, entry.record)
        self._take(outcome, entry)
        self._queue(entry)
        return self._receipt(outcome, entry.events, recorded=not self._failed)

    def _restrict(self, commands: Any) -> None:
        """Send what restricts; a permission to the same device that still waits is withdrawn.

        A lamp is none: a wager accepted in the moment before the lock stands, and is shown.
        """
        for command in commands:
            if command.restrictive:
                self._outlets.send(command)
                self._withdraw(command.device, but=LIGHTS)

    def _withdraw(self, device: str, but: Collection[str] = ()) -> None:
        """What still waits for this device never leaves. So too where its link is another one: a
        permission is for the link that it was given on, or it might be given twice."""
        for index, held in enumerate(self._held):
            stale = [c for c in held.commands if c.device == device and c.name not in but]
            if stale:
                kept = tuple(c for c in held.commands if c not in stale)
                self._held[index] = replace(held, commands=kept)
                for late in stale:
                    self._outlets.withdrawn(late)

    def _entry(
        self, encoded: Encoded, outcome: OutcomeLike, snapshot: Snapshot | None
    ) -> Entry | None:
        """The record of a step, None where the core gave what cannot be recorded."""
        salt = self._draw(32).hex()
        try:
            events = publish(self._identity, self._head, outcome.events, digest(salt, encoded.text))
        except (Unrecordable, TypeError, ValueError):
            return None
        if not events:
            return None
        return Entry(self._record + 1, salt, encoded.text, encoded.sealed, events, snapshot)

    def _take(self, outcome: OutcomeLike, entry: Entry) -> None:
        self._state = outcome.state
        self._wake_ns = outcome.wake_ns
        self._record = entry.record
        last = entry.events[-1]
        self._head = Head(last.sequence, last.hash)
        self._size += len(entry.text) + _ROW_BYTES + 200 * len(entry.sealed)
        self._size += sum(len(event.body) + _ROW_BYTES for event in entry.events)
        permissive = tuple(c for c in outcome.commands if not c.restrictive)
        self._held.append(_Held(last.sequence, permissive, entry.events))

    def _queue(self, work: Entry | Roll) -> None:
        try:
            self._writer.put(work)
        except JournalBehind:
            self._notice_failure()

    def _receipt(
        self, outcome: OutcomeLike, events: tuple[Published, ...], *, recorded: bool
    ) -> Receipt:
        return Receipt(recorded, self._record, self._head.sequence, events, outcome, self.wake_ns)

    def _tell_refusals(self) -> bool:
        """Record the counted repeats; True where there were any."""
        counted = self._refusals.take()
        for action in counted:
            encoded = encode(action)
            self._adopt(encoded, self._core.step(self._state, encoded.input))
        return bool(counted)

    def _snapshot(self) -> tuple[Snapshot | None, str]:
        """The state as it is, if it may be stored and can be read back; and its digest."""
        text, salt = self._codec.encode(self._state), self._draw(32).hex()
        stored = None
        # While cards are out the state holds their values: those stand in `sealed` only.
        if not self._state.cards_on_table and self._codec.keeps(self._state, text):
            stored = Snapshot(salt, text, self._keep_to)
        return stored, digest(salt, text)

    def _checkpoint(self, at: Stamp) -> None:
        """Sign the head, with the state beside it."""
        if self._failed:
            return
        snapshot, state = self._snapshot()
        head = self._head
        signature = self._key.sign(head.sequence, head.hash, state)
        given = Checkpoint(at, head.sequence, head.hash, self._key.public, signature, state)
        self._adopt(encode(given), self._core.step(self._state, given), snapshot)
        self._signed = self._head.sequence

    def _roll(self, at: Stamp) -> None:
        """Begin a new file: the old one ends signed, the new one begins with head and state."""
        self._checkpoint(at)
        snapshot, state = self._snapshot()
        if self._failed or snapshot is None:
            return
        closes, head = closed_name(self._first_sequence), self._head
        encoded = encode(Segment(at, closes, head.sequence, head.hash, state, self._core.version))
        outcome = self._core.step(self._state, encoded.input)
        self._restrict(outcome.commands)
        entry = self._entry(encoded, outcome, snapshot)
        if entry is None:
            self._fault("the table's answer to segment cannot be recorded")
            return
        self._first_sequence = head.sequence + 1
        self._keep_to = entry.record
        self._size = len(snapshot.text)
        self._take(outcome, entry)
        meta = Meta(self._identity, entry.record, head.sequence + 1, head.hash)
        self._queue(Roll(meta, entry, closes))

    def _fault(self, what: str) -> Receipt:
        """The core gave what no journal can hold: it halts, as a record that replays."""
        assert self._at is not None
        encoded = encode(JournalFailed(self._at, what))
        outcome = self._core.step(self._state, encoded.input)
        self._restrict(outcome.commands)
        entry = self._entry(encoded, outcome, None)
        if entry is None:
            raise JournalError(f"{what}, and neither can the halt: the table stays locked")
        self._take(outcome, entry)
        self._queue(entry)
        return self._receipt(outcome, entry.events, recorded=True)

    def _notice_failure(self) -> None:
        """A commit failed: halt, give the writer the halt record, let nothing held out any more."""
        why = self._writer.failure
        if why is None or self._failed:
            return
        self._failed = True
        for held in self._held:
            for command in held.commands:
                self._outlets.withdrawn(command)
        self._held.clear()
        if self._at is None:
            return
        encoded = encode(JournalFailed(self._at, f"a commit failed: {why}"))
        outcome = self._core.step(self._state, encoded.input)
        self._restrict(outcome.commands)
        entry = self._entry(encoded, outcome, None)
        if entry is not None:
            self._take(outcome, entry)
            self._held.clear()
            self._writer.rescue(entry)

    def _unrecorded(self, given: Input) -> Receipt:
        """After a failure: what restricts still leaves, nothing is recorded or let out."""
        outcome = self._core.step(self._state, given)
        self._restrict(outcome.commands)
        self._state = outcome.state
        self._wake_ns = outcome.wake_ns
        return self._receipt(outcome, (), recorded=False)
