"""A light at the table: an order reaches it, and whatever becomes of it, the table goes on."""

import asyncio
from functools import partial

import pytest

from hwsim.usb.backend import Bus
from hwsim.usb.lights import Delcom
from tablectl.daemon import devices
from tablectl.daemon.config import load
from tablectl.daemon.devices import Devices
from tablectl.hal.supervisor import Supervisor
from tablectl.hal.usb_link import open_usb
from tablectl.table.inputs import DeviceEvent, Stamp
from tablectl.table.outputs import Command
from tablectl.table.setup import DeviceSetup
from tests.daemon.files import edited
from tests.table.pit import DEVICES, Pit, setup

LIGHT: dict[str, str | None] = {
    "devices.sign.kind": '"indicator"',
    "devices.sign.driver": '"signal_light"',
    "devices.sign.url": '"usb://0fc5:b080"',
}
LIT = (*DEVICES, DeviceSetup("sign", "indicator"))


def config(tmp_path, edits):
    path = tmp_path / "table.toml"
    path.write_text(edited(edits))
    return load(path)


def test_a_table_may_have_lights_and_needs_none(tmp_path):
    assert "sign" not in config(tmp_path, {}).devices
    two = {key.replace("sign", "winner"): value for key, value in LIGHT.items()}
    lit = config(tmp_path, LIGHT | two)
    assert lit.devices["sign"].kind == lit.devices["winner"].kind == "indicator"
    assert not lit.devices["sign"].read_only


def test_a_show_command_reaches_the_light(tmp_path, monkeypatch):
    light = Delcom("L-1")
    bus = Bus(light)
    told: list[tuple[str, str]] = []

    async def opened(url, _line):
        return await open_usb(url, bus)

    def submit(make):
        event = make(Stamp(0, 0, "b"))
        assert isinstance(event, DeviceEvent)
        told.append((event.device, event.name))

    async def until(condition):
        async with asyncio.timeout(5):
            while not condition():  # noqa: ASYNC110
                await asyncio.sleep(0.01)

    async def scenario():
        edits = LIGHT | {"table.simulated": "true"}
        monkeypatch.setattr(devices, "Supervisor", partial(Supervisor, open_link=opened))
        table = Devices(config(tmp_path, edits))
        table.start(submit, pytest.fail, {})
        await until(lambda: ("sign", "online") in told)
        table.send(Command("sign", "show", False, "b", 1, {"sign": "out_of_order"}))
        await until(lambda: light.lit == {"red"})
        light.unplug()
        await until(lambda: ("sign", "offline") in told)
        table.send(Command("sign", "show", False, "b", 2, {"sign": "open"}))  # logged, no more
        await table.stop()
        assert not bus.handles

    asyncio.run(scenario())


@pytest.mark.parametrize("trouble", ["offline", "fault"])
def test_a_light_that_fails_stops_nothing(trouble):
    pit = Pit(setup=setup(devices=LIT)).opened()
    pit.device("sign", trouble, what="no light")
    assert pit.state.halt is None
    pit.betting().wager(1, ante=1000)
    assert ("bonus", "unlock") in [(c.device, c.name) for c in pit.commands]
    pit.device("bonus", "unlocked")
    pit.device("sign", trouble, what="still no light")
    pit.do("no_more_bets")
    pit.device("bonus", "locked")
    assert pit.commands[-1].name == "dispense"
    assert pit.state.halt is None
