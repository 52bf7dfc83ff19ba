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
_FETCHED: Final = 32 * 64  # random bytes at a time


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


class Salts:
    """The operating system's random bytes, fetched for many salts at a time, each used once.

    A fetch lets other threads of this process run in between, and there is one salt a record.
    """

    def __init__(self, fetch: Callable[[int], bytes] = os.urandom) -> None:
        self._fetch = fetch
        self._fresh = b""

    def __call__(self, size: int) -> bytes:
        """Bytes that nobody has seen."""
        if len(self._fresh) < size:
            self._fresh = self._fetch(max(size, _FETCHED))
        drawn, self._fresh = self._fresh[:size], self._fresh[size:]
        return drawn


@dataclass(frozen=True, slots=True)
class Seams:
    """What comes from the operating system; tests put their own here."""

    draw: Callable[[int], bytes] = field(default_factory=Salts)  # salts of records and snapshots
    now_s: Callable[[], float] = time.time  # the epoch of a new journal
    connect: Callable[[Path], sqlite3.Connection] = store.connect
    between: segments.Step = field(default=_nowhere)  # between the steps of a roll
