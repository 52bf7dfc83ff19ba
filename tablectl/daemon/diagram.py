"""`tablectl diagram`: the procedure of a round as a Mermaid state diagram, from its own rows.

What is drawn is what runs: nothing is written down a second time here.
"""

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby
from typing import Final

from tablectl.table.concordance import cited_in, text_of
from tablectl.table.machines import SAME, FlatMachine, Row
from tablectl.table.phases import ROUND

GAMES: Final = tuple(ROUND.machines)
_CLOSED: Final = "closed"


def mermaid(game: str) -> str:
    """Moves as arrows; what leaves a phase as it is on one loop, or in a note if possible anywhere.

    A label is a trigger with its clauses; "(automatic)" marks what follows by itself.
    """
    machine = _in_its_own_text(game)
    everywhere, open_only = _widespread(machine)
    lines = ["stateDiagram-v2", "    direction TB"]
    means = machine.meaning
    lines += [f"    {phase} : {phase}<br/>{_plain(what)}" for phase, what in means.items()]
    lines.append(f"    [*] --> {_CLOSED}")
    order = list(machine.states)
    ordered = sorted(
        (row for row in machine.rows if row.trigger not in everywhere | open_only),
        key=lambda row: (order.index(row.source), _dest(row) == row.source, _dest(row)),
    )
    for (source, dest), rows in groupby(ordered, key=lambda row: (row.source, _dest(row))):
        lines.append(f"    {source} --> {dest} : {'<br/>'.join(map(_label, rows))}")
    lines += _note(machine, _CLOSED, "In every phase", everywhere)
    lines += _note(machine, order[1], "In every phase of an open table", open_only)
    return "\n".join(lines) + "\n"


def _in_its_own_text(game: str) -> FlatMachine:
    """The machine of a game with the clauses of its own rule text, Maryland's."""
    machine, text = ROUND.machines[game], text_of(game, "MD")
    cited = (replace(row, clauses=cited_in(text, row.clauses)) for row in machine.rows)
    return FlatMachine(machine.name, machine.meaning or machine.states, cited)


def _widespread(machine: FlatMachine) -> tuple[set[str], set[str]]:
    """The triggers that are possible in every phase, and those of every phase of an open table."""
    sources: dict[str, set[str]] = {}
    moving = {row.trigger for row in machine.rows if _dest(row) != row.source}
    for row in machine.rows:
        if row.trigger not in moving:
            sources.setdefault(row.trigger, set()).add(row.source)
    everywhere = {trigger for trigger, found in sources.items() if found == set(machine.states)}
    open_table = set(machine.states) - {_CLOSED}
    return everywhere, {trigger for trigger, found in sources.items() if found == open_table}


def _note(machine: FlatMachine, phase: str, title: str, triggers: Iterable[str]) -> list[str]:
    labels = dict.fromkeys(_label(row) for row in machine.rows if row.trigger in set(triggers))
    if not labels:
        return []
    return [
        f"    note right of {phase}",
        f"        {title}",
        *(f"        {label}" for label in labels),
        "    end note",
    ]


def _dest(row: Row) -> str:
    return row.source if row.dest == SAME else row.dest


def _label(row: Row) -> str:
    """A trigger with its clauses, without the characters that Mermaid reads as its own."""
    automatic = " (automatic)" if row.trigger.startswith("-") else ""
    clauses = f" [{', '.join(row.clauses)}]" if row.clauses else ""
    return _plain(f"{row.trigger.lstrip('-')}{automatic}{clauses}")


def _plain(text: str) -> str:
    return text.replace(";", ",").replace(":", ",").replace('"', "'").replace("#", "")
