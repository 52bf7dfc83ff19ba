"""What the trace names: objects found by "module:name", tests found by collecting them."""

import subprocess
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from tablectl.table.machines import FlatMachine
from tablectl.trace.homes import GAMES, Home, homes

ROOT: Final = Path(__file__).resolve().parents[2]
TEXTS: Final = tuple(text for texts in GAMES.values() for text in texts)


def entries(text: str) -> list[Home]:
    """The entries of a text's file, each once, in the order of the file."""
    return list({home.key: home for home in homes(text).values()}.values())


def every_entry() -> list[Home]:
    return [home for text in TEXTS for home in entries(text)]


def found(where: str) -> Any:
    """The object that "module:name" names. Raises ImportError or AttributeError."""
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)


def rows_of(place: object) -> set[str]:
    """The names of the rows of a table or machine; a table of tables has `TABLE/ROW`."""
    if isinstance(place, FlatMachine):
        return {row.trigger for row in place.rows}
    if not isinstance(place, Mapping):
        return set()
    return {
        name
        for key, value in place.items()
        for name in ([f"{key}/{row}" for row in value] if isinstance(value, Mapping) else [key])
    }


@cache
def collected(files: tuple[str, ...]) -> frozenset[str]:
    """The tests of some files as pytest finds them, without their parameters."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    listed = subprocess.run(
        [*command, *files], cwd=ROOT, capture_output=True, text=True, timeout=110, check=False
    )
    assert listed.returncode == 0, listed.stdout[-2000:] + listed.stderr
    return frozenset(line.partition("[")[0] for line in listed.stdout.splitlines() if "::" in line)


def files_of(tests: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({test.partition("::")[0] for test in tests}))
