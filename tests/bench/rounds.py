"""Rounds to settle: seven seats, every wager at each of them, honestly dealt.

At Three Card Poker everybody plays: a fold would save the settlement work that the baselines still
do. Three Card Baccarat is Washington's, which has seven seats; Midi Baccarat is Five Treasures.
"""

import random
from collections.abc import Mapping
from typing import Any, Final

from tablectl.cards import DECK, SUITS
from tablectl.games.midi_third_cards import next_due
from tablectl.games.rules import parse_rules

RULES: Final[Mapping[str, Mapping[str, Any]]] = {
    "three_card_poker": {
        "ante_bonus": "A",
        "pair_plus": "A",
        "six_card_bonus": "A",
        "progressive": "A",
        "five_card_progressive": "A",
    },
    "three_card_baccarat": {
        "jurisdiction": "WA",
        "three_kings": "A",
        "tie": "A",
        "dragon": True,
    },
    "midi_baccarat": {
        "variant": "five_treasures",
        "dragon_bonus": "A",
        "blazing_7s": "A",
        "any_pair": "nominated_hand",
        "lucky_nines": "A",
        "lucky_6": True,
        "super_6": True,
        "jackpot": "A",
        "royal_9": "A",
        "royal_9_reading": "printed_per_seat",
    },
}
METERS: Final[Mapping[str, Mapping[str, Mapping[str, int]]]] = {
    "three_card_poker": {
        "main": {"cents": 1_234_567, "reset": 100_000},
        "main5": {"cents": 7_654_321, "reset": 100_000},
    },
    "three_card_baccarat": {},
    "midi_baccarat": {
        "star": {"cents": 7_654_321, "reset": 5_000_000},
        "spade": {"cents": 123_456, "reset": 35_000},
        "heart": {"cents": 654_321, "reset": 35_000},
    },
}
SEATS: Final = range(1, 8)
_CHIPS: Final = ("progressive", "five_card_progressive")


def full_rounds(seed: int, count: int, game: str = "three_card_poker") -> list[dict[str, Any]]:
    """`count` rounds as `tablectl settle` takes them; the same seed deals the same ones."""
    rng = random.Random(seed)
    wagers = [w for w in parse_rules({"game": game, **RULES[game]}).wagers if w != "play"]
    return [
        {
            "id": name,
            "game": game,
            "rules": RULES[game],
            "meters": METERS[game],
            **(_midi(rng, wagers) if game == "midi_baccarat" else _one_deck(rng, wagers)),
        }
        for name in range(1, count + 1)
    ]


def _one_deck(rng: random.Random, wagers: list[str]) -> dict[str, Any]:
    """26 cards of one deck; both games of three cards."""
    deck = rng.sample(DECK, 3 * len(SEATS) + 5)
    poker = "pair_plus" in wagers
    seats = [
        {
            "seat": seat,
            "wagers": _stakes(rng, wagers),
            "cards": deck[2 + 3 * seat : 5 + 3 * seat],
            **({"decision": "play"} if poker else {}),
        }
        for seat in SEATS
    ]
    return {
        "dealer": deck[:3],
        **({"community": deck[3:5]} if poker else {}),
        "seats": seats,
    }


def _midi(rng: random.Random, wagers: list[str]) -> dict[str, Any]:
    """Two hands from a shoe of eight decks; each seat has a king and nine of its own."""
    cards = rng.sample(DECK * 8, 6)
    hands: dict[str, list[str]] = {"player": [], "banker": []}
    while (side := next_due(hands["player"], hands["banker"]).side) is not None:  # type: ignore[arg-type]
        hands[side].append(cards.pop(0))
    seats = [
        {
            "seat": seat,
            "wagers": _stakes(rng, wagers),
            "printed_king_9": ["K" + SUITS[seat % 4], "9" + SUITS[seat // 4]],
        }
        for seat in SEATS
    ]
    return {**hands, "seats": seats}


def _stakes(rng: random.Random, wagers: list[str]) -> dict[str, int]:
    return {
        wager: rng.choice([100, 500] if wager in _CHIPS else [500, 1_000, 2_500])
        for wager in wagers
    }
