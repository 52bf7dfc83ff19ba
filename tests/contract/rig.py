"""A device, its supervisor and what came through: the stage on which every contract is played."""

import asyncio
import contextlib
import random
from dataclasses import replace

from tablectl.hal.kinds import Command, DevicePlan, Reading, check_reading
from tablectl.hal.link import open_link
from tablectl.hal.supervisor import Supervisor

PATIENCE_S = 30.0
# A machine that is busy for a second is no silent device.
PLAN = DevicePlan("it", "shoe", "tablelink", "", silence_ms=1200, ack_ms=1000)


class Rig:
    """Plays with one device over a real link."""

    def __init__(self, peer, kind, **plan):
        self.peer, self.kind = peer, kind
        self.plan = replace(
            PLAN, kind=kind, driver=peer.driver, options=getattr(peer, "options", {}), **plan
        )
        self.readings: list[Reading] = []
        self.news = asyncio.Event()
        self.n = 0
        self.wrong: list[str] = []

    async def __aenter__(self):
        await self.peer.start()
        plan = replace(self.plan, url=self.peer.url)
        bus = getattr(self.peer, "open_link", open_link)  # a bus of its own, or the real one
        self.supervisor = Supervisor(plan, self.listen, open_link=bus, rng=random.Random(1))
        self.task = asyncio.create_task(self.supervisor.run())
        return self

    @contextlib.asynccontextmanager
    async def again(self):
        """A second host, after the first one stopped."""
        plan = replace(self.plan, url=self.peer.url)
        second = Supervisor(plan, self.listen, rng=random.Random(2))
        task = asyncio.create_task(second.run())
        try:
            yield second
        finally:
            second.stop()
            async with asyncio.timeout(PATIENCE_S):
                await task

    async def __aexit__(self, *error):
        self.supervisor.stop()
        async with asyncio.timeout(PATIENCE_S):
            await self.task
        await self.peer.stop()
        assert not self.wrong, self.wrong

    def listen(self, device, reading):
        assert device == "it"
        wrong = check_reading(self.kind, reading)
        if wrong:
            self.wrong.append(wrong)
        self.readings.append(reading)
        self.news.set()

    # ── waiting ────────────────────────────────────────────────────────────
    async def until(self, condition):
        async with asyncio.timeout(PATIENCE_S):
            while not condition():
                self.news.clear()
                try:
                    async with asyncio.timeout(0.01):
                        await self.news.wait()
                except TimeoutError:
                    pass

    async def told(self, name, times=1):
        """Wait until a reading has come so often; the last of them."""
        await self.until(lambda: self.names().count(name) >= times)
        return [reading for reading in self.readings if reading.name == name][-1]

    def names(self):
        return [reading.name for reading in self.readings]

    # ── commands ───────────────────────────────────────────────────────────
    def order(self, name, **args):
        self.n += 1
        restrictive = name in ("lock", "hold")
        return self.supervisor.send(Command("it", name, restrictive, "boot-1", self.n, args))
