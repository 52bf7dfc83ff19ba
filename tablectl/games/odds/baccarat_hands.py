"""How often each pair of Three Card Baccarat hands comes: 22,100 x 18,424 deals of one deck.

Counted by ranks, since no wager of the game looks at suits. It knows no wagers.
"""

from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import combinations_with_replacement
from math import comb, prod
from typing import NamedTuple

from tablectl.cards import RANKS, SUITS, Card
from tablectl.games.odds.poker_hands import Hand

_COPIES = len(SUITS)


class Meeting(NamedTuple):
    """A class of rounds that nothing in the rules tells apart, and one of them."""

    deals: int
    player: Hand
    dealer: Hand


class _Shape(NamedTuple):
    """What the rules see of one hand (TCB 6.B, 6.C)."""

    points: int
    faces: int
    kings: bool


def _shape(ranks: Iterable[str]) -> _Shape:
    held = list(ranks)
    # Ten and the face cards stand from the tenth place of RANKS: they count nothing.
    points = sum(min(RANKS.index(rank) + 1, 10) for rank in held) % 10
    return _Shape(points, sum(rank in "JQK" for rank in held), held == ["K", "K", "K"])


@cache
def meetings(of: str = RANKS) -> tuple[Meeting, ...]:
    """Every deal of both hands, by their shapes and by whether they have the same ranks.

    A deck `of` fewer ranks is small enough to be counted again card by card.
    """
    hands = [
        (ranks, _shape(ranks), tuple(Counter(ranks).items()))
        for ranks in combinations_with_replacement(of, 3)
    ]
    deals: Counter[tuple[_Shape, _Shape, bool]] = Counter()
    examples: dict[tuple[_Shape, _Shape, bool], tuple[Hand, Hand]] = {}
    for player, player_shape, held in hands:
        left = dict.fromkeys(of, _COPIES) | {rank: _COPIES - count for rank, count in held}
        ways = prod([comb(_COPIES, count) for _, count in held])
        for dealer, dealer_shape, wanted in hands:
            answers = ways * prod([comb(left[rank], count) for rank, count in wanted])
            if answers:
                key = (player_shape, dealer_shape, player == dealer)
                deals[key] += answers
                if key not in examples:
                    examples[key] = _cards(player, dealer)
    return tuple(Meeting(count, *examples[key]) for key, count in deals.items())


def _cards(player: Iterable[str], dealer: Iterable[str]) -> tuple[Hand, Hand]:
    """Cards of these ranks, each rank's suits in turn: the player's first, then the dealer's."""
    used: Counter[str] = Counter()

    def take(rank: str) -> Card:
        used[rank] += 1
        return Card(rank + SUITS[used[rank] - 1])

    return tuple(take(rank) for rank in player), tuple(take(rank) for rank in dealer)
