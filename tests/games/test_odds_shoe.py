"""The engines of the two baccarats against plain counting, and against published counts."""

import random
from collections import Counter
from itertools import combinations, product
from math import comb, perm

import pytest

from tablectl.cards import DECK, SUITS
from tablectl.games.odds import baccarat_hands, midi_shoe

VALUES = dict(zip("A23456789TJQK", (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0), strict=True))


def points(hand) -> int:
    return sum(VALUES[card[0]] for card in hand) % 10


# ---------------------------------------------------------------- Three Card Baccarat


def seen(player, dealer):
    """What the rules of Three Card Baccarat can tell of two hands."""
    sides = [
        (points(hand), sum(card[0] in "JQK" for card in hand), all(card[0] == "K" for card in hand))
        for hand in (player, dealer)
    ]
    copy = sorted(card[0] for card in player) == sorted(card[0] for card in dealer)
    return (*sides, copy)


@pytest.mark.parametrize("ranks", ["A9JK", "45TK", "K8Q"])
def test_a_small_deck_counted_card_by_card(ranks):
    deck = [rank + suit for rank in ranks for suit in SUITS]
    plain: Counter = Counter()
    for player in combinations(deck, 3):
        rest = [card for card in deck if card not in player]
        plain.update(seen(player, dealer) for dealer in combinations(rest, 3))
    clever = baccarat_hands.meetings(ranks)
    assert {seen(one.player, one.dealer): one.deals for one in clever} == plain


def test_every_meeting_of_two_hands():
    meetings = baccarat_hands.meetings()
    assert sum(one.deals for one in meetings) == comb(52, 3) * comb(49, 3)
    assert len({seen(one.player, one.dealer) for one in meetings}) == len(meetings)
    assert all(len({*one.player, *one.dealer}) == 6 for one in meetings)


# ---------------------------------------------------------------- Midi Baccarat

# The usual table, written down once more: the player's third cards on which the banker draws.
BANKER_DRAWS_ON = {
    0: range(10), 1: range(10), 2: range(10), 3: {0, 1, 2, 3, 4, 5, 6, 7, 9},
    4: {2, 3, 4, 5, 6, 7}, 5: {4, 5, 6, 7}, 6: {6, 7}, 7: set(),
}  # fmt: skip


def ended(player: list[int], banker: list[int], fifth: int, sixth: int):
    """Two hands of two values each, played out with the next two values of the shoe."""
    first, second = sum(player) % 10, sum(banker) % 10
    if max(first, second) < 8:
        if first < 6:
            player = [*player, fifth]
            if fifth in BANKER_DRAWS_ON[second]:
                banker = [*banker, sixth]
        elif second < 6:
            banker = [*banker, fifth]
    return len(player), sum(player) % 10, len(banker), sum(banker) % 10


def how(one: midi_shoe.Round):
    return len(one.player), points(one.player), len(one.banker), points(one.banker)


def test_whole_rounds_counted_value_by_value():
    """Every sequence of six values, each with its orders of cards: no rule about what to leave."""
    plain: Counter = Counter()
    shoe = [6 * 16, *[6 * 4] * 9]
    for first in product(range(10), repeat=4):
        ways, left = 1, shoe.copy()
        for value in first:
            ways *= left[value]
            left[value] -= 1
        player, banker = [first[0], first[2]], [first[1], first[3]]
        if max(sum(player) % 10, sum(banker) % 10) >= 8:  # the other two may be anything
            plain[ended(player, banker, 0, 0)] += ways * perm(6 * 52 - 4, 2)
            continue
        for fifth, sixth in product(range(10), repeat=2):
            rest = left[fifth] * (left[sixth] - (fifth == sixth))
            plain[ended(player, banker, fifth, sixth)] += ways * rest
    clever = midi_shoe.whole_rounds(6)
    assert {how(one): one.deals for one in clever} == plain


