"""How many hands of each kind one deck holds, with one hand of each to be settled.

Three cards are enumerated one by one. Five and six are counted by their ranks, suits only where
five of one suit could come together. It knows no wagers.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb, prod
from typing import NamedTuple

from tablectl.cards import DECK, DECK_SIZE, RANKS, SUITS, Card
from tablectl.games.hands import QUEEN_HIGH, FiveKind, ThreeKind, five_card, pack, three_card

Hand = tuple[Card, ...]
THREE_CARD_HANDS = comb(DECK_SIZE, 3)
DEALER_HANDS = comb(DECK_SIZE - 3, 3)
PAIRS_OF_HANDS = THREE_CARD_HANDS * DEALER_HANDS


class Counted(NamedTuple):
    """How many deals are of a class, and one of them."""

    deals: int
    example: Hand


class Standing(NamedTuple):
    """One player's hand against every dealer's hand that its cards leave possible.

    The dealer does not play, or plays and leaves the player lower, equal, higher.
    """

    kind: ThreeKind
    strength: int
    not_playing: int
    lower: int
    equal: int
    higher: int

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """The dealer's hands: not playing, then leaving the player lower, equal, higher."""
        return self[2:]


@cache
def three_card_kinds() -> dict[ThreeKind, Counted]:
    """The 22,100 hands of three cards, by kind."""
    counts: Counter[ThreeKind] = Counter()
    examples: dict[ThreeKind, Hand] = {}
    for hand in combinations(DECK, 3):
        kind = three_card(pack(hand)).kind
        counts[kind] += 1
        examples.setdefault(kind, hand)
    return {kind: Counted(counts[kind], examples[kind]) for kind in sorted(counts)}


@cache
def five_card_kinds(cards: int, ranks: str = RANKS) -> dict[FiveKind, Counted]:
    """The hands of five or six cards, by the best five-card hand in them.

    A deck of fewer `ranks` is small enough to be counted again card by card.
    """
    counts: Counter[FiveKind] = Counter()
    examples: dict[FiveKind, Hand] = {}
    for hand, weight in (*_mixed_suits(cards, ranks), *_one_suit(cards, ranks)):
        if weight:
            kind = five_card(pack(hand))
            counts[kind] += weight
            examples.setdefault(kind, hand)
    return {kind: Counted(counts[kind], examples[kind]) for kind in sorted(counts)}


def _mixed_suits(cards: int, ranks: str) -> Iterator[tuple[Hand, int]]:
    """Each multiset of ranks with how often it comes without five cards of one suit."""
    for held in combinations_with_replacement(ranks, cards):
        copies = Counter(held)
        if max(copies.values()) <= len(SUITS):
            ways = prod(comb(len(SUITS), copy) for copy in copies.values())
            yield _spread(copies), ways - _suited_ways(cards, len(copies))


def _suited_ways(cards: int, ranks: int) -> int:
    """In how many ways a multiset of so many different ranks has five or more of one suit."""
    other = len(SUITS) - 1
    if ranks == cards:  # all of a suit, or all but one where that leaves five
        return len(SUITS) * (1 + (cards * other if cards == 6 else 0))
    # Of six cards with one pair, the pair's second card is of another suit.
    return len(SUITS) * other if (cards, ranks) == (6, 5) else 0


def _spread(copies: Counter[str]) -> Hand:
    """A hand of these ranks in which no suit comes five times: each rank begins a suit later."""
    return tuple(
        Card(rank + SUITS[(at + step) % len(SUITS)])
        for at, (rank, count) in enumerate(copies.items())
        for step in range(count)
    )


def _one_suit(cards: int, ranks: str) -> Iterator[tuple[Hand, int]]:
    """Each set of five or six ranks in one suit; a sixth card of another suit changes nothing."""
    for suit in SUITS:
        for count in range(5, cards + 1):
            strangers = cards - count
            other = [Card(rank + away) for away in SUITS if away != suit for rank in ranks]
            for held in combinations(ranks, count):
                hand = tuple(Card(rank + suit) for rank in held)
                yield (*hand, *other[:strangers]), comb(len(other), strangers)


@cache
def standings() -> dict[Standing, Counted]:
    """How the 22,100 hands of a player stand, each against 18,424 of a dealer.

    Dealer's hands that share a card with the player's are taken out by inclusion and exclusion:
    all, less those with one of the three cards, plus those with two of them, less the hand itself.
    """
    every: list[int] = []
    with_cards: dict[tuple[int, ...], list[int]] = {}
    hands = []
    for held in combinations(range(len(DECK)), 3):
        strength, kind, *_ = three_card(pack(DECK[at] for at in held))
        hands.append((held, strength, kind))
        every.append(strength)
        for few in (*combinations(held, 1), *combinations(held, 2)):
            with_cards.setdefault(few, []).append(strength)
    for strengths in (every, *with_cards.values()):
        strengths.sort()
    idle = {few: bisect_left(found, QUEEN_HIGH) for few, found in with_cards.items()}
    counts: Counter[Standing] = Counter()
    examples: dict[Standing, Hand] = {}
    for held, strength, kind in hands:
        ones = [(few,) for few in held]
        twos = list(combinations(held, 2))
        not_playing = bisect_left(every, QUEEN_HIGH) - (strength < QUEEN_HIGH)
        not_playing += sum([idle[few] for few in twos]) - sum([idle[few] for few in ones])
        if strength < QUEEN_HIGH:
            standing = Standing(kind, strength, not_playing, DEALER_HANDS - not_playing, 0, 0)
        else:
            below = bisect_left(every, strength)
            below += sum([bisect_left(with_cards[few], strength) for few in twos])
            below -= sum([bisect_left(with_cards[few], strength) for few in ones])
            upto = bisect_right(every, strength) - 1
            upto += sum([bisect_right(with_cards[few], strength) for few in twos])
            upto -= sum([bisect_right(with_cards[few], strength) for few in ones])
            standing = Standing(
                kind, strength, not_playing, DEALER_HANDS - upto, upto - below, below - not_playing
            )
        counts[standing] += 1
        examples.setdefault(standing, tuple(DECK[at] for at in held))
    return {standing: Counted(count, examples[standing]) for standing, count in counts.items()}
