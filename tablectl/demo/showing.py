"""`tablectl demo` from its options to its exit code."""

import asyncio
import contextlib
import secrets
import signal
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console

from tablectl.demo.stage import CannotStart, Wishes, WrongUsage, perform

OK, FAILED, INTERRUPTED, USAGE = 0, 3, 0, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The command's options as they were given."""

    game: str
    rounds: int | None
    seed: int | None
    speed: str
    faults: str
    port: int
    data: Path | None
    broker: str | None
    json: bool


def show(asked: Asked) -> int:
    """Run the demonstration; errors are one line on stderr."""
    try:
        pace = None if asked.speed == "max" else float(asked.speed)
        if pace is not None and not 0.01 <= pace <= 1000:
            raise ValueError
    except ValueError:
        return _complain("--speed is a number from 0.01 to 1000, or max", USAGE)
    chosen = asked.seed if asked.seed is not None else secrets.randbelow(2**31)
    wishes = Wishes(**{**asdict(asked), "seed": chosen, "speed": pace})
    try:
        return asyncio.run(_until_interrupted(wishes))
    except WrongUsage as error:
        return _complain(str(error), USAGE)
    except CannotStart as error:
        return _complain(str(error), FAILED)
    except OSError as error:
        return _complain(f"{error}", FAILED)


async def _until_interrupted(wishes: Wishes) -> int:
    task = asyncio.current_task()
    assert task is not None
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, task.cancel)
    console = Console()
    with contextlib.suppress(asyncio.CancelledError):
        return await perform(wishes, console)
    if not wishes.json:
        console.print("ended")
    return INTERRUPTED


def _complain(sentence: str, code: int) -> int:
    sys.stderr.write(f"tablectl: demo: {sentence}\n")
    return code
