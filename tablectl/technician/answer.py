"""The technician's commands: files read, somebody asked, answers and errors as text."""

import asyncio
import getpass
import json
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tablectl.daemon.check import Answer, as_data
from tablectl.daemon.config import Config, ConfigError, read
from tablectl.hal.errors import HalError
from tablectl.journal.errors import JournalError
from tablectl.technician.doctor import examine_table
from tablectl.technician.listen import CannotListen, Ear, keep_out_the_daemon, plan_for
from tablectl.technician.page import page
from tablectl.technician.shapes import Doctored
from tablectl.technician.spoken import Speech
from tablectl.technician.unseal import NotShown, Unsealing, prove

OK, NO, FAILED = 0, 1, 3
Say = Callable[[str], None]


def doctor(file: str, *, as_json: bool, width: int, colour: bool, terminal: bool) -> Answer:
    """Look at a table. Raises OSError where a file that is there cannot be read.

    `terminal`: somebody waits at stderr.
    """
    reading = read(file)
    if reading.config is None:
        wrong = tuple(f"{reading.file}: {fault}" for fault in reading.faults)
        if not as_json:
            return Answer("", wrong, 1)
        body: Doctored = {"ok": False, "errors": as_data(reading)["errors"]}
        return Answer(json.dumps(body, indent=2) + "\n", (), 1)
    with _progress(terminal) as progress:
        report = examine_table(reading.config, progress)
    if as_json:
        return Answer(json.dumps(report.as_data(), indent=2) + "\n", (), report.exit_code)
    return Answer(page(report, width, colour), (), report.exit_code)


@contextmanager
def _progress(terminal: bool) -> Iterator[Callable[[str], None]]:
    """A line that moves, for whoever waits; nothing where nobody does."""
    if not terminal:
        yield lambda _what: None
        return
    from rich.console import Console  # noqa: PLC0415 - only people need it, and it takes its time

    with Console(stderr=True).status("looking …") as status:
        yield lambda what: status.update(what or "looking …")


class NoSuchDevice(Exception):
    """The configuration has no device of that name; a sentence with those that it has."""


def listen(
    file: str, device: str, *, seconds: float | None, actor: str | None, as_json: bool, say: Say
) -> Answer:
    """Say what a device tells, until Ctrl-C or the time is up. Raises NoSuchDevice, OSError.

    `actor`: a technician who wants to see the cards, and is asked for the PIN.
    """
    reading = read(file)
    if reading.config is None:
        return Answer("", tuple(f"{reading.file}: {fault}" for fault in reading.faults), NO)
    config = reading.config
    if device not in config.devices:
        known = ", ".join(config.devices) or "none"
        raise NoSuchDevice(f"there is no device {device!r} in {file}; known: {known}")
    try:
        _listen(config, device, seconds, actor, as_json, say)
    except NotShown as no:
        return Answer("", (f"tablectl: {no}",), NO)
    except ConfigError as error:
        return Answer("", tuple(f"{error.file}: {fault}" for fault in error.faults), NO)
    except JournalError as error:
        return Answer("", (f"tablectl: {error}",), error.exit_code)
    except (CannotListen, HalError) as error:
        return Answer("", (f"tablectl: {error}",), FAILED)
    return Answer("", (), OK)


def _listen(
    config: Config,
    device: str,
    seconds: float | None,
    actor: str | None,
    as_json: bool,
    say: Say,
) -> None:
    plan = plan_for(config, device)
    speech = Speech(opened=actor is not None)
    if actor is None:
        guest = keep_out_the_daemon(config)
        end: Callable[[], None] = guest.release
    else:
        keep_out_the_daemon(config).release()  # nobody is asked for a PIN in vain
        unsealing = Unsealing(config, device, prove(config, actor, ask_pin))
        end = lambda: unsealing.close(speech.shown)  # noqa: E731
    try:
        heard = asyncio.run(_hear(Ear(plan, speech, say, as_json), seconds))
    finally:
        end()
    if not heard:
        raise CannotListen(f"the port of {device} was never open: see tablectl doctor")


async def _hear(ear: Ear, seconds: float | None) -> bool:
    await ear.listen(seconds)
    return ear.opened


def ask_pin(prompt: str) -> str:
    """Ask on the terminal, without echo. Raises CannotListen where there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            return getpass.getpass(prompt)
        except (getpass.GetPassWarning, EOFError):
            raise CannotListen("a PIN is asked for on a terminal, and there is none") from None
