"""Durable events by sequence: the latest from memory, all others from the journal's segments.

The journal is read in pages and every page is checked: without a gap, each event linked to the one
before. A segment that is being closed at that very moment shows as `Unreadable`: try again soon.
"""

import json
import sqlite3
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol, TypeVar

from tablectl.journal.chain import PREFIX, Published
from tablectl.journal.errors import JournalError
from tablectl.journal.files import CURRENT, closed_segments
from tablectl.journal.reading import StoredEvent, events_after, open_segment
from tablectl.journal.store import read_meta

T = TypeVar("T")
PAGE: Final = 256
TAIL: Final = 1024  # events kept in memory: a steady reader never goes to the disk


class Unreadable(Exception):
    """The journal could not be read this time."""


class Gone(Exception):
    """The events asked for are no longer on this box."""

    def __init__(self, oldest: int) -> None:
        super().__init__(f"the journal on this box begins with event {oldest}")
        self.oldest = oldest


class Source(Protocol):
    """Where stored events come from. Raises Unreadable."""

    def after(self, sequence: int, limit: int) -> list[StoredEvent]: ...
    def oldest(self) -> int: ...


class JournalSource:
    """A journal's folder, all segments in order."""

    def __init__(self, data: Path) -> None:
        self._data = data

    def after(self, sequence: int, limit: int) -> list[StoredEvent]:
        """Up to `limit` events after `sequence`; raises Unreadable."""
        return self._reading(lambda: events_after(self._data, sequence, limit))

    def oldest(self) -> int:
        """The first sequence that is still here; raises Unreadable."""
        return self._reading(self._oldest)

    def _oldest(self) -> int:
        closed = closed_segments(self._data)
        if closed:
            return min(closed)
        with open_segment(self._data / CURRENT) as connection:
            return read_meta(connection).first_sequence

    def _reading(self, read: Callable[[], T]) -> T:
        try:
            return read()
        except (JournalError, sqlite3.Error, OSError, ValueError) as error:
            raise Unreadable(f"the journal in {self._data} cannot be read: {error}") from error


class Feed:
    """The events that may leave. `add` is the owner's; everything else is the outbox's thread's."""

    def __init__(self, source: Source, durable: int, tail: int = TAIL) -> None:
        self._source = source
        self._lock = threading.Lock()
        self._tail: deque[Published] = deque(maxlen=tail)
        self._durable = durable

    @property
    def durable(self) -> int:
        """The last sequence that may leave."""
        return self._durable

    def add(self, event: Published) -> None:
        """An event that has become durable, in order."""
        with self._lock:
            if self._tail and event.sequence != self._tail[-1].sequence + 1:
                self._tail.clear()
            self._tail.append(event)
            self._durable = max(self._durable, event.sequence)

    def remembered(self, sequence: int) -> Published | None:
        """The event from memory, if it is recent."""
        with self._lock:
            if not self._tail:
                return None
            index = sequence - self._tail[0].sequence
            return self._tail[index] if 0 <= index < len(self._tail) else None

    def read(self, first: int, limit: int) -> list[Published]:
        """Durable events from `first` on, from the disk; raises Unreadable, Gone."""
        limit = min(limit, self._durable - first + 1)
        events = checked(self._source.after(first - 1, limit), first) if limit > 0 else []
        if not events and limit > 0:
            oldest = self._source.oldest()
            if oldest > first:
                raise Gone(oldest)
            raise Unreadable(f"event {first} is not in the journal: a new file may just begin")
        return events

    def one(self, sequence: int) -> Published | None:
        """An event; None where it is not durable. Raises Unreadable, Gone."""
        if not 0 < sequence <= self._durable:
            return None
        return self.remembered(sequence) or self.read(sequence, 1)[0]


class Reader:
    """Goes through a feed event by event, holding one page."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._page: list[Published] = []

    def get(self, sequence: int) -> Published | None:
        """An event; None where it is not durable yet. Raises Unreadable, Gone."""
        if sequence > self._feed.durable:
            return None
        index = sequence - self._page[0].sequence if self._page else -1
        if 0 <= index < len(self._page):
            return self._page[index]
        recent = self._feed.remembered(sequence)
        if recent is not None:
            self._page = []
            return recent
        self._page = self._feed.read(sequence, PAGE)
        return self._page[0]


def checked(stored: list[StoredEvent], first: int) -> list[Published]:
    """Stored events as far as they follow each other from `first` on; raises Unreadable."""
    events: list[Published] = []
    previous: str | None = None
    for sequence, one in enumerate(stored, first):
        if one.sequence != sequence:
            break
        try:
            body = json.loads(one.body)
            event = Published(sequence, body["type"].removeprefix(PREFIX), body["hash"], one.body)
            linked = previous in (None, body["prevhash"]) and body["sequence"] == sequence
        except (ValueError, KeyError, TypeError, AttributeError):
            linked = False
        if not linked:
            raise Unreadable(
                f"event {sequence} does not follow the one before: run tablectl verify"
            )
        events.append(event)
        previous = event.hash
    return events
