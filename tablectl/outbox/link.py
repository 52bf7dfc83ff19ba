"""A connection to a broker as the outbox sees it, so that its logic needs none to be tested."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tablectl.outbox.topics import Message


class LinkLost(Exception):
    """There is no connection any more; the message says why, in a sentence."""


class Link(Protocol):
    """One connection, from CONNACK to its end. Nothing blocks."""

    def publish(self, message: Message) -> int:
        """Send with QoS 1; the number that its acknowledgement will bear. Raises LinkLost."""

    def subscribe(self, filters: Sequence[str]) -> None:
        """Ask for topics; raises LinkLost."""

    def unsubscribe(self, filters: Sequence[str]) -> None:
        """Ask for them no more; raises LinkLost."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much may wait or be on its way, and how often things are done."""

    window: int = 64  # events in flight
    replay_window: int = 32
    replay_per_s: int = 500
    replay_maximum: int = 100_000  # events of one request
    replays: int = 4  # requests that may wait
    replies: int = 128
    view_interval_s: float = 0.1
    save_interval_s: float = 1.0
    tell_interval_s: float = 1.0  # refusals and troubles are gathered so long
    sweep_s: float = 3.0  # how long to look for stale topics after a connect
    retry_s: float = 0.2  # after the journal could not be read
