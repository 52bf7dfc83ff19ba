"""What a driver family may be told in `options = {…}` of its device, beside what all devices share.

A driver class declares them; the configuration is judged by that before anything starts, so a
driver finds in its plan every option that it has, of the right type, and no other.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Option:
    """One option: what it expects, in words that complete "expected …", and what it is without."""

    expected: str
    default: Any
    fits: Callable[[object], bool] = field(repr=False)


def whole(what: str, least: int, most: int, default: int) -> Option:
    """An integer within bounds: `whole("the line's speed", 300, 115_200, 4800)`."""
    return Option(
        f"{what}, an integer from {least} to {most}",
        default,
        lambda value: type(value) is int and least <= value <= most,
    )


def one_of(what: str, *words: str) -> Option:
    """One of some words; the first is the default."""
    listed = ", ".join(f'"{word}"' for word in words)
    return Option(f"{what}, one of {listed}", words[0], lambda value: value in words)


def flag(what: str, default: bool) -> Option:
    """True or false."""
    return Option(f"{what}, true or false", default, lambda value: type(value) is bool)


def faults(known: Mapping[str, Option], given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each given option that is wrong: its name, and what was expected."""
    for name, value in given.items():
        if name not in known:
            listed = f"the driver has {', '.join(known)}" if known else "the driver has none"
            yield name, f"no such option; {listed}"
        elif not known[name].fits(value):
            yield name, known[name].expected


def completed(known: Mapping[str, Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """Every option that the driver has, as given or by default."""
    return {name: option.default for name, option in known.items()} | dict(given)
