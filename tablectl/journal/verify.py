"""`verify`: proves a journal from its files alone, and names the first place that is wrong.

Read-only, without the lock, on a file or a folder of segments, live or copied. It knows no game.
"""

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tablectl.journal.chain import ZERO_HASH, Head, digest
from tablectl.journal.errors import JournalDamaged
from tablectl.journal.files import CURRENT, closed_name, closed_segments
from tablectl.journal.keys import PUBLIC_FILE, read_public
from tablectl.journal.proof import (
    CHECKPOINT,
    OPENED,
    SEGMENT,
    Broken,
    EventRow,
    RecordRow,
    prove_checkpoint,
    prove_event,
    prove_record,
    prove_segment,
    text_of,
)
from tablectl.journal.reading import check_layout, open_segment, pages
from tablectl.journal.report import Anchor, Report
from tablectl.journal.segments import NEXT
from tablectl.journal.store import Meta, read_meta

Progress = Callable[[int, int], None]  # records done, records known of


class Visitor:
    """Sees every record that is proved, in order. `verify` itself wants nothing more."""

    def segment(self, meta: Meta, first: bool) -> None:
        """A file begins; `first` is the first one walked."""

    def snapshot(self, record: int, text: str) -> None:
        """The state before a record, proved by the chain; called before that record."""

    def record(self, record: RecordRow, events: list[EventRow]) -> None:
        """A record, with all its events proved; may raise Broken."""


def verify(
    path: Path,
    key: str | None = None,
    anchor: str | None = None,
    progress: Progress | None = None,
    visitor: Visitor | None = None,
) -> Report:
    """Prove a journal. Raises ValueError (a bad anchor), KeyProblem, OSError; nothing else."""
    pinned = Anchor.parse(anchor) if anchor else None
    report = Report()
    _choose_key(report, path, key)
    walk = _Walk(report, pinned, progress or (lambda _done, _of: None), visitor or Visitor())
    try:
        walk.all(path)
    except Broken as broken:
        report.ok, report.broken = False, broken
    return report


def _choose_key(report: Report, path: Path, key: str | None) -> None:
    if key is not None:
        report.key, report.key_from = read_public(key), "the key given"
        return
    beside = (path if path.is_dir() else path.parent) / PUBLIC_FILE
    if beside.is_file():
        report.key, report.key_from = read_public(str(beside)), str(beside)


@dataclass(slots=True)
class _Walk:
    report: Report
    anchor: Anchor | None
    progress: Progress
    visitor: Visitor
    head: Head = field(default_factory=Head)
    record: int = 0  # the last one proved
    time: str = ""
    known: int = 0  # records known of, for progress
    identity: object = None
    anchored: bool = False
    closes: str | None = None  # the name of the file walked last, once it is closed

    def all(self, path: Path) -> None:
        """A file, or every segment of a folder."""
        if path.is_dir():
            self._folder(path)
        elif path.exists():
            self._file(path)
        else:
            raise Broken(None, f"{path}: no such journal")
        self._check_anchor_end()

    def _folder(self, folder: Path) -> None:
        if not closed_segments(folder) and not (folder / CURRENT).exists():
            raise Broken(None, f"{folder} holds no journal: no {CURRENT}, no closed segment")
        while True:
            self._closed_ones(folder)
            before, known = self.head, list(closed_segments(folder))
            try:
                if (folder / CURRENT).exists() and not self._is_left_over(folder):
                    self._file(folder / CURRENT)
                return
            except FileNotFoundError:
                continue  # a live table is just giving it its final name
            except Broken:
                # Or has done so after we looked: then nothing of it was proved yet.
                if self.head != before or known == list(closed_segments(folder)):
                    raise

    def _closed_ones(self, folder: Path) -> None:
        """The closed segments that follow, each looked up when it is due."""
        closed = closed_segments(folder)
        if not self.report.files and closed:
            self._closed(next(iter(closed.values())))
        while self.report.files and (path := folder / closed_name(self.head.sequence + 1)).exists():
            self._closed(path)
        if unseen := [first for first in closed if first > self.head.sequence]:
            raise Broken(
                self.head.sequence + 1,
                f"{closed_name(unseen[0])} does not follow: a segment before it is missing or cut",
            )

    def _closed(self, path: Path) -> None:
        self._file(path)
        if path.name != self.closes:
            raise Broken(self.report.first, f"{path.name} is not the file that its name says")

    def _is_left_over(self, folder: Path) -> bool:
        """Whether journal.db is the file just walked: a crash came between its copy and its end."""
        if self.closes is None or not (folder / NEXT).exists():
            return False
        try:
            with open_segment(folder / CURRENT) as connection:
                return closed_name(read_meta(connection).first_sequence) == self.closes
        except (sqlite3.Error, JournalDamaged, OSError):
            return False

    def _file(self, path: Path) -> None:
        try:
            with open_segment(path) as connection:
                check_layout(connection)
                _Segment(self, connection, path).prove()
        except Broken as broken:
            raise Broken(broken.sequence, f"{path.name}: {broken.what}") from None
        except (sqlite3.Error, JournalDamaged) as error:
            place = self.head.sequence + 1
            said = "SQLite reports damage: " if isinstance(error, sqlite3.Error) else ""
            raise Broken(place, f"{path.name}: {said}{error}") from None
        except (TypeError, ValueError, OverflowError, MemoryError) as error:
            # A column of the wrong type: SQLite lets damaged pages through.
            raise Broken(self.head.sequence + 1, f"{path.name}: unreadable: {error}") from None
        self.report.files += 1

    def passed(self, row: EventRow) -> None:
        """An event is proved: move on, and look whether it is the anchor's."""
        self.head = Head(row.sequence, row.event["hash"])
        self.time = row.event["time"]
        report = self.report
        report.events += 1
        report.first = row.sequence if report.first is None else report.first
        report.last, report.head = row.sequence, self.head.hash
        self.check_anchor()

    def check_anchor(self) -> None:
        """Where the head is the anchor's sequence, its hash must be the anchor's."""
        if self.anchor and self.anchor.sequence == self.head.sequence:
            if self.anchor.hash != self.head.hash:
                raise Broken(
                    self.head.sequence, "the anchor names another hash here: the past was rewritten"
                )
            self.anchored = True

    def _check_anchor_end(self) -> None:
        if not self.anchor or self.anchored:
            return
        if self.anchor.sequence > self.head.sequence:
            raise Broken(
                self.head.sequence,
                f"the journal ends here, but the anchor names sequence {self.anchor.sequence}: "
                "the end was cut off",
            )
        raise Broken(self.report.first, "the anchor lies before the first segment that is here")


