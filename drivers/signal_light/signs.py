"""What a sign looks like: a colour, and a rhythm of its own, so that no sign rests on its colour.

Whoever cannot tell red from green still tells steady from flashing. The rhythms are those of
lights at sea: fixed, occulting, isophase, quick, flashing, group flashing.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final


class Colour(Enum):
    """What every light can show."""

    DARK = "dark"
    GREEN = "green"
    YELLOW = "yellow"
    RED = "red"


@dataclass(frozen=True, slots=True)
class Look:
    """`rhythm_ms`: on, off, on, off, again and again; empty: steady."""

    colour: Colour
    rhythm_ms: tuple[int, ...] = ()


LOOKS: Final = {
    "off": Look(Colour.DARK),
    "open": Look(Colour.GREEN),
    "no_more_bets": Look(Colour.YELLOW, (1750, 250)),
    "attention": Look(Colour.YELLOW, (500, 500)),
    "winner": Look(Colour.GREEN, (200, 200)),
    "out_of_order": Look(Colour.RED, (250, 1750)),
    "halted": Look(Colour.RED, (200, 200, 200, 900)),
}
