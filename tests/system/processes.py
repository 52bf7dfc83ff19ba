"""Programs under test as processes of their own, each ended by its own id."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

from tests.pace import within

ROOT = Path(__file__).parents[2]
CLI = [sys.executable, "-m", "tablectl.cli"]


def command(*arguments: str, seconds: float = 60) -> subprocess.CompletedProcess[str]:
    """Run a command of tablectl to its end."""
    return subprocess.run(
        [*CLI, *arguments], capture_output=True, text=True, cwd=ROOT, timeout=seconds, check=False
    )


def sound(data: Path, told: str) -> None:
    """`verify` and `replay` of the whole journal agree with it, as commands, side by side."""
    both = [
        subprocess.Popen(
            [*CLI, name, str(data / "journal.db")],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT,
        )
        for name in ("verify", "replay")
    ]  # fmt: skip
    for process in both:
        said, _ = process.communicate(timeout=120)
        assert process.returncode == 0, f"{told}: {process.args!r} said {said}"


def children(pid: int) -> list[int]:
    """The processes that a process has started and that still run, and theirs."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found += [int(child), *children(int(child))]
    return found


def runs(pid: int) -> bool:
    """Whether a process is there, and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Daemon:
    """`tablectl run` as a service manager starts it; its log is a file that all lives share."""

    def __init__(self, config: Path, log: Path) -> None:
        self.config = config
        self.log = log
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        assert self._process is None
        with self.log.open("ab") as log:
            self._process = self._popen(log)

    def _popen(self, log: IO[bytes]) -> subprocess.Popen[bytes]:
        arguments = [*CLI, "run", "--config", str(self.config)]
        return subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=ROOT
        )

    @property
    def lives(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def kill(self) -> None:
        """kill -9: no last word, no last write."""
        assert self._process is not None
        assert self._process.poll() is None, f"it ended by itself: {self.tail()}"
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._process = None

    def stop(self) -> int:
        """SIGTERM; the exit code. It ends within five seconds."""
        if self._process is None:
            return 0
        self._process.terminate()
        try:
            code = self._process.wait(within(8))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise
        self._process = None
        return code

    def tail(self) -> str:
        return self.log.read_text(errors="replace")[-2000:]


def gone(pids: list[int], seconds: float = 3.0) -> list[int]:
    """Those that are still there when time is up."""
    deadline = time.monotonic() + seconds
    while (left := [pid for pid in pids if runs(pid)]) and time.monotonic() < deadline:
        time.sleep(0.02)
    for pid in left:
        os.kill(pid, signal.SIGKILL)  # the test fails, and leaves nothing behind all the same
    return left