@dataclass(slots=True)
class _Segment:
    """One file on the walk."""

    walk: _Walk
    connection: sqlite3.Connection
    path: Path

    def prove(self) -> None:
        """All of it, up to where it ends now."""
        walk, connection = self.walk, self.connection
        connection.execute("BEGIN")  # one view of meta and of all ends
        meta = read_meta(connection)
        last = self._ends(meta)
        snapshots = [row[0] for row in connection.execute("SELECT record FROM snapshots")]
        connection.execute("COMMIT")
        self._begins(meta)
        walk.known += last - meta.first_record + 1
        walk.visitor.segment(meta, walk.report.files == 0)
        opened = self._records(meta, last, set(snapshots))
        if opened != meta.opened:
            raise Broken(walk.head.sequence, "the table meta names another opening of the table")
        walk.closes = closed_name(meta.first_sequence)
        damage = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if damage != b"ok":
            said = text_of(damage, walk.head.sequence, "SQLite's report")
            raise Broken(walk.head.sequence, f"SQLite reports damage: {said}")

    def _ends(self, meta: Meta) -> int:
        """The last record; no table may hold anything of a record that is not there."""
        first, last = self.connection.execute("SELECT min(n), max(n) FROM records").fetchone()
        due = self.walk.head.sequence + 1
        if last is None:
            first, last = meta.first_record, meta.first_record - 1
        if first != meta.first_record:
            raise Broken(due, f"the segment begins with record {first}, not {meta.first_record}")
        for table in ("events", "sealed", "snapshots"):
            low, high = self.connection.execute(
                f"SELECT min(record), max(record) FROM {table}"  # noqa: S608  our own names
            ).fetchone()
            if low is not None and not first <= int(low) <= int(high) <= last:
                raise Broken(due, f"{table} holds a row of a record that is missing")
        return int(last)

    def _begins(self, meta: Meta) -> None:
        """The file must begin where the walk stands, or where it says if it is the first."""
        walk = self.walk
        if walk.report.files == 0:
            if (meta.first_sequence == 1) != (meta.previous == ZERO_HASH):
                raise Broken(meta.first_sequence, "the table meta says no true beginning")
            if (meta.first_sequence == 1) != (meta.first_record == 1):
                raise Broken(meta.first_sequence, "the table meta says no true beginning")
            walk.head = Head(meta.first_sequence - 1, meta.previous)
            walk.record = meta.first_record - 1
            walk.identity = meta.identity
            walk.check_anchor()
        begins = (meta.first_sequence, meta.previous, meta.first_record, meta.identity)
        due = (walk.head.sequence + 1, walk.head.hash, walk.record + 1, walk.identity)
        if begins != due:
            raise Broken(
                walk.head.sequence + 1, "the segment does not begin where the one before it ended"
            )

    def _records(self, meta: Meta, last: int, snapshots: set[int]) -> int:
        """Every record with all that belongs to it; gives the first opening of the table."""
        walk, opened = self.walk, 0
        records = pages(self.connection, _RECORDS, 1, (meta.first_record - 1,), last)
        events = _Ahead(pages(self.connection, _EVENTS, 1, (walk.head.sequence,), (1 << 62)))
        sealed = _Ahead(pages(self.connection, _SEALED, 2, (meta.first_record - 1, b""), last))
        for number, *row in records:
            if number != walk.record + 1:
                raise Broken(walk.head.sequence + 1, f"record {walk.record + 1} is missing")
            values = [value[1:] for value in sealed.while_first(number)]
            record = prove_record(number, tuple(row), values)
            if record.sequence != walk.head.sequence + 1:
                raise Broken(
                    walk.head.sequence + 1,
                    f"record {number} names another first event than its own",
                )
            self._snapshot(record, number in snapshots)
            proved = self._events(meta, record, events)
            if not opened:
                opened = next((r.sequence for r in proved if r.event["type"] == OPENED), 0)
            walk.visitor.record(record, proved)
            walk.record = number
            walk.report.records += 1
            walk.progress(walk.report.records, walk.known)
        return opened

    def _events(self, meta: Meta, record: RecordRow, events: "_Ahead") -> list[EventRow]:
        walk = self.walk
        proved: list[EventRow] = []
        for sequence, number, body in events.while_second(record.number):
            if sequence != walk.head.sequence + 1:
                raise Broken(walk.head.sequence + 1, "an event is missing")
            if number != record.number:
                raise Broken(sequence, "the event belongs to another record than its place says")
            before = walk.head
            row = prove_event(meta.identity, before, walk.time, record, body)
            self._prove_own(before, record, row)
            walk.passed(row)
            proved.append(row)
        if not proved:
            raise Broken(walk.head.sequence + 1, f"record {record.number} has no event")
        self._prove_kind(meta, record, proved)
        return proved

    def _prove_own(self, before: Head, record: RecordRow, row: EventRow) -> None:
        """The journal's own events say something that can be checked."""
        report = self.walk.report
        if row.event["type"] == CHECKPOINT:
            if report.key is None:
                report.key = str(row.event["data"].get("key"))
                report.key_from = "the journal itself: give --key to know whose it is"
            prove_checkpoint(report.key, before, record, row)
            report.signed = before.sequence
        elif row.event["type"] == SEGMENT:
            prove_segment(before, record, row)
            if self.walk.closes not in (None, row.event["data"]["previous"]):
                raise Broken(row.sequence, "the segment names another file than the one before it")

    def _prove_kind(self, meta: Meta, record: RecordRow, proved: list[EventRow]) -> None:
        first = proved[0].event["type"]
        wanted = {"checkpoint": CHECKPOINT, "segment": SEGMENT}.get(record.kind, first)
        if first != wanted:
            raise Broken(proved[0].sequence, f"a {record.kind} record without its own event")
        if record.number == meta.first_record:
            due = "restart" if meta.first_sequence == 1 else "segment"
            if record.kind != due:
                raise Broken(proved[0].sequence, f"the first record of the file is no {due}")

    def _snapshot(self, record: RecordRow, there: bool) -> None:
        """A snapshot must be the state whose digest its record gives."""
        if not there:
            if record.kind == "segment":
                raise Broken(record.sequence, "the state that the segment begins with is missing")
            return
        salt, state = self.connection.execute(
            "SELECT salt, state FROM snapshots WHERE record = ?", (record.number,)
        ).fetchone() or (b"", b"")
        what = f"the snapshot at record {record.number}"
        texts = text_of(salt, record.sequence, what), text_of(state, record.sequence, what)
        try:
            good = texts[0] == texts[0].lower() and digest(*texts) == record.body.get("state")
        except ValueError:
            good = False
        if not texts[0]:
            return  # a live journal has thinned it out in the meantime
        if not good:
            raise Broken(record.sequence, f"{what} is not the state whose digest was recorded")
        self.walk.visitor.snapshot(record.number, texts[1])


_RECORDS: Final = (
    "SELECT n, sequence, salt, input FROM records WHERE n > ? AND n <= ? ORDER BY n LIMIT ?"
)
_EVENTS: Final = (
    "SELECT sequence, record, body FROM events WHERE sequence > ? AND sequence <= ? "
    "ORDER BY sequence LIMIT ?"
)
_SEALED: Final = (
    "SELECT record, commitment, salt, card FROM sealed "
    "WHERE (record, commitment) > (?, CAST(? AS TEXT)) AND record <= ? "
    "ORDER BY record, commitment LIMIT ?"
)


class _Ahead:
    """Rows with a look at the next one."""

    def __init__(self, rows: Iterator[tuple[Any, ...]]) -> None:
        self._rows = rows
        self._next = next(rows, None)

    def while_first(self, number: int) -> Iterator[tuple[Any, ...]]:
        """The rows whose first column is `number` or less."""
        while self._next is not None and self._next[0] <= number:
            row, self._next = self._next, next(self._rows, None)
            yield row

    def while_second(self, number: int) -> Iterator[tuple[Any, ...]]:
        """The rows whose second column is `number` or less."""
        while self._next is not None and int(self._next[1]) <= number:
            row, self._next = self._next, next(self._rows, None)
            yield row
