"""Four lights. Each keeps what it shows, as the set of its lamps that are lit."""

from collections import deque

from hwsim.usb.device import Stall, UsbDevice


class Light(UsbDevice):
    """What a person sees."""

    def __init__(self, serial: str = "", port: str = "1-1") -> None:
        super().__init__(serial, port)
        self.lit: frozenset[str] = frozenset({"red"})  # as somebody left it
        self.seen: deque[frozenset[str]] = deque(maxlen=100)
        self.refusing = False

    def show(self, *lamps: str) -> None:
        self.lit = frozenset(lamps)
        self.seen.append(self.lit)

    def show_mixed(self, red: int, green: int, blue: int) -> None:
        """One lamp of three colours; red and green together are yellow."""
        named = {(0, 0, 0): (), (1, 0, 0): ("red",), (0, 1, 0): ("green",), (1, 1, 0): ("yellow",)}
        key = (red > 0, green > 0, blue > 0)
        self.show(*named.get(key, ("strange",)))


class Delcom(Light):
    """Generation 2: a feature report of eight bytes, a bit a colour."""

    vendor, product_id = 0x0FC5, 0xB080
    product = "hwsim Delcom light"

    def request(self, kind: int, request: int, value: int, data: bytes) -> bytes:
        if (kind, request, value) != (0x21, 0x09, 0x0365) or self.refusing:
            raise Stall
        if len(data) != 8 or data[:2] != b"\x65\x0c" or data[3:] != b"\xff\0\0\0\0":
            raise Stall
        bits = ((1, "green"), (2, "red"), (4, "yellow"))
        self.show(*(name for bit, name in bits if data[2] & bit))
        return b""


class Patlite(Light):
    """LR6-USB: sixteen nibbles to OUT endpoint 1; 8 to 12 are the tiers, F keeps one as it is."""

    vendor, product_id = 0x191A, 0x8003
    product = "hwsim Patlite LR6-USB"
    out_endpoint = True

    def written(self, endpoint: int, data: bytes) -> None:
        nibbles = data.hex()
        if endpoint != 1 or len(nibbles) != 16 or nibbles[:4] != "0000":
            return
        lit = set(self.lit)
        for at, name in enumerate(("red", "yellow", "green", "blue", "white"), 8):
            if nibbles[at] == "1":
                lit.add(name)
            elif nibbles[at] == "0":
                lit.discard(name)
        self.show(*lit)


class Luxafor(Light):
    """Flag: `01 FF r g b` to OUT endpoint 1."""

    vendor, product_id = 0x04D8, 0xF372
    product = "hwsim Luxafor Flag"
    out_endpoint = True

    def written(self, endpoint: int, data: bytes) -> None:
        if endpoint == 1 and len(data) == 5 and data[:2] == b"\x01\xff":
            self.show_mixed(*data[2:])


class Blink1(Light):
    """blink(1): feature report 1, `01 'c' r g b`, the time of the fade, the lamp."""

    vendor, product_id = 0x27B8, 0x01ED
    product = "hwsim blink(1)"

    def request(self, kind: int, request: int, value: int, data: bytes) -> bytes:
        if (kind, request, value) != (0x21, 0x09, 0x0301) or self.refusing:
            raise Stall
        if len(data) != 8 or data[:2] != b"\x01c":
            raise Stall
        self.show_mixed(*data[2:5])
        return b""
