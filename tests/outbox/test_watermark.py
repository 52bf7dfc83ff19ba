"""The watermark: nothing lost, order kept, only durable events, whatever the network does."""

import json
import random
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablectl.outbox.link import LinkLost
from tablectl.outbox.reports import JournalDiffers, Trouble
from tablectl.outbox.watermark import FILE, Mark, Memory, Remembered, Window
from tests.outbox.fakes import IDENTITY, ROOT, FakeSource, Rig, chained, state


# ── the window ──
def test_it_moves_only_over_what_has_no_hole() -> None:
    window = Window(10, size=4)
    for token in (101, 102, 103, 104):
        window.sent(token)
    assert (window.room, window.following) == (0, 15)
    assert not window.acked(102)
    assert not window.acked(104)
    assert window.acknowledged == 10
    assert window.acked(101)
    assert window.acknowledged == 12
    assert window.acked(103)
    assert window.acknowledged == 14
    assert window.room == 4


def test_a_lost_connection_sends_again_from_the_first_hole() -> None:
    """4 is open, 5 acknowledged, 6 open: 4, 5 and 6 go out again, not 4 and 6."""
    window = Window(3, size=8)
    for token in (1, 2, 3):
        window.sent(token)
    window.acked(2)
    window.lost()
    assert (window.acknowledged, window.following, window.room) == (3, 4, 8)
    assert not window.acked(1), "an acknowledgement of the old connection counts for nothing"


def test_unknown_and_repeated_acknowledgements_change_nothing() -> None:
    window = Window(0)
    window.sent(7)
    assert not window.acked(8)
    assert window.acked(7)
    assert not window.acked(7)
    assert window.acknowledged == 1


# ── against a broker that does everything wrong that a broker may do ──
@dataclass
class Network:
    """A broker and a reader who drops repeats.

    The broker passes messages on in order but late, acknowledges them in any order or never, and
    may die with what it has not passed on. What it acknowledged and lost is its own fault.
    """

    rng: random.Random
    seen: list[str] = field(default_factory=list)
    bodies: dict[str, bytes] = field(default_factory=dict)
    arrived: int = 0  # of the messages of this connection
    passed_on: int = 0
    owed: list[int] = field(default_factory=list)  # acknowledgements not yet given
    given: set[int] = field(default_factory=set)
    excused: set[str] = field(default_factory=set)  # whose last copy was acknowledged and lost
    late: set[str] = field(default_factory=set)  # once excused: it may come again at any time

    def arrive(self, rig: Rig, count: int) -> None:
        """Messages reach the broker."""
        new = rig.link.sent[self.arrived : self.arrived + count]
        if rig.link.broken:
            return
        self.arrived += len(new)
        self.owed += [token for token, _ in new]
        for _, message in new:
            if message.topic.startswith(ROOT + "event/"):
                sequence = json.loads(message.payload)["sequence"]
                assert sequence <= rig.feed.durable, "an event left before it was durable"

    def pass_on(self, rig: Rig, count: int) -> None:
        """The broker gives messages to the reader."""
        last = min(self.passed_on + count, self.arrived)
        for _, message in rig.link.sent[self.passed_on : last]:
            if not message.topic.startswith(ROOT + "event/"):
                continue
            name = json.loads(message.payload)["id"]
            if name in self.bodies:
                assert self.bodies[name] == message.payload, "a repeat is the same bytes"
            else:
                self.bodies[name] = message.payload
                self.seen.append(name)
        self.passed_on = last

    def acknowledge(self, rig: Rig, count: int) -> None:
        for _ in range(min(count, len(self.owed)) if not rig.link.broken else 0):
            token = self.owed.pop(self.rng.randrange(len(self.owed)))
            self.given.add(token)
            rig.engine.acked(token)

    def cut(self, rig: Rig) -> None:
        """The connection breaks; what arrived is passed on all the same."""
        self.arrive(rig, self.rng.randrange(100))
        self.pass_on(rig, self.arrived)
        rig.link.broken = True

    def die(self, rig: Rig) -> None:
        """The broker is killed: what it did not pass on is gone."""
        for token, message in rig.link.sent[self.passed_on :]:
            if message.topic.startswith(ROOT + "event/"):
                name = json.loads(message.payload)["id"]
                (self.excused.add if token in self.given else self.excused.discard)(name)
                self.late |= self.excused
        self.arrived = self.passed_on
        rig.link.broken = True

    def connect(self, rig: Rig) -> None:
        self.owed.clear()
        self.given.clear()
        self.arrived = self.passed_on = 0
        rig.engine.lost()
        rig.connect()


STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["events", "arrive", "ack", "die"] * 2 + ["pass", "cut", "crash", "forget", "disk"]
        ),
        st.integers(1, 90),
    ),
    min_size=20,
    max_size=80,
)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=STEPS, seed=st.integers(0, 2**32), tail=st.sampled_from([1, 8, 1024]))
def test_nothing_is_lost_and_order_holds(
    tmp_path: Path, steps: list[tuple[str, int]], seed: int, tail: int
) -> None:
    (tmp_path / FILE).unlink(missing_ok=True)
    source = FakeSource()
    net = Network(random.Random(seed))
    rig = Rig(tmp_path, source, tail=tail)
    rig.shown.show(state(), None)
    rig.connect()
    for step, n in steps:
        match step:
            case "events":
                rig.add(n)
            case "arrive":
                net.arrive(rig, n)
            case "pass":
                net.pass_on(rig, n // 2)
            case "ack":
                net.acknowledge(rig, n // 4)
            case "cut":
                net.cut(rig)
            case "die":
                net.die(rig)
            case "crash" | "forget":  # the process ends; its memory may be old, or gone
                net.cut(rig)
                if step == "forget":
                    (tmp_path / FILE).unlink(missing_ok=True)
                rig = Rig(tmp_path, source, tail=tail)
                rig.shown.show(state(), None)
                net.connect(rig)
            case "disk":
                source.failures = n % 4
        try:
            rig.work(0.3)
        except LinkLost:
            net.connect(rig)
        window = rig.engine._window
        assert window.following - window.acknowledged - 1 <= 64
    for _ in range(200):
        if rig.link.broken:
            net.connect(rig)
        rig.work(1.0)
        net.arrive(rig, 1000)
        net.pass_on(rig, 1000)
        net.acknowledge(rig, 1000)
        if rig.engine.settled:
            break
    wanted = [IDENTITY.event_id(n) for n in range(1, len(source.events) + 1)]
    assert set(wanted) - set(net.seen) <= net.excused, "nothing is lost"
    order = [int(name.rsplit("/", 1)[1]) for name in net.seen if name not in net.late]
    assert order == sorted(order), "in order"
    assert all(net.bodies[e] == source.events[n].body.encode() for n, e in enumerate(wanted)
               if e in net.bodies)  # fmt: skip
    assert rig.engine.acknowledged == len(source.events)
    assert rig.engine.backlog == 0


# ── the memory ──
def test_it_remembers_across_a_restart(tmp_path: Path) -> None:
    rig = Rig(tmp_path, FakeSource(chained(100)))
    rig.shown.show(state(), None)
    rig.connect()
    rig.work()
    rig.settle()
    assert rig.engine.acknowledged == 100
    again = Rig(tmp_path, rig.source)
    assert again.engine.acknowledged == 100
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600


def test_another_epoch_begins_with_nothing(tmp_path: Path) -> None:
    Memory(tmp_path, 1).save(Remembered(Mark(5, "ab" * 32)))
    assert Memory(tmp_path, 1).load()[0].acknowledged == Mark(5, "ab" * 32)
    assert Memory(tmp_path, 2).load() == (Remembered(), None)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"epoch":1800000000}',
        b"\xff",
        b"[" * 5000,
        b"9" * 5000,
        b'{"epoch":1800000000,"seen":{},"confirmed":{},"acknowledged":{"sequence":-1,"hash":""}}',
    ],
)
def test_a_broken_memory_only_means_repeats(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    rig = Rig(tmp_path, FakeSource(chained(3)))
    assert rig.engine.acknowledged == 0
    assert "sent again" in rig.reports(Trouble)[0].what


@pytest.mark.parametrize("mark", [Mark(50, "ab" * 32), Mark(51, "cd" * 32)])
def test_a_journal_that_was_cut_or_changed_is_told(tmp_path: Path, mark: Mark) -> None:
    Memory(tmp_path, IDENTITY.epoch).save(Remembered(mark))
    rig = Rig(tmp_path, FakeSource(chained(50)))
    assert rig.engine.acknowledged == 0
    assert "cut or changed" in rig.reports(JournalDiffers)[0].what


def test_a_full_disk_is_told_and_stops_nothing(tmp_path: Path) -> None:
    rig = Rig(tmp_path / "missing", FakeSource(chained(3)))
    rig.shown.show(state(), None)
    rig.connect()
    rig.work()
    rig.settle()
    assert rig.engine.acknowledged == 3
    assert "cannot be written" in rig.reports(Trouble)[0].what
