"""What keyboard-like devices send: the eight bytes of a boot keyboard report (HID 1.11, B.1).

    modifiers │ reserved │ six usage codes of the keys that are down, 0 where there is none

Buttons and scanners both speak it. Nothing here knows what a key means.
"""

from dataclasses import dataclass
from typing import Final

from tablectl.hal.usb_packets import Packet, Setup

SIZE: Final = 8
SHIFT: Final = 0x22  # the left and the right one, among the modifiers
_ERRORS: Final = frozenset((1, 2, 3))  # too many keys, self-test failed, undefined


def set_up(interface: int) -> tuple[Packet, Packet]:
    """SET_PROTOCOL to boot, and SET_IDLE so that it reports changes only (HID 1.11, 7.2)."""
    return (
        Setup(0x21, 0x0B, 0, interface, 0).packet(),
        Setup(0x21, 0x0A, 0, interface, 0).packet(),
    )


@dataclass(frozen=True, slots=True)
class Key:
    """A key that went down, with the modifiers held at that moment."""

    usage: int
    modifiers: int = 0


class Keyboard:
    """Which keys are down, from one report to the next."""

    def __init__(self) -> None:
        self.down: frozenset[int] = frozenset()

    def feed(self, report: bytes) -> list[Key] | None:
        """The keys that went down with this report, as it lists them; None: it is no such report.

        A report of an error says nothing of the keys: they stay as they were.
        """
        if len(report) != SIZE:
            return None
        usages = [usage for usage in report[2:] if usage]
        if _ERRORS.intersection(usages):
            return []
        fresh = [usage for usage in dict.fromkeys(usages) if usage not in self.down]
        self.down = frozenset(usages)
        return [Key(usage, report[0]) for usage in fresh]
