"""One device, tried: its real driver and supervisor on its real port, for a few seconds.

No command is sent. A device that is read only, or somebody else's, hears no byte at all: that is
held at the link, whatever its driver would say. Reports that it keeps for the daemon stay with it.
"""

import asyncio
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from tablectl.daemon.devices import stranger
from tablectl.hal import registry
from tablectl.hal.errors import HalError
from tablectl.hal.kinds import Counters, DevicePlan, Identity, Line, Reading
from tablectl.hal.link import Link, OnBytes, OnLost, open_link
from tablectl.hal.places import lasting_names
from tablectl.hal.supervisor import OpenLink, Supervisor
from tablectl.technician.advice import advice
from tablectl.technician.findings import Examined
from tablectl.technician.shapes import How

TRY_S: Final = 12.0  # opening takes 6 s at the most, a greeting 5
WATCH_S: Final = 1.0  # after `online`: a fault that stands is told at once
LISTEN_S: Final = 3.0  # a device that only tells may have something to tell
END_S: Final = 5.0
_FAULTS: Final = ("fault", "jam")
_SHORT_LIVED: Final = ("/dev/ttyUSB", "/dev/ttyACM")


class Watched:
    """A link that is listened in on; `mute`: nothing that is written leaves."""

    def __init__(self, link: Link, mute: bool, log: "Log") -> None:
        self._link, self._mute, self._log = link, mute, log
        self.plug = getattr(link, "plug", "")  # the USB plug, where the link knows it
        self._on_bytes: OnBytes | None = None

    def attach(self, on_bytes: OnBytes, on_lost: OnLost) -> None:
        """As a link's."""
        self._on_bytes = on_bytes
        self._link.attach(self._heard, on_lost)

    def _heard(self, data: bytes) -> None:
        self._log.came(len(data))
        assert self._on_bytes is not None
        self._on_bytes(data)
        self._log.on_handled()

    def write(self, data: bytes) -> None:
        """As a link's, unless it is mute."""
        if self._mute:
            self._log.withhold(len(data))
            return
        self._log.went()
        self._link.write(data)

    async def close(self) -> None:
        """As a link's."""
        await self._link.close()


class Log:
    """What passed over a watched link."""

    def __init__(self) -> None:
        self.opened = False
        self.bytes_in = 0
        self.withheld = 0
        self.on_withheld: Callable[[], object] = lambda: None  # for the first time
        self.on_handled: Callable[[], object] = lambda: None  # whenever bytes were taken in
        self.waits_ns: list[int] = []  # from a request to the first byte after it
        self._asked_ns: int | None = None

    def went(self) -> None:
        """Something was asked."""
        if self._asked_ns is None:
            self._asked_ns = time.monotonic_ns()

    def withhold(self, size: int) -> None:
        """Something would have been asked, and was not."""
        if not self.withheld:
            self.on_withheld()
        self.withheld += size

    def came(self, size: int) -> None:
        """Something came."""
        self.bytes_in += size
        if self._asked_ns is not None:
            self.waits_ns.append(time.monotonic_ns() - self._asked_ns)
            self._asked_ns = None

    def opener(self, mute: bool, open_it: OpenLink) -> OpenLink:
        """Opens links that are watched here."""

        async def opened(url: str, line: Line) -> Link:
            link = await open_it(url, line)
            self.opened = True
            return Watched(link, mute, self)

        return opened


def mute(plan: DevicePlan) -> bool:
    """Whether nothing may be sent. A driver without commands asks only what it must to listen."""
    return plan.read_only and registry.family(plan.driver).speaks != "never"


@dataclass(slots=True)
class _Heard:
    """What came through, until enough is known."""

    enough: asyncio.Event
    log: Log
    counters: Counters
    online: bool = False
    offline: str | None = None
    round_trip_ms: float | None = None
    faults: tuple[str, ...] = ()

    def listen(self, _device: str, reading: Reading) -> None:
        if reading.name == "online":
            self.online, self.faults = True, ()
            waits = self.log.waits_ns
            self.round_trip_ms = round(statistics.median(waits) / 1e6, 1) if waits else None
            self.enough.set()
        elif reading.name == "offline":
            self.offline = self.offline or str(reading.args["what"])
            self.enough.set()
        elif reading.name in _FAULTS:
            what = str(reading.args.get("what", reading.name))
            self.faults = tuple(dict.fromkeys((*self.faults, what)))
        elif reading.name == "cleared":
            self.faults = ()


async def examine(
    plan: DevicePlan, simulated: bool, *, open_it: OpenLink = open_link, try_s: float = TRY_S
) -> Examined:
    """Try a device, and say what is wrong with it."""
    plan = replace(plan, peek=True)
    log, counters = Log(), Counters()
    heard = _Heard(asyncio.Event(), log, counters)
    try:
        opener = log.opener(mute(plan), open_it)
        supervisor = Supervisor(plan, heard.listen, counters=counters, open_link=opener)
    except HalError as error:
        return _answer(plan, ("wrong", str(error), ""))
    # A device that is not asked will not answer: there is only so much to hear.
    loop = asyncio.get_running_loop()
    log.on_withheld = lambda: loop.call_later(LISTEN_S, heard.enough.set)
    running = asyncio.create_task(supervisor.run())
    try:
        await _enough(heard, supervisor, try_s)
    finally:
        supervisor.stop()
        await asyncio.wait([running], timeout=END_S)
    if running.done() and (error_ := running.exception()) is not None:
        raise error_
    identity = supervisor.status.identity
    refused = supervisor.status.refused
    return _answer(plan, _judged(plan, heard, identity, refused, simulated), heard, identity)


