"""Inputs and states as text. A card's value never stands in a record: only its commitment does.

`encode` gives the record's canonical JSON and the sealed values beside it; `decode` puts them
together again into the identical input. The snapshot codec does the same for a state.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any, Final

from pydantic import Field, TypeAdapter, ValidationError

from tablectl.cards import UnknownCard, parse_card
from tablectl.journal.canonical import MAX_INTEGER, canonical
from tablectl.journal.errors import JournalDamaged, Unrecordable
from tablectl.table.inputs import (
    Action,
    DeviceEvent,
    DrawnTrigger,
    Input,
    ReadCard,
    Restart,
    Second,
    Stamp,
)
from tablectl.table.seal import commitment, trigger_commitment
from tablectl.table.setup import Setup

HEX_32: Final = re.compile(r"[0-9a-f]{64}")  # 32 bytes as the journal writes them

_INPUT: Final[TypeAdapter[Input]] = TypeAdapter(Annotated[Input, Field(discriminator="kind")])
_SETUP: Final = TypeAdapter(Setup)
_BIG: Final = "$int"  # how a snapshot writes an integer that JSON readers may round


@dataclass(frozen=True, slots=True)
class Sealed:
    """A row of the table of sealed values."""

    commitment: str
    salt: str
    card: str  # or the cents of a trigger, in digits


@dataclass(frozen=True, slots=True)
class Encoded:
    """A record in the making. `input` is what a replay will see: step this one."""

    input: Input
    text: str
    sealed: tuple[Sealed, ...]


def encode(given: Input) -> Encoded:
    """The record of an input; raises Unrecordable where JSON or the seal cannot hold it."""
    if isinstance(given, Action | DeviceEvent) and given.args:
        given = replace(given, args=_plain(dict(given.args)))
    sealed: dict[str, Sealed] = {}
    body: dict[str, Any] = {}
    for name in _names(type(given)):
        value = getattr(given, name)
        if isinstance(value, Stamp):
            value = _stamp(value)
        elif name == "cards":
            value = [_seal(card, sealed) for card in value]
        elif isinstance(value, DrawnTrigger):
            value = _seal_trigger(value, sealed)
        elif isinstance(value, Setup):
            value = _SETUP.dump_python(value, mode="json")
        elif isinstance(value, Second):
            value = {"actor": value.actor, "roles": value.roles, "method": value.method}
        body[name] = value
    text = canonical(body)
    rows = tuple(sealed[key] for key in sorted(sealed))
    if isinstance(given, Restart):
        given = decode(text, ())  # a setup read from a file must be the one that replay sees
    return Encoded(given, text, rows)


def decode(text: str, sealed: tuple[Sealed, ...]) -> Input:
    """The input of a record; raises JournalDamaged where text and sealed values make none."""
    try:
        body = json.loads(text)
        at = body["at"]
        body["at"] = {**at, "utc_ns": int(at["utc_ns"]), "mono_ns": int(at["mono_ns"])}
        rows = {row.commitment: row for row in sealed}
        if "cards" in body:
            body["cards"] = [_unseal(entry, rows) for entry in body["cards"]]
        if "trigger" in body:
            row = rows[body["trigger"]["commitment"]]
            body["trigger"] = {"cents": int(row.card), "salt": row.salt}
        return _INPUT.validate_python(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise JournalDamaged(f"the record makes no input: {place}: {first['msg']}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise JournalDamaged(f"the record makes no input: {error!r}") from None


def commitments(body: Mapping[str, Any]) -> list[str]:
    """The commitments that a record's JSON names; raises ValueError where they are malformed."""
    found = []
    triggers = [body["trigger"]] if "trigger" in body else []
    for entry in (*body.get("cards", ()), *triggers):
        named = entry.get("commitment") if isinstance(entry, dict) else entry
        if isinstance(named, str) and HEX_32.fullmatch(named):
            found.append(named)
        elif named is not None or not isinstance(entry, dict):
            raise ValueError("a sealed value of the record is neither a commitment nor unreadable")
    return found


