"""The outbox's sockets: little asked of the system, nothing lost, nothing endless."""

import select
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tablectl.outbox.reports import Disconnected
from tablectl.outbox.sockets import PACKET_MAXIMUM, Bell, BulkSocket
from tests.outbox.desk import Desk
from tests.outbox.mosquitto import Mosquitto, until

Pair = tuple[BulkSocket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    theirs.settimeout(5)
    bulk = BulkSocket(ours)
    yield bulk, theirs
    bulk.close()
    theirs.close()


def test_what_is_sent_leaves_in_one_piece(pair: Pair) -> None:
    bulk, theirs = pair
    assert [bulk.send(b"one"), bulk.send(b"two")] == [3, 3]
    waits = [bulk.unsent]
    theirs.setblocking(False)
    with pytest.raises(BlockingIOError):
        theirs.recv(100)
    bulk.flush()
    assert [*waits, bulk.unsent] == [True, False]
    assert theirs.recv(100) == b"onetwo"


def test_what_came_is_read_once_and_given_byte_by_byte(pair: Pair) -> None:
    bulk, theirs = pair
    with pytest.raises(BlockingIOError):
        bulk.recv(1)
    theirs.sendall(b"abc")
    assert bulk.recv(1) == b"a"
    theirs.sendall(b"def")
    waits = [bulk.unread]
    assert [bulk.recv(5), bulk.recv(5)] == [b"bc", b"def"]
    assert [*waits, bulk.unread] == [True, False]
    theirs.close()
    assert bulk.recv(1) == b""


def test_a_peer_that_does_not_read_loses_nothing(pair: Pair) -> None:
    bulk, theirs = pair
    sent = bytes(range(256)) * 8192
    bulk.send(sent)
    bulk.flush()
    assert bulk.unsent, "more than fits"
    got = b""
    while len(got) < len(sent):
        got += theirs.recv(1 << 20)
        bulk.flush()
    assert got == sent


def test_the_last_words_are_said_before_it_closes(pair: Pair) -> None:
    bulk, theirs = pair
    sent = bytes(300_000)
    heard = bytearray()

    def listen() -> None:
        while piece := theirs.recv(65_536):
            heard.extend(piece)

    reader = threading.Thread(target=listen)
    reader.start()
    bulk.send(sent)
    bulk.finish()
    reader.join(5)
    assert bytes(heard) == sent


def test_nobody_makes_us_read_without_end(pair: Pair) -> None:
    bulk, _theirs = pair
    with pytest.raises(ConnectionError, match=str(PACKET_MAXIMUM + 1)):
        bulk.recv(PACKET_MAXIMUM + 1)


def test_a_broker_that_announces_a_huge_packet_is_left(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(20)
        desk = Desk(tmp_path / "data", server.getsockname()[1])
        peer, _ = server.accept()
        with peer:
            peer.recv(1000)
            # CONNACK, then a PUBLISH of 256 MiB.
            peer.sendall(b"\x20\x02\x00\x00" + b"\x30\xff\xff\xff\x7f" + bytes(1000))
            assert "gone" in desk.hear(Disconnected).what
        desk.stop()


def rings(bell: Bell, seconds: float = 0.0) -> bool:
    waiting = select.poll()
    waiting.register(bell, select.POLLIN)
    return bool(waiting.poll(seconds * 1000))


def test_a_bell_wakes_once_however_often_it_is_rung() -> None:
    bell = Bell()
    assert not rings(bell)
    for _ in range(1000):
        bell.ring()
    assert rings(bell)
    bell.hush()
    assert not rings(bell)
    bell.ring()
    assert rings(bell)
    bell.close()
    bell.ring()  # nobody is there any more, and nobody is hurt


def test_no_ring_is_lost_between_two_threads() -> None:
    bell, told, heard = Bell(), [0], 0

    def tell() -> None:
        for number in range(1, 2001):
            told[0] = number
            bell.ring()
            if number % 100 == 0:
                time.sleep(0.001)

    teller = threading.Thread(target=tell)
    teller.start()
    while heard < 2000:
        assert rings(bell, 10), f"{heard} heard, {told[0]} told"
        bell.hush()
        heard = told[0]
    teller.join()
    bell.close()


def test_a_rush_of_events_takes_few_turns(tmp_path: Path, broker: Mosquitto) -> None:
    """Acknowledgements are taken in bunches: the table's interpreter is not asked for each."""
    desk = Desk(tmp_path / "data", broker.port)
    desk.connected()
    desk.settle()
    publisher = desk.publisher
    assert publisher is not None
    until(lambda: publisher.backlog == 0, "all is acknowledged")
    turns = 0
    turn = publisher._turn

    def counted() -> None:
        nonlocal turns
        turns += 1
        turn()

    publisher._turn = counted  # type: ignore[method-assign]
    desk.say(1000)
    desk.published()
    assert turns < 500, f"{turns} turns for 1000 events"
    desk.stop()
