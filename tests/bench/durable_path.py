"""Events made durable and acknowledged by Mosquitto, against paho publishing the same payloads.

From inputs: through the Recorder (step, chain, synced commit) and the Publisher, as in the daemon,
from the first submit until the broker has acknowledged the last event; states are published on the
way. From chained records: the same without the step and the hashing. A durable backlog: as after an
hour without a broker, the connection included.

The baseline: paho, QoS 1, nothing durable and nothing computed, its payloads ready made, as many in
flight as the outbox allows itself; and once without a bound. From the first publish to the last
acknowledgement. All of them one after the other, to the same broker, which nobody else reads.
"""

import shutil
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, Final

from paho.mqtt import client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from tablectl.daemon.service import SWITCH_INTERVAL_S
from tablectl.journal.chain import Published
from tablectl.journal.opening import open_journal
from tablectl.journal.store import Entry
from tablectl.journal.wiring import Outlets
from tablectl.outbox.broker import Broker
from tablectl.outbox.publisher import Publisher
from tablectl.outbox.topics import QOS, Topics
from tablectl.table.inputs import Input
from tablectl.table.state import State
from tests.bench.durability import play
from tests.bench.journals import LIMITS
from tests.bench.measure import BUILD, Row, Tell, Topic, timed
from tests.outbox.mosquitto import Mosquitto, until

TURNS: Final = 5
LIMIT_S: Final = 120.0
WINDOW: Final = 64  # as many in flight as the outbox allows
Messages = list[tuple[str, bytes]]


def messages_of(entries: list[Entry], topics: Topics) -> Messages:
    """What the outbox publishes of these records."""
    events = [event for entry in entries for event in entry.events]
    return [(topics.event(event.type), event.body.encode()) for event in events]


@contextmanager
def short_switches() -> Iterator[None]:
    """The daemon's own interval between threads."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


class Daemonlike:
    """A Recorder with a Publisher, wired as tablectl.daemon wires them."""

    def __init__(self, data: Path, port: int) -> None:
        shutil.rmtree(data, ignore_errors=True)
        outlets = Outlets(publish=self._publish)
        self.recorder = open_journal(
            data, site="harbor", table="tcp-12", limits=LIMITS, outlets=outlets
        )
        self.publisher: Publisher | None = None
        self._port = port

    def _publish(self, event: Published) -> None:
        if self.publisher is not None:
            self.publisher.offer(event)

    def connect(self, state: State | None = None) -> int:
        """Begin to publish; the sequence up to which there is something."""
        recorder = self.recorder
        broker = Broker.at(f"mqtt://127.0.0.1:{self._port}")
        publisher = Publisher(broker, recorder.identity, recorder.data, durable=recorder.durable)
        self.publisher = publisher
        publisher.show(state or recorder.state, {})
        publisher.start()
        return recorder.durable

    def submit(self, inputs: list[Input]) -> int:
        """All of them, as fast as they are taken; the last event's sequence."""
        recorder, publisher = self.recorder, self.publisher
        durable = recorder.durable
        for given in inputs:
            recorder.submit(given)
            if recorder.durable != durable:
                durable = recorder.durable
                recorder.release()
                if publisher is not None:
                    publisher.show(recorder.state, {})
        assert recorder.wait_durable(recorder.head.sequence, LIMIT_S), recorder.failure
        return recorder.head.sequence

    def submit_entries(self, entries: list[Entry]) -> int:
        """Past the core: records to the writer, events to the publisher when they are durable."""
        writer, held = self.recorder._writer, deque[Published]()
        for entry in entries:
            writer.put(entry)
            held += entry.events
            self._let_out(held)
        assert writer.wait_durable(entries[-1].last, LIMIT_S), writer.failure
        self._let_out(held)
        return entries[-1].last

    def _let_out(self, held: deque[Published]) -> None:
        while held and held[0].sequence <= self.recorder.durable:
            self._publish(held.popleft())

    def wait_acknowledged(self, last: int) -> None:
        publisher = self.publisher
        assert publisher is not None
        end_s = time.monotonic() + LIMIT_S
        while publisher.acknowledged < last:
            assert time.monotonic() < end_s, f"{publisher.acknowledged} of {last} acknowledged"
            time.sleep(0.0005)

    def close(self) -> None:
        if self.publisher is not None:
            self.publisher.stop()
        assert self.recorder.close(), self.recorder.failure


