"""A device with its wire side and its line: everything but the port. Moved by `advance`.

The line's time and the device's may run at different speeds: a host's heartbeats are real, while a
shuffle that takes a minute need not be.
"""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from hwsim.devices.device import SECOND_NS, Device
from hwsim.faults import AT_ONCE, Fault, FaultPlan
from hwsim.line import Line
from hwsim.tablelink import messages as m
from hwsim.tablelink.framing import Damaged, Frame, Splitter
from hwsim.tablelink.link import Link

BOOT_NS: Final = SECOND_NS * 3 // 2
SILENCE_NS: Final = 3 * SECOND_NS
MOST_UNHEARD: Final = 8


class Unit:
    """What a port talks to: `receive`, `take`, `advance`, and whether it wants to hang up."""

    gentle = False  # what is under way when it hangs up is gone

    def __init__(
        self,
        device: Device,
        rng: random.Random,
        *,
        key: bytes | None = None,
        sees_connections: bool = False,
        boot_ns: int = BOOT_NS,
    ) -> None:
        self.device = device
        self.faults: FaultPlan = device.faults
        self.link = Link(device, rng, key=key, sees_connections=sees_connections)
        self.line = Line(device.id, self.faults)
        self.boot_ns = boot_ns
        self.hang_up = False  # the port should drop its connection, and may reset this
        self._splitter = Splitter()
        self._off_until_ns: int | None = None
        self._another = False
        self._next = self._first = device.identity
        self._swaps = 0

    @property
    def now_ns(self) -> int:
        """The line's time."""
        return self.line.now_ns

    @property
    def on(self) -> bool:
        """Whether it has power."""
        return self._off_until_ns is None

    # ── the port ──
    def connected(self) -> None:
        self._splitter.forget()
        self.line.forget()
        if self.on:
            self.link.connected()

    def disconnected(self) -> None:
        self._splitter.forget()
        self.line.forget()
        if self.on:
            self.link.disconnected()

    def receive(self, data: bytes) -> None:
        """Bytes from the host."""
        if not self.on or self.line.silent:
            self._splitter.forget()
            return
        for piece in self._splitter.feed(data):
            for _ in range(self.line.arrivals()):
                self._frame(piece)
        self._flush()

    def take(self) -> bytes:
        """Bytes for the host, as far as they are through the line."""
        self._flush()
        return self.line.take()

    def _frame(self, piece: bytes) -> None:
        """One frame reaches the device: also the moment at which it may fail."""
        try:
            worth = Frame.from_wire(piece).type in (m.Command.TYPE, m.Ack.TYPE)
        except Damaged:
            worth = False
        struck = [self.faults.strikes(k, self.device.id, self.now_ns) for k in AT_ONCE * worth]
        faults = [fault for fault in struck if fault]
        # It may fail before it takes the frame, or after it acted and before it could answer.
        before = bool(faults) and self.faults.dice("when", self.device.id).random() < 0.5
        if self.on and not before:
            self.link.receive(piece + b"\0")
        for fault in faults:
            self.apply(fault)

    def attend_by(self, attend: Callable[[], None]) -> None:
        """Whom to call before a person touches the device."""
        self.device.attend = attend

    # ── time ──
    def model_due_ns(self) -> int | None:
        """How long, in the device's own time, until something happens to it."""
        return self.device.due_ns() if self.on else None

    @property
    def behind(self) -> bool:
        """Whether so many reports wait for the host that the device should wait too."""
        return len(self.link.kept) >= MOST_UNHEARD

    def due_ns(self) -> int | None:
        """How long, in the line's time, until something happens; the model's moments apart."""
        times = [self.line.due_ns(), self.faults.due_in_ns(self.device.id, self.now_ns)]
        if self._off_until_ns is not None:
            times.append(max(0, self._off_until_ns - self.now_ns))
        else:
            times.append(self.link.due_ns())
        known = [time for time in times if time is not None]
        return min(known) if known else None

    def advance(self, dt_ns: int, model_dt_ns: int | None = None) -> None:
        """Let time pass: on the line, and on the device (the same, if nothing is said)."""
        if model_dt_ns is not None:
            self._move(0, model_dt_ns)
            self._pass(dt_ns, with_model=False)
        else:
            self._pass(dt_ns, with_model=True)

    def _pass(self, dt_ns: int, with_model: bool) -> None:
        """In slices, so that each thing happens at its own moment."""
        left = dt_ns
        while True:
            due = [self.due_ns(), self.model_due_ns() if with_model else None]
            step = min([left, *(time for time in due if time is not None)])
            self._move(step, step if with_model else 0)
            left -= step
            if left <= 0:
                return

    def _move(self, line_ns: int, model_ns: int) -> None:
        if self.on:
            self.link.collect()  # what people did since
            self.device.advance(model_ns)
            self.line.advance(line_ns)
            self.link.advance(line_ns)
        else:
            self.line.advance(line_ns)
            self.link.now_ns += line_ns
            if self._off_until_ns is not None and self.now_ns >= self._off_until_ns:
                self._power_on()
        for fault in self.faults.overdue(self.device.id, self.now_ns):
            self.apply(fault)
        self._flush()

    def _flush(self) -> None:
        for frame in self.link.take():
            self.line.send(frame)

    # ── what goes wrong ──
    def apply(self, fault: Fault) -> None:
        """A fault of the link or of the whole device happens now."""
        match fault.kind:
            case "silence":
                seconds = float(fault.variant) if fault.variant else None
                self.line.be_silent(round(seconds * SECOND_NS) if seconds else SILENCE_NS)
            case "disconnect":
                self.hang_up = True
            case "reboot":
                self.power_off()
            case "swap":
                self._become(fault.variant or "serial")
                self.hang_up = True

    def _become(self, what: str) -> None:
        """Power goes; when it comes back another device is there, or this one made different."""
        self._swaps += 1
        now = self._first
        match what:
            case "version":
                versions = tuple((name, _older(version)) for name, version in now.versions)
                self._next = replace(self._next, versions=versions)
            case "mode":
                self._next = replace(self._next, mode=f"Another Game {self._swaps}")
            case "model":
                self._next = replace(self._next, model=f"{now.model} {self._swaps + 1}")
            case _:
                self._next = replace(self._next, serial=f"{now.serial}-{self._swaps + 1}")
        self.power_off(another=what in ("serial", "model"))

    def power_off(self, another: bool = False) -> None:
        """The power goes; it comes back by itself. `another`: with a device in its place."""
        self._another = self._another or another
        self._off_until_ns = self.now_ns + self.boot_ns
        self.device.restrict(tell=False)
        self.link.session = None
        self.link.take()
        self.line.forget()
        self.hang_up = self.hang_up or self.link.sees_connections

    def _power_on(self) -> None:
        self._off_until_ns = None
        if self._next is not self._first:
            self.device.identity = self._next
        self.device.power_cycle(self._another)
        self.link.power_on(self._another)
        self._another = False


def _older(version: str) -> str:
    """One major step back: 4.0.018 becomes 3.0.018."""
    major, mark, rest = version.partition(".")
    if major.isdigit() and int(major) > 0:
        return f"{int(major) - 1}{mark}{rest}"
    return f"0.0.{version}"
