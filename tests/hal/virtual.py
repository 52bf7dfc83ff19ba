"""An event loop whose clock jumps when nobody has anything to do, and a link in memory for it.

Hours of back-off and heartbeats pass in milliseconds, the same way every time.
"""

import asyncio
import random
import selectors

from tablectl.hal.errors import LinkNotOpened
from tablectl.hal.kinds import Counters, DevicePlan
from tablectl.hal.supervisor import Supervisor
from tests.contract.device import Device


class _Jumping(selectors.DefaultSelector):
    """Never waits: adds the time that it would have waited."""

    now = 0.0

    def select(self, timeout=None):
        ready = super().select(0)
        if not ready:
            assert timeout is not None, "everybody waits for ever"
            self.now += max(timeout, 0)
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop in virtual time."""

    def __init__(self):
        self.jumping = _Jumping()
        super().__init__(self.jumping)

    def time(self):
        return self.jumping.now


def run(coroutine):
    """Run it to its end in virtual time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(coroutine)


def clock_ns():
    """The virtual clock, for a supervisor."""
    return round(asyncio.get_running_loop().time() * 1e9)


class MemoryLink:
    """A link to a device in memory, with 1 ms of latency each way."""

    def __init__(self, site):
        self.site, self.loop = site, asyncio.get_running_loop()
        self.open = True
        self.on_bytes = self.on_lost = None
        self.pump = self.loop.call_later(0.005, self.pumped)

    def attach(self, on_bytes, on_lost):
        self.on_bytes, self.on_lost = on_bytes, on_lost

    def write(self, data):
        if self.open:
            self.site.written.append((clock_ns(), data))
            self.loop.call_later(0.001, self.feed, data)

    def feed(self, data):
        if self.open and not self.site.deaf:
            self.site.device.feed(data, clock_ns() // 1_000_000)
            self.deliver()

    def pumped(self):
        self.pump = self.loop.call_later(0.005, self.pumped)
        self.site.device.advance(clock_ns() // 1_000_000)
        self.deliver()

    def deliver(self):
        out = self.site.device.take_out()
        if out and self.open:
            self.loop.call_later(0.001, self.arrived, out)

    def arrived(self, data):
        if self.open and self.on_bytes:
            self.on_bytes(data)

    def lose(self, what="the cable is out"):
        on_lost, self.on_lost = self.on_lost, None
        if on_lost:
            on_lost(what)

    async def close(self):
        self.open = False
        self.pump.cancel()
        self.site.device.end()
        self.site.links.remove(self)


class Site:
    """A device in memory, its port, its supervisor and what the supervisor told."""

    def __init__(self, kind="progressive", *, seed=3, driver=None, listener=None, **plan):
        self.device = Device(kind, seed=seed)
        self.device.take_out()
        self.deaf = self.absent = False
        self.opened, self.links, self.written, self.told = [], [], [], []
        self.counters = Counters()
        self.plan = DevicePlan("it", kind, "tablelink", "/dev/it", **plan)
        rng = random.Random(seed)
        self.supervisor = Supervisor(
            self.plan, listener or self.listen, driver=driver, counters=self.counters,
            open_link=self.open_link, clock_ns=clock_ns, rng=rng, random_bytes=rng.randbytes,
        )  # fmt: skip

    def listen(self, _device, reading):
        self.told.append((clock_ns(), reading))

    async def open_link(self, url, _line):
        self.opened.append(clock_ns())
        if self.absent:
            raise LinkNotOpened(f"{url} is not there: check the cable and the path")
        assert not self.links, "one connection at a time"
        self.links.append(MemoryLink(self))
        return self.links[0]

    def names(self):
        return [reading.name for _, reading in self.told]

    async def __aenter__(self):
        self.task = asyncio.create_task(self.supervisor.run())
        return self

    async def __aexit__(self, *error):
        self.supervisor.stop()
        if not self.task.done() or not self.task.exception():
            await self.task
        assert not self.links, "a link was left open"
