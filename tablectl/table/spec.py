"""What an action is: who may do it, with which arguments, to what effect. No action stands here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tablectl.table.step import Refused, Step, quoted

Effect = Callable[[Step, Mapping[str, Any]], None]
STAFF: Final = ("dealer", "floor")  # the floor may do what the dealer may
FLOOR: Final = ("floor",)
ANYBODY: Final = ("dealer", "floor", "surveillance", "technician", "auditor")
WATCH: Final = ("floor", "surveillance")
_TYPES: Final = {"int": int, "str": str, "bool": bool, "list": list}
_TEXT_MAXIMUM: Final = 200


@dataclass(frozen=True, slots=True)
class Spec:
    """An action: who may do it, the arguments (a "?" marks an optional one), what it does."""

    effect: Effect
    role: tuple[str, ...] = STAFF
    args: str = ""
    halted: bool = False  # may be done while the table stands still
    second: str | None = None  # the role of the second person, where two act together
    witness: str | None = None  # the role of a second person who may stand by, and is recorded
    wanted: dict[str, tuple[type, bool]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for word in self.args.split():
            name, type_ = word.removesuffix("?").split(":")
            self.wanted[name] = (_TYPES[type_], not word.endswith("?"))


def check_args(name: str, spec: Spec, args: Mapping[str, Any]) -> None:
    """Raises Refused (malformed) where the arguments are not what the action takes."""
    for key in args:
        if key not in spec.wanted:
            raise Refused(
                f"{name} takes no {quoted(key)}; it takes {spec.args or 'nothing'}", malformed=True
            )
    for key, (type_, required) in spec.wanted.items():
        if key not in args:
            if required:
                raise Refused(f"{name} needs {key!r} ({type_.__name__})", malformed=True)
        elif type(args[key]) is not type_:
            raise Refused(f"{name}: {key!r} must be of type {type_.__name__}", malformed=True)
        elif type_ is str and not 0 < len(args[key]) <= _TEXT_MAXIMUM:
            raise Refused(f"{name}: {key!r} has 1 to {_TEXT_MAXIMUM} letters", malformed=True)
        elif type_ is str and not (args[key].isprintable() and args[key].strip()):
            raise Refused(
                f"{name}: {key!r} must have letters, and only such as print", malformed=True
            )
        elif type_ is int and abs(args[key]) > 10**12:
            raise Refused(f"{name}: {key!r} is out of range", malformed=True)
        elif type_ is list and len(args[key]) > 8:
            raise Refused(f"{name}: {key!r} has at most 8 entries", malformed=True)
