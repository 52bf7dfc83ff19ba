"""The driver of USB lights: which one it is follows from its ids."""

from typing import ClassVar

from drivers.signal_light.session import SignalLightSession
from tablectl.hal.kinds import Counters, DevicePlan, Line, RandomBytes
from tablectl.hal.usb_address import address_of


class SignalLight:
    """Drives an indicator: a light on USB."""

    kinds: ClassVar[frozenset[str]] = frozenset({"indicator"})
    line: ClassVar[Line] = Line()

    def __init__(self, plan: DevicePlan, counters: Counters, random_bytes: RandomBytes) -> None:  # noqa: ARG002
        """Raises BrokenDriver where its url is no USB address."""
        address_of(plan)
        self._plan, self._counters = plan, counters

    def session(self) -> SignalLightSession:
        """A new conversation."""
        return SignalLightSession(self._plan, self._counters)
