"""What a tablelink device reports: the events of the page's section 3, as frozen values.

Numbers stay the wire's: what they mean in the words of a kind stands in words.py.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from drivers.tablelink.codes import WINNERS

CARDS_MAXIMUM: Final = 60
TEXT_MAXIMUM: Final = 80
MODE_MAXIMUM: Final = 32
WAGER_MAXIMUM: Final = 24
TOKEN_MAXIMUM: Final = 64
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
class Mode:
    """It was set to another game."""

    text: str


@dataclass(frozen=True, slots=True)
class ShuffleStarted:
    """A cycle began."""

    compartment: int = 0


@dataclass(frozen=True, slots=True)
class ShuffleDone:
    """A cycle ended; None where the device does not count, or does not recognise cards."""

    compartment: int
    count: int | None
    distinct: int | None = None


@dataclass(frozen=True, slots=True)
class Stack:
    """A stack left the shoe. Its cards lie face down: never shown."""

    dispensed: int | None
    cards: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Held:
    """The shoe holds, by itself."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """One card left the shoe: CARD of the page. It may lie face down: never shown."""

    dispensed: int | None
    hand: int
    position: int
    mode: int
    card: int = field(repr=False)


@dataclass(frozen=True, slots=True)
class CoverCard:
    """The cover card left the shoe."""


@dataclass(frozen=True, slots=True)
class Standby:
    """The shoe waits for the next round."""


@dataclass(frozen=True, slots=True)
class Started:
    """The shoe begins with cards that were loaded."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The shoe's own view of a round: RESULT of the page. Cards may still be down: never shown."""

    winner: int = field(repr=False)
    pairs: int = field(repr=False)


@dataclass(frozen=True, slots=True)
class Released:
    """The shoe was released at the device."""


@dataclass(frozen=True, slots=True)
class Locked:
    """Wagering was locked at the device."""


