"""Somebody outside who reads the table over MQTT and proves what came, with no code of tablectl."""

import itertools
import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from paho.mqtt import client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from tests.outbox.mosquitto import PATIENCE_S, until
from tests.outbox.stream_verifier import Reader

ROOT = "tablectl/v1/harbor/demo/"
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
CONFIG = f"""[keys.archive]
public = "{KEY.public_key().public_bytes_raw().hex()}"
commands = ["replay", "confirm"]
"""


class Subscriber:
    """Keeps every message as it came; `reader` keeps each event once, in order, proved.

    Its session lasts through its own absences; where the broker itself is killed the messages that
    it had taken are gone, and the subscriber asks the table for them by their numbers.
    """

    def __init__(
        self,
        port: int,
        name: str = "archive",
        hears: Callable[[str, bytes], None] = lambda _topic, _body: None,
    ) -> None:
        self._hears = hears  # told of each message as it comes, on paho's thread
        self._numbers = itertools.count(1)
        self._name = name
        self._lock = threading.Lock()
        self._ready = threading.Event()
        self.heard: list[tuple[str, bytes]] = []
        self.bodies: dict[int, bytes] = {}  # by sequence, as first heard
        self.changed: list[int] = []  # sequences that came again with other bytes
        self.broken: str | None = None
        self.repeats = 0
        self.reader = Reader()
        self.client = mqtt.Client(
            CallbackAPIVersion.VERSION2, name, clean_session=False, protocol=mqtt.MQTTv311
        )
        self.client.reconnect_delay_set(1, 1)
        self.client.on_connect = lambda client, *_: client.subscribe("#", 1)
        self.client.on_subscribe = lambda *_: self._ready.set()
        self.client.on_disconnect = lambda *_: self._ready.clear()
        self.client.on_message = self._on_message
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()
        self.ready()

    def ready(self) -> None:
        assert self._ready.wait(PATIENCE_S), "the subscriber is subscribed"

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()

    def _on_message(self, _client: Any, _data: Any, message: mqtt.MQTTMessage) -> None:
        self._hears(message.topic, bytes(message.payload))
        with self._lock:
            self.heard.append((message.topic, bytes(message.payload)))
            if message.topic.startswith((ROOT + "event/", ROOT + "replay/")):
                self._event(bytes(message.payload))

    def _event(self, payload: bytes) -> None:
        number = json.loads(payload)["sequence"]
        if number in self.bodies:
            self.repeats += 1
            if self.bodies[number] != payload:
                self.changed.append(number)
            return
        self.bodies[number] = payload
        try:
            self.reader.take(payload)
        except AssertionError as error:  # on paho's thread nobody would see it
            self.broken = self.broken or str(error)

    # ── what it knows ──────────────────────────────────────────────────────
    @property
    def last(self) -> int:
        """Everything up to here is there, and proved."""
        return int(self.reader.last)

    def of(self, topic: str) -> list[bytes]:
        """Every payload of a topic, or of those below it."""
        with self._lock:
            return [body for name, body in self.heard if (name + "/").startswith(ROOT + topic)]

    def latest(self, topic: str) -> Any:
        """What is last known of a topic, None where it is empty or nothing came."""
        found = self.of(topic + "/")
        return json.loads(found[-1]) if found and found[-1] else None

    # ── what it does ───────────────────────────────────────────────────────
    def catch_up(self, last: int, told: str, *, may_ask: bool) -> None:
        """Be complete up to `last`. `may_ask`: the broker was killed with messages in its hands.

        Without that everything comes by itself, and nothing needs to be asked for.
        """
        deadline = time.monotonic() + PATIENCE_S
        moved, seen = time.monotonic(), self.last
        while self.last < last:
            assert not self.broken, f"{told}: {self.broken}"
            now = time.monotonic()
            assert now < deadline, f"{told}: only {self.last} of {last} events came"
            if self.last > seen:
                moved, seen = now, self.last
            elif may_ask and now - moved > 0.5 and self._ready.is_set():
                moved = now
                first, end = self.reader.gap() or (self.last + 1, last)
                self._ask(first, min(end, first + 400))
            time.sleep(0.01)

    def _ask(self, first: int, last: int) -> None:
        topic = ROOT + "cmd/replay"
        body: dict[str, Any] = {
            "id": f"{self._name}-{next(self._numbers)}",
            "actor": "tess",
            "expires": int(time.time()) + 60,
            "args": {"from": first, "to": last},
        }
        signature = KEY.sign(topic.encode() + b"\x00" + rfc8785.dumps(body)).hex()
        self.client.publish(topic, json.dumps({**body, "signature": signature}).encode(), 1)

    def agrees(self, stored: dict[int, bytes], told: str) -> None:
        """It has every event of the journal exactly once, none changed, and nothing else."""
        assert not self.broken, f"{told}: {self.broken}"
        assert not self.changed, f"{told}: came again with other bytes: {self.changed}"
        assert self.bodies.keys() == stored.keys(), f"{told}: {self.bodies.keys() ^ stored.keys()}"
        different = [n for n, body in stored.items() if self.bodies[n] != body]
        assert not different, f"{told}: not as in the journal: {different}"
        assert self.last == max(stored), told
        assert not self.reader.gap(), told


def wait_connected(subscriber: Subscriber) -> None:
    """The table says on its topic that it is there."""
    until(lambda: (subscriber.latest("status") or {}).get("state") == "online", "table is online")


def segments(data: Path) -> list[Path]:
    """The files of a journal, in order."""
    closed = sorted(data.glob("journal-*.db"), key=lambda path: int(path.stem[8:]))
    return [*closed, data / "journal.db"]
