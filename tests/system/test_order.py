"""The order on the wire with a slow disk: the lock leaves before its record is durable, and what
permits never does.

The whole daemon runs here, in one process with the devices, with a writer whose commits are made
slow. What is durable is asked of the file itself, by another connection.
"""

import asyncio
import contextlib
import json
import random
import sqlite3
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest

from hwsim.rack import Place, Rack
from hwsim.tablelink import messages as m
from hwsim.tablelink.speech import COMMANDS, PERMISSIVE
from tablectl.daemon import desk as desk_module
from tablectl.daemon.config import load
from tablectl.daemon.service import Service
from tablectl.demo import house
from tablectl.demo.client import Api
from tablectl.demo.dealer import Dealer
from tablectl.journal.opening import open_journal
from tablectl.journal.wiring import Seams
from tablectl.web.app import make_app
from tests.outbox.mosquitto import Mosquitto
from tests.system.stage import stored_events
from tests.system.subscriber import Subscriber

SEED = 21
ROUNDS = 6


@dataclass(frozen=True)
class Arrival:
    """A command at a device: its name, its record's last event, and what the disk held then."""

    name: str
    permissive: bool
    sequence: int | None
    on_disk: int


class Slow(sqlite3.Connection):
    """A disk that takes its time: each commit waits before it is made."""

    dice: ClassVar = random.Random(SEED)
    delays_s: ClassVar[tuple[float, ...]] = (0.01, 0.03, 0.06, 0.12)

    def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
        if sql.strip().upper() == "COMMIT":
            time.sleep(self.dice.choice(self.delays_s))
        return super().execute(sql, *parameters)


def slow_connect(path: Path) -> sqlite3.Connection:
    """As the journal's own, on a slow disk."""
    connection = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, timeout=10, factory=Slow
    )
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "trusted_schema=OFF"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


class Observer:
    """Knows of each command its record, from the table's side, and its arrival at the device."""

    def __init__(self, data: Path, rack: Rack) -> None:
        self.journal = data / "journal.db"
        self.arrivals: list[Arrival] = []
        self._records: dict[int, int] = {}  # a command's n -> the last event of its record
        for unit in rack.units.values():
            rules: Any = unit.link.rules
            rules.execute = partial(self._arrives, rules.execute)

    def watch(self, service: Service) -> None:
        """Note what each input gave."""
        assert service.desk is not None
        recorder: Any = service.desk.recorder
        adopt = recorder._adopt

        def adopting(encoded: Any, outcome: Any, snapshot: Any = None) -> Any:
            expected = recorder.head.sequence + len(outcome.events)
            for command in outcome.commands:
                self._records[command.n] = expected
            return adopt(encoded, outcome, snapshot)

        recorder._adopt = adopting

    def on_disk(self) -> int:
        """The last event that a stranger finds in the file."""
        with contextlib.closing(sqlite3.connect(f"file:{self.journal}?mode=ro", uri=True)) as db:
            (found,) = db.execute("SELECT coalesce(max(sequence), 0) FROM events").fetchone()
        return int(found)

    def _arrives(self, execute: Callable[[m.Command], int], command: m.Command) -> int:
        on_disk = self.on_disk()
        name = COMMANDS[command.code]
        permissive = bool(command.code & PERMISSIVE)
        sequence = self._records.get(command.number.n)
        self.arrivals.append(Arrival(name, permissive, sequence, on_disk))
        return execute(command)


@contextlib.asynccontextmanager
async def table(folder: Path, broker: str = "") -> AsyncIterator[tuple[Observer, Dealer]]:
    data = folder / "data"
    places = [Place(kind, name) for name, kind in house.HOUSES["three_card_poker"].kinds.items()]
    async with Rack(places, seed=SEED, speed=None, port="tcp") as rack:
        staff = house.people()
        file = folder / "table.toml"
        text = house.configuration(data, rack.urls, staff, broker, house.free_port(), None)
        file.write_text(text if broker else text.replace('[mqtt]\nurl = ""\n', ""))
        file.chmod(0o600)
        observer = Observer(data, rack)
        service = Service(load(file), make_app)
        await service.start()
        observer.watch(service)
        try:
            api = Api(service.address)
            yield observer, Dealer(api, rack.table, staff, random.Random(SEED), 0.0)
        finally:
            assert await service.finish()


async def true(look: Callable[[], bool]) -> None:
    """Wait for something that a device does."""
    async with asyncio.timeout(10):
        while not look():  # noqa: ASYNC110 - a device has no event to wait for
            await asyncio.sleep(0.001)


@pytest.fixture
def slow_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    opening = partial(open_journal, seams=Seams(connect=slow_connect))
    monkeypatch.setattr(desk_module, "open_journal", opening)


