"""Records made durable by the journal's writer, against bare SQLite writing the same rows.

The baseline has the journal's tables, WAL and synchronous=FULL, its rows ready made, and as many of
them in a transaction as the writer's largest group had; each side makes and closes its file. One at
a time, the Recorder and the baseline take turns with each record, a transaction each.
"""

import shutil
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from tablectl.journal import store
from tablectl.journal.chain import Identity
from tablectl.journal.files import CURRENT
from tablectl.journal.recorder import Recorder
from tablectl.journal.segments import Roll
from tablectl.journal.store import Entry
from tablectl.journal.writer import JournalFile, Writer
from tablectl.table.inputs import Input
from tests.bench.journals import RecordedPit, opened
from tests.bench.measure import BUILD, SEED, Row, Tell, Topic, percentile, typical

ROUNDS: Final = 60
TURNS: Final = 5
ONE_BY_ONE: Final = 1_000

_INSERTS: Final = {
    "records": "INSERT INTO records VALUES (?, ?, ?, ?)",
    "events": "INSERT INTO events VALUES (?, ?, ?)",
    "sealed": "INSERT INTO sealed VALUES (?, ?, ?, ?)",
    "snapshots": "INSERT INTO snapshots VALUES (?, ?, ?)",
}
Rows = dict[str, list[tuple[Any, ...]]]


def rows_of(entries: list[Entry]) -> Rows:
    """What stands in the file for these records."""
    return {
        "records": [(e.record, e.events[0].sequence, e.salt, e.text) for e in entries],
        "events": [(one.sequence, e.record, one.body) for e in entries for one in e.events],
        "sealed": [(e.record, s.commitment, s.salt, s.card) for e in entries for s in e.sealed],
        "snapshots": [(e.record, e.snapshot.salt, e.snapshot.text) for e in entries if e.snapshot],
    }


def insert(connection: sqlite3.Connection, rows: Rows) -> None:
    connection.execute("BEGIN IMMEDIATE")
    for table, sql in _INSERTS.items():
        if rows[table]:
            connection.executemany(sql, rows[table])
    connection.execute("COMMIT")


def keep_entries(recorder: Recorder) -> list[Entry]:
    """Everything that the recorder gives its writer from now on."""
    kept: list[Entry] = []
    writer: Any = recorder._writer
    put = writer.put

    def keeping(work: Entry | Roll) -> None:
        assert isinstance(work, Entry)
        kept.append(work)
        put(work)

    writer.put = keeping
    return kept


class Counted(JournalFile):
    """A journal file that notes the size of each group."""

    def __init__(self, data: Path) -> None:
        super().__init__(data)
        self.groups: list[int] = []

    def commit(self, entries: list[Entry]) -> None:
        self.groups.append(len(entries))
        super().commit(entries)


class Desk:
    """A folder with fresh files for each turn."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.groups: list[int] = []

    def fresh(self) -> Path:
        """A data folder with an empty journal."""
        data = self.folder / "data"
        shutil.rmtree(data, ignore_errors=True)
        data.mkdir()
        store.create(data / CURRENT, store.Meta(Identity("harbor", "tcp-12", 0)))
        return data

    def by_writer(self, entries: list[Entry]) -> None:
        target = Counted(self.fresh())
        writer = Writer(target, 0, capacity=len(entries) + 1)
        for entry in entries:
            writer.put(entry)
        assert writer.wait_durable(entries[-1].last, 60), writer.failure
        assert writer.close()
        self.groups = target.groups

    def by_sqlite(self, groups: list[Rows]) -> None:
        with closing(store.connect(self.fresh() / CURRENT)) as connection:
            for rows in groups:
                insert(connection, rows)

    def by_recorder(self, inputs: list[Input]) -> None:
        shutil.rmtree(self.folder / "data", ignore_errors=True)
        recorder = opened(self.folder / "data")
        for given in inputs:
            recorder.submit(given)
            recorder.release()
        assert recorder.wait_durable(recorder.head.sequence, 60), recorder.failure
        assert recorder.close()


def play(data: Path) -> tuple[list[Input], list[Entry]]:
    """The inputs of some rounds, and the records that the Recorder makes of them."""
    recorder = opened(data)
    entries = keep_entries(recorder)
    pit = InputsPit(SEED, recorder=recorder)
    pit.begin()
    for _ in range(ROUNDS):
        pit.until_clearing()
        pit.clear()
    assert recorder.close(), recorder.failure
    return pit.inputs, entries


class InputsPit(RecordedPit):
    """Keeps what it feeds."""

    def feed(self, input_: Input) -> Any:
        self.inputs.append(input_)
        return super().feed(input_)


def one_by_one(folder: Path, inputs: list[Input]) -> tuple[list[float], list[float]]:
    """Milliseconds from submit to durable, and of bare SQLite for the same records, in turns."""
    ours: list[float] = []
    bare: list[float] = []
    recorder = opened(folder / "one")
    entries = keep_entries(recorder)
    desk = Desk(folder)
    with closing(store.connect(desk.fresh() / CURRENT)) as connection:
        for given in inputs:
            entries.clear()
            began = time.perf_counter()
            receipt = recorder.submit(given)
            assert recorder.wait_durable(receipt.sequence, 60), recorder.failure
            ours.append((time.perf_counter() - began) * 1e3)
            rows = rows_of(entries)
            began = time.perf_counter()
            insert(connection, rows)
            bare.append((time.perf_counter() - began) * 1e3)
    assert recorder.close()
    return ours, bare


def measure(tell: Tell) -> Topic:
    with tempfile.TemporaryDirectory(dir=BUILD) as name:
        folder = Path(name)
        tell("playing rounds")
        inputs, entries = play(folder / "play")
        desk = Desk(folder)
        desk.by_writer(entries)
        size = max(desk.groups)
        parts = [entries[at : at + size] for at in range(0, len(entries), size)]
        groups = [rows_of(part) for part in parts]
        writer, sqlite, recorder = typical(
            [
                lambda: desk.by_writer(entries),
                lambda: desk.by_sqlite(groups),
                lambda: desk.by_recorder(inputs),
            ],
            TURNS,
            tell,
        )
        tell("one at a time")
        ours, bare = one_by_one(folder, inputs[:ONE_BY_ONE])
    count = len(entries)
    unit = "records/s"
    return Topic(
        [
            Row(f"the writer / bare SQLite, {unit}", count / writer, count / sqlite),
            Row(f"Recorder.submit / bare SQLite, {unit}", count / recorder, count / sqlite),
            *(
                Row(
                    f"submit to durable / bare SQLite, one at a time, p{percent}, ms",
                    percentile(ours, percent),
                    percentile(bare, percent),
                )
                for percent in (50, 99)
            ),
        ],
        f"{count:,} records in groups of {size}, median of {TURNS} turns; "
        f"{len(ours):,} one at a time",
    )
