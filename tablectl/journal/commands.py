"""`tablectl verify`, `replay` and `meters`: arguments in, sentences and an exit code out."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tablectl.journal.errors import KeyProblem
from tablectl.journal.meters import Ledger, as_json, meters_page, prove_meters
from tablectl.journal.replay import replay
from tablectl.journal.report import Report
from tablectl.journal.verify import verify

FINE, NO, USAGE, FAILED = 0, 1, 2, 3


def verify_command(path: Path, key: str | None, anchor: str | None, json_out: bool) -> int:
    """Check chain, records, sealed values and signatures; gives the exit code."""
    return _run("verified", json_out, lambda progress: verify(path, key, anchor, progress))


def replay_command(path: Path, key: str | None, anchor: str | None, json_out: bool) -> int:
    """Derive every event again and compare; gives the exit code."""
    return _run("replayed", json_out, lambda progress: replay(path, key, anchor, progress))


def meters_command(path: Path, json_out: bool) -> int:
    """Prove every meter to the cent; gives the exit code."""
    found: list[Ledger] = []

    def work(progress: Callable[[int, int], None]) -> Report:
        report, ledger = prove_meters(path, progress)
        found.append(ledger)
        return report

    def said(report: Report) -> str:
        return as_json(report, found[0]) if json_out else meters_page(found[0])

    return _run("meters", json_out, work, said)


def _run(
    done: str,
    json_out: bool,
    work: Callable[[Callable[[int, int], None]], Report],
    said: Callable[[Report], str] | None = None,
) -> int:
    try:
        with _bar(done) as progress:
            report = work(progress)
    except KeyProblem as error:
        return _complain(str(error), NO)
    except ValueError as error:
        return _complain(str(error), USAGE)
    except OSError as error:
        return _complain(f"{error.filename or 'the journal'}: {error.strerror or error}", FAILED)
    if said is not None and (json_out or report.ok):
        sys.stdout.write(said(report) + "\n")
    elif json_out:
        sys.stdout.write(json.dumps(report.as_dict()) + "\n")
    elif report.ok:
        sys.stdout.write(_praise(done, report) + "\n")
    if report.broken is None:
        return FINE
    place = f" at sequence {report.broken.sequence}" if report.broken.sequence else ""
    return _complain(f"broken{place}: {report.broken.what}", NO)


def _complain(sentence: str, code: int) -> int:
    sys.stderr.write(f"tablectl: {sentence}\n")
    return code


def _praise(done: str, report: Report) -> str:
    if report.last is None:
        return f"{done}: the journal is sound, and empty"
    told = (
        f"{done}: {report.records} records, {report.events} events, "
        f"sequence {report.first} to {report.last}, head {report.head}"
    )
    if report.rederived is not None:
        told += f"; {report.rederived} records gave the same events again"
    if report.signed is None:
        return f"{told}; no checkpoint is in it, so no signature was checked"
    return f"{told}; signed up to {report.signed} by {report.key} (from {report.key_from})"


@contextmanager
def _bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on a terminal, nothing elsewhere."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _records, _of: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as progress:
        task = progress.add_task(what, total=None)

        def show(records: int, of: int) -> None:
            if records % 64 == 0 or records == of:
                progress.update(task, completed=records, total=of)

        yield show
