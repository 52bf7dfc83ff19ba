"""The demonstration's stage: devices, broker, daemon, dealer and screen, begun and ended together.

The daemon is a process of its own, started as a service manager would start it.
"""

import asyncio
import contextlib
import ctypes
import json
import random
import signal
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

from rich.console import Console
from rich.live import Live

from hwsim.faults import NOT_HERE, BadFault, Fault, parse_faults
from hwsim.rack import BadRack, Place, Rack
from tablectl.demo import house
from tablectl.demo.broker import USER, EmbeddedBroker
from tablectl.demo.client import Api, Events
from tablectl.demo.dealer import Dealer, Stuck
from tablectl.demo.mishaps import Calamity, Mishaps, is_slip, slow_disk
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
    json: bool = False


class CannotStart(Exception):
    """The demonstration cannot begin; the text says why and what to do."""


class WrongUsage(CannotStart):
    """What was asked for is not to be had, whatever the machine can do."""


async def perform(wishes: Wishes, console: Console) -> int:
    """Play; the exit code. Ends by itself after `rounds`, else when it is cancelled."""
    faults = faults_of(wishes)
    async with contextlib.AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tablectl-demo-")))
        data = wishes.data or folder / "data"
        data.mkdir(parents=True, exist_ok=True)
        rack = await stack.enter_async_context(rack_of(wishes, faults))
        broker = await _broker(wishes, folder, stack)
        staff = house.people()
        port = wishes.port or house.free_port()
        file = folder / "table.toml"
        login = (USER, broker.password_file) if isinstance(broker, EmbeddedBroker) else None
        url = broker.url if isinstance(broker, EmbeddedBroker) else broker
        text = house.configuration(data.absolute(), rack.urls, staff, url, port, login, wishes.game)
        file.write_text(text)
        file.chmod(0o600)
        address = f"127.0.0.1:{port}"
        api = Api(address)
        box = Box(file, folder / "daemon.log", api)
        stack.push_async_callback(box.stop)
        await box.start()
        calamities: dict[str, Calamity] = {
            "power_cut": box.power_cut,
            "slow_disk": partial(slow_disk, data / "journal.db"),
        }
        if isinstance(broker, EmbeddedBroker):
            calamities["broker_down"] = broker.go_down
        mishaps = Mishaps(_here(faults), wishes.seed, calamities)
        stack.push_async_callback(mishaps.close)
        events = Events(address)
        dealer: Dealer | Watcher = Watcher(api, events, mishaps)
        if house.HOUSES[wishes.game].staffed:
            rng = random.Random(wishes.seed)  # noqa: S311
            pause_s = _pause_s(wishes)
            dealer = Dealer(api, rack.table, staff, rng, pause_s, wishes.game, mishaps)
        events.start()
        stack.callback(events.stop)
        told = _Told(wishes, console, f"http://{address}", url, data)
        told.begin()
        await _play(wishes, dealer, events, told)
        told.end(dealer)
    return 0


class _Told:
    """What is said beside the screen: where everything is, and how it ended."""

    def __init__(self, wishes: Wishes, console: Console, http: str, mqtt: str, data: Path) -> None:
        self.console = console
        self._wishes = wishes
        self._http, self._mqtt = http, mqtt
        self._journal = str(data / "journal.db") if wishes.data else None
        self.footer = f"{http}/api/state   {mqtt}   seed {wishes.seed}   Ctrl-C ends"

    def begin(self) -> None:
        if self._wishes.json:
            self._json({"http": self._http, "mqtt": self._mqtt, "seed": self._wishes.seed})
        elif not self.console.is_terminal:
            self.console.print(self.footer.removesuffix("   Ctrl-C ends"), soft_wrap=True)

    def end(self, dealer: Dealer | Watcher) -> None:
        seed, journal = self._wishes.seed, self._journal
        counts = {"rounds": dealer.rounds, "settled": dealer.settled, "voided": dealer.voided}
        if self._wishes.json:
            self._json({**counts, "seed": seed, "journal": journal})
            return
        told = f"{dealer.rounds} rounds: {dealer.settled} settled, {dealer.voided} void"
        kept = f"journal {journal}" if journal else "--data DIR keeps the journal"
        self.console.print(f"{told}; seed {seed}; {kept}", soft_wrap=True)

    def _json(self, data: dict[str, Any]) -> None:
        self.console.print(json.dumps(data), soft_wrap=True, markup=False, highlight=False)


def _pause_s(wishes: Wishes) -> float:
    return 0.0 if wishes.speed is None else PAUSE_S / wishes.speed


