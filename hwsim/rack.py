"""Several simulated devices at one table, each on its port, in one asyncio loop.

Nothing polls: each device says when it next has something to do. The line's time is the loop's, as
a host's heartbeats are real; the devices' own time goes `speed` times as fast.
"""

import asyncio
import random
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal, Self

from hwsim.angel_eye.wire import AngelEyeWire
from hwsim.baccarat import BaccaratShoe
from hwsim.bee_tek.wire import BeeTekWire
from hwsim.devices import (
    BadgeReader,
    Button,
    CardShoe,
    Device,
    Indicator,
    Progressive,
    Shoe,
    Shuffler,
)
from hwsim.faults import AT_ONCE, KINDS, NOT_HERE, BadFault, Fault, FaultPlan
from hwsim.io_board.board import Board
from hwsim.io_board.unit import WIRES, BoardUnit
from hwsim.log import Log
from hwsim.passed import PassedCards
from hwsim.physical import PhysicalTable
from hwsim.ports import Port, PtyPort, TcpPort
from hwsim.reader import ReaderUnit, Wire
from hwsim.unit import Unit

NS: Final = 1_000_000_000
MODELS: Final[Mapping[str, type[Device]]] = {
    "shuffler": Shuffler,
    "shoe": Shoe,
    "card_shoe": CardShoe,
    "progressive": Progressive,
    "button": Button,
    "indicator": Indicator,
    "badge_reader": BadgeReader,
}
ONE_OF_EACH: Final = tuple(kind for kind in MODELS if kind != "card_shoe")  # a table has one shoe
READERS: Final[Mapping[str, Callable[[], Wire]]] = {
    "angel_eye": AngelEyeWire,
    "bee_tek": BeeTekWire,
}
BOARDS: Final = tuple(WIRES)  # sensors, lamps and a lock, by what the board speaks
EVERY: Final = (*MODELS, *READERS, *BOARDS)
TOP_SPEED: Final = None
IDENTITY: Final = ("serial", "model", "versions", "mode")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")


AnyUnit = Unit | ReaderUnit | BoardUnit


class BadRack(ValueError):
    """A rack that cannot be built; the text says why."""


@dataclass(frozen=True, slots=True)
class Place:
    """A device to be built: its kind, its name at the table, and what its model takes."""

    kind: str
    id: str
    key: bytes | None = None  # for the proof of identity
    # Keyword arguments of the model; for what speaks tablelink, parts of its identity as well.
    options: Mapping[str, Any] | None = None
    tcp_port: int = 0


def place(text: str) -> Place:
    """Read `KIND`, `KIND=ID` or either with `:PORT` behind it; raises BadRack."""
    what, mark, port = text.partition(":")
    kind, _, name = what.partition("=")
    if kind not in EVERY:
        raise BadRack(f"{kind!r} is no device; choose from {', '.join(EVERY)}")
    if not _NAME.fullmatch(name or kind):
        raise BadRack(f"{name!r} is no name for a device: letters, digits, - and _, at most 32")
    if mark and not (port.isascii() and port.isdigit() and 0 < int(port) < 65_536):
        raise BadRack(f"{port!r} is no TCP port: write a number from 1 to 65535")
    return Place(kind, name or kind, tcp_port=int(port or 0))


