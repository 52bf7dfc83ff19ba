"""Keeps one device's link: open, handshake, run, close, back off. Only here links are reopened.

     WAITING ─► OPENING ─► GREETING ─► ONLINE
        ▲           │          │          │   lost, silent, refused, stopped
        └───────────┴──────────┴──────────┘   `offline`, with a sentence

Supervisors share nothing, and nothing here blocks the loop: one silent device never disturbs its
neighbour. Clock and randomness are given, so that tests run in virtual time.
"""

import asyncio
import os
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final

from tablectl.hal import registry
from tablectl.hal.allowance import BYTES, READINGS, Allowance
from tablectl.hal.errors import CommandRefused, HalError
from tablectl.hal.identity import refusal
from tablectl.hal.kinds import (
    Command,
    Counters,
    DevicePlan,
    Driver,
    Ended,
    Heard,
    Identity,
    Line,
    RandomBytes,
    Reading,
    Session,
    check_command,
    check_reading,
)
from tablectl.hal.link import Link, open_link

NS: Final = 1_000_000_000
BACKOFF_FIRST_S: Final = 0.25
BACKOFF_LONGEST_S: Final = 10.0  # a lost link is tried again within 20 s, opening included
STEADY_NS: Final = 10 * NS  # a link that held so long was a good one: back-off begins anew
TICK_LEAST_S: Final = 0.001

Listener = Callable[[str, Reading], None]
OpenLink = Callable[[str, Line], Awaitable[Link]]

WAITING, OPENING, GREETING, ONLINE, STOPPED = "waiting", "opening", "greeting", "online", "stopped"


@dataclass(frozen=True, slots=True)
class Status:
    """How a device's link is, for the device's topic, `/metrics` and the technician."""

    device: str
    state: str  # waiting | opening | greeting | online | stopped
    what: str  # why it is not online; empty where it is
    refused: bool  # it answers, and must not be used as it is
    identity: Identity | None  # who answered last
    since_ns: int


@dataclass(frozen=True, slots=True)
class _End:
    """Why a link ended. `sort` decides whether it is news."""

    what: str
    sort: str  # "lost" | "refused" | "driver" | "stopped"
    refused: str = ""  # for what: see REFUSED_FOR


