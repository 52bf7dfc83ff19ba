"""The odds of Three Card Poker: published figures, totals, and engines against plain counting."""

import random
from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb

import pytest

from tablectl.cards import DECK, SUITS
from tablectl.games import paytables
from tablectl.games.hands import QUEEN_HIGH, FiveKind, five_card, pack, three_card
from tablectl.games.odds import poker_hands, three_card_poker
from tablectl.games.odds.catalogue import edge, questions
from tablectl.games.odds.report import Odds, Outcome, paid
from tablectl.games.three_card_poker import award_round, validate_round
from tests.clauses import CLAUSES
from tests.games.deals import METERS, hand, rules
from tests.games.odds import answers, percent

EVERY = answers("three_card_poker")


@pytest.mark.parametrize(
    ("wager", "paytable", "published"),
    [
        ("pair_plus", "D", "2.317"),
        ("ante_play", "A", "3.373"),
        ("six_card_bonus", "F", "15.279"),
        # From no publication: counted here, and kept so that a change shows.
        ("pair_plus", "B", "5.575"),
        ("pair_plus", "C", "7.276"),
        ("ante_play", "B", "3.608"),
        ("ante_play", "C", "3.825"),
        ("six_card_bonus", "D", "6.741"),
        ("six_card_bonus", "E", "8.561"),
        ("six_card_bonus", "C", "10.225"),
    ],
)
def test_the_published_edges(wager, paytable, published):
    assert percent(EVERY[wager, paytable]) == published


def test_the_best_decisions_are_those_that_everybody_knows():
    [advice] = [note for note in EVERY["ante_play", "A"].notes if "play" in note]
    assert "Q-6-4 or better" in advice


def test_three_card_hands():
    kinds = {
        kind.name.lower(): found.deals for kind, found in poker_hands.three_card_kinds().items()
    }
    assert kinds == {
        "mini_royal_spades": 1, "mini_royal": 3, "straight_flush": 44, "three_of_a_kind": 52,
        "straight": 720, "flush": 1096, "pair": 3744, "high_card": 16440,
    }  # fmt: skip


def test_five_card_hands():
    kinds = {kind: found.deals for kind, found in poker_hands.five_card_kinds(5).items()}
    assert sum(kinds.values()) == comb(52, 5)
    assert kinds[FiveKind.ROYAL_FLUSH] == 4
    assert kinds[FiveKind.STRAIGHT_FLUSH] == 36
    assert kinds[FiveKind.FOUR_OF_A_KIND] == 624
    assert kinds[FiveKind.FULL_HOUSE] == 3744
    assert kinds[FiveKind.FLUSH] == 5108
    assert kinds[FiveKind.STRAIGHT] == 10200
    assert kinds[FiveKind.THREE_OF_A_KIND] == 54912


@pytest.mark.parametrize(("cards", "ranks"), [(5, "A23456"), (6, "89TJQKA"), (6, "A23459")])
def test_a_small_deck_counted_card_by_card(cards, ranks):
    deck = [rank + suit for rank in ranks for suit in SUITS]
    plain = Counter(five_card(pack(held)) for held in combinations(deck, cards))
    clever = poker_hands.five_card_kinds(cards, ranks)
    assert {kind: found.deals for kind, found in clever.items()} == plain
    assert all(five_card(pack(found.example)) == kind for kind, found in clever.items())


def test_standings_counted_dealer_by_dealer():
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    chosen = random.Random(seed)
    known = poker_hands.standings()
    assert sum(found.deals for found in known.values()) == comb(52, 3)
    for _ in range(20):
        player = tuple(sorted(chosen.sample(DECK, 3), key=DECK.index))
        strength, kind, *_ = three_card(pack(player))
        rest = [card for card in DECK if card not in player]
        dealers = [three_card(pack(dealer)).strength for dealer in combinations(rest, 3)]
        playing = [dealer for dealer in dealers if dealer >= QUEEN_HIGH]
        standing = poker_hands.Standing(
            kind,
            strength,
            len(dealers) - len(playing),
            sum(strength < dealer for dealer in playing),
            sum(strength == dealer for dealer in playing),
            sum(strength > dealer for dealer in playing),
        )
        assert standing in known, player