class Rack:
    """Builds the table and its devices; as an async context it runs them.

    `async with Rack([place("shoe"), …], seed=7) as rack:` gives `rack.urls`, `rack.table` for what
    people do, `rack.log` for what happened, `rack.units` for the devices themselves.
    """

    def __init__(
        self,
        places: Iterable[Place],
        *,
        seed: int = 0,
        speed: float | None = 1.0,
        faults: Iterable[Fault] = (),
        port: Literal["pty", "tcp"] = "pty",
        directory: Path | None = None,
    ) -> None:
        """`speed` None: as fast as possible. `directory`: where the ptys get their names."""
        places = list(places)
        self.seed = seed
        self.speed = speed
        self.log = Log(seed)
        self.table = PhysicalTable(self._dice("table"), self.log)
        self.faults = FaultPlan(self._aimed(list(faults), places), self.log)
        self.units: dict[str, Unit] = {}
        self.readers: dict[str, ReaderUnit] = {}
        self.boards: dict[str, BoardUnit] = {}
        self._port = port
        self._directory = directory
        self._own_directory: Path | None = None
        self._places = {one.id: one for one in places}
        self._slots: dict[str, _Slot] = {}
        if not places:
            raise BadRack("a rack needs at least one device")
        if len(self._places) != len(places):
            raise BadRack("two devices have the same name: give one another, as in shoe=shoe2")
        if speed is not None and not 0 < speed <= 10_000:
            raise BadRack("a speed lies between 0 and 10000, or is max")
        for one in places:
            if one.kind in READERS:
                self.readers[one.id] = self._build_reader(one)
            elif one.kind in BOARDS:
                board = Board(one.id, self.table, self.faults, **(one.options or {}))
                self.boards[one.id] = BoardUnit(board, WIRES[one.kind](board))
            else:
                self.units[one.id] = self._build(one)

    def _dice(self, name: str) -> random.Random:
        return random.Random(f"{self.seed}/{name}")  # noqa: S311

    def _aimed(self, faults: list[Fault], places: list[Place]) -> list[Fault]:
        """Give a fault that strikes by time alone the device that it strikes."""
        kinds = {one.id: one.kind for one in places}
        dice = self._dice("aim")
        aimed = []
        for fault in faults:
            if fault.kind in NOT_HERE:
                whose = NOT_HERE[fault.kind][0]
                raise BadFault(f"{fault.kind} is {whose} fault: no simulated device makes it")
            fitting = [name for name, kind in kinds.items() if kind in KINDS[fault.kind][0]]
            if fault.device is not None and fault.device not in kinds:
                raise BadFault(f"{fault.kind}: no device {fault.device!r} stands here")
            if not fitting or fault.device not in (None, *fitting):
                where = fault.device or "any device of this rack"
                raise BadFault(f"{fault.kind} cannot happen at {where}")
            if fault.kind in AT_ONCE and fault.at_ns is not None and fault.device is None:
                aimed.append(replace(fault, device=dice.choice(fitting)))
            else:
                aimed.append(fault)
        return aimed

    def _build(self, one: Place) -> Unit:
        options = dict(one.options or {})
        said = {name: options.pop(name) for name in IDENTITY if name in options}
        if one.kind == "shuffler":
            options.setdefault("rng", self._dice(f"shuffle/{one.id}"))
        device = MODELS[one.kind](one.id, self.table, self.faults, **options)
        if "versions" in said:
            said["versions"] = tuple(dict(said["versions"]).items())
        device.identity = replace(device.identity, **said)
        sees = self._port == "tcp"
        return Unit(device, self._dice(f"link/{one.id}"), key=one.key, sees_connections=sees)

    def _build_reader(self, one: Place) -> ReaderUnit:
        options = dict(one.options or {})
        model: BaccaratShoe | PassedCards
        if options.pop("by_hand", False):  # a person passes the cards
            model = PassedCards(one.id, self.faults, **options)
        else:
            model = BaccaratShoe(one.id, self._dice(f"dealer/{one.id}"), self.faults, **options)
        sees = self._port == "tcp"
        dice = self._dice(f"copies/{one.id}")
        return ReaderUnit(model, READERS[one.kind](), dice, sees_connections=sees)

    # ── running ──
    @property
    def urls(self) -> dict[str, str]:
        """Where each device is reached, as pyserial takes it."""
        return {name: slot.port.url for name, slot in self._slots.items()}

    async def start(self) -> dict[str, str]:
        """Open every port; raises OSError. Returns the URLs."""
        if self._port == "pty":
            if self._directory is None:
                self._own_directory = Path(tempfile.mkdtemp(prefix="hwsim-"))
            else:
                self._directory.mkdir(parents=True, exist_ok=True)
        units: dict[str, AnyUnit] = {**self.units, **self.readers, **self.boards}
        for name, unit in units.items():
            slot = _Slot(unit, self._new_port(name), self.speed)
            await slot.port.open(slot)
            self._slots[name] = slot
            slot.begin()
        return self.urls

    def _new_port(self, name: str) -> Port:
        if self._port == "tcp":
            return TcpPort(self._places[name].tcp_port)
        directory = self._directory or self._own_directory
        assert directory is not None
        return PtyPort(directory / name)

    async def stop(self) -> None:
        """Close every port, and remove what was made for them."""
        for slot in self._slots.values():
            slot.end()
            await slot.port.close()
        self._slots.clear()
        if self._own_directory is not None:
            shutil.rmtree(self._own_directory, ignore_errors=True)
            self._own_directory = None

    async def __aenter__(self) -> Self:
        try:
            await self.start()
        except BaseException:
            await self.stop()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()


