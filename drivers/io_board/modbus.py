"""Modbus RTU: requests for inputs and coils as bytes, and bytes as their answers. No I/O, no time.

     address(1) function(1) … CRC-16(2, low byte first)
     01, 02 read     ask: first(2) count(2)          answer: bytes(1) levels, lowest bit first
     05     write    ask: pin(2) FF00 or 0000        answer: the same again
     0F     write    ask: first(2) count(2) bytes(1) levels   answer: first(2) count(2)
     80+    refused                                  answer: reason(1)

Recovery: an answer is expected of one address, function and length; bytes that are none of it are
dropped one by one until it stands there whole with its CRC. A new request forgets the rest.
"""

import struct
from collections.abc import Iterator, Sequence
from typing import Final

from drivers.io_board.asks import Answer, Ask, Refusal, Said

READ_COILS, READ_INPUTS, WRITE_COIL, WRITE_COILS = 0x01, 0x02, 0x05, 0x0F
REFUSED: Final = 0x80
ON, OFF = 0xFF00, 0x0000
PINS_MAXIMUM: Final = 256
FRAME: Final = 8  # bytes: what is dropped is counted in frames of this size, begun ones too
REASONS: Final = {
    1: "it does not know that function",
    2: "it has no such pin",
    3: "it does not take that value",
    4: "it failed",
    6: "it is busy",
}


def crc16(data: bytes) -> int:
    """CRC-16/MODBUS: polynomial 8005 reflected, from FFFF."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xA001 if crc & 1 else 0)
    return crc


def framed(body: bytes) -> bytes:
    """A body with its CRC."""
    return body + struct.pack("<H", crc16(body))


def packed(levels: Sequence[bool]) -> bytes:
    """Levels as bytes, the first in the lowest bit of the first."""
    number = sum(level << at for at, level in enumerate(levels))
    return number.to_bytes((len(levels) + 7) // 8, "little")


class Modbus:
    """One board at one address."""

    groups = reads_outputs = True

    def __init__(self, address: int) -> None:
        self.good = self.bad = 0
        self._address = address
        self._asked: Ask | None = None
        self._request = b""
        self._buffer = bytearray()
        self._dropped = 0

    def greeting(self) -> tuple[Ask, ...]:
        """Such a board says nothing of itself."""
        return ()

    def request(self, ask: Ask) -> bytes:
        """The bytes that ask."""
        first, count = ask.pins[0], len(ask.pins)
        match ask.sort:
            case "inputs":
                body = struct.pack(">BBHH", self._address, READ_INPUTS, first, count)
            case "outputs":
                body = struct.pack(">BBHH", self._address, READ_COILS, first, count)
            case _ if count == 1:
                level = ON if ask.levels[0] else OFF
                body = struct.pack(">BBHH", self._address, WRITE_COIL, first, level)
            case _:
                levels = packed(ask.levels)
                head = struct.pack(">BBHHB", self._address, WRITE_COILS, first, count, len(levels))
                body = head + levels
        self._asked, self._request = ask, framed(body)
        self._drop(len(self._buffer))
        return self._request

    def feed(self, data: bytes) -> Iterator[Said]:
        """Take in bytes."""
        self._buffer += data
        while self._asked is not None and len(self._buffer) >= 2:
            length = self._length(self._asked)
            if length is None:
                self._drop(1)
            elif len(self._buffer) < length:
                return
            else:
                said = self._said(bytes(self._buffer[:length]), self._asked)
                if said is None:
                    self._drop(1)
                    continue
                del self._buffer[:length]
                self.good += 1
                self._asked = None
                yield said
        if self._asked is None:
            self._drop(len(self._buffer))

    def _drop(self, count: int) -> None:
        del self._buffer[:count]
        before, self._dropped = self._dropped, self._dropped + count
        self.bad += -(-self._dropped // FRAME) + -before // FRAME

    def _length(self, ask: Ask) -> int | None:
        """How long the answer is that begins here; None where none does."""
        address, function = self._buffer[:2]
        if address != self._address or function & ~REFUSED != self._request[1]:
            return None
        if function & REFUSED:
            return 5
        return 5 + (len(ask.pins) + 7) // 8 if ask.sort in ("inputs", "outputs") else FRAME

    def _said(self, frame: bytes, ask: Ask) -> Said | None:
        """What an answer says; None where it is none, or none to this request."""
        if crc16(frame) != 0:
            return None
        if frame[1] & REFUSED:
            return Refusal(REASONS.get(frame[2], f"reason {frame[2]}"))
        if ask.sort == "write":
            return Answer() if frame[2:6] == self._request[2:6] else None
        if frame[2] != len(frame) - 5:
            return None
        number = int.from_bytes(frame[3:-2], "little")
        return Answer(tuple(bool(number >> at & 1) for at in range(len(ask.pins))))
