"""What the lights show, and that no table waits for a light."""

from typing import Any

import pytest

from tablectl.table.setup import DeviceSetup
from tests.table.pit import DEVICES, Pit, setup

LIT = setup(devices=(*DEVICES, DeviceSetup("light", "indicator")))


def shown(pit):
    return [c.args["sign"] for c in pit.commands if c.name == "show"]


def test_a_round_is_told_by_the_lights():
    pit = Pit(setup=LIT).opened()
    pit.betting().wager(1, ante=1000).lock().deal().decide().settle()
    pit.do("clear_round")
    assert shown(pit)[-3:] == ["open", "no_more_bets", "off"]


def test_a_halt_and_an_alarm_are_shown():
    pit = Pit(setup=LIT).opened()
    pit.do("halt_table", reason="fire")
    assert shown(pit)[-1] == "halted"
    pit.do("resume_table")
    pit.device("shuffler", "jam")
    assert shown(pit)[-1] == "attention"


def test_a_light_that_returns_is_told_again():
    pit = Pit(setup=LIT).opened().betting()
    pit.device("light", "offline")
    told = len(shown(pit))
    pit.device("light", "online")
    assert shown(pit)[told:] == ["open"]


@pytest.mark.parametrize("health", ["unknown", "offline"])
def test_no_round_waits_for_a_light(health):
    pit = Pit(setup=LIT)
    pit.start()
    for device in pit.state.devices:
        if device.kind != "indicator":
            told: dict[str, Any] = {"shoe": {"dispensed": 0}, "progressive": {"locked": True}}
            pit.device(device.id, "online", **told.get(device.kind, {}))
    if health == "offline":
        pit.device("light", "offline")
    pit.do("open_table")
    pit.do("receive_decks", decks=[{"id": "red", "back": "red"}])
    pit.ready("red")
    pit.betting().wager(1, ante=1000).lock()
    assert pit.leave == 2
