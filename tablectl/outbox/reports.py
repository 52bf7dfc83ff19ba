"""What the outbox tells its owner: a bounded mailbox, filled by the outbox's thread.

News of one kind replaces older news of it; refused commands are counted; orders wait in line. The
owner is poked once and then takes everything; what a stranger can bring about pokes it rarely.
"""

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from tablectl.outbox.commands import Order

ORDERS_MAXIMUM: Final = 32
REFUSALS_MAXIMUM: Final = 32  # of different kinds; repeats are counted
TROUBLES_MAXIMUM: Final = 16


@dataclass(frozen=True, slots=True)
class Connected:
    """The broker took us in."""

    what: str


@dataclass(frozen=True, slots=True)
class Disconnected:
    """There is no broker: the owner raises the alarm `broker_away`."""

    what: str


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that somebody should look at; the outbox goes on as well as it can."""

    what: str


@dataclass(frozen=True, slots=True)
class JournalDiffers:
    """The journal is not the one that was published: the owner halts the table, at once."""

    what: str


@dataclass(frozen=True, slots=True)
class Ordered:
    """A halt or an acknowledgement, proved: submit it as an Action, then `answer`."""

    order: Order


@dataclass(frozen=True, slots=True)
class CommandRefused:
    """A command was refused, `count` times for this reason: to be recorded."""

    name: str
    id: str | None  # of the last one
    key: str | None  # whose signature it was, where it held
    why: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class ConfirmationDiffers:
    """The archive has another event than the journal: the owner halts the table, at once."""

    order: Order
    sequence: int
    theirs: str
    ours: str | None  # None: the journal has no such event

    @property
    def what(self) -> str:
        """The reason of the halt."""
        ours = f"here it is {self.ours[:16]}" if self.ours else "the journal does not reach so far"
        return (
            f"The archive ({self.order.key}) confirmed event {self.sequence} with hash "
            f"{self.theirs[:16]}, but {ours}: the journal or the archive was changed."
        )


@dataclass(frozen=True, slots=True)
class ArchiveBehind:
    """More events are unconfirmed than the limit allows: the owner raises an alarm."""

    unconfirmed: int
    limit: int


@dataclass(frozen=True, slots=True)
class ArchiveCaughtUp:
    """The alarm may end."""

    unconfirmed: int


Report = (
    Connected
    | Disconnected
    | Trouble
    | JournalDiffers
    | Ordered
    | CommandRefused
    | ConfirmationDiffers
    | ArchiveBehind
    | ArchiveCaughtUp
)


class Mailbox:
    """`put` and `tell` on the outbox's thread, `take` on the owner's. `poke` must not block."""

    def __init__(self, poke: Callable[[], None]) -> None:
        self._poke = poke
        self._lock = threading.Lock()
        self._urgent: list[Ordered | ConfirmationDiffers] = []
        self._latest: dict[str, Report] = {}  # one of a kind, the newest
        self._refused: dict[tuple[str, str], CommandRefused] = {}
        self._troubles: dict[str, Trouble] = {}
        self._poked = False  # since the owner took everything
        self._untold = False  # something waits that was not worth a poke of its own

    @property
    def untold(self) -> bool:
        """Whether refusals or troubles wait for `tell`."""
        return self._untold

    def put(self, report: Report) -> bool:
        """False where there is no room for another order; everything else is merged.

        Refusals and troubles wait for `tell`: a flood of them must not become a flood of pokes.
        """
        with self._lock:
            taken = self._put(report)
        if isinstance(report, CommandRefused | Trouble):
            self._untold = True
        elif taken:
            self.tell()
        return taken

    def tell(self) -> None:
        """Poke the owner, unless it has been and has not come yet."""
        with self._lock:
            due, self._poked, self._untold = not self._poked, True, False
        if due:
            with suppress(RuntimeError):  # an event loop that is closing takes no more pokes
                self._poke()

    def take(self) -> list[Report]:
        """Everything there is, what stops the table first."""
        with self._lock:
            found: list[Report] = [
                *self._urgent,
                *self._latest.values(),
                *self._troubles.values(),
                *self._refused.values(),
            ]
            self._urgent.clear()
            self._latest.clear()
            self._troubles.clear()
            self._refused.clear()
            self._poked = self._untold = False
        return found

    def _put(self, report: Report) -> bool:
        match report:
            case ConfirmationDiffers():
                return self._keep_urgent(report, halts=True)
            case Ordered(order):
                return self._keep_urgent(report, halts=order.name == "halt_table")
            case Connected() | Disconnected():
                self._keep_latest("link", report)
            case JournalDiffers():
                self._keep_latest("journal", report)
            case ArchiveBehind() | ArchiveCaughtUp():
                self._keep_latest("archive", report)
            case Trouble():
                if len(self._troubles) < TROUBLES_MAXIMUM:
                    self._troubles[report.what] = report
            case CommandRefused():
                self._count(report)
        return True

    def _keep_urgent(self, report: Ordered | ConfirmationDiffers, *, halts: bool) -> bool:
        """Halts have twice the room: no crowd of other orders keeps one out."""
        if len(self._urgent) >= (2 * ORDERS_MAXIMUM if halts else ORDERS_MAXIMUM):
            return False
        self._urgent.append(report)
        return True

    def _keep_latest(self, kind: str, report: Report) -> None:
        self._latest.pop(kind, None)
        self._latest[kind] = report

    def _count(self, report: CommandRefused) -> None:
        place = (report.name, report.why)
        if place not in self._refused and len(self._refused) >= REFUSALS_MAXIMUM:
            report = CommandRefused("*", report.id, None, "more kinds of refusals than are listed")
            place = (report.name, report.why)
        before = self._refused.get(place)
        count = report.count + (before.count if before else 0)
        self._refused[place] = replace(report, count=count)
