"""`tablectl trace`: every clause with its home, for people and as JSON. It judges nothing."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final, TypedDict

from tablectl.trace.homes import HOMES, LEVELS, Home, Levels, Traced

__all__ = ["as_data", "as_json", "counted", "grouped", "page", "span"]

NONE: Final = "none yet"


class ClauseHome(TypedDict):
    """A clause with its home; `home` is null where it has none."""

    clause: str
    home: str | None
    where: str | None
    row: str | None
    tests: list[str]
    reason: str | None
    levels: dict[str, str | None]


def as_data(traced: Iterable[Traced]) -> list[ClauseHome]:
    """One object a clause; `home` is null where a clause has none."""
    return [_data(one.clause, one.home) for one in traced]


def _data(clause: str, home: Home | None) -> ClauseHome:
    return {
        "clause": clause,
        "home": home.home if home else None,
        "where": home.where if home else None,
        "row": home.row if home else None,
        "tests": list(home.tests) if home else [],
        "reason": home.reason if home else None,
        "levels": dict(home.levels) if home and home.levels else dict.fromkeys(LEVELS),
    }


def as_json(traced: Iterable[Traced]) -> str:
    """The answer as a program reads it."""
    return json.dumps(as_data(traced), indent=2, ensure_ascii=False) + "\n"


def counted(traced: Iterable[Traced]) -> dict[str, int]:
    """How many clauses each home has; `none yet` only where there are such."""
    found = Counter(one.home.home if one.home else NONE for one in traced)
    return {name: found[name] for name in (*HOMES, NONE) if found[name] or name in HOMES}


def grouped(traced: Iterable[Traced]) -> list[tuple[list[str], Home | None]]:
    """Neighbours with one home together, as a person reads them."""
    return [
        ([one.clause for one in run], home)
        for home, run in groupby(traced, key=lambda one: one.home)
    ]


def span(names: Sequence[str]) -> str:
    """A run of clauses by its ends: "TCP 2.A to 2.B(5)"."""
    first, last = names[0], names[-1]
    return first if first == last else f"{first} to {last.rpartition(' ')[2]}"


def told(levels: Levels) -> str:
    """How strongly it holds at each level, in words; nothing of a level where it is not known."""
    return ", ".join(f"{level}: {levels[level]}" for level in LEVELS if levels[level])


def _lines(home: Home | None) -> list[str]:
    """What a person reads of a home: the place, what it rests on, the proof."""
    if home is None:
        return ["no home yet"]
    place = f"{home.where} [{home.row}]" if home.row else home.where
    levels = told(home.levels) if home.levels else None
    return [line for line in (place, levels, home.reason, *home.tests) if line]


def page(traced: Sequence[Traced], width: int = 80, colour: bool = False) -> str:
    """The answer as a person reads it: runs of clauses with their home, then the figures."""
    from tablectl.paper import Paper  # noqa: PLC0415  only people need it, and it takes its time

    paper = Paper(width, colour)
    paper.table(
        ("clauses", "home", "where, and the tests that prove it"),
        (
            (span(names), home.home if home else "-", "\n".join(_lines(home)))
            for names, home in grouped(traced)
        ),
        first_width=20,
    )
    paper.line()
    figures = counted(traced)
    paper.table(
        ("home", "clauses", "meaning"),
        ((name, f"{count:,}", HOMES.get(name, "")) for name, count in figures.items()),
        right=("clauses",),
    )
    return paper.text
