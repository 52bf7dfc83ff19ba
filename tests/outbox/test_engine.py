"""The engine: what goes out on a connect, what is merged, what waits, and what is told."""

import json
from pathlib import Path

import pytest

from tablectl.outbox.payloads import DeviceFacts
from tablectl.outbox.reports import ArchiveBehind, ArchiveCaughtUp, Trouble
from tablectl.outbox.stream import PAGE
from tablectl.table.state import Alarm, Device, MeterState
from tests.outbox.fakes import ROOT, FakeSource, Rig, chained, state
from tests.outbox.signing import KEY, Signer

METER = MeterState("main", 100_000, "0.2", 123_456, 100_000)
ALARM = Alarm("shoe_jam-1", "shoe_jam", "warning", "The shoe jammed.", 1_800_000_000_000_000_000)
SHOE = Device("shoe", "shoe", "online")


def test_a_connect_says_status_then_all_retained_topics_then_events(tmp_path: Path) -> None:
    rig = Rig(tmp_path, FakeSource(chained(3)))
    rig.shown.show(state(3, meters=(METER,), alarms=(ALARM,), devices=(SHOE,)), None)
    link = rig.connect()
    rig.work()
    assert link.topics() == [
        "status", "state", "alarm/shoe_jam-1", "meter/main", "device/shoe",
        "event/card/dealt", "event/wager/placed", "event/irregularity/face_up_card",
    ]  # fmt: skip
    assert [m.retain for _, m in link.sent] == [True] * 5 + [False] * 3
    rig.settle()
    again = rig.connect()
    rig.work()
    assert again.topics() == link.topics()[:5], "everything retained again, no event twice"
    assert ROOT + "cmd/+" in again.subscribed


