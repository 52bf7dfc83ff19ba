"""The driver of I/O boards: a progressive wagering system made of sensors, lamps and a lock.

It opens nothing, sleeps never and repairs nothing: the supervisor does.
"""

from collections.abc import Mapping
from typing import ClassVar, Final

from drivers.io_board.asks import Wire
from drivers.io_board.modbus import Modbus
from drivers.io_board.numato import PINS, Numato
from drivers.io_board.sensors import CHIP_MAXIMUM, PIN_MAXIMUM, SENSORS, Sensor, sensors_of
from drivers.io_board.session import BoardSession, Memory
from tablectl.hal.errors import BrokenDriver
from tablectl.hal.kinds import Counters, DevicePlan, Line, RandomBytes
from tablectl.hal.options import Option, one_of, whole

NO_PIN: Final = -1


class IoBoard:
    """Drives a Numato board or a Modbus RTU board, on a serial line or behind a port server."""

    kinds: ClassVar[frozenset[str]] = frozenset({"progressive"})
    options: ClassVar[Mapping[str, Option]] = {
        "protocol": one_of("what the board speaks", "numato", "modbus"),
        "address": whole("its address on the line (modbus)", 1, 247, 1),
        "baud": whole("the speed of its serial line", 300, 921_600, 9600),
        "sensors": SENSORS,
        "wager": Option(
            "the name of the wager that a chip makes",
            "progressive",
            lambda value: isinstance(value, str) and value.isidentifier(),
        ),
        "cents": whole("what a chip is worth, in cents", 1, CHIP_MAXIMUM, 100),
        "lock_output": whole(
            "the output that locks; -1: there is none", NO_PIN, PIN_MAXIMUM, NO_PIN
        ),
        "locked_level": one_of("the level of that output when it is locked", "low", "high"),
        "chip_level": one_of("the level of an input with a chip on it", "high", "low"),
        "debounce_ms": whole("how long a level stands before it counts", 0, 2000, 60),
        "poll_ms": whole("how often the inputs are read", 10, 1000, 50),
    }

    def __init__(self, plan: DevicePlan, counters: Counters, _random_bytes: RandomBytes) -> None:
        """Raises BrokenDriver where no sensor is named, or pins are used twice or are not there."""
        self.line = Line(baud=plan.options["baud"])
        self._plan, self._counters = plan, counters
        self._sensors = sensors_of(plan.options)
        self._memory = Memory()
        wrong = _wrong_pins(plan.options, self._sensors)
        if wrong is not None:
            raise BrokenDriver(f"{plan.id}: {wrong}")

    def session(self) -> BoardSession:
        """A new conversation with the same board."""
        options = self._plan.options
        numato = options["protocol"] == "numato"
        wire: Wire = Numato() if numato else Modbus(options["address"])
        return BoardSession(self._plan, self._counters, self._memory, wire, self._sensors)


def _wrong_pins(options: Mapping[str, object], sensors: tuple[Sensor, ...]) -> str | None:
    if not sensors:
        return f"no sensor is named: set options.sensors to {SENSORS.expected}"
    lock = options["lock_output"]
    outputs = [each.lamp for each in sensors if each.lamp is not None]
    outputs += [lock] if isinstance(lock, int) and lock != NO_PIN else []
    if len(set(outputs)) != len(outputs):
        return "an output is used twice: the lock needs one of its own"
    if options["protocol"] == "modbus":
        return None  # inputs and coils are counted apart
    inputs = {each.input for each in sensors}
    if shared := inputs & set(outputs):
        return f"pin {min(shared)} is an input and an output: give each one of its own"
    if max(inputs | set(outputs)) >= len(PINS):
        return f"a Numato board has pins 0 to {len(PINS) - 1}"
    return None
