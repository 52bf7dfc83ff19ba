"""The disk's gate: commits wait, or fail, as long as a test wants it."""

import sqlite3
import threading
from typing import Any

import pytest

from tablectl.journal import store

WITHIN_S = 10.0


class Gate:
    """Stands before the journal's commits."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._open = threading.Event()
        self._open.set()
        self._broken = False
        self._commit = store.commit
        monkeypatch.setattr(store, "commit", self._pass)

    def shut(self) -> None:
        """The disk takes its time."""
        self._open.clear()

    def open(self) -> None:
        """It goes on."""
        self._open.set()

    def destroy(self) -> None:
        """No commit succeeds any more."""
        self._broken = True

    def _pass(self, *args: Any) -> None:
        self._open.wait(WITHIN_S)
        if self._broken:
            raise sqlite3.OperationalError("disk I/O error")
        self._commit(*args)
