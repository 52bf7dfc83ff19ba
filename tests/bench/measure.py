"""How everything here is measured: contenders in turns, several times, and one figure of each.

What only computes is judged by the processor time of its best turn: a busy machine would charge a
long turn for others and let a short one off. What waits for a disk or starts a process is judged by
the wall time of its median turn. A ratio is always value / baseline.
"""

import gc
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
BUILD: Final = ROOT / "build"
SEED: Final = int(os.environ.get("TABLECTL_SEED", "2026"))

REPORT: Final = "report"  # the bar of a path that has none
Tell = Callable[[str], None]  # shows on a terminal what is going on
Contender = Callable[[], object]
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Row:
    """One path against its baseline; `path` names the unit of both figures."""

    path: str
    value: float
    baseline: float
    bar: str = REPORT  # ">= 20", "<= 3"

    @property
    def ratio(self) -> float:
        return self.value / self.baseline

    @property
    def holds(self) -> bool | None:
        """None where there is no bar."""
        if self.bar == REPORT:
            return None
        sign, number = self.bar.split()
        return self.ratio >= float(number) if sign == ">=" else self.ratio <= float(number)

    def as_json(self, topic: str) -> dict[str, Any]:
        """As build/bench.json holds it."""
        return {
            "path": f"{topic}: {self.path}",
            "value": round(self.value, 3),
            "baseline": round(self.baseline, 3),
            "ratio": round(self.ratio, 3),
            "bar": self.bar,
            "holds": self.holds,
        }


@dataclass(frozen=True, slots=True)
class Topic:
    """What a module measured, and in one line how much of what."""

    rows: list[Row]
    counts: str


def timed(contender: Contender, clock: Clock = time.perf_counter) -> float:
    """Seconds that one turn takes, begun with a clean heap."""
    gc.collect()
    began = clock()
    contender()
    return clock() - began


def race(
    contenders: Sequence[Contender], turns: int, tell: Tell, clock: Clock
) -> list[list[float]]:
    """The seconds of each contender's turns; one that warms up first is not counted."""
    for number, contender in enumerate(contenders, 1):
        tell(f"warming up {number} of {len(contenders)}")
        contender()
    taken: list[list[float]] = [[] for _ in contenders]
    gc.freeze()  # what the bench itself keeps is no part of anybody's collections
    try:
        for turn in range(turns):
            tell(f"turn {turn + 1} of {turns}")
            # Whoever went first goes last the next time.
            order = list(range(len(contenders)))
            for place in order if turn % 2 == 0 else reversed(order):
                taken[place].append(timed(contenders[place], clock))
    finally:
        gc.unfreeze()
    return taken


def best(contenders: Sequence[Contender], turns: int, tell: Tell) -> list[float]:
    """The least processor seconds of each: for what only computes, in this thread."""
    return [min(seconds) for seconds in race(contenders, turns, tell, time.thread_time)]


def typical(contenders: Sequence[Contender], turns: int, tell: Tell) -> list[float]:
    """The median seconds of each: for what waits for a disk or starts a process."""
    return [median(seconds) for seconds in race(contenders, turns, tell, time.perf_counter)]


def percentile(sample: Sequence[float], percent: int) -> float:
    """The value that `percent` of the sample do not exceed."""
    ordered = sorted(sample)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]
