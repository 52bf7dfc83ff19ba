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
from tablectl.games.three_card_baccarat_hands import hand_of

_COPIES = len(SUITS)


class Meeting(NamedTuple):
    """A class of rounds that nothing in the rules tells apart, and one of them."""

    deals: int
    player: Hand
    dealer: Hand


_Shape = tuple[int, int, int]
"""What the rules see of one hand beside its ranks: level, face cards, points (TCB 6.B, 6.C)."""


def _shape(ranks: Iterable[str]) -> _Shape:
    hand = hand_of(_cards(ranks, ())[0])
    return hand.level, hand.faces, hand.points


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
