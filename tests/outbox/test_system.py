"""The outbox against a real Mosquitto: wills, restarts of everything, nothing lost, in order."""

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablectl.journal.wiring import Limits
from tablectl.outbox import paho_link, publisher
from tablectl.outbox.reports import ArchiveBehind, Connected, Disconnected, Trouble
from tablectl.table.state import Alarm, Device, MeterState
from tests.outbox.desk import Desk
from tests.outbox.fakes import ROOT
from tests.outbox.mosquitto import Mosquitto, Watcher, free_port, kept, until
from tests.outbox.signing import command
from tests.outbox.stream_verifier import Reader
from tests.pace import within

PARTS = {
    "meters": (MeterState("main", 100_000, "0.2", 123_456, 100_000),),
    "devices": (Device("shoe", "shoe", "online"),),
    "alarms": (Alarm("jam-1", "jam", "warning", "It jammed.", 1_800_000_000_000_000_000),),
}


@pytest.fixture
def desk(tmp_path: Path, broker: Mosquitto, watcher: Watcher) -> Iterator[Desk]:
    made = Desk(tmp_path / "data", broker.port)
    made.connected()
    yield made
    made.stop()


def soon(name: str, args: object) -> bytes:
    return command(name, args, expires=int(time.time()) + 60)


def test_a_start_and_an_orderly_end(tmp_path: Path, broker: Mosquitto, watcher: Watcher) -> None:
    desk = Desk(tmp_path / "data", broker.port)
    desk.show(**PARTS)
    desk.connected()
    desk.say(10)
    desk.published()
    epoch = desk.recorder.identity.epoch
    until(lambda: watcher.latest("device/shoe"), "the device is there")
    online = json.loads(watcher.latest("status") or b"")
    assert (online["state"], online["epoch"]) == ("online", epoch)
    desk.stop()
    until(lambda: b"offline" in (watcher.latest("status") or b""), "it says goodbye")
    found = kept(broker.port)
    assert json.loads(found[ROOT + "status"])["state"] == "offline"
    assert {topic.removeprefix(ROOT) for topic in found} == {
        "status", "state", "meter/main", "device/shoe", "alarm/jam-1"
    }  # fmt: skip
    reader = Reader()
    for heard in watcher.heard("/event/"):
        reader.take(heard.payload)
    assert reader.last == desk.recorder.head.sequence, "the closing checkpoint came out too"
    assert reader.head == desk.recorder.head.hash
    assert len(watcher.heard("/event/")) == reader.last, "nothing twice without need"


CHILD = """
import sys, time
from pathlib import Path
from tests.outbox.desk import Desk
desk = Desk(Path(sys.argv[1]), int(sys.argv[2]))
desk.connected()
desk.say(20)
desk.published()
print("ready", flush=True)
time.sleep(60)
"""


def test_the_will_speaks_when_the_table_is_killed(
    tmp_path: Path, broker: Mosquitto, watcher: Watcher
) -> None:
    root = Path(__file__).parents[2]
    arguments = [sys.executable, "-c", CHILD, str(tmp_path / "data"), str(broker.port)]
    child = subprocess.Popen(arguments, stdout=subprocess.PIPE, cwd=root)
    assert child.stdout is not None
    try:
        with child.stdout as said:
            assert said.readline() == b"ready\n"
        until(lambda: b"online" in (watcher.latest("status") or b""), "it is online")
    finally:
        child.kill()
        child.wait()
    until(lambda: b"offline" in (watcher.latest("status") or b""), "the will is read")
    will = json.loads(kept(broker.port)[ROOT + "status"])
    assert will.keys() == {"state", "epoch", "since"}
    # The next life goes on where this one ended: what it cannot know was acknowledged, it repeats.
    desk = Desk(tmp_path / "data", broker.port)
    desk.connected()
    desk.published()
    reader = Reader()
    until(lambda: len(watcher.heard("table/restarted")) >= 2, "the restart is told")
    for heard in watcher.heard("/event/"):
        reader.take(heard.payload)
    assert reader.last == desk.recorder.head.sequence
    assert reader.order == list(range(1, reader.last + 1))
    desk.stop()


def test_everything_retained_comes_back_after_a_broker_lost_it(
    desk: Desk, broker: Mosquitto
) -> None:
    desk.show(**PARTS)
    desk.published()
    until(lambda: ROOT + "alarm/jam-1" in kept(broker.port), "all is kept")
    broker.kill()
    assert "gone" in desk.hear(Disconnected).what
    desk.show(**{**PARTS, "alarms": ()})
    broker.start()
    assert "connected" in desk.hear(Connected).what
    wanted = {"status", "state", "meter/main", "device/shoe"}
    until(
        lambda: {topic.removeprefix(ROOT) for topic in kept(broker.port)} == wanted,
        "all is kept again, and the alarm that ended is not",
    )


def test_what_an_earlier_life_left_is_cleared(tmp_path: Path, broker: Mosquitto) -> None:
    before = Watcher(broker.port)
    before.send(ROOT + "alarm/old-3", b"{}", retain=True)
    before.send(ROOT + "device/toaster", b"{}", retain=True)
    before.send("tablectl/v1/harbor/tcp-13/alarm/theirs", b"{}", retain=True)
    before.close()
    desk = Desk(tmp_path / "data", broker.port)
    desk.show(**PARTS)
    desk.connected()
    until(lambda: ROOT + "alarm/old-3" not in kept(broker.port), "the old alarm is cleared")
    found = kept(broker.port)
    assert ROOT + "device/toaster" not in found
    assert ROOT + "alarm/jam-1" in found
    assert "tablectl/v1/harbor/tcp-13/alarm/theirs" in found
    desk.stop()


