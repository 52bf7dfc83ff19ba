"""The state that was, from a journal's files: the last good snapshot, then a short fold.

A snapshot counts only where the chain holds its digest and, at a checkpoint, our key signed it. The
fold compares every event that it derives with the stored one.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tablectl.journal.chain import Head, digest, publish
from tablectl.journal.codec import HEX_32, Sealed, StateCodec, decode
from tablectl.journal.core import Core
from tablectl.journal.errors import JournalDamaged, Unrecordable
from tablectl.journal.keys import signed_by
from tablectl.journal.store import Meta, read_meta
from tablectl.table.inputs import Restart

PAGE = 500  # records read at a time


@dataclass(frozen=True, slots=True)
class Restored:
    """Where the journal stands."""

    state: Any
    head: Head
    record: int  # the last one, 0 for none
    folded: int  # records stepped through to get here
    core_version: int | None  # of the last Restart folded, None where none was
    notes: tuple[str, ...]  # what was found wrong with snapshots, for the log


@dataclass(frozen=True, slots=True)
class _Base:
    state: Any
    head: Head
    next_record: int


def restore(
    current: sqlite3.Connection, folder: Path, core: Core, codec: StateCodec, public: str
) -> Restored:
    """Rebuild the state; raises JournalDamaged, sqlite3.Error."""
    notes: list[str] = []
    with ExitStack() as opened:
        files = [current]  # the segments to fold, the earliest first
        while True:
            meta = read_meta(files[0])
            base = _best_snapshot(files[0], codec, public, notes)
            if base is None and meta.first_sequence == 1:
                base = _Base(core.blank(), Head(), 1)
            if base is not None:
                break
            earlier = _open_earlier(files[0], folder)
            opened.enter_context(closing(earlier))
            files.insert(0, earlier)
        return _fold(files, base, core, tuple(notes))


def _open_earlier(connection: sqlite3.Connection, folder: Path) -> sqlite3.Connection:
    """The segment before this one, when its own snapshots are of no use."""
    row = connection.execute("SELECT input FROM records ORDER BY n LIMIT 1").fetchone()
    try:
        path = folder / str(json.loads(row[0])["previous"])
    except (TypeError, ValueError, KeyError):
        raise JournalDamaged(
            "the segment does not say what it follows: run tablectl verify"
        ) from None
    if not path.exists():
        raise JournalDamaged(
            f"no snapshot of the journal is usable and {path.name} is not here: put it back from "
            "the archive"
        )
    return sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, isolation_level=None)


def _best_snapshot(
    connection: sqlite3.Connection, codec: StateCodec, public: str, notes: list[str]
) -> _Base | None:
    numbers = connection.execute("SELECT record FROM snapshots ORDER BY record DESC").fetchall()
    for (number,) in numbers:
        try:
            return _snapshot(connection, number, codec, public)
        except JournalDamaged as error:
            notes.append(f"the snapshot at record {number} is ignored: {error}")
    return None


def _snapshot(connection: sqlite3.Connection, number: int, codec: StateCodec, public: str) -> _Base:
    row = connection.execute(
        "SELECT s.salt, s.state, e.body FROM snapshots s JOIN records r ON r.n = s.record "
        "JOIN events e ON e.sequence = r.sequence WHERE s.record = ?",
        (number,),
    ).fetchone()
    if row is None:
        raise JournalDamaged("it has no record")
    salt, text, body = row
    try:
        event = json.loads(body)
        kind, data = event["type"], event["data"]
        sequence, head, state = data["sequence"], data["hash"], data["state"]
        signature = data.get("signature")
    except (ValueError, KeyError, TypeError):
        raise JournalDamaged("its event is not readable") from None
    if not HEX_32.fullmatch(salt) or digest(salt, text) != state:
        raise JournalDamaged("its digest is not the one in the chain")
    if kind == "tablectl.journal.checkpoint":
        if not signed_by(public, signature, sequence, head, state):
            raise JournalDamaged("its checkpoint is not signed with this journal's key")
    elif kind != "tablectl.journal.segment":
        raise JournalDamaged("it does not belong to a checkpoint or a segment")
    if sequence + 1 != event["sequence"] or event["prevhash"] != head:
        raise JournalDamaged("its event does not follow what it names")
    return _Base(codec.decode(text), Head(sequence, head), number)


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record as the fold reads it."""

    number: int
    salt: str
    text: str
    sealed: tuple[Sealed, ...]
    bodies: tuple[str, ...]


def stored_records(connection: sqlite3.Connection, first: int) -> Iterator[StoredRecord]:
    """Records from number `first` on, each with its sealed values and events."""
    while True:
        rows = connection.execute(
            "SELECT n, sequence, salt, input FROM records WHERE n >= ? ORDER BY n LIMIT ?",
            (first, PAGE),
        ).fetchall()
        if not rows:
            return
        last = rows[-1][0]
        sealed: dict[int, list[Sealed]] = {}
        for number, *columns in connection.execute(
            "SELECT record, commitment, salt, card FROM sealed WHERE record BETWEEN ? AND ?",
            (rows[0][0], last),
        ):
            sealed.setdefault(number, []).append(Sealed(*columns))
        bodies: dict[int, list[str]] = {}
        for number, body in connection.execute(
            "SELECT record, body FROM events WHERE sequence >= ? ORDER BY sequence", (rows[0][1],)
        ):
            if number > last:
                break
            bodies.setdefault(number, []).append(body)
        for number, _sequence, salt, text in rows:
            values = tuple(sealed.get(number, ()))
            yield StoredRecord(number, salt, text, values, tuple(bodies.get(number, ())))
        first = last + 1


def _fold(
    files: list[sqlite3.Connection], base: _Base, core: Core, notes: tuple[str, ...]
) -> Restored:
    state, head, due, version = base.state, base.head, base.next_record, None
    metas: list[Meta] = [read_meta(connection) for connection in files]
    for connection, meta in zip(files, metas, strict=True):
        for record in stored_records(connection, due):
            if record.number != due:
                raise JournalDamaged(f"record {due} is missing: run tablectl verify")
            given = decode(record.text, record.sealed)
            if isinstance(given, Restart):
                version = given.core_version
            outcome = core.step(state, given)
            try:
                derived = publish(
                    meta.identity, head, outcome.events, digest(record.salt, record.text)
                )
            except (Unrecordable, ValueError):
                derived = ()
            if tuple(event.body for event in derived) != record.bodies or not derived:
                raise JournalDamaged(_diverged(record.number, version, core.version))
            state, head, due = outcome.state, Head(derived[-1].sequence, derived[-1].hash), due + 1
    return Restored(state, head, due - 1, due - base.next_record, version, notes)


def _diverged(record: int, wrote: int | None, ours: int) -> str:
    if wrote not in (None, ours):
        return (
            f"record {record} was written by core version {wrote}, and version {ours} makes other "
            "events of it: start the version that wrote it, stop it cleanly, then update"
        )
    return f"record {record} does not give the events stored with it: run tablectl verify"
