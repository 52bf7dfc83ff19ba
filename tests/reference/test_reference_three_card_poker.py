"""The reference settlement against examples worked by hand and against published frequencies.

The reference and these examples were written from the rule text and the readings alone. Nothing
here touches the settlement that tablectl uses; test_agreement.py compares the two.
"""

from collections import Counter
from itertools import combinations
from typing import Any

import pytest

from .random_play import DECK
from .three_card_poker import (
    PAIR_PLUS,
    best_five_of_six,
    dealer_plays,
    five_card_name,
    settle,
    straight_top,
    super_royal_suit,
    three_card_name,
    three_card_strength,
)

ALL_THREE_CARD_HANDS = [list(hand) for hand in combinations(DECK, 3)]

Line = tuple[str, int, str, int]


def cards(text: str) -> list[str]:
    return text.split()


def seat(
    number: int, hand: str, wagers: dict[str, int], decision: str | None = None
) -> dict[str, Any]:
    one: dict[str, Any] = {"seat": number, "wagers": wagers, "cards": cards(hand)}
    if decision is not None:
        one["decision"] = decision
    return one


def a_round(
    dealer: str,
    *seats: dict[str, Any],
    rules: dict[str, str] | None = None,
    meters: dict[str, Any] | None = None,
    community: str | None = None,
) -> dict[str, Any]:
    round_: dict[str, Any] = {
        "game": "three_card_poker",
        "rules": {"ante_bonus": "A", "pair_plus": "D", **(rules or {})},
        "meters": meters or {},
        "dealer": cards(dealer),
        "seats": list(seats),
    }
    if community is not None:
        round_["community"] = cards(community)
    return round_


def lines_of(result: dict[str, Any], number: int) -> list[Line]:
    for one in result["seats"]:
        if one["seat"] == number:
            lines = [(x["wager"], x["stake"], x["outcome"], x["returned"]) for x in one["lines"]]
            assert one["returned"] == sum(line[3] for line in lines)
            return lines
    raise AssertionError(f"seat {number} was not settled")


# --- hands ------------------------------------------------------------------------------------


def test_frequencies_of_three_card_hands() -> None:
    assert Counter(three_card_name(hand) for hand in ALL_THREE_CARD_HANDS) == {
        "straight flush": 48,
        "three of a kind": 52,
        "straight": 720,
        "flush": 1096,
        "pair": 3744,
        "high card": 16440,
    }


def test_the_dealer_fails_to_play_with_6720_hands() -> None:
    # Three ranks of 2 to J: 120 ways, 8 of them straights; 64 suits each, 4 of them flushes.
    assert sum(not dealer_plays(hand) for hand in ALL_THREE_CARD_HANDS) == (120 - 8) * (64 - 4)


@pytest.mark.parametrize(
    ("paytable", "edge_percent"),
    [("A", 4.579), ("B", 5.575), ("C", 7.276), ("D", 2.317), ("E", 3.493)],
)
def test_published_edges_of_pair_plus(paytable: str, edge_percent: float) -> None:
    odds = PAIR_PLUS[paytable]
    won = sum(odds.get(three_card_name(hand), -1) for hand in ALL_THREE_CARD_HANDS)
    assert round(-100 * won / len(ALL_THREE_CARD_HANDS), 3) == edge_percent


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_frequencies_of_five_card_hands() -> None:
    counts = Counter(five_card_name(list(hand)) for hand in combinations(DECK, 5))
    assert counts["royal flush"] == 4
    assert counts["straight flush"] == 36
    assert counts["four of a kind"] == 624
    assert counts["full house"] == 3744
    assert counts["flush"] == 5108
    assert counts["straight"] == 10200
    assert counts["three of a kind"] == 54912