@pytest.mark.parametrize("decks", [6, 7, 8])
def test_every_shoe_is_counted_whole(decks):
    size = 52 * decks
    two_hands, four = comb(size, 2) * comb(size - 2, 2), comb(size, 4)
    for counted, total in (
        (midi_shoe.whole_rounds, perm(size, 6)),
        (midi_shoe.first_pairs, two_hands),
        (midi_shoe.first_royal_nines, two_hands),
        (midi_shoe.first_nines, four),
        (midi_shoe.first_four, four),
    ):
        rounds = counted(decks)
        assert sum(one.deals for one in rounds) == total
        assert all(one.deals > 0 for one in rounds)


def test_the_published_counts_of_eight_decks():
    wins: Counter = Counter()
    for one in midi_shoe.whole_rounds(8):
        banker, player = points(one.banker), points(one.player)
        wins["tie" if banker == player else "banker" if banker > player else "player"] += one.deals
    assert wins == {
        "banker": 2_292_252_566_437_888,
        "player": 2_230_518_282_592_256,
        "tie": 475_627_426_473_216,
    }


def test_the_first_four_cards_of_one_deck_counted_card_by_card():
    poker: Counter = Counter()
    nines: Counter = Counter()
    for four in combinations(DECK, 4):
        poker[by_ranks(four)] += 1
        nines[by_nines(four)] += 1
    assert {
        by_ranks([*one.player[:2], *one.banker[:2]]): one.deals
        for one in midi_shoe.first_four(1)
        if one.deals
    } == poker
    assert {
        by_nines([*one.player[:2], *one.banker[:2]]): one.deals
        for one in midi_shoe.first_nines(1)
        if one.deals
    } == nines


def by_ranks(four):
    return "".join(sorted(card[0] for card in four)), len({card[1] for card in four}) == 1


def by_nines(four):
    return "".join(sorted(card[1] for card in four if card[0] == "9"))


def test_the_first_two_cards_of_both_hands_of_one_deck_counted_card_by_card():
    kinds = [(two, pair_of(two), royal_of(two)) for two in combinations(DECK, 2)]
    pairs: Counter = Counter()
    royals: Counter = Counter()
    for player, pair, royal in kinds:
        first, second = player
        for banker, other_pair, other_royal in kinds:
            if first not in banker and second not in banker:
                pairs[pair, other_pair] += 1
                royals[royal, other_royal] += 1
    assert {
        (pair_of(one.player), pair_of(one.banker)): one.deals for one in midi_shoe.first_pairs(1)
    } == pairs
    assert {
        (royal_of(one.player), royal_of(one.banker)): one.deals
        for one in midi_shoe.first_royal_nines(1)
        if one.deals
    } == royals


def pair_of(hand):
    return hand[0][0] if hand[0][0] == hand[1][0] == "9" else hand[0][0] == hand[1][0]


def royal_of(hand):
    """The king and the nine, or a jack or queen and the nine by their suits; None for neither."""
    nine, face = sorted(hand[:2])
    if nine[0] != "9" or face[0] not in "JQK":
        return None
    return nine, face if face[0] == "K" else face[1]


def test_the_example_of_every_class_is_a_round_that_can_be_dealt():
    rounds = [
        one
        for counted in (
            midi_shoe.whole_rounds,
            midi_shoe.first_pairs,
            midi_shoe.first_nines,
            midi_shoe.first_four,
            midi_shoe.first_royal_nines,
        )
        for one in counted(8)
    ]
    for one in rounds:
        values = [[VALUES[card[0]] for card in hand] for hand in (one.player, one.banker)]
        after = [value for hand in values for value in hand[2:]]
        fifth, sixth = (*after, 0, 0)[:2]
        assert ended(values[0][:2], values[1][:2], fifth, sixth) == how(one)


def test_a_sample_of_shoes_falls_into_the_classes():
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    chosen = random.Random(seed)
    classes = {how(one) for one in midi_shoe.whole_rounds(7)}
    for _ in range(2000):
        values = [VALUES[card[0]] for card in chosen.sample(DECK * 7, 6)]
        player, banker = [values[0], values[2]], [values[1], values[3]]
        assert ended(player, banker, *values[4:]) in classes
