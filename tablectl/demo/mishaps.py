"""What goes wrong beside the devices: the dealer's slips, and what happens to the box.

A plan says when, in the words of hwsim's faults. Each round is one occasion for each of them. What
befalls the box ends by itself: play goes on around it.
"""

import asyncio
import contextlib
import sqlite3
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from hwsim.faults import NOT_HERE, Fault, FaultPlan
from hwsim.log import Log

DISK_SLOW_S: Final = 1.0
_POWER: Final = "power_cut"
_SLIPS: Final[Mapping[str, tuple[str, dict[str, Any]]]] = {
    "misdeal": ("declare_misdeal", {"reason": "a card went astray"}),
    "exposed_dealer_card": ("report_exposed", {"place": "dealer/1"}),
}

Calamity = Callable[[], Awaitable[None]]


def is_slip(kind: str) -> bool:
    """Whether it takes a dealer to do it."""
    return kind in _SLIPS


class Mishaps:
    """Asked once a round; answers what goes wrong in it. `box` makes what befalls the box."""

    def __init__(
        self, faults: Iterable[Fault] = (), seed: int = 0, box: Mapping[str, Calamity] | None = None
    ) -> None:
        self._plan = FaultPlan(faults, Log(seed))
        self._box = box or {}
        self._round = 0
        self._began_ns = time.monotonic_ns()
        self._under_way: set[asyncio.Future[None]] = set()

    def struck(self, round_: int) -> frozenset[str]:
        """What the plan has for a round, when that is first asked for."""
        if round_ == self._round:
            return frozenset()
        self._round = round_
        now_ns = time.monotonic_ns() - self._began_ns
        kinds = NOT_HERE.items()
        return frozenset(k for k, (whose, _) in kinds if self._plan.strikes(k, whose, now_ns))

    async def befall(self, struck: frozenset[str]) -> bool:
        """Let it happen to the box; True where the daemon had to begin again."""
        for kind in struck & self._box.keys() - {_POWER}:
            task = asyncio.ensure_future(self._box[kind]())
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)
        if _POWER in struck:
            await self._box[_POWER]()
        return _POWER in struck

    @staticmethod
    def slip(struck: frozenset[str]) -> tuple[str, dict[str, Any]] | None:
        """What the dealer did wrong, as the report that follows, with its arguments."""
        for kind in _SLIPS:
            if kind in struck:
                action, args = _SLIPS[kind]
                return action, {**args, "confirm": True}
        return None

    async def close(self) -> None:
        """Wait until everything is as it was."""
        await asyncio.gather(*self._under_way, return_exceptions=True)


async def slow_disk(journal: Path) -> None:
    """For a while nothing can be written: somebody else holds the journal's file."""
    await asyncio.to_thread(_hold, journal)


def _hold(journal: Path) -> None:
    with (
        contextlib.suppress(sqlite3.Error),
        contextlib.closing(sqlite3.connect(journal, timeout=5, isolation_level=None)) as db,
    ):
        db.execute("BEGIN IMMEDIATE")
        time.sleep(DISK_SLOW_S)
        db.execute("ROLLBACK")
