"""What the frames of tablelink 1 say: a frozen value a message, with its payload both ways.

Bytes behind the known fields are ignored, as the page asks; too few of them raise Malformed.
"""

import struct
from dataclasses import dataclass
from typing import ClassVar, Final

from hwsim.tablelink.framing import Damaged

NONCE: Final = 16
PROOF: Final = 0x7F
SERIAL, VERSION, MODEL, MODE = 0x01, 0x02, 0x03, 0x04
KINDS: Final = {
    "shuffler": 1, "shoe": 2, "progressive": 3, "button": 4, "indicator": 5, "badge_reader": 6,
}  # fmt: skip
COUNTS, READS, TWO_DECKS, LOCKS, HOLDS, KEEPS, RECOGNISES, WAGERS, ONE_BY_ONE, RELEASES = (
    1 << bit for bit in range(10)
)
LOCKED, HELD, BUSY, LOST = (1 << bit for bit in range(4))
NOT_KNOWN: Final = 0xFFFF  # dispensed, counted, and an age of that or more

DONE, DONE_BEFORE, STALE, CANNOT, NOT_KNOWN_HERE = range(5)
BYE_NO_SESSION, BYE_BOOTED, BYE_CLOSING, BYE_PROOF, BYE_VERSION, BYE_NO_ACK = range(1, 7)


class Malformed(Damaged):
    """A good frame whose payload is not what its type says."""


Item = tuple[int, bytes]


def pack_items(items: tuple[Item, ...]) -> bytes:
    return b"".join(bytes((type_, len(value))) + value for type_, value in items)


def unpack_items(data: bytes) -> tuple[Item, ...]:
    """Read type-length-value items to the end; raises Malformed."""
    items = []
    at = 0
    while at < len(data):
        end = at + 2 + (data[at + 1] if at + 1 < len(data) else len(data))
        if end > len(data):
            raise Malformed("an item runs past the end")
        items.append((data[at], data[at + 2 : end]))
        at = end
    return tuple(items)


def _need(payload: bytes, least: int) -> None:
    if len(payload) < least:
        raise Malformed(f"{len(payload)} bytes of payload, {least} are needed")


@dataclass(frozen=True, slots=True)
class Number:
    """{boot, n}: which command is meant."""

    boot: bytes
    n: int

    def pack(self) -> bytes:
        return self.boot + struct.pack("<I", self.n)

    @classmethod
    def unpack(cls, data: bytes) -> "Number":
        return cls(data[:8], int.from_bytes(data[8:12], "little"))


NEVER: Final = Number(bytes(8), 0)


@dataclass(frozen=True, slots=True)
class Condition:
    """Nine bytes: how the device is."""

    flags: int
    fault: int
    dispensed: int
    event: int
    pending: int

    SIZE: ClassVar[int] = 9

    def pack(self) -> bytes:
        return struct.pack(
            "<BBHIB", self.flags, self.fault, self.dispensed, self.event, self.pending
        )

    @classmethod
    def unpack(cls, data: bytes) -> "Condition":
        return cls(*struct.unpack("<BBHIB", data[: cls.SIZE]))


@dataclass(frozen=True, slots=True)
class Hello:
    version: int
    host_nonce: bytes
    items: tuple[Item, ...] = ()

    TYPE: ClassVar[int] = 0x01

    def pack(self) -> bytes:
        return bytes((self.version,)) + self.host_nonce + pack_items(self.items)

    @classmethod
    def unpack(cls, payload: bytes) -> "Hello":
        _need(payload, 1 + NONCE)
        return cls(payload[0], payload[1:17], unpack_items(payload[17:]))


@dataclass(frozen=True, slots=True)
class Welcome:
    version: int
    kind: int
    host_nonce: bytes
    device_nonce: bytes
    boot: int
    capabilities: int
    items: tuple[Item, ...] = ()

    TYPE: ClassVar[int] = 0x02

    def pack(self) -> bytes:
        return (
            bytes((self.version, self.kind))
            + self.host_nonce
            + self.device_nonce
            + struct.pack("<IH", self.boot, self.capabilities)
            + pack_items(self.items)
        )

    @classmethod
    def unpack(cls, payload: bytes) -> "Welcome":
        _need(payload, 40)
        boot, capabilities = struct.unpack("<IH", payload[34:40])
        items = unpack_items(payload[40:])
        return cls(payload[0], payload[1], payload[2:18], payload[18:34], boot, capabilities, items)


