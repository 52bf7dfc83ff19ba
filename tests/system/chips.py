"""A table whose progressive is a board of sensors, lamps and a lock; a dealer who handles chips.

What really lay on the sensors, and what left the shoe meanwhile, is kept here: the truth that the
journal is held against.
"""

import asyncio
from pathlib import Path
from typing import Any

from hwsim.io_board.board import Board
from hwsim.physical import PhysicalTable
from tablectl.demo.dealer import Dealer, State
from tests.system.stage import Stage

CHIP = 100  # cents
LAMPS_S = 0.1  # until a chip is noticed for certain
SEATS = range(1, 8)


class ChipDealer(Dealer):
    """Lays the players' chips on the sensors, collects and counts them; sometimes somebody is late,
    takes one back in time, or the dealer miscounts."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.inventory: dict[int, set[int]] = {}  # by round: the seats whose chips were racked
        self.open_stacks: list[str] = []  # what left the shoe while a chip could be laid
        self.late = 0
        watch(self.table, self.open_stacks)

    @property
    def board(self) -> Board:
        board = self.table.devices["bonus"]
        assert isinstance(board, Board)
        return board

    def on_sensors(self) -> set[int]:
        return {seat for seat in SEATS if self.board.inputs[seat - 1]}

    def take_off(self, seats: set[int]) -> None:
        for seat in seats & self.on_sensors():
            self.board.place(seat)

    def lying(self, number: int) -> set[int]:
        """The round's chips: on the sensors, or in the inventory already."""
        return self.on_sensors() | self.inventory.get(number, set())

    # ── phases ──
    async def _betting(self, state: State) -> None:
        """Before "no more bets" the dealer mostly waits until every lamp that will be lit is."""
        if self._bets_left == 0 and self.rng.random() < 0.9:
            await asyncio.sleep(LAMPS_S)
            state = await self.api.state()
        if state["phase"] == "betting":
            await super()._betting(state)

    async def _wager(self, seat: int) -> None:
        await self._do(self.dealer, "place_wager", seat=seat, wager="ante", amount=500)
        if self.rng.random() < 0.7 and not self.board.inputs[seat - 1]:
            self.board.place(seat)
        elif self.rng.random() < 0.1:
            self.take_off({seat})

    def _luck_is_due(self, state: State) -> bool:
        """Its winner is somebody whose chip was accepted."""
        held = any("progressive" in seat["wagers"] for seat in state["seats"])
        return held and super()._luck_is_due(state)

    def somebody_is_late(self, chance: float) -> None:
        dark = sorted(set(SEATS) - self.on_sensors())
        if dark and self.rng.random() < chance:
            self.board.place(self.rng.choice(dark))
            self.late += 1

    async def _locking(self, _state: State) -> None:
        self.somebody_is_late(0.05)
        await self._wait(_state)

    async def _dealing(self, _state: State) -> None:
        self.somebody_is_late(0.01)
        await self._wait(_state)

    async def _locked(self, state: State) -> None:
        self.somebody_is_late(0.05)
        if "resolve_count" in state["allowed"]:
            await self._resolve(state)
        elif "count_progressive" in state["allowed"]:
            await self._count(state)
        else:
            await super()._locked(state)

    async def _count(self, state: State) -> None:
        number = state["round"]["number"]
        lying = self.lying(number)
        chips = len(lying) + (self.rng.random() < 0.1)
        self.inventory[number] = lying  # the daemon may die with the answer
        reply = await self._do(
            self.dealer, "count_progressive", chips=chips, cents=CHIP * len(lying)
        )
        types = {event["type"] for event in reply.body.get("events", ())}
        if "tablectl.progressive.count_verified" in types:
            self.take_off(lying)
        else:
            del self.inventory[number]

    async def _resolve(self, state: State) -> None:
        """The floor looks at sensors and lamps: a chip that is no wager, a wager without a chip."""
        number = state["round"]["number"]
        lying = self.lying(number)
        known = {seat["seat"] for seat in state["seats"] if "progressive" in seat["wagers"]}
        wrong = sorted(lying - known) or sorted(known - lying)
        args = {"seat": wrong[0]} if wrong else {}
        reply = await self._do(self.floor, "resolve_count", **args)
        if reply.done and wrong:
            self.take_off({wrong[0]})
            self.inventory.get(number, set()).discard(wrong[0])

    async def _clearing(self, state: State) -> None:
        self.take_off(set(SEATS))
        await super()._clearing(state)

    async def _voided(self, state: State) -> None:
        self.take_off(set(SEATS))
        await super()._voided(state)


def watch(table: PhysicalTable, seen: list[str]) -> None:
    """Note every stack that leaves the shoe, or leave that reaches it, while the board is open."""
    shoe: Any = table.shoe()
    leaves, does = shoe._stack_leaves, shoe.do

    def leaving() -> None:
        if not table.progressive().locked:
            seen.append("a stack left")
        leaves()

    def doing(command: str, **args: Any) -> None:
        if command == "dispense" and not table.progressive().locked:
            seen.append("leave was given")
        does(command, **args)

    shoe._stack_leaves, shoe.do = leaving, doing


class ChipStage(Stage):
    """The usual stage with a board of sensors."""

    dealer = ChipDealer

    def __init__(self, folder: Path, seed: int, faults: str = "", protocol: str = "modbus") -> None:
        self.protocol = protocol
        super().__init__(folder, seed, faults, models={"bonus": protocol})

    def configured(self, text: str, urls: dict[str, str]) -> str:
        """As docs/integrators/io-board.md wires it."""
        usual = f'driver = "tablelink"\nurl = "{urls["bonus"]}"'
        sensors = ", ".join(f"{{ seat = {s}, input = {s - 1}, lamp = {s + 7} }}" for s in SEATS)
        options = f'protocol = "{self.protocol}"\nlock_output = 15\nsensors = [{sensors}]'
        options += "\ndebounce_ms = 20\npoll_ms = 10"
        board = f'driver = "io_board"\nurl = "{urls["bonus"]}"\n[devices.bonus.options]\n{options}'
        assert usual in text
        return text.replace(usual, board)

    @property
    def chips(self) -> ChipDealer:
        assert isinstance(self.room.dealer, ChipDealer)
        return self.room.dealer
