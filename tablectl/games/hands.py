"""What a poker hand is: three cards ranked (TCP 6.A-E), five or six cards classed (TCP 6.F-G).

Hands are looked up, not searched: an answer is worked out the first time it is asked for and kept;
all of them together are small. It knows no wagers, and cards are checked before they come here.

Cards travel packed in one integer, so that a hand is the sum of its cards:

    bits 0-51      which cards; one that comes twice carries, and a bit is missing
    bits 52-90     how many of each rank, three bits a rank, deuce first, ace last
    bits 91-106    how many of each suit, four bits a suit
"""

from collections.abc import Iterable
from enum import IntEnum
from typing import Final, NamedTuple

from tablectl.cards import DECK, DECK_SIZE, SUITS, Card

RANK_ORDER: Final = "23456789TJQKA"
_RANKS: Final = len(RANK_ORDER)
_CARDS_MASK: Final = (1 << DECK_SIZE) - 1
# The rest is for a hand's shape: the packed integer shifted down to its ranks.
_SUIT_AT: Final = 3 * _RANKS
_RANKS_MASK: Final = (1 << _SUIT_AT) - 1
_EACH_RANK: Final = _RANKS_MASK // 0b111  # one in every rank's field
# Added to each suit's field, so that five cards of a suit or more set the field's top bit.
_THREE_OF_EACH_SUIT: Final = 0x3333
_SUIT_OF_FIVE: Final = 0x8888


class ThreeKind(IntEnum):
    """Three-card hands that a paytable may tell apart, from the highest down."""

    MINI_ROYAL_SPADES = 0
    MINI_ROYAL = 1
    STRAIGHT_FLUSH = 2
    THREE_OF_A_KIND = 3
    STRAIGHT = 4
    FLUSH = 5
    PAIR = 6
    HIGH_CARD = 7


class FiveKind(IntEnum):
    """Five-card hands (and the six-card Super Royal) that a paytable may tell apart."""

    SUPER_ROYAL_DIAMONDS = 0
    SUPER_ROYAL = 1
    ROYAL_FLUSH = 2
    STRAIGHT_FLUSH = 3
    FOUR_OF_A_KIND = 4
    FULL_HOUSE = 5
    FLUSH = 6
    STRAIGHT = 7
    THREE_OF_A_KIND = 8
    NOTHING = 9


# A hand that has no row of its own in a paytable takes the row of what it also is.
ALSO_IS: Final = {
    "mini_royal_spades": "mini_royal",
    "mini_royal": "straight_flush",
    "super_royal_diamonds": "super_royal",
    "super_royal": "royal_flush",
    "royal_flush": "straight_flush",
}


class ThreeCardHand(NamedTuple):
    """A three-card hand: `strength` orders any two (equal is a tie), `kind` is what it pays as.

    `ranks` and `suits` are its fields, to be added to those of other cards.
    """

    strength: int
    kind: ThreeKind
    ranks: int
    suits: int


def _pack_one(index: int, card: Card) -> int:
    rank, suit = RANK_ORDER.index(card[0]), SUITS.index(card[1])
    return 1 << index | (1 << 3 * rank | 1 << _SUIT_AT + 4 * suit) << DECK_SIZE


PACKED: Final[dict[str, int]] = {card: _pack_one(index, card) for index, card in enumerate(DECK)}
"""Each card packed by itself."""


def pack(cards: Iterable[str]) -> int:
    """The packed hand of `cards`; raises KeyError for what is no card."""
    return sum([PACKED[card] for card in cards])


def ranks_of(packed: int) -> int:
    """How many of each rank, whatever the suits: equal for two hands of the same ranks."""
    return packed >> DECK_SIZE & _RANKS_MASK


def distinct(packed: int) -> int:
    """How many cards are in the sum: fewer than were added exactly where one came twice."""
    return (packed & _CARDS_MASK).bit_count()


# TCP 6.D, lowest first. Between two hands of a kind 6.D's own order decides before 6.E's kickers.
_ORDER: Final = (
    ThreeKind.HIGH_CARD,
    ThreeKind.PAIR,
    ThreeKind.FLUSH,
    ThreeKind.STRAIGHT,
    ThreeKind.THREE_OF_A_KIND,
    ThreeKind.STRAIGHT_FLUSH,
)
_THREE_OF_A_SUIT: Final = tuple(3 << 4 * suit for suit in range(len(SUITS)))
_TWO, _THREE, _QUEEN, _ACE = (RANK_ORDER.index(rank) for rank in "23QA")


def _strength(kind: ThreeKind, first: int, second: int = 0, third: int = 0) -> int:
    return ((_ORDER.index(kind) * _RANKS + first) * _RANKS + second) * _RANKS + third


QUEEN_HIGH: Final = _strength(ThreeKind.HIGH_CARD, _QUEEN)
"""The least strength of a hand that holds queen high or better (TCP 11.D(3)(c))."""


def _straight_top(ranks: list[int]) -> int | None:
    """The highest rank of a three-card sequence, or None; in A-2-3 that is the three (TCP 6.B)."""
    if ranks == [_ACE, _THREE, _TWO]:
        return _THREE
    return ranks[0] if ranks[0] - ranks[2] == 2 else None


