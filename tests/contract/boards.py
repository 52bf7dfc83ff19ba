"""I/O boards at the other end of a link: the simulators of hwsim on a pty and on TCP, by hand.

The same wiring as in docs/integrators/io-board.md: seat N on input N - 1, its lamp on output 7 + N,
the lock on output 15, open while that is high.
"""

from typing import Any, ClassVar

from hwsim.io_board.board import LAMPS, LOCK, SEATS, Board
from hwsim.rack import Place, Rack

NEVER_NS = 3600 * 1_000_000_000
SENSORS = [
    {"seat": seat, "input": seat - 1, "lamp": LAMPS + seat - 1} for seat in range(1, SEATS + 1)
]


class BoardPeer:
    """A board with hands."""

    driver = "io_board"
    kinds = frozenset({"progressive"})
    remembers = stacks = locks_itself = False
    sensors = True
    speaks: ClassVar[str]
    port: ClassVar[Any]
    serial: ClassVar[str]

    def __init__(self, _kind, place):
        self.rack = Rack([Place(self.speaks, "it")], seed=1, port=self.port, directory=place)
        self.unit = self.rack.boards["it"]
        self.board: Board = self.unit.device
        self.url = ""
        self.options = {
            "protocol": self.speaks, "sensors": SENSORS, "lock_output": LOCK, "cents": 500,
            "poll_ms": 10, "debounce_ms": 30,
        }  # fmt: skip

    locked = property(lambda self: self.board.locked)
    lamps = property(lambda self: self.board.lamps)

    @property
    def ran(self):
        return [(at, "unlock") for at, each in enumerate(self.board.writes) if each == (LOCK, True)]

    @property
    def restricted(self):
        return [(at, "lock") for at, each in enumerate(self.board.writes) if each == (LOCK, False)]

    async def start(self):
        await self.rack.start()
        self.url = self.rack.urls["it"]

    async def stop(self):
        await self.rack.stop()

    # ── hands ──
    def chip(self, seat):
        """Lay a chip on a seat's sensor, or take it back."""
        assert self.board.place(seat)

    # ── trouble ──
    def reboot(self):
        self.board.attend()
        self.unit.power_off()
        self.unit.hang_up = self.unit.hang_up or self.speaks == "numato"  # its USB port goes too

    def silence(self, on):
        self.board.attend()
        self.unit.line.be_silent(NEVER_NS if on else 0)

    def babble(self, data):
        self.rack._slots["it"].port.send(data)

    async def drop(self):
        self.board.attend()
        self.unit.hang_up = True


class NumatoPty(BoardPeer):
    speaks, port, serial = "numato", "pty", "00004711"


class NumatoTcp(NumatoPty):
    port = "tcp"


class ModbusPty(BoardPeer):
    speaks, port, serial = "modbus", "pty", ""  # it says nothing of itself


class ModbusTcp(ModbusPty):
    port = "tcp"


BOARDS = {
    "numato-pty": NumatoPty,
    "numato-tcp": NumatoTcp,
    "modbus-pty": ModbusPty,
    "modbus-tcp": ModbusTcp,
}