def test_188_six_card_hands_hold_a_royal_and_four_are_super() -> None:
    royals = []
    for suit in "CDHS":
        royal = [rank + suit for rank in "AKQJT"]
        royals += [[*royal, card] for card in DECK if card not in royal]
    assert len(royals) == 188
    assert {best_five_of_six(hand) for hand in royals} == {"royal flush"}
    assert sum(super_royal_suit(hand) is not None for hand in royals) == 4


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("2S 3S AS", "AS AH AD"),  # the lowest straight flush, the highest three of a kind
        ("2S 2H 2D", "AS KH QD"),
        ("AS 2H 3D", "AS KS JS"),  # the lowest straight, the highest flush
        ("2S 3S 5S", "AS AH KD"),  # the lowest flush, the highest pair
        ("2S 2H 3D", "AS KH JD"),  # the lowest pair, the highest of nothing
        ("6S 6H 2D", "5S 5H AD"),  # the pair before the kicker
        ("6S 6H 3D", "6C 6D 2D"),
        ("2S 3H 4D", "AS 2H 3D"),
        ("AS KH QD", "KS QH JD"),
        ("AS 9S 4S", "AH 9H 3H"),
        ("QS 7H 2D", "QH 6D 5C"),
    ],
)
def test_order_of_three_card_hands(better: str, worse: str) -> None:
    assert three_card_strength(cards(better)) > three_card_strength(cards(worse))


@pytest.mark.parametrize("hand", ["KS AH 2D", "QS KH 2D", "AS 2H 4D", "JS QH AD"])
def test_an_ace_does_not_go_round_the_corner(hand: str) -> None:
    assert straight_top(cards(hand)) == 0


@pytest.mark.parametrize(
    ("hand", "name"),
    [
        ("AS KS QS JS TS", "royal flush"),
        ("KS QS JS TS 9S", "straight flush"),
        ("AS 2S 3S 4S 5S", "straight flush"),
        ("7S 7H 7D 7C 2S", "four of a kind"),
        ("7S 7H 7D 2C 2S", "full house"),
        ("2S 5S 9S JS KS", "flush"),
        ("AS 2H 3D 4C 5S", "straight"),
        ("TS JH QD KC AS", "straight"),
        ("KS AH 2D 3C 4S", "nothing"),
        ("7S 7H 7D 2C 3S", "three of a kind"),
        ("7S 7H 2D 2C 3S", "nothing"),
    ],
)
def test_names_of_five_card_hands(hand: str, name: str) -> None:
    assert five_card_name(cards(hand)) == name


@pytest.mark.parametrize(
    ("hand", "name"),
    [
        ("8S 8H 8D 9S 9H 9D", "full house"),
        ("7S 7H 7D 7C 2S 2H", "four of a kind"),
        ("2S 3S 4S 5S 6H 7S", "flush"),
        ("2S 3S 4S 5S 6S 7H", "straight flush"),
        ("2S 2H 3D 3C 4S 4H", "nothing"),
    ],
)
def test_best_five_of_six(hand: str, name: str) -> None:
    assert best_five_of_six(cards(hand)) == name


# --- ante, play, ante bonus -------------------------------------------------------------------

ANTE = {"ante": 1000}


@pytest.mark.parametrize(
    ("dealer", "hand", "expected"),
    [
        # The dealer has jack high: the ante is paid, the play comes back, however bad the hand.
        ("JS 8H 3D", "7C 5D 2H", [("ante", 1000, "win", 2000), ("play", 1000, "push", 1000)]),
        ("QS 8H 3D", "7C 5D 2H", [("ante", 1000, "lose", 0), ("play", 1000, "lose", 0)]),
        ("QS 8H 3D", "KC 5D 2H", [("ante", 1000, "win", 2000), ("play", 1000, "win", 2000)]),
        ("QS 8H 3D", "QC 8D 3H", [("ante", 1000, "push", 1000), ("play", 1000, "push", 1000)]),
        ("5S 5H AD", "6C 6D 2H", [("ante", 1000, "win", 2000), ("play", 1000, "win", 2000)]),
        # A pair of twos plays, though no card of it is a queen.
        ("2S 2H 3D", "AC KD JH", [("ante", 1000, "lose", 0), ("play", 1000, "lose", 0)]),
        # A losing straight still earns the bonus.
        (
            "9S 9H 9D",
            "AC 2D 3H",
            [("ante", 1000, "lose", 0), ("play", 1000, "lose", 0), ("ante_bonus", 0, "win", 1000)],
        ),
        (
            "JS 8H 3D",
            "4C 4D 4H",
            [
                ("ante", 1000, "win", 2000),
                ("play", 1000, "push", 1000),
                ("ante_bonus", 0, "win", 4000),
            ],
        ),
        # Equal straights: everything comes back and the bonus is paid.
        (
            "5S 6H 7D",
            "5C 6D 7H",
            [
                ("ante", 1000, "push", 1000),
                ("play", 1000, "push", 1000),
                ("ante_bonus", 0, "win", 1000),
            ],
        ),
    ],
)
def test_ante_and_play(dealer: str, hand: str, expected: list[Line]) -> None:
    result = settle(a_round(dealer, seat(4, hand, ANTE, "play")))
    assert lines_of(result, 4) == expected


