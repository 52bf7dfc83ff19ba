"""One conversation with a barcode scanner, the host's side: codes become cards.

It knows no places and no rounds: it tells one card after the other, as they pass.
"""

from typing import Final

from drivers.barcode_reader.codec import Scans
from drivers.barcode_reader.codes import COVER_CARD, Codes
from tablectl.hal import hid_keyboard
from tablectl.hal.kinds import Counters, DevicePlan, Heard, Reading
from tablectl.hal.usb_session import MS, UsbSession

_COVER: Final = Reading("cover_card")
_UNHEARD: Final = Reading(
    "gap", {"what": "it numbers nothing: what passed while nobody listened is not known"}
)


class BarcodeSession(UsbSession):
    """See the module. Made by `BarcodeReader.session`."""

    def __init__(self, plan: DevicePlan, counters: Counters, codes: Codes, repeat_ms: int) -> None:
        super().__init__(plan, counters)
        self._codes = codes
        self._repeat_ns = repeat_ms * MS
        self._scans = Scans()
        self._last = ""
        self._last_ns = 0

    def knows(self, vendor: int, product: int) -> bool:  # noqa: ARG002
        """Any: the url names it."""
        return True

    def begin(self, now_ns: int) -> list[Heard]:  # noqa: ARG002
        """Ask for boot reports; a scanner that knows no other may refuse."""
        for packet in hid_keyboard.set_up(self.interface):
            self.put(packet, "set up")
        return [self.online(), _UNHEARD]

    def report(self, data: bytes, now_ns: int) -> list[Heard]:
        """Keys; with the last one of a code, a card."""
        good, bad = self._scans.good, self._scans.bad
        codes = self._scans.feed(data, now_ns)
        self.counters.frames_good += self._scans.good - good
        heard = self._garbage(self._scans.bad - bad)
        for code in codes:
            heard += self._scanned(code, now_ns)
        return heard

    def due_ns(self) -> int | None:
        """When a code that broke off is given up."""
        return self._scans.stall_ns

    def passed(self, now_ns: int) -> list[Heard]:
        """A code broke off."""
        return self._garbage(int(self._scans.stalled(now_ns)))

    def _garbage(self, count: int) -> list[Heard]:
        """Something passed that was no code: a card may have. The table must know."""
        self.counters.frames_bad += count
        return [Reading("gap", {"what": "a code could not be read whole"})] if count else []

    def _scanned(self, code: str, now_ns: int) -> list[Heard]:
        """A card that lies under the scanner is read again and again: each sight counts anew."""
        again = code == self._last and now_ns - self._last_ns < self._repeat_ns
        self._last, self._last_ns = code, now_ns
        if again:
            self.counters.frames_repeated += 1
            return []
        card = self._codes.get(code)
        if card == COVER_CARD:
            return [_COVER]
        self.counters.frames_unknown += card is None
        return [Reading("card", cards=(card,))]  # None: it left and could not be read
