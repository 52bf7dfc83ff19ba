"""The thread that makes records durable: a bounded queue in, one commit for all that waits.

It never touches the core. Once a commit fails nothing counts as durable any more; one more attempt
is made, with the reserved disk space released, for the halt record.
"""

import sqlite3
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from typing import Final, Protocol

from tablectl.journal import segments, store
from tablectl.journal.errors import JournalBehind
from tablectl.journal.files import CURRENT, release_space
from tablectl.journal.segments import Roll
from tablectl.journal.store import Entry

CAPACITY: Final = 4096  # records that may wait; a round is about a hundred
BATCH: Final = 512
# In a rush of records commits are this far apart. More of them would make nothing durable sooner:
# the table and this thread would only take the interpreter from each other.
PACE_S: Final = 0.005
PATIENCE_S: Final = 1.0  # how long a full queue may hold up the table
Work = Entry | Roll


class Target(Protocol):
    """Where the writer writes."""

    def commit(self, entries: list[Entry]) -> None: ...
    def roll(self, order: Roll) -> None: ...
    def reopen(self) -> None: ...
    def last_record(self) -> int: ...
    def close(self) -> None: ...


class JournalFile:
    """The current segment, used by the writer's thread alone once the writer runs."""

    def __init__(
        self,
        data: Path,
        connect: Callable[[Path], sqlite3.Connection] = store.connect,
        between: segments.Step = lambda _name: None,
    ) -> None:
        self._data = data
        self._connect = connect
        self._between = between
        self._connection = connect(data / CURRENT)

    @property
    def connection(self) -> sqlite3.Connection:
        """For reading, before the writer runs."""
        return self._connection

    def commit(self, entries: list[Entry]) -> None:
        """Make records durable; raises sqlite3.Error."""
        store.commit(self._connection, entries)

    def roll(self, order: Roll) -> None:
        """Begin the next file, unless a recovery has already done it."""
        if store.read_meta(self._connection).first_sequence != order.meta.first_sequence:
            self._connection = segments.roll(self._data, self._connection, order, self._between)

    def reopen(self) -> None:
        """Begin again after a failure, with the reserved disk space given back."""
        self._connection.close()
        release_space(self._data)
        segments.recover(self._data)
        self._connection = self._connect(self._data / CURRENT)

    def last_record(self) -> int:
        """The number of the last record that is in the file."""
        found = store.last_record(self._connection)
        return found or store.read_meta(self._connection).first_record - 1

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


class Writer:
    """`put` records in; `durable` says how far they are safe. Callbacks come on its own thread."""

    def __init__(
        self,
        target: Target,
        durable: int,
        *,
        on_durable: Callable[[int], None] = lambda _sequence: None,
        on_failed: Callable[[str], None] = lambda _why: None,
        capacity: int = CAPACITY,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._target = target
        self._on_durable = on_durable
        self._on_failed = on_failed
        self._capacity = capacity
        self._patience_s = patience_s
        self._changed = threading.Condition()
        self._waiting: deque[Work] = deque()
        self._durable = durable
        self._failure: str | None = None
        self._halt_given = False
        self._rescued: int | None = None
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="journal-writer", daemon=True)
        self._thread.start()

    @property
    def durable(self) -> int:
        """The last sequence that is safe."""
        return self._durable

    @property
    def failure(self) -> str | None:
        """Why the journal failed, None while it works."""
        return self._failure

    @property
    def rescued(self) -> int | None:
        """Where the journal ends after a failure, if the halt record could be written."""
        return self._rescued

    def put(self, work: Work) -> None:
        """Queue a record. Raises JournalBehind where the queue stays full: the journal has failed.

        The record is kept either way, since the chain already holds it: the last attempt takes it.
        """
        with self._changed:
            in_time = len(self._waiting) < self._capacity or self._changed.wait_for(
                lambda: len(self._waiting) < self._capacity or self._failure is not None,
                self._patience_s,
            )
            self._waiting.append(work)
            self._changed.notify_all()
            if in_time:
                return
            count = len(self._waiting)
            self._failure = f"the disk is too slow: {count} records wait to be written"
        self._on_failed(self._failure)
        raise JournalBehind(self._failure)

    def rescue(self, halt: Entry) -> None:
        """After a failure: one last attempt for all that waits and the halt record."""
        with self._changed:
            assert self._failure is not None, "a halt record is for a journal that failed"
            self._waiting.append(halt)
            self._halt_given = True
            self._changed.notify_all()

    def wait_durable(self, sequence: int, timeout_s: float) -> bool:
        """Wait until `sequence` is safe; False when the journal failed or time is up."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._durable >= sequence or self._failure is not None, timeout_s
            )
            return self._durable >= sequence

    def close(self, timeout_s: float = 10.0) -> bool:
        """Write what waits and end the thread; False where it does not end in time."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (batch := self._take()) is not None:
            began = monotonic()
            try:
                if isinstance(batch, Roll):
                    self._target.roll(batch)
                else:
                    self._target.commit(batch)
            except Exception as error:  # noqa: BLE001  whatever it is, nothing after it is durable
                self._fail(batch, f"{type(error).__name__}: {error}")
            else:
                self._done(batch)
                if not isinstance(batch, Roll) and len(batch) > 1:
                    sleep(max(0.0, began + PACE_S - monotonic()))
        if self._failure is not None and self._halt_given:
            self._last_attempt()
        self._target.close()

    def _take(self) -> list[Entry] | Roll | None:
        """The next batch; None when it is time to end."""
        with self._changed:
            while True:
                if self._failure is not None:
                    if self._halt_given or self._closing:
                        return None
                elif self._waiting:
                    return self._next_batch()
                elif self._closing:
                    return None
                self._changed.wait()

    def _next_batch(self) -> list[Entry] | Roll:
        batch: list[Entry] = []
        while self._waiting and len(batch) < BATCH:
            work = self._waiting[0]
            if isinstance(work, Roll):
                if batch:
                    break
                self._waiting.popleft()
                self._changed.notify_all()
                return work
            batch.append(work)
            self._waiting.popleft()
        self._changed.notify_all()
        return batch

    def _done(self, batch: list[Entry] | Roll) -> None:
        last = batch.last if isinstance(batch, Roll) else batch[-1].last
        with self._changed:
            if self._failure is not None:
                return  # given up on while it was being written: it does not count
            self._durable = last
            self._changed.notify_all()
        self._on_durable(last)

    def _fail(self, batch: list[Entry] | Roll, why: str) -> None:
        with self._changed:
            self._waiting.extendleft([batch] if isinstance(batch, Roll) else reversed(batch))
            first = self._failure is None
            self._failure = self._failure or why
            self._changed.notify_all()
        if first:
            self._on_failed(why)

    def _last_attempt(self) -> None:
        """Once, whatever comes of it: nothing permissive is released for it."""
        try:
            self._target.reopen()
            for work in self._all():
                if isinstance(work, Roll):
                    self._target.roll(work)
                elif work:
                    # The commit that failed may have reached the disk all the same.
                    there = self._target.last_record()
                    if rest := [entry for entry in work if entry.record > there]:
                        self._target.commit(rest)
                    self._rescued = work[-1].last
        except Exception:  # noqa: BLE001  the failure is already known and told
            self._rescued = None

    def _all(self) -> list[list[Entry] | Roll]:
        """Everything that waits, in order, in as few commits as may be."""
        groups: list[list[Entry] | Roll] = [[]]
        for work in self._waiting:
            if isinstance(work, Roll):
                groups += [work, []]
            else:
                group = groups[-1]
                assert isinstance(group, list)
                group.append(work)
        return groups
