"""What makes a record and its events right: one function a claim. Pure but for SHA and Ed25519.

Each raises Broken with the sequence and a sentence that says what is wrong.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from tablectl.journal.canonical import canonical
from tablectl.journal.chain import Head, Identity, digest, link
from tablectl.journal.codec import HEX_32, Sealed, commitments
from tablectl.journal.errors import Unrecordable
from tablectl.journal.keys import signed_by
from tablectl.journal.shapes import EventBody
from tablectl.table.seal import commitment_of

_KEYS: Final = frozenset(EventBody.__annotations__)
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z", re.ASCII)
_TYPE: Final = re.compile(r"tablectl\.[a-z0-9_]+\.[a-z0-9_]+", re.ASCII)
CHECKPOINT: Final = "tablectl.journal.checkpoint"
SEGMENT: Final = "tablectl.journal.segment"
OPENED: Final = "tablectl.table.opened"


class Broken(Exception):
    """The journal is not what it should be: where, and what is wrong there."""

    def __init__(self, sequence: int | None, what: str) -> None:
        super().__init__(what)
        self.sequence = sequence
        self.what = what


@dataclass(frozen=True, slots=True)
class RecordRow:
    """A row of `records` with its sealed values, checked for form."""

    number: int
    sequence: int
    salt: str
    text: str
    body: dict[str, Any]
    sealed: tuple[Sealed, ...]

    @property
    def kind(self) -> Any:
        """Which input it is."""
        return self.body.get("kind")


@dataclass(frozen=True, slots=True)
class EventRow:
    """A row of `events`, proved to follow the one before it."""

    sequence: int
    text: str
    event: dict[str, Any]


def text_of(value: object, sequence: int | None, what: str) -> str:
    """A TEXT column as text."""
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            pass
    raise Broken(sequence, f"{what} is not readable text")


def object_of(text: str, sequence: int | None, what: str) -> dict[str, Any]:
    """A JSON object that stands in its canonical form."""
    try:
        value = json.loads(text)
        if isinstance(value, dict) and canonical(value) == text:
            return value
    except (ValueError, RecursionError, Unrecordable):
        pass
    raise Broken(sequence, f"{what} is not canonical JSON")


def prove_sealed(number: int, sequence: int, row: tuple[Any, ...]) -> Sealed:
    """A sealed value must open its commitment."""
    named, salt, card = (text_of(value, sequence, "a sealed value") for value in row)
    if (
        not HEX_32.fullmatch(named)
        or not HEX_32.fullmatch(salt)
        or not card.isascii()
        or commitment_of(card, salt) != named
    ):
        raise Broken(sequence, f"a sealed value of record {number} does not open its commitment")
    return Sealed(named, salt, card)


def prove_record(number: int, row: tuple[Any, ...], sealed: list[tuple[Any, ...]]) -> RecordRow:
    """A record's form, and its sealed values in both directions."""
    sequence = row[0]
    if type(sequence) is not int:
        raise Broken(None, f"record {number} does not say where its events begin")
    salt = text_of(row[1], sequence, f"the salt of record {number}")
    if not HEX_32.fullmatch(salt):
        raise Broken(sequence, f"the salt of record {number} is not 64 hex digits")
    text = text_of(row[2], sequence, f"record {number}")
    body = object_of(text, sequence, f"record {number}")
    opened = tuple(prove_sealed(number, sequence, value) for value in sealed)
    try:
        named = set(commitments(body))
    except (ValueError, TypeError, AttributeError):
        raise Broken(sequence, f"the cards of record {number} are malformed") from None
    there = {value.commitment for value in opened}
    if named - there:
        raise Broken(sequence, f"a sealed value of record {number} is missing")
    if there - named:
        raise Broken(sequence, f"record {number} has a sealed value that it does not name")
    return RecordRow(number, sequence, salt, text, body, opened)


def prove_event(
    identity: Identity, head: Head, last_time: str, record: RecordRow, value: object
) -> EventRow:
    """An event's form, its place in the chain, and the record that it names."""
    sequence = head.sequence + 1
    text = text_of(value, sequence, "the event")
    event = object_of(text, sequence, "the event")
    if event.keys() != _KEYS:
        raise Broken(sequence, "the event has not the keys of an event")
    without = canonical({key: item for key, item in event.items() if key != "hash"})
    if event["prevhash"] != head.hash:
        raise Broken(sequence, "the event does not follow the one before it (prevhash)")
    if event["hash"] != link(head.hash, without):
        raise Broken(sequence, "the event's hash is not that of its content")
    if event["input"] != digest(record.salt, record.text):
        raise Broken(sequence, f"the event's input is not record {record.number}: one was changed")
    if event["sequence"] != sequence or event["id"] != identity.event_id(sequence):
        raise Broken(sequence, "the event carries another event's number")
    if event["source"] != identity.source or event["specversion"] != "1.0":
        raise Broken(sequence, "the event is not from this table")
    _prove_form(sequence, event, last_time)
    return EventRow(sequence, text, event)


def _prove_form(sequence: int, event: dict[str, Any], last_time: str) -> None:
    data, time = event["data"], event["time"]
    well_formed = (
        isinstance(event["type"], str)
        and _TYPE.fullmatch(event["type"])
        and isinstance(event["subject"], str)
        and isinstance(data, dict)
        and isinstance(data.get("clauses"), list)
        and isinstance(data.get("inferred"), bool)
        and isinstance(time, str)
        and _TIME.fullmatch(time)
    )
    if not well_formed:
        raise Broken(sequence, "the event's fields are not those of an event")
    if time < last_time:
        raise Broken(sequence, "the event's time is before that of the event ahead of it")


def prove_checkpoint(public: str, head: Head, record: RecordRow, row: EventRow) -> None:
    """A checkpoint must sign the head before it, with the right key."""
    _same_fields(record, row, "checkpoint", ("sequence", "hash", "key", "signature", "state"))
    data = row.event["data"]
    if data["sequence"] != head.sequence or data["hash"] != head.hash:
        raise Broken(row.sequence, "the checkpoint signs another place than the one it stands at")
    if data["key"] != public:
        raise Broken(row.sequence, f"the checkpoint is signed with another key ({data['key']})")
    texts = (data["signature"], data["hash"], data["state"])
    if not all(isinstance(t, str) and t == t.lower() for t in texts) or not signed_by(
        public, data["signature"], head.sequence, head.hash, data["state"]
    ):
        raise Broken(row.sequence, "the checkpoint's signature is wrong")


def prove_segment(head: Head, record: RecordRow, row: EventRow) -> None:
    """A segment's first record must link to where the one before it ended."""
    _same_fields(record, row, "segment", ("previous", "sequence", "hash", "state"))
    data = row.event["data"]
    if data["sequence"] != head.sequence or data["hash"] != head.hash:
        raise Broken(row.sequence, "the segment does not begin where the one before it ended")


def _same_fields(record: RecordRow, row: EventRow, kind: str, names: tuple[str, ...]) -> None:
    data = row.event["data"]
    if record.kind != kind or any(
        name not in data or data[name] != record.body.get(name) for name in names
    ):
        raise Broken(row.sequence, f"the {kind} event is not what its record says")
