"""The demonstration's stage: devices, broker, daemon, dealer and screen, begun and ended together.

The daemon is a process of its own, started as a service manager would start it.
"""

import asyncio
import contextlib
import ctypes
import random
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from rich.console import Console
from rich.live import Live

from hwsim.faults import BadFault, parse_faults
from hwsim.rack import Place, Rack
from tablectl.demo import house
from tablectl.demo.broker import USER, EmbeddedBroker
from tablectl.demo.client import Api, Events
from tablectl.demo.dealer import Dealer, Stuck
from tablectl.demo.screen import picture
from tablectl.demo.watcher import Watcher

READY_WITHIN_S: Final = 30.0
STOP_WITHIN_S: Final = 6.0
PAUSE_S: Final = 0.35  # between two acts of the dealer, at speed 1
REFRESH_S: Final = 0.25
_LIBC: Final = ctypes.CDLL(None)
_PR_SET_PDEATHSIG: Final = 1


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the command line asks for."""

    game: str
    rounds: int | None
    seed: int
    speed: float | None  # None: as fast as possible
    faults: str
    port: int
    data: Path | None
    broker: str | None


class CannotStart(Exception):
    """The demonstration cannot begin; the text says why and what to do."""


async def perform(wishes: Wishes, console: Console) -> int:
    """Play; the exit code. Ends by itself after `rounds`, else when it is cancelled."""
    async with contextlib.AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tablectl-demo-")))
        data = wishes.data or folder / "data"
        data.mkdir(parents=True, exist_ok=True)
        rack = await stack.enter_async_context(_rack(wishes))
        broker, login = await _broker(wishes, folder, stack)
        staff = house.people()
        port = wishes.port or house.free_port()
        file = folder / "table.toml"
        text = house.configuration(
            data.absolute(), rack.urls, staff, broker, port, login, wishes.game
        )
        file.write_text(text)
        file.chmod(0o600)
        address = f"127.0.0.1:{port}"
        api = Api(address)
        await stack.enter_async_context(_daemon(file, folder / "daemon.log", api))
        events = Events(address)
        dealer: Dealer | Watcher = Watcher(api, events)
        if house.HOUSES[wishes.game].staffed:
            rng = random.Random(wishes.seed)  # noqa: S311
            dealer = Dealer(api, rack.table, staff, rng, _pause_s(wishes), wishes.game)
        events.start()
        stack.callback(events.stop)
        footer = f"http://{address}/api/state   {broker}   seed {wishes.seed}   Ctrl-C ends"
        await _play(wishes, dealer, events, console, footer)
        told = f"{dealer.rounds} rounds: {dealer.settled} settled, {dealer.voided} void"
        console.print(f"{told}; seed {wishes.seed}; journal {data / 'journal.db'}", soft_wrap=True)
    return 0


def _pause_s(wishes: Wishes) -> float:
    return 0.0 if wishes.speed is None else PAUSE_S / wishes.speed


def _rack(wishes: Wishes) -> Rack:
    try:
        faults = parse_faults(wishes.faults) if wishes.faults else []
        simulated = house.HOUSES[wishes.game].simulated
        dealt = {"shoes": 0, "most": wishes.rounds}
        places = [
            Place(kind, name, options=dealt if kind == "angel_eye" else None)
            for name, kind in simulated.items()
        ]
        # Over TCP such a shoe sees that somebody listens, and deals nothing before.
        port: Literal["pty", "tcp"] = "tcp" if "angel_eye" in simulated.values() else "pty"
        return Rack(places, seed=wishes.seed, speed=wishes.speed, faults=faults, port=port)
    except (BadFault, ValueError) as error:
        raise CannotStart(str(error)) from error


async def _broker(
    wishes: Wishes, folder: Path, stack: contextlib.AsyncExitStack
) -> tuple[str, tuple[str, Path] | None]:
    if wishes.broker:
        return wishes.broker, None
    broker = EmbeddedBroker(house.free_port(), folder)
    try:
        await broker.start()
    except ImportError as error:
        raise CannotStart("the embedded broker is not installed: run make setup") from error
    stack.push_async_callback(broker.stop)
    return broker.url, (USER, broker.password_file)


@contextlib.asynccontextmanager
async def _daemon(file: Path, log: Path, api: Api) -> AsyncIterator[None]:
    """The daemon as a process of its own, ready when its API answers."""
    with log.open("wb") as written:
        process = await asyncio.create_subprocess_exec(
            *_ends_with_us(), sys.executable, "-m", "tablectl.cli", "run", "--config", str(file),
            stdin=asyncio.subprocess.DEVNULL, stdout=written, stderr=written,
            start_new_session=True, preexec_fn=_end_with_parent,
        )  # fmt: skip
    try:
        await _ready(process, log, api)
        yield
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
            try:
                await asyncio.wait_for(process.wait(), STOP_WITHIN_S)
            except TimeoutError:
                process.kill()
                await process.wait()


def _end_with_parent() -> None:
    """In the daemon's process: a demonstration that is killed leaves no daemon behind."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _ends_with_us() -> list[str]:
    """A daemon left behind by a killed demonstration would reach for other people's terminals."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "TERM"] if setpriv else []


async def _ready(process: asyncio.subprocess.Process, log: Path, api: Api) -> None:
    for _ in range(int(READY_WITHIN_S / 0.1)):
        if process.returncode is not None:
            raise CannotStart(f"the daemon ended: {_last_line(log)}")
        with contextlib.suppress(OSError):
            await api.state()
            return
        await asyncio.sleep(0.1)
    raise CannotStart(f"the daemon did not answer within {READY_WITHIN_S:.0f} s")


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines() or ["it said nothing"]
    return lines[-1][:300]


async def _play(
    wishes: Wishes, dealer: Dealer | Watcher, events: Events, console: Console, footer: str
) -> None:
    playing = asyncio.create_task(dealer.play(wishes.rounds))
    try:
        if console.is_terminal:
            await _watch(playing, dealer, events, console, footer)
        else:
            console.print(footer.removesuffix("   Ctrl-C ends"), soft_wrap=True)
        await playing
    except Stuck as stuck:
        raise CannotStart(f"the demonstration got stuck: {stuck}") from stuck
    finally:
        playing.cancel()
        with contextlib.suppress(asyncio.CancelledError, Stuck, OSError):
            await playing


async def _watch(
    playing: asyncio.Task[None],
    dealer: Dealer | Watcher,
    events: Events,
    console: Console,
    footer: str,
) -> None:
    with Live(console=console, screen=True, auto_refresh=False) as live:
        while not playing.done():
            with contextlib.suppress(OSError):
                state = await dealer.api.state()
                live.update(picture(state, list(events.latest), dealer.said, footer), refresh=True)
            await asyncio.sleep(REFRESH_S)
