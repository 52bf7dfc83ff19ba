"""What every USB device's session does alike: ask who it is, then for a sign of life. No I/O.

     GREETING ─descriptors─► STARTING ─the driver says online─► READY ─► OVER

A family's session says which devices it knows and what their reports mean. It borrows nothing from
the library that does the transfers: descriptors are asked for and read here, on the wire itself.
"""

import struct
from collections import deque
from typing import Final

from tablectl.hal.errors import CommandRefused
from tablectl.hal.kinds import Command, Counters, DevicePlan, Ended, Heard, Identity, Reading
from tablectl.hal.usb_address import address_of
from tablectl.hal.usb_packets import CONTROL, DONE, IN, SILENT, STALLED, Packet, Packets, Setup

MS: Final = 1_000_000
GREETING_NS: Final = 3000 * MS
SILENCE_MS: Final = 2000
BEATS_A_SILENCE: Final = 4  # three answers may be lost
TEXT_MAXIMUM: Final = 80  # of a name that the device tells

DEVICE, STRING = 1, 3  # types of descriptors (USB 2.0, table 9-5)
_ENGLISH: Final = 0x0409
_STATUS: Final = Setup(0x80, 0x00, 0, 0, 2).packet()  # every device answers it (USB 2.0, 9.4.5)

_GREETING, _STARTING, _READY, _OVER = range(4)


def descriptor(kind: int, index: int, language: int, length: int) -> Packet:
    """GET_DESCRIPTOR (USB 2.0, 9.4.3)."""
    return Setup(0x80, 0x06, kind << 8 | index, language, length).packet()


