"""What the generators of random rounds share: the cards, settings at random, stakes, meters.

All randomness comes from the caller's generator, so that a seed brings a round back.
"""

import random
from typing import Any

RANKS = "23456789TJQKA"
SUITS = "CDHS"
DECK = [rank + suit for rank in RANKS for suit in SUITS]

# A key of the rules, the values that it may have, and how often it is there at all.
Optional = tuple[str, list[Any], float]
EVERY_GAME: list[Optional] = [
    ("deck_change_lead_minutes", [1, 3, 10], 0.1),
    ("idle_minutes", [1, 5, 30], 0.1),
]


def some_of(rng: random.Random, optional: list[Optional]) -> dict[str, Any]:
    """Some of the settings, each with one of its values."""
    return {key: rng.choice(values) for key, values, often in optional if rng.random() < often}


def stake(rng: random.Random) -> int:
    """A stake in cents: mostly chips, at times any number, at times less than a quarter or two."""
    if rng.random() < 0.2:
        return rng.randint(1, rng.choice([60, 50_000, 50_000, 50_000]))
    return rng.choice([500, 1_000, 1_500, 2_500, 5_000, 10_000, 50_000])


def meter(rng: random.Random, least_reset: int) -> dict[str, int] | int:
    """A meter with its reset, or now and then bare, so that it resets to the least.

    It may stand a little below its reset, as it does after an award of ten percent.
    """
    bare = rng.random() < 0.2
    reset = least_reset if bare else least_reset * rng.choice([100, 100, 250, 733]) // 100
    cents = rng.choice([reset, reset + rng.randint(0, 5_000_000), reset * 9 // 10])
    return cents if bare else {"cents": cents, "reset": reset}


def alike(rng: random.Random, rank: str, count: int) -> list[str]:
    """So many cards of one rank, of different suits."""
    return [rank + suit for suit in rng.sample(SUITS, count)]


def consecutive(rng: random.Random, length: int, suit: str | None) -> list[str]:
    """Consecutive ranks, ace low or high: of the suit given, or of suits at random."""
    ranks = "A" + RANKS
    start = rng.randrange(len(ranks) - length + 1)
    return [rank + (suit or rng.choice(SUITS)) for rank in ranks[start : start + length]]
