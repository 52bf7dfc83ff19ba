"""A barcode scanner: types what it reads, sign by sign, and Enter."""

from hwsim.usb.buttons import KeyboardLike

ENTER = 0x28
SHIFT_LEFT = 0x02


def _keys() -> dict[str, tuple[int, int]]:
    """Sign -> modifiers and usage code, for digits, letters and the minus."""
    keys = {"-": (0, 0x2D), "0": (0, 0x27)}
    for n in range(9):
        keys[str(n + 1)] = (0, 0x1E + n)
    for n in range(26):
        keys[chr(ord("a") + n)] = (0, 0x04 + n)
        keys[chr(ord("A") + n)] = (SHIFT_LEFT, 0x04 + n)
    return keys


KEYS = _keys()


class Scanner(KeyboardLike):
    vendor, product_id = 0x05E0, 0x1200
    product = "hwsim barcode scanner"

    def scan(self, code: str) -> None:
        """A code passes: key down, all keys up, for each of its signs."""
        for sign in code:
            modifiers, usage = KEYS[sign]
            self.keys(usage, modifiers=modifiers)
            self.keys()
        self.keys(ENTER)
        self.keys()
