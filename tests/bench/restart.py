"""A restart with 100,000 records behind it, against reading those records from SQLite.

The restart: open_journal (lock, recovery, key, snapshot, fold), the Restart submitted and its
record durable; imports are done before. Once after a clean stop, once after a kill -9 at the worst
moment, with a whole round to fold. The baseline opens the file with sqlite3 and fetches every row
of `records` alone, no events and no sealed values. The page cache is warm for both.
"""

import gc
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Final

from tablectl.journal.recorder import Recorder
from tests.bench.journals import RecordedPit, long_journal, opened
from tests.bench.measure import BUILD, ROOT, Row, Tell, Topic, timed

RECORDS: Final = 100_000
TURNS: Final = 5


def read_records(data: Path) -> int:
    with closing(sqlite3.connect(data / "journal.db")) as connection:
        return len(connection.execute("SELECT n, sequence, salt, input FROM records").fetchall())


def restart(data: Path) -> tuple[RecordedPit, float]:
    """Open the journal and be ready; with the seconds that it took."""
    gc.collect()
    began = time.perf_counter()
    pit = RecordedPit(recorder=opened(data), boot=time.monotonic_ns())
    pit.start()
    assert pit.recorder.wait_durable(pit.recorder.head.sequence, 60), pit.recorder.failure
    return pit, time.perf_counter() - began


def go_on(pit: RecordedPit) -> None:
    """From a restart to the end of the round that it found."""
    pit.resume()
    if pit.state.phase == "clearing":
        pit.clear()


def stop(recorder: Recorder) -> None:
    assert recorder.close(60), recorder.failure


def die(data: Path) -> None:
    """Play a round all but its clearing, make it durable, and die; run in a process of its own."""
    pit, _ = restart(data)
    go_on(pit)
    pit.until_clearing()
    assert pit.recorder.wait_durable(pit.recorder.head.sequence, 60), pit.recorder.failure
    os.kill(os.getpid(), signal.SIGKILL)


def measure(tell: Tell) -> Topic:
    kept, reused = long_journal(RECORDS, tell)
    data = BUILD / "bench-restart"
    shutil.rmtree(data, ignore_errors=True)
    tell("copying the journal")
    shutil.copytree(kept, data)
    os.sync()  # the copy's own writing must not be waited for by somebody else's fsync
    clean: list[float] = []
    killed: list[float] = []
    reading: list[float] = []
    folded = 0
    try:
        read_records(data)
        for turn in range(TURNS):
            tell(f"turn {turn + 1} of {TURNS}")
            pit, seconds = restart(data)
            clean.append(seconds)
            go_on(pit)
            stop(pit.recorder)
            reading.append(timed(lambda: read_records(data)))
            child = [sys.executable, "-m", "tests.bench.restart", str(data)]
            died = subprocess.run(child, cwd=ROOT, check=False)
            assert died.returncode == -signal.SIGKILL, died
            pit, seconds = restart(data)
            killed.append(seconds)
            folded = pit.recorder.restored.folded
            go_on(pit)
            stop(pit.recorder)
            reading.append(timed(lambda: read_records(data)))
        records = read_records(data)
    finally:
        shutil.rmtree(data, ignore_errors=True)
    baseline = median(reading) * 1e3
    made = "used again from build/" if reused else "played now, kept in build/"
    return Topic(
        [
            Row("restart after a stop / SELECT, ms", median(clean) * 1e3, baseline, "<= 3"),
            Row("restart after a kill / SELECT, ms", median(killed) * 1e3, baseline, "<= 3"),
        ],
        f"{records:,} records, {folded} folded after the kill, median of {TURNS} turns; "
        f"the journal was {made}",
    )


if __name__ == "__main__":
    die(Path(sys.argv[1]))
