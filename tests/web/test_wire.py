"""What comes over the wire that is no proper request: it harms nobody but its sender."""

import random
import re
import socket
import time
from contextlib import ExitStack, suppress

import pytest

from tablectl.daemon import server
from tablectl.web import app
from tests.pace import within
from tests.web.daemon import PINS, Daemon, until


def get(daemon: Daemon, path: str = "/api/state", close: bool = False) -> bytes:
    connection = "Connection: close\r\n" if close else ""
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{daemon.port}\r\n{connection}\r\n".encode()


def all_of(daemon: Daemon, sent: bytes) -> bytes:
    """Everything that is answered until the daemon closes."""
    with daemon.socket() as wire:
        wire.sendall(sent)
        answer = b""
        while piece := wire.recv(65_536):
            answer += piece
        return answer


def test_pipelined_requests_are_answered_in_order(steady: Daemon) -> None:
    answer = all_of(steady, get(steady) + get(steady, "/nowhere") + get(steady, close=True))
    assert re.findall(rb"HTTP/1.1 (\d+)", answer) == [b"200", b"404", b"200"]


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x00\x01\x02\x03\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # a TLS hello
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /api/state\r\n\r\n",
        b"GET /api/state HTTP/9.9\r\n\r\n",
        b"GET /api/state HTTP/1.1\r\n\r\n",  # no Host
        b"GET /api/state HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST /api/act HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
        b"POST /api/act HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        b"POST /api/act HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"x" * 200_000 + b"\r\n\r\n",
        b"A" * 200_000,
    ],
)
def test_garbage_is_refused_and_forgotten(steady: Daemon, garbage: bytes) -> None:
    with steady.socket() as wire:
        wire.settimeout(3)
        try:
            wire.sendall(garbage)
            wire.shutdown(1)
            answer = wire.recv(65_536)
        except OSError:  # closed while we were still sending
            answer = b""
    assert answer == b"" or answer.split(b" ")[1] in (b"400", b"403"), answer
    assert steady.state()["phase"] == "closed"


def test_garbage_after_a_good_request_spoils_only_itself(steady: Daemon) -> None:
    answer = all_of(steady, get(steady) + b"\x00\xff garbage\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200")
    assert answer.count(b"HTTP/1.1 ") == 2
    assert b"HTTP/1.1 400" in answer


def test_random_bytes_never_end_the_daemon(steady: Daemon) -> None:
    dice = random.Random(12)
    words = [b"GET ", b"POST ", b"/api/act", b" HTTP/1.1", b"\r\n", b"Host: ", b"{", b":", b"\x00"]
    words += [b"Content-Length: 9", b"Transfer-Encoding: chunked", b"Connection: upgrade", b"\n"]
    words += [b"Upgrade: websocket", b"Upgrade: h2c", b"Expect: 100-continue", b"application/json"]
    for _ in range(150):
        with steady.socket() as wire:
            wire.sendall(b"".join(dice.choices(words, k=dice.randint(1, 25))) + dice.randbytes(9))
    assert steady.state()["phase"] == "closed"