def test_every_count_is_whole_and_complete():
    assert {key: odds.total for key, odds in EVERY.items()} == {
        **{("ante_play", letter): 22_100 * 18_424 for letter in ("A", "B", "C", "version")},
        **{("pair_plus", letter): 22_100 for letter in "ABCDE"},
        **{("progressive", letter): 22_100 for letter in "ABC"},
        **{("six_card_bonus", letter): 20_358_520 for letter in "ABCDEF"},
        **{("five_card_progressive", letter): 2_598_960 for letter in "ABC"},
    }
    for odds in EVERY.values():
        assert sum(end.count for end in odds.outcomes) == odds.total
        assert len({end.name for end in odds.outcomes}) == len(odds.outcomes)


def test_every_row_of_every_paytable_is_counted_under_its_clause():
    figures = paytables.three_card_poker()
    for (wager, letter), table in figures.tables.items():
        if wager == "envy_bonus":
            continue  # it has no stake, so no edge
        together = wager in ("ante_play", "ante_bonus")
        odds = EVERY["ante_play" if together else wager, letter or "A"]
        cited = {clause for end in odds.outcomes for clause in end.clause.split(", ")}
        assert {row.clause for row in table.rows} <= cited
        assert cited <= CLAUSES


def test_awards_without_odds_count_nothing_and_say_so():
    for odds in EVERY.values():
        awards = [end for end in odds.outcomes if end.award]
        assert all(end.pays == 0 for end in awards)
        assert any("counted as 0" in note for note in odds.notes) == bool(awards)
    [meter] = [end for end in EVERY["progressive", "A"].outcomes if end.award]
    assert (meter.count, meter.award) == (1, "100 percent of meter")
    sums = [end.award for end in EVERY["six_card_bonus", "A"].outcomes if end.award]
    assert sums == ["$1,000,000", "$100,000"]


def test_for_and_to():
    """ "6 for 1" wins 5, "6 to 1" wins 6."""
    pays = {end.name: end.pays for end in EVERY["progressive", "A"].outcomes}
    assert pays["straight"] == 5
    assert pays["lose"] == -1
    assert {end.name: end.pays for end in EVERY["pair_plus", "A"].outcomes}["straight"] == 6


def test_a_sample_of_deals_ends_as_the_odds_say():
    """Whatever cards come, settling them gives one of the outcomes, by hand, pay and clause."""
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    chosen = random.Random(seed)
    for _ in range(300):
        letters = {
            key: chosen.choice(paytables.three_card_poker().letters(key))
            for key in three_card_poker.KEYS
        }
        cards = chosen.sample(DECK, 8)
        text = " ".join(cards[:3])
        stakes = dict.fromkeys(("ante", *three_card_poker.KEYS[1:]), 500)
        table = validate_round(
            rules(**letters), tuple(cards[3:6]), [hand(1, text, "play", **stakes)],
            METERS, tuple(cards[6:]),
        )  # fmt: skip
        awards = award_round(table).seats[1]
        for wager in three_card_poker.KEYS[1:]:
            end = paid([award for award in awards if award[0].wager == wager], 500)
            known = [
                (one.name, one.pays, one.clause) for one in EVERY[wager, letters[wager]].outcomes
            ]
            assert (end.name, end.pays, end.clause) in known
        ante = [award for award in awards if award[0].wager in ("ante", "play", "ante_bonus")]
        end = paid(ante, 500)
        if three_card(pack(cards[:3])).strength >= QUEEN_HIGH + 200:  # surely a hand to play
            odds = EVERY["ante_play", letters["ante_bonus"]]
            assert (end.pays, end.clause) in [(one.pays, one.clause) for one in odds.outcomes]


def test_the_edge_of_what_a_table_offers():
    table = rules(pair_plus="D", progressive=None, five_card_progressive=None, six_card_bonus="F")
    found = edge(table)
    assert list(found) == list(table.wagers)
    assert found["ante"] == EVERY["ante_play", "A"].edge
    assert found["play"] is None
    assert found["pair_plus"] == Fraction(512, 22_100)
    assert found["six_card_bonus"] == EVERY["six_card_bonus", "F"].edge


def test_a_setting_leaves_one_choice():
    asked = [(one.wager, one.paytable) for one in questions("three_card_poker", {"pair_plus": "D"})]
    assert [one for one in asked if one[0] == "pair_plus"] == [("pair_plus", "D")]
    assert ("six_card_bonus", "F") in asked


def test_the_edge_is_what_the_outcomes_cost():
    ends = (
        Outcome("win", 1, Fraction(3), "x"),
        Outcome("push", 2, Fraction(0), "x"),
        Outcome("lose", 5, Fraction(-1), "x"),
    )
    assert Odds("g", "w", "A", 1, 8, ends).edge == Fraction(2, 8)
