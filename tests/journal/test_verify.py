"""Whatever is changed behind the journal's back, `verify` finds it and says where."""

import os
import random
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tablectl.journal.keys import open_key
from tablectl.journal.verify import verify
from tablectl.table.inputs import Checkpoint
from tablectl.table.seal import commitment
from tests.journal.standalone_verifier import verify as standalone
from tests.journal.tampering import (
    CELLS,
    COLUMNS,
    KEYS,
    copy,
    dump,
    execute,
    flip_byte,
    flip_cell,
)
from tests.journal.toy import Bench, segmented_journal, small_journal

SEED = int(os.environ.get("TABLECTL_SEED", "2026"))
FLIPS = int(os.environ.get("TABLECTL_FLIPS", "12"))  # of each column


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three segments, closed; with the last event as anchor."""
    data = tmp_path_factory.mktemp("good") / "data"
    segmented_journal(data)
    return data


def anchor_of(data: Path) -> str:
    report = verify(data)
    return f"{report.last}:{report.head}"


def refused_by_both(data: Path, anchor: str | None = None) -> str | None:
    """What is broken; the stand-alone verifier must agree. None where nothing is."""
    report = verify(data, anchor=anchor)
    files = sorted(data.glob("journal-*.db"), key=lambda path: int(path.stem[8:]))
    other = standalone([*files, data / "journal.db"], report.key, anchor)
    assert report.ok == (other is None), f"verify: {report.broken}; stand-alone: {other}"
    if report.ok:
        assert report.broken is None
        return None
    assert report.broken is not None
    assert report.broken.what
    return f"{report.broken.sequence}: {report.broken.what}"


def test_a_good_journal(good: Path) -> None:
    anchor = anchor_of(good)
    assert refused_by_both(good, anchor) is None
    report = verify(good, key=open_key(good, create=False).public).as_dict()
    assert report["ok"]
    assert report["broken"] is None
    assert report["key"] is not None
    assert report["key"]["from"] == "the key given"
    assert report["last"] is not None
    assert report["signed"] == report["last"] - 1


@pytest.mark.parametrize(("table", "column"), CELLS)
@pytest.mark.parametrize("name", ["journal-27.db", "journal.db"])
def test_any_byte_of_any_cell(
    good: Path, tmp_path: Path, name: str, table: str, column: str
) -> None:
    for n in range(FLIPS):
        rng = random.Random(f"{SEED} {name} {table} {column} {n}")
        data = copy(good, tmp_path / "spoilt")
        what = flip_cell(data / name, table, column, rng)
        if what is not None:
            assert refused_by_both(data), f"TABLECTL_SEED={SEED}: {what} was not noticed"


@pytest.mark.parametrize("table", ["meta", "records", "events", "sealed"])
def test_any_row_removed(good: Path, tmp_path: Path, table: str) -> None:
    rng = random.Random(SEED)
    whole = dump(good / "journal-27.db")[table]
    for row in rng.sample(whole, min(10, len(whole))):
        data = copy(good, tmp_path / "spoilt")
        where = " AND ".join(f"{key} = ?" for key in KEYS[table])
        key = row[: len(KEYS[table])]
        assert execute(data / "journal-27.db", f"DELETE FROM {table} WHERE {where}", key) == 1
        assert refused_by_both(data), f"TABLECTL_SEED={SEED}: {table} {key} removed"


def test_a_record_removed_with_all_that_belongs_to_it(good: Path, tmp_path: Path) -> None:
    for number in (1, 2, 7, 15):
        data = copy(good, tmp_path / "spoilt")
        for table, column in (("records", "n"), ("events", "record"), ("sealed", "record")):
            sql = f"DELETE FROM {table} WHERE {column} = ?"
            execute(data / "journal-1.db", sql, (number,))
        assert refused_by_both(data)


def test_the_state_that_a_segment_begins_with_removed(good: Path, tmp_path: Path) -> None:
    data = copy(good, tmp_path / "spoilt")
    execute(data / "journal-27.db", "DELETE FROM snapshots")
    assert "begins with is missing" in str(refused_by_both(data))


def test_the_end_cut_off_is_found_by_an_anchor(good: Path, tmp_path: Path) -> None:
    anchor = anchor_of(good)
    data = copy(good, tmp_path / "spoilt")
    last = dump(data / "journal.db")["records"][-1][0]
    for table, column in (("records", "n"), ("events", "record"), ("snapshots", "record")):
        execute(data / "journal.db", f"DELETE FROM {table} WHERE {column} = ?", (last,))
    assert verify(data).ok
    assert "the end was cut off" in str(refused_by_both(data, anchor))
    (data / "journal.db").unlink()
    assert "the end was cut off" in str(verify(data, anchor=anchor).broken)


def test_another_past_is_found_by_an_anchor(good: Path) -> None:
    sequence, _, hash_ = anchor_of(good).partition(":")
    wrong = ("0" if hash_[0] != "0" else "1") + hash_[1:]
    assert "rewritten" in str(refused_by_both(good, f"{sequence}:{wrong}"))
    assert "rewritten" in str(refused_by_both(good, f"5:{wrong}"))
    assert verify(good / "journal.db", anchor=f"5:{wrong}").broken is not None


def test_an_anchor_just_before_the_first_segment_here(good: Path, tmp_path: Path) -> None:
    report = verify(good / "journal-1.db")
    data = copy(good, tmp_path / "later")
    (data / "journal-1.db").unlink()
    assert verify(data, anchor=f"26:{report.head}").ok
    assert not verify(data, anchor=f"26:{'a' * 64}").ok
    assert verify(data).first == 27


@pytest.mark.parametrize("table", ["records", "events", "sealed", "snapshots"])
def test_two_rows_swapped(good: Path, tmp_path: Path, table: str) -> None:
    rng = random.Random(SEED)
    key, columns = KEYS[table][0], COLUMNS[table]
    rest = [column for column in columns if column not in KEYS[table] and column != "sequence"]
    for _ in range(5):
        data = copy(good, tmp_path / "spoilt")
        path = data / "journal-27.db"
        first, second = rng.sample(dump(path)[table], 2)
        for one, other in ((first, second), (second, first)):
            sets = ", ".join(f"{column} = ?" for column in rest)
            values = tuple(other[columns.index(column)] for column in rest)
            where = " AND ".join(f"{name} = ?" for name in KEYS[table])
            keys = tuple(one[columns.index(name)] for name in KEYS[table])
            execute(path, f"UPDATE {table} SET {sets} WHERE {where}", (*values, *keys))
        assert refused_by_both(data), f"TABLECTL_SEED={SEED}: {table} {key} swapped"


def test_a_card_switched_with_a_fresh_commitment(good: Path, tmp_path: Path) -> None:
    """A seal that opens well, but is not the one that was dealt."""
    data = copy(good, tmp_path / "spoilt")
    path = data / "journal-27.db"
    record, old, salt, card = dump(path)["sealed"][0]
    other = "AS" if card != "AS" else "KS"
    execute(
        path,
        "UPDATE sealed SET card = ?, commitment = ? WHERE record = ? AND commitment = ?",
        (other, commitment(other, salt), record, old),
    )
    assert "is missing" in str(refused_by_both(data))


def test_an_extra_sealed_value(good: Path, tmp_path: Path) -> None:
    data = copy(good, tmp_path / "spoilt")
    path = data / "journal-27.db"
    row = dump(path)["sealed"][0]
    execute(path, "INSERT INTO sealed VALUES (?, ?, ?, ?)", (row[0] + 1, *row[1:]))
    assert "does not name" in str(refused_by_both(data))


def test_a_segment_that_is_missing_renamed_or_foreign(good: Path, tmp_path: Path) -> None:
    data = copy(good, tmp_path / "spoilt")
    (data / "journal-27.db").unlink()
    assert refused_by_both(data)
    data = copy(good, tmp_path / "spoilt")
    (data / "journal-1.db").rename(data / "journal-2.db")
    assert not verify(data).ok
    data = copy(good, tmp_path / "spoilt")
    other = tmp_path / "other"
    segmented_journal(other, seed=9)
    shutil.copy(other / "journal-27.db", data / "journal-27.db")
    assert refused_by_both(data)


def test_another_key(good: Path, tmp_path: Path) -> None:
    other = open_key(tmp_path, create=True)
    report = verify(good, key=str(tmp_path / "journal.pub"))
    assert not report.ok
    assert report.broken is not None
    assert "another key" in report.broken.what
    assert report.key == other.public


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({}, None),
        ({"signature": "ab" * 64}, "signature is wrong"),
        ({"signature": "nonsense"}, "signature is wrong"),
        ({"state": "a" * 64}, "signature is wrong"),
        ({"sequence": 1}, "another place"),
        ({"hash": "a" * 64}, "another place"),
        ({"key": "ab" * 32}, "another key"),
    ],
)
def test_a_checkpoint_that_the_key_did_not_sign(
    data: Path, changes: dict[str, Any], what: str | None
) -> None:
    """As somebody leaves it who wrote the whole chain anew, but has not the key."""
    bench = Bench(data)
    bench.start()
    bench.act("say")
    head, key, state = bench.recorder.head, open_key(data, create=False), "5" * 64
    signature = key.sign(head.sequence, head.hash, state)
    good = Checkpoint(bench.at(), head.sequence, head.hash, key.public, signature, state)
    bench.recorder.submit(replace(good, **changes))
    bench.deal(1)
    bench.close()
    assert (what or "None") in str(refused_by_both(data))


def test_every_flipped_bit_is_noticed_or_changes_nothing(good: Path, tmp_path: Path) -> None:
    """Bits that SQLite does not read (free space) may change; anything that it reads may not."""
    wanted = dump(good / "journal-27.db")
    noticed = 0
    for n in range(25 * FLIPS):
        rng = random.Random(f"{SEED} bit {n}")
        data = copy(good, tmp_path / "spoilt")
        what = flip_byte(data / "journal-27.db", rng)
        report = verify(data)
        if report.ok:
            assert dump(data / "journal-27.db") == wanted, f"TABLECTL_SEED={SEED}: {what}"
        else:
            noticed += 1
            assert report.broken is not None
            assert report.broken.what.startswith("journal")
    assert noticed > 0


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "not a SQLite file"),
        (b"hello, world", "not a SQLite file"),
        (b"SQLite format 3\0", "damage"),
        (b"SQLite format 3\0" + bytes(5000), "damage"),
    ],
)
def test_files_that_are_none(tmp_path: Path, content: bytes, what: str) -> None:
    path = tmp_path / "journal.db"
    path.write_bytes(content)
    report = verify(path)
    assert report.broken is not None
    assert what in report.broken.what


def test_another_sqlite_file(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE a (b)")
    assert "not a tablectl journal" in str(verify(path).broken)


def test_tables_that_are_not_ours(good: Path, tmp_path: Path) -> None:
    data = copy(good, tmp_path / "spoilt")
    execute(data / "journal.db", "CREATE VIEW more AS SELECT * FROM events")
    assert "tables are not those" in str(verify(data).broken)


def test_nothing_there(tmp_path: Path) -> None:
    assert "no such journal" in str(verify(tmp_path / "nothing.db").broken)
    assert "holds no journal" in str(verify(tmp_path).broken)


def test_a_truncated_file(good: Path, tmp_path: Path) -> None:
    whole = (good / "journal-1.db").read_bytes()
    for size in (100, 512, 4096, 10_000, len(whole) - 4096, len(whole) - 1):
        path = tmp_path / "journal.db"
        path.write_bytes(whole[:size])
        report = verify(path)
        assert not report.ok, size


@pytest.mark.parametrize("body", ["", "[]", "{}", "null", "1e400", "[" * 50_000, '{"a":1,"a":1}'])
def test_garbage_in_a_cell(good: Path, tmp_path: Path, body: str) -> None:
    for sql in ("UPDATE events SET body = ?", "UPDATE records SET input = ?"):
        data = copy(good, tmp_path / "spoilt")
        execute(data / "journal.db", sql, (body,))
        assert refused_by_both(data)


def test_a_live_journal_and_its_copies(data: Path, tmp_path: Path) -> None:
    bench = Bench(data)
    bench.start()
    bench.play(3)
    bench.settle()
    assert verify(data).last == bench.recorder.head.sequence
    assert (data / "journal.db-wal").stat().st_size > 0
    for suffixes in (["", "-wal"], ["", "-wal", "-shm"]):
        folder = tmp_path / f"copy{len(suffixes)}"
        folder.mkdir()
        for suffix in suffixes:
            shutil.copy(data / f"journal.db{suffix}", folder / f"journal.db{suffix}")
        files = {path.name: path.read_bytes() for path in folder.iterdir()}
        report = verify(folder / "journal.db")
        assert report.ok
        assert report.last == bench.recorder.head.sequence
        if len(suffixes) == 2:  # nothing is left beside evidence
            assert {path.name: path.read_bytes() for path in folder.iterdir()} == files
    bench.close()
    (tmp_path / "plain").mkdir()
    shutil.copy(data / "journal.db", tmp_path / "plain" / "journal.db")
    assert verify(tmp_path / "plain").ok
    assert [path.name for path in (tmp_path / "plain").iterdir()] == ["journal.db"]


def test_progress_counts_records(good: Path) -> None:
    seen: list[tuple[int, int]] = []
    report = verify(good, progress=lambda done, of: seen.append((done, of)))
    assert len(seen) == report.records
    assert seen[-1] == (report.records, report.records)


def test_an_unsigned_journal(data: Path) -> None:
    bench = Bench(data)
    bench.start()
    bench.deal(1)
    bench.close()
    report = verify(data)
    assert report.ok
    assert report.signed is None


def test_a_small_one(data: Path) -> None:
    small_journal(data)
    assert refused_by_both(data) is None
