"""What a three-card table that only listens knows between two reports of its devices.

A frozen value that hangs off `State`; it holds facts, and decides nothing.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Watch:
    """Where one round ends and the next begins, as far as the devices have told it."""

    sure: bool = False  # of a round that begins now no card can be missing
    renewed: bool = False  # other cards are in the shoe: the next one is of another round
    tells: bool = False  # the shoe itself says when it was loaded, or stands by
    counted: int | None = None  # the shoe's own count of stacks, with the last one
    shuffle: str = ""  # since the last card: "begun", "whole"; "running" since before it
    decks: int = 0  # how many sets of cards it has heard of: they are called deck-1, deck-2 …