@dataclass(frozen=True, slots=True)
class Start:
    device_nonce: bytes
    heartbeat_ms: int
    silence_ms: int
    have_boot: int
    have_event: int
    items: tuple[Item, ...] = ()

    TYPE: ClassVar[int] = 0x03

    def pack(self) -> bytes:
        numbers = (self.heartbeat_ms, self.silence_ms, self.have_boot, self.have_event)
        return self.device_nonce + struct.pack("<HIII", *numbers) + pack_items(self.items)

    @classmethod
    def unpack(cls, payload: bytes) -> "Start":
        _need(payload, 30)
        heartbeat, silence, boot, event = struct.unpack("<HIII", payload[16:30])
        items = unpack_items(payload[30:])
        return cls(payload[:16], heartbeat, silence, boot, event, items)


@dataclass(frozen=True, slots=True)
class State:
    condition: Condition
    permit: Number
    restrict: Number

    TYPE: ClassVar[int] = 0x04

    def pack(self) -> bytes:
        return self.condition.pack() + self.permit.pack() + self.restrict.pack()

    @classmethod
    def unpack(cls, payload: bytes) -> "State":
        _need(payload, 33)
        return cls(
            Condition.unpack(payload), Number.unpack(payload[9:]), Number.unpack(payload[21:])
        )


@dataclass(frozen=True, slots=True)
class Bye:
    reason: int

    TYPE: ClassVar[int] = 0x0F

    def pack(self) -> bytes:
        return bytes((self.reason,))

    @classmethod
    def unpack(cls, payload: bytes) -> "Bye":
        _need(payload, 1)
        return cls(payload[0])


@dataclass(frozen=True, slots=True)
class Heartbeat:
    TYPE: ClassVar[int] = 0x10

    def pack(self) -> bytes:
        return b""

    @classmethod
    def unpack(cls, payload: bytes) -> "Heartbeat":  # noqa: ARG003
        return cls()


@dataclass(frozen=True, slots=True)
class Alive:
    TYPE: ClassVar[int] = 0x11

    def pack(self) -> bytes:
        return b""

    @classmethod
    def unpack(cls, payload: bytes) -> "Alive":  # noqa: ARG003
        return cls()


@dataclass(frozen=True, slots=True)
class Event:
    number: int
    age_ms: int
    code: int
    arguments: bytes = b""

    TYPE: ClassVar[int] = 0x20

    def pack(self) -> bytes:
        return struct.pack("<IHB", self.number, self.age_ms, self.code) + self.arguments

    @classmethod
    def unpack(cls, payload: bytes) -> "Event":
        _need(payload, 7)
        number, age_ms, code = struct.unpack("<IHB", payload[:7])
        return cls(number, age_ms, code, payload[7:])


@dataclass(frozen=True, slots=True)
class Ack:
    number: int

    TYPE: ClassVar[int] = 0x21

    def pack(self) -> bytes:
        return struct.pack("<I", self.number)

    @classmethod
    def unpack(cls, payload: bytes) -> "Ack":
        _need(payload, 4)
        return cls(int.from_bytes(payload[:4], "little"))


@dataclass(frozen=True, slots=True)
class Command:
    number: Number
    code: int
    arguments: bytes = b""

    TYPE: ClassVar[int] = 0x30

    def pack(self) -> bytes:
        return self.number.pack() + bytes((self.code,)) + self.arguments

    @classmethod
    def unpack(cls, payload: bytes) -> "Command":
        _need(payload, 13)
        return cls(Number.unpack(payload), payload[12], payload[13:])


@dataclass(frozen=True, slots=True)
class Result:
    number: Number
    outcome: int
    condition: Condition

    TYPE: ClassVar[int] = 0x31

    def pack(self) -> bytes:
        return self.number.pack() + bytes((self.outcome,)) + self.condition.pack()

    @classmethod
    def unpack(cls, payload: bytes) -> "Result":
        _need(payload, 22)
        return cls(Number.unpack(payload), payload[12], Condition.unpack(payload[13:]))


Message = (
    Hello | Welcome | Start | State | Bye | Heartbeat | Alive | Event | Ack | Command | Result
)  # fmt: skip
BY_TYPE: Final[dict[int, type[Message]]] = {
    cls.TYPE: cls
    for cls in (Hello, Welcome, Start, State, Bye, Heartbeat, Alive, Event, Ack, Command, Result)
}
FROM_DEVICE: Final = frozenset(cls.TYPE for cls in (Welcome, State, Alive, Event, Result))


def unpack(type_: int, payload: bytes) -> Message:
    """The message in a frame of a known type; raises Malformed."""
    return BY_TYPE[type_].unpack(payload)
