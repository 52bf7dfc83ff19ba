"""One colour as the transfer that each light takes. No I/O, no time.

| light | transfer | data |
|---|---|---|
| Delcom generation 2 | SET_REPORT(feature 65) | `65 0C xx FF 00 00 00 00`, xx a bit a colour |
| Patlite LR6-USB | interrupt OUT 1 | `00 00 0F 00 RY GB W0 00`: a nibble a lamp, 1 on, 0 off |
| Luxafor Flag | interrupt OUT 1 | `01 FF rr gg bb` |
| blink(1) | SET_REPORT(feature 01) | `01 63 rr gg bb 00 00 00` |
"""

from collections.abc import Callable
from typing import Final

from drivers.signal_light.signs import Colour
from tablectl.hal.usb_packets import Packet, set_report

Lamp = Callable[[Colour, int], Packet]  # the colour, and the number of the interface

_DELCOM: Final = {Colour.DARK: 0x00, Colour.GREEN: 0x01, Colour.RED: 0x02, Colour.YELLOW: 0x04}
_PATLITE: Final = {  # red and yellow; green and blue
    Colour.DARK: (0x00, 0x00),
    Colour.RED: (0x10, 0x00),
    Colour.YELLOW: (0x01, 0x00),
    Colour.GREEN: (0x00, 0x10),
}
_RGB: Final = {
    Colour.DARK: (0, 0, 0),
    Colour.GREEN: (0, 255, 0),
    Colour.YELLOW: (255, 160, 0),
    Colour.RED: (255, 0, 0),
}


def delcom(colour: Colour, interface: int) -> Packet:
    """Port 1, every pin set at once."""
    data = bytes((0x65, 0x0C, _DELCOM[colour], 0xFF, 0, 0, 0, 0))
    return set_report(0x0365, data, interface)


def patlite(colour: Colour, interface: int) -> Packet:  # noqa: ARG001
    """Every tier named, so that none keeps what another program left; the buzzer is kept."""
    red_yellow, green_blue = _PATLITE[colour]
    return Packet(0x01, bytes((0, 0, 0x0F, 0, red_yellow, green_blue, 0x00, 0)))


def luxafor(colour: Colour, interface: int) -> Packet:  # noqa: ARG001
    """All lamps of the flag, at once."""
    return Packet(0x01, bytes((0x01, 0xFF, *_RGB[colour])))


def blink1(colour: Colour, interface: int) -> Packet:
    """Fade to the colour in no time, every lamp."""
    return set_report(0x0301, bytes((0x01, ord("c"), *_RGB[colour], 0, 0, 0)), interface)


LIGHTS: Final[dict[tuple[int, int], Lamp]] = {
    (0x0FC5, 0xB080): delcom,
    (0x191A, 0x8003): patlite,
    (0x04D8, 0xF372): luxafor,
    (0x27B8, 0x01ED): blink1,
}
