"""The devices that the contract suites talk to: a `Peer` is what a suite needs of the other end.

To hold another driver to the contract, or the same one against another device, add its peer in
conftest.py. Those here are the scripted tablelink device, on a pty and on TCP; simulated.py has the
devices of hwsim.
"""

import asyncio
import contextlib
import os
import signal
import sys
import time
import tty
from pathlib import Path
from typing import Any, ClassVar, Protocol

from tests.contract.device import KINDS, SEATS, Device

PUMP_S = 0.005
EXAMPLE = Path(__file__).parents[2] / "docs/integrators/examples/badge_reader.py"
SIGNS = ("off", "open", "no_more_bets", "attention", "winner", "halted", "out_of_order")
COLOURS: dict[str, set[str]] = {
    "off": set(), "open": {"green"}, "winner": {"green"}, "no_more_bets": {"yellow"},
    "attention": {"yellow"}, "halted": {"red"}, "out_of_order": {"red"},
}  # fmt: skip


class Peer(Protocol):
    """A device of one kind at the other end of a link, and hands to work it with."""

    driver: ClassVar[str]
    kinds: ClassVar[frozenset[str]]
    url: str
    serial: str
    locked: bool
    held: bool
    ran: list[Any]  # each permissive command that was executed, told apart by {boot, n}
    restricted: list[Any]  # and each restrictive one
    remembers: bool  # it keeps its reports while the link is away, and says which boot it is in
    locks_itself: bool  # a progressive without a host
    stacks: bool  # a shoe that dispenses; otherwise one that reads
    # Some have more, which a test asks for by `needs`: `sensors`, `badge`, `lit`, `set_mode` …

    def __init__(self, kind: str, place: Path) -> None: ...
    async def start(self) -> None: ...
    async def stop(self) -> None: ...

    # hands
    def press(self) -> None: ...
    def shuffle(self, count: int | None) -> None: ...
    def take_stack(self) -> bool: ...
    def jam(self) -> None: ...
    def clear(self) -> None: ...

    # trouble
    def reboot(self) -> None: ...
    def silence(self, on: bool) -> None: ...
    def babble(self, data: bytes) -> None: ...
    async def drop(self) -> None:
        """The link breaks, and can be opened again under the same url."""


class TableLinkPeer:
    """The scripted device with hands; a subclass has the wire."""

    driver = "tablelink"
    kinds = frozenset(KINDS)
    options: ClassVar[dict[str, Any]] = {}
    remembers = stacks = locks_itself = sensors = two_decks = True
    CARDS = bytes((0x00, 0x16, 0x33))  # AC TD KS

    def __init__(self, kind, place, **device):
        self.kind, self.place = kind, place
        self.device = Device(kind, **device)
        self.deaf = False
        self.url = ""

    serial = property(lambda self: self.device.serial)
    locked = property(lambda self: self.device.locked)
    held = property(lambda self: self.device.held)
    ran = property(lambda self: self.device.ran)
    restricted = property(lambda self: self.device.restricted)

    lamps = property(lambda self: {seat: seat in self.device.lamps for seat in SEATS})
    lit = property(lambda self: COLOURS[SIGNS[self.device.sign]])
    seen = property(lambda self: [COLOURS[SIGNS[sign]] for sign in self.device.shown])

    def press(self):
        self.device.report(0x40, b"\x01")

    def shuffle(self, count, distinct=None, compartment=0):
        self.device.report(0x10, bytes([compartment]))
        counted = 0xFFFF if count is None else count
        done = bytes([compartment]) + counted.to_bytes(2, "little")
        self.device.report(0x11, done + (bytes([distinct, 0]) if distinct else b""))

    def chip(self, seat):
        self.device.chip(seat)

    def badge(self, number):
        self.device.badge(number)

    def set_mode(self, mode):
        self.device.set_mode(mode)

    def take_stack(self):
        return self.device.stack(self.CARDS)

    def jam(self):
        self.device.jam()

    def clear(self):
        self.device.clear()

    def reboot(self):
        self.device.boot()

    def silence(self, on):
        self.deaf = self.device.mute = on

    async def open(self):
        raise NotImplementedError

    async def shut(self):
        raise NotImplementedError

    def babble(self, data):
        raise NotImplementedError

    async def start(self):
        await self.open()
        self.pump = asyncio.create_task(self.keep_pumping())

    async def stop(self):
        self.pump.cancel()
        await asyncio.gather(self.pump, return_exceptions=True)
        await self.shut()

    @staticmethod
    def now():
        return time.monotonic_ns() // 1_000_000

    async def keep_pumping(self):
        while True:
            self.device.advance(self.now())
            self.flush()
            await asyncio.sleep(PUMP_S)

    def heard(self, data):
        if not self.deaf:
            self.device.feed(data, self.now())
            self.flush()

    def flush(self):
        out = self.device.take_out()
        if out:
            self.babble(out)


