"""The bytes of the polled button, and what a bouncing contact means. No I/O.

asked   SET_REPORT(output)  00 00 00 00 00 00 00 02
told    interrupt IN        ss 00 00 00 00 00 00 00     ss: 15 lid closed, 16 pressed, 17 open
"""

from typing import Final

from tablectl.hal.usb_packets import Packet, set_report

POLLED: Final = frozenset({(0x1D34, 0x000D)})  # Dream Cheeky's big red button
LID_CLOSED, PRESSED, LID_OPEN = 0x15, 0x16, 0x17
SIZE: Final = 8
_OUTPUT_REPORT: Final = 0x0200
_ASK: Final = bytes((0, 0, 0, 0, 0, 0, 0, 2))


def ask(interface: int) -> Packet:
    """Ask for the status; the answer comes as a report."""
    return set_report(_OUTPUT_REPORT, _ASK, interface)


def pressed(report: bytes) -> bool | None:
    """Whether it is down; None where this is no report of such a button."""
    if len(report) != SIZE or not LID_CLOSED <= report[0] <= LID_OPEN:
        return None
    return report[0] == PRESSED


class Debounce:
    """Tells a press at its first contact, and the bounces after it not at all."""

    def __init__(self, quiet_ns: int) -> None:
        """`quiet_ns`: how long it must have been up before it counts as pressed again."""
        self._quiet_ns = quiet_ns
        self._down = False
        self._up_ns: int | None = None

    def heard(self, down: bool, now_ns: int) -> bool:
        """Whether this is a press."""
        if down == self._down:
            return False
        self._down = down
        if not down:
            self._up_ns = now_ns
            return False
        return self._up_ns is None or now_ns - self._up_ns >= self._quiet_ns
