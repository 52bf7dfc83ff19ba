"""One conversation with a USB button, the host's side. It tells `pressed`, at the first contact."""

from typing import Final

from drivers.hid_button import codec
from tablectl.hal import hid_keyboard
from tablectl.hal.kinds import Counters, DevicePlan, Heard, Reading
from tablectl.hal.usb_packets import STALLED
from tablectl.hal.usb_session import MS, UsbSession

# A press is told at most one period after it: 40 ms beside the 100 ms that a quick hand takes. It
# costs about 1.5% of a core (measured with the simulated button); a shorter one costs more.
POLL_NS: Final = 40 * MS
QUIET_NS: Final = 50 * MS  # contacts bounce for 5 to 20 ms

_PRESSED: Final = Reading("pressed", {"button": 1})


class PolledButton(UsbSession):
    """Asked for its status again and again; an answer is also its sign of life."""

    beats = False

    def __init__(self, plan: DevicePlan, counters: Counters) -> None:
        super().__init__(plan, counters)
        self._debounce = codec.Debounce(QUIET_NS)
        self._next_ns = 0

    def knows(self, vendor: int, product: int) -> bool:
        """The ids of the polled ones."""
        return (vendor, product) in codec.POLLED

    def begin(self, now_ns: int) -> list[Heard]:
        """Ask; it is online when it has answered."""
        self._ask(now_ns)
        return []

    def _ask(self, now_ns: int) -> None:
        self._next_ns = now_ns + POLL_NS
        if not self.under_way("poll"):
            self.put(codec.ask(self.interface), "poll")

    def due_ns(self) -> int | None:
        """The next poll."""
        return self._next_ns

    def passed(self, now_ns: int) -> list[Heard]:
        """Poll."""
        if now_ns >= self._next_ns:
            self._ask(now_ns)
        return []

    def answered(self, what: str, outcome: int, now_ns: int) -> list[Heard]:  # noqa: ARG002
        """The question itself; the report is the answer."""
        if outcome == STALLED:
            return [self.over("it refuses to be asked for its status: unplug it")]
        return []

    def report(self, data: bytes, now_ns: int) -> list[Heard]:
        """A status. One that comes up pressed counts: in doubt, the table locks."""
        down = codec.pressed(data)
        if down is None:
            self.counters.frames_bad += 1
            return []
        self.counters.frames_good += 1
        self.alive(now_ns)
        heard: list[Heard] = [] if self.ready else [self.online()]
        if self._debounce.heard(down, now_ns):
            heard.append(_PRESSED)
        return heard


class KeyButton(UsbSession):
    """Types a key when it is pressed; it tells changes by itself."""

    def __init__(self, plan: DevicePlan, counters: Counters, usage: int | None) -> None:
        """`usage`: the code of its key; None: whatever key it types."""
        super().__init__(plan, counters)
        self._usage = usage
        self._keyboard = hid_keyboard.Keyboard()
        self._debounce = codec.Debounce(QUIET_NS)

    def knows(self, vendor: int, product: int) -> bool:  # noqa: ARG002
        """Any: the url names it."""
        return True

    def begin(self, now_ns: int) -> list[Heard]:  # noqa: ARG002
        """Ask for boot reports; a device that knows no other may refuse."""
        for packet in hid_keyboard.set_up(self.interface):
            self.put(packet, "set up")
        return [self.online()]

    def report(self, data: bytes, now_ns: int) -> list[Heard]:
        """The keys that are down."""
        fresh = self._keyboard.feed(data)
        if fresh is None:
            self.counters.frames_bad += 1
            return []
        self.counters.frames_good += 1
        down = self._keyboard.down
        if self._usage is not None:
            self.counters.frames_unknown += any(key.usage != self._usage for key in fresh)
            down &= {self._usage}
        return [_PRESSED] if self._debounce.heard(bool(down), now_ns) else []
