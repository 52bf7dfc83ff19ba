"""The lock path: a button's frame in, the lock's frame out, pty to pty through the whole daemon.

The daemon is a real `tablectl run` with four devices, a journal that syncs, and Mosquitto. Each
press is a round that nobody plays: open_bets, unlock, a random pause, the press, clear_round. The
baseline is a process that reads one terminal and writes to another; it takes turns with the
daemon, press by press, in the same state of the machine, and more often, for it is quick and its
99th percentile must stand on something. Both are timed by the same code, at the devices' ends.

Idle: nothing else is asked of the daemon. Busy: see tests/bench/load.py; the bar is against the
echo of an idle machine, which is the stricter reading. Against an echo that has to share the
machine with the same load it is reported, and so is the median.
"""

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from tests.bench.box import Box, box, end
from tests.bench.load import RATES, READERS
from tests.bench.measure import BUILD, REPORT, ROOT, SEED, Row, Tell, Topic, percentile
from tests.bench.wire import Wire, timed

WARM: Final = 50
PRESSES: Final = 500
ECHOES: Final = 3  # for each press
PAUSE_S: Final = (0.005, 0.025)
REST_S: Final = 10.0
MEMORY_MIB: Final = 80
CPU_PERCENT: Final = 1.0
QUIET: Final = 5
FRAME: Final = bytes(range(1, 20))  # as long as the button's


class Echo:
    """The baseline, with terminals of its own."""

    def __init__(self, stack: ExitStack) -> None:
        self._wires = Wire(), Wire()
        for wire in self._wires:
            stack.callback(wire.close)
        paths = [str(wire.path) for wire in self._wires]
        program = [sys.executable, "-m", "tests.bench.echo", *paths]
        stack.callback(end, subprocess.Popen(program, cwd=ROOT))
        into, out = self._wires
        timed(into.master, out.master, b"", bool)  # until it is there

    def press(self) -> int:
        into, out = self._wires
        return timed(into.master, out.master, FRAME, bool)


@contextmanager
def busy(table: Box, answers: dict[str, int]) -> Iterator[None]:
    """The pit at work."""
    actor = next(person.name for person in table.people if person.role == "floor")
    words = [str(table.port), actor, table.http.sessions["floor"]]
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.load", *words], stdout=subprocess.PIPE, cwd=ROOT
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"at work\n"
        yield
        process.terminate()
        answers |= json.loads(process.stdout.readline())
    finally:
        end(process)


def presses(table: Box, echo: Echo, count: int, dice: random.Random) -> tuple[list[float], ...]:
    """Microseconds of the daemon and of the echo, in turns."""
    ours: list[float] = []
    bare: list[float] = []
    for _ in range(count):
        table.open_bets()
        table.devices.tend(dice.uniform(*PAUSE_S))
        ours.append(table.devices.press() / 1e3)
        table.clear()
        for _ in range(ECHOES):
            table.devices.tend(dice.uniform(*PAUSE_S))
            bare.append(echo.press() / 1e3)
    return ours, bare


def resting(table: Box) -> float:
    """Percent of a core while nothing happens but heartbeats."""
    table.http.close()  # the daemon would: nobody says anything for so long
    table.devices.tend(1.0)
    began = table.cpu_s()
    table.devices.tend(REST_S)
    return (table.cpu_s() - began) / REST_S * 100


def rows_of(name: str, ours: list[float], bare: list[float], bar: str) -> list[Row]:
    """The bar is on p99; the others show whether that is the daemon's or the machine's."""
    return [
        Row(
            f"{name}, p{percent}, us",
            percentile(ours, percent),
            percentile(bare, percent),
            bar if percent == 99 else REPORT,
        )
        for percent in (50, 90, 99)
    ]


def unrest(bare: list[float]) -> str:
    """A sentence where even a bare echo was held up: then p99 says little of the daemon."""
    calm = percentile(bare, 99) <= QUIET * percentile(bare, 50)
    return "" if calm else "; THE MACHINE WAS NOT QUIET: the echo's own p99 is far from its p50"


def measure(tell: Tell) -> Topic:
    dice = random.Random(SEED)
    answers: dict[str, int] = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=BUILD)))
        tell("opening the table")
        table = stack.enter_context(box(folder))
        echo = Echo(stack)
        presses(table, echo, WARM, dice)
        tell(f"{PRESSES} presses, idle")
        idle, idle_echo = presses(table, echo, PRESSES, dice)
        tell("resting")
        percent = resting(table)
        tell(f"{PRESSES} presses, busy")
        with busy(table, answers):
            loaded, loaded_echo = presses(table, echo, PRESSES, dice)
            memory = table.memory_mib("VmRSS")
    rows = [
        *rows_of("idle / echo", idle, idle_echo, "<= 5"),
        *rows_of("busy / idle echo", loaded, idle_echo, "<= 15"),
        *rows_of("busy / busy echo", loaded, loaded_echo, REPORT),
        Row("memory while busy / the bar, MiB", memory, MEMORY_MIB, "<= 1"),
        Row("processor at rest / the bar, %", percent, CPU_PERCENT, "<= 1"),
    ]
    done = ", ".join(f"{what} {count}" for what, count in sorted(answers.items()))
    load = ", ".join(f"{rate} {what}" for what, rate in RATES.items())
    return Topic(
        rows,
        f"{PRESSES} presses, {PRESSES * ECHOES} echoes each way; slowest {max(idle):,.0f} idle, "
        f"{max(loaded):,.0f} us busy (echo {max(idle_echo):,.0f}, {max(loaded_echo):,.0f}); busy: "
        f"{load} a second asked for, {READERS} readers of events; answered: {done}; at rest for "
        f"{REST_S:.0f} s"
        f"{unrest(idle_echo)}",
    )
