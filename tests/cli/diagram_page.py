"""Writes docs/operators/diagrams.md: `python -m tests.cli.diagram_page`. No test here."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tablectl.daemon.diagram import GAMES, mermaid

PAGE: Final = Path(__file__).parents[2] / "docs" / "operators" / "diagrams.md"
_HEAD: Final = """# The procedures as state diagrams

Made by `python -m tests.cli.diagram_page` from the rows that run: what is drawn is what the table
does. `tablectl diagram --game G` prints one. An arrow is a move, with what triggers it and its
clauses; "(automatic)" follows by itself from devices and rules. What the phases mean stands in
[the procedure](procedure.md) and, for Midi Baccarat, on [its own page](midi-baccarat.md).
"""


def page() -> str:
    """The page with its content."""
    return "\n".join([_HEAD, *_diagrams()])


def _diagrams() -> Iterator[str]:
    for game in GAMES:
        yield f"## {game.replace('_', ' ').title()}\n"
        yield f"```mermaid\n{mermaid(game)}```\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
