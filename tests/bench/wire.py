"""Device ends of ptys for the bench: bytes are stamped here, and answered from the same thread.

The words on the wire are hwsim's. Nothing else runs in this process while a frame is timed.
"""

import os
import random
import select
import time
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Final

from hwsim.devices import Button, Progressive
from hwsim.faults import FaultPlan
from hwsim.log import Log
from hwsim.physical import PhysicalTable
from hwsim.tablelink import messages as m
from hwsim.tablelink.framing import Damaged, Frame, Splitter
from hwsim.unit import Unit
from tests.bench.measure import SEED

READ: Final = 4096
LIMIT_S: Final = 10.0
LOCK_CODE: Final = 0x01  # docs/integrators/tablelink.md, commands


class Wire:
    """A pty: `master` is ours, `path` is what the other process opens."""

    def __init__(self) -> None:
        self.master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self.master, False)
        self.path = Path(os.ttyname(self._slave))

    def close(self) -> None:
        os.close(self.master)
        os.close(self._slave)


class Peer:
    """A simulated device on a wire, moved by whoever calls `tend`."""

    def __init__(self, unit: Unit) -> None:
        self.wire = Wire()
        self.unit = unit
        self._at_ns = time.monotonic_ns()

    def tend(self, came: bytes = b"") -> None:
        """Let time pass, take what came, send what there is to say."""
        now = time.monotonic_ns()
        self.unit.advance(now - self._at_ns)
        self._at_ns = now
        if came:
            self.unit.receive(came)
        if data := self.unit.take():
            os.write(self.wire.master, data)


class Devices:
    """The two ends of the lock path, as devices that the daemon knows."""

    def __init__(self) -> None:
        log = Log(SEED)
        table = PhysicalTable(random.Random(SEED), log)
        faults = FaultPlan([], log)
        self.button = Button("button", table, faults)
        self.bonus = Progressive("bonus", table, faults)
        self.peers = [
            Peer(Unit(device, random.Random(f"{SEED} {device.id}")))
            for device in (self.button, self.bonus)
        ]
        self.presses, self.locks = self.peers

    def close(self) -> None:
        for peer in self.peers:
            peer.wire.close()

    def tend(self, seconds: float) -> None:
        """Be two devices for so long."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._tend_once(min(left, 0.05))

    def tend_until(self, true: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + LIMIT_S
        while not true():
            assert time.monotonic() < end, f"waited {LIMIT_S:.0f} s in vain: {what}"
            self._tend_once(0.01)

    def _tend_once(self, limit_s: float) -> None:
        ready = select.select([peer.wire.master for peer in self.peers], [], [], limit_s)[0]
        for peer in self.peers:
            came = os.read(peer.wire.master, READ) if peer.wire.master in ready else b""
            peer.tend(came)

    def press(self) -> int:
        """Nanoseconds from the write of the button's frame to the read of the lock's."""
        self.button.press()
        self.presses.unit.advance(0)
        frame = self.presses.unit.take()
        assert frame, "the button has no session"
        splitter = Splitter()
        pieces: list[bytes] = []

        def locks(came: bytes) -> bool:
            pieces.append(came)
            return any(map(is_lock, splitter.feed(came)))

        taken = timed(self.presses.wire.master, self.locks.wire.master, frame, locks)
        self.locks.tend(b"".join(pieces))
        return taken


def is_lock(encoded: bytes) -> bool:
    """Whether a frame orders the lock."""
    try:
        frame = Frame.from_wire(encoded)
    except Damaged:
        return False
    return frame.type == m.Command.TYPE and frame.payload[12] == LOCK_CODE


def timed(into: int, out: int, frame: bytes, is_it: Callable[[bytes], object]) -> int:
    """Nanoseconds from writing `frame` to having read what `is_it` was waiting for."""
    waiting = [out]
    began = time.perf_counter_ns()
    os.write(into, frame)
    while True:
        assert select.select(waiting, [], [], LIMIT_S)[0], "no frame came out"
        came = os.read(out, READ)
        ended = time.perf_counter_ns()
        if is_it(came):
            return ended - began
