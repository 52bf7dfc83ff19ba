"""What a person sees: progress while it runs, then one table that fits 80 columns."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich import box
from rich.console import Console
from rich.table import Table

from tests.bench.measure import Row, Tell, Topic

_ANSWER = {True: "[green]yes[/]", False: "[bold red]NO[/]", None: ""}


@contextmanager
def progress(topic: str) -> Iterator[Tell]:
    """A line on stderr that says where we are, only where that is a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _what: None
        return
    with console.status(topic, refresh_per_second=4) as status:
        yield lambda what: status.update(f"{topic}: {what}")


def figure(number: float) -> str:
    """Three digits that matter."""
    if number >= 100:
        return f"{number:,.0f}"
    return f"{number:.1f}" if number >= 10 else f"{number:.2f}"


def print_table(console: Console, topics: dict[str, Topic]) -> None:
    """All rows, a section a topic, and under them what was counted."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("path", overflow="fold")
    for name in ("value", "baseline", "ratio"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("bar", no_wrap=True)
    table.add_column("holds", no_wrap=True)
    for name, topic in topics.items():
        table.add_row(f"[bold]{name}[/]")
        for row in topic.rows:
            table.add_row(*_cells(row))
        table.add_section()
    console.print(table)
    for name, topic in topics.items():
        console.print(f"{name}: {topic.counts}", highlight=False, style="dim")


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.path,
        figure(row.value),
        figure(row.baseline),
        figure(row.ratio),
        row.bar,
        _ANSWER[row.holds],
    )
