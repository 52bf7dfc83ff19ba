"""tablelink frames: bytes <-> frozen frames. No I/O, no time; damage is counted, never raised."""

import struct
import zlib
from dataclasses import dataclass, field
from typing import Final

HEADER: Final = struct.Struct("<BBH")
CRC: Final = struct.Struct("<I")
PAYLOAD_MAXIMUM: Final = 240
FRAME_MINIMUM: Final = HEADER.size + CRC.size
FRAME_MAXIMUM: Final = FRAME_MINIMUM + PAYLOAD_MAXIMUM
WIRE_MAXIMUM: Final = FRAME_MAXIMUM + 1  # COBS adds one byte to anything below 254
CODE_MAXIMUM: Final = FRAME_MAXIMUM + 1  # so the "no zero follows" code FF cannot appear
END: Final = b"\0"
RESIDUE: Final = 0x2144DF1C  # CRC-32 over a frame and its own little-endian CRC


def cobs(data: bytes) -> bytes:
    """Stuff at most 253 bytes so that no 00 is left in them."""
    return b"".join(bytes((len(block) + 1,)) + block for block in data.split(END))


def uncobs(stuffed: bytes) -> bytes | None:
    """Undo `cobs`; None where the codes do not fit."""
    blocks: list[bytes] = []
    at = 0
    while at < len(stuffed):
        code = stuffed[at]
        block = stuffed[at + 1 : at + code]
        if not 1 <= code <= CODE_MAXIMUM or len(block) != code - 1:
            return None
        blocks.append(block)
        at += code
    return END.join(blocks)


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame that passed its check. The payload may hold cards, so it is never shown."""

    type: int
    seq: int
    session: int
    payload: bytes = field(default=b"", repr=False)

    def to_bytes(self) -> bytes:
        """The frame as it goes over the wire, its ending 00 included."""
        assert len(self.payload) <= PAYLOAD_MAXIMUM, "a message grew beyond its frame"
        body = HEADER.pack(self.type, self.seq, self.session) + self.payload
        return cobs(body + CRC.pack(zlib.crc32(body))) + END

    @classmethod
    def from_bytes(cls, stuffed: bytes) -> "Frame | None":
        """What stood before a 00; None where it is damaged."""
        if not FRAME_MINIMUM < len(stuffed) <= WIRE_MAXIMUM:
            return None
        raw = uncobs(stuffed)
        if raw is None or len(raw) < FRAME_MINIMUM or zlib.crc32(raw) != RESIDUE:
            return None
        type_, seq, session = HEADER.unpack_from(raw)
        return cls(type_, seq, session, raw[HEADER.size : -CRC.size])


class Framer:
    """Cuts a stream of bytes into frames.

              +------+-----+---------+----------------+--------+
     frame    | type | seq | session | payload        | CRC-32 |     8 to 248 bytes
              |  u8  | u8  |   u16   | 0 to 240 bytes |  u32   |
              +------+-----+---------+----------------+--------+
     wire     | COBS of the frame (one byte longer)           | 00 |
              +-----------------------------------------------+----+

    Recovery: a 00 stands only at a frame's end, so after garbage the next 00 is where reading
    begins again; damage costs the frames that it touched and no other. What grows beyond the
    longest frame is dropped up to the next 00. Empty frames are nothing. The buffer is bounded.
    """

    def __init__(self) -> None:
        self.good = 0
        self.bad = 0
        self._buffer = b""
        self._overlong = False

    def feed(self, data: bytes) -> list[Frame]:
        """Take in bytes, cut anywhere; return the good frames that they completed."""
        frames: list[Frame] = []
        *complete, rest = data.split(END)
        for part in complete:
            self._keep(part)
            frame = self._take()
            if frame is not None:
                frames.append(frame)
        self._keep(rest)
        return frames

    def _keep(self, part: bytes) -> None:
        if self._overlong or len(self._buffer) + len(part) > WIRE_MAXIMUM:
            self._overlong = True
            self._buffer = b""
        else:
            self._buffer += part

    def _take(self) -> Frame | None:
        stuffed, self._buffer = self._buffer, b""
        overlong, self._overlong = self._overlong, False
        if not stuffed and not overlong:
            return None
        frame = None if overlong else Frame.from_bytes(stuffed)
        if frame is None:
            self.bad += 1
        else:
            self.good += 1
        return frame
