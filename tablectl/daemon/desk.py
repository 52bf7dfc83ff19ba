"""The desk: the one place through which everything reaches the table, on one asyncio loop.

It stamps inputs, submits them to the recorder, wakes the table and draws for it when it asked for
that, and lets others wait until a record is durable. Nothing here knows a rule or a wire.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path

import structlog

from tablectl.daemon import chance
from tablectl.daemon.config import Config
from tablectl.journal.chain import Published
from tablectl.journal.opening import open_journal
from tablectl.journal.recorder import Receipt, Recorder
from tablectl.journal.wiring import Outlets
from tablectl.table import must_hit
from tablectl.table.inputs import Input, Stamp, Tick
from tablectl.table.outputs import Command
from tablectl.table.state import State

log = structlog.get_logger("tablectl.desk")

Listener = Callable[[], None]
CLOSE_WITHIN_S = 1.5  # a disk that hangs must not hold up the end for longer


class NotDurable(Exception):
    """The journal could not make a record safe; nothing permissive left."""


class Desk:
    """Owns the recorder. Every method but `poke` is called on the loop's own thread."""

    def __init__(
        self,
        open_: Callable[[Outlets], Recorder],
        now: Callable[[], Stamp],
        send: Callable[[Command], None],
        published: Callable[[Published], None],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._now = now
        self._waiters: list[tuple[int, asyncio.Future[None]]] = []
        self._timer: asyncio.TimerHandle | None = None
        self._listeners: list[Listener] = []
        self._changed = asyncio.Event()
        self._told_failure = False
        self.recorder = open_(
            Outlets(send=send, publish=published, withdrawn=self._withdrawn, on_change=self.poke)
        )

    # ── how things stand ───────────────────────────────────────────────────
    @property
    def state(self) -> State:
        """The table as it is now."""
        state = self.recorder.state
        assert isinstance(state, State)
        return state

    def now(self) -> Stamp:
        """The moment, on this box's clocks."""
        return self._now()

    def listen(self, listener: Listener) -> None:
        """Have `listener` called, on the loop, after every change that is durable."""
        self._listeners.append(listener)

    # ── inputs ─────────────────────────────────────────────────────────────
    def submit(self, make: Callable[[Stamp], Input]) -> Receipt:
        """Stamp and take in one input. Raises Unrecordable where it cannot stand in a journal."""
        receipt = self.recorder.submit(make(self._now()))
        wanted = must_hit.wanted(self.state)
        if wanted is not None:
            self.recorder.submit(chance.draw(wanted, self._now()))
        self._arm()
        if self.recorder.failure:
            self.release()
        return receipt

    async def durable(self, sequence: int) -> None:
        """Wait until `sequence` is safe. Raises NotDurable."""
        if self.recorder.failure:
            raise NotDurable(self.recorder.failure)
        if sequence <= self.recorder.durable:
            return
        waiter: asyncio.Future[None] = self._loop.create_future()
        self._waiters.append((sequence, waiter))
        await waiter

    async def changed(self, timeout_s: float) -> bool:
        """Wait for the next durable change; False when time is up."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._changed.wait()
        except TimeoutError:
            return False
        return True

    def close(self) -> bool:
        """Write everything and let go of the journal; False where something was not written."""
        if self._timer is not None:
            self._timer.cancel()
        written = self.recorder.close(CLOSE_WITHIN_S)
        self.release()
        return written

    # ── the inside ─────────────────────────────────────────────────────────
    def poke(self) -> None:
        """From the writer's thread: something became durable, or failed."""
        self._loop.call_soon_threadsafe(self.release)

    def release(self) -> None:
        """Let out what has become durable, wake who waits for it."""
        self.recorder.release()
        failure = self.recorder.failure
        if failure and not self._told_failure:
            self._told_failure = True
            log.error("journal_failed", what=failure)
        open_waiters = []
        for sequence, waiter in self._waiters:
            if waiter.done():
                continue
            if failure:
                waiter.set_exception(NotDurable(failure))
            elif sequence <= self.recorder.durable:
                waiter.set_result(None)
            else:
                open_waiters.append((sequence, waiter))
        self._waiters = open_waiters
        self._changed.set()
        self._changed = asyncio.Event()
        for listener in self._listeners:
            listener()
        self._arm()

    def _arm(self) -> None:
        """Wake the table at the moment it asked for."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        wake_ns = self.recorder.wake_ns
        if wake_ns is not None:
            delay_s = max(0.0, (wake_ns - self._now().mono_ns) / 1e9) + 0.001
            self._timer = self._loop.call_later(delay_s, self._tick)

    def _tick(self) -> None:
        self._timer = None
        self.submit(Tick)

    def _withdrawn(self, command: Command) -> None:
        log.info("permission_withdrawn", device=command.device, command=command.name)


def open_desk(
    config: Config,
    now: Callable[[], Stamp],
    send: Callable[[Command], None],
    published: Callable[[Published], None],
) -> Desk:
    """A desk with the journal of a configuration. Raises JournalError."""

    def open_(outlets: Outlets) -> Recorder:
        site, table = config.table.site, config.table.id
        return open_journal(Path(config.table.data), site=site, table=table, outlets=outlets)

    return Desk(open_, now, send, published)
