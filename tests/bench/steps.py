"""A step of the table with its machines run by `transitions`, against a dict of the same rows.

Whole steps: the inputs of recorded sessions, folded from the first one. Bare moves: every fire of
those sessions again, by itself, with its guards. Both ways give the same outcomes.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from tablectl.table.inputs import Input
from tablectl.table.machines import SAME, FlatMachine
from tablectl.table.state import State
from tablectl.table.step import Refused
from tablectl.table.table import Outcome, step
from tests.bench.measure import SEED, Row, Tell, Topic, best
from tests.table.sessions import Session

SESSIONS: Final = 3
INPUTS: Final = 1_000
TURNS: Final = 7

Fire = Callable[[FlatMachine, str, str, State], str]
Move = tuple[FlatMachine, str, str, State]
_BY_TRANSITIONS: Final[Fire] = FlatMachine.fire


def by_dict(machine: FlatMachine, trigger: str, place: str, table: State) -> str:
    """FlatMachine.fire without `transitions`."""
    row = machine.row(trigger, place)
    if row is None:
        raise Refused(
            f"{trigger} is not possible while {machine.name} is {place}", *machine.clauses(trigger)
        )
    for guard in row.guards:
        guard(table)
    return place if row.dest == SAME else row.dest


@contextmanager
def fired(fire: Fire) -> Iterator[None]:
    """Every machine fires this way."""
    whole: Any = FlatMachine
    whole.fire = fire
    try:
        yield
    finally:
        whole.fire = _BY_TRANSITIONS


def fold(sessions: list[list[Input]], fire: Fire) -> list[Outcome]:
    """The last outcome of each session."""
    last = []
    with fired(fire):
        for inputs in sessions:
            outcome = Outcome(State())
            for given in inputs:
                outcome = step(outcome.state, given)
            last.append(outcome)
    return last


def moves_of(sessions: list[list[Input]]) -> list[Move]:
    """Every fire of the sessions, refused ones too."""
    moves: list[Move] = []

    def keeping(machine: FlatMachine, trigger: str, place: str, table: State) -> str:
        moves.append((machine, trigger, place, table))
        return by_dict(machine, trigger, place, table)

    fold(sessions, keeping)
    return moves


def fire_all(moves: list[Move], fire: Fire) -> list[str | None]:
    """Where each move leads to, None where it is refused."""
    places: list[str | None] = []
    for machine, trigger, place, table in moves:
        try:
            places.append(fire(machine, trigger, place, table))
        except Refused:
            places.append(None)
    return places


def measure(tell: Tell) -> Topic:
    tell("playing sessions")
    sessions = [
        Session(random.Random(f"{SEED} {n}")).run(INPUTS).pit.inputs for n in range(SESSIONS)
    ]
    count = sum(map(len, sessions))
    moves = moves_of(sessions)
    assert fold(sessions, _BY_TRANSITIONS) == fold(sessions, by_dict)
    assert fire_all(moves, _BY_TRANSITIONS) == fire_all(moves, by_dict)
    step_ours, step_dict, fire_ours, fire_dict = best(
        [
            lambda: fold(sessions, _BY_TRANSITIONS),
            lambda: fold(sessions, by_dict),
            lambda: fire_all(moves, _BY_TRANSITIONS),
            lambda: fire_all(moves, by_dict),
        ],
        TURNS,
        tell,
    )
    a_step, a_move = 1e6 / count, 1e6 / len(moves)
    return Topic(
        [
            Row("a whole step / by a dict of rows, us", step_ours * a_step, step_dict * a_step),
            Row("one fire / by a dict of rows, us", fire_ours * a_move, fire_dict * a_move),
        ],
        f"{count:,} inputs of {SESSIONS} sessions with {len(moves):,} fires, best of {TURNS} turns",
    )
