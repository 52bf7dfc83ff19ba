"""What the outbox's tests share: a broker of their own for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.outbox.mosquitto import Mosquitto, Watcher


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    """A real Mosquitto, ended with the test."""
    mosquitto = Mosquitto(tmp_path)
    yield mosquitto
    mosquitto.stop()


@pytest.fixture
def watcher(broker: Mosquitto) -> Iterator[Watcher]:
    """Somebody who reads everything."""
    reader = Watcher(broker.port)
    yield reader
    reader.close()
