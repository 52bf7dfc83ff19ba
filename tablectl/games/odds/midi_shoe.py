"""How often each round of Midi Baccarat comes from a full shoe of 6, 7 or 8 decks.

Whole rounds are counted by card values, the first four cards by ranks, and suits are told apart
only where a wager looks at them. What is counted are deals: the orders of six cards for a whole
round, else the choices of two cards for each hand or of four for both. It knows no wagers.
"""

from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import combinations_with_replacement
from math import comb, perm, prod
from typing import NamedTuple

from tablectl.cards import DECK_SIZE, RANKS, SUITS, Card
from tablectl.games.baccarat_points import VALUES, points
from tablectl.games.midi_third_cards import next_due
from tablectl.games.odds.poker_hands import Hand

Values = tuple[int, ...]
_NINE = "9"
_NO_ROYAL: Hand = (Card("2C"), Card("4D"))
# The ranks of each value of a card, 0 to 9 (MIDI 6.A).
_RANKS_OF_VALUE = [[rank for rank in RANKS if VALUES[rank] == value] for value in range(10)]


class Round(NamedTuple):
    """A class of rounds that the wagers in question cannot tell apart, and one of them."""

    deals: int
    player: Hand
    banker: Hand


def _orders(left: list[int], values: Iterable[int]) -> int:
    """In how many orders of cards these values come one after another, and takes them out."""
    ways = 1
    for value in values:
        ways *= left[value]
        left[value] -= 1
    return ways


@cache
def whole_rounds(decks: int) -> tuple[Round, ...]:
    """Every order of six cards, by the points and the number of cards of both hands.

    A round that needs four or five cards counts once for each order of those that it leaves.
    """
    size = decks * DECK_SIZE
    shoe = [decks * len(SUITS) * len(ranks) for ranks in _RANKS_OF_VALUE]
    pairs = list(combinations_with_replacement(range(10), 2))
    deals: Counter[tuple[int, int, int, int]] = Counter()
    examples: dict[tuple[int, int, int, int], tuple[Values, Values]] = {}
    for player in pairs:
        for banker in pairs:
            left = shoe.copy()
            # Two different values come in either order.
            swaps = (1 + (player[0] != player[1])) * (1 + (banker[0] != banker[1]))
            ways = swaps * _orders(left, (*player, *banker))
            for third, other in _third_cards(sum(player) % 10, sum(banker) % 10):
                mine, theirs = (*player, *third), (*banker, *other)
                key = (len(mine), sum(mine) % 10, len(theirs), sum(theirs) % 10)
                drawn = (*third, *other)
                unseen = perm(size - 4 - len(drawn), 2 - len(drawn))
                deals[key] += ways * _orders(left.copy(), drawn) * unseen
                examples.setdefault(key, (mine, theirs))
    return tuple(Round(deals[key], *map(_of_values, examples[key])) for key in sorted(deals))


@cache
def _third_cards(player: int, banker: int) -> tuple[tuple[Values, Values], ...]:
    """The third cards that may come to two hands of these points, by value."""
    begun: list[tuple[Values, Values]] = [((0, player), (0, banker))]
    ended = []
    while begun:
        mine, theirs = begun.pop()
        side = next_due(_of_values(mine), _of_values(theirs)).side
        if side is None:
            ended.append((mine[2:], theirs[2:]))
        elif side == "player":
            begun += [((*mine, value), theirs) for value in range(10)]
        else:
            begun += [(mine, (*theirs, value)) for value in range(10)]
    return tuple(ended)


def _of_values(values: Values) -> Hand:
    return _of_ranks(_RANKS_OF_VALUE[value][0] for value in values)


def _of_ranks(ranks: Iterable[str]) -> Hand:
    return tuple(Card(rank + suit) for rank, suit in zip(ranks, SUITS, strict=False))


