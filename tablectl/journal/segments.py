"""From one journal file to the next, and back on its feet after a crash in between.

A roll: the new file is made whole as journal.next.db; the old one is emptied of its log and takes
its final name; the new one takes the name journal.db. `recover` finishes or undoes a roll that was
cut short: what is in journal.next.db has not been reported durable before the last rename.
"""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tablectl.journal import store
from tablectl.journal.errors import JournalDamaged
from tablectl.journal.files import (
    CURRENT,
    closed_segments,
    remove_database,
    sync_folder,
)
from tablectl.journal.store import Entry, Meta

NEXT: Final = "journal.next.db"
Step = Callable[[str], None]  # called between the steps of a roll: tests crash there


def _no_step(_name: str) -> None:
    return


@dataclass(frozen=True, slots=True)
class Roll:
    """The order to begin a new file with a Segment record."""

    meta: Meta
    entry: Entry
    closes: str  # the name that the old file takes

    @property
    def last(self) -> int:
        """The sequence that is durable when the roll is done."""
        return self.entry.last


def roll(
    data: Path, connection: sqlite3.Connection, order: Roll, between: Step = _no_step
) -> sqlite3.Connection:
    """Close this file, begin the next, give its connection. Raises sqlite3.Error, OSError."""
    current, closed, following = data / CURRENT, data / order.closes, data / NEXT
    if closed.exists():
        raise FileExistsError(f"{closed} exists already: move it away")
    remove_database(following)
    store.create(following, order.meta, [order.entry])
    between("made")
    if _fold_log(connection):
        connection.close()
        between("folded")
        current.rename(closed)
    else:
        # A reader holds on to the log: give the segment its final name as a whole copy.
        _copy(connection, closed, between)
        connection.close()
        between("copied")
        remove_database(current)
    between("closed")
    sync_folder(data)
    _promote(data)
    between("promoted")
    return store.connect(current)


def recover(data: Path) -> None:
    """Finish or undo what a crash cut short; under the lock only. Raises JournalDamaged."""
    for half in (CURRENT, NEXT):
        remove_database(data / (half + ".new"))
    for path in data.glob("journal-*.db.part*"):
        path.unlink(missing_ok=True)
    current, following = data / CURRENT, data / NEXT
    if following.exists():
        previous, sequence = _link_of(following)
        closed = data / previous
        if closed.exists():
            if not _ends_at(closed, sequence):
                raise JournalDamaged(f"{closed} does not end where {NEXT} begins: ask for help")
            _promote(data)
        elif current.exists():
            remove_database(following)
            sync_folder(data)
        else:
            raise JournalDamaged(
                f"{CURRENT} is missing beside {NEXT}: put the file back from the archive"
            )
    if not current.exists() and closed_segments(data):
        raise JournalDamaged(
            f"{data} has closed segments but no {CURRENT}: put it back from the archive, or move "
            "the old segments and journal.key away to begin a new journal"
        )


def _fold_log(connection: sqlite3.Connection) -> bool:
    """Bring the write-ahead log into the file and leave WAL; False where a reader is in the way."""
    connection.execute("PRAGMA busy_timeout=2000")
    busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    if busy:
        return False
    try:
        # A closed segment is one plain file; it stays in WAL mode where a reader has it open.
        connection.execute("PRAGMA journal_mode=DELETE")
    except sqlite3.OperationalError:
        return True
    return True


def _copy(connection: sqlite3.Connection, closed: Path, between: Step) -> None:
    part = closed.with_name(closed.name + ".part")
    remove_database(part)
    part.touch(mode=0o600)
    with closing(sqlite3.connect(part, isolation_level=None)) as target:
        target.execute("PRAGMA synchronous=FULL")
        connection.backup(target)
        between("copying")
        target.execute("PRAGMA journal_mode=DELETE")
    part.rename(closed)
    sync_folder(closed.parent)


def _promote(data: Path) -> None:
    """The old file is safe under its final name: the next one takes its place."""
    remove_database(data / CURRENT)  # its log above all: a stale one must never meet the next file
    sync_folder(data)
    (data / NEXT).rename(data / CURRENT)
    sync_folder(data)


def _link_of(following: Path) -> tuple[str, int]:
    """The name and the last sequence of the segment that journal.next.db follows."""
    try:
        with closing(sqlite3.connect(following, isolation_level=None)) as connection:
            row = connection.execute("SELECT input FROM records ORDER BY n LIMIT 1").fetchone()
        body = json.loads(row[0])
        return str(body["previous"]), int(body["sequence"])
    except (sqlite3.Error, TypeError, KeyError, ValueError):
        raise JournalDamaged(
            f"{following} is damaged: remove it, nothing in it was relied on"
        ) from None


def _ends_at(path: Path, sequence: int) -> bool:
    """Whether a segment is readable and its last event has that sequence."""
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            found = connection.execute("SELECT max(sequence) FROM events").fetchone()
    except sqlite3.Error:
        return False
    return bool(found[0] == sequence)