@dataclass(frozen=True, slots=True)
class Unlocked:
    """Wagering was opened at the device."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A wager was put down while it is unlocked."""

    seat: int
    cents: int
    wager: str


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A wager was taken back before the lock."""

    seat: int
    wager: str


@dataclass(frozen=True, slots=True)
class Late:
    """A wager was put down while it is locked."""

    seat: int
    wager: str


@dataclass(frozen=True, slots=True)
class Badge:
    """A badge was read. Its number is a credential: never shown."""

    token: str = field(repr=False)


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
    Fault | Cleared | Jam | Mode | ShuffleStarted | ShuffleDone | Stack | Held | Drawn | CoverCard
    | Standby | Started | Outcome | Released | Locked | Unlocked | Accepted | Withdrawn | Late
    | Pressed | Badge | Strange
)  # fmt: skip

_PLAIN: Final[dict[int, Report]] = {
    0x02: Cleared(),
    0x21: Held(),
    0x23: CoverCard(),
    0x24: Standby(),
    0x25: Started(),
    0x27: Released(),
    0x30: Locked(),
    0x31: Unlocked(),
}
_PLAIN_CODES: Final = {report: code for code, report in _PLAIN.items()}
_DONE: Final = struct.Struct("<BHH")
_CARD: Final = struct.Struct("<HBBBB")
_ACCEPTED: Final = struct.Struct("<BI")


def read_report(code: int, args: bytes) -> Report:
    """A report from its code and arguments; `Strange` where they do not fit. Never raises."""
    report = _PLAIN.get(code) or _of_shuffler(code, args) or _of_shoe(code, args)
    return report or _of_others(code, args) or Strange(code, args)


def _of_shuffler(code: int, args: bytes) -> Report | None:
    """And what any device may report."""
    match code, len(args):
        case 0x01, size if size >= 1 and args[0]:
            text = args[1 : 1 + TEXT_MAXIMUM]
            return Fault(args[0], "".join(chr(b) if 0x20 <= b <= 0x7E else "?" for b in text))
        case 0x03, size if size >= 1:
            return Jam(args[0])
        case 0x04, _:
            mode = _text(args, MODE_MAXIMUM)
            return Mode(mode) if mode else None
        case 0x10, size if size >= 1:
            return ShuffleStarted(args[0])
        case 0x11, size if size >= 3:
            # Whoever recognises no cards may leave the last number out.
            padded = args.ljust(_DONE.size, b"\xff") if size == 3 else args
            if len(padded) >= _DONE.size:
                compartment, count, distinct = _DONE.unpack_from(padded)
                return ShuffleDone(compartment, _known(count), _known(distinct))
    return None


def _of_shoe(code: int, args: bytes) -> Report | None:
    match code, len(args):
        case 0x20, size if size >= 3:
            dispensed, cards = struct.unpack_from("<HB", args)
            if cards <= min(CARDS_MAXIMUM, size - 3):
                return Stack(_known(dispensed), args[3 : 3 + cards])
        case 0x22, size if size >= _CARD.size:
            dispensed, *rest = _CARD.unpack_from(args)
            return Drawn(_known(dispensed), *rest)
        case 0x26, size if size >= 2 and args[0] in WINNERS:
            return Outcome(args[0], args[1])
    return None


def _of_others(code: int, args: bytes) -> Report | None:
    match code, len(args):
        case 0x32, size if size > _ACCEPTED.size and args[0]:
            seat, cents = _ACCEPTED.unpack_from(args)
            wager = _text(args[_ACCEPTED.size :], WAGER_MAXIMUM)
            return Accepted(seat, cents, wager) if wager else None
        case ((0x33 | 0x34), size) if size > 1 and args[0]:
            wager = _text(args[1:], WAGER_MAXIMUM)
            sort = Withdrawn if code == 0x33 else Late
            return sort(args[0], wager) if wager else None
        case 0x40, size if size >= 1 and args[0]:
            return Pressed(args[0])
        case 0x60, _:
            token = _text(args, TOKEN_MAXIMUM)
            return Badge(token) if token else None
    return None


def _known(number: int) -> int | None:
    return None if number == _UNCOUNTED else number


def _text(value: bytes, most: int) -> str | None:
    """Printable ASCII of the right length; None where it is none."""
    if not 1 <= len(value) <= most or not all(0x20 <= byte <= 0x7E for byte in value):
        return None
    return value.decode("ascii")


def write_report(report: Report) -> tuple[int, bytes]:
    """Code and arguments of a report."""
    if isinstance(report, Strange):
        return report.code, report.args
    if report in _PLAIN_CODES:
        return _PLAIN_CODES[report], b""
    code, write = _WRITTEN[type(report)]
    return code, write(report)


def _write_done(report: ShuffleDone) -> bytes:
    done = _DONE.pack(report.compartment, _number(report.count), _number(report.distinct))
    return done if report.distinct is not None else done[:3]


def _write_card(report: Drawn) -> bytes:
    where = (report.hand, report.position, report.mode)
    return _CARD.pack(_number(report.dispensed), *where, report.card)


_WRITTEN: Final[dict[type[Report], tuple[int, Callable[[Any], bytes]]]] = {
    Fault: (0x01, lambda it: bytes((it.fault,)) + it.text.encode("ascii")),
    Jam: (0x03, lambda it: bytes((it.compartment,))),
    Mode: (0x04, lambda it: it.text.encode("ascii")),
    ShuffleStarted: (0x10, lambda it: bytes((it.compartment,))),
    ShuffleDone: (0x11, _write_done),
    Stack: (0x20, lambda it: struct.pack("<HB", _number(it.dispensed), len(it.cards)) + it.cards),
    Drawn: (0x22, _write_card),
    Outcome: (0x26, lambda it: bytes((it.winner, it.pairs))),
    Accepted: (0x32, lambda it: _ACCEPTED.pack(it.seat, it.cents) + it.wager.encode("ascii")),
    Withdrawn: (0x33, lambda it: bytes((it.seat,)) + it.wager.encode("ascii")),
    Late: (0x34, lambda it: bytes((it.seat,)) + it.wager.encode("ascii")),
    Pressed: (0x40, lambda it: bytes((it.button,))),
    Badge: (0x60, lambda it: it.token.encode("ascii")),
}


def _number(number: int | None) -> int:
    return _UNCOUNTED if number is None else number
