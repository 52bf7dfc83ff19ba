"""The daemon, whole: journal, devices, MQTT and HTTP around one desk, from start to stop.

Start: everything is restricted, then devices are opened, then people and programs may ask. Stop is
the other way round, within five seconds.
"""

import asyncio
import signal
import sys
from contextlib import suppress
from typing import Any, Final

import structlog
import uvicorn

from tablectl import __version__
from tablectl.daemon import metrics
from tablectl.daemon.badges import Badges
from tablectl.daemon.clock import BoxClock, synchronised
from tablectl.daemon.config import Config, digest, to_setup
from tablectl.daemon.desk import Desk, open_desk
from tablectl.daemon.devices import Devices
from tablectl.daemon.front import Front
from tablectl.daemon.notify import Notifier
from tablectl.daemon.people import People
from tablectl.daemon.post import Post
from tablectl.daemon.server import make_server
from tablectl.daemon.shapes import Health
from tablectl.hal.kinds import Identity
from tablectl.journal.chain import Published
from tablectl.outbox.payloads import DeviceFacts
from tablectl.table.inputs import Action, Restart
from tablectl.table.outputs import Command
from tablectl.table.table import CORE_VERSION

log = structlog.get_logger("tablectl.service")

# A busy thread (journal, MQTT) must not keep the lock path waiting: 5 ms is Python's own interval.
SWITCH_INTERVAL_S: Final = 0.0005
STOP_WITHIN_S: Final = 4.0


