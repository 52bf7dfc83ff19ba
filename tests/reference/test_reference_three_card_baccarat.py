"""The reference settlement of Three Card Baccarat against examples worked by hand.

The reference and these examples were written from the rule texts and the readings alone. Nothing
here touches the settlement that tablectl uses; test_agreement.py compares the two.
"""

from collections import Counter
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Any

import pytest

from .random_play import DECK
from .three_card_baccarat import (
    THREE_KINGS,
    TIE,
    settle,
    strength,
    three_kings_row,
    tie_row,
)

Line = tuple[str, str, int, int]


def lines(hand: str, dealer: str, wagers: dict[str, int] | None = None, **rules: Any) -> list[Line]:
    """Wager, outcome, returned and vigorish of the only seat's lines."""
    seat = {"seat": 2, "wagers": wagers or {"ante": 1000}, "cards": hand.split()}
    round_ = {"rules": rules, "dealer": dealer.split(), "seats": [seat]}
    settled = settle(round_)["seats"][0]
    found = [(x["wager"], x["outcome"], x["returned"], x["vigorish"]) for x in settled["lines"]]
    assert settled["returned"] == sum(line[2] for line in found)
    return found


# --- hands ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("KS KH KD", "KC QH JD"),
        ("JS JH QD", "9C KH QD"),  # three face cards above nine with two
        ("9C KH QD", "9D KD TD"),  # the ten is no face card
        ("9C KH TD", "3C 3H 3D"),
        ("4C 5H TD", "8C QH JD"),
        ("AC KH QD", "TC TH KD"),
        ("TC TH KD", "5D 5S TD"),
    ],
)
def test_order_of_hands(better: str, worse: str) -> None:
    assert strength(better.split()) > strength(worse.split())


def test_washingtons_example_of_the_point_count() -> None:
    assert strength(["TS", "4H", "8D"]) == (0, 2, 0)
    assert strength(["8S", "KH", "JD"]) > strength(["2S", "5H", "AD"])


def test_published_edge_of_three_kings_table_a() -> None:
    hands = [list(hand) for hand in combinations(DECK, 3)]
    net = sum(THREE_KINGS["A"].get(three_kings_row(hand) or "", -1) for hand in hands)
    assert round(-100 * net / len(hands), 1) == 4.3  # printed in WA-TCB


def test_published_edge_of_tie_table_a() -> None:
    """Every pair of hands by ranks, each counted as often as the suits allow."""
    net = total = 0
    ranks = list(combinations_with_replacement("A23456789TJQK", 3))
    for mine in ranks:
        for theirs in ranks:
            ways = 1
            held, wanted = Counter(mine), Counter(theirs)
            for rank in set(mine) | set(theirs):
                ways *= comb(4, held[rank]) * comb(max(0, 4 - held[rank]), wanted[rank])
            row = tie_row([rank + "S" for rank in mine], [rank + "H" for rank in theirs])
            net += ways * TIE["A"].get(row or "", -1)
            total += ways
    assert total == comb(52, 3) * comb(49, 3)
    assert round(-100 * net / total, 1) == 5.3  # printed in WA-TCB


# --- ante -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "dealer", "expected"),
    [
        ("9S TH KD", "9C TD TC", ("ante", "win", 1950, 50)),  # nine each, one face card more
        ("9S TH TD", "9C KD TC", ("ante", "lose", 0, 0)),
        ("9S TH KD", "4C 5D QC", ("ante", "push", 1000, 0)),
        ("KS KH KD", "KC QD QC", ("ante", "win", 1950, 50)),
        ("KS QH QD", "JC JD JH", ("ante", "push", 1000, 0)),
        ("KS QH QD", "TC TD TH", ("ante", "win", 1950, 50)),
    ],
)
def test_ante(hand: str, dealer: str, expected: Line) -> None:
    assert lines(hand, dealer) == [expected]


@pytest.mark.parametrize(
    ("hand", "dealer", "expected"),
    [
        ("9S TH KD", "9C TD TC", ("ante", "push", 1000, 0)),
        ("9S TH TD", "9C KD TC", ("ante", "lose", 0, 0)),
        ("9S TH KD", "4C 5D QC", ("ante", "push", 1000, 0)),
        ("8S TH KD", "2C 5D QC", ("ante", "win", 2000, 0)),
        ("KS KH KD", "KC QD QC", ("ante", "win", 2000, 0)),
        ("KC QD QC", "KS KH KD", ("ante", "lose", 0, 0)),
        ("KS QH QD", "JC JD JH", ("ante", "push", 1000, 0)),
        ("KS QH QD", "TC TD TH", ("ante", "win", 2000, 0)),  # not equal points with a zero
        ("KS QH TD", "JC JD JH", ("ante", "lose", 0, 0)),
    ],
)
def test_ante_without_commission(hand: str, dealer: str, expected: Line) -> None:
    assert lines(hand, dealer, commission="free", vigorish_rounding="none") == [expected]