def test_the_latest_view_wins_and_one_message_a_topic_is_on_its_way(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.shown.show(state(phase="closed"), None)
    link = rig.connect()
    rig.work()
    for phase in ("betting", "locked", "dealing"):
        rig.shown.show(state(phase=phase), None)
        rig.work(0.2)
    assert len(link.of("state")) == 1
    rig.ack_all()
    rig.work(0.2)
    assert [json.loads(body)["phase"] for body in link.of("state")] == ["closed", "dealing"]


def test_views_are_not_made_more_often_than_need_be(tmp_path: Path) -> None:
    rig = Rig(tmp_path, view_interval_s=0.5)
    rig.shown.show(state(phase="closed"), None)
    link = rig.connect()
    rig.work()
    rig.ack_all()
    rig.shown.show(state(phase="betting"), None)
    wake = rig.work(0.1)
    assert len(link.of("state")) == 1
    assert wake is not None
    rig.work(wake - rig.now)
    assert len(link.of("state")) == 2


def test_a_state_waits_until_its_last_event_is_durable(tmp_path: Path) -> None:
    rig = Rig(tmp_path, FakeSource(chained(5)), durable=5)
    rig.shown.show(state(5), None)
    link = rig.connect()
    rig.shown.show(state(6, phase="betting"), None)
    rig.work(0.2)
    rig.ack_all()
    rig.work(0.2)
    assert [json.loads(b)["sequence"] for b in link.of("state")] == [5]
    rig.add(1)
    rig.work(0.2)
    assert [json.loads(b)["sequence"] for b in link.of("state")] == [5, 6]


def test_states_that_are_never_durable_do_not_keep_others_back(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    for sequence in range(1000):
        rig.shown.show(state(sequence), None)
    rig.add(10)
    latest, _, fresh = rig.shown.latest(10)
    assert fresh
    assert latest is not None
    assert 5 <= latest.sequence <= 10


def test_a_thing_that_is_gone_is_cleared(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.shown.show(state(alarms=(ALARM,)), None)
    link = rig.connect()
    rig.work()
    rig.ack_all()
    rig.shown.show(state(), None)
    rig.work(0.2)
    assert link.of("alarm/shoe_jam-1")[-1] == b""
    rig.settle()
    assert rig.engine.settled
    assert len(link.of("alarm/shoe_jam-1")) == 2


def test_an_alarm_that_ended_while_the_broker_was_away_is_cleared(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.shown.show(state(alarms=(ALARM,)), None)
    rig.connect()
    rig.work()
    rig.settle()
    rig.engine.lost()
    rig.shown.show(state(), None)
    rig.work(0.2)
    link = rig.connect()
    rig.work()
    assert link.of("alarm/shoe_jam-1") == [b""]


def test_what_an_earlier_life_left_at_the_broker_is_cleared(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.shown.show(state(alarms=(ALARM,), meters=(METER,)), None)
    link = rig.connect()
    for topic in ("alarm/old-7", "device/toaster", "alarm/shoe_jam-1", "meter/main"):
        rig.came(topic, b"{}", retained=True)
    rig.came("alarm/old-8", b"{}", retained=False)
    rig.work()
    assert link.of("alarm/old-7") == [b""]
    assert link.of("device/toaster") == [b""]
    assert link.of("alarm/old-8") == []
    assert b"" not in link.of("alarm/shoe_jam-1") + link.of("meter/main")
    rig.settle()
    rig.work(10)
    assert link.subscribed == [ROOT + "cmd/+", ROOT + "status"]


def test_a_late_will_is_put_right_but_never_in_a_storm(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.shown.show(state(), None)
    link = rig.connect()
    rig.work()
    rig.settle()
    for _ in range(5):
        rig.came("status", b'{"state":"offline"}')
        rig.work(0.01)
        rig.ack_all()
    said = link.of("status")
    assert len(said) == 2
    assert said[0] == said[1]
    rig.came("status", said[0])
    rig.work(5)
    assert len(link.of("status")) == 2


def test_trouble_stands_in_the_status(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.shown.show(state(), None)
    link = rig.connect("the journal failed: the disk is full")
    rig.work()
    said = json.loads(link.of("status")[0])
    assert said.pop("since").endswith("Z")
    assert said == {
        "state": "online",
        "epoch": 1_800_000_000,
        "trouble": "the journal failed: the disk is full",
    }


def test_what_cannot_be_published_is_told_and_left_out(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    odd = Device("no/such", "shoe")
    facts = {"shoe": DeviceFacts(counters={"rate": 0.5})}  # type: ignore[dict-item]
    rig.shown.show(state(devices=(odd, SHOE), meters=(METER,)), facts)
    link = rig.connect()
    rig.work()
    assert link.topics() == ["status", "state", "meter/main"]
    told = " ".join(t.what for t in rig.reports(Trouble))
    assert "no/such" in told
    assert "0.5" in told


def test_a_backlog_is_read_in_pages_and_the_steady_state_from_memory(tmp_path: Path) -> None:
    rig = Rig(tmp_path, FakeSource(chained(1000)))
    rig.shown.show(state(), None)
    link = rig.connect()
    rig.work()
    assert len(link.sent) == 2 + 64, "the window is full"
    rig.settle()
    assert rig.engine.acknowledged == 1000
    assert rig.source.reads <= 1000 // PAGE + 2
    reads = rig.source.reads
    rig.add(500)
    rig.settle()
    assert rig.engine.acknowledged == 1500
    assert rig.source.reads == reads


def test_a_journal_that_cannot_be_read_is_tried_again_and_told(tmp_path: Path) -> None:
    rig = Rig(tmp_path, FakeSource(chained(10), failures=2))
    rig.shown.show(state(), None)
    rig.connect()
    wake = rig.work()
    assert wake is not None, "it comes back by itself"
    assert wake > rig.now, "after a pause"
    rig.work(0.5)
    rig.settle()
    assert rig.engine.acknowledged == 10
    assert rig.reports(Trouble) == []
    rig.source.failures = 50
    rig.feed._tail.clear()
    rig.feed._durable = 11
    for _ in range(20):
        rig.work(0.5)
    assert len(rig.reports(Trouble)) == 1


def test_segments_that_left_the_box_are_skipped_and_told(tmp_path: Path) -> None:
    rig = Rig(tmp_path, FakeSource(chained(100), first=41))
    rig.shown.show(state(), None)
    link = rig.connect()
    rig.work()
    rig.settle()
    events = [json.loads(m.payload)["sequence"] for _, m in link.sent if "/event/" in m.topic]
    assert events == list(range(41, 101))
    assert "events 1 to 40" in rig.reports(Trouble)[0].what


@pytest.mark.parametrize("limit", [100])
def test_the_archive_falls_behind_and_catches_up(tmp_path: Path, limit: int) -> None:
    rig = Rig(tmp_path, keys=[KEY], limit=limit)
    rig.shown.show(state(), None)
    link = rig.connect()
    rig.work()
    assert rig.reports(ArchiveCaughtUp) == [ArchiveCaughtUp(0)], "how it stands at the start"
    events = rig.add(101)
    rig.work()
    assert rig.reports(ArchiveBehind) == [ArchiveBehind(101, 100)]
    rig.shown.show(state(101), None)
    signer = Signer(rig)
    signer.give("confirm", {"sequence": 40, "hash": events[39].hash})
    rig.work(1)
    assert rig.reports(ArchiveCaughtUp) == [], "61 is still more than half of the limit"
    signer.give("confirm", {"sequence": 60, "hash": events[59].hash})
    rig.settle()
    assert rig.reports(ArchiveCaughtUp) == [ArchiveCaughtUp(41)]
    assert json.loads(link.of("state")[-1])["unconfirmed"] == 41
    assert Rig(tmp_path, rig.source, keys=[KEY]).engine.unconfirmed == 41, "it is remembered"


def test_without_a_key_that_confirms_nobody_is_behind(tmp_path: Path) -> None:
    rig = Rig(tmp_path, limit=10)
    rig.add(1000)
    rig.work()
    assert rig.reports(ArchiveBehind) == []