def test_a_websocket_is_not_opened(steady: Daemon) -> None:
    lines = [f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{steady.port}", "Upgrade: websocket"]
    lines += ["Connection: Upgrade, close", "Sec-WebSocket-Version: 13"]
    lines += ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", ""]
    with steady.socket() as wire:
        wire.sendall("\r\n".join(lines).encode())
        assert not wire.recv(4096).startswith(b"HTTP/1.1 101")


# ── clients that stall ─────────────────────────────────────────────────────


def half(daemon: Daemon) -> bytes:
    """A request whose body never ends."""
    lines = [f"POST /api/act HTTP/1.1\r\nHost: 127.0.0.1:{daemon.port}", "Content-Length: 500"]
    return "\r\n".join([*lines, "Content-Type: application/json", "", '{"actor": "flo",']).encode()


def test_a_client_that_stalls_delays_nobody(daemon: Daemon) -> None:
    with ExitStack() as stack:
        for n in range(60):
            wire = stack.enter_context(daemon.socket())
            wire.sendall(half(daemon) if n % 2 else get(daemon)[:20])
        begun = time.monotonic()
        assert daemon.act("flo", "log_on").status == 200
        assert daemon.state()["phase"] == "closed"
        assert time.monotonic() - begun < within(2)


@pytest.mark.parametrize("sent", ["nothing", "half", "drops", "second"])
def test_a_head_that_does_not_come_is_given_up(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch, sent: str
) -> None:
    """Whoever opens connections and says nothing, or a byte now and then, keeps nobody out."""
    monkeypatch.setattr(server, "HEAD_WITHIN_S", 0.3)
    with daemon.socket() as wire:
        wire.settimeout(10)
        if sent == "half":
            wire.sendall(get(daemon)[:20])
        if sent == "second":
            wire.sendall(get(daemon))
            assert whole_answer(wire).startswith(b"HTTP/1.1 200")
            wire.sendall(get(daemon)[:20])
        with suppress(OSError):
            for byte in get(daemon)[:-2] if sent == "drops" else b"":
                wire.sendall(bytes((byte,)))
                time.sleep(0.05)
        assert closed(wire)


def test_an_answer_that_takes_its_time_is_not_given_up(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "HEAD_WITHIN_S", 0.1)
    with daemon.listening() as stream:
        first = stream.next()
        time.sleep(0.5)
        daemon.act("flo", "log_on")
        while stream.next()["type"] != "tablectl.person.logged_on":
            pass
    assert first["sequence"] == 1


def whole_answer(wire: socket.socket) -> bytes:
    """One answer with its body, however many pieces it came in."""
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += wire.recv(65_536)
    head, _, body = answer.partition(b"\r\n\r\n")
    (length,) = (line for line in head.lower().split(b"\r\n") if b"content-length" in line)
    while len(body) < int(length.split(b":")[1]):
        body += wire.recv(65_536)
    return head + body


def closed(wire: socket.socket) -> bool:
    try:
        return wire.recv(65_536) == b""
    except ConnectionError:
        return True


def test_nobody_is_told_what_serves_here(steady: Daemon) -> None:
    assert b"server:" not in all_of(steady, get(steady, close=True)).lower()


def test_a_body_that_does_not_come_is_given_up(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "BODY_WITHIN_S", 0.1)
    answer = all_of(daemon, half(daemon))
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"in time" in answer


def test_a_client_that_leaves_in_the_middle_of_a_body_does_nothing(daemon: Daemon) -> None:
    for _ in range(20):
        with daemon.socket() as wire:
            wire.sendall(half(daemon))
    assert daemon.state()["phase"] == "closed"
    assert daemon.front.done == daemon.front.refused == 0


def test_a_client_that_leaves_before_the_answer_has_acted_all_the_same(daemon: Daemon) -> None:
    body = '{"action": "halt_table", "actor": "flo", "credential": "%s", "args": {"reason": "x"}}'
    body %= PINS["flo"]
    lines = [f"POST /api/act HTTP/1.1\r\nHost: 127.0.0.1:{daemon.port}"]
    lines += [f"Content-Length: {len(body)}", "Content-Type: application/json", "", body]
    with daemon.socket() as wire:
        wire.sendall("\r\n".join(lines).encode())
    until(lambda: daemon.state()["halted"], "what restricts is done though nobody waits")


def test_a_mistake_of_ours_is_logged_once_and_tells_no_value(
    capsys: pytest.CaptureFixture[str], daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("a mistake")

    monkeypatch.setattr(daemon.front, "_submitted", fails)
    reply = daemon.act("flo", "log_on")
    assert (reply.status, reply.keys) == (500, {"error"})
    assert "a mistake" not in reply.text.replace("the daemon made a mistake", "")
    logged = capsys.readouterr().err
    assert logged.count("RuntimeError: a mistake") == 1
    assert PINS["flo"] not in logged
    assert daemon.state()["phase"] == "closed"
