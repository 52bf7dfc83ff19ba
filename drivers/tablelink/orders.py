"""Commands under way: what restricts leaves at once, what permits waits its turn and runs once.

Repeats go out until the answer is there; how often and how long is bounded. No I/O, no clock.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from drivers.tablelink import messages as m
from drivers.tablelink import words
from tablectl.hal.errors import CommandRefused
from tablectl.hal.kinds import Command, Counters

COPIES: Final = 5
QUEUE_MAXIMUM: Final = 8


@dataclass(slots=True)
class Pending:
    """A command that was sent and has no answer yet."""

    command: Command
    order: m.Order
    copies: int
    due_ns: int  # when the next copy goes out
    result: m.Result | None = None  # it waits for the reports that came before it


class Orders:
    """The commands of one session."""

    def __init__(self, again_ns: int, counters: Counters) -> None:
        self._again_ns = again_ns
        self._counters = counters
        self._restrictive: dict[str, Pending] = {}  # by name: a newer lock replaces an older one
        self._permissive: Pending | None = None
        self._queue: deque[tuple[Command, m.Order]] = deque()
        self._fence: dict[str, int] = {}  # boot -> n of the newest restrictive command

    def add(self, command: Command, now_ns: int) -> None:
        """Take in a command. Raises CommandRefused."""
        order = words.order(command)
        if command.restrictive:
            self._fence = {command.boot: command.n}
            # What a restriction overtook is not sent at all.
            self._counters.commands_dropped += len(self._queue)
            self._queue.clear()
            self._restrictive[command.name] = Pending(command, order, 0, now_ns)
        elif self._overtaken(command):
            self._counters.commands_dropped += 1
        elif len(self._queue) >= QUEUE_MAXIMUM:
            raise CommandRefused(f"{QUEUE_MAXIMUM} orders wait for {command.device} already")
        else:
            self._queue.append((command, order))

    def _overtaken(self, command: Command) -> bool:
        return command.n < self._fence.get(command.boot, 0)

    def due(self, now_ns: int) -> Iterator[m.Order]:
        """The orders that must go out now."""
        if self._permissive is None and not self._restrictive and self._queue:
            self._permissive = Pending(*self._queue.popleft(), 0, now_ns)
        for pending in self._active():
            if pending.due_ns <= now_ns and pending.copies < COPIES and pending.result is None:
                self._counters.commands_resent += pending.copies > 0
                pending.copies += 1
                pending.due_ns = now_ns + self._again_ns
                yield pending.order

    def _active(self) -> tuple[Pending, ...]:
        """What may be on the wire: while a restriction has no answer, no copy of a permission."""
        if self._restrictive:
            return tuple(self._restrictive.values())
        return (self._permissive,) if self._permissive else ()

    def exhausted(self, now_ns: int) -> Command | None:
        """A command that was sent as often as allowed, without an answer."""
        for pending in self._active():
            waited = pending.due_ns <= now_ns and pending.result is None
            if waited and pending.copies >= COPIES:
                return pending.command
        return None

    def wake_ns(self) -> int | None:
        """When the next copy is due."""
        due = [pending.due_ns for pending in self._active() if pending.result is None]
        return min(due, default=None)

    def answered(self, result: m.Result) -> None:
        """Note an answer; `settled` gives it out when its reports are in."""
        for pending in (*self._restrictive.values(), self._permissive):
            if pending and pending.order.id == result.id and pending.result is None:
                pending.result = result

    def settled(self, event: int) -> Iterator[tuple[Command, m.Result, bool]]:
        """Answers whose reports, up to `event`, are in; and whether a restriction overtook them."""
        for name, pending in list(self._restrictive.items()):
            if pending.result and pending.result.condition.event <= event:
                del self._restrictive[name]
                yield pending.command, pending.result, False
        permissive = self._permissive
        if permissive and permissive.result and permissive.result.condition.event <= event:
            self._permissive = None
            overtaken = self._overtaken(permissive.command)
            yield permissive.command, permissive.result, overtaken

    def unanswered(self) -> tuple[Command, ...]:
        """Everything without an answer, in no order that matters."""
        sent = (*self._restrictive.values(), *((self._permissive,) if self._permissive else ()))
        return (*(pending.command for pending in sent), *(command for command, _ in self._queue))
