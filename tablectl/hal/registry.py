"""Drivers by name, through the entry points `tablectl.drivers`; loaded only when asked for.

A table with a shoe and a button never imports the code of a USB lamp.
"""

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import Final, cast

from tablectl.hal.errors import BrokenDriver, UnknownDriver
from tablectl.hal.kinds import KINDS, Counters, DevicePlan, Driver, RandomBytes

GROUP: Final = "tablectl.drivers"

DriverClass = Callable[[DevicePlan, Counters, RandomBytes], Driver]


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


def make(plan: DevicePlan, counters: Counters, random_bytes: RandomBytes) -> Driver:
    """The driver for one device. Raises DriverError where there is none for its kind."""
    factory = load(plan.driver)
    kinds: frozenset[str] = getattr(factory, "kinds", frozenset())
    if plan.kind not in kinds:
        listed = ", ".join(sorted(kinds))
        raise BrokenDriver(
            f"driver {plan.driver!r} drives {listed}, and the kind of {plan.id} is {plan.kind}: "
            "choose another driver in the configuration"
        )
    return factory(plan, counters, random_bytes)
