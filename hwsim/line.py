"""The cable between a device and its host, with everything that a cable can do to bytes.

Frames go in, bytes come out when their time has come; what comes in is handed on, dropped or
doubled. Seeded, and moved by the same time as the link.
"""

from collections import deque
from typing import Final

from hwsim.faults import FaultPlan
from hwsim.tablelink.framing import MOST_ENCODED

MS: Final = 1_000_000
MERGE_NS: Final = 40 * MS
MOST_WAITING: Final = 1000  # pieces; more than a line holds is lost
MOST_ARRIVED: Final = 65536  # bytes that nobody fetches


class Line:
    """One device's line, as its faults make it."""

    def __init__(self, device: str, faults: FaultPlan) -> None:
        self.device = device
        self.faults = faults
        self.now_ns = 0
        self._silent_until_ns = 0
        self._waiting: deque[tuple[int, bytes]] = deque(maxlen=MOST_WAITING)
        self._arrived = bytearray()
        self._free_ns = 0  # when the last piece that waits is through

    # ── time ──
    def advance(self, dt_ns: int) -> None:
        self.now_ns += dt_ns
        while self._waiting and self._waiting[0][0] <= self.now_ns:
            self._arrive(self._waiting.popleft()[1])

    def due_ns(self) -> int | None:
        return max(0, self._waiting[0][0] - self.now_ns) if self._waiting else None

    # ── faults that last ──
    def be_silent(self, for_ns: int) -> None:
        """No byte passes either way for so long."""
        self._silent_until_ns = self.now_ns + for_ns
        self.forget()

    @property
    def silent(self) -> bool:
        return self.now_ns < self._silent_until_ns

    def forget(self) -> None:
        """What was under way is gone."""
        self._waiting.clear()
        self._arrived.clear()
        self._free_ns = self.now_ns

    # ── bytes ──
    def arrivals(self) -> int:
        """A frame comes from the host: how often it is handed on."""
        if self.silent or self._strikes("loss"):
            return 0
        return 2 if self._strikes("repeat") else 1

    def send(self, frame: bytes) -> None:
        """A frame leaves the device."""
        if self.silent or self._strikes("loss"):
            return
        data = frame * 2 if self._strikes("repeat") else frame
        if self._strikes("garbage"):
            data = self._noisy(data)
        split = self.faults.strikes("split", self.device, self.now_ns)
        if split is None:
            self._put(data)
        elif split.variant == "merge":
            # What is sent meanwhile waits behind it, and comes with it.
            self._put(data, 0 if self._waiting else MERGE_NS)
        else:
            self._split(data)

    def take(self) -> bytes:
        """What has reached the host's end by now."""
        out = bytes(self._arrived)
        self._arrived.clear()
        return out

    def _put(self, data: bytes, pause_ns: int = 0) -> None:
        """Behind everything that waits already: a line keeps its order."""
        self._free_ns = max(self._free_ns, self.now_ns) + pause_ns
        if self._waiting or self._free_ns > self.now_ns:
            self._waiting.append((self._free_ns, data))
        else:
            self._arrive(data)

    def _arrive(self, data: bytes) -> None:
        if len(self._arrived) < MOST_ARRIVED:
            self._arrived += data

    def _split(self, data: bytes) -> None:
        dice = self.faults.dice("split", self.device)
        while data:
            size = dice.randint(1, max(1, len(data) // 2))
            self._put(data[:size], dice.randint(1, 8) * MS)
            data = data[size:]

    def _noisy(self, data: bytes) -> bytes:
        """Noise before a frame, ended by a 00 or not, or inside it, or instead of some bytes."""
        dice = self.faults.dice("garbage", self.device)
        noise = dice.randbytes(dice.randint(1, MOST_ENCODED + 50))
        match dice.randrange(4):
            case 0:
                return noise + b"\0" + data
            case 1:
                return noise + data
            case 2:
                at = dice.randrange(len(data))
                return data[:at] + noise + data[at:]
            case _:
                at = dice.randrange(len(data))
                return data[:at] + bytes((data[at] ^ 1 << dice.randrange(8),)) + data[at + 1 :]

    def _strikes(self, kind: str) -> bool:
        return self.faults.strikes(kind, self.device, self.now_ns) is not None
