"""GET /api/events: every durable event once, in order, and no listener costs another one."""

import asyncio
import socket
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tablectl.daemon.front import Front
from tablectl.journal.reading import StoredEvent
from tablectl.web import app
from tests.pace import within
from tests.web.daemon import Daemon, until


def quiet(daemon: Daemon) -> int:
    """All four devices are missed, which is the last thing that happens by itself."""
    until(lambda: len(daemon.state()["alarms"]) == 4, "the devices are missed")
    until(lambda: daemon.desk.recorder.durable == daemon.desk.state.sequence, "it is on disk")
    return daemon.desk.recorder.durable


def test_everything_comes_in_order_without_a_gap(daemon: Daemon) -> None:
    last = quiet(daemon)
    with daemon.listening() as stream:
        events = stream.upto(last)
    assert [event["sequence"] for event in events] == list(range(1, last + 1))
    assert all(a["hash"] == b["prevhash"] for a, b in pairwise(events))
    assert {event["specversion"] for event in events} == {"1.0"}


def test_live_events_follow_the_stored_ones(daemon: Daemon) -> None:
    last = quiet(daemon)
    with daemon.listening(0) as stream:
        stream.upto(last)
        for turn in range(20):
            action = "resume_table" if turn % 2 else "halt_table"
            args = {} if turn % 2 else {"reason": f"turn {turn}"}
            reply = daemon.act("flo", action, **args)
            assert reply.status == 200
            assert [stream.next() for _ in reply.body["events"]] == reply.body["events"]


