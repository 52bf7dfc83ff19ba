"""Paper for people: lines and tables as text of a given width, coloured for a terminal only.

Import it where a page is made, not at the top: rich takes its time, and programs do not need it.
"""

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text


@dataclass(frozen=True, slots=True)
class Styled:
    """A cell of a table with a style of its own."""

    text: str
    style: str


class Paper:
    """Something to write on. Whatever is written stands there as it is: nothing is markup."""

    def __init__(self, width: int, colour: bool) -> None:
        self._written = io.StringIO()
        self._console = Console(
            file=self._written,
            width=width,
            force_terminal=colour,
            color_system="standard" if colour else None,
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
        )

    def line(self, text: str = "", style: str = "", *, whole: bool = False) -> None:
        """A line; `whole`: it is not broken, however long."""
        self._console.print(Text(text, style=style), soft_wrap=whole)

    def table(
        self,
        columns: Sequence[str],
        rows: Iterable[Sequence[str | Styled]],
        *,
        right: Sequence[str] = (),
        first_width: int | None = None,
    ) -> None:
        """A table without lines: long words are folded, the columns `right` hold numbers."""
        head = any(columns)
        made = Table(
            show_header=head, box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim"
        )
        for column in columns:
            number = column in right
            side = "right" if number else "left"
            made.add_column(column, justify=side, no_wrap=number, overflow="fold")  # type: ignore[arg-type]
        made.columns[0].max_width = first_width
        for row in rows:
            made.add_row(*map(_cell, row))
        self._console.print(made)

    @property
    def text(self) -> str:
        """All of it, without blanks at the ends of lines."""
        return "".join(f"{line.rstrip()}\n" for line in self._written.getvalue().splitlines())


def _cell(cell: str | Styled) -> Text:
    """A cell may hold what a device says of itself: no control sign reaches the terminal."""
    text, style = (cell.text, cell.style) if isinstance(cell, Styled) else (cell, "")
    return Text(printable(text), style)


def printable(text: str) -> str:
    """The text, with escapes for whatever a terminal might obey."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
