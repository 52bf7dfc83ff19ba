"""The box's clocks, systemd's socket, and logs that cannot hurt the daemon."""

import ctypes
import json
import logging
import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import structlog

from tablectl.daemon import clock, logs
from tablectl.daemon.notify import Notifier
from tests.pace import within

# ── clock ──────────────────────────────────────────────────────────────────


def test_the_stamp_is_of_this_moment_and_this_boot() -> None:
    box = clock.BoxClock()
    before = time.time_ns(), time.monotonic_ns()
    first, second = box.now(), box.now()
    after = time.time_ns(), time.monotonic_ns()
    assert before[0] <= first.utc_ns <= second.utc_ns <= after[0]
    assert before[1] <= first.mono_ns <= second.mono_ns <= after[1]
    assert first.boot == second.boot == clock.BoxClock().boot
    assert all(type(value) is int for value in (first.utc_ns, first.mono_ns))


def test_without_a_boot_id_every_process_is_a_boot_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "_BOOT_ID", tmp_path / "none")
    first, second = clock.boot_id(), clock.boot_id()
    assert first.startswith(f"process-{os.getpid()}-")
    assert first != second


@pytest.mark.parametrize(("answer", "kept"), [(0, True), (4, True), (5, False), (-1, False)])
def test_the_kernel_says_whether_the_clock_is_kept(
    monkeypatch: pytest.MonkeyPatch, answer: int, kept: bool
) -> None:
    asked: list[bytes] = []

    def adjtimex(buffer: Any) -> int:
        asked.append(buffer.raw)
        return answer

    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: SimpleNamespace(adjtimex=adjtimex))
    assert clock.synchronised() is kept
    assert not any(asked[0])  # zeros: it asks, and sets nothing


def test_where_nobody_can_say_the_clock_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: SimpleNamespace())
    assert clock.synchronised() is False


def test_the_real_kernel_answers() -> None:
    assert clock.synchronised() in (True, False)


# ── systemd ────────────────────────────────────────────────────────────────


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind(str(tmp_path / "notify"))
        sock.settimeout(5)
        yield sock


def test_words_reach_the_manager(manager: socket.socket) -> None:
    notifier = Notifier({"NOTIFY_SOCKET": manager.getsockname()})
    notifier.say("READY=1", "STATUS=table tcp-12")
    notifier.say("STOPPING=1")
    assert manager.recv(4096) == b"READY=1\nSTATUS=table tcp-12"
    assert manager.recv(4096) == b"STOPPING=1"


def test_an_abstract_address_is_found() -> None:
    name = f"tablectl-test-{os.getpid()}-{time.monotonic_ns()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind(f"\0{name}")
        sock.settimeout(5)
        Notifier({"NOTIFY_SOCKET": f"@{name}"}).say("READY=1")
        assert sock.recv(64) == b"READY=1"


@pytest.mark.parametrize(
    "address", ["", "/nowhere/notify", "vsock:2:1", "relative", "@" + "x" * 200, "/" + "x" * 200]
)
def test_without_a_manager_nothing_happens(address: str) -> None:
    Notifier({"NOTIFY_SOCKET": address}).say("READY=1")
    Notifier({}).say("READY=1")


def test_a_manager_that_does_not_read_never_stops_the_table(manager: socket.socket) -> None:
    notifier = Notifier({"NOTIFY_SOCKET": manager.getsockname()})
    begun = time.monotonic()
    for _ in range(3000):  # more than any queue holds
        notifier.say("WATCHDOG=1")
    assert time.monotonic() - begun < within(5)


@pytest.mark.parametrize(
    ("environment", "every_s"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "10000000"}, 5.0),  # half of it, as systemd advises
        ({"WATCHDOG_USEC": "10000000", "WATCHDOG_PID": str(os.getpid())}, 5.0),
        ({"WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "1"}, None),  # meant for another process
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "-5"}, None),
        ({"WATCHDOG_USEC": "\u00b2"}, None),
        ({"WATCHDOG_USEC": "x"}, None),
    ],
)
def test_how_often_the_watchdog_wants_a_word(
    environment: dict[str, str], every_s: float | None
) -> None:
    assert Notifier(environment).watchdog_s == every_s


# ── logs ───────────────────────────────────────────────────────────────────


@pytest.fixture
def configured() -> Iterator[None]:
    root = logging.getLogger()
    before = root.handlers, root.level
    logs.configure()
    yield
    root.handlers, root.level = before
    structlog.reset_defaults()


@pytest.mark.usefixtures("configured")
def test_every_line_is_json_whoever_writes_it(capsys: pytest.CaptureFixture[str]) -> None:
    log = structlog.get_logger("tablectl.test")
    log.debug("not this")
    log.info("started", table="tcp-12", odd="\x1b[31m\u20ac\n")
    logging.getLogger("some.library").warning("about %s", "this")
    try:
        raise ValueError("no\nsuch\nthing")
    except ValueError:
        log.exception("failed")
        logging.getLogger("some.library").exception("failed too")
        logging.getLogger("uvicorn.error").exception("Exception in ASGI application")
    out, err = capsys.readouterr()
    assert out == ""
    assert err.isascii()
    lines = [json.loads(line) for line in err.splitlines()]
    events = [line["event"] for line in lines]
    assert events == ["started", "about this", "failed", "failed too"]
    assert all({"level", "timestamp"} <= line.keys() for line in lines)
    assert all("no\nsuch\nthing" in line["exception"] for line in lines[2:])
    assert lines[1]["logger"] == "some.library"


@pytest.mark.usefixtures("configured")
def test_a_log_that_nobody_takes_raises_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w", buffering=1) as broken:
        monkeypatch.setattr(sys, "stderr", broken)
        for _ in range(3):
            structlog.get_logger("tablectl.test").info("nobody hears this")
            logging.getLogger("some.library").error("nor that")
        monkeypatch.undo()
        with pytest.raises(BrokenPipeError):
            broken.flush()
        os.dup2(os.open(os.devnull, os.O_WRONLY), writing)
