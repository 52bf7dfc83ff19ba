"""The view that may be published: the latest state whose record is durable.

The core steps ahead of the disk, so a state waits here until its last event is safe.
"""

import threading
from collections import deque
from collections.abc import Mapping
from typing import Final

from tablectl.outbox.payloads import DeviceFacts
from tablectl.table.state import State

WAITING_MAXIMUM: Final = 16


class Shown:
    """`show` on the owner's thread, `latest` on the outbox's."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[State] = deque()
        self._latest: State | None = None
        self._facts: Mapping[str, DeviceFacts] = {}
        self._fresh = False

    def show(self, state: State, facts: Mapping[str, DeviceFacts] | None) -> None:
        """The table as it is now. Where too many wait the newest is replaced: none starves."""
        with self._lock:
            if len(self._waiting) >= WAITING_MAXIMUM:
                self._waiting.pop()
            self._waiting.append(state)
            if facts is not None:
                self._facts = dict(facts)
                self._fresh = True

    def latest(self, durable: int) -> tuple[State | None, Mapping[str, DeviceFacts], bool]:
        """The newest state that may leave, what is known of devices, and whether it is news."""
        with self._lock:
            while self._waiting and self._waiting[0].sequence <= durable:
                self._latest = self._waiting.popleft()
                self._fresh = True
            fresh, self._fresh = self._fresh, False
            return self._latest, self._facts, fresh

    @property
    def ready(self) -> bool:
        """Whether anything was ever shown."""
        return self._latest is not None or bool(self._waiting)
