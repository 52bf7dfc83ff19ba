"""What a scanner types, as lines: keys in, codes out. No I/O, no cards.

A scanner types the signs of a code one by one, as on an American keyboard, and ends with Enter. A
line that is too long, or that stops in its middle, is garbage: it is dropped whole and counted.
"""

from typing import Final

from tablectl.hal.hid_keyboard import SHIFT, Key, Keyboard

LONGEST: Final = 64  # signs of a code
STALL_NS: Final = 500_000_000  # between two keys of a code; a scanner takes 1 to 40 ms
_ENTERS: Final = frozenset((0x28, 0x58))  # Enter, and the one of the keypad


def _layout() -> dict[int, tuple[str, str]]:
    """Usage code -> the sign without and with Shift (HID Usage Tables, chapter 10)."""
    layout = {
        0x04 + n: (letter, letter.upper()) for n, letter in enumerate("abcdefghijklmnopqrstuvwxyz")
    }
    layout |= {
        0x1E + n: (digit, sign)
        for n, (digit, sign) in enumerate(zip("1234567890", "!@#$%^&*()", strict=True))
    }
    layout |= {0x2C: (" ", " ")}
    layout |= {
        0x2D + n: (low, high) for n, (low, high) in enumerate(zip("-=[]\\", "_+{}|", strict=True))
    }
    layout |= {0x33: (";", ":"), 0x34: ("'", '"'), 0x35: ("`", "~")}
    layout |= {0x36: (",", "<"), 0x37: (".", ">"), 0x38: ("/", "?")}
    layout |= {0x54: ("/", "/"), 0x55: ("*", "*"), 0x56: ("-", "-"), 0x57: ("+", "+")}
    layout |= {0x59 + n: (digit, digit) for n, digit in enumerate("1234567890")}
    return layout | {0x63: (".", ".")}


SIGNS: Final = _layout()


class Scans:
    """Gathers reports into codes."""

    def __init__(self) -> None:
        self._keyboard = Keyboard()
        self._line: list[str] = []
        self._spoilt = False  # until Enter: a sign that no code has, or too many
        self._last_ns = 0
        self.good = 0  # reports
        self.bad = 0  # reports that are none, and lines that were dropped

    def feed(self, report: bytes, now_ns: int) -> list[str]:
        """The codes that are complete with this report."""
        keys = self._keyboard.feed(report)
        if keys is None:
            self.bad += 1
            self._spoilt = True  # a sign of the code may have been in it
            return []
        self.good += 1
        self.stalled(now_ns)
        codes = []
        for key in keys:
            self._last_ns = now_ns
            if key.usage not in _ENTERS:
                self._sign(key)
            elif code := self._end():
                codes.append(code)
        return codes

    @property
    def stall_ns(self) -> int | None:
        """When a line that has begun counts as broken off; None: none has."""
        return self._last_ns + STALL_NS if self._line or self._spoilt else None

    def stalled(self, now_ns: int) -> bool:
        """Drop a line that broke off; whether there was one."""
        late = self.stall_ns is not None and now_ns >= self._last_ns + STALL_NS
        if late:
            self.bad += 1
            self._line, self._spoilt = [], False
            self._keyboard = Keyboard()  # no scanner holds a key so long: that was damage, too
        return late

    def _sign(self, key: Key) -> None:
        signs = SIGNS.get(key.usage)
        if signs is None or key.modifiers & ~SHIFT or len(self._line) == LONGEST:
            self._spoilt = True
        else:
            self._line.append(signs[bool(key.modifiers & SHIFT)])

    def _end(self) -> str:
        code, spoilt = "".join(self._line), self._spoilt
        self._line, self._spoilt = [], False
        if spoilt:
            self.bad += 1
            return ""
        return code
