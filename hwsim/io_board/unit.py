"""A board with its wire side on its line: everything but the port. Moved by `advance`."""

from collections.abc import Callable, Mapping
from typing import Final, Protocol

from hwsim.devices.device import SECOND_NS
from hwsim.faults import AT_ONCE, Fault, FaultPlan
from hwsim.io_board.board import Board
from hwsim.io_board.modbus import ModbusWire
from hwsim.io_board.numato import NumatoWire
from hwsim.line import Line

BOOT_NS: Final = SECOND_NS * 3 // 2
SILENCE_NS: Final = 3 * SECOND_NS


class BoardWire(Protocol):
    """How requests become answers."""

    def receive(self, data: bytes) -> list[bytes]: ...
    def changed(self) -> bytes: ...
    def forget(self) -> None: ...


WIRES: Final[Mapping[str, Callable[[Board], BoardWire]]] = {
    "modbus": ModbusWire,
    "numato": NumatoWire,
}


class BoardUnit:
    """What a port talks to."""

    gentle = False
    behind = False

    def __init__(self, board: Board, wire: BoardWire) -> None:
        self.device = board
        self.wire = wire
        self.faults: FaultPlan = board.faults
        self.line = Line(board.id, self.faults)
        self.hang_up = False
        self.boot_ns = BOOT_NS
        self._off_until_ns: int | None = None

    @property
    def on(self) -> bool:
        """Whether it has power."""
        return self._off_until_ns is None

    # ── the port ──
    def connected(self) -> None:
        self.wire.forget()
        self.line.forget()

    def disconnected(self) -> None:
        self.connected()

    def receive(self, data: bytes) -> None:
        if not self.on or self.line.silent:
            return
        answers = self.wire.receive(data)
        for answer in answers:
            self.line.send(answer)
        for kind in AT_ONCE * bool(answers):
            struck = self.faults.strikes(kind, self.device.id, self.line.now_ns)
            if struck is not None:
                self.apply(struck)

    def take(self) -> bytes:
        self._tell()
        return self.line.take()

    def attend_by(self, attend: Callable[[], None]) -> None:
        """Whom to call before a person touches the board."""
        self.device.attend = attend

    def _tell(self) -> None:
        """People moved chips."""
        while self.device.reports:
            self.device.reports.popleft()
            if self.on and (notice := self.wire.changed()):
                self.line.send(notice)

    # ── time ──
    def model_due_ns(self) -> int | None:
        """Nothing happens to a board by itself."""
        return None

    def due_ns(self) -> int | None:
        times = [self.line.due_ns(), self.faults.due_in_ns(self.device.id, self.line.now_ns)]
        if self._off_until_ns is not None:
            times.append(max(0, self._off_until_ns - self.line.now_ns))
        return min((time for time in times if time is not None), default=None)

    def advance(self, dt_ns: int, model_dt_ns: int | None = None) -> None:
        self.device.advance(dt_ns if model_dt_ns is None else model_dt_ns)
        self.line.advance(dt_ns)
        if self._off_until_ns is not None and self.line.now_ns >= self._off_until_ns:
            self._off_until_ns = None
        for fault in self.faults.overdue(self.device.id, self.line.now_ns):
            self.apply(fault)

    def apply(self, fault: Fault) -> None:
        """Something goes wrong now."""
        match fault.kind:
            case "silence":
                seconds = float(fault.variant) if fault.variant else None
                self.line.be_silent(round(seconds * SECOND_NS) if seconds else SILENCE_NS)
            case "reboot":
                self.power_off()
            case "disconnect":
                self.hang_up = True

    def power_off(self) -> None:
        """It loses power, and has it again after a moment."""
        self.device.power_cycle()
        self.wire.forget()
        self.line.forget()
        self._off_until_ns = self.line.now_ns + self.boot_ns
