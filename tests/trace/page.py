"""Writes the trace's pages in docs/regulators: `python -m tests.trace.page`. No test here."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Final

from tablectl.trace.homes import GAMES, HOMES, Home, Traced, trace
from tablectl.trace.report import counted, grouped, span, told

DOCS: Final = Path(__file__).parents[2] / "docs" / "regulators"
_TITLES: Final = {
    "TCP": "Three Card Poker, Maryland",
    "TCB": "Three Card Baccarat, Maryland",
    "WA-TCB": "Three Card Baccarat, Washington",
    "MIDI": "Midi Baccarat, Maryland",
}
_HEAD: Final = """# Where each clause lives

The clauses of the four rule texts, each with its home in the program, down to the lettered or
numbered line: what enforces it, and the tests that prove it. `tablectl trace` prints the same,
`--json` for programs, `--game G` for one game. A test fails when the place or a test that a clause
names does not exist, and when these pages are not what the lists in `tablectl/trace/` say.
`make soak` switches off every guard and every ruling, one at a time: a named test must then fail.

A guard or ruling needs to know something to hold. How strongly it holds at each value of
`tracking` stands beside it: `enforced` (refused, voided or blocked), `prompted` (asked for, and
the person's word is taken), `observed` (seen in what the devices show, and recorded). At a level
that is not named it is not known.
"""


def pages() -> dict[Path, str]:
    """Every page with its content."""
    made = {DOCS / "trace.md": _text(_overview())}
    return made | {DOCS / _file(game): _text(_game(game)) for game in GAMES}


def _text(lines: Iterator[str]) -> str:
    return "\n".join(lines).rstrip("\n") + "\n"


def _file(game: str) -> str:
    return f"trace-{game.replace('_', '-')}.md"


def _overview() -> Iterator[str]:
    yield _HEAD
    yield "| home | meaning | " + " | ".join(_link(game) for game in GAMES) + " | all |"
    yield "|---|---|" + "--:|" * (len(GAMES) + 1)
    figures = [counted(trace(game)) for game in (*GAMES, None)]
    for name in figures[-1]:
        cells = (str(figure.get(name, 0)) for figure in figures)
        yield f"| {name} | {HOMES.get(name, '')} | {' | '.join(cells)} |"
    cells = (str(sum(figure.values())) for figure in figures)
    yield f"| all | | {' | '.join(cells)} |"
    homeless = [one.clause for one in trace() if one.home is None]
    if homeless:
        yield ""
        yield f"No home yet: {', '.join(homeless)}."


def _link(game: str) -> str:
    return f"[{game.replace('_', ' ').title()}]({_file(game)})"


def _game(game: str) -> Iterator[str]:
    yield f"# The clauses of {game.replace('_', ' ').title()}"
    yield ""
    yield "Made by `python -m tests.trace.page`; [what the words mean](trace.md)."
    for text, clauses in groupby(trace(game), key=lambda one: one.clause.rpartition(" ")[0]):
        yield ""
        yield f"## {_TITLES[text]} ({text})"
        for chapter, ones in groupby(clauses, key=_chapter):
            yield from _chapter_lines(chapter, tuple(ones))


def _chapter(one: Traced) -> str:
    number, dot, _ = one.clause.rpartition(" ")[2].partition(".")
    return f"Chapter {number}" if dot else "The letter"


def _chapter_lines(title: str, traced: tuple[Traced, ...]) -> Iterator[str]:
    yield ""
    yield f"### {title}"
    yield ""
    yield "| clauses | home | where and how | tests |"
    yield "|---|---|---|---|"
    for names, home in grouped(traced):
        tests = "<br>".join(f"`{test}`" for test in home.tests) if home else ""
        yield f"| {span(names)} | {home.home if home else '-'} | {_how(home)} | {tests} |"


def _how(home: Home | None) -> str:
    if home is None:
        return "no home yet"
    row = f", row `{home.row}`" if home.row else ""
    said = [f"`{home.where}`{row}" if home.where else "", home.reason or ""]
    return "<br>".join(each for each in (*said, told(home.levels) if home.levels else "") if each)


if __name__ == "__main__":
    for page, content in pages().items():
        page.write_text(content, encoding="utf-8")