class PtyPeer(TableLinkPeer):
    """On a pty. Dropping it closes the master, as an unplugged adapter does."""

    async def open(self):
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        os.set_blocking(self.master, False)
        path = self.place / self.kind
        path.unlink(missing_ok=True)
        path.symlink_to(os.ttyname(self.slave))
        self.url = f"pty:{path}"
        asyncio.get_running_loop().add_reader(self.master, self.readable)

    def readable(self):
        with contextlib.suppress(OSError):
            self.heard(os.read(self.master, 4096))

    def babble(self, data):
        with contextlib.suppress(OSError):  # its buffer is full, or the link is dropped
            os.write(self.master, data)

    async def shut(self):
        asyncio.get_running_loop().remove_reader(self.master)
        os.close(self.slave)
        os.close(self.master)
        self.master = -1

    async def drop(self):
        await self.shut()
        self.device.end()
        await self.open()


class TcpPeer(TableLinkPeer):
    """On a loopback port of its own. A new connection replaces the old."""

    port = 0
    writer: asyncio.StreamWriter | None = None

    async def open(self):
        self.server = await asyncio.start_server(self.served, "127.0.0.1", self.port)
        self.port = self.server.sockets[0].getsockname()[1]
        self.url = f"socket://127.0.0.1:{self.port}"

    async def served(self, reader, writer):
        old, self.writer = self.writer, writer
        if old is not None:
            old.close()
        try:
            while data := await reader.read(4096):
                self.heard(data)
        except OSError:
            pass
        if self.writer is writer:
            self.device.end()
            self.writer = None
        writer.close()

    def babble(self, data):
        if self.writer is not None and not self.writer.is_closing():
            self.writer.write(data)

    async def shut(self):
        self.server.close()
        if self.writer is not None:
            self.writer.close()
        await asyncio.sleep(0.02)

    async def drop(self):
        if self.writer is not None:
            self.writer.transport.abort()
        self.device.end()


class ExamplePeer:
    """The device of docs/integrators/examples, as it stands there, in a process of its own."""

    driver = "tablelink"
    kinds = frozenset({"badge_reader"})
    serial = "BR-1"
    remembers = True

    def __init__(self, _kind, _place):
        self.port = 0
        self.url = ""

    async def start(self):
        pipe = asyncio.subprocess.PIPE
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, str(EXAMPLE), str(self.port), self.serial, stdin=pipe, stdout=pipe
        )
        assert self.process.stdout is not None
        self.url = (await self.process.stdout.readline()).decode().strip()
        self.port = int(self.url.rpartition(":")[2])

    async def stop(self):
        self.silence(False)
        self.process.terminate()
        await self.process.communicate()

    def badge(self, number):
        assert self.process.stdin is not None
        self.process.stdin.write(number.encode() + b"\n")

    def silence(self, on):
        self.process.send_signal(signal.SIGSTOP if on else signal.SIGCONT)

    async def drop(self):
        await self.stop()
        await self.start()

    def reboot(self):
        self.again = asyncio.create_task(self.drop())


PEERS = {"tablelink-pty": PtyPeer, "tablelink-tcp": TcpPeer, "tablelink-example": ExamplePeer}