@pytest.mark.parametrize(
    ("stake", "up_to_quarter", "nearest_quarter", "none"),
    [
        (1000, 50, 50, 50),
        (1020, 75, 50, 51),
        (1250, 75, 75, 63),  # 62.5 cents: half way to 75, and half a cent up
        (1240, 75, 50, 62),
        (1, 1, 0, 0),  # a whole quarter would be more than was won
        (9, 9, 0, 0),
        (10, 10, 0, 1),
        (24, 24, 0, 1),
        (26, 25, 0, 1),
        (500, 25, 25, 25),
    ],
)
def test_vigorish(stake: int, up_to_quarter: int, nearest_quarter: int, none: int) -> None:
    asked = {"up_to_quarter": up_to_quarter, "nearest_quarter": nearest_quarter, "none": none}
    for rounding, vigorish in asked.items():
        won = lines("9S TH KD", "8C TD TC", {"ante": stake}, vigorish_rounding=rounding)
        assert won == [("ante", "win", 2 * stake - vigorish, vigorish)], rounding
    assert lines("9S TH KD", "8C TD TC", {"ante": stake})[0][3] == up_to_quarter


# --- bonus wagers -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "a", "b"),
    [
        ("KS KH KD", 51, 201),
        ("KS KH QD", 26, 21),
        ("9S KH QD", 4, 4),
        ("4S 5H TD", 4, 4),
        ("8S TH QD", 3, 3),
        ("7S TH QD", 0, 0),
        ("TS TH KD", 0, 0),
    ],
)
def test_three_kings(hand: str, a: int, b: int) -> None:
    for letter, times in (("A", a), ("B", b)):
        got = lines(hand, "2C 3D 5C", {"ante": 100, "three_kings": 300}, three_kings=letter)
        assert got[1] == ("three_kings", "win" if times else "lose", 300 * times, 0)


@pytest.mark.parametrize(
    ("hand", "dealer", "a", "b"),
    [
        ("9S TH KD", "KC 9D TC", 51, 9),
        ("KS QH JD", "KC QD JC", 51, 9),
        ("KS KH KD", "KC QD JC", 11, 9),
        ("9S TH KD", "9C TD JC", 11, 9),
        ("9S TH KD", "4C 5D QC", 11, 9),
        ("9S TH KD", "4C 5D TC", 8, 9),
        ("KS QH JD", "TC TD TH", 0, 0),  # three face cards count ten here
        ("9S TH KD", "8C TD KC", 0, 0),
    ],
)
def test_tie(hand: str, dealer: str, a: int, b: int) -> None:
    for letter, times in (("A", a), ("B", b)):
        got = lines(hand, dealer, {"ante": 100, "tie": 300}, tie=letter)
        assert got[1] == ("tie", "win" if times else "lose", 300 * times, 0)


@pytest.mark.parametrize(
    ("hand", "dealer", "ten", "ten_against_zero"),
    [
        ("KS QH JD", "TC TD KC", 51, 51),
        ("KS QH JD", "AC TD KC", 21, 0),
        ("KS QH JD", "5C TD KC", 2, 0),
        ("KS QH JD", "6C TD KC", 0, 0),
        ("KS QH JD", "KC QD JC", 0, 0),
        ("9S TH KD", "KC QD JC", 0, 21),
        ("5S TH KD", "KC QD JC", 0, 2),
        ("9S TH KD", "TC TD TS", 21, 21),
        ("9S TH KD", "AC TD TS", 11, 11),
        ("9S TH KD", "2C TD TS", 6, 6),
        ("8S TH KD", "2C TD TS", 4, 4),
        ("8S TH KD", "3C TD TS", 2, 2),
        ("8S TH KD", "4C TD TS", 0, 0),
        ("4S TH KD", "8C TD TS", 0, 0),
    ],
)
def test_dragon(hand: str, dealer: str, ten: int, ten_against_zero: int) -> None:
    wagers = {"ante": 100, "dragon": 300}
    asked = {"ten": ten, "ten_against_zero": ten_against_zero}
    for reading, times in asked.items():
        got = lines(hand, dealer, wagers, dragon=True, dragon_three_face=reading)
        assert got[1] == ("dragon", "win" if times else "lose", 300 * times, 0), reading
    assert lines(hand, dealer, wagers, dragon=True)[1][2] == 300 * ten


def test_order_of_settlement() -> None:
    hands = {4: "9S TH KD", 1: "2S 2H 2D", 6: "5S 5H 5D"}
    seats = [{"seat": n, "wagers": {"ante": 100}, "cards": h.split()} for n, h in hands.items()]
    round_ = {"dealer": ["7S", "7H", "7D"], "seats": seats}
    assert settle({**round_, "rules": {}})["order"] == [1, 4, 6]
    washington = settle({**round_, "rules": {"jurisdiction": "WA"}})
    assert washington["order"] == [6, 4, 1]
    assert [seat["seat"] for seat in washington["seats"]] == [4, 1, 6]
