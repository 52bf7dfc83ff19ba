"""USB transfers as bytes, so that a session stays without I/O: what it writes, what it hears.

    endpoint (1) │ length (2, little-endian) │ data

| endpoint | from the session | to the session |
|---|---|---|
| 00 | control transfer: 8 bytes of SETUP, data of an OUT | its outcome (1), data of an IN |
| 01-0F | interrupt OUT: one report | its outcome (1) |
| 81-8F | | interrupt IN: one report |

Every transfer that is written is answered once, in order. The stream never leaves the process: a
length that cannot be is a mistake of ours, and raises.
"""

import struct
from dataclasses import dataclass
from typing import Final

DATA_MAXIMUM: Final = 1032  # SETUP and the largest report of a full-speed device's control pipe
DONE, STALLED, SILENT = 0, 1, 2  # taken; refused by the device; no answer in time
CONTROL: Final = 0x00
IN: Final = 0x80  # the direction, in an endpoint's address and in bmRequestType

_HEAD: Final = struct.Struct("<BH")
_SETUP: Final = struct.Struct("<BBHHH")


@dataclass(frozen=True, slots=True)
class Packet:
    """One transfer, or the answer to one."""

    endpoint: int
    data: bytes

    def to_bytes(self) -> bytes:
        """Head and data."""
        return _HEAD.pack(self.endpoint, len(self.data)) + self.data


@dataclass(frozen=True, slots=True)
class Setup:
    """The eight bytes that begin a control transfer (USB 2.0, 9.3)."""

    request_type: int
    request: int
    value: int
    index: int
    length: int

    @classmethod
    def from_bytes(cls, data: bytes) -> "Setup":
        """From the beginning of a control packet's data."""
        return cls(*_SETUP.unpack_from(data))

    @property
    def reads(self) -> bool:
        """Whether the device sends the data."""
        return bool(self.request_type & IN)

    def packet(self, data: bytes = b"") -> Packet:
        """The transfer, with the data of an OUT."""
        head = _SETUP.pack(self.request_type, self.request, self.value, self.index, self.length)
        return Packet(CONTROL, head + data)


def set_report(value: int, data: bytes, interface: int = 0) -> Packet:
    """HID SET_REPORT (HID 1.11, 7.2.2). `value`: 02 output or 03 feature, then the report's id."""
    return Setup(0x21, 0x09, value, interface, len(data)).packet(data)


class Packets:
    """Cuts a stream of packets, given in pieces of any size."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[Packet]:
        """The packets that are complete now. Raises ValueError on a length that cannot be."""
        self._buffer += data
        packets: list[Packet] = []
        while len(self._buffer) >= _HEAD.size:
            endpoint, length = _HEAD.unpack_from(self._buffer)
            if length > DATA_MAXIMUM:
                raise ValueError(f"a USB packet of {length} bytes")
            end = _HEAD.size + length
            if len(self._buffer) < end:
                break
            packets.append(Packet(endpoint, bytes(self._buffer[_HEAD.size : end])))
            del self._buffer[:end]
        return packets