def faults_of(wishes: Wishes) -> list[Fault]:
    """The plan of what goes wrong; raises WrongUsage where it cannot, here."""
    try:
        faults = parse_faults(wishes.faults)
    except BadFault as error:
        raise WrongUsage(str(error)) from error
    for fault in _here(faults):
        if is_slip(fault.kind) and not house.HOUSES[wishes.game].staffed:
            raise WrongUsage(f"{fault.kind} takes a dealer: nobody acts at this table")
        if fault.kind == "broker_down" and wishes.broker:
            raise WrongUsage("broker_down is for the embedded broker: leave --broker out")
    return faults


def _here(faults: list[Fault]) -> list[Fault]:
    """What no device makes."""
    return [fault for fault in faults if fault.kind in NOT_HERE]


def rack_of(wishes: Wishes, faults: list[Fault]) -> Rack:
    """The simulated devices, with what they do wrong. Raises WrongUsage."""
    # What is dealt while the power is away counts for nobody: the shoe then deals on.
    most = None if any(fault.kind == "power_cut" for fault in faults) else wishes.rounds
    simulated = house.HOUSES[wishes.game].simulated
    options = house.HOUSES[wishes.game].options
    dealt = {"shoes": 0, "most": most}
    places = [
        Place(kind, name, options=dealt if kind == "angel_eye" else options.get(name))
        for name, kind in simulated.items()
    ]
    # Over TCP such a shoe sees that somebody listens, and deals nothing before.
    port: Literal["pty", "tcp"] = "tcp" if "angel_eye" in simulated.values() else "pty"
    of_devices = [fault for fault in faults if fault.kind not in NOT_HERE]
    try:
        return Rack(places, seed=wishes.seed, speed=wishes.speed, faults=of_devices, port=port)
    except (BadFault, BadRack) as error:
        raise WrongUsage(str(error)) from error


async def _broker(
    wishes: Wishes, folder: Path, stack: contextlib.AsyncExitStack
) -> EmbeddedBroker | str:
    """The embedded broker, begun; or the address of the one that was named."""
    if wishes.broker:
        return wishes.broker
    broker = EmbeddedBroker(house.free_port(), folder)
    try:
        await broker.start()
    except ImportError as error:
        raise CannotStart("the embedded broker is not installed: run make setup") from error
    stack.push_async_callback(broker.stop)
    return broker


class Box:
    """The daemon as a process of its own, ready when its API answers."""

    def __init__(self, file: Path, log: Path, api: Api) -> None:
        self._file, self._log, self._api = file, log, api
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Begin. Raises CannotStart, OSError."""
        with self._log.open("ab") as written:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "tablectl.cli", "run", "--config", str(self._file),
                stdin=asyncio.subprocess.DEVNULL, stdout=written, stderr=written,
                start_new_session=True, preexec_fn=_end_with_parent,
            )  # fmt: skip
        await _ready(self._process, self._log, self._api)

    async def stop(self) -> None:
        """End it, in time or by force."""
        process = self._process
        if process is None or process.returncode is not None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(process.wait(), STOP_WITHIN_S)
        except TimeoutError:
            process.kill()
            await process.wait()

    async def power_cut(self) -> None:
        """It ends without a word, and comes back."""
        assert self._process is not None
        self._process.kill()
        await self._process.wait()
        await self.start()


def _end_with_parent() -> None:
    """In the daemon's process. Left behind by a demonstration that was killed, it would reach for
    other people's terminals."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


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


async def _play(wishes: Wishes, dealer: Dealer | Watcher, events: Events, told: _Told) -> None:
    playing = asyncio.create_task(dealer.play(wishes.rounds))
    try:
        if told.console.is_terminal and not wishes.json:
            await _watch(playing, dealer, events, told)
        await playing
    except Stuck as stuck:
        raise CannotStart(f"the demonstration got stuck: {stuck}") from stuck
    finally:
        playing.cancel()
        with contextlib.suppress(asyncio.CancelledError, Stuck, OSError):
            await playing


async def _watch(
    playing: asyncio.Task[None], dealer: Dealer | Watcher, events: Events, told: _Told
) -> None:
    with Live(console=told.console, screen=True, auto_refresh=False) as live:
        while not playing.done():
            with contextlib.suppress(OSError):
                state = await dealer.api.state()
                seen = picture(state, list(events.latest), dealer.said, told.footer)
                live.update(seen, refresh=True)
            await asyncio.sleep(REFRESH_S)
