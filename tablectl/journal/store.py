"""One segment as a SQLite file: its tables, how it is made, what is written and read back.

Whoever holds the connection decides about threads and transactions; nothing here knows the core.
"""

import os
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Final

from tablectl.journal.chain import Head, Identity, Published
from tablectl.journal.codec import Sealed
from tablectl.journal.errors import JournalDamaged
from tablectl.journal.files import remove_database, sync_folder

FORMAT: Final = "tablectl-journal-1"
APPLICATION_ID: Final = 0x7461626C  # "tabl"
# Rows that one statement writes. Between two of them other threads run, and keep this one waiting.
ROWS: Final = 64
SNAPSHOTS_KEPT: Final = 4  # since the last restart; those before a restart stay

# Exactly this text stands in the file: `verify` compares it.
TABLES: Final = {
    "meta": "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "records": (
        "CREATE TABLE records (n INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, "
        "salt TEXT NOT NULL, input TEXT NOT NULL) STRICT"
    ),
    "events": (
        "CREATE TABLE events (sequence INTEGER PRIMARY KEY, record INTEGER NOT NULL, "
        "body TEXT NOT NULL) STRICT"
    ),
    "sealed": (
        "CREATE TABLE sealed (record INTEGER NOT NULL, commitment TEXT NOT NULL, "
        "salt TEXT NOT NULL, card TEXT NOT NULL, PRIMARY KEY (record, commitment)) "
        "STRICT, WITHOUT ROWID"
    ),
    "snapshots": (
        "CREATE TABLE snapshots (record INTEGER PRIMARY KEY, salt TEXT NOT NULL, "
        "state TEXT NOT NULL) STRICT"
    ),
}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state before a record, as text, with the salt of its digest."""

    salt: str
    text: str
    keep_to: int  # snapshots up to this record are not thinned out


@dataclass(frozen=True, slots=True)
class Entry:
    """A record on its way to the disk, with everything that goes with it."""

    record: int
    salt: str
    text: str
    sealed: tuple[Sealed, ...]
    events: tuple[Published, ...]
    snapshot: Snapshot | None = None

    @property
    def last(self) -> int:
        """The sequence of its last event."""
        return self.events[-1].sequence


@dataclass(frozen=True, slots=True)
class Meta:
    """What a segment says of itself."""

    identity: Identity
    first_record: int = 1
    first_sequence: int = 1
    previous: str = Head().hash
    opened: int = 0  # the sequence of the first table.opened in this file, 0 for none

    def rows(self) -> dict[str, str]:
        """As the meta table holds it."""
        return {
            "format": FORMAT,
            "site": self.identity.site,
            "table": self.identity.table,
            "epoch": str(self.identity.epoch),
            "first_record": str(self.first_record),
            "first_sequence": str(self.first_sequence),
            "previous": self.previous,
            "opened": str(self.opened),
        }

    @staticmethod
    def of(rows: dict[str, str]) -> "Meta":
        """Read it back; raises JournalDamaged where it is not exactly what a segment says."""
        try:
            identity = Identity(rows["site"], rows["table"], int(rows["epoch"]))
            meta = Meta(
                identity,
                int(rows["first_record"]),
                int(rows["first_sequence"]),
                rows["previous"],
                int(rows["opened"]),
            )
        except (KeyError, ValueError):
            meta = None
        if meta is None or meta.rows() != rows:
            raise JournalDamaged("the table meta is not that of a tablectl journal")
        return meta


def connect(path: Path) -> sqlite3.Connection:
    """Open a segment for writing: every commit reaches the disk before it returns."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=10)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA trusted_schema=OFF")
    connection.execute("SELECT count(*) FROM meta").fetchone()
    return connection


def create(path: Path, meta: Meta, entries: Sequence[Entry] = ()) -> None:
    """Make a segment so that it is there whole, under `path`, or not at all."""
    part = path.with_name(path.name + ".new")
    remove_database(part)
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    connection = sqlite3.connect(part, isolation_level=None)
    try:
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        connection.execute("BEGIN IMMEDIATE")
        for statement in TABLES.values():
            connection.execute(statement)
        connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.rows().items())
        insert(connection, entries)
        connection.execute("COMMIT")
    finally:
        connection.close()
    sync_folder(path.parent)
    part.rename(path)
    sync_folder(path.parent)


def insert(connection: sqlite3.Connection, entries: Sequence[Entry]) -> None:
    """Write records within the transaction that is open."""
    _insert(
        connection, "records", [(e.record, e.events[0].sequence, e.salt, e.text) for e in entries]
    )
    _insert(
        connection,
        "events",
        [(one.sequence, e.record, one.body) for e in entries for one in e.events],
    )
    _insert(
        connection,
        "sealed",
        [(e.record, s.commitment, s.salt, s.card) for e in entries for s in e.sealed],
    )
    for entry in entries:
        if entry.snapshot:
            _insert_snapshot(connection, entry.record, entry.snapshot)
        for event in entry.events:
            if event.type == "table.opened":
                connection.execute(
                    "UPDATE meta SET value = ? WHERE key = 'opened' AND value = '0'",
                    (str(event.sequence),),
                )


def _insert(connection: sqlite3.Connection, table: str, rows: list[tuple[object, ...]]) -> None:
    for at in range(0, len(rows), ROWS):
        part = rows[at : at + ROWS]
        connection.execute(_statement(table, len(part[0]), len(part)), list(chain(*part)))


@cache
def _statement(table: str, columns: int, rows: int) -> str:
    row = f"({', '.join('?' * columns)})"
    return f"INSERT INTO {table} VALUES {', '.join([row] * rows)}"  # noqa: S608  our own names


def _insert_snapshot(connection: sqlite3.Connection, record: int, snapshot: Snapshot) -> None:
    connection.execute(
        "INSERT INTO snapshots VALUES (?, ?, ?)", (record, snapshot.salt, snapshot.text)
    )
    connection.execute(
        "DELETE FROM snapshots WHERE record > ? AND record NOT IN "
        "(SELECT record FROM snapshots ORDER BY record DESC LIMIT ?)",
        (snapshot.keep_to, SNAPSHOTS_KEPT),
    )


def commit(connection: sqlite3.Connection, entries: Sequence[Entry]) -> None:
    """Write records in one transaction; when it returns they are durable. Raises sqlite3.Error."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        insert(connection, entries)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def read_meta(connection: sqlite3.Connection) -> Meta:
    """What the segment says of itself; raises JournalDamaged, sqlite3.Error."""
    rows = connection.execute("SELECT key, value FROM meta").fetchall()
    try:
        return Meta.of({_text(key): _text(value) for key, value in rows})
    except UnicodeDecodeError:
        raise JournalDamaged("the table meta is not that of a tablectl journal") from None


def last_record(connection: sqlite3.Connection) -> int | None:
    """The number of the last record, None where there is none yet."""
    found = connection.execute("SELECT max(n) FROM records").fetchone()[0]
    return None if found is None else int(found)


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
