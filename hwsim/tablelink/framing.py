"""Frames of tablelink 1: COBS, CRC-32, and what a receiver does with damage. No meaning, no I/O.

    type u8 | seq u8 | session u16 | payload 0 to 240 | CRC-32      all of it in COBS, then 00

After damage the next frame begins behind the next 00: nothing here raises for what a line brings.
"""

import zlib
from dataclasses import dataclass
from typing import Final

MOST_PAYLOAD: Final = 240
LEAST_FRAME: Final = 8
MOST_ENCODED: Final = 249  # a frame of 248 bytes and the byte that COBS adds
MOST_CODE: Final = 0xF9


class Damaged(ValueError):
    """The bytes are no good frame; the text says what is wrong with them."""


def crc32(data: bytes) -> int:
    """CRC-32/ISO-HDLC, the one of zlib."""
    return zlib.crc32(data)


def cobs_encode(data: bytes) -> bytes:
    """Stuff at most 253 bytes so that no 00 is left; the 00 that ends a frame is not added."""
    out = bytearray()
    for block in data.split(b"\0"):
        out.append(len(block) + 1)
        out += block
    return bytes(out)


def cobs_decode(encoded: bytes) -> bytes:
    """Undo cobs_encode; raises Damaged."""
    out = bytearray()
    at = 0
    while at < len(encoded):
        code = encoded[at]
        block = encoded[at + 1 : at + code]
        if not 1 <= code <= MOST_CODE:
            raise Damaged(f"a code {code:02X} cannot be")
        if len(block) != code - 1:
            raise Damaged("a code points past the end")
        if 0 in block:
            raise Damaged("a 00 inside")
        at += code
        out += block
        if at < len(encoded):
            out.append(0)
    return bytes(out)


@dataclass(frozen=True, slots=True)
class Frame:
    """One good frame."""

    type: int
    seq: int
    session: int
    payload: bytes = b""

    def to_bytes(self) -> bytes:
        """The frame with its CRC, not yet stuffed."""
        assert len(self.payload) <= MOST_PAYLOAD, f"a payload of {len(self.payload)} bytes"
        body = bytes((self.type, self.seq)) + self.session.to_bytes(2, "little") + self.payload
        return body + crc32(body).to_bytes(4, "little")

    def to_wire(self) -> bytes:
        """What is sent, the 00 at its end included."""
        return cobs_encode(self.to_bytes()) + b"\0"

    @classmethod
    def from_bytes(cls, raw: bytes) -> "Frame":
        """Check length and CRC; raises Damaged."""
        if len(raw) < LEAST_FRAME:
            raise Damaged(f"{len(raw)} bytes are no frame")
        if len(raw) > MOST_PAYLOAD + LEAST_FRAME:
            raise Damaged(f"{len(raw)} bytes are too many")
        if crc32(raw[:-4]) != int.from_bytes(raw[-4:], "little"):
            raise Damaged("the CRC is wrong")
        return cls(raw[0], raw[1], int.from_bytes(raw[2:4], "little"), raw[4:-4])

    @classmethod
    def from_wire(cls, encoded: bytes) -> "Frame":
        """Undo the stuffing (without the last 00), then as from_bytes; raises Damaged."""
        if len(encoded) > MOST_ENCODED:
            raise Damaged(f"{len(encoded)} bytes without a 00")
        return cls.from_bytes(cobs_decode(encoded))


class Splitter:
    """Cuts a stream at its 00s. Bounded: of an endless frame only the first bytes are kept."""

    def __init__(self) -> None:
        self._collected = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The ended pieces, without their 00; empty ones are left out."""
        pieces = []
        *ended, rest = data.split(b"\0")
        for part in ended:
            piece = bytes(self._collected + part)[: MOST_ENCODED + 1]
            self._collected.clear()
            if piece:
                pieces.append(piece)
        room = MOST_ENCODED + 1 - len(self._collected)
        self._collected += rest[:room]
        return pieces

    def forget(self) -> None:
        self._collected.clear()
