"""The driver of USB buttons: the url's ids say whether it must be polled or types by itself."""

from typing import Any, ClassVar

from drivers.hid_button.codec import POLLED
from drivers.hid_button.session import KeyButton, PolledButton
from tablectl.hal.kinds import Counters, DevicePlan, Line, RandomBytes
from tablectl.hal.options import Option, whole
from tablectl.hal.usb_address import address_of
from tablectl.hal.usb_session import UsbSession


class HidButton:
    """Drives a lock-out button on USB."""

    kinds: ClassVar[frozenset[str]] = frozenset({"button"})
    line: ClassVar[Line] = Line()
    speaks: ClassVar[str] = "never"
    options: ClassVar[dict[str, Option]] = {
        "usage": whole("the usage code of its key, 0 for any", 0, 0xFF, 0),
    }

    def __init__(self, plan: DevicePlan, counters: Counters, random_bytes: RandomBytes) -> None:  # noqa: ARG002
        """Raises BrokenDriver where its url is no USB address."""
        self._plan, self._counters = plan, counters
        self._address = address_of(plan)
        usage: Any = plan.options.get("usage", 0)
        self._usage: int | None = usage or None

    def session(self) -> UsbSession:
        """A new conversation."""
        if (self._address.vendor, self._address.product) in POLLED:
            return PolledButton(self._plan, self._counters)
        return KeyButton(self._plan, self._counters, self._usage)
