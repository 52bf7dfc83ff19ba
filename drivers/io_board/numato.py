"""Numato's GPIO commands: requests as lines, and lines as their answers. No I/O, no time.

     ask      gpio set 3 CR
     answer   gpio set 3 (its echo) · what it says, if anything · the prompt >
     by itself  # 0001 0000 FFFF     an input changed

Recovery: a request is done when its exact echo came, then a prompt; a line of anything else is
counted as damaged and dropped. A new request begins with a CR that ends whatever lies there.
The protocol has no check: a level is believed only after it stood for a while (sensors.py).
"""

import re
from collections.abc import Iterator
from typing import Final

from drivers.io_board.asks import Answer, Ask, Changed, Refusal, Said

PINS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUV"  # how 8, 16 and 32 channel boards name them
LONGEST: Final = 40  # of a line; the longest known has 28 signs
_HEX: Final = re.compile(r"[0-9A-Fa-f]{2,8}")
_CHANGE: Final = re.compile(r"#( ?[0-9A-Fa-f]{2,8}){3}")
_SAID: Final = re.compile(r"[ -~]*")


class Numato:
    """One board."""

    groups = reads_outputs = False

    def __init__(self) -> None:
        self.good = self.bad = 0
        self._asked: Ask | None = None
        self._command = ""
        self._echoed = False
        self._text = ""
        self._line = bytearray()

    def greeting(self) -> tuple[Ask, ...]:
        """Its version, its number (a technician sets it), and to be told of changes."""
        return Ask("version"), Ask("serial"), Ask("notify")

    def request(self, ask: Ask) -> bytes:
        """The line that asks."""
        match ask.sort:
            case "version":
                self._command = "ver"
            case "serial":
                self._command = "id get"
            case "notify":
                self._command = "gpio notify on"
            case "write":
                verb = "set" if ask.levels[0] else "clear"
                self._command = f"gpio {verb} {PINS[ask.pins[0]]}"
            case _:
                self._command = "gpio readall"
        self._asked, self._echoed, self._text = ask, False, ""
        return b"\r" + self._command.encode() + b"\r"

    def feed(self, data: bytes) -> Iterator[Said]:
        """Take in bytes."""
        for byte in data:
            if byte in b"\r\n":
                yield from self._ended()
            elif byte == ord(">"):
                yield from self._ended()
                yield from self._prompted()
            else:
                self._line.append(byte)
                if len(self._line) > LONGEST:
                    self._line.clear()
                    self.bad += 1

    def _ended(self) -> Iterator[Said]:
        line = self._line.decode("latin-1").strip(" ")
        self._line.clear()
        if not line:
            return
        if _CHANGE.fullmatch(line):
            self.good += 1
            yield Changed()
        elif self._asked is not None and line == self._command:
            self._echoed, self._text = True, ""
        elif self._asked is not None and self._echoed and _SAID.fullmatch(line):
            self._text = line
        else:
            self.bad += 1

    def _prompted(self) -> Iterator[Said]:
        """A prompt: the end of an answer, if one has begun."""
        ask = self._asked
        if ask is None or not self._echoed:
            return
        said = self._said(ask)
        if said is None:  # damaged on the way: the session asks again in time
            self.bad += 1
            self._echoed = False
            return
        self.good += 1
        self._asked = None
        yield said

    def _said(self, ask: Ask) -> Said | None:
        text = self._text
        if ask.sort == "write":
            return Refusal(text) if text else Answer()
        if ask.sort == "notify":  # an 8 channel board has none, and is only asked more often
            return Answer()
        if not _HEX.fullmatch(text):
            return None
        if ask.sort != "inputs":
            return Answer(text=text)
        if 4 * len(text) <= ask.pins[-1]:
            return Refusal("it has no such pin")
        return Answer(tuple(bool(int(text, 16) >> pin & 1) for pin in ask.pins))