def _finished(deals: int, player: Hand, banker: Hand) -> Round:
    """A round that begins with these two cards each, with such third cards as the rules deal.

    Any card will do for those: no wager that is counted by the first four looks at them.
    """
    third, other = _third_cards(points(player), points(banker))[0]
    return Round(deals, (*player, *_of_values(third)), (*banker, *_of_values(other)))


@cache
def first_pairs(decks: int) -> tuple[Round, ...]:
    """The first two cards of each hand, by whether they are a pair, and of nines."""
    copies = decks * len(SUITS)
    deals: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], tuple[Hand, Hand]] = {}
    pairs = list(combinations_with_replacement(RANKS, 2))
    for player in pairs:
        for banker in pairs:
            left = dict.fromkeys(RANKS, copies)
            ways = 1
            for hand in (player, banker):
                ways *= prod(comb(left[rank], count) for rank, count in Counter(hand).items())
                for rank in hand:
                    left[rank] -= 1
            key = _pair_kind(player), _pair_kind(banker)
            deals[key] += ways
            examples.setdefault(key, (_of_ranks(player), _of_ranks(banker)))
    return tuple(_finished(deals[key], *examples[key]) for key in sorted(deals))


def _pair_kind(ranks: tuple[str, ...]) -> str:
    if ranks[0] != ranks[1]:
        return "none"
    return "nines" if ranks[0] == _NINE else "pair"


@cache
def first_nines(decks: int) -> tuple[Round, ...]:
    """The first four cards together, by how many nines of each suit are among them."""
    others = decks * (DECK_SIZE - len(SUITS))
    rounds = []
    for count in range(5):
        for suits in combinations_with_replacement(SUITS, count):
            ways = prod(comb(decks, copies) for copies in Counter(suits).values())
            cards = *(Card(_NINE + suit) for suit in suits), *_of_ranks("A23T"[: 4 - count])
            rounds.append(_finished(ways * comb(others, 4 - count), cards[:2], cards[2:]))
    return tuple(rounds)


@cache
def first_four(decks: int) -> tuple[Round, ...]:
    """The first four cards together as a poker hand: by their ranks, and of one suit or not."""
    rounds = []
    for ranks in combinations_with_replacement(RANKS, 4):
        counts = Counter(ranks).values()
        suited = len(SUITS) * prod(comb(decks, count) for count in counts)
        every = prod(comb(decks * len(SUITS), count) for count in counts)
        of_one = tuple(Card(rank + SUITS[0]) for rank in ranks)
        mixed = _of_ranks(ranks)
        rounds.append(_finished(suited, of_one[:2], of_one[2:]))
        rounds.append(_finished(every - suited, mixed[:2], mixed[2:]))
    return tuple(rounds)


@cache
def first_royal_nines(decks: int) -> tuple[Round, ...]:
    """The first two cards of each hand: which face card with which nine, or no Royal 9.

    Jacks and queens of a suit stand together, as only kings are printed at a seat.
    """
    size = decks * DECK_SIZE
    nines = {Card(_NINE + suit): decks for suit in SUITS}
    faces = {Card("K" + suit): decks for suit in SUITS} | {
        Card("Q" + suit): 2 * decks for suit in SUITS
    }
    royals = [(face, nine) for face in faces for nine in nines]
    rounds, one_hand = [], 0
    for player in royals:
        ways = faces[player[0]] * nines[player[1]]
        against = 0
        for banker in royals:
            left = faces[banker[0]] - (banker[0] == player[0])
            left *= nines[banker[1]] - (banker[1] == player[1])
            rounds.append(_finished(ways * left, player, banker))
            against += ways * left
        # The other hand holds none; which of the two comes first changes no count.
        alone = ways * comb(size - 2, 2) - against
        rounds += [_finished(alone, player, _NO_ROYAL), _finished(alone, _NO_ROYAL, player)]
        one_hand += 2 * alone + against
    neither = comb(size, 2) * comb(size - 2, 2) - one_hand
    return (*rounds, _finished(neither, _NO_ROYAL, _NO_ROYAL))
