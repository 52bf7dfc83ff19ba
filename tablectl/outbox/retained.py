"""What the broker keeps for newcomers: what should be there, what is, what is on its way. Pure.

One message a topic is in flight; the latest payload wins. A new connection takes nothing for
granted: everything goes out again, and a topic whose thing is gone is cleared.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from tablectl.outbox.payloads import CLEARED
from tablectl.outbox.topics import Message

STALE_MAXIMUM: Final = 4096  # topics that wait to be cleared


class Retained:
    """The retained topics of one table. `status` always goes first."""

    def __init__(self, status: str) -> None:
        self._status = status
        self._wanted: dict[str, bytes] = {}
        self._there: dict[str, bytes] = {}  # acknowledged on this connection
        self._flying: dict[int, tuple[str, bytes]] = {}
        self._busy: set[str] = set()

    def want(self, topics: Mapping[str, bytes]) -> None:
        """What should be there, status aside; a topic that is missing now is to be cleared."""
        status = self._wanted.get(self._status)
        gone = [topic for topic in self._wanted if topic not in topics and topic != self._status]
        first = {self._status: status} if status is not None else {}
        # Clear before publishing: a reader never sees an alarm twice under two ids.
        cleared = dict.fromkeys(gone[:STALE_MAXIMUM], CLEARED)
        self._wanted = {**first, **cleared, **topics}

    def want_status(self, payload: bytes) -> None:
        """What `status` should say."""
        self._wanted = {self._status: payload, **self._wanted, self._status: payload}

    def found(self, topic: str) -> None:
        """The broker keeps something here, perhaps from before our time."""
        if topic not in self._wanted and len(self._wanted) < STALE_MAXIMUM:
            self._wanted[topic] = CLEARED

    def doubted(self, topic: str) -> None:
        """Somebody else wrote here: publish it once more."""
        self._there.pop(topic, None)

    def connected(self) -> None:
        """A new connection: what was there may be gone."""
        self._there.clear()
        self._flying.clear()
        self._busy.clear()

    def due(self) -> Iterator[Message]:
        """What must go out now; report each with `sent` before asking for the next."""
        for topic, payload in list(self._wanted.items()):
            if topic not in self._busy and self._there.get(topic) != payload:
                yield Message(topic, payload, retain=True)

    def sent(self, message: Message, token: int) -> None:
        """It went out as message `token`."""
        self._flying[token] = (message.topic, message.payload)
        self._busy.add(message.topic)

    def acked(self, token: int) -> None:
        """Message `token` was acknowledged."""
        topic, payload = self._flying.pop(token, (None, b""))
        if topic is None:
            return
        self._busy.discard(topic)
        if payload == CLEARED and self._wanted.get(topic) == CLEARED:
            del self._wanted[topic]  # gone, and nobody wants it back
            self._there.pop(topic, None)
        else:
            self._there[topic] = payload

    @property
    def settled(self) -> bool:
        """Whether everything that should be there is."""
        return not self._flying and not any(True for _ in self.due())
