"""A table whose progressive is a board of sensors, lamps and a lock; a dealer who handles chips.

What really lay on the sensors, and what left the shoe meanwhile, is kept here: the truth that the
journal is held against.
"""

from pathlib import Path
from typing import Any

from hwsim.physical import PhysicalTable
from tablectl.demo.chips import accepted
from tablectl.demo.dealer import Dealer, State
from tests.system.stage import Stage

CHIP = 100  # cents
SEATS = range(1, 8)


class ChipDealer(Dealer):
    """As the usual one; but sometimes somebody is late, takes a chip back in time, or the dealer
    miscounts or does not look at the lamps before "no more bets"."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.inventory: dict[int, set[int]] = {}  # by round: the seats whose chips were racked
        self.open_stacks: list[str] = []  # what left the shoe while a chip could be laid
        self.late = 0
        watch(self.table, self.open_stacks)

    async def _betting(self, state: State) -> None:
        if self.rng.random() < 0.02:
            self.chips.take(self.chips.lying)
        if self.rng.random() < 0.05:
            self._patience = 0
        await super()._betting(state)

    def somebody_is_late(self, chance: float) -> None:
        dark = sorted(set(SEATS) - self.chips.lying)
        if dark and self.rng.random() < chance:
            self.chips.lay(self.rng.choice(dark))
            self.late += 1

    async def _locking(self, _state: State) -> None:
        self.somebody_is_late(0.2)
        await self._wait(_state)

    async def _dealing(self, _state: State) -> None:
        self.somebody_is_late(0.01)
        await self._wait(_state)

    async def _count_chips(self, state: State) -> None:
        """Now and then one too many is said, or a late chip is counted with the rest."""
        self.somebody_is_late(0.2)
        number, roll = state["round"]["number"], self.rng.random()
        try:
            if roll < 0.2:
                chips = len(self.chips.of(number)) + (roll < 0.1)
                await self._do(self.dealer, "count_progressive", chips=chips, cents=CHIP * chips)
            else:
                await super()._count_chips(state)
        finally:  # the daemon may die with the answer
            self.inventory[number] = self.chips.of(number)

    async def _resolve_count(self, state: State) -> None:
        extra = self.chips.lying - accepted(state, "progressive")
        self.chips.take(extra)  # back to the dark seat
        await super()._resolve_count(state)


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
    def chip_dealer(self) -> ChipDealer:
        assert isinstance(self.room.dealer, ChipDealer)
        return self.room.dealer
