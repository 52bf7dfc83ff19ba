"""Which USB plug a serial port hangs on, as the kernel knows it: 1-2.3 is bus 1, port 2, there 3.

A device cannot lie about it, and an adapter that was put into another plug is seen.
"""

import os
import re
import stat
from pathlib import Path
from typing import Final

SYSFS: Final = Path("/sys")
_PLUG: Final = re.compile(r"/(\d+-\d+(?:\.\d+)*):\d+\.\d+(?:/|$)")  # a device's interface


def plug_of(descriptor: int, sysfs: Path = SYSFS) -> str:
    """The plug of an open port; empty where it is no USB serial port. Never raises OSError."""
    try:
        known = os.fstat(descriptor)
        if not stat.S_ISCHR(known.st_mode):
            return ""
        number = f"{os.major(known.st_rdev)}:{os.minor(known.st_rdev)}"
        place = os.path.realpath(sysfs / "dev/char" / number / "device")
    except OSError:
        return ""
    return last_plug(place)


def last_plug(place: str) -> str:
    """The plug in a sysfs path: the last one, behind every hub."""
    found: list[str] = _PLUG.findall(place)
    return found[-1] if found else ""
