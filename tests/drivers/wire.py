"""A session and a device on one wire in virtual time, with a channel that does as it is told."""

import random
from collections.abc import Callable

from drivers.tablelink.driver import TableLink
from tablectl.hal.kinds import Command, Counters, DevicePlan, Ended, Reading
from tests.contract.device import Device

MS = 1_000_000
STEP_MS = 5


def perfect(frame):
    """Every frame arrives, once, whole."""
    return [frame]


def nothing(_frame):
    """No frame arrives."""
    return []


def by_frames(data):
    """Cut after every 00."""
    return [frame + b"\0" for frame in data.split(b"\0") if frame]


class Faults:
    """A seeded channel: loses, repeats, delays, damages and splits frames, each so often."""

    def __init__(self, seed, *, loss=0.0, repeat=0.0, late=0.0, garbage=0.0):
        print(f"channel seed {seed}")
        self.rng = random.Random(seed)
        self.loss, self.repeat, self.late, self.garbage = loss, repeat, late, garbage
        self.kept = b""

    def __call__(self, frame):
        out = []
        if self.rng.random() < self.garbage:
            out.append(self.rng.randbytes(self.rng.randrange(1, 40)))
        if self.rng.random() < self.loss:
            frame = b""
        elif self.rng.random() < self.late and not self.kept:
            self.kept, frame = frame, b""
            return out
        out.append(frame)
        if frame and self.rng.random() < self.repeat:
            out.append(frame)
        if self.kept:
            out.append(self.kept)
            self.kept = b""
        return out


class EveryFifthLost:
    """One frame in five never arrives."""

    def __init__(self):
        self.count = 0

    def __call__(self, frame):
        self.count += 1
        return [] if self.count % 5 == 0 else [frame]


class Wire:
    """Moves bytes between the two, `STEP_MS` at a time."""

    def __init__(self, kind, *, seed=7, channel=perfect, plan=None, **device):
        self.counters = Counters()
        self.plan = plan or DevicePlan("it", kind, "tablelink", "socket://127.0.0.1:1")
        self.driver = TableLink(self.plan, self.counters, random.Random(seed).randbytes)
        self.device = Device(kind, seed=seed, **device)
        self.device.take_out()
        self.channel: Callable[[bytes], list[bytes]] = channel
        self.cut_up: Callable[[bytes], list[bytes]] = by_frames
        self.now = 0
        self.readings: list[Reading] = []
        self.identity = None
        self.ended: Ended | None = None
        self.online = False
        self.connected = False
        self.n = 0

    # ── the link ───────────────────────────────────────────────────────────
    def connect(self):
        self.session = self.driver.session()
        self.session.open(self.now * MS)
        self.device.take_out()
        self.online, self.ended, self.connected = False, None, True
        return self

    def cut(self):
        """The cable is out; the device notices by silence only, as on a serial line."""
        self.connected = self.online = False
        return [c for c in self.session.unanswered() if c.restrictive]

    def run(self, ms: int) -> "Wire":
        for _ in range(0, ms, STEP_MS):
            self.step()
        return self

    def until(self, condition, ms=5000):
        end = self.now + ms
        while not condition():
            assert self.now < end, "it did not happen in time"
            self.step()
        return self

    def step(self) -> None:
        self.now += STEP_MS
        if self.connected:
            self.take(self.session.tick(self.now * MS))
            self.to_device(self.session.bytes_to_send())
        self.device.advance(self.now)
        out = self.device.take_out()
        if self.connected:
            for part in self.frames(out):
                self.take(self.session.receive(part, self.now * MS))
            self.to_device(self.session.bytes_to_send())
            out = self.device.take_out()
            for part in self.frames(out):
                self.take(self.session.receive(part, self.now * MS))

    def to_device(self, data):
        if self.connected:
            for part in self.frames(data):
                self.device.feed(part, self.now)

    def frames(self, data):
        for part in self.cut_up(data) if data else ():
            yield from self.channel(part)

    def take(self, heard):
        for each in heard:
            if isinstance(each, Ended):
                self.ended, self.connected, self.online = each, False, False
            elif isinstance(each, Reading):
                self.online = self.online or each.name == "online"
                self.readings.append(each)
            else:
                self.identity = each

    # ── the table ──────────────────────────────────────────────────────────
    def command(self, name, *, n=None, boot="boot-1", **args):
        if n is None:
            self.n += 1
            n = self.n
        return Command("it", name, name in ("lock", "hold"), boot, n, args)

    def order(self, name, **args):
        command = self.command(name, **args)
        self.session.send(command, self.now * MS)
        return command

    def names(self):
        return [reading.name for reading in self.readings]
