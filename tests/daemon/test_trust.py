"""The whole daemon against simulated devices that come back as somebody else, or otherwise."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hwsim.faults import Fault
from hwsim.rack import Place, Rack
from tests.daemon.files import ROOT
from tests.web.daemon import Daemon, hashed, until

GAME = "Three Card Baccarat"
IDEAL = {"Mico32": "3.3.027", "CardRec": "4.0.018", "RNG": "1.002.004"}
QUICK_NS = 20_000_000


@dataclass
class Washington(Daemon):
    """The ready configuration of Washington, with its own urls, data and people."""

    more: str = ""

    def text(self, urls: Mapping[str, str] | None) -> str:
        text = (ROOT / "config/three-card-baccarat-wa.toml").read_text()
        text = text.replace('data = "/var/lib/tablectl/tcb-5"', f'data = "{self.data}"')
        text = text.replace("[rules]", "simulated = true\n[rules]", 1)
        text = text.replace("127.0.0.1:8080", f"127.0.0.1:{self.port}")
        text = re.sub(r"\[mqtt\].*?(?=\[http\])", "", text, flags=re.DOTALL)
        for name, url in (urls or {}).items():
            text = re.sub(rf'(\[devices\.{name}\].*?url = )"[^"]+"', rf'\1"{url}"', text,
                          count=1, flags=re.DOTALL)  # fmt: skip
        text = re.sub(r'pin_hash = "[^"]+"', f'pin_hash = "{hashed("1")}"', text, count=1)
        return text + self.more


def rack(**shuffler: Any) -> Rack:
    ideal = {"versions": IDEAL, "mode": GAME}
    places = [
        Place("shuffler", "shuffler", options={**ideal, **shuffler}),
        Place("shoe", "shoe", options=ideal),
        Place("button", "button"),
    ]
    made = Rack(places, speed=None, port="tcp")
    for unit in made.units.values():
        unit.boot_ns = QUICK_NS
    return made


def health(daemon: Daemon) -> dict[str, str]:
    return {name: device["health"] for name, device in daemon.state()["devices"].items()}


def happens(daemon: Daemon, device: str, kind: str, variant: str | None = None) -> None:
    assert daemon.rack is not None
    unit = daemon.rack.units[device]

    def now() -> None:
        unit.device.attend()
        unit.apply(Fault(kind, device, variant=variant))

    daemon.call(now)


def told(daemon: Daemon, type_: str) -> dict[str, Any]:
    """The data of the last event of a type, waited for."""
    until(lambda: daemon.events(f"tablectl.{type_}"), f"{type_} was not told")
    data: dict[str, Any] = daemon.events(f"tablectl.{type_}")[-1]["data"]
    return data


TRUST = {"device_refused", "device_swapped", "device_changed", "device_restarted"}
ONLINE = {"shuffler": "online", "shoe": "online", "button": "online"}


def test_the_ideal_of_the_letter_is_let_in(tmp_path: Path) -> None:
    with Washington(tmp_path, rack=rack()) as daemon:
        until(lambda: health(daemon) == ONLINE, "the devices are not online")
        who = {e["data"]["device"]: e["data"] for e in daemon.events("tablectl.device.online")}
        ideal = who["shuffler"]["identity"]
        assert (ideal["versions"], ideal["game_mode"]) == (IDEAL, GAME)
        assert not {a["kind"] for a in daemon.state()["alarms"]} & TRUST


@pytest.mark.parametrize(
    ("variant", "reason", "clauses", "words"),
    [
        (
            "version",
            "version",
            ["WA-TCB R4"],
            "it has Mico32 2.3.027, and at least 3.3.027 is required",
        ),
        ("mode", "game_mode", [], f"should be set to the game {GAME}, but Another Game 1"),
    ],
)
def test_r4_one_that_comes_back_otherwise_is_refused(
    tmp_path: Path, variant: str, reason: str, clauses: list[str], words: str
) -> None:
    """WA-TCB R4 names the versions; the game mode is checked as well, after every restart."""
    with Washington(tmp_path, rack=rack()) as daemon:
        until(lambda: health(daemon) == ONLINE, "the devices are not online")
        happens(daemon, "shuffler", "swap", variant)
        refused = told(daemon, "device.refused")
        assert (refused["device"], refused["reason"]) == ("shuffler", reason)
        assert words in refused["what"]
        assert refused["clauses"] == clauses
        assert health(daemon) == {**ONLINE, "shuffler": "offline"}
        [alarm] = [a for a in daemon.state()["alarms"] if a["kind"] == "device_refused"]
        assert words in alarm["what"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"versions": {**IDEAL, "RNG": "1.002.003"}}, "version"),
        ({"mode": ""}, "game_mode"),
    ],
)
def test_r4_one_that_is_not_as_it_must_be_never_comes_online(
    tmp_path: Path, options: dict[str, Any], reason: str
) -> None:
    with Washington(tmp_path, rack=rack(**options)) as daemon:
        refused = told(daemon, "device.refused")
        assert (refused["device"], refused["reason"]) == ("shuffler", reason)
        assert health(daemon)["shuffler"] == "offline"


def test_one_that_is_set_to_another_game_while_it_serves_is_refused(tmp_path: Path) -> None:
    with Washington(tmp_path, rack=rack()) as daemon:
        until(lambda: health(daemon) == ONLINE, "the devices are not online")
        assert daemon.rack is not None
        daemon.call(lambda: daemon.rack.table.set_mode("shoe", "Three Card Poker"))  # type: ignore[union-attr]
        assert told(daemon, "device.refused")["reason"] == "game_mode"
        assert health(daemon)["shoe"] == "offline"


def test_another_one_is_noticed_where_nothing_pins_it(tmp_path: Path) -> None:
    with Washington(tmp_path, rack=rack()) as daemon:
        until(lambda: health(daemon) == ONLINE, "the devices are not online")
        happens(daemon, "button", "swap")
        swapped = told(daemon, "device.swapped")
        assert swapped["device"] == "button"
        assert swapped["now"]["serial"] == swapped["before"]["serial"] + "-2"
        until(lambda: health(daemon) == ONLINE, "it serves on")
        assert "device_swapped" in {a["kind"] for a in daemon.state()["alarms"]}


def test_another_one_is_refused_where_its_serial_number_is_pinned(tmp_path: Path) -> None:
    pin = '\n[devices.button.identity]\nserial = "BTN-400"\n'
    with Washington(tmp_path, rack=rack(), more=pin) as daemon:
        until(lambda: health(daemon) == ONLINE, "the devices are not online")
        happens(daemon, "button", "swap")
        refused = told(daemon, "device.refused")
        assert (refused["device"], refused["reason"]) == ("button", "serial")
        assert "should have serial BTN-400, but BTN-400-2 answers" in refused["what"]
        assert told(daemon, "device.swapped")["now"]["serial"] == "BTN-400-2"


def test_a_restart_that_nobody_ordered_is_noticed(tmp_path: Path) -> None:
    with Washington(tmp_path, rack=rack()) as daemon:
        until(lambda: health(daemon) == ONLINE, "the devices are not online")
        if "confirm_clock" in daemon.state()["allowed"]:  # a box without a time service
            daemon.act("ana", "confirm_clock", credential="1")
        assert daemon.act("ana", "open_table", credential="1").status == 200
        happens(daemon, "shoe", "reboot")
        assert told(daemon, "device.restarted")["device"] == "shoe"
        until(lambda: health(daemon) == ONLINE, "it serves on")
        [alarm] = [a for a in daemon.state()["alarms"] if a["kind"] == "device_restarted"]
        assert daemon.act("ana", "acknowledge_alarm", credential="1", id=alarm["id"]).status == 200


def test_what_a_device_is_held_to_is_part_of_the_setup(tmp_path: Path) -> None:
    """A floor that is lowered is a change of what was approved: it leaves an event."""
    with Washington(tmp_path, rack=rack()) as daemon:
        [first] = daemon.events("tablectl.config.loaded")

    @dataclass
    class Lowered(Washington):
        def text(self, urls: Mapping[str, str] | None) -> str:
            return super().text(urls).replace("1.002.004", "1.000.001")

    with Lowered(tmp_path, rack=rack()) as daemon:
        loaded = daemon.events("tablectl.config.loaded")
        assert loaded[0] == first
        assert loaded[-1]["data"]["digest"] != first["data"]["digest"]
