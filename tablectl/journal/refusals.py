"""Repeated refusals of one source, told once with a count. Bookkeeping only: no step, no file.

The first refusal is a record like any other and opens a window. Repeats within it are counted; the
count becomes one record before anything else is recorded, when the window ends, or at the close.
"""

from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Final

from tablectl.journal.core import OutcomeLike
from tablectl.table.inputs import Action, Input, Stamp

WINDOW_NS: Final = 10 * 1_000_000_000
WINDOWS: Final = 8  # sources at once; a ninth closes the oldest
# What restricts is recorded each time, whoever repeats it.
NEVER_COUNTED: Final = frozenset({"no_more_bets", "halt_table"})

Source = tuple[str, str, str]


@dataclass(slots=True)
class _Window:
    begun: Stamp
    repeats: int = 0
    last: Action | None = None


def refused_source(given: Input, outcome: OutcomeLike) -> Source | None:
    """Actor, action and reason, where the outcome is a refusal and nothing else."""
    if (
        isinstance(given, Action)
        and outcome.refusal is not None
        and given.action not in NEVER_COUNTED
        and not outcome.commands
        and [event.type for event in outcome.events] == ["action.refused"]
    ):
        return given.actor, given.action, outcome.refusal.why
    return None


class Refusals:
    """The windows that are open."""

    def __init__(self, window_ns: int = WINDOW_NS) -> None:
        self._window_ns = window_ns
        self._windows: OrderedDict[Source, _Window] = OrderedDict()

    @property
    def wake_ns(self) -> int | None:
        """When the first window with repeats ends, on the monotonic clock of its boot."""
        ends = [w.begun.mono_ns + self._window_ns for w in self._windows.values() if w.repeats]
        return min(ends, default=None)

    def counts(self, source: Source, given: Action) -> bool:
        """True where this is a repeat: it is counted, and need not be recorded by itself."""
        window = self._windows.get(source)
        if window is None or self._over(window, given.at):
            return False
        window.repeats += given.count
        window.last = given
        return True

    def opened(self, source: Source, at: Stamp) -> None:
        """A refusal was recorded: from now on its repeats are counted."""
        self._windows.pop(source, None)
        self._windows[source] = _Window(at)
        if len(self._windows) > WINDOWS:
            self._windows.popitem(last=False)

    def due(self, at: Stamp) -> bool:
        """Whether a window with repeats is over."""
        return any(w.repeats and self._over(w, at) for w in self._windows.values())

    def take(self) -> list[Action]:
        """The counted repeats as actions to record, the longest open window first."""
        taken = []
        for window in self._windows.values():
            if window.repeats and window.last is not None:
                taken.append(replace(window.last, count=window.repeats))
                window.repeats, window.last = 0, None
        return sorted(taken, key=lambda action: (action.at.utc_ns, action.at.mono_ns))

    def end(self) -> None:
        """Something else happened at the table: the next refusal is a new one."""
        self._windows.clear()

    def _over(self, window: _Window, at: Stamp) -> bool:
        ran = at.mono_ns - window.begun.mono_ns
        return at.boot != window.begun.boot or not 0 <= ran < self._window_ns
