"""A whole table for the tests: simulated devices, Mosquitto, the daemon, a dealer, a subscriber.

Devices and dealer live on an event loop of their own, in a thread; the daemon is a process.
"""

import asyncio
import contextlib
import json
import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

from hwsim.faults import parse_faults
from hwsim.rack import Place, Rack
from hwsim.tablelink import messages as m
from hwsim.tablelink.speech import COMMANDS, PERMISSIVE, SHOWING
from tablectl.demo import house
from tablectl.demo.client import Api, Reply
from tablectl.demo.dealer import Dealer
from tests.outbox.mosquitto import Mosquitto, until
from tests.system.processes import Daemon
from tests.system.subscriber import CONFIG, Subscriber, segments

T = TypeVar("T")


@dataclass(frozen=True)
class Executed:
    """A command that reached a device, and what the device did with it."""

    at: float
    device: str
    name: str
    permissive: bool
    boot: str
    n: int
    arguments: bytes
    outcome: int


class SpyingApi(Api):
    """The dealer's client. A daemon that forgot its sessions is a daemon that is not there."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.seen: list[tuple[str, str]] = []  # path and body, of everything but sessions
        self.tokens: set[str] = set()
        self.keep = False

    def _ask_now(self, method: str, path: str, body: dict[str, Any] | None) -> Reply:
        reply = super()._ask_now(method, path, body)
        if path == "/api/session" and reply.done:
            self.tokens.add(reply.body["session"])
        elif self.keep:
            self.seen.append((path, json.dumps(reply.body)))
        if reply.status == 401:
            raise OSError("the daemon knows no such session")
        return reply


class Room:
    """Devices and dealer on a loop in a thread. The dealer plays while `gate` is open."""

    def __init__(
        self,
        seed: int,
        faults: str = "",
        options: dict[str, Any] | None = None,
        port: Any = "tcp",
        models: dict[str, str] | None = None,
    ) -> None:
        """`models`: which simulator stands for a device, where it is not the usual one."""
        self.loop = asyncio.new_event_loop()
        self.executed: list[Executed] = []
        self.on_command: Callable[[Executed], None] = lambda _command: None
        self.problem: BaseException | None = None
        self._thread = threading.Thread(target=self.loop.run_forever, name="room", daemon=True)
        self._thread.start()
        self._gate = asyncio.Event()
        self._playing: asyncio.Task[None] | None = None
        self.dealer: Dealer | None = None
        played = house.HOUSES["three_card_poker"]
        usual = {n: given for n, given in played.options.items() if n not in (models or {})}
        places = [
            Place(
                (models or {}).get(name, kind),
                name,
                options={**usual.get(name, {}), **(options or {}).get(name, {})},
            )
            for name, kind in played.kinds.items()
        ]
        self.rack = Rack(places, seed=seed, speed=None, faults=parse_faults(faults), port=port)
        self.run(self._open())

    def run(self, work: Any, seconds: float = 20) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(seconds)

    def ask(self, look: Callable[[], T]) -> T:
        """Look at the devices, on their own thread."""

        async def looking() -> T:
            return look()

        return self.run(looking())

    async def _open(self) -> None:
        await self.rack.start()
        for name, unit in self.rack.units.items():
            self._listen(name, unit.link.rules)

    def _listen(self, device: str, rules: Any) -> None:
        execute = rules.execute

        def listening(command: m.Command) -> int:
            outcome: int = execute(command)
            name = COMMANDS.get(command.code, "?")
            number = command.number
            done = Executed(
                time.monotonic(), device, name, PERMISSIVE <= command.code < SHOWING,
                number.boot.hex(), number.n, command.arguments, outcome,
            )  # fmt: skip
            self.executed.append(done)
            self.on_command(done)
            return outcome

        rules.execute = listening

    # ── the dealer ─────────────────────────────────────────────────────────
    def seat(self, api: Api, staff: tuple[Any, Any], seed: int, who: type[Dealer] = Dealer) -> None:
        """A dealer comes to the table; plays as soon as the gate is open."""
        self.dealer = who(api, self.rack.table, staff, random.Random(seed), 0.0)
        self._playing = self.run(self._begin())

    async def _begin(self) -> asyncio.Task[None]:
        return asyncio.create_task(self._play())

    async def _play(self) -> None:
        assert self.dealer is not None
        try:
            while True:
                await self._gate.wait()
                with contextlib.suppress(OSError):
                    await self.dealer.play(None)
                await asyncio.sleep(0.02)
        except Exception as problem:  # noqa: BLE001 - the test's own thread raises it
            self.problem = problem

    def open_gate(self) -> None:
        self.loop.call_soon_threadsafe(self._gate.set)

    def close_gate(self) -> None:
        """The dealer stops as soon as the daemon is away."""
        self.loop.call_soon_threadsafe(self._gate.clear)

    def rest(self) -> None:
        """The dealer puts the hands down, wherever the round is."""
        self.close_gate()
        self.run(self._interrupt())

    async def _interrupt(self) -> None:
        if self._playing is not None:
            self._playing.cancel()
            await asyncio.gather(self._playing, return_exceptions=True)
            self._playing = asyncio.create_task(self._play())

    def restricted(self) -> bool:
        """Wagering locked and shoe held, at the devices themselves."""
        table = self.rack.table
        return self.ask(lambda: table.progressive().locked and table.shoe().allowed == 0)

    def permitted(self) -> list[Executed]:
        """Every permissive command that a device has carried out."""
        return [e for e in list(self.executed) if e.permissive and e.outcome == m.DONE]

    def close(self) -> None:
        if self._playing is not None:
            self.loop.call_soon_threadsafe(self._playing.cancel)
        self.run(self.rack.stop())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(5)
        self.loop.close()


class Stage:
    """Everything together. `told` names the seed, for every failure."""

    dealer: type[Dealer] = Dealer

    def __init__(
        self, folder: Path, seed: int, faults: str = "", broker: tuple[str, ...] = (), **room: Any
    ) -> None:
        self.seed = seed
        self.told = f"seed {seed}"
        self.data = folder / "data"
        self.room = Room(seed, faults, **room)
        self.broker = Mosquitto(folder, *broker)
        self.staff = house.people()
        port = house.free_port()
        url = f"mqtt://127.0.0.1:{self.broker.port}"
        urls = self.room.rack.urls
        text = self.configured(
            house.configuration(self.data, urls, self.staff, url, port, None), urls
        )
        config = folder / "table.toml"
        config.write_text(text.replace("[mqtt]", "[mqtt]\naway_seconds = 2") + CONFIG)
        config.chmod(0o600)
        self.api = SpyingApi(f"127.0.0.1:{port}")
        self.daemon = Daemon(config, folder / "daemon.log")
        self.subscriber = Subscriber(self.broker.port)

    def __enter__(self) -> Self:
        self.daemon.start()
        self.wait_ready()
        self.room.seat(self.api, self.staff, self.seed, self.dealer)
        return self

    def configured(self, text: str, _urls: dict[str, str]) -> str:
        """The table's file, where a test's table is another one."""
        return text

    def __exit__(self, *_: object) -> None:
        try:
            self.room.close()
        finally:
            self.subscriber.close()
            self.daemon.stop()
            self.broker.stop()

    # ── looking ────────────────────────────────────────────────────────────
    def state(self) -> Any:
        return self.room.run(self.api.state())

    def wait_ready(self) -> None:
        """The daemon answers, and every device has told its state."""

        def ready() -> bool:
            assert self.daemon.lives, f"{self.told}: the daemon ended: {self.daemon.tail()}"
            try:
                state = self.state()
            except OSError:
                return False
            return all(device["health"] != "unknown" for device in state["devices"].values())

        until(ready, f"{self.told}: the daemon is ready", 120)

    def well(self) -> None:
        """Nobody has got stuck and nothing has ended by itself."""
        if self.room.problem is not None:
            raise AssertionError(f"{self.told}: {self.room.problem}") from self.room.problem
        assert self.daemon.lives, f"{self.told}: the daemon ended: {self.daemon.tail()}"

    def play(self, rounds: int, seconds: float = 60) -> None:
        """Let the dealer end so many more rounds."""
        assert self.room.dealer is not None
        goal = self.room.dealer.rounds + rounds
        self.room.open_gate()
        deadline = time.monotonic() + seconds
        while self.room.dealer.rounds < goal:
            self.well()
            assert time.monotonic() < deadline, f"{self.told}: {self.state()}"
            time.sleep(0.01)

    def stored(self) -> dict[int, bytes]:
        """Every event of the journal, by sequence, as it stands there."""
        return {number: body.encode() for number, body in stored_events(self.data)}

    def sealed(self) -> Iterator[tuple[str, str]]:
        """Every sealed card, by its commitment."""
        for path in segments(self.data):
            with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
                yield from db.execute("SELECT commitment, card FROM sealed")


def stored_events(data: Path) -> Iterator[tuple[int, str]]:
    """Every event of a journal, read with nothing but SQLite."""
    for path in segments(data):
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
            yield from db.execute("SELECT sequence, body FROM events ORDER BY sequence")
