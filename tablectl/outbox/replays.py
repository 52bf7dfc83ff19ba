"""Events sent again on request: one request at a time, page by page, never faster than a limit.

Live events go first: a replay has a window of its own, and resumes after a lost connection at the
first event that was not acknowledged.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tablectl.outbox.commands import Order
from tablectl.outbox.link import Bounds, Link
from tablectl.outbox.stream import Feed, Gone, Reader, Unreadable
from tablectl.outbox.topics import Message, Topics
from tablectl.outbox.watermark import Window


@dataclass(slots=True)
class _Running:
    order: Order
    first: int
    last: int
    window: Window
    reader: Reader


@dataclass(frozen=True, slots=True)
class Finished:
    """A request that is over: all sent and acknowledged, or `why` not."""

    order: Order
    why: str | None
    result: Mapping[str, Any]


class Replays:
    """The requests of one table. Used by the outbox's thread alone."""

    def __init__(self, topics: Topics, feed: Feed, bounds: Bounds) -> None:
        self._topics = topics
        self._feed = feed
        self._bounds = bounds
        self._waiting: deque[Order] = deque()
        self._running: _Running | None = None
        self._allowance = 0.0  # events that may be sent now
        self._counted_at = 0.0

    def ask(self, order: Order) -> str | None:
        """Take a request in; a sentence where it is refused."""
        if order.args["from"] > self._feed.durable:
            return f"the journal ends with event {self._feed.durable}"
        if len(self._waiting) >= self._bounds.replays:
            return f"{self._bounds.replays} replays wait already: try again later"
        self._waiting.append(order)
        return None

    def lost(self) -> None:
        """The connection is gone."""
        if self._running:
            self._running.window.lost()

    def acked(self, token: int) -> None:
        """Message `token` was acknowledged."""
        if self._running:
            self._running.window.acked(token)

    def send(self, link: Link, now: float) -> Finished | None:
        """Send what may be sent; the request that is over, if one is. Raises LinkLost."""
        if self._running is None:
            if not self._waiting:
                return None
            self._begin(self._waiting.popleft(), now)
        run = self._running
        assert run is not None
        self._refill(now)
        try:
            while run.window.room and run.window.following <= run.last and self._allowance >= 1:
                event = run.reader.get(run.window.following)
                assert event is not None, "a replay ends at what was durable when it began"
                message = Message(self._topics.replay(run.order.id), event.body.encode())
                run.window.sent(link.publish(message))
                self._allowance -= 1
        except Unreadable:
            self._allowance = 0.0  # a file may just be closed: try again with the next ones
        except Gone as gone:
            return self._end(f"{gone}; ask the archive")
        return self._end(None) if run.window.acknowledged >= run.last else None

    def next_at(self, now: float) -> float | None:
        """When there is more to do, if only time is waited for."""
        if self._running is None:
            return now if self._waiting else None
        window = self._running.window
        more = window.room and window.following <= self._running.last
        return now + 10 / self._bounds.replay_per_s if more else None

    def _begin(self, order: Order, now: float) -> None:
        first = order.args["from"]
        longest = first + self._bounds.replay_maximum - 1
        last = min(order.args["to"], self._feed.durable, longest)
        window = Window(first - 1, self._bounds.replay_window)
        self._running = _Running(order, first, last, window, Reader(self._feed))
        self._counted_at = now

    def _refill(self, now: float) -> None:
        rate = self._bounds.replay_per_s
        earned = (now - self._counted_at) * rate
        self._allowance = min(self._allowance + earned, max(1.0, rate / 10))
        self._counted_at = now

    def _end(self, why: str | None) -> Finished:
        run = self._running
        assert run is not None
        self._running = None
        sent = run.window.acknowledged - run.first + 1
        asked = run.order.args["to"]
        result = {"from": run.first, "to": run.window.acknowledged, "events": sent}
        if why is None and run.last < asked:
            result["asked"] = asked  # more than there is, or than one request may have
        return Finished(run.order, why, result)

    @property
    def idle(self) -> bool:
        """Whether nothing is asked for."""
        return self._running is None and not self._waiting
