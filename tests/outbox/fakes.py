"""What the outbox's tests put in the place of a journal and a broker: no disk, no network."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tablectl.journal.chain import Head, Identity, Published, publish
from tablectl.journal.reading import StoredEvent
from tablectl.outbox.engine import Engine
from tablectl.outbox.link import Bounds, LinkLost
from tablectl.outbox.reports import Mailbox
from tablectl.outbox.shown import Shown
from tablectl.outbox.stream import Feed, Unreadable
from tablectl.outbox.topics import Message
from tablectl.outbox.watermark import Memory
from tablectl.table.outputs import Event
from tablectl.table.state import State

IDENTITY = Identity("harbor", "tcp-12", 1_800_000_000)
ROOT = "tablectl/v1/harbor/tcp-12/"
START_NS = 1_800_000_000_000_000_000
TYPES = ("round.opened", "card.dealt", "wager.placed", "irregularity.face_up_card")


def chained(count: int, head: Head | None = None) -> list[Published]:
    """Events of a made-up session, chained like real ones."""
    head = head or Head()
    events = [
        Event(n, TYPES[n % len(TYPES)], f"round/{n // 10}", START_NS + n, {"text": f"ä {n}"})
        for n in range(head.sequence + 1, head.sequence + count + 1)
    ]
    return list(publish(IDENTITY, head, events, "ab" * 32))


@dataclass
class FakeSource:
    """A journal's folder: events by sequence, and reads that may fail."""

    events: list[Published] = field(default_factory=list)
    first: int = 1  # what lies before has left the box
    failures: int = 0
    reads: int = 0

    def after(self, sequence: int, limit: int) -> list[StoredEvent]:
        self.reads += 1
        if self.failures:
            self.failures -= 1
            raise Unreadable("the disk is tired")
        there = [e for e in self.events if e.sequence >= self.first and e.sequence > sequence]
        return [StoredEvent(e.sequence, e.body) for e in there[:limit]]

    def oldest(self) -> int:
        return self.first


@dataclass
class FakeLink:
    """A connection: remembers what went out, in order; breaks when told to."""

    sent: list[tuple[int, Message]] = field(default_factory=list)
    subscribed: list[str] = field(default_factory=list)
    broken: bool = False
    token: int = 0

    def publish(self, message: Message) -> int:
        if self.broken:
            raise LinkLost("the cable is cut")
        self.token += 1
        self.sent.append((self.token, message))
        return self.token

    def subscribe(self, filters: Sequence[str]) -> None:
        self.subscribed += filters

    def unsubscribe(self, filters: Sequence[str]) -> None:
        self.subscribed = [one for one in self.subscribed if one not in filters]

    def topics(self) -> list[str]:
        return [message.topic.removeprefix(ROOT) for _, message in self.sent]

    def of(self, topic: str) -> list[bytes]:
        return [m.payload for _, m in self.sent if m.topic == ROOT + topic]


class Rig:
    """An engine with fakes around it, and a clock that the test moves."""

    def __init__(
        self,
        data: Path,
        source: FakeSource | None = None,
        *,
        durable: int | None = None,
        tail: int = 1024,
        limit: int = 10_000,
        keys: Any = (),
        **bounds: Any,
    ) -> None:
        self.source = source or FakeSource()
        self.feed = Feed(self.source, len(self.source.events) if durable is None else durable, tail)
        self.shown = Shown()
        self.pokes = 0
        self.mailbox = Mailbox(self._poked)
        self.now = 1000.0
        self.engine = Engine(
            IDENTITY,
            self.feed,
            self.shown,
            Memory(data, IDENTITY.epoch),
            self.mailbox,
            keys=keys,
            unconfirmed_limit=limit,
            bounds=Bounds(**{"view_interval_s": 0.0, **bounds}),
        )
        self.engine.start(self.now_ns)
        self.link = FakeLink()

    def _poked(self) -> None:
        self.pokes += 1

    @property
    def now_ns(self) -> int:
        return START_NS + int(self.now * 1_000_000_000)

    def connect(self, trouble: str | None = None) -> FakeLink:
        self.link = FakeLink()
        self.engine.connected(self.link, self.now, self.now_ns, trouble)
        return self.link

    def work(self, seconds: float = 0.0) -> float | None:
        self.now += seconds
        return self.engine.work(self.now, self.now_ns)

    def add(self, count: int) -> list[Published]:
        last = self.source.events[-1] if self.source.events else None
        new = chained(count, Head(last.sequence, last.hash) if last else None)
        self.source.events += new
        for event in new:
            self.feed.add(event)
        return new

    def ack_all(self) -> None:
        for token, _ in self.link.sent:
            self.engine.acked(token)

    def settle(self) -> None:
        """Acknowledge everything until nothing more comes."""
        done = -1
        while done != len(self.link.sent):
            done = len(self.link.sent)
            self.ack_all()
            self.work(1.0)

    def came(self, topic: str, payload: bytes, retained: bool = False) -> None:
        self.engine.received(
            ROOT + topic, payload, retained=retained, now=self.now, now_ns=self.now_ns
        )

    def reports(self, kind: Any) -> list[Any]:
        return [report for report in self.mailbox.take() if isinstance(report, kind)]


def state(sequence: int = 0, **parts: Any) -> State:
    return State(sequence=sequence, **parts)
