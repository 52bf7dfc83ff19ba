"""A daemon without devices, and its logs as a service manager would get them."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from tablectl.daemon import logs
from tests.web.daemon import Daemon
from tests.web.gate import Gate


@pytest.fixture(autouse=True)
def logging_as_under_systemd() -> Iterator[None]:
    root = logging.getLogger()
    before = root.handlers, root.level
    logs.configure()
    yield
    root.handlers, root.level = before
    structlog.reset_defaults()


@pytest.fixture(autouse=True, scope="module")
def the_clock_is_kept() -> Iterator[None]:
    """Wherever the tests run: no alarm about the clock."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tablectl.daemon.service.synchronised", lambda: True)
        yield


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    """A daemon for one test."""
    with Daemon(tmp_path) as running:
        yield running


@pytest.fixture(scope="module")
def steady(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon for all tests of a file that change nothing."""
    with Daemon(tmp_path_factory.mktemp("steady")) as running:
        yield running


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    disk = Gate(monkeypatch)
    yield disk
    disk.open()
