"""The rack in real time: ptys and TCP ports, hosts that come and go, faults that pull the plug."""

import asyncio
import contextlib
import os
import signal
import stat
import subprocess
import sys
import termios
import time
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Self

import pytest

from hwsim.__main__ import main
from hwsim.faults import BadFault, parse_faults
from hwsim.rack import BadRack, Rack, place
from hwsim.tablelink import messages as m

from .host import DISPENSE, LOCK, UNLOCK, Host

LIMIT_S = 10.0
KINDS = ("shuffler", "shoe", "progressive", "button")
ROOT = Path(__file__).parents[2]


class Wire:
    """A host on a real port, by URL: what a driver would do with pyserial."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.host = Host(self.send, seed=time.monotonic_ns())
        self.closed = False

    async def __aenter__(self) -> Self:
        if self.url.startswith("socket://"):
            address, _, port = self.url.removeprefix("socket://").partition(":")
            self.reader, self.writer = await asyncio.open_connection(address, int(port))
            self.task = asyncio.create_task(self._read())
        else:
            self.fd = os.open(self.url, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
            tty.setraw(self.fd)
            termios.tcflush(self.fd, termios.TCIFLUSH)
            asyncio.get_running_loop().add_reader(self.fd, self._readable)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.url.startswith("socket://"):
            self.task.cancel()
            self.writer.close()
            with contextlib.suppress(OSError):
                await self.writer.wait_closed()
        else:
            asyncio.get_running_loop().remove_reader(self.fd)
            os.close(self.fd)

    def send(self, data: bytes) -> None:
        if self.url.startswith("socket://"):
            self.writer.write(data)
        else:
            with contextlib.suppress(OSError):
                os.write(self.fd, data)

    async def _read(self) -> None:
        with contextlib.suppress(OSError):
            while data := await self.reader.read(4096):
                self.host.feed(data)
        self.closed = True

    def _readable(self) -> None:
        try:
            data = os.read(self.fd, 4096)
        except OSError:
            data = b""
        if not data:
            self.closed = True
            asyncio.get_running_loop().remove_reader(self.fd)
        self.host.feed(data)

    async def join(self, **limits: Any) -> Host:
        self.host.hello()
        end = time.monotonic() + LIMIT_S
        while not self.host.welcomed():
            assert time.monotonic() < end, "no WELCOME"
            await asyncio.sleep(0.05)
            self.host.hello(again=True)
        self.host.start(**limits)
        await until(lambda: self.host.all(m.State))
        return self.host


async def until(true: Callable[[], object]) -> None:
    """Wait for it, not for a time."""
    end = time.monotonic() + LIMIT_S
    while not true():
        assert time.monotonic() < end, "it did not come"
        await asyncio.sleep(0.002)


def rack(port: Literal["pty", "tcp"], *kinds: str, **more: Any) -> Rack:
    return Rack([place(kind) for kind in kinds or KINDS], port=port, **more)


@pytest.mark.parametrize("port", ["pty", "tcp"])
def test_a_round_of_cards_over_real_ports(port):
    async def play() -> None:
        async with rack(port, seed=5, speed=None) as pit:
            wires = [Wire(url) for url in pit.urls.values()]
            async with wires[0], wires[1], wires[2], wires[3]:
                shuffler, shoe, bonus, button = [await wire.join() for wire in wires]
                pit.table.receive("red")
                pit.table.put_into_shuffler("red")
                await until(lambda: len(shuffler.events) == 2)
                pit.table.load_shoe("red")
                bonus.command(1, UNLOCK)
                await until(lambda: bonus.outcome(1) == m.DONE)
                assert pit.table.place_chip(2)
                pit.table.press_button()
                await until(lambda: button.events)
                bonus.command(2, LOCK)
                await until(lambda: bonus.outcome(2) == m.DONE)
                assert pit.table.progressive().locked
                shoe.command(1, DISPENSE, 7)
                await until(lambda: len(shoe.events) == 7)
            deck = pit.table.decks["red"]
            assert len(deck.cards) == 52 - 21
            assert deck.accounted()
            assert shuffler.codes() == [0x10, 0x11]
            assert shoe.codes() == [0x20] * 7

    asyncio.run(play())


@pytest.mark.parametrize("port", ["pty", "tcp"])
def test_hosts_come_one_after_the_other(port):
    async def play() -> None:
        async with rack(port, "progressive") as pit:
            url = pit.urls["progressive"]
            device = pit.table.progressive()
            for n in range(1, 4):
                async with Wire(url) as wire:
                    host = await wire.join(heartbeat_ms=50, silence_ms=200)
                    assert host.last(m.State).condition.flags & m.LOCKED
                    assert host.last(m.State).permit.n == n - 1
                    host.command(n, UNLOCK)
                    await until(lambda: not device.locked)
                await until(lambda: device.locked)  # closed, or silent

    asyncio.run(play())


def test_a_new_tcp_connection_replaces_the_old():
    async def play() -> None:
        async with rack("tcp", "progressive") as pit, Wire(pit.urls["progressive"]) as one:
            (await one.join()).command(1, UNLOCK)
            await until(lambda: not pit.table.progressive().locked)
            async with Wire(pit.urls["progressive"]) as two:
                await until(lambda: one.closed)
                assert pit.table.progressive().locked
                assert (await two.join()).last(m.State).permit.n == 1

    asyncio.run(play())


@pytest.mark.parametrize("port", ["pty", "tcp"])
@pytest.mark.parametrize("kind", ["disconnect", "swap"])
def test_a_pulled_plug_is_put_in_again(port, kind):
    async def play() -> None:
        faults = parse_faults(f"{kind}/shoe#1")
        async with rack(port, "shoe", faults=faults) as pit:
            pit.units["shoe"].boot_ns = 50_000_000
            async with Wire(pit.urls["shoe"]) as wire:
                host = await wire.join()
                serial = dict(host.last(m.Welcome).items)[m.SERIAL]
                host.command(1, 0x02)
                await until(lambda: wire.closed)
            url = pit.urls["shoe"]
            await until(lambda: port == "tcp" or os.path.exists(url))
            async with Wire(pit.urls["shoe"]) as wire:
                host = await wire.join()
                again = dict(host.last(m.Welcome).items)[m.SERIAL]
                assert (again != serial) is (kind == "swap")

    asyncio.run(play())


def test_an_unplugged_port_has_no_name():
    """Its number may be another process's terminal by now: nobody must be led there."""

    async def play() -> None:
        async with rack("pty", "button") as pit:
            url = pit.urls["button"]
            pit.units["button"].hang_up = True
            pit.table.press_button()
            await until(lambda: not os.path.lexists(url))
            await until(lambda: os.path.lexists(url))
            async with Wire(url) as wire:
                host = await wire.join()
                await until(lambda: host.codes() == [0x40])

    asyncio.run(play())


