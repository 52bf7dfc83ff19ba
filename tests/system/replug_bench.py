"""A table of simulated devices on real links, real supervisors and a dealer, in one event loop.

No journal and no network but the devices': a plug can be pulled at a moment chosen to the step.
"""

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, Self

import pytest

from hwsim.rack import Place, Rack
from hwsim.usb.backend import Bus
from hwsim.usb.lights import Delcom
from tablectl.daemon import devices as daemon_devices
from tablectl.daemon.config import load, to_setup
from tablectl.daemon.devices import Devices
from tablectl.demo import house
from tablectl.demo.client import Reply
from tablectl.demo.dealer import Dealer
from tablectl.hal import supervisor
from tablectl.hal.link import open_link
from tablectl.hal.usb_link import open_usb
from tablectl.outbox.view import snapshot
from tablectl.table.inputs import Action, Input, Restart, Stamp, Tick
from tablectl.table.outputs import Event
from tablectl.table.table import CORE_VERSION, Table
from tests.pace import within

SIGN = '[devices.sign]\nkind = "indicator"\ndriver = "signal_light"\nurl = "usb://0fc5:b080"\n'


class Bench:
    """`unplug` and `replug` by name; `until` lets the dealer play on."""

    def __init__(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, port: Literal["pty", "tcp"] = "tcp",
        game: str = "three_card_poker", forgetful: bool = False,
    ) -> None:  # fmt: skip
        self.folder, self.game = folder, game
        self.kinds = house.HOUSES[game].kinds
        self.staff = house.people()
        options = {"keeps_memory": False} if forgetful else {}
        places = [
            Place(kind, name, options=options if kind == "shoe" else None)
            for name, kind in self.kinds.items()
        ]
        self.rack = Rack(places, seed=7, speed=None, port=port, directory=folder / "ptys")
        self.light = Delcom("L-1")
        self.bus = Bus(self.light)
        self.table = Table()
        self.events: list[Event] = []
        self.watch: Callable[[], None] = lambda: None  # called after every step
        self.timer: asyncio.TimerHandle | None = None
        # A device that was refused is tried again after ten seconds; here nobody has so long.
        monkeypatch.setattr(supervisor, "BACKOFF_LONGEST_S", 0.5)

        async def opened(url: str, line: Any) -> Any:
            return await (
                open_usb(url, self.bus) if url.startswith("usb:") else open_link(url, line)
            )

        made = partial(supervisor.Supervisor, open_link=opened)
        monkeypatch.setattr(daemon_devices, "Supervisor", made)

    async def __aenter__(self) -> Self:
        self.loop = asyncio.get_running_loop()
        urls = await self.rack.start()
        config = self.folder / "table.toml"
        text = house.configuration(
            self.folder, urls, self.staff, "mqtt://127.0.0.1:1", house.free_port(), None, self.game
        )
        for name in self.kinds:
            pin = f'identity = {{ serial = "{self.rack.units[name].device.identity.serial}" }}'
            text = text.replace(f"[devices.{name}]", f"[devices.{name}]\n{pin}")
        config.write_text(text + SIGN)
        config.chmod(0o600)
        loaded = load(config)
        self.devices = Devices(loaded)
        setup = to_setup(loaded)
        self.submit(lambda at: Restart(at, setup, "digest", "0.1.0", CORE_VERSION))
        self.devices.start(self.submit, self._failed, {})
        self.dealer = Dealer(
            self, self.rack.table, self.staff, random.Random(7), 0.0, self.game  # type: ignore[arg-type]
        )  # fmt: skip
        await self.wait(self.all_online)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.timer is not None:
            self.timer.cancel()
        await self.devices.stop()
        await self.rack.stop()

    # ── the desk ───────────────────────────────────────────────────────────
    def submit(self, make: Callable[[Stamp], Input]) -> Any:
        """As the daemon's desk, without a record: what leaves leaves at once."""
        outcome = self.table.step(make(Stamp(time.time_ns(), time.monotonic_ns(), "bench")))
        self.events += outcome.events
        for command in outcome.commands:
            self.devices.send(command)
        halt = self.state.halt
        assert halt is None or halt.cause not in ("exception", "invariant"), halt
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        if outcome.wake_ns is not None:
            delay_s = max(0, outcome.wake_ns - time.monotonic_ns()) / 1e9
            self.timer = self.loop.call_later(delay_s + 0.001, self._tick)
        self.watch()
        return outcome

    def _tick(self) -> None:
        self.timer = None
        self.submit(Tick)

    def _failed(self, what: str) -> None:
        raise AssertionError(what)

    # ── the dealer's page ──────────────────────────────────────────────────
    async def state_of_page(self) -> dict[str, Any]:
        return dict(snapshot(self.state, unconfirmed=0))

    async def sign_on(self, _person: Any) -> None:
        """Nobody is asked here."""

    async def act(self, person: Any, action: str, **args: Any) -> Reply:
        outcome = self.submit(lambda at: Action(at, action, person.name, (person.role,), args=args))
        refusal = outcome.refusal
        return Reply(409, {"refused": refusal.why}) if refusal else Reply(200, {})

    # ── looking, waiting, playing ──────────────────────────────────────────
    @property
    def state(self) -> Any:
        return self.table.state

    def health(self, name: str) -> str:
        return str(self.state.device(name).health)

    def all_online(self) -> bool:
        return all(device.health == "online" for device in self.state.devices)

    def named(self, name: str, since: int = 0) -> list[Event]:
        return [e for e in self.events if e.type == name and e.sequence > since]

    async def wait(self, true: Callable[[], bool], seconds: float = 20) -> None:
        async with asyncio.timeout(within(seconds)):
            while not true():  # noqa: ASYNC110 - what is waited for says nothing by itself
                await asyncio.sleep(0.002)

    async def play_until(self, true: Callable[[], bool], seconds: float = 30) -> None:
        """The dealer does the next thing, again and again; it stops in the very step."""
        reached = [true()]
        self.watch = lambda: reached.append(true())
        async with asyncio.timeout(within(seconds)):
            while not any(reached):
                await self.dealer.turn(await self.state_of_page())
                await asyncio.sleep(0.002)
        self.watch = lambda: None

    # ── plugs ──────────────────────────────────────────────────────────────
    async def unplug(self, name: str) -> None:
        if name == "sign":
            self.light.unplug()
        else:
            await self.rack._slots[name].port.close()

    async def replug(self, name: str) -> None:
        if name == "sign":
            self.light.plug_in()
        else:
            slot = self.rack._slots[name]
            await slot.port.open(slot)

    async def reboot(self, name: str) -> None:
        """It has lost its power, and has it again."""
        unit = self.rack.units[name]
        unit.power_off()
        unit.hang_up = False
        self.rack._slots[name]._wake()
        await self.wait(lambda: unit.on, 10)

    def swap(self, name: str) -> Callable[[], None]:
        """Another one of its kind stands in its place; what is returned brings the right one."""
        unit = self.rack.units[name]
        ours = unit.device.identity
        unit.device.identity = replace(ours, serial=f"{ours.serial}-2")

        def bring_back() -> None:
            unit.device.identity = ours

        return bring_back
