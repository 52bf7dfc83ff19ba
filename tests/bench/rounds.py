"""Rounds to settle: seven seats, every wager at each of them, honestly dealt from one deck.

Everybody plays: a fold would save the settlement work that the baselines still do.
"""

import random
from typing import Any, Final

from tablectl.cards import DECK

RULES: Final = {
    "ante_bonus": "A",
    "pair_plus": "A",
    "six_card_bonus": "A",
    "progressive": "A",
    "five_card_progressive": "A",
}
METERS: Final = {
    "main": {"cents": 1_234_567, "reset": 100_000},
    "main5": {"cents": 7_654_321, "reset": 100_000},
}
SEATS: Final = range(1, 8)


def full_round(rng: random.Random, name: int) -> dict[str, Any]:
    """A round as `tablectl settle` takes it: 26 cards, 35 wagers."""
    deck = rng.sample(DECK, 3 * len(SEATS) + 5)
    return {
        "id": name,
        "game": "three_card_poker",
        "rules": RULES,
        "meters": METERS,
        "dealer": deck[:3],
        "community": deck[3:5],
        "seats": [
            {
                "seat": seat,
                "wagers": {
                    "ante": rng.choice([500, 1_000, 2_500, 10_000]),
                    "pair_plus": rng.choice([500, 1_000, 2_500]),
                    "six_card_bonus": rng.choice([500, 1_000]),
                    "progressive": rng.choice([100, 500]),
                    "five_card_progressive": rng.choice([100, 500]),
                },
                "cards": deck[2 + 3 * seat : 5 + 3 * seat],
                "decision": "play",
            }
            for seat in SEATS
        ],
    }


def full_rounds(seed: int, count: int) -> list[dict[str, Any]]:
    """`count` rounds; the same seed deals the same ones."""
    rng = random.Random(seed)
    return [full_round(rng, name) for name in range(1, count + 1)]
