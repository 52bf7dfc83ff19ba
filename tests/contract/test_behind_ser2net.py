"""Every contract of a serial driver once more, behind a real ser2net: raw TCP and RFC 2217.

The suites are those beside this module. They mostly wait, so they are played side by side, each on
a line of one ser2net of their own.
"""

import asyncio
import inspect
import queue
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.contract import (
    test_any_device,
    test_badge_reader,
    test_button,
    test_drawing_shoe,
    test_indicator,
    test_progressive,
    test_reading_shoe,
    test_shoe,
    test_shuffler,
    test_trust,
)
from tests.contract.boards import ModbusPty, NumatoPty
from tests.contract.peers import PtyPeer
from tests.contract.readers import AngelEyePty, BeeTekPty, ReaderPeer
from tests.contract.rig import Rig
from tests.ser2net import Ser2net

LINES = 8
KINDS = (
    test_any_device, test_badge_reader, test_button, test_indicator, test_progressive, test_shoe,
    test_shuffler, test_trust,
)  # fmt: skip
READERS = (test_reading_shoe,)
# The peer, its suites, and how many of their promises are asked of it at the least.
DRIVERS: dict[str, tuple[Any, tuple[ModuleType, ...], int]] = {
    "tablelink": (PtyPeer, KINDS, 80),
    "tablelink, card by card": (test_drawing_shoe.ScriptedPty, (test_drawing_shoe,), 4),
    "numato": (NumatoPty, KINDS, 15),
    "modbus": (ModbusPty, KINDS, 15),
    "angel_eye": (AngelEyePty, READERS, 10),
    "bee_tek": (BeeTekPty, READERS, 10),
}


class Behind:
    """A peer on a pty, with the port server between it and the host."""

    def __init__(self, peer: Any, line: Path, url: str) -> None:
        self._peer, self._line, self.url = peer, line, url

    def __getattr__(self, name: str) -> Any:
        return getattr(self._peer, name)

    async def start(self) -> None:
        await self._peer.start()
        self._line.unlink(missing_ok=True)
        self._line.symlink_to(self._peer.url.removeprefix("pty:"))

    async def drop(self) -> None:
        """The device is unplugged from the port server. Of one that never says whether it is there
        a host sees no more than the server: there somebody else takes the line for a moment."""
        if not isinstance(self._peer, ReaderPeer):
            await self._peer.drop()
            return
        host, _, port = self.url.partition("://")[2].partition(":")
        _, writer = await asyncio.open_connection(host, int(port))
        await asyncio.sleep(0.05)
        writer.close()


class NotAsked(Exception):
    """This peer makes no such promise."""


class Player:
    """Plays a scenario with a peer behind a free line."""

    def __init__(self, server: Ser2net, scheme: str, peer_class: Any, folder: Path) -> None:
        self._server, self._scheme, self._folder = server, scheme, folder
        self._peer_class = peer_class
        self._free: queue.SimpleQueue[int] = queue.SimpleQueue()
        self.played = 0
        for number in range(LINES):
            self._free.put(number)

    def kind(self, kind: str, scenario: Any, *, needs: str = "", **plan: Any) -> None:
        """As the fixture `play` of the kinds' suites."""
        kind = kind or min(self._peer_class.kinds)
        asked = not needs or getattr(self._peer_class, needs, None)
        if kind not in self._peer_class.kinds or not asked:
            raise NotAsked
        self._play(lambda place: self._peer_class(kind, place), kind, scenario, plan)

    def shoe(self, scenario: Any) -> None:
        """As that of the shoes that tell cards one by one."""
        self._play(lambda place: self._peer_class("shoe", place), "shoe", scenario, {})

    def reader(self, scenario: Any, **plan: Any) -> None:
        """As that of the reading shoes."""
        plan = {"read_only": True, "silence_ms": None, **plan}
        self._play(self._peer_class, "shoe", scenario, plan)

    def _play(
        self, make: Callable[[Path], Any], kind: str, scenario: Any, plan: dict[str, Any]
    ) -> None:
        number = self._free.get()
        place = self._folder / f"peer-{number}"
        place.mkdir(exist_ok=True)
        url = self._server.url(self._scheme, number)

        async def whole() -> None:
            peer = Behind(make(place), self._server.line(number), url)
            async with Rig(peer, kind, **plan) as rig:
                await scenario(rig)

        asyncio.run(whole())
        self.played += 1
        self._free.put(number)


def cases(suite: ModuleType) -> Iterator[tuple[str, Callable[..., None], dict[str, Any]]]:
    """The tests of a suite, once for each set of parameters."""
    for name, test in inspect.getmembers(suite, inspect.isfunction):
        if not name.startswith("test_") or "capfd" in inspect.signature(test).parameters:
            continue  # what is captured is the whole process's, and here many are played at once
        everywhere = getattr(suite, "pytestmark", [])
        everywhere = everywhere if isinstance(everywhere, list) else [everywhere]
        marks = [m for m in (*everywhere, *getattr(test, "pytestmark", [])) if m.args]
        for values in product(*(mark.args[1] for mark in marks)):
            given = {mark.args[0]: value for mark, value in zip(marks, values, strict=True)}
            yield f"{name}{list(given.values())}", test, given


@pytest.mark.parametrize("scheme", ["socket", "rfc2217"])
@pytest.mark.parametrize("driver", DRIVERS)
def test_the_contracts_hold_behind_a_port_server(driver, scheme, tmp_path):
    peer_class, suites, least = DRIVERS[driver]
    wrong: list[Exception] = []
    with Ser2net(tmp_path, LINES) as server, ThreadPoolExecutor(LINES) as pool:
        player = Player(server, scheme, peer_class, tmp_path)
        play: Any = player.reader if suites is READERS else player.kind
        play = player.shoe if test_drawing_shoe in suites else play

        def run(name: str, test: Callable[..., None], given: dict[str, Any]) -> None:
            try:
                test(play, **given)
            except NotAsked:
                pass
            except Exception as error:  # noqa: BLE001 - all of them are told, at the end
                error.add_note(name)
                wrong.append(error)

        for suite in suites:
            for case in cases(suite):
                pool.submit(run, *case)
    if wrong:
        raise ExceptionGroup(f"{driver} behind {scheme}", wrong)
    assert player.played >= least
