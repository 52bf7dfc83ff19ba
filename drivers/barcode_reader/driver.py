"""The driver of barcode scanners: reads the site's table of codes once, when it is made."""

from typing import ClassVar

from drivers.barcode_reader import codes
from drivers.barcode_reader.session import BarcodeSession
from tablectl.hal.kinds import Counters, DevicePlan, Line, RandomBytes
from tablectl.hal.options import Option, whole
from tablectl.hal.usb_address import address_of

REPEAT_MS = 800  # scanners read a card that lies still again after 200 to 500 ms


class BarcodeReader:
    """Drives a shoe that reads: a scanner past which the dealer draws barcoded cards."""

    kinds: ClassVar[frozenset[str]] = frozenset({"shoe"})
    line: ClassVar[Line] = Line()
    speaks: ClassVar[str] = "never"
    tells_rounds: ClassVar[bool] = False
    options: ClassVar[dict[str, Option]] = {
        "codes": codes.OPTION,
        "repeat_ms": whole("how long the same code again is the same card", 0, 10_000, REPEAT_MS),
    }

    def __init__(self, plan: DevicePlan, counters: Counters, random_bytes: RandomBytes) -> None:  # noqa: ARG002
        """Raises BrokenDriver where its url or its table of codes cannot be used."""
        address_of(plan)
        self._plan, self._counters = plan, counters
        self._codes = codes.load(plan.id, plan.options.get("codes"))
        self._repeat_ms: int = plan.options.get("repeat_ms", REPEAT_MS)

    def session(self) -> BarcodeSession:
        """A new conversation."""
        return BarcodeSession(self._plan, self._counters, self._codes, self._repeat_ms)
