"""What the broker keeps for newcomers: what should be there, what is, what is on its way. Pure.

One message a topic is in flight; the latest payload wins. A new connection takes nothing for
granted: everything goes out again, and a topic whose thing is gone is cleared.
"""

from collections.abc import Mapping
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
        self._changed = False  # since `due` was last asked: it is asked for every event

    def want(self, topics: Mapping[str, bytes]) -> None:
        """What should be there, status aside; a topic that is missing now is to be cleared."""
        status = self._wanted.get(self._status)
        gone = [topic for topic in self._wanted if topic not in topics and topic != self._status]
        first = {self._status: status} if status is not None else {}
        # Clear before publishing: a reader never sees an alarm twice under two ids.
        cleared = dict.fromkeys(gone[:STALE_MAXIMUM], CLEARED)
        self._wanted = {**first, **cleared, **topics}
        self._changed = True

    def want_status(self, payload: bytes) -> None:
        """What `status` should say."""
        rest = {topic: kept for topic, kept in self._wanted.items() if topic != self._status}
        self._wanted = {self._status: payload, **rest}
        self._changed = True

    def found(self, topic: str) -> None:
        """The broker keeps something here, perhaps from before our time."""
        if topic not in self._wanted and len(self._wanted) < STALE_MAXIMUM:
            self._wanted[topic] = CLEARED
            self._changed = True

    def doubted(self, topic: str) -> None:
        """Somebody else wrote here: publish it once more."""
        self._there.pop(topic, None)
        self._changed = True

    def connected(self) -> None:
        """A new connection: what was there may be gone."""
        self._there.clear()
        self._flying.clear()
        self._busy.clear()
        self._changed = True

    def due(self) -> list[Message]:
        """What must go out now; each is then reported with `sent`."""
        if not self._changed:
            return []
        self._changed = False
        return [
            Message(topic, payload, retain=True)
            for topic, payload in self._wanted.items()
            if topic not in self._busy and self._there.get(topic) != payload
        ]

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
        self._changed = True
        if payload == CLEARED and self._wanted.get(topic) == CLEARED:
            del self._wanted[topic]  # gone, and nobody wants it back
            self._there.pop(topic, None)
        else:
            self._there[topic] = payload

    @property
    def settled(self) -> bool:
        """Whether everything that should be there is."""
        return not self._flying and all(
            self._there.get(topic) == payload for topic, payload in self._wanted.items()
        )

    def says(self, topic: str, payload: bytes) -> bool:
        """Whether this is what we want to be there."""
        return self._wanted.get(topic) == payload
