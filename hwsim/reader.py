"""A reading shoe on its line: what the model tells goes out in copies, through whatever goes wrong.

Everything but the port. At least one copy of a report arrives whole, unless the model says that it
is lost: noise, damage and a dropped link must change nothing for a good listener.
"""

import random
from collections import deque
from collections.abc import Callable
from typing import Final, Protocol

from hwsim.baccarat import BaccaratShoe, Happening
from hwsim.faults import FaultPlan
from hwsim.passed import PassedCards

MS: Final = 1_000_000
COPY_NS: Final = 60 * MS  # between the copies of a report
NOISE_MOST: Final = 20


class Wire(Protocol):
    """How happenings become bytes, and what is answered."""

    copies: int

    def report(self, it: Happening) -> bytes: ...
    def receive(self, data: bytes) -> bytes: ...


class ReaderUnit:
    """What a port talks to. Its one clock is the model's; `hang_up` is gentle: nothing is lost."""

    gentle = True
    on = True

    def __init__(
        self,
        model: BaccaratShoe | PassedCards,
        wire: Wire,
        rng: random.Random,
        *,
        sees_connections: bool,
    ) -> None:
        self.model = model
        self.wire = wire
        self.faults: FaultPlan = model.faults
        self.hang_up = False
        self.heard_bytes = 0  # of a host: none may come from one that only listens
        self.connections = 0
        self.sent = 0  # reports
        self._rng = rng
        self._play = model.play()
        self._waits_for_host = sees_connections
        self._connected = not sees_connections
        self._queue: deque[tuple[int, bytes | None]] = deque()  # after so long, bytes or a break
        self._out = bytearray()
        self.finished = False
        if isinstance(model, PassedCards):
            model.tell = self.more
        self._fill()

    # ── the port ──
    def connected(self) -> None:
        self._connected = True
        self.connections += 1

    def disconnected(self) -> None:
        self._connected = not self._waits_for_host

    def receive(self, data: bytes) -> None:
        self.heard_bytes += len(data)
        self._out += self.wire.receive(data)

    def take(self) -> bytes:
        out = bytes(self._out)
        self._out.clear()
        return out

    def attend_by(self, attend: Callable[[], None]) -> None:
        """Whom to call before a person passes cards; a model that deals by itself needs nobody."""
        if isinstance(self.model, PassedCards):
            self.model.attend = attend

    # ── time ──
    def due_ns(self) -> int | None:
        """Nothing happens in the line's own time."""
        return None

    def model_due_ns(self) -> int | None:
        """Until the next bytes; the dealer waits while a host is away that can be seen to be."""
        return self._queue[0][0] if self._queue and self._connected and not self.hang_up else None

    @property
    def behind(self) -> bool:
        """Whether the host has to catch up first."""
        return False

    def advance(self, dt_ns: int, model_dt_ns: int | None = None) -> None:
        left = dt_ns if model_dt_ns is None else model_dt_ns
        while (due := self.model_due_ns()) is not None and due <= left:
            left -= due
            self.model.now_ns += due
            self._go(self._queue.popleft()[1])
            if not self._queue:
                self._fill()
        if self.model_due_ns() is not None:
            wait, what = self._queue.popleft()
            self._queue.appendleft((wait - left, what))
            self.model.now_ns += left

    def _go(self, data: bytes | None) -> None:
        if data is None:
            self.hang_up = True
        else:
            self._out += data

    def more(self) -> None:
        """A person has dealt: there is more to tell."""
        self.finished = False
        self._fill()

    def _fill(self) -> None:
        """The next report that says anything."""
        while not self._queue and not self.finished:
            happening = next(self._play, None)
            if happening is None:
                self.finished = True
            else:
                self._put(happening)

    # ── copies, and what goes wrong with them ──
    def _put(self, happening: Happening) -> None:
        report = self.wire.report(happening)
        if not report:
            return
        self.sent += 1
        wait = happening.wait_ns
        if happening.lost:
            self._queue.append((wait, b""))
            return
        copies = [report] * self._rng.randint(1, self.wire.copies)
        if self._strikes("loss") and len(copies) > 1:
            copies.pop()
        for at, copy in enumerate(copies):
            self._queue.append((wait, self._noisy(copy)))
            wait = COPY_NS
            if at == 0 and self._strikes("disconnect"):
                self._queue.append((0, None))

    def _noisy(self, copy: bytes) -> bytes:
        """Noise before a copy, or a damaged copy before a whole one, where copies are known."""
        if not self._strikes("garbage"):
            return copy
        dice = self.faults.dice("garbage", self.model.id)
        if self.wire.copies == 1 or dice.random() < 0.5:
            return dice.randbytes(dice.randint(1, NOISE_MOST)) + copy
        at = dice.randrange(len(copy))
        return copy[:at] + bytes((copy[at] ^ dice.randint(1, 255),)) + copy[at + 1 :] + copy

    def _strikes(self, kind: str) -> bool:
        return self.faults.strikes(kind, self.model.id, self.model.now_ns) is not None
