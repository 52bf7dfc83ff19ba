"""An open table at which nobody plays (TCP 5.H): told after a while; the dealer declares it."""

from collections.abc import Iterator

from tablectl.table import method
from tablectl.table.decks import at_table
from tablectl.table.state import State
from tablectl.table.step import Refused, Step

_MINUTE_NS = 60_000_000_000
_LIES_READY = ("stacked", "shuffled", "uncut", "cut", "used")


def spreadable(state: State) -> bool:
    """Cards are there that would be spread out."""
    return any(d.preparation in _LIES_READY and not d.latched for d in at_table(state))


def nobody_plays(state: State) -> None:
    """A guard of spread_idle."""
    if not spreadable(state):
        raise Refused("there are no cards at rest to spread out", "TCP 5.H")


def _until_ns(state: State) -> int | None:
    if state.idle_since_ns is None or state.setup is None or state.idle_told:
        return None
    return state.idle_since_ns + state.setup.rules.idle_minutes * _MINUTE_NS


def follow(step: Step) -> None:
    """Start or stop the watch, after every input."""
    state = step.state
    idle = state.phase == "preparing" and state.round is None and spreadable(state)
    if idle and not method.counts_itself(state):  # TCP 5.J: such a device spares the spread
        if state.idle_since_ns is None:
            step.update(idle_since_ns=state.clock.elapsed_ns)
    elif state.idle_since_ns is not None or state.idle_told:
        step.update(idle_since_ns=None, idle_told=False)


def look(step: Step) -> None:
    """Say, once, that nobody has played for a while."""
    until = _until_ns(step.state)
    if until is not None and step.state.clock.elapsed_ns >= until:
        step.update(idle_told=True)
        step.emit("table.idle", {"minutes": step.setup.rules.idle_minutes}, "TCP 5.H")


def wakes(state: State) -> Iterator[int]:
    """When to look."""
    until = _until_ns(state)
    if until is not None:
        yield until