def ask_again(watcher: Watcher, reader: Reader, first: int, last: int) -> None:
    payload = soon("replay", {"from": first, "to": last})
    watcher.send(ROOT + "cmd/replay", payload)
    command_id = json.loads(payload)["id"]
    until(lambda: watcher.latest(f"reply/{command_id}"), "the replay is over")
    for heard in watcher.heard(f"replay/{command_id}"):
        reader.take(heard.payload)


def test_the_broker_dies_in_the_middle_of_2000_events(
    tmp_path: Path, broker: Mosquitto, watcher: Watcher
) -> None:
    """A reader who drops repeats, sees gaps and asks for them ends with the whole chain."""
    limits = Limits(segment_bytes=200_000)  # the journal begins new files on the way
    desk = Desk(tmp_path / "data", broker.port, limits=limits)
    desk.connected()
    assert desk.publisher is not None
    for n in range(40):
        desk.say(50)
        if n in (10, 25):
            broker.kill()
        elif n in (14, 29):
            broker.start()
            desk.connected()
        elif not 10 <= n <= 14 and not 25 <= n <= 29:
            desk.settle()
            until(lambda: desk.publisher.backlog < 40, "it keeps up")  # type: ignore[union-attr]
    assert len(list((tmp_path / "data").glob("journal-*.db"))) >= 2
    desk.published()
    watcher.ready()
    desk.act("say", text="the last")
    desk.published()
    last = desk.recorder.head.sequence
    assert last > 2000
    until(lambda: str(last).encode() in (watcher.latest("action/done") or b""), "the last is here")
    reader = Reader()
    for heard in watcher.heard("/event/"):
        reader.take(heard.payload)
    assert reader.order == sorted(reader.order), "in order, repeats dropped"
    assert len(reader.order) > 500
    for _ in range(10):
        # Mosquitto had acknowledged these and died: only the archive's confirmation means safe.
        if gap := reader.gap():
            ask_again(watcher, reader, *gap)
    assert (reader.last, reader.head) == (last, desk.recorder.head.hash)
    desk.stop()


def test_replay_and_confirm(desk: Desk, watcher: Watcher) -> None:
    desk.say(300)
    desk.published()
    head = desk.recorder.head
    payload = soon("replay", {"from": 1, "to": head.sequence})
    watcher.send(ROOT + "cmd/replay", payload)
    command_id = json.loads(payload)["id"]
    until(lambda: watcher.latest(f"reply/{command_id}"), "the replay is over")
    live = {heard.payload for heard in watcher.heard("/event/")}
    again = [heard.payload for heard in watcher.heard(f"replay/{command_id}")]
    assert len(again) == head.sequence
    assert set(again) == live, "the same bytes"
    reader = Reader()
    for one in again:
        reader.take(one)
    assert reader.head == head.hash
    confirm = soon("confirm", {"sequence": reader.last, "hash": reader.head})
    watcher.send(ROOT + "cmd/confirm", confirm)
    until(lambda: watcher.latest(f"reply/{json.loads(confirm)['id']}"), "it is answered")
    assert desk.publisher is not None
    assert desk.publisher.unconfirmed == 0


def test_the_archive_is_missed(tmp_path: Path, broker: Mosquitto) -> None:
    desk = Desk(tmp_path / "data", broker.port, unconfirmed_limit=100)
    desk.connected()
    desk.say(150)
    desk.settle()
    assert desk.hear(ArchiveBehind).limit == 100
    desk.stop()


def test_nothing_waits_for_a_broker_that_is_not_there(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "data", free_port())
    assert "cannot be reached" in desk.hear(Disconnected).what
    assert desk.publisher is not None
    started = time.perf_counter()
    desk.say(500)
    for _ in range(500):
        desk.show()
    desk.settle()
    assert time.perf_counter() - started < within(5)
    assert desk.publisher.backlog == desk.recorder.head.sequence
    started = time.perf_counter()
    desk.stop()
    assert time.perf_counter() - started < within(4)


def test_a_broker_that_hangs_is_noticed(
    tmp_path: Path, broker: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paho_link, "KEEPALIVE_S", 1)
    desk = Desk(tmp_path / "data", broker.port)
    desk.connected()
    broker.signal(signal.SIGSTOP)
    desk.say(200)
    assert "gone" in desk.hear(Disconnected).what
    broker.signal(signal.SIGCONT)
    desk.hear(Connected)
    desk.published()
    desk.stop()


def test_an_error_of_ours_is_told_and_the_thread_lives(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert desk.publisher is not None
    engine = desk.publisher._engine
    work = engine.work
    answers: Iterator[Any] = iter([KeyError("a bug")])

    def stumbling(now: float, now_ns: int) -> float | None:
        for error in answers:
            raise error
        return work(now, now_ns)

    monkeypatch.setattr(engine, "work", stumbling)
    desk.say(10)
    desk.settle()
    assert "KeyError" in desk.hear(Trouble).what
    desk.published()


def test_something_that_is_no_broker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A port that talks nonsense never stops the table's thread."""
    monkeypatch.setattr(publisher, "ACCEPT_S", 1.0)
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.settimeout(20)
        desk = Desk(tmp_path / "data", server.getsockname()[1])
        for nonsense in (b"\x20\x02\x00\x00\x90\x00\x30\xff\xff\xff\xff\xff", b"HTTP/1.1 400\r\n"):
            peer, _ = server.accept()
            peer.recv(1000)
            peer.sendall(nonsense)
            assert "localhost" in desk.hear(Disconnected).what
            peer.close()
        desk.stop()
