"""Commands for an Angel Eye shoe: one at a time, since its answers do not say what they answer.

What restricts leaves at once and overtakes what permits. No I/O, no clock.
"""

from collections import deque
from dataclasses import dataclass
from typing import Final

from drivers.angel_eye.codec import Accepted, Coverage, Refused, operation
from drivers.angel_eye.words import refusal_name
from tablectl.hal.errors import CommandRefused
from tablectl.hal.kinds import Command, Counters, Reading

LOCK_ON, LOCK_OFF = 2, 1
COPIES: Final = 5
QUEUE_MAXIMUM: Final = 8
AGAIN: Final = frozenset({0x01, 0x02, 0x03, 0x21, 0x22})  # damaged on the way, or busy


@dataclass(slots=True)
class Order:
    """A command on the wire. Several may stand for one: `last` is the one whose answer counts."""

    name: str
    wire: bytes
    command: Command | None  # None: the driver's own
    last: bool = True
    copies: int = 0
    due_ns: int = 0


class Orders:
    """The commands of one session, of which the first is under way."""

    def __init__(self, again_ns: int, coverage: Coverage, counters: Counters) -> None:
        self._again_ns = again_ns
        self._coverage = coverage
        self._counters = counters
        self._queue: deque[Order] = deque()
        self._overtaken = 0  # answers to come for orders that a restriction pushed aside

    def ask_progress(self, now_ns: int) -> None:
        """`GP`: how the game stands."""
        self._append("progress", "GP", 0, None, now_ns)

    def add(self, command: Command, errors: frozenset[int], now_ns: int) -> None:
        """Take in a command; a release clears the errors that stand. Raises CommandRefused."""
        if command.name == "hold":
            self._push_aside()
            self._append("hold", "LK", LOCK_ON, command, now_ns)
        elif command.name != "release":
            raise CommandRefused(f"an Angel Eye shoe cannot {command.name}: it takes hold, release")
        elif len(self._queue) + len(errors) >= QUEUE_MAXIMUM:
            raise CommandRefused(f"{len(self._queue)} orders wait for {command.device} already")
        else:
            for code in sorted(errors):
                self._append(f"clear error {code}", "EC", code, command, now_ns, last=False)
            self._append("release", "LK", LOCK_OFF, command, now_ns)

    def _append(
        self,
        name: str,
        type_: str,
        data: int,
        whose: Command | None,
        now_ns: int,
        *,
        last: bool = True,
    ) -> None:
        wire = operation(type_, data, self._coverage)
        self._queue.append(Order(name, wire, whose, last, due_ns=now_ns))

    def _push_aside(self) -> None:
        """A restriction comes: nothing that waits may follow it, or be taken for it."""
        self._overtaken += bool(self._queue and self._queue[0].copies)
        self._counters.commands_dropped += sum(
            order.last and order.name == "release" for order in self._queue
        )
        self._queue.clear()

    # ── the wire ───────────────────────────────────────────────────────────
    def due(self, now_ns: int) -> bytes:
        """What must go out now."""
        if not self._queue or self._queue[0].due_ns > now_ns or self._queue[0].copies >= COPIES:
            return b""
        order = self._queue[0]
        if order.copies:
            self._counters.commands_resent += 1
            self._overtaken = 0  # what has not come by now does not come
        order.copies += 1
        order.due_ns = now_ns + self._again_ns
        return order.wire

    def wake_ns(self) -> int | None:
        """When the next copy is due."""
        return self._queue[0].due_ns if self._queue else None

    def exhausted(self, now_ns: int) -> str | None:
        """The order that was sent as often as allowed, without an answer."""
        if self._queue and self._queue[0].copies >= COPIES and self._queue[0].due_ns <= now_ns:
            return self._queue[0].name
        return None

    def answered(self, answer: Accepted | Refused, now_ns: int) -> list[Reading]:
        """An answer came: what it means for the table."""
        if self._overtaken:
            self._overtaken -= 1
            return []
        if not self._queue or not self._queue[0].copies:
            self._counters.frames_unknown += 1  # somebody else's command was answered
            return []
        order = self._queue[0]
        if isinstance(answer, Refused):
            if answer.reason in AGAIN and order.copies < COPIES:
                return []  # the next copy goes out in its time
            self._queue.popleft()
            self._drop_rest(order)
            what = f"it refused to {order.name}: {refusal_name(answer.reason)}"
            return [Reading("fault", {"what": what})]
        self._queue.popleft()
        if self._queue:
            self._queue[0].due_ns = now_ns
        if order.name == "hold":
            return [Reading("held")]
        return [Reading("released")] if order.name == "release" else []

    def _drop_rest(self, order: Order) -> None:
        """An error that cannot be cleared: the release behind it must not go out."""
        while self._queue and order.command is not None and self._queue[0].command is order.command:
            self._queue.popleft()

    def unanswered(self) -> tuple[Command, ...]:
        """Every command without an answer."""
        return tuple(o.command for o in self._queue if o.last and o.command is not None)
