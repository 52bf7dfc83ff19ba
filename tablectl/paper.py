"""A page of lines and tables for people, as text. It knows nothing of what it shows.

rich takes its time to load, so it is loaded only where somebody wants a page.
"""

import io
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


class Paper:
    """What is said and tabled, one after another; `text` is the page."""

    def __init__(self, width: int, colour: bool) -> None:
        from rich.console import Console  # noqa: PLC0415

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

    def say(self, line: str = "", style: str = "", *, wrap: bool = True) -> None:
        """A line as it is: no markup is read in it."""
        from rich.text import Text  # noqa: PLC0415

        self._console.print(Text(line, style=style), soft_wrap=not wrap)

    def table(self, *columns: str, numbers: Collection[str] = ()) -> "Table":
        """An empty table; the columns named as `numbers` stand to the right and stay whole."""
        from rich.table import Table  # noqa: PLC0415

        made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        for column in columns:
            right = column in numbers
            made.add_column(
                column, justify="right" if right else "left", no_wrap=right, overflow="fold"
            )
        return made

    def rows(self, table: "Table", rows: Iterable[Collection[str]]) -> None:
        """Fill a table and show it."""
        from rich.text import Text  # noqa: PLC0415

        for row in rows:
            table.add_row(*map(Text, row))
        self._console.print(table)

    def text(self) -> str:
        """The page, without blanks at the end of its lines."""
        return "".join(f"{line.rstrip()}\n" for line in self._written.getvalue().splitlines())
