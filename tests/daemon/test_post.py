"""What the outbox reports, and what becomes of it at the table: alarms, halts, nothing for long."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tablectl.daemon import post
from tablectl.daemon.clock import BoxClock
from tablectl.daemon.config import digest, load, to_setup
from tablectl.daemon.desk import Desk, open_desk
from tablectl.daemon.post import Post
from tablectl.outbox.payloads import DeviceFacts
from tablectl.outbox.reports import (
    Connected,
    Disconnected,
    JournalDiffers,
    Report,
    Trouble,
)
from tablectl.table.inputs import Action, Restart
from tests.outbox.mosquitto import free_port
from tests.web.daemon import configuration


class Stand:
    """A desk with a journal, a post whose publisher never runs, and the reports of a test."""

    def __init__(self, folder: Path, away_seconds: int) -> None:
        file = folder / "table.toml"
        text = configuration(folder / "data", free_port())
        broker = f'[mqtt]\nurl = "mqtt://127.0.0.1:1"\naway_seconds = {away_seconds}\n'
        file.write_text(text + broker)
        config = load(file)
        self.desk: Desk = open_desk(config, BoxClock().now, lambda _c: None, lambda _e: None)
        setup = to_setup(config)
        self.desk.submit(lambda at: Restart(at, setup, digest(config), "1", 1, True))
        self.post = Post(config, self.desk, dict)

    def told(self, report: Report) -> None:
        self.post._take(report)

    def alarms(self) -> dict[str, str]:
        return {a.kind: a.what for a in self.desk.state.alarms if not a.kind.startswith("device")}

    def acknowledge(self, kind: str) -> None:
        alarm = next(a.id for a in self.desk.state.alarms if a.kind == kind)
        who = ("flo", ("floor",), "pin")
        self.desk.submit(lambda at: Action(at, "acknowledge_alarm", *who, {"id": alarm}))
        self.post.changed()


Scenario = Callable[[Stand], Awaitable[None]]


@pytest.fixture
def play(tmp_path: Path) -> Callable[..., None]:
    def run(scenario: Scenario, away_seconds: int = 30) -> None:
        async def whole() -> None:
            stand = Stand(tmp_path, away_seconds)
            try:
                await scenario(stand)
            finally:
                stand.post.publisher.stop()
                stand.desk.close()

        asyncio.run(whole())

    return run


def test_a_broker_that_is_away_for_a_moment_is_no_alarm(play: Callable[..., None]) -> None:
    async def scenario(stand: Stand) -> None:
        before = stand.desk.state.sequence
        stand.told(Disconnected("it hung up"))
        await asyncio.sleep(0.05)
        stand.told(Connected("connected"))
        await asyncio.sleep(0.05)
        assert stand.desk.state.sequence == before

    play(scenario)


def test_a_broker_that_stays_away_is(play: Callable[..., None]) -> None:
    async def scenario(stand: Stand) -> None:
        stand.told(Disconnected("it hung up"))
        await asyncio.sleep(0.05)
        assert stand.alarms()["broker_away"] == "it hung up"

    play(scenario, away_seconds=0)


def test_a_journal_that_was_cut_halts_the_table(play: Callable[..., None]) -> None:
    async def scenario(stand: Stand) -> None:
        stand.told(JournalDiffers("the journal does not hold event 7 as the broker got it"))
        assert stand.desk.state.halt is not None
        assert "event 7" in stand.alarms()["journal_differs"]
        stand.acknowledge("journal_differs")
        assert "journal_differs" not in stand.alarms(), "the floor has seen it"
        assert stand.desk.state.halt is not None, "and still has to resume"

    play(scenario)


def test_trouble_is_an_alarm_until_somebody_has_seen_it(play: Callable[..., None]) -> None:
    async def scenario(stand: Stand) -> None:
        for _ in range(3):
            stand.told(Trouble("the outbox's memory cannot be written: disk full"))
        assert stand.alarms()["outbox_trouble"].startswith("the outbox's memory")
        assert stand.desk.state.halt is not None or stand.desk.state.phase == "closed"
        raised = stand.desk.state.sequence
        stand.told(Trouble("something else"))
        assert stand.desk.state.sequence == raised, "one alarm is enough"
        stand.acknowledge("outbox_trouble")
        assert "outbox_trouble" not in stand.alarms()
        stand.told(Trouble("once more"))
        assert stand.alarms()["outbox_trouble"] == "once more"

    play(scenario)


def test_what_devices_count_is_told_while_nothing_happens(
    play: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(post, "FACTS_EVERY_S", 0.01)

    async def scenario(stand: Stand) -> None:
        counters = iter(range(1000))
        stand.post._facts = lambda: {"shoe": DeviceFacts(counters={"frames_bad": next(counters)})}
        shown: list[int] = []
        stand.post.publisher.show = lambda _state, facts: shown.append(  # type: ignore[method-assign, assignment, misc]
            facts["shoe"].counters["frames_bad"]
        )
        stand.post.start()
        await asyncio.sleep(0.1)
        assert len(shown) >= 3
        await stand.post.stop()
        told = len(shown)
        await asyncio.sleep(0.05)
        assert len(shown) == told

    play(scenario)
