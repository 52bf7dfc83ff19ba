"""A board of inputs and outputs, and the people who lay chips on its sensors. It knows no rules.

Wired as docs/integrators/io-board.md shows: seat N's sensor on input N - 1, its lamp on output
LAMPS + N - 1, the lock on output LOCK; a high level is a chip, a lit lamp, an open lock.
"""

from typing import Final

from hwsim.devices.device import Condition, Device, Identity
from hwsim.faults import FaultPlan
from hwsim.physical import NotPossible, PhysicalTable

PINS: Final = 16
LAMPS: Final = 8
LOCK: Final = 15
SEATS: Final = 7


class Board(Device):
    """Stands at the table as its progressive: a person's chip finds it there."""

    kind = "progressive"
    tells_wagers = True

    def __init__(
        self, id_: str, table: PhysicalTable, faults: FaultPlan, *, serial: str = "00004711"
    ) -> None:
        super().__init__(
            id_, table, faults, Identity(serial, "hwsim board", (("Main", "00000008"),))
        )
        self.inputs = [False] * PINS
        self.outputs = [False] * PINS
        self.writes: list[tuple[int, bool]] = []  # every output that was set, in order

    @property
    def locked(self) -> bool:
        return not self.outputs[LOCK]

    @property
    def lamps(self) -> dict[int, bool]:
        return {seat: self.outputs[LAMPS + seat - 1] for seat in range(1, SEATS + 1)}

    @property
    def chips(self) -> set[int]:
        """The seats with a chip on the sensor."""
        return {seat for seat in range(1, SEATS + 1) if self.inputs[seat - 1]}

    def set(self, pin: int, level: bool) -> None:
        """The host sets an output."""
        self.outputs[pin] = level
        self.writes.append((pin, level))
        del self.writes[:-1000]
        self.log("output", pin=pin, level=level)

    # ── people ──
    def place(self, seat: int) -> bool:
        """A player lays a chip on a sensor, or takes it back; whether there is one."""
        self.attend()
        if not 1 <= seat <= SEATS:
            return False
        self.inputs[seat - 1] = not self.inputs[seat - 1]
        self.log("chip", seat=seat, lies=self.inputs[seat - 1])
        self.tell("changed")
        return True

    def turn_key(self) -> None:
        """Raises NotPossible: a board has no key."""
        raise NotPossible(f"{self.id} is a board of sensors, and has no key")

    # ── power ──
    def power_cycle(self, another: bool = False) -> None:
        """Every output falls; the chips stay where they are."""
        super().power_cycle(another)
        self.outputs = [False] * PINS

    def condition(self) -> Condition:
        return Condition(locked=self.locked)
