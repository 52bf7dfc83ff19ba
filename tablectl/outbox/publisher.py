"""The outbox at work: a thread of its own between the owner and the broker.

The owner pokes it and never waits for it. It reads the journal, drives the engine over one link at
a time, makes a new link when one ends, and reports through a mailbox.
"""

import random
import select
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from tablectl.journal.chain import Identity, Published
from tablectl.outbox.broker import Broker
from tablectl.outbox.commands import Key, Order
from tablectl.outbox.engine import Engine
from tablectl.outbox.link import Bounds, LinkLost
from tablectl.outbox.paho_link import Accepted, Acked, Came, Ended, News, PahoLink
from tablectl.outbox.payloads import DeviceFacts
from tablectl.outbox.reports import Connected, Disconnected, Mailbox, Report, Trouble
from tablectl.outbox.shown import Shown
from tablectl.outbox.sockets import Bell
from tablectl.outbox.stream import Feed, JournalSource
from tablectl.outbox.topics import Message
from tablectl.outbox.watermark import Memory
from tablectl.table.state import State

ACCEPT_S: Final = 5.0  # until CONNACK
BACKOFF_S: Final = (0.25, 15.0)  # first and longest pause between attempts
STEADY_S: Final = 5.0  # a connection that lasted so long was a good one
HASTY_S: Final = 1.0  # one that ended so soon was ended on purpose
STUMBLE_S: Final = 0.5  # before it begins again
# In a rush of events turns are this far apart, so that this thread does not take the interpreter
# from the table for every single acknowledgement.
PACE_S: Final = 0.005
LOOK_S: Final = 1.0  # how long a connection may go without being looked at
FAREWELL_S: Final = 1.0
ANSWERS: Final = 128