def test_speed_is_the_devices_not_the_line_s():
    async def play() -> None:
        async with (
            rack("tcp", "shuffler", speed=40) as pit,
            Wire(pit.urls["shuffler"]) as wire,
        ):
            host = await wire.join(heartbeat_ms=100, silence_ms=5000)
            pit.table.receive("red")
            begun = time.monotonic()
            pit.table.put_into_shuffler("red")
            await until(lambda: len(host.events) == 2)
            took = time.monotonic() - begun
            assert 0.19 < took < 6, "eight seconds of shuffling"
            assert len(host.all(m.Alive)) <= took / 0.1 + 1

    asyncio.run(play())


def test_an_idle_rack_sleeps():
    async def play() -> None:
        async with rack("pty") as pit:
            wires = [Wire(url) for url in pit.urls.values()]
            async with wires[0], wires[1]:
                for wire in wires[:2]:
                    await wire.join(heartbeat_ms=200, silence_ms=600_000)
                begun = time.process_time()
                await asyncio.sleep(1)
                assert time.process_time() - begun < 0.2

    asyncio.run(play())


def test_the_ports_leave_nothing_behind(tmp_path):
    async def play() -> Path:
        async with rack("pty", directory=tmp_path / "dev") as pit:
            assert set(os.listdir(tmp_path / "dev")) == set(KINDS)
            modes = [os.stat(url).st_mode for url in pit.urls.values()]
            assert all(stat.S_ISCHR(mode) for mode in modes)
        async with rack("pty", "button") as pit:
            return Path(pit.urls["button"]).parent

    before = len(os.listdir("/proc/self/fd"))
    own = asyncio.run(play())
    assert not own.exists()
    assert not list((tmp_path / "dev").iterdir())
    assert len(os.listdir("/proc/self/fd")) == before


# ── what cannot be built ──
@pytest.mark.parametrize(
    ("build", "why"),
    [
        (lambda: place("toaster"), "is no device"),
        (lambda: place("shoe=a/b"), "no name"),
        (lambda: Rack([]), "at least one"),
        (lambda: Rack([place("shoe"), place("shoe")]), "the same name"),
        (lambda: Rack([place("shoe")], speed=0), "a speed lies"),
        (lambda: Rack([place("shoe")], faults=parse_faults("jam/oven")), "no device 'oven'"),
        (lambda: Rack([place("shoe")], faults=parse_faults("late_bet")), "cannot happen at any"),
    ],
)
def test_a_rack_that_cannot_be(build, why):
    with pytest.raises((BadRack, BadFault), match=why):
        build()


def test_a_fault_by_time_alone_has_a_seeded_aim():
    def aim(seed: int) -> list[str | None]:
        return [
            f.device for f in rack("pty", seed=seed, faults=parse_faults("reboot@3")).faults.faults
        ]

    assert aim(1) == aim(1)
    assert {aim(seed)[0] for seed in range(20)} == set(KINDS)


# ── the command line ──
@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--device", "toaster"], "is no device"),
        (["--faults", "slow_disk"], "the box's fault"),
        (["--speed", "fast"], "neither a number nor max"),
        (["--speed", "nan"], "a speed lies"),
        (["--tcp", "--dir", "x"], "--dir is for ptys"),
        (["--seed", "x"], "invalid int value"),
        (["--tcp", "--pty"], "not allowed with"),
    ],
)
def test_wrong_usage_is_one_sentence(arguments, why, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    said = capsys.readouterr()
    assert why in said.err
    assert said.err.count("\n") == 1
    assert not said.out


def test_a_port_that_cannot_be_opened(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["--dir", str(tmp_path / "file" / "x")]) == 3
    assert capsys.readouterr().err.startswith("hwsim: a port could not be opened")


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_the_command_runs_until_it_is_told_to_end(sign):
    command = [
        sys.executable,
        "-m",
        "hwsim",
        "--tcp",
        "--device",
        "shuffler",
        "--device",
        "button=b",
    ]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stdin
        assert process.stderr
        urls = dict(process.stdout.readline().split() for _ in range(2))
        assert list(urls) == ["shuffler", "b"]
        assert all(url.startswith("socket://127.0.0.1:") for url in urls.values())
        process.stdin.write("press\njump\nshuffle\n")
        process.stdin.flush()
        said = [process.stderr.readline() for _ in range(2)]
        assert "'jump' is nothing that a person does here" in said[0]
        assert "shuffle needs a deck" in said[1]
        process.send_signal(sign)
        out, err = process.communicate(timeout=LIMIT_S)
        assert (process.returncode, out, err) == (0, "", "")
