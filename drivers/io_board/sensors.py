"""Which pin is what: the sensors of the configuration, and when what they show is believed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tablectl.hal.options import Option

MS: Final = 1_000_000
SEATS_MAXIMUM: Final = 14
SENSORS_MAXIMUM: Final = 64
PIN_MAXIMUM: Final = 255
CHIP_MAXIMUM: Final = 10_000_000  # cents
_KEYS: Final = {"seat": SEATS_MAXIMUM, "input": PIN_MAXIMUM, "lamp": PIN_MAXIMUM}


@dataclass(frozen=True, slots=True)
class Sensor:
    """A place for a chip: whose it is, and its pins."""

    seat: int
    wager: str
    cents: int
    input: int
    lamp: int | None


def _whole(value: object, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


def _a_sensor(entry: object) -> bool:
    if not isinstance(entry, Mapping) or not {"seat", "input"} <= entry.keys():
        return False
    for key, value in entry.items():
        if key in _KEYS:
            fits = _whole(value, key == "seat", _KEYS[key])
        elif key == "cents":
            fits = _whole(value, 1, CHIP_MAXIMUM)
        else:
            fits = key == "wager" and isinstance(value, str) and value.isidentifier()
        if not fits:
            return False
    return True


def _sensors(value: object) -> bool:
    if not isinstance(value, Sequence) or isinstance(value, str):
        return False
    if not 0 < len(value) <= SENSORS_MAXIMUM or not all(map(_a_sensor, value)):
        return False
    places = [(entry["seat"], entry.get("wager")) for entry in value]
    lamps = [entry["lamp"] for entry in value if "lamp" in entry]
    inputs = [entry["input"] for entry in value]
    return all(len(set(each)) == len(each) for each in (places, inputs, lamps))


SENSORS: Final = Option(
    "a list of tables { seat = 1, input = 0 }, each perhaps with lamp, wager and cents; "
    "every seat (with its wager), input and lamp once",
    (),
    _sensors,
)


def sensors_of(options: Mapping[str, Any]) -> tuple[Sensor, ...]:
    """The sensors of a plan whose options were judged."""
    return tuple(
        Sensor(
            entry["seat"],
            entry.get("wager", options["wager"]),
            entry.get("cents", options["cents"]),
            entry["input"],
            entry.get("lamp"),
        )
        for entry in options["sensors"]
    )


class Steady:
    """A level that is believed only once it stood so long: contacts bounce, and bytes are hurt."""

    def __init__(self, debounce_ms: int) -> None:
        self.level: bool | None = None  # what is believed; None: nothing yet
        self._debounce_ns = debounce_ms * MS
        self._seen: bool | None = None
        self._since_ns = 0

    def see(self, level: bool, now_ns: int) -> bool:
        """Look again; whether what is believed has changed."""
        if level != self._seen:
            self._seen, self._since_ns = level, now_ns
        if level == self.level or now_ns - self._since_ns < self._debounce_ns:
            return False
        self.level = level
        return True
