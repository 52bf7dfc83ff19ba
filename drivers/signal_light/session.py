"""One conversation with a light, the host's side: shows a sign, and keeps its rhythm.

It is dark when it comes online and when the host leaves: a stale sign would be a wrong one.
"""

from drivers.signal_light.codec import LIGHTS, Lamp
from drivers.signal_light.signs import LOOKS, Colour, Look
from tablectl.hal.kinds import Command, Counters, DevicePlan, Heard, Reading
from tablectl.hal.usb_packets import DONE, SILENT
from tablectl.hal.usb_session import MS, UsbSession


class SignalLightSession(UsbSession):
    """See the module. Made by `SignalLight.session`."""

    def __init__(self, plan: DevicePlan, counters: Counters) -> None:
        super().__init__(plan, counters)
        self._lamp: Lamp | None = None
        self._look: Look = LOOKS["off"]
        self._step = 0
        self._next_ns: int | None = None
        self._shown: Colour | None = None
        self._order: Command | None = None
        self._faulty = False

    def knows(self, vendor: int, product: int) -> bool:
        """The lights of codec.py."""
        self._lamp = LIGHTS.get((vendor, product))
        return self._lamp is not None

    def begin(self, now_ns: int) -> list[Heard]:
        """Dark; it is online when it took that."""
        self._show(LOOKS["off"], now_ns)
        return []

    def order(self, command: Command, now_ns: int) -> None:
        """`show{sign}`; the kind has checked the sign."""
        if self._order is not None:
            self.counters.commands_dropped += 1  # overtaken before it was seen
        self._order = command
        self._show(LOOKS[command.args["sign"]], now_ns)

    def last_words(self) -> None:
        """The host leaves."""
        self._put(Colour.DARK)

    def unanswered(self) -> tuple[Command, ...]:
        """A sign that nobody has seen yet."""
        return () if self._order is None else (self._order,)

    # ── the rhythm ─────────────────────────────────────────────────────────
    def _show(self, look: Look, now_ns: int) -> None:
        self._look, self._step = look, 0
        self._put(look.colour)
        self._set_clock(now_ns)

    def _set_clock(self, now_ns: int) -> None:
        rhythm = self._look.rhythm_ms
        self._next_ns = now_ns + rhythm[self._step] * MS if rhythm else None

    def _put(self, colour: Colour) -> None:
        assert self._lamp is not None
        self._shown = colour
        self.put(self._lamp(colour, self.interface), "lamp")

    def due_ns(self) -> int | None:
        """The next change of the rhythm."""
        return self._next_ns

    def passed(self, now_ns: int) -> list[Heard]:
        """On, off, on: but never faster than the light takes it."""
        if self._next_ns is not None and now_ns >= self._next_ns:
            self._step = (self._step + 1) % len(self._look.rhythm_ms)
            self._set_clock(now_ns)
            if not self.under_way("lamp"):
                self._put(Colour.DARK if self._step % 2 else self._look.colour)
        return []

    def answered(self, what: str, outcome: int, now_ns: int) -> list[Heard]:  # noqa: ARG002
        """The light took it, refused it, or did not answer."""
        if outcome == DONE:
            self.counters.frames_good += 1
            if not self.under_way("lamp"):
                self._order = None
            heard: list[Heard] = [] if self.ready else [self.online()]
            if self._faulty:
                self._faulty = False
                heard.append(Reading("cleared"))
            return heard
        if not self.ready:
            return [self.over("it takes no orders: unplug it and plug it in again")]
        if outcome == SILENT and not self.under_way("lamp") and self._shown is not None:
            self._put(self._shown)  # a steady sign has no next step that would show it
        if self._faulty:
            return []
        self._faulty = True
        done = "refused" if outcome != SILENT else "did not take"
        return [Reading("fault", {"what": f"it {done} what it should show"})]

    def report(self, data: bytes, now_ns: int) -> list[Heard]:  # noqa: ARG002
        """A light has nothing to tell; some have a button or a sensor that nobody asked."""
        self.counters.frames_unknown += 1
        return []
