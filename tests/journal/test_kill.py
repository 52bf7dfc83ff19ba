"""Killed at any moment (-9), a journal keeps what was reported durable, and verifies."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tablectl.journal.replay import replay
from tests.journal.toy import TOY, Bench

ROOT = Path(__file__).parents[2]
SEED = int(os.environ.get("TABLECTL_SEED", "2026"))


def run_until_killed(data: Path, seed: int, after_s: float, crash: str = "-") -> int:
    """Let a table play, kill it `after_s` after its first word; gives what it said was durable."""
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.journal.child", str(data), str(seed), crash],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdout is not None
    assert child.stderr is not None
    first = child.stdout.readline()
    if crash == "-":
        time.sleep(after_s)
        child.kill()
    rest, errors = child.communicate(timeout=60)
    assert child.returncode == -signal.SIGKILL, errors.decode()
    whole = (first + rest).rpartition(b"\n")[0].split()  # the last line may be cut short
    return int(whole[-1]) if whole else 0


def check(data: Path, durable: int, told: str) -> None:
    # First as an auditor finds it, then as the table does.
    report = replay(data, core=TOY)
    assert report.ok, f"{told}: {report.broken and report.broken.what}"
    assert (report.last or 0) >= durable, f"{told}: {durable} was reported, {report.last} is there"
    assert report.first == 1, told
    records = report.records
    bench = Bench(data)
    assert bench.recorder.head.sequence >= durable, told
    bench.start()
    bench.close()
    report = replay(data, core=TOY)
    assert report.ok, f"{told}: {report.broken and report.broken.what}"
    assert report.first == 1, told
    assert report.records > records, told


def kills(data: Path, times: int) -> None:
    """One journal, killed again and again."""
    rng = random.Random(SEED)
    for n in range(times):
        if n % 25 == 0:
            folder = data / str(n)
            folder.mkdir(parents=True)
        after = rng.uniform(0, 0.25)
        durable = run_until_killed(folder, n, after)
        assert durable > 0
        check(folder, durable, f"TABLECTL_SEED={SEED}, kill {n}, after {after:.3f} s")


def test_a_dozen_kills(data: Path) -> None:
    kills(data, 12)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_a_thousand_kills(data: Path) -> None:
    kills(data, 1000)


STEPS = ["made", "folded", "copying", "copied", "closed", "promoted"]


@pytest.mark.parametrize("step", STEPS)
def test_killed_between_two_files(data: Path, step: str) -> None:
    durable = run_until_killed(data, 5, 0, step)
    before = sorted(path.name for path in data.glob("journal*.db"))
    check(data, durable, f"killed at {step}, files {before}")
    assert not (data / "journal.next.db").exists()