class _ThreeCardHands(dict[int, ThreeCardHand]):
    """Every three-card hand by its shape: at most 8,268."""

    def __missing__(self, shape: int) -> ThreeCardHand:
        ranks, suits = shape & _RANKS_MASK, shape >> _SUIT_AT
        hand = self[shape] = ThreeCardHand(*_ranked(ranks, suits), ranks, suits)
        return hand


def _ranked(held: int, suits: int) -> tuple[int, ThreeKind]:
    """The strength and the kind of a hand, by its fields."""
    fields = ((held >> 3 * rank & 0b111, rank) for rank in range(_RANKS))
    # The pair or triple before its kicker, high before low.
    ranks = [rank for count, rank in sorted(fields, reverse=True) if count]
    if len(ranks) < 3:
        kind = ThreeKind.PAIR if len(ranks) == 2 else ThreeKind.THREE_OF_A_KIND
        return _strength(kind, *ranks), kind
    suited = suits in _THREE_OF_A_SUIT
    top = _straight_top(ranks)
    if top is None:
        kind = ThreeKind.FLUSH if suited else ThreeKind.HIGH_CARD
        return _strength(kind, *ranks), kind
    kind = ThreeKind.STRAIGHT_FLUSH if suited else ThreeKind.STRAIGHT
    strength = _strength(kind, top)
    if suited and top == _ACE:
        spades = suits == _THREE_OF_A_SUIT[SUITS.index("S")]
        kind = ThreeKind.MINI_ROYAL_SPADES if spades else ThreeKind.MINI_ROYAL
    return strength, kind


_THREE_CARD_HANDS: Final = _ThreeCardHands()


def three_card(packed: int) -> ThreeCardHand:
    """The hand of three distinct cards."""
    return _THREE_CARD_HANDS[packed >> DECK_SIZE]


def _rank_fields(ranks: str) -> int:
    return sum(1 << 3 * RANK_ORDER.index(rank) for rank in ranks)


_WHEEL: Final = _rank_fields("A2345")
_ROYAL: Final = _rank_fields("AKQJT")
_SUPER_ROYAL: Final = _rank_fields("AKQJT9")


def _run_of_five(ranks: int) -> bool:
    """Whether rank fields that hold 0 or 1 contain five in sequence, the ace at either end."""
    run = ranks & ranks >> 3 & ranks >> 6 & ranks >> 9 & ranks >> 12
    return bool(run) or ranks & _WHEEL == _WHEEL


class _RankHands(dict[int, FiveKind]):
    """The best hand by ranks alone: at most 6,175 multisets of five cards and 18,395 of six."""

    def __missing__(self, ranks: int) -> FiveKind:
        kind = self[ranks] = _of_ranks(ranks)
        return kind


def _of_ranks(ranks: int) -> FiveKind:
    """Class rank fields, each of which holds up to 4 of its rank."""
    if ranks & _EACH_RANK << 2:
        return FiveKind.FOUR_OF_A_KIND
    triples = ranks & ranks >> 1 & _EACH_RANK
    pairs = ranks >> 1 & ~ranks & _EACH_RANK
    if triples and (pairs or triples.bit_count() == 2):
        return FiveKind.FULL_HOUSE
    if _run_of_five((ranks | ranks >> 1) & _EACH_RANK):
        return FiveKind.STRAIGHT
    return FiveKind.THREE_OF_A_KIND if triples else FiveKind.NOTHING


_RANK_HANDS: Final = _RankHands()


def fields_of(packed: int) -> tuple[int, int]:
    """How many of each rank, and of each suit."""
    shape = packed >> DECK_SIZE
    return shape & _RANKS_MASK, shape >> _SUIT_AT


def five_card(packed: int) -> FiveKind:
    """The best five-card hand within five or six distinct cards."""
    return best_five(*fields_of(packed), packed, 0)


def best_five(ranks: int, suits: int, some: int, others: int) -> FiveKind:
    """The same where the fields of the cards are known; they are `some` and `others` together."""
    if suits + _THREE_OF_EACH_SUIT & _SUIT_OF_FIVE:
        return _of_one_suit(some + others)
    return _RANK_HANDS[ranks]


def _of_one_suit(packed: int) -> FiveKind:
    """Class cards of which five or six are of one suit: nothing else can beat their flush."""
    cards = [card for card, bit in PACKED.items() if bit & packed & _CARDS_MASK]
    suit = max(SUITS, key=lambda suit: sum(card[1] == suit for card in cards))
    ranks = _rank_fields("".join(card[0] for card in cards if card[1] == suit))
    if ranks == _SUPER_ROYAL:
        return FiveKind.SUPER_ROYAL_DIAMONDS if suit == "D" else FiveKind.SUPER_ROYAL
    if ranks & _ROYAL == _ROYAL:
        return FiveKind.ROYAL_FLUSH
    return FiveKind.STRAIGHT_FLUSH if _run_of_five(ranks) else FiveKind.FLUSH
