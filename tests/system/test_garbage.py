"""Nonsense on the wires: the daemon lives, counts it where people look, and the table stays put."""

import http.client
import json
import random
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hwsim.tablelink import messages as m
from hwsim.tablelink.framing import Frame
from tablectl.demo import house
from tests.outbox.mosquitto import Mosquitto, until
from tests.system.processes import Daemon, sound
from tests.system.stage import Stage, stored_events
from tests.system.subscriber import Subscriber

SEED = 71
# What a device that never says a sensible word may lead to; everything else moves the table.
QUIET = ("config.", "table.restarted", "alarm.", "device.offline", "clock.", "journal.", "meter.")


class Babbler:
    """A TCP server in a device's place: whoever connects gets nonsense, then some more."""

    def __init__(self, seed: str) -> None:
        self._dice = random.Random(seed)
        self._stop = threading.Event()
        self.said = 0
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.settimeout(0.1)
        self.url = f"socket://127.0.0.1:{self._server.getsockname()[1]}"
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join(5)
        self._server.close()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                peer, _ = self._server.accept()
            except TimeoutError:
                continue
            with peer:
                self._babble(peer)

    def _babble(self, peer: socket.socket) -> None:
        for _ in range(self._dice.randint(5, 60)):
            piece = self._nonsense()
            self.said += len(piece)
            try:
                peer.sendall(piece)
            except OSError:
                return
            if self._stop.wait(self._dice.choice((0, 0, 0.01, 0.05))):
                return

    def _nonsense(self) -> bytes:
        dice = self._dice
        match dice.randrange(5):
            case 0:
                return dice.randbytes(dice.randint(1, 2000))
            case 1:  # many short frames
                return b"".join(dice.randbytes(dice.randint(0, 12)) + b"\0" for _ in range(50))
            case 2:  # a frame that never ends
                return bytes(dice.randint(1, 255) for _ in range(5000))
            case 3:  # what a device says, with one bit wrong, or not to its end
                return self._damaged()
            case _:  # two frames through one another
                one, two = self._frame(), self._frame()
                return b"".join(bytes(pair) for pair in zip(one, two, strict=False)) + b"\0"

    def _frame(self) -> bytes:
        """A frame that a device could send: an event, a state, a result."""
        dice = self._dice
        types = (m.Event.TYPE, m.State.TYPE, m.Result.TYPE, m.Welcome.TYPE)
        payload = dice.randbytes(dice.randint(4, 60))
        return Frame(
            dice.choice(types), dice.randrange(256), dice.randrange(65536), payload
        ).to_wire()

    def _damaged(self) -> bytes:
        frame = bytearray(self._frame())
        if self._dice.random() < 0.5:
            del frame[self._dice.randrange(1, len(frame) - 1) :]
            return bytes(frame) + b"\0"
        frame[self._dice.randrange(len(frame) - 1)] ^= 1 << self._dice.randrange(8)
        return bytes(frame)


@pytest.fixture
def babblers() -> Iterator[dict[str, Babbler]]:
    made = {name: Babbler(f"{SEED} {name}") for name in house.HOUSES["three_card_poker"].kinds}
    yield made
    for one in made.values():
        one.close()


def test_nothing_but_nonsense(tmp_path: Path, babblers: dict[str, Babbler]) -> None:
    told = f"seed {SEED}"
    broker = Mosquitto(tmp_path)
    subscriber = Subscriber(broker.port)
    data, port = tmp_path / "data", house.free_port()
    config = tmp_path / "table.toml"
    urls = {name: one.url for name, one in babblers.items()}
    url = f"mqtt://127.0.0.1:{broker.port}"
    config.write_text(house.configuration(data, urls, house.people(), url, port, None))
    config.chmod(0o600)
    daemon = Daemon(config, tmp_path / "daemon.log")
    daemon.start()
    try:
        for name, one in babblers.items():
            heard(subscriber, name, one, told)
            assert on_page(port, name) > 0, f"{told}: {name} on /metrics"
        assert daemon.lives, f"{told}: {daemon.tail()}"
        state = json.loads(page(port, "/api/state"))
        assert state["phase"] == "closed", told
        assert all(d["health"] in ("offline", "unknown") for d in state["devices"].values()), told
        assert daemon.stop() == 0, told
    finally:
        daemon.stop()
        subscriber.close()
        broker.stop()
    assert "Traceback" not in daemon.log.read_text(), daemon.tail()
    types = {json.loads(body)["type"].removeprefix("tablectl.") for _, body in stored_events(data)}
    assert all(kind.startswith(QUIET) for kind in types), f"{told}: {types}"
    sound(data, told)


def heard(subscriber: Subscriber, name: str, babbler: Babbler, told: str) -> None:
    until(lambda: babbler.said > 30_000, f"{told}: {name} babbles", 30)
    until(lambda: on_topic(subscriber, name) > 0, f"{told}: {name} on MQTT", 30)


def on_topic(subscriber: Subscriber, device: str) -> int:
    found = subscriber.latest(f"device/{device}")
    return int(found["counters"].get("frames_bad", 0)) if found else 0


def on_page(port: int, device: str) -> int:
    wanted = f'tablectl_device_frames_bad_total{{device="{device}"}} '
    lines = [line for line in page(port, "/metrics").splitlines() if line.startswith(wanted)]
    return int(lines[0].removeprefix(wanted))


def page(port: int, path: str) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", path)
    body = connection.getresponse().read().decode()
    connection.close()
    return body


def test_a_noisy_line_changes_no_card(tmp_path: Path) -> None:
    """Noise inside and between frames, pieces, repeats, losses, in the middle of play: what the
    journal sealed is what the shoe gave, card by card."""
    faults = "garbage%15,split%15,repeat%15,loss%5"
    with Stage(tmp_path, SEED, faults) as stage:
        stage.play(6)
        stage.room.rest()
        assert stage.daemon.stop() == 0, stage.told
        assert stage.room.rack.log.faults("garbage"), stage.told
        given = [
            str(card)
            for entry in stage.room.rack.log.of("report stack", "shoe")
            for card in entry.get("cards")
        ]
        assert len(given) > 30, stage.told
        assert sealed(stage) == given, stage.told
        counted = sum(
            on_topic(stage.subscriber, name) for name in house.HOUSES["three_card_poker"].kinds
        )
        assert counted > 0, stage.told
        sound(stage.data, stage.told)


def sealed(stage: Stage) -> list[str]:
    """The cards of the journal, in the order in which they were dealt."""
    cards = dict(stage.sealed())
    dealt = [json.loads(body) for body in stage.stored().values()]
    commitments = [e["data"]["commitment"] for e in dealt if e["type"] == "tablectl.card.dealt"]
    return [cards[commitment] for commitment in commitments]