class Service:
    """One table's daemon. `run` returns when it was told to stop."""

    def __init__(self, config: Config, make_app: Any, notifier: Notifier | None = None) -> None:
        self.config = config
        self._make_app = make_app
        self._notifier = notifier or Notifier()
        self._stopping = asyncio.Event()
        self._clock = BoxClock()
        self.devices = Devices(config)
        self.desk: Desk | None = None
        self.post: Post | None = None
        self.front: Front | None = None
        self.badges: Badges | None = None
        self._server: uvicorn.Server | None = None
        self._tasks: list[asyncio.Task[Any]] = []

    @property
    def address(self) -> str:
        """Where HTTP listens, with the port that was found where 0 was asked for."""
        assert self._server is not None
        host, port = self._server.servers[0].sockets[0].getsockname()[:2]
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    def stop(self) -> None:
        """Ask the daemon to end."""
        self._stopping.set()

    async def run(self, ready: Any = None) -> bool:
        """Start, serve until `stop` or a signal, stop. False where the journal lost the end."""
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        await self.start()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            with suppress(
                NotImplementedError, ValueError
            ):  # not on the main thread: the owner stops
                loop.add_signal_handler(number, self.stop)
        self._notifier.say("READY=1", f"STATUS=table {self.config.table.id}")
        if ready is not None:
            ready(self)
        await self._stopping.wait()
        written = await self.finish()
        log.info("stopped", written=written)
        return written

    async def start(self) -> None:
        """Restrict, open the journal and the links, let people in. Raises JournalError, OSError.

        What was begun is ended again where the rest cannot begin.
        """
        try:
            await self._start()
        except BaseException:
            if self.desk is not None:
                await self.finish()
            raise

    async def _start(self) -> None:
        desk = open_desk(self.config, self._clock.now, self._send, self._published)
        self.desk = desk
        # A new journal counts its commands from 1 again: to devices it is another boot.
        self._clock.boot = f"{self._clock.boot}/{desk.recorder.identity.epoch}"
        setup = to_setup(self.config)
        desk.submit(
            lambda at: Restart(
                at, setup, digest(self.config), __version__, CORE_VERSION, synchronised()
            )
        )
        people = People(self.config.people, lambda: self._clock.now().mono_ns)
        self.front = Front(desk, people if self.config.people else None)
        self.badges = Badges(people, desk.submit, lambda: desk.state, desk.now)
        if self.config.mqtt is not None:
            self.post = Post(self.config, desk, self._facts)
            self.post.start()
        desk.listen(self._changed)
        marks = {d.id: d.mark.text for d in desk.state.devices if d.mark is not None}
        self.devices.start(desk.submit, self._failed, marks, self.badges.read)
        await self._serve()
        if self._notifier.watchdog_s is not None:
            self._tasks.append(asyncio.create_task(self._watchdog(self._notifier.watchdog_s)))
        log.info("started", table=self.config.table.id, site=self.config.table.site)

    async def finish(self) -> bool:
        """Stop in the reverse order. False where the journal could not write the end."""
        assert self.desk is not None
        self._notifier.say("STOPPING=1")
        for task in self._tasks:
            task.cancel()
        if self.badges is not None:
            self.badges.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(STOP_WITHIN_S):
                await self.devices.stop()
                if self._server is not None:
                    self._server.should_exit = True
                    self._server.force_exit = True
                    await self._server.shutdown()
        written = self.desk.close()
        if self.post is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(STOP_WITHIN_S):
                    await self.post.stop()
        if self.front is not None:
            self.front.close()
        return written

    # ── wiring ─────────────────────────────────────────────────────────────
    def _send(self, command: Command) -> None:
        self.devices.send(command)

    def _published(self, event: Published) -> None:
        if self.front is not None:
            self.front.offer(event)
        if self.post is not None:
            self.post.offer(event)

    def _changed(self) -> None:
        if self.post is not None:
            self.post.changed()
            if self.front is not None:
                self.front.unconfirmed = self.post.publisher.unconfirmed

    def _failed(self, what: str) -> None:
        """A part of ours failed: the table stands still rather than run half."""
        assert self.desk is not None
        reason = what[:200]
        self.desk.submit(
            lambda at: Action(at, "halt_table", "tablectl", ("floor",), "self", {"reason": reason})
        )

    def _facts(self) -> dict[str, DeviceFacts]:
        facts = {}
        for name, supervisor in self.devices.supervisors.items():
            identity = supervisor.status.identity
            facts[name] = DeviceFacts(
                identity=_told(identity) if identity else {},
                versions=dict(identity.versions) if identity else {},
                counters=supervisor.counters.figures(),
            )
        return facts

    # ── HTTP ───────────────────────────────────────────────────────────────
    async def _serve(self) -> None:
        assert self.front is not None
        http = self.config.http
        app = self._make_app(self.front, self._health, self._metrics, self._hosts)
        server = make_server(app, http)
        try:
            await server.startup()
        except SystemExit:
            raise OSError(f"cannot listen on {http.listen}: is something else there?") from None
        self._server = server
        self._tasks.append(asyncio.create_task(server.main_loop()))

    def _hosts(self) -> set[str]:
        """The Host headers that mean this daemon."""
        address = self.address
        port = address.rpartition(":")[2]
        names = {address, self.config.http.listen}
        if self.config.http.host in ("127.0.0.1", "localhost", "::1"):
            names |= {f"localhost:{port}", f"127.0.0.1:{port}", f"[::1]:{port}"}
        for name in self.config.http.hosts:
            names |= {name, f"{name}:{port}"}
        return names

    def _health(self) -> tuple[bool, Health]:
        assert self.desk is not None
        failure = self.desk.recorder.failure
        body: Health = {
            "journal": failure or "writes",
            "halted": self.desk.state.halt is not None,
            "sequence": self.desk.state.sequence,
            "durable": self.desk.recorder.durable,
        }
        return failure is None, body

    def _metrics(self) -> str:
        assert self.desk is not None
        assert self.front is not None
        broker = (self.post.publisher.connected, self.post.publisher.backlog) if self.post else None
        return metrics.page(self.desk, self.front, self.devices, broker)

    async def _watchdog(self, every_s: float) -> None:
        """Tell systemd that the loop turns, and only while the journal writes."""
        while True:
            await asyncio.sleep(every_s)
            if self.desk is not None and self.desk.recorder.failure is None:
                self._notifier.say("WATCHDOG=1")


def _told(identity: Identity) -> dict[str, str]:
    """Who answers, for the device's topic; what it has no word for is left out."""
    words = {"path": identity.path, "game_mode": identity.game_mode}
    said = {name: text for name, text in words.items() if text}
    return {"serial": identity.serial, "model": identity.model, **said}