class StateCodec:
    """Snapshots: a state as JSON text that keeps every integer and the order of every mapping."""

    def __init__(self, state_type: Any) -> None:
        self._adapter: TypeAdapter[Any] = TypeAdapter(state_type)

    def encode(self, state: Any) -> str:
        """The state as text."""
        data = _wrap(self._adapter.dump_python(state, mode="json"))
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)

    def keeps(self, state: Any, text: str) -> bool:
        """Whether `text` gives `state` back: a snapshot that does not would be worse than none."""
        try:
            return bool(self.decode(text) == state)
        except JournalDamaged:
            return False

    def decode(self, text: str) -> Any:
        """The state that `text` was made of; raises JournalDamaged where it is none."""
        try:
            data = json.loads(text, object_hook=_unwrap)
            return self._adapter.validate_python(data)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise JournalDamaged(f"the snapshot is no state of this version: {error}") from None


def plain_state(text: str) -> dict[str, Any]:
    """A snapshot of any core version, as plain values; raises JournalDamaged."""
    try:
        found = json.loads(text, object_hook=_unwrap)
    except (ValueError, RecursionError) as error:
        raise JournalDamaged(f"the snapshot is no JSON: {error}") from None
    return found if isinstance(found, dict) else {}


_FIELDS: dict[type, tuple[str, ...]] = {}


def _names(kind: type) -> tuple[str, ...]:
    if kind not in _FIELDS:
        _FIELDS[kind] = tuple(field.name for field in fields(kind))
    return _FIELDS[kind]


def _stamp(at: Stamp) -> dict[str, str]:
    """Nanoseconds are beyond 2**53: decimal strings."""
    try:
        return {"utc_ns": f"{at.utc_ns:d}", "mono_ns": f"{at.mono_ns:d}", "boot": at.boot}
    except (ValueError, TypeError) as error:
        raise Unrecordable(f"a stamp's nanoseconds are integers: {error}") from None


def _seal(read: ReadCard, sealed: dict[str, Sealed]) -> dict[str, str | None]:
    if HEX_32.fullmatch(read.salt) is None:
        raise Unrecordable("a card's salt is 64 lower-case hex digits")
    if read.card is None:
        return {"commitment": None, "salt": read.salt}  # it seals nothing
    try:
        row = Sealed(commitment(parse_card(read.card), read.salt), read.salt, read.card)
    except UnknownCard:
        # Without the value: this sentence may reach a log, and the card is face down.
        raise Unrecordable("a reader gave a card that is none: rank then suit") from None
    sealed[row.commitment] = row
    return {"commitment": row.commitment}


def _seal_trigger(drawn: DrawnTrigger, sealed: dict[str, Sealed]) -> dict[str, str]:
    if HEX_32.fullmatch(drawn.salt) is None or type(drawn.cents) is not int or drawn.cents < 0:
        raise Unrecordable("a trigger is whole cents with a salt of 64 lower-case hex digits")
    row = Sealed(trigger_commitment(drawn.cents, drawn.salt), drawn.salt, str(drawn.cents))
    sealed[row.commitment] = row
    return {"commitment": row.commitment}


def _unseal(entry: Mapping[str, str | None], rows: Mapping[str, Sealed]) -> dict[str, str | None]:
    named = entry["commitment"]
    if named is None:
        return {"card": None, "salt": entry["salt"]}
    return {"card": rows[named].card, "salt": rows[named].salt}


def _plain(value: Any) -> Any:
    """Arguments as a replay will read them: lists for tuples, keys in canonical order."""
    if isinstance(value, Mapping):
        if not all(type(key) is str for key in value):
            raise Unrecordable("the keys of an input's arguments are strings")
        return {key: _plain(value[key]) for key in sorted(value, key=_code_units)}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _code_units(key: str) -> bytes:
    return key.encode("utf-16-be", "surrogatepass")


def _wrap(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _wrap(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_wrap(item) for item in value]
    if type(value) is int and not -MAX_INTEGER <= value <= MAX_INTEGER:
        return {_BIG: str(value)}
    if isinstance(value, float):
        raise Unrecordable(f"the state holds the float {value!r}: only integers are exact")
    return value


def _unwrap(found: dict[str, Any]) -> Any:
    return int(found[_BIG]) if found.keys() == {_BIG} else found
