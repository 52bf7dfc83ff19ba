"""Paper for people: lines and tables as text of a given width, coloured for a terminal only.

Import it where a page is made, not at the top: rich takes its time, and programs do not need it.
"""

import io
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text


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
        rows: Iterable[Sequence[str]],
        *,
        right: Sequence[str] = (),
        first_width: int | None = None,
    ) -> None:
        """A table without lines: long words are folded, the columns `right` hold numbers."""
        made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        for column in columns:
            number = column in right
            side = "right" if number else "left"
            made.add_column(column, justify=side, no_wrap=number, overflow="fold")  # type: ignore[arg-type]
        made.columns[0].max_width = first_width
        for row in rows:
            made.add_row(*map(Text, row))
        self._console.print(made)

    @property
    def text(self) -> str:
        """All of it, without blanks at the ends of lines."""
        return "".join(f"{line.rstrip()}\n" for line in self._written.getvalue().splitlines())
