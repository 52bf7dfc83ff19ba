"""The box's clocks, read in one place: wall time, monotonic time, the boot they belong to."""

import ctypes
import os
import time
from pathlib import Path

from tablectl.table.inputs import Stamp

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_TIME_ERROR = 5  # adjtimex(2): the clock is not synchronised
_TIMEX_BYTES = 1024  # larger than struct timex on any Linux; zeros ask and set nothing


def boot_id() -> str:
    """This boot of the machine; a name of this process's own where the kernel tells none."""
    try:
        return _BOOT_ID.read_text("ascii").strip()
    except OSError:
        return f"process-{os.getpid()}-{time.time_ns()}"


class BoxClock:
    """Gives the stamp of this moment."""

    def __init__(self) -> None:
        self.boot = boot_id()

    def now(self) -> Stamp:
        """The two clocks, and the boot that the monotonic one belongs to."""
        return Stamp(time.time_ns(), time.monotonic_ns(), self.boot)


def synchronised() -> bool:
    """Whether the kernel says that a time service keeps the wall clock; no where it cannot say."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        answer = int(libc.adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES)))
    except (OSError, AttributeError):
        return False
    return 0 <= answer < _TIME_ERROR