@pytest.mark.parametrize(
    ("paytable", "hand", "bonus"),
    [
        ("A", "AC KC QC", 5000),
        ("A", "4C 4D 4H", 4000),
        ("B", "4C 4D 4H", 3000),
        ("C", "4C 5C 6C", 4000),
        ("C", "4C 5C 6D", 1000),
        ("version", "AS KS QS", 50000),
        ("version", "AH KH QH", 50000),
        ("version", "AD KD QD", 50000),
        ("version", "AC KC QC", 50000),
        ("version", "KC QC JC", 8000),
        ("version", "4C 4D 4H", 6000),
        ("version", "4C 5C 6D", 0),
    ],
)
def test_ante_bonus(paytable: str, hand: str, bonus: int) -> None:
    result = settle(
        a_round("TS TH 9D", seat(1, hand, ANTE, "play"), rules={"ante_bonus": paytable})
    )
    expected = [("ante_bonus", 0, "win", bonus)] if bonus else []
    assert lines_of(result, 1)[2:] == expected


# --- side wagers ------------------------------------------------------------------------------

OFFERED = {"progressive": "A", "six_card_bonus": "A", "five_card_progressive": "A"}


def meter(cents: int, reset: int = 100_000) -> dict[str, int]:
    return {"cents": cents, "reset": reset}


def test_a_fold_forfeits_all_but_the_six_card_bonus() -> None:
    wagers = {
        "ante": 1000,
        "pair_plus": 500,
        "progressive": 100,
        "six_card_bonus": 200,
        "five_card_progressive": 100,
    }
    result = settle(
        a_round(
            "4S 8H 3D",
            seat(2, "4C 4D 4H", wagers, "fold"),
            rules=OFFERED,
            meters={"main": meter(500_000), "main5": meter(600_000)},
            community="KS KH",
        )
    )
    assert lines_of(result, 2) == [
        ("ante", 1000, "forfeit", 0),
        ("pair_plus", 500, "forfeit", 0),
        ("progressive", 100, "forfeit", 0),
        ("six_card_bonus", 200, "win", 10_200),  # 4-4-4-4: 50 to 1
        ("five_card_progressive", 100, "forfeit", 0),
    ]
    assert result["meters"] == {"main": 500_000, "main5": 600_000}


@pytest.mark.parametrize(
    ("paytable", "hand", "outcome", "returned"),
    [
        ("A", "4C 5C 6C", "win", 500 * 36),
        ("B", "4C 5C 6D", "win", 500 * 6),
        ("C", "4C 5C 9C", "win", 500 * 4),
        ("D", "AC KC QC", "win", 500 * 41),
        ("E", "4C 4D 4H", "win", 500 * 26),
        ("D", "2C 2D 9H", "win", 500 * 2),
        ("D", "AC KD JH", "lose", 0),
    ],
)
def test_pair_plus_alone(paytable: str, hand: str, outcome: str, returned: int) -> None:
    one = seat(1, hand, {"pair_plus": 500})
    result = settle(a_round("QS 8H 3D", one, rules={"pair_plus": paytable}))
    assert lines_of(result, 1) == [("pair_plus", 500, outcome, returned)]


@pytest.mark.parametrize(
    ("paytable", "stake", "hand", "returned"),
    [
        ("A", 100, "AH KH QH", 50_000),
        ("A", 500, "KH QH JH", 35_000),
        ("A", 500, "4C 4D 4H", 30_000),
        ("A", 500, "4C 5D 6H", 3_000),
        ("B", 100, "KH QH JH", 10_000),
        ("B", 100, "4C 4D 4H", 9_000),
        ("B", 100, "4C 5D 6H", 0),
        ("C", 100, "4C 5D 6H", 600),
        ("C", 100, "4C 6C 8C", 0),
    ],
)
def test_progressive_at_odds(paytable: str, stake: int, hand: str, returned: int) -> None:
    one = seat(1, hand, {"pair_plus": 500, "progressive": stake})
    result = settle(a_round("QS 8H 3D", one, rules={"progressive": paytable}))
    outcome = "win" if returned else "lose"
    assert lines_of(result, 1)[1:] == [("progressive", stake, outcome, returned)]