def test_who_keeps_up_never_makes_the_daemon_read_its_disk(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = quiet(daemon)
    reads: list[int] = []

    def events_after(_folder: Path, sequence: int, _limit: int) -> list[StoredEvent]:
        reads.append(sequence)
        return []

    monkeypatch.setattr("tablectl.daemon.front.events_after", events_after)
    with daemon.listening(last) as stream:
        for _ in range(5):
            daemon.act("flo", "log_on")
            stream.next()
    assert not reads


def test_memory_and_disk_are_joined_without_a_seam(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tablectl.daemon.front.PAGE", 3)
    quiet(daemon)
    for _ in range(4):
        daemon.front._tail.popleft()
    last = daemon.act("flo", "log_on").body["events"][-1]["sequence"]
    with daemon.listening(0) as stream:
        assert [e["sequence"] for e in stream.upto(last)] == list(range(1, last + 1))


def test_pages_are_joined_without_a_seam(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablectl.daemon.front.PAGE", 3)
    last = quiet(daemon)
    with daemon.listening(0) as stream:
        assert [e["sequence"] for e in stream.upto(last)] == list(range(1, last + 1))


@pytest.mark.parametrize(
    ("after", "last_id", "first"),
    [
        (None, None, 1),
        ("", None, 1),
        ("0", None, 1),
        ("3", None, 4),
        ("003", None, 4),
        (None, "5", 6),
        ("2", "5", 6),  # a browser that comes back: the same address, and how far it got
        ("5", "2", 3),
    ],
)
def test_where_a_stream_begins(
    steady: Daemon, after: str | None, last_id: str | None, first: int
) -> None:
    quiet(steady)
    headers = {"Last-Event-ID": last_id} if last_id else {}
    with steady.listening(after, headers) as stream:
        assert stream.next()["sequence"] == first


@pytest.mark.parametrize("after", ["-1", "1.5", "x", "1e3", "9" * 16, "%D9%A3", "1 OR 1=1"])
def test_a_wrong_beginning_is_400(steady: Daemon, after: str) -> None:
    reply = steady.ask("GET", f"/api/events?after={after.replace(' ', '%20')}")
    assert (reply.status, reply.keys) == (400, {"error"})
    if after.isascii() and "%" not in after:
        assert steady.ask("GET", "/api/events", headers={"Last-Event-ID": after}).status == 400


def test_a_reader_of_another_journal_is_told(daemon: Daemon) -> None:
    """It would wait in silence for a number that is long in coming."""
    last = quiet(daemon)
    reply = daemon.ask("GET", f"/api/events?after={last + 1}")
    assert (reply.status, str(last) in reply.body["error"]) == (400, True)
    with daemon.listening(last) as stream:
        assert daemon.act("flo", "log_on").status == 200
        assert stream.next()["sequence"] == last + 1


def test_a_quiet_stream_says_that_it_lives(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "KEEP_ALIVE_S", 0.05)
    last = quiet(daemon)
    with daemon.listening(last) as stream:
        time.sleep(0.3)
        daemon.act("flo", "log_on")
        stream.next()
        assert stream.comments >= 3


def test_a_restart_goes_on_where_the_reader_was(tmp_path: Path) -> None:
    with Daemon(tmp_path) as first:
        last = quiet(first)
    with Daemon(tmp_path) as second, second.listening(last) as stream:
        assert stream.next()["sequence"] == last + 1


# ── the file changes under a reader's eyes ─────────────────────────────────


@pytest.fixture
def read(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[int]]:
    """What a page holds where the journal's reader gives these answers, one after the other."""

    quiet(daemon)
    daemon.front._tail.clear()  # as after a restart: memory has none of them

    def given(*answers: list[int] | Exception) -> list[int]:
        left = list(answers)

        def events_after(_folder: Path, _sequence: int, _limit: int) -> list[StoredEvent]:
            answer = left.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return [StoredEvent(n, "{}") for n in answer]

        monkeypatch.setattr("tablectl.daemon.front.events_after", events_after)
        page = daemon.on_loop(daemon.front.events_after(1))
        return [sequence for sequence, _body in page]

    return given


def test_a_gap_is_read_again(read: Any) -> None:
    assert read([5], [2, 3]) == [2, 3]  # a new segment took the file's name in between
    assert read([2, 4], [2, 3]) == [2, 3]
    assert read([5], [5]) == [5]  # the older segment has really gone to the archive


def test_a_journal_that_cannot_be_read_ends_no_stream(read: Any) -> None:
    assert read(sqlite3.OperationalError("database is locked")) == []
    assert read(FileNotFoundError("journal.db")) == []


def test_a_reader_tries_again_though_the_table_is_quiet(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = quiet(daemon)
    real, failures = Front.events_after, [1, 2]

    async def stumbles(front: Front, sequence: int) -> list[tuple[int, str]]:
        return [] if failures and failures.pop() else await real(front, sequence)

    monkeypatch.setattr(Front, "events_after", stumbles)
    with daemon.listening() as stream:
        assert len(stream.upto(last)) == last
    assert not failures


# ── listeners come and go ──────────────────────────────────────────────────


@pytest.fixture
def two_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "STREAMS_MAXIMUM", 2)


def admitted(daemon: Daemon) -> bool:
    """Whether there is room for one more listener at this moment."""
    with daemon.connected() as connection:
        connection.request("GET", "/api/events")
        return connection.getresponse().status == 200


@pytest.mark.usefixtures("two_at_most")
def test_there_are_only_so_many_listeners(daemon: Daemon) -> None:
    with ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(daemon.listening()).next()
        reply = daemon.ask("GET", "/api/events")
        assert (reply.status, reply.body["error"][:18]) == (503, "too many listeners")
        assert daemon.state()["phase"] == "closed"  # nobody else minds
    until(lambda: admitted(daemon), "a listener that went makes room")


@pytest.mark.usefixtures("two_at_most")
def test_all_at_once_are_not_more_than_so_many(daemon: Daemon) -> None:
    request = f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{daemon.port}\r\n\r\n".encode()
    with ExitStack() as stack:
        wires = [stack.enter_context(daemon.socket()) for _ in range(12)]
        for wire in wires:
            wire.sendall(request)
        statuses = [wire.recv(12) for wire in wires]
    assert sorted(statuses) == [b"HTTP/1.1 200"] * 2 + [b"HTTP/1.1 503"] * 10


@pytest.mark.usefixtures("two_at_most")
@pytest.mark.parametrize("abruptly", [False, True])
def test_a_listener_that_leaves_gives_its_place_back(daemon: Daemon, abruptly: bool) -> None:
    quiet(daemon)
    request = f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{daemon.port}\r\n\r\n".encode()
    for _ in range(10):
        with daemon.socket() as wire:
            if abruptly:  # a reset, at once, before anything was read
                wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            wire.sendall(request)
            if not abruptly:
                assert wire.recv(12) in (b"HTTP/1.1 200", b"HTTP/1.1 503")
    until(lambda: admitted(daemon), "every place is free again")


@pytest.fixture
def torrent(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """A journal that never ends: pages of it as fast as they are taken."""
    given = [0]

    async def events_after(_front: Front, sequence: int) -> list[tuple[int, str]]:
        given[0] += 1
        await asyncio.sleep(0)
        return [(sequence + n, '"' + "x" * 10_000 + '"') for n in range(1, 21)]

    monkeypatch.setattr(Front, "events_after", events_after)
    yield given
    monkeypatch.undo()


@pytest.mark.usefixtures("two_at_most")
def test_a_listener_that_stalls_holds_nobody_up_and_loses_its_place(
    daemon: Daemon, torrent: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "STALLED_S", 0.3)
    with ExitStack() as stack:
        for _ in range(2):
            wire = socket.socket()
            stack.enter_context(wire)
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            wire.settimeout(10)
            wire.connect(("127.0.0.1", daemon.port))
            host = f"Host: 127.0.0.1:{daemon.port}"
            wire.sendall(f"GET /api/events HTTP/1.1\r\n{host}\r\n\r\n".encode())
        until(lambda: not admitted(daemon), "they have taken their places")
        begun = time.monotonic()
        assert daemon.act("flo", "log_on").status == 200
        assert time.monotonic() - begun < within(2)
        until(lambda: admitted(daemon), "they lose them, though they never closed")
    assert torrent[0] < 500  # what nobody takes is not read from the disk either
