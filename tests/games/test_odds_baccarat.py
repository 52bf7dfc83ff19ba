"""The odds of Three Card Baccarat: published figures, totals, clauses, and settled samples."""

import random
from fractions import Fraction

import pytest

from tablectl.cards import DECK
from tablectl.games import paytables
from tablectl.games.odds import three_card_baccarat
from tablectl.games.odds.baccarat_hands import Meeting, meetings
from tablectl.games.odds.catalogue import edge, questions
from tablectl.games.odds.report import paid
from tablectl.games.rules import RulesError, ThreeCardBaccaratRules, parse_rules
from tests.games.odds import answers, percent
from tests.games.test_odds_shoe import seen

GAME = "three_card_baccarat"
EVERY = answers(GAME)


def ranks(hand) -> str:
    return "".join(card[0] for card in hand)


def table(**more) -> ThreeCardBaccaratRules:
    rules = parse_rules({"game": GAME, **more})
    assert isinstance(rules, ThreeCardBaccaratRules)
    return rules


@pytest.mark.parametrize(
    ("wager", "paytable", "digits", "published"),
    [
        ("three_kings", "A", "0.01", "4.25"),
        # Washington's letter prints both with one digit.
        ("three_kings", "A", "0.1", "4.3"),
        ("tie", "A", "0.1", "5.3"),
        # From no publication: counted here, and kept so that a change shows.
        ("ante", "five_percent", "0.01", "2.41"),
    ],
)
def test_the_published_edges(wager, paytable, digits, published):
    assert percent(EVERY[wager, paytable], digits) == published


def test_the_tie_bonus_and_the_5_29_that_is_published_of_it():
    """By the reading in force three kings tie other face cards, by points and faces: 5.28499.

    The published 5.29 does not pay them; it is met exactly where these deals lose.
    """
    tie = EVERY["tie", "A"]
    assert percent(tie, "0.00001") == "5.28499"
    kings = [
        one
        for one in meetings()
        if [set(ranks(hand)) for hand in (one.player, one.dealer)].count({"K"}) == 1
        and set(ranks(one.player) + ranks(one.dealer)) <= {*"JQK"}
    ]
    deals = sum(one.deals for one in kings)
    assert deals == 2 * 4 * 84  # four ways for three kings, C(9, 3) for the other hand, two sides
    [paid_for] = [end.pays for end in tie.outcomes if end.name == "point_and_face_tie"]
    published = tie.edge + (paid_for + 1) * Fraction(deals, tie.total)
    assert round(published * 10_000) == 529


def test_what_is_asked_for_without_settings():
    assert list(EVERY) == [
        ("ante", "five_percent"),
        ("ante", "free"),
        ("three_kings", "A"),
        ("three_kings", "B"),
        ("tie", "A"),
        ("tie", "B"),
        ("dragon", "five_percent"),
    ]


def test_totals_and_names():
    for odds in EVERY.values():
        assert odds.total == sum(end.count for end in odds.outcomes) == 22_100 * 18_424
        assert len({end.name for end in odds.outcomes}) == len(odds.outcomes)


def test_the_two_hands_are_alike():
    """Nobody has an advantage but by the commission: wins and losses come as often."""
    ends = {end.name: end.count for end in EVERY["ante", "five_percent"].outcomes}
    assert ends["wins"] == ends["lose"]
    assert EVERY["ante", "five_percent"].edge == Fraction(ends["wins"], 20 * 22_100 * 18_424)


def test_the_vigorish_is_not_rounded_whatever_the_house_rounds():
    for rounding in ("up_to_quarter", "nearest_quarter", "none"):
        pays = {end.name: end.pays for end in edge_table(vigorish_rounding=rounding).outcomes}
        assert pays["wins"] == Fraction(19, 20)


def edge_table(**more):
    [asked] = three_card_baccarat.offered(table(**more))
    return asked.answer()


def test_every_row_is_counted_under_its_clause():
    for jurisdiction in ("MD", "WA"):
        figures = paytables.three_card_baccarat(jurisdiction)
        found = answers(GAME, jurisdiction=jurisdiction)
        for (wager, letter), printed in figures.tables.items():
            odds = found[wager, letter or "five_percent"]
            cited = {clause for end in odds.outcomes for clause in end.clause.split(", ")}
            names = {end.name for end in odds.outcomes}
            assert {row.clause for row in printed.rows} <= cited
            assert {row.hand for row in printed.rows} <= names


def test_both_readings_of_the_dragon():
    """Every hand has a mirror (ace for nine, two for eight), so both readings cost the same."""
    ten = EVERY["dragon", "five_percent"]
    zero = answers(GAME, dragon_three_face="ten_against_zero")["dragon", "five_percent"]
    assert ten.notes != zero.notes
    assert ten.edge == zero.edge
    assert {end.name: end.count for end in ten.outcomes} == {
        end.name: end.count for end in zero.outcomes
    }


def test_a_sample_of_deals_ends_as_its_class_does():
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    chosen = random.Random(seed)
    classes = {seen(one.player, one.dealer): one for one in meetings()}
    for _ in range(300):
        cards = chosen.sample(DECK, 6)
        dealt = Meeting(1, tuple(cards[:3]), tuple(cards[3:]))
        like = classes[seen(dealt.player, dealt.dealer)]
        rules = table(
            commission=chosen.choice(["five_percent", "free"]),
            three_kings=chosen.choice("AB"),
            tie=chosen.choice("AB"),
            dragon=True,
            dragon_three_face=chosen.choice(["ten", "ten_against_zero"]),
            vigorish_rounding="none",
        )
        for wager in rules.wagers:
            mine, theirs = (
                paid(three_card_baccarat.settled(rules, wager, one), 10_000)
                for one in (dealt, like)
            )
            assert mine == theirs, cards


def test_the_edge_of_what_a_table_offers():
    found = edge(table(jurisdiction="WA", three_kings="A"))
    assert found == {
        "ante": EVERY["ante", "five_percent"].edge,
        "three_kings": EVERY["three_kings", "A"].edge,
    }


@pytest.mark.parametrize(
    "settings",
    [
        {"tie": "C"},
        {"jurisdiction": "WA", "tie": "B"},
        {"jurisdiction": "WA", "commission": "free"},
        {"decks": 8},
        {"game": GAME},
        {"dragon": "A"},
    ],
)
def test_settings_that_the_rules_do_not_allow(settings):
    with pytest.raises(RulesError):
        questions(GAME, settings)
