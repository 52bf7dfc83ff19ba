"""Judges what the program says by the schemas that are shipped, with somebody else's validator."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from tablectl.table.events import EVENTS
from tests.interface.documents import FOLDER, data
from tests.interface.schemas import Schema, Schemas


@cache
def shipped(name: str) -> Schema:
    """A file of docs/integrators/schemas."""
    found = json.loads((FOLDER / f"{name}.json").read_text())
    assert isinstance(found, dict)
    return found


@cache
def _validator(name: str) -> Any:
    return Draft202012Validator(shipped(name))


def faults(name: str, value: Any) -> list[str]:
    """What is not as the schema says."""
    return [_told(error) for error in _validator(name).iter_errors(value)]


@cache
def _of_event(type_: str) -> Any:
    schemas = Schemas(strict=True)
    body = data(schemas, EVENTS[type_])
    return Draft202012Validator({**body, "$defs": schemas.defs})


def event_faults(type_: str, told: Any) -> Iterator[str]:
    """As strictly as can be: an event of a known type, with known fields and no other."""
    if type_ not in EVENTS:
        yield f"{type_} does not stand in tablectl/table/events.py"
        return
    for error in _of_event(type_).iter_errors(told):
        yield f"{type_}: {_told(error)}"


def _told(error: Any) -> str:
    return f"{'.'.join(map(str, error.absolute_path))}: {error.message:.300}"
