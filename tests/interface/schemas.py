"""JSON Schema (2020-12) from the program's own types. No test here.

It knows plain types, TypedDict, Literal, Annotated with a Form, and pydantic's models; nothing of
what any of them means.
"""

import types
from collections.abc import Mapping
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from pydantic import BaseModel

from tablectl.games.lines import Form

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_PLAIN: dict[Any, str] = {
    str: "string", int: "integer", bool: "boolean", float: "number", type(None): "null",
}  # fmt: skip
_FORMS = {
    "pattern": "pattern", "minimum": "minimum", "maximum": "maximum", "fewest": "minItems",
    "most": "maxItems",
}  # fmt: skip

Schema = dict[str, Any]


class Schemas:
    """Makes schemas; what is used more than once is defined once. `strict`: no further keys."""

    def __init__(self, *, strict: bool = False) -> None:
        self.defs: dict[str, Schema] = {}
        self._strict = strict

    def document(self, title: str, name: str, body: Schema) -> Schema:
        """A whole file."""
        head = {"$schema": DRAFT, "$id": f"{name}.json", "title": title}
        return {**head, **body, **({"$defs": dict(sorted(self.defs.items()))} if self.defs else {})}

    def of(self, shape: Any) -> Schema:
        """The schema of a type."""
        if shape is Any:
            return {}
        if shape in _PLAIN:
            return {"type": _PLAIN[shape]}
        if is_typeddict(shape):
            return self._defined(shape.__name__, lambda: self._typed_dict(shape))
        if isinstance(shape, type) and issubclass(shape, BaseModel):
            return self._defined(shape.__name__.strip("_"), lambda: self._model(shape))
        return self._of_origin(get_origin(shape), get_args(shape), shape)

    def fields(self, fields: Mapping[str, Any], about: str = "") -> Schema:
        """The schema of an object with these fields; NotRequired ones may be absent."""
        optional = {name for name, shape in fields.items() if get_origin(shape) is NotRequired}
        bare = {n: get_args(s)[0] if n in optional else s for n, s in fields.items()}
        made: Schema = {"type": "object", "properties": {n: self.of(s) for n, s in bare.items()}}
        if needed := [name for name in fields if name not in optional]:
            made["required"] = needed
        if self._strict:
            made["additionalProperties"] = False
        return ({"description": about} if about else {}) | made

    def _typed_dict(self, shape: Any) -> Schema:
        hints = get_type_hints(shape, include_extras=True)
        optional = shape.__optional_keys__
        fields = {n: NotRequired[_bare(s)] if n in optional else _bare(s) for n, s in hints.items()}
        own = shape.__doc__ if "__doc__" in vars(shape) else None
        return self.fields(fields, " ".join((own or "").split()))

    def _model(self, model: type[BaseModel]) -> Schema:
        made = model.model_json_schema(ref_template="#/$defs/{model}")
        for name, inner in made.pop("$defs", {}).items():
            self.defs[name.strip("_")] = tidy(inner)
        found = tidy(made)
        assert isinstance(found, dict)
        return found

    def _of_origin(self, origin: Any, args: tuple[Any, ...], shape: Any) -> Schema:
        if origin is Annotated:
            form = next((each for each in args[1:] if isinstance(each, Form)), Form())
            asked = {_FORMS[n]: v for n, v in form._asdict().items() if v is not None}
            return {**self.of(args[0]), **asked}
        if origin is Literal:
            return {"const": args[0]} if len(args) == 1 else {"enum": list(args)}
        if origin in (Union, types.UnionType):
            return _any_of([self.of(each) for each in args])
        if origin is list:
            return {"type": "array", "items": self.of(args[0])}
        if origin in (dict, Mapping):
            return {"type": "object", "additionalProperties": self.of(args[1])}
        raise TypeError(f"{shape} has no schema yet")

    def _defined(self, name: str, make: Any) -> Schema:
        if name not in self.defs:
            self.defs[name] = {}  # it may name itself
            self.defs[name] = make()
        return {"$ref": f"#/$defs/{name}"}


def _bare(shape: Any) -> Any:
    return get_args(shape)[0] if get_origin(shape) is NotRequired else shape


def _any_of(parts: list[Schema]) -> Schema:
    """A choice; what is one type or null reads better as two types."""
    if len(parts) == 2 and {"type": "null"} in parts:
        [other] = [part for part in parts if part != {"type": "null"}]
        if isinstance(other.get("type"), str) and "enum" not in other:
            return {**other, "type": [other["type"], "null"]}
    return {"anyOf": parts}


def tidy(value: Any) -> Any:
    """pydantic's schema without its titles and our own remarks; the clause stays as x-clause."""
    if isinstance(value, list):
        return [tidy(item) for item in value]
    if not isinstance(value, dict):
        return value.replace("#/$defs/_", "#/$defs/") if isinstance(value, str) else value
    kept = {}
    for key, item in value.items():
        if key == "properties":
            kept[key] = {name: tidy(inner) for name, inner in item.items()}
        elif key == "clause":
            kept |= {"x-clause": item} if item else {}
        elif key not in ("title", "secret"):
            kept[key] = tidy(item)
    return kept
