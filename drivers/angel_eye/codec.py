"""Angel Eye frames: bytes <-> frozen frames. No I/O, no time; damage is counted, never raised."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce
from operator import xor
from typing import Final, Literal

STX, ETX, ENQ, ACK, NAK = 0x02, 0x03, 0x05, 0x06, 0x15
MARK: Final = 0x80  # bit 7 is set in every byte of a payload
BCC_SIZE: Final = 2
LONGEST: Final = 16  # of what follows ENQ; the longest known report, M, has 11 bytes
HEX: Final = b"0123456789ABCDEF"

# How many payload bytes each report has. One of another code is taken as it comes.
PAYLOADS: Final = {
    "S": 0, "P": 0, "D": 2, "R": 2, "d": 2, "G": 1, "C": 0, "E": 1, "e": 1, "L": 1, "M": 6,
}  # fmt: skip
PLAIN: Final = "M"  # its payload is plain ASCII

# Which bytes of a command its BCC covers. The printed specification leaves STX out; the example
# that it prints (lock on, "1B") comes out only with it.
Coverage = Literal["example", "specification"]


def bcc(data: bytes) -> bytes:
    """The XOR of bytes, as two hex digits."""
    return b"%02X" % reduce(xor, data, 0)


@dataclass(frozen=True, slots=True)
class Report:
    """A report that passed its check. Two that are equal are copies of one.

    The payload may hold a card, so it is never shown.
    """

    seq: str
    code: str
    payload: bytes = field(default=b"", repr=False)

    def to_bytes(self) -> bytes:
        """The report as it comes over the wire."""
        body = f"{self.seq}{self.code}".encode("ascii") + self.payload + bytes((ETX,))
        return bytes((ENQ,)) + body + bcc(body)

    @classmethod
    def from_bytes(cls, frame: bytes) -> "Report | None":
        """What followed an ENQ, up to the second digit of its BCC; None where it is damaged."""
        body, check = frame[:-BCC_SIZE], frame[-BCC_SIZE:]
        if len(body) < 3 or body[-1] != ETX or bcc(body) != check:
            return None
        head, payload = body[:2], body[2:-1]
        if not all(0x21 <= byte <= 0x7E for byte in head):
            return None
        seq, code = chr(head[0]), chr(head[1])
        marked = [bool(byte & MARK) for byte in payload]
        if len(payload) != PAYLOADS.get(code, len(payload)) or not (all(marked) or code == PLAIN):
            return None
        return cls(seq, code, payload)


@dataclass(frozen=True, slots=True)
class Accepted:
    """ACK: the shoe took a command."""


@dataclass(frozen=True, slots=True)
class Refused:
    """NAK: it did not, and why."""

    reason: int


def operation(type_: str, data: int, coverage: Coverage) -> bytes:
    """A command for the shoe: `operation("LK", 2, "example")` locks it."""
    body = b"OP%s%02d" % (type_.encode("ascii"), data) + bytes((ETX,))
    start = bytes((STX,))
    return start + body + bcc(start + body if coverage == "example" else body)


Item = Report | Accepted | Refused


class Framer:
    """Cuts a stream of bytes into frames.

              +-----+-----+------+---------+-----+-----+-----+
     report   | ENQ | seq | code | payload | ETX |    BCC    |     7 to 13 bytes
              | 05  |  1  |  1   | 0 to 6  | 03  | hex | hex |
              +-----+-----+------+---------+-----+-----+-----+
                    |<-- the BCC is their XOR -->|

    Recovery: an ENQ stands only where a report begins, so the next ENQ is where reading begins
    again, whatever came before it; damage costs the frames that it touched and no other. One bad
    frame is counted for each ENQ that begins none, and one for what stands between a good frame
    and the next ENQ, answers aside. The buffer is bounded.
    """

    def __init__(self) -> None:
        self.good = 0
        self.bad = 0
        self._frame: bytearray | None = None  # since an ENQ; None: outside a frame
        self._counted = False  # what stands outside has been counted as bad
        self._refusal = False  # a NAK came, and its reason comes next

    def feed(self, data: bytes) -> Iterator[Item]:
        """Take in bytes, cut anywhere; give the good frames that they complete."""
        for byte in data:
            if byte == ENQ:
                self._begin()
            elif self._frame is not None:
                yield from self._inside(self._frame, byte)
            else:
                yield from self._outside(byte)

    def _begin(self) -> None:
        self.bad += self._frame is not None or self._refusal
        self._frame, self._counted, self._refusal = bytearray(), False, False

    def _inside(self, frame: bytearray, byte: int) -> Iterator[Item]:
        frame.append(byte)
        if len(frame) > BCC_SIZE and frame[-1 - BCC_SIZE] == ETX:
            report = Report.from_bytes(bytes(frame))
        elif len(frame) < LONGEST:
            return
        else:
            report = None
        self._frame = None
        if report is None:
            self.bad += 1
            self._counted = True
        else:
            self.good += 1
            yield report

    def _outside(self, byte: int) -> Iterator[Item]:
        if self._refusal:
            self._refusal = False
            yield Refused(byte)
        elif byte == ACK:
            yield Accepted()
        elif byte == NAK:
            self._refusal = True
        elif not self._counted:
            self.bad += 1
            self._counted = True
