"""The hash chain over events as they are published. Pure: values in, text out.

An event's `hash` covers the one before it and, through `input`, the record that it came from.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from typing import Final

from tablectl.journal.canonical import canonical
from tablectl.journal.errors import Unrecordable
from tablectl.table.outputs import Event

ZERO_HASH: Final = "0" * 64
PREFIX: Final = "tablectl."  # of every event type


@dataclass(frozen=True, slots=True)
class Identity:
    """Whose journal it is. `epoch` is UTC seconds when the journal was created."""

    site: str
    table: str
    epoch: int

    @property
    def source(self) -> str:
        """The `source` of every event."""
        return f"tablectl/{self.site}/{self.table}"

    def event_id(self, sequence: int | str) -> str:
        """The `id` of an event."""
        return f"{self.table}/{self.epoch}/{sequence}"


@dataclass(frozen=True, slots=True)
class Head:
    """Where the chain ends."""

    sequence: int = 0
    hash: str = ZERO_HASH


@dataclass(frozen=True, slots=True)
class Published:
    """An event as everybody gets it: `body` is its canonical JSON, the hash included."""

    sequence: int
    type: str  # area.name
    hash: str
    body: str


def digest(salt: str, text: str) -> str:
    """SHA-256(32 salt bytes || UTF-8 text): of an input record, or of a snapshot."""
    return sha256(bytes.fromhex(salt) + text.encode()).hexdigest()


def link(prevhash: str, text: str) -> str:
    """SHA-256(32 bytes of prevhash || canonical JSON of the event without `hash`)."""
    return sha256(bytes.fromhex(prevhash) + text.encode()).hexdigest()


def publish(
    identity: Identity, head: Head, events: Sequence[Event], input_digest: str
) -> tuple[Published, ...]:
    """Chain a record's events to `head`; raises Unrecordable where one cannot be written."""
    chained = []
    for event in events:
        if event.sequence != head.sequence + 1:
            raise Unrecordable(
                f"event {event.type} has sequence {event.sequence}, {head.sequence + 1} was due"
            )
        published = _publish(identity, head, event, input_digest)
        head = Head(published.sequence, published.hash)
        chained.append(published)
    return tuple(chained)


def _publish(identity: Identity, head: Head, event: Event, input_digest: str) -> Published:
    data = canonical({"clauses": [], "inferred": False, **event.data})
    number = event.sequence
    # The keys in canonical order. "data" and "hash" sort before all others: one text serves both.
    rest = (
        f'"id":{_quoted(identity.event_id(""))[:-1]}{number:d}","input":"{input_digest}",'
        f'"prevhash":"{head.hash}","sequence":{number:d},"source":{_quoted(identity.source)},'
        f'"specversion":"1.0","subject":{_quoted(event.subject)},'
        f'"time":"{rfc3339(event.time_ns)}","type":{_quoted(PREFIX + event.type)}}}'
    )
    own = link(head.hash, f'{{"data":{data},{rest}')
    return Published(number, event.type, own, f'{{"data":{data},"hash":"{own}",{rest}')


@lru_cache(maxsize=512)
def _quoted(text: str) -> str:
    """A text that many events have in common, as JSON."""
    return canonical(text)


def rfc3339(ns: int) -> str:
    """UTC nanoseconds as 2026-01-31T23:59:59.000000001Z; raises Unrecordable beyond year 9999."""
    second, fraction = divmod(ns, 1_000_000_000)
    return f"{_second(second)}.{fraction:09d}Z"


@lru_cache(maxsize=8)
def _second(second: int) -> str:
    try:
        return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    except (ValueError, OverflowError, OSError):
        raise Unrecordable(f"{second} s since 1970 is no date that an event can carry") from None