class UsbSession:
    """One link's conversation with a USB device; a family completes it."""

    def __init__(self, plan: DevicePlan, counters: Counters) -> None:
        self.plan, self.counters = plan, counters
        self.interface = address_of(plan).interface
        self._silence_ns = (plan.silence_ms or SILENCE_MS) * MS
        self._stage = _GREETING
        self._packets = Packets()
        self._out: deque[Packet] = deque()
        self._asked: deque[str] = deque()  # what each transfer under way was for
        self._opened_ns = self._heard_ns = self._beat_ns = 0
        self._indexes: deque[tuple[str, int]] = deque()
        self._language = _ENGLISH
        self._told: dict[str, str] = {}

    # ── what a family says ─────────────────────────────────────────────────
    beats = True  # False: it polls the device by itself

    def knows(self, vendor: int, product: int) -> bool:
        """Whether this driver drives that device."""
        raise NotImplementedError

    def begin(self, now_ns: int) -> list[Heard]:
        """It is the right device: set it up; give `self.online()` when its state is known."""
        raise NotImplementedError

    def report(self, data: bytes, now_ns: int) -> list[Heard]:
        """An interrupt IN report."""
        raise NotImplementedError

    def order(self, command: Command, now_ns: int) -> None:  # noqa: ARG002
        """A command of the kind; raises CommandRefused."""
        raise CommandRefused(f"{command.device} takes no {command.name}")

    def answered(self, what: str, outcome: int, now_ns: int) -> list[Heard]:  # noqa: ARG002
        """A transfer that was put for `what` was DONE, STALLED or SILENT."""
        return []

    def passed(self, now_ns: int) -> list[Heard]:  # noqa: ARG002
        """Time passed."""
        return []

    def due_ns(self) -> int | None:
        """When `passed` must be called at the latest."""
        return None

    def last_words(self) -> None:
        """The host ends the link."""

    # ── what a family uses ─────────────────────────────────────────────────
    def put(self, packet: Packet, what: str) -> None:
        """A transfer to do; its outcome comes to `answered` with the same `what`."""
        self._asked.append(what)
        self._out.append(packet)

    def under_way(self, what: str) -> bool:
        """Whether a transfer for it has no outcome yet."""
        return what in self._asked

    def alive(self, now_ns: int) -> None:
        """A sign of life."""
        self._heard_ns = now_ns

    def online(self) -> Reading:
        """The device is there and its state known."""
        self._stage = _READY
        return Reading("online")

    @property
    def ready(self) -> bool:
        """Whether `online` was told."""
        return self._stage == _READY

    # ── what the supervisor calls ──────────────────────────────────────────
    @property
    def wake_ns(self) -> int | None:
        """When `tick` must be called at the latest."""
        if self._stage == _OVER:
            return None
        if self._stage == _GREETING:
            return self._opened_ns + GREETING_NS
        times = [self._heard_ns + self._silence_ns, self.due_ns()]
        if self.beats:
            times.append(self._beat_ns)
        return min(time for time in times if time is not None)

    def open(self, now_ns: int) -> None:
        """The link is up: ask who it is."""
        self._opened_ns = self._heard_ns = now_ns
        self.put(descriptor(DEVICE, 0, 0, 18), "device")

    def receive(self, data: bytes, now_ns: int) -> list[Heard]:
        """Take in bytes, any number of them, cut anywhere."""
        heard: list[Heard] = []
        for packet in self._packets.feed(data):
            if self._stage == _OVER:
                break
            if packet.endpoint & IN:
                heard += self._reported(packet.data, now_ns)
            else:
                heard += self._answered(packet, now_ns)
        return heard

    def tick(self, now_ns: int) -> list[Heard]:
        """Time passed: ask for a sign of life, or give up."""
        if self._stage == _OVER:
            return []
        if self._stage == _GREETING:
            late = now_ns >= self._opened_ns + GREETING_NS
            return [self.over(f"it does not answer within {GREETING_NS // MS} ms")] if late else []
        if now_ns >= self._heard_ns + self._silence_ns:
            return [self.over(f"it was silent for {self._silence_ns // MS} ms")]
        if self.beats and now_ns >= self._beat_ns:
            self._beat_ns = now_ns + self._silence_ns // BEATS_A_SILENCE
            if not self.under_way("status"):
                self.put(_STATUS, "status")
        return self.passed(now_ns)

    def send(self, command: Command, now_ns: int) -> None:
        """Order something; raises CommandRefused."""
        if not self.ready:
            raise CommandRefused(f"{command.device} is not online")
        self.order(command, now_ns)

    def close(self, now_ns: int) -> None:  # noqa: ARG002
        """The host ends the link."""
        if self.ready:
            self.last_words()
        self._stage = _OVER

    def bytes_to_send(self) -> bytes:
        """The transfers that must be done now; handed over once."""
        out = b"".join(packet.to_bytes() for packet in self._out)
        self._out.clear()
        return out

    def unanswered(self) -> tuple[Command, ...]:
        """Commands without an outcome."""
        return ()

    def over(self, what: str, *, refused: str = "") -> Ended:
        """The end, with a sentence."""
        self._stage = _OVER
        return Ended(what, refused)

    # ── the inside ─────────────────────────────────────────────────────────
    def _reported(self, data: bytes, now_ns: int) -> list[Heard]:
        if self._stage == _GREETING:
            self.counters.frames_unknown += 1  # left over from before the link
            return []
        return self.report(data, now_ns)

    def _answered(self, packet: Packet, now_ns: int) -> list[Heard]:
        if not self._asked or not packet.data:
            self.counters.frames_unknown += 1
            return []
        what, outcome, data = self._asked.popleft(), packet.data[0], packet.data[1:]
        if outcome != SILENT and packet.endpoint == CONTROL and self.beats:
            self.alive(now_ns)
        if self._stage == _GREETING:
            return self._greeted(what, outcome, data, now_ns)
        if what == "status":
            self.counters.frames_good += outcome == DONE
            return []
        return self.answered(what, outcome, now_ns)

    def _greeted(self, what: str, outcome: int, data: bytes, now_ns: int) -> list[Heard]:
        if what == "device":
            if outcome != DONE or len(data) != 18 or data[1] != DEVICE:
                return [self.over("it does not tell what it is: unplug it and plug it in again")]
            self.counters.frames_good += 1
            return self._device(data, now_ns)
        if what == "languages":
            if outcome == DONE and len(data) >= 4:
                self._language = int.from_bytes(data[2:4], "little")
        elif outcome == DONE:
            self.counters.frames_good += 1
            self._told[what] = text(data)
        elif outcome == STALLED:
            self.counters.frames_bad += 1  # it names a text that it does not have
        return self._ask_next(now_ns)

    def _device(self, data: bytes, now_ns: int) -> list[Heard]:
        vendor, product, release = struct.unpack_from("<HHH", data, 8)
        ids = f"{vendor:04x}:{product:04x}"
        if not self.knows(vendor, product):
            what = f"{ids} is not known to the driver {self.plan.driver}: choose another one"
            return [self.over(what, refused="protocol")]
        self._told["ids"] = ids
        self._told["release"] = f"{release >> 8:x}.{release & 0xFF:02x}"  # BCD
        self._indexes.extend(
            (name, index) for name, index in (("model", data[15]), ("serial", data[16])) if index
        )
        if not self._indexes:
            return self._ask_next(now_ns)
        self.put(descriptor(STRING, 0, 0, 255), "languages")
        return []

    def _ask_next(self, now_ns: int) -> list[Heard]:
        """The next text that it has, or the end of the greeting."""
        if self._indexes:
            name, index = self._indexes.popleft()
            self.put(descriptor(STRING, index, self._language, 255), name)
            return []
        told = self._told
        who = Identity(
            self.plan.kind,
            told.get("serial", ""),
            told.get("model", "") or told["ids"],
            {"Device": told["release"]},
        )
        self._stage = _STARTING
        self._heard_ns = self._beat_ns = now_ns
        return [who, *self.begin(now_ns)]


def text(data: bytes) -> str:
    """The text of a string descriptor; without what is not printable, and not without end."""
    length = data[0] if data else 0
    said = data[2 : min(length, len(data)) // 2 * 2].decode("utf-16-le", "replace")
    return "".join(sign for sign in said if sign.isprintable())[:TEXT_MAXIMUM].strip()
