"""What a journal is opened with: where things go, how much may wait, and the seams for tests."""

import os
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tablectl.journal import segments, store
from tablectl.journal.chain import Published
from tablectl.journal.refusals import WINDOW_NS
from tablectl.journal.writer import CAPACITY, PATIENCE_S
from tablectl.table.outputs import Command

SEGMENT_BYTES: Final = 256 * 1024 * 1024


def _nowhere(_given: object = None) -> None:
    return


@dataclass(frozen=True, slots=True)
class Outlets:
    """Where things go. All but `on_change` are called on the recorder's own thread."""

    send: Callable[[Command], None] = _nowhere  # to a device, now
    publish: Callable[[Published], None] = _nowhere  # an event, durable, in order
    withdrawn: Callable[[Command], None] = _nowhere  # a permission that will never leave
    on_change: Callable[[], None] = _nowhere  # from the writer's thread: call `release` soon


@dataclass(frozen=True, slots=True)
class Limits:
    """How much may wait, and for how long."""

    segment_bytes: int = SEGMENT_BYTES
    window_ns: int = WINDOW_NS  # in which repeated refusals are counted
    capacity: int = CAPACITY  # records that may wait for the disk
    patience_s: float = PATIENCE_S  # how long a full queue may hold up the table


@dataclass(frozen=True, slots=True)
class Seams:
    """What comes from the operating system; tests put their own here."""

    draw: Callable[[int], bytes] = os.urandom  # salts of records and snapshots
    now_s: Callable[[], float] = time.time  # the epoch of a new journal
    connect: Callable[[Path], sqlite3.Connection] = store.connect
    between: segments.Step = field(default=_nowhere)  # between the steps of a roll