def ours(data: Path, port: int, inputs: list[Input]) -> float:
    """Seconds from the first submit to the last acknowledgement."""
    both = Daemonlike(data, port)
    both.submit(inputs[:1])  # the Restart: a table that has never started has nothing to show
    both.connect()
    publisher = both.publisher
    assert publisher is not None
    until(lambda: publisher.connected and not publisher.backlog, "the outbox is connected")
    try:
        return timed(lambda: both.wait_acknowledged(both.submit(inputs[1:])))
    finally:
        both.close()


def chained(data: Path, port: int, entries: list[Entry]) -> float:
    """The same from records that are chained already: no step, only the disk and the broker."""
    both = Daemonlike(data, port)
    recorder = both.recorder
    both.submit_entries(entries[:1])
    both.connect(State())
    publisher = both.publisher
    assert publisher is not None
    until(lambda: publisher.connected and not publisher.backlog, "the outbox is connected")
    try:
        return timed(lambda: both.wait_acknowledged(both.submit_entries(entries[1:])))
    finally:
        publisher.stop()
        recorder._writer.close()
        recorder._lock.release()


def backlog(data: Path, port: int, inputs: list[Input]) -> float:
    """Seconds to bring a durable backlog to the broker, the connection included."""
    both = Daemonlike(data, port)
    both.submit(inputs)
    try:
        return timed(lambda: both.wait_acknowledged(both.connect()))
    finally:
        both.close()


def paho(port: int, messages: Messages, in_flight: int) -> float:
    """Seconds from the first publish to the last acknowledgement."""
    client = mqtt.Client(CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv311)
    client.max_inflight_messages_set(in_flight)
    client.max_queued_messages_set(0)
    connected, done = threading.Event(), threading.Event()
    left = len(messages)

    def acknowledged(*_: Any) -> None:
        nonlocal left
        left -= 1
        if not left:
            done.set()

    client.on_connect = lambda *_: connected.set()
    client.on_publish = acknowledged
    client.connect("127.0.0.1", port)
    client.loop_start()
    assert connected.wait(LIMIT_S)

    def publish() -> None:
        for topic, payload in messages:
            client.publish(topic, payload, QOS)
        assert done.wait(LIMIT_S), f"{left} not acknowledged"

    try:
        return timed(publish)
    finally:
        client.disconnect()
        client.loop_stop()


def measure(tell: Tell) -> Topic:
    taken: dict[str, list[float]] = {
        name: [] for name in ("ours", "chained", "backlog", "paho", "window")
    }
    with tempfile.TemporaryDirectory(dir=BUILD) as name:
        folder = Path(name)
        tell("playing rounds")
        inputs, entries = play(folder / "play")
        messages = messages_of(entries, Topics("harbor", "tcp-12"))
        broker = Mosquitto(folder)
        contenders = {
            "ours": lambda: ours(folder / "data", broker.port, inputs),
            "chained": lambda: chained(folder / "data", broker.port, entries),
            "paho": lambda: paho(broker.port, messages, 0),
            "backlog": lambda: backlog(folder / "data", broker.port, inputs),
            "window": lambda: paho(broker.port, messages, WINDOW),
        }
        try:
            for turn in range(TURNS + 1):  # the first one warms up
                order = list(contenders) if turn % 2 else list(reversed(contenders))
                for contender in order:
                    tell(f"turn {turn} of {TURNS}: {contender}")
                    with short_switches():
                        seconds = contenders[contender]()
                    if turn:
                        taken[contender].append(seconds)
        finally:
            broker.stop()
    count = len(messages)
    rate = {who: count / median(seconds) for who, seconds in taken.items()}
    size = sum(len(payload) for _topic, payload in messages) // count
    return Topic(
        [
            Row("from inputs / paho, events/s", rate["ours"], rate["window"], ">= 0.5"),
            Row("from chained records / paho, events/s", rate["chained"], rate["window"]),
            Row("a durable backlog / paho, events/s", rate["backlog"], rate["window"]),
            Row("from chained records / paho unbounded, events/s", rate["chained"], rate["paho"]),
        ],
        f"{count:,} events of {len(entries):,} records, {size:,} bytes each on average, median of "
        f"{TURNS} turns; paho without a bound, and with as many in flight as the outbox",
    )
