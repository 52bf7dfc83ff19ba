"""Runs a command of tablectl in this process, as its entry point would. No test here."""

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from tablectl import cli


@dataclass(frozen=True)
class Done:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """The answer, where it is JSON."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """The answers, where each is a line of JSON."""
        return [json.loads(line) for line in self.out.splitlines()]


def tablectl(*arguments: str | Path, stdin: bytes = b"") -> Done:
    """A command to its end. A traceback anywhere is a failure of the test."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    given = io.TextIOWrapper(io.BytesIO(stdin))
    with (
        mock.patch.object(sys, "argv", ["tablectl", *map(str, arguments)]),
        mock.patch.object(sys, "stdin", given), redirect_stdout(out), redirect_stderr(err),
    ):  # fmt: skip
        try:
            cli.main()
        except SystemExit as end:
            code = end.code
    said = [_read(out), _read(err)]
    assert "Traceback" not in said[1], said[1]
    assert isinstance(code, int)
    return Done(code, *said)


def one_line(done: Done) -> str:
    """What stands on stderr: one clear line."""
    assert done.err.count("\n") == 1, done.err
    assert done.err.startswith("tablectl: "), done.err
    return done.err


def _read(file: io.TextIOWrapper) -> str:
    file.flush()
    written = file.buffer
    assert isinstance(written, io.BytesIO)
    return written.getvalue().decode()