class _Slot:
    """One unit on one port: moves it by the loop's time, and wakes when it has something to do."""

    def __init__(self, unit: AnyUnit, port: Port, speed: float | None) -> None:
        self.unit = unit
        self.port = port
        self.speed = speed
        self._loop = asyncio.get_running_loop()
        self._at_ns = self._now_ns()
        self._timer: asyncio.TimerHandle | None = None
        self._soon: asyncio.Handle | None = None
        self._ended = False

    def begin(self) -> None:
        self._at_ns = self._now_ns()
        self.unit.attend_by(self._attend)
        self._pump()

    def end(self) -> None:
        self._ended = True
        for handle in (self._timer, self._soon):
            if handle is not None:
                handle.cancel()

    # ── the port ──
    def came(self) -> None:
        self._catch_up()
        self.unit.connected()
        self._pump()

    def heard(self, data: bytes) -> None:
        self._catch_up()
        self.unit.receive(data)
        self._pump()

    def went(self) -> None:
        self._catch_up()
        self.unit.disconnected()
        self._wake()

    # ── time ──
    def _now_ns(self) -> int:
        return round(self._loop.time() * NS)

    def _attend(self) -> None:
        """A person is about to touch the device."""
        self._catch_up()
        self._wake()

    def _wake(self) -> None:
        if not self._ended and self._soon is None:
            self._soon = self._loop.call_soon(self._pump)

    def _catch_up(self) -> None:
        now = self._now_ns()
        passed = max(0, now - self._at_ns)
        self._at_ns = max(now, self._at_ns)
        self.unit.advance(passed, round(passed * (self.speed or 1.0)))

    def _pump(self) -> None:
        """Bring everything up to now, send what is there, and sleep until the next thing."""
        if self._soon is not None:
            self._soon.cancel()
            self._soon = None
        if self._ended:
            return
        self._catch_up()
        ahead = self.speed is TOP_SPEED and self._leap()
        if data := self.unit.take():
            self.port.send(data)
        if self.unit.hang_up:
            self.unit.hang_up = False
            self.port.hang_up(self.unit.gentle)
        if ahead:
            self._wake()
        self._sleep()

    def _leap(self) -> bool:
        """At top speed: on to the model's next moment, unless the host is far behind."""
        due = self.unit.model_due_ns()
        if due is None or self.unit.behind:
            return False
        self.unit.advance(0, due)
        return True

    def _sleep(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due = self.unit.due_ns()
        model = self.unit.model_due_ns()
        times = [] if due is None else [due]
        if model is not None and self.speed is not TOP_SPEED:
            times.append(round(model / self.speed) if self.speed else 0)
        if times and not self._ended:
            self._timer = self._loop.call_later(min(times) / NS, self._pump)