class Publisher:
    """Everything that leaves by MQTT. Its methods are the owner's; none of them blocks.

    `poke` is called on the outbox's thread when there are reports: it must only wake the owner.
    """

    def __init__(
        self,
        broker: Broker,
        identity: Identity,
        data: Path,
        *,
        durable: int,
        keys: Iterable[Key] = (),
        unconfirmed_limit: int = 10_000,
        poke: Callable[[], None] = lambda: None,
        bounds: Bounds | None = None,
    ) -> None:
        self._broker = broker
        self._client_id = f"tablectl-{identity.site}-{identity.table}"
        self._feed = Feed(JournalSource(data), durable)
        self._shown = Shown()
        self._mailbox = Mailbox(poke)
        self._engine = Engine(
            identity,
            self._feed,
            self._shown,
            Memory(data, identity.epoch),
            self._mailbox,
            keys=keys,
            unconfirmed_limit=unconfirmed_limit,
            bounds=bounds or Bounds(),
        )
        self._answers: deque[tuple[Order, str | None, Mapping[str, Any]]] = deque(maxlen=ANSWERS)
        self._bell = Bell()
        self._link: PahoLink | None = None
        self._accepted = False
        self._accept_by = 0.0
        self._accepted_at = 0.0
        self._turned_at = 0.0
        self._retry_at = 0.0
        self._pause_s = BACKOFF_S[0]
        self._told: str | None = None
        self._trouble: str | None = None
        self._trouble_said: str | None = None
        self._stop_by: float | None = None
        self._thread = threading.Thread(target=self._run, name="outbox", daemon=True)

    # ── for the owner, any thread ──────────────────────────────────────────
    def start(self) -> None:
        """Look up how far things were, and begin; it connects as soon as something was shown."""
        self._engine.start(time.time_ns())
        self._thread.start()

    def offer(self, event: Published) -> None:
        """An event that has become durable, in order: the journal's outlet `publish`."""
        self._feed.add(event)
        self._bell.ring()

    def show(self, state: State, facts: Mapping[str, DeviceFacts] | None = None) -> None:
        """The table has changed; it is published once its last event is durable."""
        self._shown.show(state, facts)
        self._bell.ring()

    def say_trouble(self, what: str | None) -> None:
        """What the journal can no longer tell (it failed): it stands in `status`."""
        self._trouble = what
        self._bell.ring()

    def answer(
        self, order: Order, why: str | None = None, result: Mapping[str, Any] | None = None
    ) -> None:
        """What became of an order: done, or why not. Only when its record is durable."""
        self._answers.append((order, why, dict(result or {})))
        self._bell.ring()

    def reports(self) -> list[Report]:
        """Everything that there is to tell; the owner takes it after a poke."""
        return self._mailbox.take()

    def stop(self, timeout_s: float = 3.0) -> bool:
        """Send what is left, say offline, end; blocks. False where it did not end in time."""
        self._stop_by = time.monotonic() + 0.7 * timeout_s
        self._bell.ring()
        if self._thread.is_alive():
            self._thread.join(timeout_s)
        if self._thread.is_alive():
            return False
        self._bell.close()
        return True

    @property
    def connected(self) -> bool:
        """Whether a broker has taken us in."""
        return self._accepted

    @property
    def backlog(self) -> int:
        """How many durable events the broker does not have."""
        return self._engine.backlog

    @property
    def acknowledged(self) -> int:
        """The watermark."""
        return self._engine.acknowledged

    @property
    def unconfirmed(self) -> int:
        """How many durable events the archive has not confirmed."""
        return self._engine.unconfirmed

    # ── on the outbox's thread ─────────────────────────────────────────────
    def _run(self) -> None:
        while not self._done():
            self._guarded(self._turn)
        self._guarded(self._end)

    def _guarded(self, do: Callable[[], None]) -> None:
        """A thread that dies unseen would be worse than any error: tell it, and begin again."""
        try:
            do()
        except LinkLost as lost:
            self._drop(str(lost))
        except Exception as error:  # noqa: BLE001  told to the owner, who raises an alarm
            self._mailbox.put(Trouble(f"the outbox stumbled: {type(error).__name__}: {error}"))
            self._mailbox.tell()
            self._drop("the outbox begins again after an error")
            time.sleep(STUMBLE_S)

    def _turn(self) -> None:
        """Take the news, send what may be sent, sleep until there is something to do."""
        now = self._turned_at = time.monotonic()
        if self._link is None and self._shown.ready and now >= self._retry_at:
            self._open()
        if self._link is not None and not self._accepted and now >= self._accept_by:
            raise LinkLost(f"the broker at {self._broker.name} does not answer")
        wake_at = self._exchange()
        if not self._done():
            self._sleep(wake_at)

    def _exchange(self) -> float | None:
        """Heed the news, work, and let it leave in one piece; when the engine wants to go on."""
        if self._link is not None:
            for news in self._link.read():
                self._heed(self._link, news)
        if self._accepted and self._trouble != self._trouble_said:
            self._trouble_said = self._trouble
            self._engine.say_online(time.time_ns(), self._trouble)
        while self._answers:
            order, why, result = self._answers.popleft()
            self._engine.answer(order.id, order.name, why, result)
        wake_at = self._engine.work(time.monotonic(), time.time_ns())
        if self._link is not None:
            self._link.flush()
        return wake_at

    def _sleep(self, wake_at: float | None) -> None:
        """Until the bell rings, the broker has something to say, or time is up."""
        now = time.monotonic()
        wishes = [wake_at, self._stop_by]
        either = select.poll()
        either.register(self._bell, select.POLLIN)
        if self._link is None:
            wishes.append(self._retry_at if self._shown.ready else None)
        else:
            opened = self._link.socket
            either.register(opened, select.POLLIN | (select.POLLOUT if opened.unsent else 0))
            wishes.append(now + LOOK_S if self._accepted else self._accept_by)
            wishes.append(now if opened.unread else None)
        known = [wish for wish in wishes if wish is not None]
        ready = either.poll(max(0.0, min(known) - now) * 1000 if known else None)
        if (rest_s := self._turned_at + PACE_S - time.monotonic()) > 0:
            time.sleep(rest_s)
        if any(number == self._bell.fileno() for number, _what in ready):
            self._bell.hush()

    def _open(self) -> None:
        topics = self._engine.topics
        will = Message(topics.status, self._engine.status("offline", time.time_ns()), retain=True)
        self._accepted = False
        link = PahoLink(self._broker, self._client_id, will)
        try:
            link.open()
        except LinkLost:
            link.close(orderly=False)
            raise
        self._link = link
        self._accept_by = time.monotonic() + ACCEPT_S

    def _heed(self, link: PahoLink, news: News) -> None:
        match news:
            case Acked(token):
                self._engine.acked(token)
            case Came(topic, payload, retained):
                now, now_ns = time.monotonic(), time.time_ns()
                self._engine.received(topic, payload, retained=retained, now=now, now_ns=now_ns)
            case Accepted():
                self._accepted = True
                self._accepted_at = time.monotonic()
                self._trouble_said = self._trouble
                now_ns = time.time_ns()
                self._engine.connected(link, self._accepted_at, now_ns, self._trouble)
                self._told = None
                self._mailbox.put(Connected(f"connected to the broker at {self._broker.name}"))
            case Ended(why):
                raise LinkLost(why)
            case Trouble():
                self._mailbox.put(news)

    def _drop(self, why: str) -> None:
        """There is no connection: clean up, tell it once, and set the time of the next attempt."""
        link, self._link = self._link, None
        now = time.monotonic()
        if self._accepted and now - self._accepted_at >= STEADY_S:
            self._pause_s = BACKOFF_S[0]
        elif self._accepted and now - self._accepted_at < HASTY_S:
            why += ", right after it took us in: is there another table of this name, or does its "
            why += "access list forbid a topic?"
        self._accepted = False
        self._engine.lost()
        if link is not None:
            link.close(orderly=False)
        # A floor of tables must not come back in one stroke.
        self._retry_at = now + self._pause_s * random.uniform(0.8, 1.2)  # noqa: S311
        self._pause_s = min(2 * self._pause_s, BACKOFF_S[1])
        if why != self._told:
            self._told = why
            self._mailbox.put(Disconnected(why))

    def _done(self) -> bool:
        """Whether it is time to end: asked to, and nothing left to send or no time for it."""
        if self._stop_by is None:
            return False
        return not self._accepted or self._engine.settled or time.monotonic() >= self._stop_by

    def _end(self) -> None:
        """Say offline, wait a little for the broker's word, leave."""
        self._engine.save(time.time_ns())
        link, self._link = self._link, None
        if link is None:
            return
        try:
            if self._accepted:
                self._engine.say_offline(time.time_ns())
                self._farewell(link)
        finally:
            link.close(orderly=True)
            self._accepted = False
            self._engine.save(time.time_ns())

    def _farewell(self, link: PahoLink) -> None:
        self._stop_by = time.monotonic() + FAREWELL_S
        self._link = link
        while time.monotonic() < self._stop_by:
            wake_at = self._exchange()
            if self._engine.settled:
                break
            self._sleep(wake_at)
        self._link = None