class Supervisor:
    """One device. `run` it as a task; `send` commands; readings come through the listener."""

    def __init__(
        self,
        plan: DevicePlan,
        listener: Listener,
        *,
        driver: Driver | None = None,
        counters: Counters | None = None,
        open_link: OpenLink = open_link,
        clock_ns: Callable[[], int] = time.monotonic_ns,
        rng: random.Random | None = None,
        random_bytes: RandomBytes = os.urandom,
    ) -> None:
        """Raises DriverError where the plan's driver is unknown or drives no such kind.

        A driver that is handed in counts into the `counters` that are handed in with it.
        """
        self.plan = plan
        self.counters = counters if counters is not None else Counters()
        self._driver = driver or registry.make(plan, self.counters, random_bytes)
        self._listener = listener
        self._open_link = open_link
        self._clock_ns = clock_ns
        self._rng = rng or random.SystemRandom()
        self._stop = asyncio.Event()
        self._link: Link | None = None
        self._session: Session | None = None
        self._ended: asyncio.Future[_End] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._timer_ns = 0
        self._owed: dict[str, Command] = {}  # restrictive ones that have not been answered
        self._failures = 0
        self._online_ns: int | None = None
        self._was_online = False
        self._told: set[str] = set()  # sorts of end, and of refusal, told in this outage
        self._identity: Identity | None = None
        self._jams: set[object] = set()  # compartments with a jam that stands
        self._readings = Allowance(*READINGS, clock_ns())
        self._bytes = Allowance(*BYTES, clock_ns())
        self._state, self._what, self._refused, self._since_ns = WAITING, "", False, clock_ns()

    # ── what the daemon calls ──────────────────────────────────────────────
    @property
    def status(self) -> Status:
        """How the link is now."""
        return Status(
            self.plan.id, self._state, self._what, self._refused, self._identity, self._since_ns
        )

    async def run(self) -> None:
        """Keep the link until `stop`. Only a failing listener makes it raise."""
        while not self._stop.is_set():
            end = await self._one_link()
            if end.sort == "stopped":
                break
            self._enter(WAITING, end.what)
            await self._back_off()
        self._enter(STOPPED, "stopped")

    def resume(self, mark: str) -> None:
        """Before `run`: up to where the last process heard this device, a moment ago."""
        resume = getattr(self._driver, "resume", None)
        if resume is not None:
            resume(mark)

    def stop(self) -> None:
        """End: say good-bye, close, leave `run`. The device restricts itself."""
        self._stop.set()
        self._end(_End("stopped", "stopped"))

    def send(self, command: Command) -> bool:
        """Send at once. True: it left. False: restrictive, and owed until the device is back.

        Raises CommandRefused: not for this kind, read-only, or permissive while it is offline. A
        permissive command is never kept: whoever wants it asks again when the device is online.
        """
        check_command(self.plan.kind, command)
        if self.plan.read_only:
            raise CommandRefused(f"{self.plan.id} is read_only: no command is sent to it")
        if self._session is None or self._state != ONLINE:
            if not command.restrictive:
                self.counters.commands_dropped += 1
                raise CommandRefused(f"{self.plan.id} is not online: {command.name} was not sent")
            self._owed[command.name] = command
            return False
        return self._order(self._session, command)

    def _order(self, session: Session, command: Command) -> bool:
        try:
            session.send(command, self._clock_ns())
        except CommandRefused:
            raise
        except Exception as error:  # noqa: BLE001 - a driver's mistake costs its own link only
            self._driver_failed(error)
            if command.restrictive:
                self._owed[command.name] = command
            return False
        self._flush()
        return True

    # ── one link, from opening to closing ──────────────────────────────────
    async def _one_link(self) -> _End:
        self._enter(OPENING, self._what)
        try:
            link = await self._open_link(self.plan.url, self._driver.line)
        except HalError as error:
            end = _End(str(error), "lost")
            self._tell_offline(end)
            return end
        self._link = link
        self._ended = asyncio.get_running_loop().create_future()
        try:
            if self._stop.is_set():
                return _End("stopped", "stopped")
            self._enter(GREETING, self._what)
            self._session = self._driver.session()
            link.attach(self._on_bytes, self._on_lost)
            self._session.open(self._clock_ns())
            self._flush()
            return await self._ended
        finally:
            self._drop_session()
            await link.close()

    def _drop_session(self) -> None:
        """The conversation is over: what restricts is owed, what permits is gone."""
        session, self._session, self._link, self._ended = self._session, None, None, None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for command in session.unanswered() if session is not None else ():
            if command.restrictive:
                self._owed.setdefault(command.name, command)
            else:
                self.counters.commands_dropped += 1

    async def _back_off(self) -> None:
        """Wait, longer each time up to a bound, and not in step with the other devices."""
        longest = min(BACKOFF_LONGEST_S, BACKOFF_FIRST_S * 2 ** min(self._failures, 10))
        self._failures += 1
        try:
            async with asyncio.timeout(longest * self._rng.uniform(0.5, 1.0)):
                await self._stop.wait()
        except TimeoutError:
            pass

    # ── what the loop calls ────────────────────────────────────────────────
    def _on_bytes(self, data: bytes) -> None:
        self.counters.bytes_in += len(data)
        if self._session is not None:
            self._hear(lambda session, now_ns: session.receive(data, now_ns))
        if not self._bytes.spend(len(data), self._clock_ns()):
            self._end(_End("it sends more than a line can carry: see to the device", "lost"))

    def _on_timer(self) -> None:
        self._timer = None
        if self._session is not None:
            self._hear(lambda session, now_ns: session.tick(now_ns))

    def _on_lost(self, what: str) -> None:
        self._end(_End(what, "lost"))

    def _hear(self, ask: Callable[[Session, int], list[Heard]]) -> None:
        """Ask the driver, pass on what it heard, send what it has to say."""
        assert self._session is not None
        try:
            heard = ask(self._session, self._clock_ns())
        except Exception as error:  # noqa: BLE001 - a driver's mistake costs its own link only
            self._driver_failed(error)
            return
        for each in heard:
            if self._over:
                return
            self._take(each)
        self._flush()
        # What it has told is heeded, a press of the button above all; then it may calm down.
        if heard and not self._readings.spend(len(heard), self._clock_ns()):
            self._end(_End("it reports more than a device can do: see to it", "lost"))

    def _driver_failed(self, error: Exception) -> None:
        self.counters.driver_errors += 1
        self._end(_End(f"its driver failed ({type(error).__name__}): report this", "driver"))

    @property
    def _over(self) -> bool:
        return self._ended is None or self._ended.done()

    def _take(self, heard: Heard) -> None:
        if isinstance(heard, Ended):
            self._flush()  # a last word, if the driver has one
            self._end(_End(heard.what, "refused" if heard.refused else "lost", heard.refused))
        elif isinstance(heard, Identity):
            if self._identity is not None and self._identity.boot != heard.boot:
                self._jams.clear()
            # The plug is what the link knows; nothing that a device says of it would count.
            heard = replace(heard, path=getattr(self._link, "plug", ""))
            self._identity = heard
            refused = refusal(self.plan, heard)
            if refused is not None:  # nothing more is said to it, no START above all
                self._end(_End(refused.what, "refused", refused.refused))
        else:
            wrong = check_reading(self.plan.kind, heard)
            if wrong is not None:
                self.counters.driver_errors += 1
                self._end(_End(f"its driver makes no sense: {wrong}", "driver"))
                return
            if heard.name == "online":
                self._came_online()
            self._count(heard)
            self._tell(heard)

    def _count(self, reading: Reading) -> None:
        """What the mechanism does, whatever the driver: jams, and cards that were not read."""
        if reading.name == "jam":
            where = reading.args.get("compartment")
            self.counters.jams += where not in self._jams
            self._jams.add(where)
        elif reading.name == "cleared":
            self._jams.clear()
        elif reading.cards and self._reads(reading):
            self.counters.reads_failed += reading.cards.count(None)

    def _reads(self, reading: Reading) -> bool:
        """Whether cards were to be read: a shoe that only counts gives stacks without a value."""
        known = self._identity.capabilities if self._identity is not None else frozenset()
        return reading.name == "card" or "reads_cards" in known

    def _came_online(self) -> None:
        """Restrictive commands that are owed go out before anybody can permit anything."""
        assert self._session is not None
        self._enter(ONLINE, "")
        self._refused = False
        self._told.clear()
        self._online_ns = self._since_ns
        self.counters.reconnects += self._was_online
        self._was_online = True
        owed, self._owed = self._owed, {}
        for command in owed.values():
            try:
                self._order(self._session, command)
            except CommandRefused:  # a driver takes what its kind restricts: its mistake
                self.counters.driver_errors += 1

    def _end(self, end: _End) -> None:
        """The link is over: tell it at once; closing takes its time."""
        if self._ended is None or self._ended.done():
            return
        if self._online_ns is not None and self._clock_ns() - self._online_ns >= STEADY_NS:
            self._failures = 0
        self._online_ns = None
        if end.sort == "refused":
            self._failures = max(self._failures, 6)  # no hurry: somebody must come and look
        elif self._session is not None and end.sort == "stopped":
            self._session.close(self._clock_ns())
            self._flush()
        self._enter(WAITING, end.what)
        self._tell_offline(end)
        if not self._ended.done():
            self._ended.set_result(end)

    def _tell_offline(self, end: _End) -> None:
        """Once an outage, and again only where its reason is of another sort."""
        self._what, self._refused = end.what, end.sort == "refused"
        sort = end.refused or end.sort
        if end.sort != "stopped" and sort not in self._told:
            self._told.add(sort)
            why = {"refused": end.refused} if end.refused else {}
            self._tell(Reading("offline", {"what": end.what, **why}))

    def _tell(self, reading: Reading) -> None:
        try:
            self._listener(self.plan.id, reading)
        except Exception as error:
            if self._ended is None or self._ended.done():
                raise
            self._ended.set_exception(error)  # it comes out of `run`, not out of the loop unseen

    # ── small things ───────────────────────────────────────────────────────
    def _enter(self, state: str, what: str) -> None:
        if state != self._state:
            self._since_ns = self._clock_ns()
        self._state, self._what = state, what

    def _flush(self) -> None:
        """Write what the session has to say, and set the next alarm clock."""
        if self._session is None or self._link is None or self._over:
            return
        data = self._session.bytes_to_send()
        if data:
            self.counters.bytes_out += len(data)
            self._link.write(data)
        wake_ns = self._session.wake_ns
        if wake_ns is None or self._over:
            return
        if self._timer is not None:
            if self._timer_ns <= wake_ns:
                return  # it rings early, and is set again then
            self._timer.cancel()
        delay_s = max(TICK_LEAST_S, (wake_ns - self._clock_ns()) / NS)
        self._timer_ns = wake_ns
        self._timer = asyncio.get_running_loop().call_later(delay_s, self._on_timer)