@pytest.mark.usefixtures("slow_disk")
def test_restrict_first_and_permit_last(tmp_path: Path) -> None:
    async def playing() -> list[Arrival]:
        async with table(tmp_path) as (observer, dealer):
            async with asyncio.timeout(60):
                await dealer.play(ROUNDS)
            return observer.arrivals

    arrivals = asyncio.run(playing())
    known = [one for one in arrivals if one.sequence is not None]
    permits = [one for one in known if one.permissive]
    locks = [one for one in known if one.name == "lock"]
    told = f"seed {SEED}"
    assert len([p for p in permits if p.name == "unlock"]) >= ROUNDS, told
    assert len([p for p in permits if p.name == "dispense"]) >= ROUNDS, told
    assert all(one.sequence is not None for one in arrivals if one.permissive), told
    for one in permits:
        assert one.sequence is not None
        assert one.on_disk >= one.sequence, f"{told}: {one} left before its record was durable"
    assert len(locks) >= ROUNDS, told
    late = [one for one in locks if one.sequence is not None and one.on_disk >= one.sequence]
    assert not late, f"{told}: waited for the disk: {late}"
    assert sum(1 for _ in stored_events(tmp_path / "data")) > 200, told


@pytest.mark.usefixtures("slow_disk")
def test_the_button_locks_while_the_disk_stands_still(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second of silence from the disk: the lock is there at once, the cards wait."""

    async def pressing() -> tuple[float, list[Arrival]]:
        async with table(tmp_path) as (observer, dealer):
            for person in (dealer.dealer, dealer.floor):
                await dealer.api.sign_on(person)
            async with asyncio.timeout(30):
                while dealer.table.progressive().locked:
                    await dealer.turn(await dealer.api.state())
                while not (await dealer.api.state())["seats"]:
                    await dealer.turn(await dealer.api.state())
                await asyncio.sleep(0.5)  # everything so far is on the disk
            monkeypatch.setattr(Slow, "delays_s", (1.0,))
            observer.arrivals.clear()
            began = time.monotonic()
            dealer.table.press_button()
            await true(lambda: dealer.table.progressive().locked)
            took = time.monotonic() - began
            await true(lambda: any(one.permissive for one in observer.arrivals))
            waited = time.monotonic() - began
            monkeypatch.setattr(Slow, "delays_s", (0.0,))
            assert waited > 1.0, "the dispense waited for the disk"
            return took, observer.arrivals

    took, arrivals = asyncio.run(pressing())
    assert took < 0.5
    lock = next(one for one in arrivals if one.name == "lock")
    dispense = next(one for one in arrivals if one.permissive)
    assert lock.sequence is not None
    assert lock.on_disk < lock.sequence
    assert dispense.name == "dispense"
    assert dispense.sequence is not None
    assert dispense.on_disk >= dispense.sequence


@pytest.mark.usefixtures("slow_disk")
def test_nothing_is_published_before_it_is_durable(tmp_path: Path) -> None:
    """Events and states, on MQTT and over HTTP: none is ahead of the file at its arrival."""
    broker = Mosquitto(tmp_path)
    ahead: list[tuple[str, int, int]] = []
    told = Counter[str]()

    def heard(where: str, body: bytes, observer: Observer) -> None:
        sequence = json.loads(body)["sequence"]
        told[where] += 1
        if sequence > (on_disk := observer.on_disk()):
            ahead.append((where, sequence, on_disk))

    async def playing() -> None:
        url = f"mqtt://127.0.0.1:{broker.port}"
        async with table(tmp_path, url) as (observer, dealer):
            reader = Subscriber(broker.port, hears=lambda t, b: hears(t, b, observer))
            polling = asyncio.create_task(poll(dealer.api, observer))
            try:
                async with asyncio.timeout(60):
                    await dealer.play(2)
            finally:
                polling.cancel()
                await asyncio.gather(polling, return_exceptions=True)
                reader.close()

    def hears(topic: str, body: bytes, observer: Observer) -> None:
        if "/event/" in topic or topic.endswith("/state"):
            heard("event" if "/event/" in topic else "state", body, observer)

    async def poll(api: Api, observer: Observer) -> None:
        while True:
            body = json.dumps(await api.state()).encode()
            heard("/api/state", body, observer)
            await asyncio.sleep(0.005)

    try:
        asyncio.run(playing())
    finally:
        broker.stop()
    assert all(told[where] > 20 for where in ("event", "state", "/api/state")), told
    assert not ahead, f"seed {SEED}: {len(ahead)} of {told}: {ahead[:3]}"
