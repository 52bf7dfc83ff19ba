"""What a tablelink device reports: the ten events of the page's section 3, as frozen values."""

import struct
from dataclasses import dataclass, field
from typing import Final

CARDS_MAXIMUM: Final = 60
TEXT_MAXIMUM: Final = 80
UNREADABLE: Final = 0xFF
_UNCOUNTED: Final = 0xFFFF


@dataclass(frozen=True, slots=True)
class Fault:
    """Something does not work; JAM has a report of its own."""

    fault: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Cleared:
    """The fault, or the jam, is gone."""


@dataclass(frozen=True, slots=True)
class Jam:
    """Cards are stuck."""

    compartment: int = 0


@dataclass(frozen=True, slots=True)
class ShuffleStarted:
    """A cycle began."""

    compartment: int = 0


@dataclass(frozen=True, slots=True)
class ShuffleDone:
    """A cycle ended; `count` is None where the device does not count."""

    compartment: int
    count: int | None


@dataclass(frozen=True, slots=True)
class Stack:
    """A stack left the shoe. Its cards lie face down: never shown."""

    dispensed: int | None
    cards: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Held:
    """The shoe holds, by itself."""


@dataclass(frozen=True, slots=True)
class Locked:
    """Wagering was locked at the device."""


@dataclass(frozen=True, slots=True)
class Unlocked:
    """Wagering was opened at the device."""


@dataclass(frozen=True, slots=True)
class Pressed:
    """A button, counted from 1."""

    button: int = 1


@dataclass(frozen=True, slots=True)
class Strange:
    """A report with a code that is not known here, or without the arguments that it needs."""

    code: int
    args: bytes = field(default=b"", repr=False)


Report = (
    Fault | Cleared | Jam | ShuffleStarted | ShuffleDone | Stack | Held | Locked | Unlocked
    | Pressed | Strange
)  # fmt: skip

_PLAIN: Final[dict[int, Report]] = {0x02: Cleared(), 0x21: Held(), 0x30: Locked(), 0x31: Unlocked()}
_PLAIN_CODES: Final = {report: code for code, report in _PLAIN.items()}


def read_report(code: int, args: bytes) -> Report:
    """A report from its code and arguments; `Strange` where they do not fit. Never raises."""
    if code in _PLAIN:
        return _PLAIN[code]
    report: Report | None = None
    match code, len(args):
        case 0x01, size if size >= 1 and args[0]:
            text = args[1 : 1 + TEXT_MAXIMUM]
            report = Fault(args[0], "".join(chr(b) if 0x20 <= b <= 0x7E else "?" for b in text))
        case 0x03, size if size >= 1:
            report = Jam(args[0])
        case 0x10, size if size >= 1:
            report = ShuffleStarted(args[0])
        case 0x11, size if size >= 3:
            compartment, count = struct.unpack_from("<BH", args)
            report = ShuffleDone(compartment, None if count == _UNCOUNTED else count)
        case 0x20, size if size >= 3:
            dispensed, cards = struct.unpack_from("<HB", args)
            if cards <= min(CARDS_MAXIMUM, size - 3):
                known = None if dispensed == _UNCOUNTED else dispensed
                report = Stack(known, args[3 : 3 + cards])
        case 0x40, size if size >= 1 and args[0]:
            report = Pressed(args[0])
    return report if report is not None else Strange(code, args)


def write_report(report: Report) -> tuple[int, bytes]:
    """Code and arguments of a report."""
    match report:
        case Fault(fault, text):
            return 0x01, bytes((fault,)) + text.encode("ascii")
        case Jam(compartment):
            return 0x03, bytes((compartment,))
        case ShuffleStarted(compartment):
            return 0x10, bytes((compartment,))
        case ShuffleDone(compartment, count):
            return 0x11, struct.pack("<BH", compartment, _UNCOUNTED if count is None else count)
        case Stack(dispensed, cards):
            known = _UNCOUNTED if dispensed is None else dispensed
            return 0x20, struct.pack("<HB", known, len(cards)) + cards
        case Pressed(button):
            return 0x40, bytes((button,))
        case Strange(code, args):
            return code, args
        case _:
            return _PLAIN_CODES[report], b""
