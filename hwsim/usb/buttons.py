"""Two buttons: one that must be asked, one that types a key."""

from hwsim.usb.device import Stall, UsbDevice


class BigRedButton(UsbDevice):
    """Dream Cheeky's: under a lid, answers only when it is asked."""

    vendor, product_id = 0x1D34, 0x000D
    product = "hwsim Dream Cheeky button"

    def __init__(self, serial: str = "", port: str = "1-1") -> None:
        super().__init__(serial, port)
        self.lid_open = True
        self.down = False
        self.asked = 0  # how often its status was asked for

    def request(self, kind: int, request: int, value: int, data: bytes) -> bytes:
        if (kind, request, value) != (0x21, 0x09, 0x0200) or data != b"\0\0\0\0\0\0\0\2":
            raise Stall
        self.asked += 1
        status = 0x16 if self.down else 0x17 if self.lid_open else 0x15
        self.tell(bytes((status, 0, 0, 0, 0, 0, 0, 0)))
        return b""

    def press(self) -> None:
        self.down = True

    def release(self) -> None:
        self.down = False


class KeyboardLike(UsbDevice):
    """Anything that reports eight bytes like a boot keyboard."""

    vendor, product_id = 0x16C0, 0x27DB
    product = "hwsim keyboard"
    protocol = (1, 1)

    def request(self, kind: int, request: int, value: int, data: bytes) -> bytes:  # noqa: ARG002
        if kind == 0x21 and request in (0x09, 0x0A, 0x0B):  # SET_REPORT, SET_IDLE, SET_PROTOCOL
            return b""
        raise Stall

    def keys(self, *usages: int, modifiers: int = 0) -> None:
        """These keys are down now, and no others."""
        self.tell(bytes((modifiers, 0, *usages, *(0,) * (6 - len(usages)))))


class KeyButton(KeyboardLike):
    """A button box with one key."""

    product = "hwsim key button"
    usage = 0x28

    def press(self) -> None:
        self.keys(self.usage)

    def release(self) -> None:
        self.keys()