async def _enough(heard: _Heard, supervisor: Supervisor, try_s: float) -> None:
    """Wait until it is online or not, then a little for what it has to tell."""
    try:
        async with asyncio.timeout(try_s):
            await heard.enough.wait()
    except TimeoutError:
        return
    if heard.online and heard.offline is None:
        heard.enough.clear()
        wait_s = WATCH_S if supervisor.status.identity is not None else LISTEN_S
        try:
            async with asyncio.timeout(wait_s):
                await heard.enough.wait()
        except TimeoutError:
            pass


_Verdict = tuple[How, str, str]


def _judged(
    plan: DevicePlan, heard: _Heard, identity: Identity | None, refused: bool, simulated: bool
) -> _Verdict:
    """How it is, in one sentence, and what to do."""
    if heard.log.withheld and not heard.online and not refused:
        what = f"the port opens; it is read only, so nothing was asked, and {_came(heard.log)}"
        return "note", what, ""
    if heard.offline is not None:
        return "wrong", heard.offline, advice(heard.offline, plan.url)
    if not heard.online:
        what = "it was not ready in time" if heard.log.opened else "its port did not open in time"
        return "wrong", what, advice(what, plan.url)
    if heard.faults:
        what = f"it answers, and reports: {', '.join(heard.faults)}"
        return "wrong", what, "mend the device, then look again"
    odd = None if simulated else stranger(identity)
    if odd is not None:
        return "wrong", odd, "connect the device itself, or say simulated = true in [table]"
    return _note(plan, heard, identity, simulated)


def _note(plan: DevicePlan, heard: _Heard, identity: Identity | None, simulated: bool) -> _Verdict:
    """It works: whether there is something to know all the same."""
    counters = heard.counters
    if identity is None and counters.frames_bad and not counters.frames_good:
        what = f"something comes, and no frame of it is whole ({counters.frames_bad} damaged)"
        return "wrong", what, "see to speed (options.baud) and cable; is it the right device?"
    if identity is None and not heard.log.bytes_in:
        what = "the port opens; it never says who it is, and told nothing meanwhile"
        do = f"have it tell something while you watch: tablectl listen {plan.id} --config FILE"
        return "note", what, do
    if plan.url.startswith(_SHORT_LIVED):
        better = lasting_names(plan.url)
        do = f"use {better[0]}" if better else "install systemd/70-tablectl.rules and use its name"
        return "note", f"it works; {plan.url} is whatever was plugged in first", do
    if identity is None:
        return "fine", f"the port opens, and {counters.frames_good} frames came", ""
    if identity.serial and not (plan.identity or plan.versions or simulated):
        do = f'pin it: identity = {{ serial = "{identity.serial}" }}'
        return "note", "it answers; another one in its place would be taken too", do
    return "fine", "it answers", ""


def _came(log: Log) -> str:
    return f"{log.bytes_in} bytes came" if log.bytes_in else "nothing came"


def _answer(
    plan: DevicePlan,
    verdict: _Verdict,
    heard: _Heard | None = None,
    identity: Identity | None = None,
) -> Examined:
    how, found, do = verdict
    who: dict[str, Any] = {}
    if identity is not None:
        who = {"serial": identity.serial, "model": identity.model, "proved": identity.proved}
        told = {"boot": identity.boot, "game_mode": identity.game_mode, "path": identity.path}
        who |= {name: text for name, text in told.items() if text}
        who |= {"capabilities": sorted(identity.capabilities)} if identity.capabilities else {}
    return Examined(
        device=plan.id,
        kind=plan.kind,
        driver=plan.driver,
        url=plan.url,
        how=how,
        found=found,
        do=do,
        identity=who,
        pinned={**plan.identity, **plan.versions},
        versions=identity.versions if identity is not None else {},
        minimum_versions=plan.minimum_versions,
        counters=heard.counters.figures() if heard is not None else {},
        round_trip_ms=heard.round_trip_ms if heard is not None else None,
    )


Progress = Callable[[str], None]


async def examine_all(
    plans: list[DevicePlan], simulated: bool, progress: Progress
) -> list[Examined]:
    """Try them all side by side; `progress` hears who is still awaited."""
    waiting = [plan.id for plan in plans]

    async def one(plan: DevicePlan) -> Examined:
        try:
            return await examine(plan, simulated)
        finally:
            waiting.remove(plan.id)
            progress(f"waiting for {', '.join(waiting)}" if waiting else "")

    progress(f"trying {', '.join(waiting)}" if waiting else "")
    return list(await asyncio.gather(*(one(plan) for plan in plans)))
