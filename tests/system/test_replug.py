"""Plugs of real links pulled out and put in, at every phase, and the table plays on.

Simulated devices behind ptys and TCP, a light on a USB bus in memory, the real supervisors; what
the rules demand in each cell stands in tests/table/test_replug.py.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Literal

import pytest

from tablectl.table.signs import sign_of
from tests.system.replug_bench import Bench

Port = Literal["pty", "tcp"]
Act = Callable[[Bench, str], Awaitable[None]]
DEVICES = ("shuffler", "shoe", "bonus", "button", "sign")
PHASES = (
    "closed", "preparing", "shuffling", "loaded", "betting", "locking", "locked", "dealing",
    "deciding", "settling", "clearing", "voided",
)  # fmt: skip


def moment(bench: Bench, phase: str) -> Callable[[], bool]:
    def there() -> bool:
        state = bench.state
        if phase == "shuffling":
            return any(d.preparation == "shuffling" for d in state.decks)
        if phase == "loaded":
            return state.phase == "preparing" and any(d.custody == "shoe" for d in state.decks)
        return bool(state.phase == phase)

    return there


async def reach(bench: Bench, phase: str) -> None:
    if phase == "closed":
        return
    if phase == "voided":
        await bench.play_until(lambda: bench.state.phase == "deciding")
        await bench.act(bench.staff[1], "void_round", reason="a spilt drink")
    await bench.play_until(moment(bench, phase))


async def plays_on(bench: Bench) -> None:
    """The round under way ends, and one that begins from here on is settled."""
    since = bench.state.sequence

    def settled() -> bool:
        opened = {event.data["round"] for event in bench.named("round.opened", since)}
        done = (event.data["round"] for event in bench.named("round.settled", since))
        return any(number in opened for number in done)

    await bench.play_until(settled, 60)


async def is_back(bench: Bench, name: str) -> None:
    """Online, and as the table wants it now."""
    await bench.wait(lambda: bench.health(name) == "online")
    await asyncio.sleep(0.05)
    state, table = bench.state, bench.rack.table
    assert state.halt is None
    assert not any(a.about == name and a.kind == "device_offline" for a in state.alarms)
    if name == "bonus":
        open_again = state.phase == "betting" and not state.round.was_locked
        await bench.wait(lambda: table.progressive().locked == (not open_again), 2)
    if name == "shoe" and state.phase not in ("locked", "dealing"):
        assert table.shoe().allowed == 0
    if name == "sign":
        await bench.wait(lambda: bench.state.device("sign").sign == sign_of(bench.state), 2)


# ── what is done to it ─────────────────────────────────────────────────────
async def out_and_in(bench: Bench, name: str) -> None:
    await bench.unplug(name)
    await bench.wait(lambda: bench.health(name) == "offline")
    assert bench.named("device.offline")[-1].data["device"] == name
    await bench.replug(name)
    await is_back(bench, name)


async def out_rebooted_and_in(bench: Bench, name: str) -> None:
    await bench.unplug(name)
    await bench.wait(lambda: bench.health(name) == "offline")
    if name != "sign":  # a light has lost its power with its plug
        await bench.reboot(name)
    await bench.replug(name)
    await is_back(bench, name)


async def another_one_in(bench: Bench, name: str) -> None:
    """It is refused however often it tries; the right one is let in without anybody's help."""
    await bench.unplug(name)
    await bench.wait(lambda: bench.health(name) == "offline")
    bring_back = bench.swap(name)
    await bench.replug(name)
    supervisor = bench.devices.supervisors[name]
    await bench.wait(lambda: bool(supervisor.status.refused))
    assert "should have serial" in supervisor.status.what
    assert bench.health(name) == "offline"
    bring_back()
    await is_back(bench, name)


ACTS: dict[str, Act] = {
    "out and in": out_and_in, "rebooted": out_rebooted_and_in, "another one": another_one_in,
}  # fmt: skip


def undisturbed(bench: Bench) -> None:
    """Nothing is void but what a person made void, and nothing is irregular."""
    reasons = {event.data["reason"] for event in bench.named("round.voided")}
    assert reasons <= {"void_round"}, reasons
    odd = [e.type for e in bench.events if e.type.startswith("irregularity.")]
    assert not odd, odd


def run(scenario: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(scenario())  # type: ignore[arg-type]


def cells(folder: Path, patch: Any, port: Port, plan: list[tuple[str, str, str]]) -> None:
    """One table, one cell after the other."""

    async def scenario() -> None:
        async with Bench(folder, patch, port) as bench:
            for name, phase, act in plan:
                await reach(bench, phase)
                try:
                    await ACTS[act](bench, name)
                except (AssertionError, TimeoutError) as error:
                    raise AssertionError(f"{name} in {phase}, {act}: {error!r}") from error
                await plays_on(bench)
                undisturbed(bench)

    run(scenario)


HANDFUL: dict[Port, list[tuple[str, str, str]]] = {
    "tcp": [
        ("shoe", "dealing", "out and in"),
        ("bonus", "betting", "rebooted"),
        ("button", "locking", "another one"),
    ],
    "pty": [
        ("shuffler", "shuffling", "out and in"),
        ("bonus", "locking", "out and in"),
        ("sign", "deciding", "out and in"),
    ],
}


@pytest.mark.parametrize("port", HANDFUL)
def test_a_handful(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, port: Port) -> None:
    cells(tmp_path, monkeypatch, port, HANDFUL[port])


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("port", ["tcp", "pty"])
@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("name", DEVICES)
def test_every_phase(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, act: str, port: Port
) -> None:
    if name == "sign" and act == "another one":
        return  # its serial number is not pinned here; tests/drivers/test_usb_sessions.py
    cells(tmp_path, monkeypatch, port, [(name, phase, act) for phase in PHASES])


@pytest.mark.parametrize("phase", ["locked", pytest.param("dealing", marks=pytest.mark.soak)])
def test_13g_a_shoe_that_forgot_what_it_dealt_has_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, phase: str
) -> None:
    """All hands are void, the wagers go back, and the deck is shuffled again."""

    async def scenario() -> None:
        async with Bench(tmp_path, monkeypatch, forgetful=True) as bench:
            await reach(bench, phase)
            await out_rebooted_and_in(bench, "shoe")
            [voided] = bench.named("round.voided")
            assert voided.data["reason"] == "shoe_jam"
            assert "TCP 13.G" in voided.data["clauses"]
            assert voided.data["returned"]
            await plays_on(bench)

    run(scenario)
