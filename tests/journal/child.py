"""A table in a process of its own, for tests that kill it: `python -m tests.journal.child`.

It plays without end and writes each durable sequence to its output, one a line.
"""

import os
import signal
import sqlite3
import sys
from pathlib import Path

from tablectl.journal.wiring import Limits
from tests.journal.toy import Bench


def main() -> None:
    data, seed, crash = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]

    def between(step: str) -> None:
        if step == crash:
            os.kill(os.getpid(), signal.SIGKILL)

    bench = Bench(data, seed, Limits(segment_bytes=200_000), seams={"between": between})
    bench.rng.seed(f"{seed} {bench.recorder.head}")
    told = bench.recorder.durable
    bench.at.utc_ns += bench.recorder.head.sequence * 1_000_000_000
    bench.start()
    if crash.startswith("cop"):  # a reader holds on to the log: the roll goes by way of a copy
        reader = sqlite3.connect(data / "journal.db", isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM records").fetchone()
    while True:
        bench.act(bench.rng.choice(["open_table", "say", "forbidden", "say"]))
        bench.play()
        bench.recorder.release()
        if bench.rng.random() < 0.2:
            bench.settle()
        if bench.recorder.durable > told:
            told = bench.recorder.durable
            os.write(1, f"{told}\n".encode())


if __name__ == "__main__":
    main()
