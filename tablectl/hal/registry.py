"""Drivers by name, through the entry points `tablectl.drivers`; loaded only when asked for.

A table with a shoe and a button never imports the code of a USB lamp.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, entry_points
from typing import Final, Literal, cast, get_args

from tablectl.hal.errors import BrokenDriver, UnknownDriver
from tablectl.hal.kinds import KINDS, Counters, DevicePlan, Driver, RandomBytes
from tablectl.hal.options import Option, completed, faults

GROUP: Final = "tablectl.drivers"

DriverClass = Callable[[DevicePlan, Counters, RandomBytes], Driver]
# Commands: sent; sent only where the configuration says read_only = false; there are none.
Speaks = Literal["freely", "when_allowed", "never"]


@dataclass(frozen=True, slots=True)
class Family:
    """What a driver's class says of itself, for whoever judges a configuration."""

    kinds: frozenset[str]
    speaks: Speaks
    anonymous: bool  # its devices never say who they are
    proves: bool  # they can prove it, by a key that both sides have
    keeps: bool  # they keep what they have to tell while their host is away
    options: Mapping[str, Option]
    tells_rounds: bool = True  # what it tells shows where a round ends, at a table that listens
    games: frozenset[str] = frozenset()  # the games whose hands it knows; empty: it names none


def known() -> dict[str, EntryPoint]:
    """Every installed driver's name; none is loaded."""
    return {point.name: point for point in entry_points(group=GROUP)}


def load(name: str) -> DriverClass:
    """The driver of that name. Raises UnknownDriver (it lists the known ones) and BrokenDriver."""
    points = known()
    if name not in points:
        names = ", ".join(sorted(points)) or "none"
        raise UnknownDriver(f"there is no driver {name!r}; installed are: {names}")
    try:
        loaded = points[name].load()
    except Exception as error:  # whatever a driver's module does when it loads
        raise BrokenDriver(
            f"driver {name!r} cannot be loaded ({type(error).__name__}: {error}); install it again"
        ) from error
    kinds = getattr(loaded, "kinds", None)
    if not callable(loaded) or not isinstance(kinds, frozenset) or not kinds <= KINDS.keys():
        raise BrokenDriver(f"driver {name!r} does not say which kinds it drives: see its page")
    return cast("DriverClass", loaded)


def family(name: str) -> Family:
    """What the driver of that name says of itself. Raises as `load` does."""
    loaded = load(name)
    speaks: Speaks = getattr(loaded, "speaks", "freely")
    if speaks not in get_args(Speaks):
        raise BrokenDriver(f"driver {name!r} speaks {speaks!r}: see docs/integrators/drivers.md")
    kinds: frozenset[str] = getattr(loaded, "kinds", frozenset())
    anonymous: bool = getattr(loaded, "anonymous", False)
    proves: bool = getattr(loaded, "proves", False)
    keeps: bool = getattr(loaded, "keeps", False)
    options: Mapping[str, Option] = getattr(loaded, "options", {})
    tells_rounds: bool = getattr(loaded, "tells_rounds", True)
    games: frozenset[str] = getattr(loaded, "games", frozenset())
    return Family(kinds, speaks, anonymous, proves, keeps, options, tells_rounds, games)


def make(plan: DevicePlan, counters: Counters, random_bytes: RandomBytes) -> Driver:
    """The driver for one device. Raises DriverError where there is none for its plan."""
    it = family(plan.driver)
    if plan.kind not in it.kinds:
        listed = ", ".join(sorted(it.kinds))
        raise BrokenDriver(
            f"driver {plan.driver!r} drives {listed}, and the kind of {plan.id} is {plan.kind}: "
            "choose another driver in the configuration"
        )
    if plan.key is not None and not it.proves:
        raise BrokenDriver(f"driver {plan.driver!r} has no use for the key of {plan.id}")
    for option, expected in faults(it.options, plan.options):
        raise BrokenDriver(f"option {option!r} of {plan.id}: expected {expected}")
    plan = replace(plan, options=completed(it.options, plan.options))
    return load(plan.driver)(plan, counters, random_bytes)
