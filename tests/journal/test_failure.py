"""A commit fails: nothing permissive leaves, the table halts, the halt is recorded if it can be."""

import errno
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tablectl.journal import store
from tablectl.journal.chain import Published
from tablectl.journal.errors import JournalUnwritable
from tablectl.journal.files import RESERVE, RESERVE_BYTES
from tablectl.journal.replay import replay
from tablectl.journal.segments import Roll
from tablectl.journal.store import Entry
from tablectl.journal.verify import verify
from tablectl.journal.writer import Writer
from tests.journal.toy import TOY, Bench, rows

ROOT = Path(__file__).parents[2]


def full_once(path: Path, made: list[int]) -> sqlite3.Connection:
    """A disk that is full for the first connection: a real SQLITE_FULL."""
    connection = store.connect(path)
    if not made:
        made.append(connection.execute("PRAGMA page_count").fetchone()[0] + 4)
        connection.execute(f"PRAGMA max_page_count={made[0]}")
    return connection


def full_always(path: Path, made: list[int]) -> sqlite3.Connection:
    """A disk that stays full."""
    connection = full_once(path, made)
    connection.execute(f"PRAGMA max_page_count={made[0]}")
    return connection


def fail(bench: Bench) -> int:
    """Work until the disk is full; gives how far it was durable then."""
    bench.start()
    bench.settle()
    while bench.recorder.failure is None:
        bench.act("open_gate", text="x" * 500)
        bench.recorder.wait_durable(bench.recorder.head.sequence, 10)
    bench.recorder.release()
    return bench.recorder.durable


@pytest.mark.parametrize("disk", [full_once, full_always])
def test_a_full_disk_halts_the_table(data: Path, disk: Any) -> None:
    made: list[int] = []
    bench = Bench(data, seams={"connect": lambda path: disk(path, made)})
    assert (data / RESERVE).stat().st_blocks * 512 >= RESERVE_BYTES
    durable = fail(bench)
    assert "full" in (bench.recorder.failure or "")
    gates = [command for command in bench.sent if command.name == "open_gate"]
    assert len(gates) == durable - 1  # one for each durable record but the Restart
    assert bench.published[-1].sequence == durable
    assert bench.sent[-1].name == "halt"
    assert bench.recorder.state.halted
    assert not bench.recorder.wait_durable(bench.recorder.head.sequence, 1)

    bench.sent.clear()
    after = bench.act("lock")  # what restricts still leaves
    bench.act("unlock")
    bench.recorder.release()
    assert not after.recorded
    assert [command.name for command in bench.sent] == ["lock"]
    assert not bench.recorder.close()
    assert bench.published[-1].sequence == durable
    assert not (data / RESERVE).exists()

    report = replay(data, core=TOY)
    assert report.ok
    assert report.last is not None
    if disk is full_once:  # the reserved space was enough for the halt
        assert "tablectl.table.halted" in list(rows(data / "journal.db", "events"))[-1][2]
        assert report.last > durable
    else:
        assert report.last == durable

    again = Bench(data)
    again.start()
    again.act("say")
    again.close()
    assert (data / RESERVE).exists()
    assert verify(data).ok


LIMITED = """
import resource, sys
from pathlib import Path
from tests.journal.toy import Bench
bench = Bench(Path(sys.argv[1]))
bench.start(); bench.act("open_table"); bench.settle()
size = Path(sys.argv[1], "journal.db-wal").stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 30000, size + 30000))
while bench.recorder.failure is None:
    bench.act("say", text="x" * 500)
    bench.recorder.wait_durable(bench.recorder.head.sequence, 10)
print(bench.recorder.durable, bench.recorder.failure)
assert not bench.recorder.close()
"""


def test_a_file_that_may_not_grow_fails_the_same_way(data: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(data)],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    durable = int(done.stdout.split()[0])
    report = verify(data)
    assert report.ok, report.broken
    assert report.last is not None
    assert report.last >= durable > 2


class Disk:
    """A disk that fails when told, for the writer alone."""

    def __init__(self) -> None:
        self.failing: BaseException | None = None
        self.written: list[int] = []
        self.reached = False  # the failing commit reached the disk all the same
        self.reopened = 0

    def commit(self, entries: list[Entry]) -> None:
        if self.failing is None or self.reached:
            self.written += [entry.record for entry in entries]
        if self.failing is not None:
            failing, self.failing = self.failing, None
            raise failing

    def roll(self, order: Roll) -> None:
        self.written.append(order.entry.record)

    def reopen(self) -> None:
        self.reopened += 1

    def last_record(self) -> int:
        return max(self.written, default=0)

    def close(self) -> None:
        pass


def entry(number: int) -> Entry:
    return Entry(number, "", "", (), (Published(number, "a.b", "", ""),))


@pytest.mark.parametrize("reached", [False, True])
def test_whatever_fails_nothing_after_it_is_durable(reached: bool) -> None:
    disk = Disk()
    failed: list[str] = []
    writer = Writer(disk, 0, on_failed=failed.append)
    writer.put(entry(1))
    assert writer.wait_durable(1, 10)
    disk.failing, disk.reached = OSError(errno.EIO, "the disk is gone"), reached
    writer.put(entry(2))
    assert not writer.wait_durable(2, 10)
    assert writer.durable == 1
    assert failed == ["OSError: [Errno 5] the disk is gone"]
    writer.put(entry(3))
    writer.rescue(entry(4))
    assert writer.close()
    assert disk.written == [1, 2, 3, 4]
    assert (writer.durable, writer.rescued) == (1, 4)
    assert disk.reopened == 1


def test_a_writer_that_failed_ends_without_a_halt_record() -> None:
    disk = Disk()
    writer = Writer(disk, 0)
    disk.failing = sqlite3.OperationalError("disk I/O error")
    writer.put(entry(1))
    assert not writer.wait_durable(1, 10)
    assert writer.close()
    assert writer.rescued is None


def test_wait_durable_gives_up_in_time() -> None:
    writer = Writer(Disk(), 0)
    assert not writer.wait_durable(1, 0.01)
    assert writer.close()


def test_opening_needs_room_for_the_halt(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(*_args: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", no_room)
    with pytest.raises(JournalUnwritable, match="free some disk space") as caught:
        Bench(data)
    assert caught.value.exit_code == 3
