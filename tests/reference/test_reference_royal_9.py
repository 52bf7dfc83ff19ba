"""Royal 9 in the reference settlement against examples worked by hand.

Written from MIDI 12.K, 12.L and the reading "printed_per_seat" alone; see test_agreement.py.
"""

from typing import Any

import pytest

from .midi_baccarat import settle

STAR, SPADE, HEART = 6_000_005, 41_111, 52_222
METERS = {
    "star": {"cents": STAR, "reset": 5_500_000},
    "spade": {"cents": SPADE, "reset": 50_000},
    "heart": {"cents": HEART, "reset": 50_000},
    "must_hit": {"cents": 70_000, "reset": 25_000},
}
PRINTED = {1: "KS 9H", 4: "KD 9D", 7: "KC 9S"}


def a_round(
    player: str, banker: str, paytable: str, wagering: list[int], meters: dict[str, Any] = METERS
) -> dict[str, Any]:
    """A $5 Royal 9 wager at some of the three seats; all three have a king and a nine printed."""
    seats = [
        {
            "seat": seat,
            "wagers": {"tie": 1000} | ({"royal_9": 500} if seat in wagering else {}),
            "printed_king_9": king_and_nine.split(),
        }
        for seat, king_and_nine in PRINTED.items()
    ]
    return {
        "rules": {"royal_9": paytable, "royal_9_reading": "printed_per_seat", "must_hit": "a"},
        "meters": meters,
        "player": player.split(),
        "banker": banker.split(),
        "seats": seats,
    }


def awards(result: dict[str, Any]) -> dict[int, int]:
    """What each seat with the wager gets for it."""
    found = {}
    for seat in result["seats"]:
        for line in seat["lines"]:
            if line["wager"] == "royal_9":
                assert line["outcome"] == ("win" if line["returned"] else "lose")
                found[seat["seat"]] = line["returned"]
    return found


@pytest.mark.parametrize(
    ("player", "banker", "a", "c"),
    [
        ("KS 9H", "9H KS", STAR, STAR),  # both hands seat 1's
        ("KS 9H", "KD 9D", 600_001, HEART),  # seat 1's and seat 4's: a tenth, half a cent up
        ("KD 9D", "KS 9H", 600_001, SPADE),
        ("KD 9D", "KC 9S", 600_001, 25_000),  # both printed, neither here
        ("KD 9D", "KD 9D", 600_001, 500_000),  # the same twice, printed elsewhere
        ("KH 9C", "9C KH", 25_000, 500_000),  # the same twice, printed nowhere
        ("2S 3S 4S", "9H KS", SPADE, SPADE),
        ("KH 9H", "9H KS", SPADE, SPADE),  # the player's hand is a Royal 9, but nobody's
        ("KS 9H", "2S 3S", HEART, HEART),
        ("KH 9H", "9S JS", 150_000, 150_000),
        ("KH 9H", "9S JD", 25_000, 25_000),
        ("QH 9S", "9S JD", 25_000, 25_000),
        ("QH 9H", "2S 3S", 5_000, 5_000),
        ("2S 3S", "9C JC", 5_000, 5_000),
        ("KD 9D", "2S 3S", 5_000, 5_000),  # seat 4's alone is only a suited Royal 9 here
        ("KC 9S", "2S 3S", 2_500, 2_500),
        ("TH 9H", "2S 3S", 0, 0),  # a ten is no face card
        ("9H 9S", "KS KD", 0, 0),
        ("2H 3H 9S", "KS KD 9D", 0, 0),  # the first two cards only
    ],
)
def test_awards_at_seat_1(player: str, banker: str, a: int, c: int) -> None:
    assert awards(settle(a_round(player, banker, "A", [1]))) == {1: a}
    assert awards(settle(a_round(player, banker, "B", [1]))) == {1: a}
    assert awards(settle(a_round(player, banker, "C", [1]))) == {1: c}


def test_a_whole_meter_resets_and_a_tenth_is_only_taken_off() -> None:
    won = settle(a_round("KS 9H", "9H KS", "A", [1]))["meters"]
    assert won == {"star": 5_500_000, "spade": SPADE, "heart": HEART, "must_hit": 70_000}
    shared = settle(a_round("KS 9H", "KD 9D", "A", [1]))["meters"]
    assert shared == {"star": STAR - 600_001, "spade": SPADE, "heart": HEART, "must_hit": 70_000}


def test_every_seat_is_paid_at_what_the_meter_shows_at_its_turn() -> None:
    result = settle(a_round("KS 9H", "9H KS", "A", [1, 4, 7]))
    assert result["order"] == [7, 4, 1]
    first = 600_001  # half a cent up
    second = 540_000  # a tenth of 5_400_004
    assert awards(result) == {7: first, 4: second, 1: STAR - first - second}
    assert result["meters"]["star"] == 5_500_000


@pytest.mark.parametrize(
    ("paytable", "star", "spade"),
    [("A", 5_000_000, 35_000), ("B", 2_500_000, 35_000), ("C", 5_000_000, 45_000)],
)
def test_a_bare_meter_resets_to_the_least_allowed(paytable: str, star: int, spade: int) -> None:
    bare = {"star": 9_000_000, "spade": 99_999, "heart": 88_888}
    exact = settle(a_round("KS 9H", "9H KS", paytable, [1], bare))
    assert awards(exact) == {1: 9_000_000}
    assert exact["meters"] == {**bare, "star": star}
    on_banker = settle(a_round("2S 3S", "9H KS", paytable, [1], bare))
    assert on_banker["meters"] == {**bare, "spade": spade}
