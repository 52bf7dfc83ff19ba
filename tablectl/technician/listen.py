"""`tablectl listen`: what one device tells, live, a line each, until Ctrl-C or the time is up.

No command is sent, and what is read only hears no byte. The daemon must not run: it has the port,
and what the device tells belongs to it.
"""

import asyncio
import json
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from tablectl.daemon.config import Config
from tablectl.daemon.devices import plan_of
from tablectl.daemon.named_files import device_keys
from tablectl.hal import registry
from tablectl.hal.errors import LinkNotOpened
from tablectl.hal.kinds import Counters, DevicePlan, Identity, Line, Reading
from tablectl.hal.link import Link, open_link
from tablectl.hal.supervisor import OpenLink, Supervisor
from tablectl.journal.chain import rfc3339
from tablectl.journal.errors import JournalError, JournalInUse
from tablectl.journal.files import GuestLock
from tablectl.journal.reading import latest
from tablectl.technician import shapes, spoken
from tablectl.technician.box import at_play
from tablectl.technician.shapes import Told
from tablectl.technician.spoken import Speech
from tablectl.technician.trial import Log, mute

END_S: Final = 5.0
NS, MS = 1_000_000_000, 1_000_000
_OPEN, _CLOSED = "tablectl.table.opened", "tablectl.table.closed"


class CannotListen(Exception):
    """A sentence that says why, and what to do."""


Say = Callable[[str], None]


class Ear:
    """Listens to one device and says what it hears."""

    def __init__(self, plan: DevicePlan, speech: Speech, say: Say, as_json: bool) -> None:
        self._plan, self._speech, self._say, self._json = plan, speech, say, as_json
        self._counters = Counters()
        self._before = self._counters.figures()
        self._identity: Identity | None = None
        self._stop = asyncio.Event()
        self._in_use: str | None = None
        self._supervisor: Supervisor | None = None
        self.opened = False

    async def listen(self, seconds: float | None, open_it: OpenLink = open_link) -> None:
        """Until `seconds` are over, or somebody stops it. Raises CannotListen."""
        log = Log()
        log.on_handled = self._handled
        watched = log.opener(mute(self._plan), self._opener(open_it))
        supervisor = self._supervisor = Supervisor(
            self._plan, self._listen, counters=self._counters, open_link=watched
        )
        running = asyncio.create_task(supervisor.run())
        running.add_done_callback(lambda _: self._stop.set())
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            with suppress(NotImplementedError, ValueError, RuntimeError):  # not the main thread
                loop.add_signal_handler(number, self._stop.set)
        try:
            async with asyncio.timeout(seconds):
                await self._stop.wait()
        except TimeoutError:
            pass
        finally:
            supervisor.stop()
            await asyncio.wait([running], timeout=END_S)
        if self._in_use is not None:
            raise CannotListen(self._in_use)
        if running.done() and (error := running.exception()) is not None:
            raise error

    def _opener(self, open_it: OpenLink) -> OpenLink:
        async def opened(url: str, line: Line) -> Link:
            try:
                link = await open_it(url, line)
            except LinkNotOpened as error:
                if "in use" in str(error):  # whoever has it, keeps it
                    self._in_use = str(error)
                    self._stop.set()
                raise
            self.opened = True
            return link

        return opened

    def _listen(self, _device: str, reading: Reading) -> None:
        self._who()
        self._tell(self._speech.reading(reading))

    def _handled(self) -> None:
        """Some bytes were taken in: frames that were no reading are told by their number."""
        self._who()
        told = spoken.frames(self._before, self._counters)
        self._before = self._counters.figures()
        if told is not None:
            self._tell(told)

    def _who(self) -> None:
        assert self._supervisor is not None
        identity = self._supervisor.status.identity
        if identity is not None and identity != self._identity:
            self._identity = identity
            self._tell(spoken.who(identity))

    def _tell(self, told: Told) -> None:
        now_ns = time.time_ns()
        try:
            if self._json:
                line: shapes.Line = {"time": rfc3339(now_ns), "device": self._plan.id, **told}
                self._say(json.dumps(line))
            else:
                clock = time.strftime("%H:%M:%S", time.localtime(now_ns // NS))
                self._say(f"{clock}.{now_ns % NS // MS:03}  {spoken.line(told)}")
        except BrokenPipeError:  # whoever read this has seen enough
            self._stop.set()


def plan_for(config: Config, device: str) -> DevicePlan:
    """The device's plan. Raises CannotListen, ConfigError where a named file is of no use."""
    keys = device_keys(config)
    plan = plan_of(device, config.devices[device], keys.get(device))
    if registry.family(plan.driver).keeps and at_play(config) and _may_be_open(config):
        raise CannotListen(
            f"the table is open by its journal, and {device} keeps what it has to tell for the "
            "daemon: close the table first; tablectl doctor looks at the device without taking it"
        )
    return plan


def _may_be_open(config: Config) -> bool:
    """Whether the journal's last word is that the table is open, or nobody can tell."""
    try:
        return latest(Path(config.table.data), (_OPEN, _CLOSED)) == _OPEN
    except (JournalError, OSError):
        return True


def keep_out_the_daemon(config: Config) -> GuestLock:
    """Its devices are ours for a while. Raises CannotListen where it runs, JournalUnwritable."""
    try:
        return GuestLock(Path(config.table.data))
    except JournalInUse as used:
        raise CannotListen(daemon_runs(used)) from None


def daemon_runs(used: JournalInUse) -> str:
    """Why nobody else may listen now."""
    return (
        f"{str(used).partition(': ')[0]}, which has this table's devices: stop the daemon first, "
        "or read its events on MQTT or at /api/events"
    )
