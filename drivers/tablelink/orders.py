"""Commands under way: what restricts leaves at once, what permits waits its turn and runs once.

What only shows something (a lamp, a sign) waits as well, and a newer one takes an older one's
place. Repeats go out until the answer is there; how often and how long is bounded. No I/O, no
clock.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from drivers.tablelink import codes, words
from drivers.tablelink import messages as m
from tablectl.hal.errors import CommandRefused
from tablectl.hal.kinds import Command, Counters

COPIES: Final = 5
QUEUE_MAXIMUM: Final = 8
SHOWN_MAXIMUM: Final = 64  # lamps of one system


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
        self._showing: Pending | None = None
        self._to_show: dict[tuple[Any, ...], tuple[Command, m.Order]] = {}  # by lamp or sign
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
        elif order.code >= codes.SHOWS:
            self._show(command, order)
        elif self._overtaken(command):
            self._counters.commands_dropped += 1
        elif len(self._queue) >= QUEUE_MAXIMUM:
            raise CommandRefused(f"{QUEUE_MAXIMUM} orders wait for {command.device} already")
        else:
            self._queue.append((command, order))

    def _show(self, command: Command, order: m.Order) -> None:
        """The newest goes last: the device takes them by their numbers."""
        older = self._to_show.pop(words.shown_by(command), None)
        self._counters.commands_dropped += older is not None
        if len(self._to_show) >= SHOWN_MAXIMUM:
            raise CommandRefused(f"{SHOWN_MAXIMUM} lamps wait for {command.device} already")
        self._to_show[words.shown_by(command)] = command, order

    def _overtaken(self, command: Command) -> bool:
        return command.n < self._fence.get(command.boot, 0)

    def due(self, now_ns: int) -> Iterator[m.Order]:
        """The orders that must go out now."""
        if not self._restrictive:
            self._begin_next(now_ns)
        for pending in self._active():
            if pending.due_ns <= now_ns and pending.copies < COPIES and pending.result is None:
                self._counters.commands_resent += pending.copies > 0
                pending.copies += 1
                pending.due_ns = now_ns + self._again_ns
                yield pending.order

    def _begin_next(self, now_ns: int) -> None:
        if self._permissive is None and self._queue:
            self._permissive = Pending(*self._queue.popleft(), 0, now_ns)
        if self._showing is None and self._to_show:
            first = next(iter(self._to_show))
            self._showing = Pending(*self._to_show.pop(first), 0, now_ns)

    def _active(self) -> tuple[Pending, ...]:
        """What may be on the wire: while a restriction has no answer, no copy of another."""
        if self._restrictive:
            return tuple(self._restrictive.values())
        return tuple(each for each in (self._permissive, self._showing) if each)

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
        for pending in (*self._restrictive.values(), self._permissive, self._showing):
            if pending and pending.order.id == result.id and pending.result is None:
                pending.result = result

    def settled(self, event: int) -> Iterator[tuple[Command, m.Result, bool]]:
        """Answers whose reports, up to `event`, are in; and whether a restriction overtook them."""
        for name, pending in list(self._restrictive.items()):
            if (result := _settled(pending, event)) is not None:
                del self._restrictive[name]
                yield pending.command, result, False
        permissive, showing = self._permissive, self._showing
        if permissive and (result := _settled(permissive, event)) is not None:
            self._permissive = None
            yield permissive.command, result, self._overtaken(permissive.command)
        if showing and (result := _settled(showing, event)) is not None:
            self._showing = None
            yield showing.command, result, False

    def unanswered(self) -> tuple[Command, ...]:
        """Everything without an answer, in no order that matters."""
        sent = [*self._restrictive.values(), self._permissive, self._showing]
        waiting = (*self._queue, *self._to_show.values())
        return (*(each.command for each in sent if each), *(command for command, _ in waiting))


def _settled(pending: Pending, event: int) -> m.Result | None:
    """Its answer, where every report before it is in."""
    result = pending.result
    return result if result is not None and result.condition.event <= event else None
