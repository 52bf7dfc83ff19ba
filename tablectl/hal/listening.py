"""A session with a device that only tells: no greeting, no sign of life, nothing asked of it.

A link that is up is all that can be known of such a device, and its silence means that nothing
happens. A driver says what its frames mean; one that may send commands adds them.
"""

from collections.abc import Iterator
from typing import Final, Generic, Protocol, TypeVar

from tablectl.hal.errors import CommandRefused
from tablectl.hal.kinds import Command, Counters, DevicePlan, Ended, Heard, Reading

MS: Final = 1_000_000

Item = TypeVar("Item")
Item_co = TypeVar("Item_co", covariant=True)


class Framer(Protocol[Item_co]):
    """Cuts bytes into frames, and counts them; never raises."""

    good: int
    bad: int

    def feed(self, data: bytes) -> Iterator[Item_co]:
        """Take in bytes, cut anywhere; give what they complete."""


class ListeningSession(Generic[Item]):
    """Fulfils `Session` of kinds.py, for a subclass that knows what an item means."""

    def __init__(self, plan: DevicePlan, counters: Counters, framer: Framer[Item]) -> None:
        self.plan = plan
        self.counters = counters
        self._framer = framer
        self._heard_ns = 0
        self._told_online = False
        self._over = False

    # ── for the driver ─────────────────────────────────────────────────────
    def first_words(self) -> list[Heard]:
        """What is told right after `online`."""
        return []

    def meaning(self, item: Item, now_ns: int) -> list[Heard]:
        """What a frame says, in the words of the kind."""
        raise NotImplementedError

    def end(self, what: str) -> Ended:
        """The session cannot go on."""
        self._over = True
        return Ended(what)

    # ── for the supervisor ─────────────────────────────────────────────────
    @property
    def wake_ns(self) -> int | None:
        """At once for `online`; then only where silence has a limit."""
        if self._over:
            return None
        return self._silent_ns() if self._told_online else self._heard_ns

    def open(self, now_ns: int) -> None:
        """The link is up."""
        self._heard_ns = now_ns

    def receive(self, data: bytes, now_ns: int) -> list[Heard]:
        """Take in bytes, any number of them, cut anywhere."""
        self._heard_ns = now_ns
        heard = self._online()
        good, bad = self._framer.good, self._framer.bad
        for item in self._framer.feed(data):
            heard += self.meaning(item, now_ns)
        self.counters.frames_good += self._framer.good - good
        self.counters.frames_bad += self._framer.bad - bad
        return heard

    def tick(self, now_ns: int) -> list[Heard]:
        """Time passed."""
        heard = self._online()
        silent_ns = self._silent_ns()
        if silent_ns is not None and now_ns >= silent_ns and not self._over:
            heard.append(self.end(f"it was silent for {self.plan.silence_ms} ms"))
        return heard

    def send(self, command: Command, now_ns: int) -> None:  # noqa: ARG002
        """Raises CommandRefused: nothing is asked of such a device."""
        raise CommandRefused(f"{self.plan.id} takes no commands, so not {command.name}")

    def close(self, now_ns: int) -> None:
        """Nothing is said at the end."""

    def bytes_to_send(self) -> bytes:
        """Nothing."""
        return b""

    def unanswered(self) -> tuple[Command, ...]:
        """There are no commands."""
        return ()

    # ── the inside ─────────────────────────────────────────────────────────
    def _online(self) -> list[Heard]:
        if self._told_online:
            return []
        self._told_online = True
        return [Reading("online"), *self.first_words()]

    def _silent_ns(self) -> int | None:
        limit_ms = self.plan.silence_ms
        return None if limit_ms is None else self._heard_ns + limit_ms * MS