def test_minor_meter_won_twice_resets_between_the_seats() -> None:
    wagers = {"pair_plus": 500, "progressive": 500}
    result = settle(
        a_round(
            "QS 8H 3D",
            seat(1, "AC KC QC", wagers),
            seat(3, "AS KS JS", wagers),
            seat(6, "AH KH QH", wagers),
            rules={"progressive": "C"},
            meters={"major": meter(900_000), "minor": meter(345_678, 120_000)},
        )
    )
    assert result["order"] == [6, 3, 1]
    assert lines_of(result, 6)[1:] == [
        ("progressive", 500, "win", 345_678),
        ("envy_bonus", 0, "win", 12_500),
    ]
    assert lines_of(result, 1)[1:] == [
        ("progressive", 500, "win", 120_000),
        ("envy_bonus", 0, "win", 12_500),
    ]
    assert lines_of(result, 3)[1:] == [
        ("progressive", 500, "lose", 0),
        ("envy_bonus", 0, "win", 12_500),
        ("envy_bonus", 0, "win", 12_500),
    ]
    assert result["meters"] == {"major": 900_000, "minor": 120_000}


def test_envy_for_other_seats_hands_in_play_only() -> None:
    result = settle(
        a_round(
            "AD KD QD",  # the dealer's hand earns nobody an envy bonus
            seat(1, "AS KS QS", {"ante": 1000}, "play"),  # no progressive wager of its own
            seat(2, "AH KH QH", {"ante": 1000}, "fold"),  # has left play
            seat(4, "AC KC QC", {"pair_plus": 500, "progressive": 100}),
            seat(5, "9S 5H 2D", {"ante": 1000, "progressive": 500}, "fold"),
            rules={"progressive": "A"},
            meters={"main": meter(777_777)},
        )
    )
    assert [line[0] for line in lines_of(result, 1)] == ["ante", "play", "ante_bonus"]
    assert lines_of(result, 2) == [("ante", 1000, "forfeit", 0)]
    assert lines_of(result, 4)[1:] == [
        ("progressive", 100, "win", 50_000),
        ("envy_bonus", 0, "win", 10_000),
    ]
    assert lines_of(result, 5) == [
        ("ante", 1000, "forfeit", 0),
        ("progressive", 500, "forfeit", 0),
        ("envy_bonus", 0, "win", 50_000),
        ("envy_bonus", 0, "win", 12_500),
    ]
    assert result["meters"] == {"main": 777_777}


@pytest.mark.parametrize(
    ("paytable", "dealer", "hand", "returned"),
    [
        ("A", "AD KD QD", "JD TD 9D", 100_000_300),
        ("A", "AS 9S QS", "JS TS KS", 10_000_300),
        ("B", "AD KD QD", "JD TD 9D", 10_000_300),
        ("C", "AD KD QD", "JD TD 9D", 300 * 1001),
        ("E", "AD KD QD", "JD TD 9D", 300 * 1001),  # the text's "Paytable E" is not this one
        ("A", "AD KD QD", "JD TD 8D", 300 * 1001),
        ("B", "KD QD JD", "TD 9D AS", 300 * 201),
        ("D", "4C 4D 4H", "4S 2D 3H", 300 * 101),
        ("C", "4C 4D 4H", "3S 2D 3H", 300 * 26),
        ("F", "2C 5C 9C", "JC KC 3H", 300 * 16),
        ("D", "AC 2D 3H", "4S 5D KH", 300 * 10),
        ("E", "4C 4D 4H", "3S 2D KH", 300 * 8),
        ("A", "4C 4D 5H", "5S 6D 6H", 0),
    ],
)
def test_six_card_bonus(paytable: str, dealer: str, hand: str, returned: int) -> None:
    one = seat(1, hand, {"pair_plus": 500, "six_card_bonus": 300})
    result = settle(a_round(dealer, one, rules={"six_card_bonus": paytable}))
    outcome = "win" if returned else "lose"
    assert lines_of(result, 1)[1:] == [("six_card_bonus", 300, outcome, returned)]


