"""Ranking and classing of hands: TCP chapter 6 as READINGS reads it."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.cards import DECK
from tablectl.games.hands import (
    PACKED,
    QUEEN_HIGH,
    FiveKind,
    ThreeKind,
    distinct,
    five_card,
    pack,
    three_card,
)

from .deals import cards

ORDER = "23456789TJQKA"


def strength(text: str) -> int:
    return three_card(pack(cards(text))).strength


def three_kind(text: str) -> ThreeKind:
    return three_card(pack(cards(text))).kind


def five_kind(text: str) -> FiveKind:
    return five_card(pack(cards(text)))


@pytest.mark.parametrize(
    ("higher", "lower"),
    [
        ("AS KS QS", "KH QH JH"),  # 6.D(1): the ace high straight flush is the highest
        ("4C 3C 2C", "AD 2D 3D"),  # and A-2-3 the lowest
        ("AD 2D 3D", "AC AD AH"),  # 6.D: straight flush, three of a kind,
        ("2C 2D 2H", "AC KD QH"),  # straight,
        ("AC 2D 3H", "AH KH JH"),  # flush,
        ("2C 3C 5C", "AC AD KH"),  # pair,
        ("2C 2D 3H", "AC KD JH"),  # nothing
        ("AC AD AH", "KC KD KH"),  # 6.D(2)
        ("3C 3D 3H", "2C 2D 2H"),
        ("AC KD QH", "KC QD JH"),  # 6.D(3)
        ("4C 3D 2H", "AC 2D 3H"),
        ("KC QD JH", "AC 2D 3H"),
        ("AH KH JH", "AS KS TS"),  # 6.D(4), then the highest card that differs
        ("7H 5H 3H", "7S 5S 2S"),
        ("6C 6D 2H", "5C 5D AH"),  # 6.D(5) before the kicker of 6.E
        ("AC AD 2H", "KC KD QH"),
        ("6C 6D 4H", "6H 6S 3C"),  # then the kicker
        ("AC 3D 2H", "KC QD TH"),  # 6.A: the ace is high
        ("KC 9D 2H", "KH 8D 7H"),
        ("KC 9D 4H", "KH 9S 3H"),
    ],
)
def test_higher_hand(higher: str, lower: str) -> None:
    assert strength(higher) > strength(lower)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("AC KC QC", "AS KS QS"),  # 6.C: suits are equal
        ("6C 6D 4H", "6H 6S 4C"),
        ("KC 9D 4H", "KH 9S 4D"),
        ("AC 2D 3H", "AD 2H 3S"),
        ("7H 5H 3H", "7S 5S 3S"),
    ],
)
def test_tie(one: str, other: str) -> None:
    assert strength(one) == strength(other)


@pytest.mark.parametrize("text", ["KC AD 2H", "QC AD 2H"])
def test_ace_goes_with_no_other_sequence(text: str) -> None:
    assert three_kind(text) is ThreeKind.HIGH_CARD  # 6.B


def test_queen_high_exactly() -> None:
    assert strength("QC 3D 2H") >= QUEEN_HIGH
    assert strength("JC TD 8H") < QUEEN_HIGH
    assert strength("2C 2D 3H") >= QUEEN_HIGH


def test_every_three_card_hand_is_counted() -> None:
    hands = [three_card(sum(packed)) for packed in combinations(PACKED.values(), 3)]
    assert Counter(hand.kind for hand in hands) == {
        ThreeKind.MINI_ROYAL_SPADES: 1,
        ThreeKind.MINI_ROYAL: 3,
        ThreeKind.STRAIGHT_FLUSH: 44,
        ThreeKind.THREE_OF_A_KIND: 52,
        ThreeKind.STRAIGHT: 720,
        ThreeKind.FLUSH: 1096,
        ThreeKind.PAIR: 3744,
        ThreeKind.HIGH_CARD: 16440,
    }
    assert len({hand.strength for hand in hands}) == 741


def test_every_five_card_hand_is_counted() -> None:
    counted = Counter(five_card(sum(packed)) for packed in combinations(PACKED.values(), 5))
    assert counted == {
        FiveKind.ROYAL_FLUSH: 4,
        FiveKind.STRAIGHT_FLUSH: 36,
        FiveKind.FOUR_OF_A_KIND: 624,
        FiveKind.FULL_HOUSE: 3744,
        FiveKind.FLUSH: 5108,
        FiveKind.STRAIGHT: 10200,
        FiveKind.THREE_OF_A_KIND: 54912,
        FiveKind.NOTHING: 2524332,
    }


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("AD KD QD JD TD 9D", FiveKind.SUPER_ROYAL_DIAMONDS),
        ("AS KS QS JS TS 9S", FiveKind.SUPER_ROYAL),
        ("AD KD QD JD TD 9H", FiveKind.ROYAL_FLUSH),  # 6.F(8): all six in one suit
        ("AD KD QD JD TD 2D", FiveKind.ROYAL_FLUSH),
        ("KD QD JD TD 9D AH", FiveKind.STRAIGHT_FLUSH),
        ("AD 2D 3D 4D 5D KS", FiveKind.STRAIGHT_FLUSH),
        ("AD 2D 3D 4D 6D 5S", FiveKind.FLUSH),  # a straight and a flush apart
        ("7C 7D 7H 7S 2C 2D", FiveKind.FOUR_OF_A_KIND),
        ("7C 7D 7H 2S 2C 2D", FiveKind.FULL_HOUSE),  # two triples
        ("7C 7D 7H 2S 2C 9D", FiveKind.FULL_HOUSE),
        ("AC 2D 3H 4S 5C 9D", FiveKind.STRAIGHT),
        ("AC KD QH JS TC 9D", FiveKind.STRAIGHT),
        ("QC KD AH 2S 3C 9D", FiveKind.NOTHING),  # no sequence goes round the ace
        ("7C 7D 2H 2S 9C 9D", FiveKind.NOTHING),  # three pairs
        ("5C 6D 7H 8S 9C 9D", FiveKind.STRAIGHT),
        ("7C 7D 7H 2S 3C 9D", FiveKind.THREE_OF_A_KIND),
    ],
)
def test_six_cards(text: str, kind: FiveKind) -> None:
    assert five_kind(text) is kind


def plain_class(held: tuple[str, ...]) -> int:
    """Five cards classed the slow way, 2 (royal flush) to 9 as in FiveKind."""
    ranks = sorted(ORDER.index(card[0]) for card in held)
    counts = sorted(Counter(ranks).values())
    flush = len({card[1] for card in held}) == 1
    straight = ranks == list(range(ranks[0], ranks[0] + 5)) or ranks == [0, 1, 2, 3, 12]
    if straight and flush:
        return 2 if ranks[0] == 8 else 3
    by_counts = {(1, 4): 4, (2, 3): 5, (1, 1, 3): 8}
    return by_counts.get(tuple(counts), 6 if flush else 7 if straight else 9)


SUITED_OFTEN = st.one_of(
    st.permutations(DECK).map(lambda deck: deck[:6]),
    st.permutations(DECK[:18]).map(lambda deck: deck[:6]),
    st.permutations([c for c in DECK if c[0] in "789T"]).map(lambda deck: deck[:6]),
)


@given(SUITED_OFTEN)
def test_six_cards_are_the_best_five(held: list[str]) -> None:
    best = min(plain_class(five) for five in combinations(held, 5))
    assert max(five_card(pack(held)), FiveKind.ROYAL_FLUSH) == best


@given(st.lists(st.sampled_from(DECK), max_size=26))
def test_a_repeated_card_is_seen(held: list[str]) -> None:
    assert (distinct(pack(held)) == len(held)) == (len(set(held)) == len(held))


def test_mini_royals_are_the_envy_hands() -> None:
    """TCP 1.B(3), and the only hands that stand before a straight flush in the order of kinds."""
    kinds = {suit: three_kind(f"A{suit} K{suit} Q{suit}") for suit in "CDHS"}
    assert kinds.pop("S") is ThreeKind.MINI_ROYAL_SPADES
    assert set(kinds.values()) == {ThreeKind.MINI_ROYAL}
    higher = [kind for kind in ThreeKind if kind < ThreeKind.STRAIGHT_FLUSH]
    assert higher == [ThreeKind.MINI_ROYAL_SPADES, ThreeKind.MINI_ROYAL]
