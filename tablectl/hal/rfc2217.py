"""A serial line behind a port server that speaks RFC 2217: telnet, and the line's settings in it.

No I/O, no time. Bytes of the device come out as they went in; what the server says of itself is
answered or dropped. Nothing that comes raises, and nothing grows: see `_SUBOPTION_MAXIMUM`.

    device's bytes     any, with FF doubled
    an offer           FF  FB WILL, FC WONT, FD DO or FE DONT  option
    a setting          FF FA 2C  code value…  FF F0      its answer: the same, code + 100
"""

from enum import Enum
from typing import Final

from tablectl.hal.kinds import Line

IAC, DONT, DO, WONT, WILL, SB, SE = 255, 254, 253, 252, 251, 250, 240
BINARY, SUPPRESS_GO_AHEAD, COM_PORT = 0, 3, 44
SET_BAUDRATE, SET_DATASIZE, SET_PARITY, SET_STOPSIZE, SET_CONTROL = 1, 2, 3, 4, 5
ANSWER: Final = 100  # added to a code by the server
SUSPEND, RESUME = 108, 109
NO_FLOW_CONTROL, DTR_ON, RTS_ON = 1, 8, 11
PARITIES: Final = {"N": 1, "O": 2, "E": 3, "M": 4, "S": 5}

# What is offered and asked for at once. Without BINARY some bytes would not pass as they are.
_OURS: Final = (COM_PORT, BINARY, SUPPRESS_GO_AHEAD)
_THEIRS: Final = (BINARY, SUPPRESS_GO_AHEAD)
_NAMES: Final = {
    SET_BAUDRATE: "speed", SET_DATASIZE: "data bits", SET_PARITY: "parity",
    SET_STOPSIZE: "stop bits",
}  # fmt: skip
_SUBOPTION_MAXIMUM: Final = 64  # the longest known, a server's signature, is a line of text

Mode = Enum("Mode", "DATA COMMAND OPTION SUBOPTION SUBOPTION_IAC")


def escaped(data: bytes) -> bytes:
    """The device's bytes as they go over telnet."""
    return data.replace(b"\xff", b"\xff\xff")


def setting(code: int, value: bytes) -> bytes:
    """A setting as it goes out."""
    return bytes((IAC, SB, COM_PORT, code)) + escaped(value) + bytes((IAC, SE))


class Rfc2217:
    """One connection, the client's side."""

    def __init__(self, line: Line) -> None:
        self.refused: str | None = None  # why this server cannot be used
        self.suspended = False  # it asks not to be sent anything for now
        self._wanted = {
            SET_BAUDRATE: line.baud.to_bytes(4, "big"),
            SET_DATASIZE: bytes((line.bits,)),
            SET_PARITY: bytes((PARITIES[line.parity],)),
            SET_STOPSIZE: bytes((1,)),
        }
        self._unset = set(self._wanted)
        self._agreed = False  # it takes settings
        self._ours = dict.fromkeys(_OURS, False)  # whether it said DO
        self._theirs = dict.fromkeys(_THEIRS, False)  # whether it said WILL
        self._mode = Mode.DATA
        self._command = 0
        self._suboption = bytearray()
        self._out = bytearray()
        for option in _OURS:
            self._out += bytes((IAC, WILL, option))
        for option in _THEIRS:
            self._out += bytes((IAC, DO, option))

    @property
    def settled(self) -> bool:
        """Whether the line is set as it should be."""
        return self._agreed and not self._unset

    def to_send(self) -> bytes:
        """What must go out now; handed over once."""
        out = bytes(self._out)
        self._out.clear()
        return out

    def feed(self, data: bytes) -> bytes:
        """Take in bytes, cut anywhere; give those of the device."""
        if self._mode is Mode.DATA and IAC not in data:
            return data
        found = bytearray()
        for byte in data:
            self._take(byte, found)
        return bytes(found)

    def _take(self, byte: int, found: bytearray) -> None:
        match self._mode:
            case Mode.DATA if byte != IAC:
                found.append(byte)
            case Mode.DATA:
                self._mode = Mode.COMMAND
            case Mode.COMMAND:
                self._commanded(byte, found)
            case Mode.OPTION:
                self._mode = Mode.DATA
                self._offered(self._command, byte)
            case Mode.SUBOPTION if byte == IAC:
                self._mode = Mode.SUBOPTION_IAC
            case Mode.SUBOPTION:
                self._keep(byte)
            case _:
                self._suboption_ended(byte, found)

    def _commanded(self, byte: int, found: bytearray) -> None:
        """After an FF among the device's bytes."""
        self._mode = Mode.DATA
        if byte == IAC:
            found.append(byte)
        elif byte in (WILL, WONT, DO, DONT):
            self._mode, self._command = Mode.OPTION, byte
        elif byte == SB:
            self._mode = Mode.SUBOPTION
            self._suboption.clear()

    def _suboption_ended(self, byte: int, found: bytearray) -> None:
        """After an FF inside a suboption: one of its bytes, its end, or it broke off."""
        if byte == IAC:
            self._mode = Mode.SUBOPTION
            self._keep(byte)
        elif byte == SE:
            self._mode = Mode.DATA
            self._told(bytes(self._suboption))
        else:
            self._commanded(byte, found)

    def _keep(self, byte: int) -> None:
        if len(self._suboption) < _SUBOPTION_MAXIMUM:
            self._suboption.append(byte)

    # ── what the server wants and does ─────────────────────────────────────
    def _offered(self, command: int, option: int) -> None:
        """Answer an offer; one that only confirms what stands is not answered (RFC 854)."""
        ours = command in (DO, DONT)
        known = self._ours if ours else self._theirs
        if option not in known:
            if command in (DO, WILL):
                self._out += bytes((IAC, WONT if ours else DONT, option))
            return
        if command in (DO, WILL):
            known[option] = True
            if ours and option == COM_PORT and not self._agreed:
                self._agreed = True
                self._set_line()
        elif option == COM_PORT:
            self.refused = "it does not speak RFC 2217: use socket:// if its port is a raw one"
        elif option == BINARY:
            self.refused = "it does not pass all bytes as they are: set its port to binary"

    def _set_line(self) -> None:
        """All at once. What becomes of the control lines is not waited for: many have none."""
        for code, value in self._wanted.items():
            self._out += setting(code, value)
        for control in (NO_FLOW_CONTROL, DTR_ON, RTS_ON):
            self._out += setting(SET_CONTROL, bytes((control,)))

    def _told(self, suboption: bytes) -> None:
        """An answer to a setting, or a word about flow; the rest means nothing here."""
        if len(suboption) < 2 or suboption[0] != COM_PORT:
            return
        code, value = suboption[1] - ANSWER, suboption[2:]
        if code in self._wanted:
            if value == self._wanted[code]:
                self._unset.discard(code)
            else:
                has, wants = (int.from_bytes(each, "big") for each in (value, self._wanted[code]))
                self.refused = f"it sets the {_NAMES[code]} to {has}, not to {wants}: see its page"
        elif suboption[1] in (SUSPEND, RESUME):
            self.suspended = suboption[1] == SUSPEND
