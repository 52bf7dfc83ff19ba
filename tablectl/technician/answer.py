"""`tablectl doctor` as a command: the file read, progress on a terminal, the report as text."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tablectl.daemon.check import Answer, as_data
from tablectl.daemon.config import read
from tablectl.technician.doctor import examine_table
from tablectl.technician.page import page


def doctor(file: str, *, as_json: bool, width: int, colour: bool, terminal: bool) -> Answer:
    """Look at a table. Raises OSError where a file that is there cannot be read.

    `terminal`: somebody waits at stderr.
    """
    reading = read(file)
    if reading.config is None:
        wrong = tuple(f"{reading.file}: {fault}" for fault in reading.faults)
        if not as_json:
            return Answer("", wrong, 1)
        body = {"ok": False, "errors": as_data(reading)["errors"]}
        return Answer(json.dumps(body, indent=2) + "\n", (), 1)
    with _progress(terminal) as progress:
        report = examine_table(reading.config, progress)
    if as_json:
        text = json.dumps({**report.as_data(), "errors": []}, indent=2) + "\n"
    else:
        text = page(report, width, colour)
    return Answer(text, (), report.exit_code)


@contextmanager
def _progress(terminal: bool) -> Iterator[Callable[[str], None]]:
    """A line that moves, for whoever waits; nothing where nobody does."""
    if not terminal:
        yield lambda _what: None
        return
    from rich.console import Console  # noqa: PLC0415 - only people need it, and it takes its time

    with Console(stderr=True).status("looking …") as status:
        yield lambda what: status.update(what or "looking …")
