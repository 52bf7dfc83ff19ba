"""From one file to the next: when, how they link, and readers that are in the way."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tablectl.journal import segments
from tablectl.journal.errors import JournalDamaged
from tablectl.journal.files import closed_segments
from tablectl.journal.replay import replay
from tablectl.journal.verify import verify
from tablectl.journal.wiring import Limits
from tests.journal.toy import TOY, Bench, rows, segmented_journal

ROOT = Path(__file__).parents[2]


def first_input(path: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads(next(iter(rows(path, "records")))[3])
    return found


def test_a_new_file_at_every_opening_but_the_first(data: Path) -> None:
    bench = segmented_journal(data, days=4)
    names = [path.name for path in sorted(data.glob("journal*.db"))]
    assert len(names) == 4
    assert "journal-1.db" in names
    report = replay(data, core=TOY)
    assert report.ok
    assert (report.first, report.last) == (1, bench.recorder.head.sequence)
    current = first_input(data / "journal.db")
    assert current["kind"] == "segment"
    assert (data / str(current["previous"])).exists()
    second = [json.loads(row[2])["type"] for row in rows(data / "journal.db", "events")][:2]
    assert second == ["tablectl.journal.segment", "tablectl.table.opened"]
    last = [json.loads(row[2])["type"] for row in rows(data / "journal-1.db", "events")][-1]
    assert last == "tablectl.journal.checkpoint"  # a closed file ends signed


def test_a_closed_file_stands_alone(data: Path, tmp_path: Path) -> None:
    segmented_journal(data)
    assert sorted(p.name for p in data.glob("*.db*")) == [
        "journal-1.db", "journal-27.db", "journal.db"
    ]  # fmt: skip
    copy = tmp_path / "evidence.db"
    copy.write_bytes((data / "journal-27.db").read_bytes())
    copy.chmod(0o400)
    report = verify(copy)
    assert report.ok
    assert report.first == 27
    assert report.key_from is not None
    assert "--key" in report.key_from


def test_restarts_do_not_begin_a_file_and_openings_after_them_do(data: Path) -> None:
    bench = Bench(data)
    bench.start()
    bench.again()
    bench.act("open_table")
    bench.again()
    bench.act("close_table")
    assert not list(data.glob("journal-*.db"))
    bench.act("open_table")
    bench.settle()
    assert [p.name for p in data.glob("journal-*.db")] == ["journal-1.db"]
    bench.close()
    assert verify(data).ok


def test_a_great_file_ends_when_no_cards_are_out(data: Path) -> None:
    bench = Bench(data, limits=Limits(segment_bytes=60_000))
    bench.start()
    bench.deal(2)
    for _ in range(200):
        bench.act("say", text="x" * 300)
    bench.settle()
    assert not list(data.glob("journal-*.db"))
    bench.act("clear_round")
    bench.settle()
    assert len(list(data.glob("journal-*.db"))) == 1
    for _ in range(400):
        bench.act("say", text="x" * 300)
    bench.close()
    assert len(list(data.glob("journal-*.db"))) >= 4
    assert replay(data, core=TOY).ok


@pytest.mark.timeout(60)
def test_a_reader_that_holds_on_does_not_stop_the_table(data: Path) -> None:
    bench = Bench(data)
    bench.start()
    bench.act("open_table")
    bench.play(2)
    bench.settle()
    with closing(sqlite3.connect(data / "journal.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        before = reader.execute("SELECT count(*) FROM records").fetchone()
        bench.play(1)  # the log now holds what the reader must not see
        bench.act("open_table")
        bench.play(1)
        bench.settle()
        assert reader.execute("SELECT count(*) FROM records").fetchone() == before
        assert replay(data, core=TOY).ok
    bench.close()
    report = replay(data, core=TOY)
    assert report.ok
    assert len(list(data.glob("journal-*.db"))) == 1
    assert not list(data.glob("*.part"))


@pytest.mark.timeout(60)
def test_an_idle_reader_sees_the_old_file(data: Path) -> None:
    bench = Bench(data)
    bench.start()
    bench.act("open_table")
    bench.settle()
    with closing(sqlite3.connect(data / "journal.db", isolation_level=None)) as reader:
        assert reader.execute("SELECT max(sequence) FROM events").fetchone() == (3,)
        bench.act("open_table")
        bench.play(3)
        bench.settle()
        assert reader.execute("SELECT max(sequence) FROM events").fetchone() == (4,)
    bench.close()
    assert replay(data, core=TOY).ok


def test_verify_follows_a_live_journal_from_file_to_file(data: Path) -> None:
    bench = Bench(data)
    bench.start()
    for day in range(3):
        bench.act("open_table")
        bench.play(3)
        bench.settle()
        report = verify(data)
        assert report.ok, report.broken
        assert report.last == bench.recorder.head.sequence
        assert report.files == day + 1
    bench.close()


def test_a_copy_that_was_cut_short_is_finished(data: Path) -> None:
    """As after a crash in the middle of the way that a reader forces (see the test above)."""
    bench = segmented_journal(data)
    last = bench.recorder.head
    (data / "journal.db").rename(data / "journal.next.db")
    (data / "journal.db").write_bytes((data / "journal-27.db").read_bytes())
    (data / "journal-27.db.part").write_bytes(b"half")
    segments.recover(data)
    assert not (data / "journal.next.db").exists()
    assert not (data / "journal-27.db.part").exists()
    bench.open()
    assert bench.recorder.head == last
    bench.start()
    bench.close()
    assert verify(data).ok


def test_a_next_file_that_does_not_fit_is_left_alone(data: Path) -> None:
    segmented_journal(data)
    (data / "journal.db").rename(data / "journal.next.db")
    (data / "journal-27.db").write_bytes((data / "journal-1.db").read_bytes())
    with pytest.raises(JournalDamaged, match="does not end where"):
        segments.recover(data)
    (data / "journal-27.db").unlink()
    with pytest.raises(JournalDamaged, match="archive"):
        segments.recover(data)
    (data / "journal.next.db").write_bytes(b"SQLite format 3\0" + bytes(100))
    with pytest.raises(JournalDamaged, match="remove it"):
        segments.recover(data)


LIVE = """
import sys
from pathlib import Path
from tablectl.journal.verify import verify
data, last = Path(sys.argv[1]), 0
for run in range(10):
    print(run, flush=True)
    report = verify(data)
    assert report.ok, report.broken
    assert report.last >= last
    last = report.last
"""


def test_verify_beside_a_table_that_begins_files_all_the_time(data: Path) -> None:
    """Each time that a verification begins, the table begins a new file beside it."""
    bench = Bench(data, limits=Limits(segment_bytes=40_000))
    bench.start()
    bench.settle()
    with subprocess.Popen(
        [sys.executable, "-c", LIVE, str(data)], cwd=ROOT, stdout=subprocess.PIPE
    ) as reader:
        assert reader.stdout is not None
        for number in reader.stdout:
            while len(closed_segments(data)) <= int(number):
                bench.play(1)
                bench.settle()
    assert reader.returncode == 0
    bench.close()
    assert len(closed_segments(data)) >= 10
