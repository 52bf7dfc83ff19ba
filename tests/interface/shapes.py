"""A small language for the shape of JSON, in which the names are written down. No test here.

A shape is a type, a pattern, a set of the texts that it may be, or a dictionary whose keys must be
there; others may stand beside them.
"""

import re
from dataclasses import dataclass
from typing import Any, Final

CLAUSE: Final = re.compile(r"(TCP|TCB|MIDI|WA-TCB) \S.*")


@dataclass(frozen=True)
class Maybe:
    """The shape, or null."""

    shape: Any


@dataclass(frozen=True)
class Each:
    """A list of such."""

    shape: Any


@dataclass(frozen=True)
class Keyed:
    """An object whose values are such, under any names."""

    shape: Any


INT: Final = int
NUMBER: Final = (int, float)
BOOL: Final = bool
TEXT: Final = str
CENTS: Final = re.compile("cents")
HASH: Final = re.compile(r"[0-9a-f]{64}")
SECOND: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", re.ASCII)
SENTENCE: Final = re.compile(r"(?s).*\w{2,}.*")
CLAUSES: Final = Each(CLAUSE)


def misfits(value: Any, shape: Any, where: str = "it") -> list[str]:
    """What is not as it should be, each with its place; nothing where all is well."""
    if shape is ...:
        return []
    if isinstance(shape, Maybe):
        return [] if value is None else misfits(value, shape.shape, where)
    if isinstance(shape, Each):
        if not isinstance(value, list):
            return [f"{where} is no list: {value!r:.80}"]
        parts = [(f"{where}[{n}]", one, shape.shape) for n, one in enumerate(value)]
        return _of_parts(parts)
    if isinstance(shape, Keyed | dict):
        if not isinstance(value, dict):
            return [f"{where} is no object: {value!r:.80}"]
        if isinstance(shape, Keyed):
            return _of_parts([(f"{where}.{key}", one, shape.shape) for key, one in value.items()])
        missing = [f"{where} has no {key}" for key in shape if key not in value]
        both = [(f"{where}.{key}", value[key], shape[key]) for key in shape if key in value]
        return missing + _of_parts(both)
    return [] if _is(value, shape) else [f"{where} is {value!r:.80}, not {shape}"]


def _of_parts(parts: list[tuple[str, Any, Any]]) -> list[str]:
    return [found for where, value, shape in parts for found in misfits(value, shape, where)]


def _is(value: Any, shape: Any) -> bool:
    if isinstance(shape, set):
        return value in shape
    if shape is CENTS:
        return type(value) is int and value >= 0
    if isinstance(shape, re.Pattern):
        return isinstance(value, str) and shape.fullmatch(value) is not None
    if shape in (INT, NUMBER):  # true is no number
        return isinstance(value, shape) and not isinstance(value, bool)
    return isinstance(value, shape)