@pytest.mark.parametrize(
    ("paytable", "hand", "community", "returned"),
    [
        ("A", "7S 7H 7D", "7C 2S", 150_000),
        ("B", "7S 7H 7D", "2C 2S", 25_000),
        ("C", "2S 5S 9S", "JS KS", 20_000),
        ("A", "AS 2H 3D", "4C 5S", 15_000),
        ("A", "7S 7H 2D", "7C KS", 4_500),
        ("A", "7S 7H 2D", "2C KS", 0),
    ],
)
def test_five_card_at_odds(paytable: str, hand: str, community: str, returned: int) -> None:
    one = seat(1, hand, {"pair_plus": 500, "five_card_progressive": 500})
    rules = {"five_card_progressive": paytable}
    result = settle(a_round("QC 8H 3C", one, rules=rules, community=community))
    outcome = "win" if returned else "lose"
    assert lines_of(result, 1)[1:] == [("five_card_progressive", 500, outcome, returned)]


FIVE = {"pair_plus": 500, "five_card_progressive": 100}


@pytest.mark.parametrize(
    ("paytable", "award_of_6", "award_of_1", "after"),
    [
        # A tenth of 1,000,005 is 100,000.5 and goes up; a tenth of the 900,004 left is 90,000.4.
        ("A", 100_001, 90_000, {"main5": 810_004}),
        ("B", 300_000, 110_000, {"major5": 200_000, "minor5": 110_000}),
        ("C", 200_000, 100_000, {"mega5": 400_000, "major5": 100_000, "minor5": 300_000}),
    ],
)
def test_two_straight_flushes_with_the_same_community_cards(
    paytable: str, award_of_6: int, award_of_1: int, after: dict[str, int]
) -> None:
    given = {
        "A": {"main5": meter(1_000_005)},
        "B": {"major5": meter(200_000), "minor5": meter(300_000, 110_000)},
        "C": {"mega5": meter(400_000), "major5": meter(200_000), "minor5": meter(300_000)},
    }[paytable]
    result = settle(
        a_round(
            "QC 8H 3C",
            seat(1, "6S 7S 8S", FIVE),
            seat(6, "JS QS KS", FIVE),
            rules={"five_card_progressive": paytable},
            meters=given,
            community="9S TS",
        )
    )
    assert lines_of(result, 6)[1:] == [("five_card_progressive", 100, "win", award_of_6)]
    assert lines_of(result, 1)[1:] == [("five_card_progressive", 100, "win", award_of_1)]
    assert result["meters"] == after


@pytest.mark.parametrize(("paytable", "name"), [("A", "main5"), ("B", "major5"), ("C", "mega5")])
def test_a_five_card_royal_takes_the_top_meter(paytable: str, name: str) -> None:
    names = {"A": ["main5"], "B": ["major5", "minor5"], "C": ["mega5", "major5", "minor5"]}
    result = settle(
        a_round(
            "QC 8H 3C",
            seat(1, "AS TS QS", FIVE),
            rules={"five_card_progressive": paytable},
            meters={one: meter(654_321) for one in names[paytable]},
            community="KS JS",
        )
    )
    assert lines_of(result, 1)[1:] == [("five_card_progressive", 100, "win", 654_321)]
    assert result["meters"] == dict.fromkeys(names[paytable], 654_321) | {name: 100_000}


def test_quads_twice_on_the_minor_meter_of_c() -> None:
    result = settle(
        a_round(
            "QC 8H 3C",
            seat(2, "7S 7H 7D", FIVE),
            seat(3, "9S 9H 9D", FIVE),
            rules={"five_card_progressive": "C"},
            meters={"mega5": meter(1), "major5": meter(2), "minor5": meter(222_222)},
            community="7C 9C",
        )
    )
    assert lines_of(result, 3)[1:] == [("five_card_progressive", 100, "win", 222_222)]
    assert lines_of(result, 2)[1:] == [("five_card_progressive", 100, "win", 100_000)]


def test_a_bare_meter_resets_to_a_thousand_dollars() -> None:
    one = seat(1, "AS KS QS", {"pair_plus": 500, "progressive": 100})
    result = settle(a_round("QC 8H 3C", one, rules={"progressive": "B"}, meters={"main": 543_210}))
    assert lines_of(result, 1)[1:] == [("progressive", 100, "win", 543_210)]
    assert result["meters"] == {"main": 100_000}
