"""Reading a journal that is not ours to write: live or copied, with or without its log.

Nothing is written beside the file. Reads come in short pages, so that no table is held up.
"""

import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tablectl.journal.codec import Sealed, decode
from tablectl.journal.errors import JournalDamaged
from tablectl.journal.files import CURRENT, closed_segments
from tablectl.journal.store import APPLICATION_ID, TABLES, Meta, read_meta
from tablectl.table.inputs import Input

PAGE: Final = 1000


@contextmanager
def open_segment(path: Path) -> Iterator[sqlite3.Connection]:
    """A read-only connection, TEXT as bytes. Raises JournalDamaged, sqlite3.Error, OSError."""
    with path.open("rb") as file:
        if file.read(16) != b"SQLite format 3\x00":
            raise JournalDamaged("it is not a SQLite file")
    log = path.with_name(path.name + "-wal")
    index = path.with_name(path.name + "-shm")
    with tempfile.TemporaryDirectory(prefix="tablectl-") as scratch:
        if index.exists() and os.access(index, os.W_OK):  # a live journal: SQLite's own locks
            uri = f"{path.absolute().as_uri()}?mode=ro"
        elif log.exists() and log.stat().st_size:  # copied with its log: look at a copy
            uri = _copy(path, Path(scratch))
        else:
            uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None, timeout=10)) as opened:
            opened.text_factory = bytes
            opened.execute("PRAGMA trusted_schema=OFF")
            opened.execute("PRAGMA cell_size_check=ON")
            yield opened


def _copy(path: Path, scratch: Path) -> str:
    """A copy of a segment and its log, as an address."""
    for suffix in ("", "-wal"):
        source = path.with_name(path.name + suffix)
        if source.exists():
            shutil.copy(source, scratch / source.name)
    return (scratch / path.name).as_uri()


def check_layout(connection: sqlite3.Connection) -> None:
    """Make sure that these are a journal's tables and nothing else; raises JournalDamaged."""
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise JournalDamaged("it is a SQLite file, but not a tablectl journal")
    rows = connection.execute("SELECT type, name, sql FROM sqlite_schema").fetchall()
    found = {_name(name): (kind, sql) for kind, name, sql in rows}
    wanted = {name: (b"table", sql.encode()) for name, sql in TABLES.items()}
    if found != wanted:
        odd = sorted(name for name in found.keys() | wanted if found.get(name) != wanted.get(name))
        raise JournalDamaged(f"its tables are not those of a journal: {', '.join(odd)}")


def _name(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def pages(
    connection: sqlite3.Connection, sql: str, key: int, after: tuple[Any, ...], upto: int
) -> Iterator[tuple[Any, ...]]:
    """The rows of `sql`, which takes (*after, upto, limit), by the first `key` columns as key."""
    while rows := connection.execute(sql, (*after, upto, PAGE)).fetchall():
        yield from rows
        after = rows[-1][:key]


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event as it was published."""

    sequence: int
    body: str


@dataclass(frozen=True, slots=True)
class StoredInput:
    """A record: its input, with the sealed cards in it, and its events."""

    number: int
    input: Input
    text: str
    salt: str
    events: tuple[StoredEvent, ...]


def segments_of(folder: Path) -> list[Path]:
    """The segments of a folder in order, the current one last."""
    current = folder / CURRENT
    return [*closed_segments(folder).values(), *([current] if current.exists() else [])]


def _metas(folder: Path) -> Iterator[tuple[Path, Meta]]:
    """Segments with what they say of themselves, the latest first."""
    for path in reversed(segments_of(folder)):
        with open_segment(path) as connection:
            yield path, read_meta(connection)


def events_after(folder: Path, sequence: int, limit: int) -> list[StoredEvent]:
    """Up to `limit` events, across segments. Raises JournalDamaged, sqlite3.Error."""
    wanted: list[Path] = []
    for path, meta in _metas(folder):
        wanted.insert(0, path)
        if meta.first_sequence <= sequence + 1:
            break
    found: list[StoredEvent] = []
    for path in wanted:
        with open_segment(path) as connection:
            rows = connection.execute(
                "SELECT sequence, body FROM events WHERE sequence > ? ORDER BY sequence LIMIT ?",
                (sequence, limit - len(found)),
            ).fetchall()
        found += [StoredEvent(number, body.decode()) for number, body in rows]
        if len(found) >= limit:
            break
        sequence = found[-1].sequence if found else sequence
    return found


def latest(folder: Path, types: Sequence[str]) -> str | None:
    """Which of these events stands last in a journal; None where none does, or none is there.

    Raises JournalDamaged, OSError.
    """
    if not folder.exists():
        return None
    named = " OR ".join("instr(body, ?)" for _ in types)
    try:
        for path, _meta in _metas(folder):
            with open_segment(path) as connection:
                row = connection.execute(
                    f"SELECT body FROM events WHERE {named} ORDER BY sequence DESC LIMIT 1",  # noqa: S608 - question marks
                    [f'"type":"{one}"' for one in types],
                ).fetchone()
            if row is not None:
                return str(json.loads(row[0])["type"])
    except (sqlite3.Error, ValueError, KeyError) as error:
        raise JournalDamaged(f"the journal in {folder} cannot be read: {error}") from None
    return None


def read_record(folder: Path, number: int) -> StoredInput | None:
    """Record `number` of a journal, None where it is not here; raises JournalDamaged."""
    for path, meta in _metas(folder):
        if meta.first_record <= number:
            with open_segment(path) as connection:
                return _record(connection, number)
    return None


def _record(connection: sqlite3.Connection, number: int) -> StoredInput | None:
    row = connection.execute(
        "SELECT sequence, salt, input FROM records WHERE n = ?", (number,)
    ).fetchone()
    if row is None:
        return None
    sequence, salt, text = row
    sealed = connection.execute(
        "SELECT commitment, salt, card FROM sealed WHERE record = ?", (number,)
    ).fetchall()
    rows = tuple(Sealed(*(column.decode() for column in columns)) for columns in sealed)
    bound = connection.execute(
        "SELECT sequence FROM records WHERE n > ? ORDER BY n LIMIT 1", (number,)
    ).fetchone()
    events = connection.execute(
        "SELECT sequence, body FROM events WHERE sequence >= ? AND sequence < ? ORDER BY sequence",
        (sequence, bound[0] if bound else 1 << 62),
    ).fetchall()
    return StoredInput(
        number,
        decode(text.decode(), rows),
        text.decode(),
        salt.decode(),
        tuple(StoredEvent(found, body.decode()) for found, body in events),
    )
