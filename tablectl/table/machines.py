"""Flat state machines as data: rows with their guards and clauses, run by `transitions`.

A machine is shared and holds no state: it is set to where the table stands, fired, and read back.
So a guard that refuses, or an exception, leaves nothing half moved. No side effects in here.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from transitions import EventData, Machine

from tablectl.table.state import State
from tablectl.table.step import Refused

# A guard looks at the state and raises Refused where the clause forbids the move.
Guard = Callable[[State], None]
SAME = "="  # the phase stays


@dataclass(frozen=True, slots=True)
class Row:
    """One move: what triggers it, from where, to where, under which guards, by which clauses."""

    trigger: str
    source: str
    dest: str
    clauses: tuple[str, ...] = ()
    guards: tuple[Guard, ...] = ()


def rows(
    trigger: str, sources: str, dest: str, *clauses: str, guards: tuple[Guard, ...] = ()
) -> tuple[Row, ...]:
    """A row for each of the space-separated sources."""
    return tuple(Row(trigger, source, dest, clauses, guards) for source in sources.split())


class _Cursor:
    """The model that `transitions` moves: where we stand, and the state that guards look at."""

    __slots__ = ("place", "table")

    def __init__(self, place: str, table: State) -> None:
        self.place = place
        self.table = table


def _condition(guard: Guard) -> Callable[[EventData], bool]:
    def holds(event: EventData) -> bool:
        cursor = event.model
        assert isinstance(cursor, _Cursor)
        guard(cursor.table)
        return True

    return holds


class FlatMachine:
    """A flat machine built from rows. `name` is what a refusal calls it: "the table"."""

    def __init__(self, name: str, states: Iterable[str], table: Iterable[Row]) -> None:
        self.name = name
        self.states = tuple(states)
        self.meaning = dict(states) if isinstance(states, Mapping) else {}
        self.rows = tuple(table)
        self._index = {(row.trigger, row.source): row for row in self.rows}
        if len(self._index) != len(self.rows):
            raise ValueError(f"{name}: two rows for one trigger and source")

    @cached_property
    def _machine(self) -> Machine:
        machine = Machine(
            model=None,
            states=list(self.states),
            initial=self.states[0],
            auto_transitions=False,  # a to_x() would bypass the procedure
            send_event=True,
            model_attribute="place",
        )
        for row in self.rows:
            conditions: list[Any] = [_condition(guard) for guard in row.guards]
            machine.add_transition(row.trigger, row.source, row.dest, conditions=conditions)
        return machine

    def row(self, trigger: str, place: str) -> Row | None:
        """The row for a trigger at a place, guards not asked."""
        return self._index.get((trigger, place))

    def clauses(self, trigger: str) -> tuple[str, ...]:
        """Every clause that a trigger rests on, wherever it may be fired."""
        found = [c for row in self.rows if row.trigger == trigger for c in row.clauses]
        return tuple(dict.fromkeys(found))

    def fire(self, trigger: str, place: str, table: State) -> str:
        """Where the trigger leads to from `place`. Raises Refused where it may not be fired there,
        or where a guard forbids it."""
        if (trigger, place) not in self._index:
            raise Refused(
                f"{trigger} is not possible while {self.name} is {place}", *self.clauses(trigger)
            )
        cursor = _Cursor(place, table)
        self._machine.events[trigger].trigger(cursor)
        return cursor.place

    def can(self, trigger: str, place: str, table: State) -> bool:
        """May it be fired now?"""
        row = self._index.get((trigger, place))
        if row is None:
            return False
        try:
            for guard in row.guards:
                guard(table)
        except Refused:
            return False
        return True


class ByGame:
    """One machine a game, behind one door: the table's setup says which is asked."""

    def __init__(self, machines: Mapping[str, FlatMachine]) -> None:
        self.machines = dict(machines)

    def of(self, table: State) -> FlatMachine:
        """The machine of the game that the table plays; the first before any start."""
        if table.setup is None:
            return next(iter(self.machines.values()))
        return self.machines[table.setup.rules.game]

    def fire(self, trigger: str, place: str, table: State) -> str:
        """As FlatMachine.fire."""
        return self.of(table).fire(trigger, place, table)

    def can(self, trigger: str, place: str, table: State) -> bool:
        """As FlatMachine.can."""
        return self.of(table).can(trigger, place, table)

    def row(self, trigger: str, place: str, table: State) -> Row | None:
        """As FlatMachine.row."""
        return self.of(table).row(trigger, place)
