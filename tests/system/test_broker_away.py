"""The broker away for an hour of play, as the devices' clocks count it: play goes on, an alarm
says so, and everything arrives in order afterwards.
"""

import json
from pathlib import Path

import pytest

from tests.outbox.mosquitto import until
from tests.system.processes import sound
from tests.system.stage import Stage
from tests.system.subscriber import wait_connected

HOUR_NS = 3600 * 1_000_000_000
MINUTE_NS = 60 * 1_000_000_000
ROUNDS = 24
SEED = 51


@pytest.mark.timeout(150)
def test_an_hour_without_the_broker(tmp_path: Path) -> None:
    # A real shuffler takes its minutes; at top speed nobody waits for it.
    options = {"shuffler": {"shuffle_ns": 3 * MINUTE_NS}}
    # It remembers who subscribed, as a real broker does that was stopped and started.
    broker = ("persistence true", f"persistence_location {tmp_path}/")
    with Stage(tmp_path, SEED, broker=broker, options=options) as stage:
        told, subscriber = stage.told, stage.subscriber
        wait_connected(subscriber)
        stage.play(1)
        stage.room.rest()
        sequence = stage.state()["sequence"]
        subscriber.catch_up(sequence, told, may_ask=False)
        shuffler = stage.room.rack.table.shuffler()
        began_ns = stage.room.ask(lambda: shuffler.now_ns)
        stage.broker.stop()
        until(lambda: "broker_away" in alarms(stage), f"{told}: an alarm says so", 30)
        stage.play(ROUNDS, 80)
        passed_ns = stage.room.ask(lambda: shuffler.now_ns) - began_ns
        assert passed_ns > HOUR_NS, f"{told}: {passed_ns / MINUTE_NS:.0f} minutes only"
        assert "broker_away" in alarms(stage), told
        assert subscriber.last == sequence, told
        stage.room.rest()
        stage.broker.start()
        subscriber.ready()
        wait_connected(subscriber)
        until(lambda: "broker_away" not in alarms(stage), f"{told}: the alarm ends", 30)
        last = stage.state()["sequence"]
        assert last > sequence + ROUNDS * 50, told
        subscriber.catch_up(last, told, may_ask=False)
        order = subscriber.reader.order
        assert order == list(range(1, len(order) + 1)), f"{told}: not in order"
        assert stage.daemon.stop() == 0, told
        stored = stage.stored()
        subscriber.catch_up(max(stored), told, may_ask=False)
        subscriber.agrees(stored, told)
        alarm_is_told(stored, told)
        sound(stage.data, told)


def alarms(stage: Stage) -> set[str]:
    return {alarm["kind"] for alarm in stage.state()["alarms"]}


def alarm_is_told(stored: dict[int, bytes], told: str) -> None:
    kinds = [
        event["type"].removeprefix("tablectl.alarm.")
        for event in map(json.loads, stored.values())
        if event["data"].get("kind") == "broker_away"
    ]
    assert kinds[0] == "raised", f"{told}: {kinds}"
    assert kinds[-1] == "cleared", f"{told}: {kinds}"
