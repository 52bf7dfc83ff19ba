"""The reference settlement of Midi Baccarat against examples worked by hand and published figures.

The reference and these examples were written from the rule text and the readings alone. Nothing
here touches the settlement that tablectl uses; test_agreement.py compares the two.
"""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any

import pytest

from .baccarat import points
from .midi_baccarat import settle, settle_wager
from .midi_hands import banker_draws, jackpot_row, player_draws
from .random_play import DECK

Hands = tuple[list[str], list[str]]


def hands(player: str, banker: str) -> Hands:
    return player.split(), banker.split()


def line(wager: str, both: Hands, stake: int = 1000, **rules: Any) -> tuple[str, int, int]:
    """Outcome, returned and vigorish of one wager of $10."""
    round_ = {"rules": rules, "player": both[0], "banker": both[1]}
    settled = settle_wager(round_, wager, stake)
    assert (settled["wager"], settled["stake"]) == (wager, stake)
    return settled["outcome"], settled["returned"], settled["vigorish"]


def times(wager: str, both: Hands, **rules: Any) -> int:
    """How often the stake comes back, itself included; a push is once, a loss is never."""
    outcome, returned, vigorish = line(wager, both, **rules)
    assert vigorish == 0
    assert outcome == {0: "lose", 1000: "push"}.get(returned, "win")
    assert returned % 1000 == 0
    return returned // 1000


# --- third cards and frequencies ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("player", "banker", "drawn"),
    [
        ("9S TH", "2C 3D", (False, False)),  # a natural ends it
        ("2S 3H", "8C TD", (False, False)),
        ("3S 3H", "2C 3D", (False, True)),  # six stays, the banker draws to five
        ("3S 3H", "2C 4D", (False, False)),
        ("3S 4H", "7C TD", (False, False)),
        ("2S 3H 8D", "2C TD", (True, True)),  # below three always
        ("2S 3H 8D", "3C TD", (True, False)),  # three stays against an eight only
        ("2S 3H 9D", "3C TD", (True, True)),
        ("2S 3H 9D", "4C TD", (True, False)),
        ("2S 3H AD", "4C TD", (True, False)),
        ("2S 3H 2D", "4C TD", (True, True)),
        ("2S 3H 3D", "5C TD", (True, False)),
        ("2S 3H 4D", "5C TD", (True, True)),
        ("2S 3H 5D", "6C TD", (True, False)),
        ("2S 3H 6D", "6C TD", (True, True)),
        ("2S 3H 7D", "6C TD", (True, True)),
        ("2S 3H KD", "6C TD", (True, False)),
        ("2S 3H 7D", "7C TD", (True, False)),
    ],
)
def test_third_cards(player: str, banker: str, drawn: tuple[bool, bool]) -> None:
    both = hands(player, banker)
    assert (player_draws(*both), banker_draws(*both)) == drawn


CARDS = ["TS", "AS", *(f"{worth}S" for worth in range(2, 10))]  # one card of each worth
IN_THE_SHOE = [8 * 16, *[8 * 4] * 9]
SHOES = 416 * 415 * 414 * 413 * 412 * 411  # the first six cards, in order


@cache
def eight_decks() -> list[tuple[int, Hands]]:
    """Every round of an eight-deck shoe by totals and cards: an example, and how many shoes."""
    found: Counter[tuple[int, int, int, int]] = Counter()
    example: dict[tuple[int, int, int, int], Hands] = {}
    for four in product(range(10), repeat=4):
        player, banker = [CARDS[four[0]], CARDS[four[2]]], [CARDS[four[1]], CARDS[four[3]]]
        shoes = 1
        for place, worth in enumerate(four):
            shoes *= IN_THE_SHOE[worth] - four[:place].count(worth)
        for third in range(10) if player_draws(player, banker) else [None]:
            whole = player if third is None else [*player, CARDS[third]]
            five = four if third is None else (*four, third)
            with_five = shoes * (1 if third is None else IN_THE_SHOE[third] - four.count(third))
            for fourth in range(10) if banker_draws(whole, banker) else [None]:
                bank = banker if fourth is None else [*banker, CARDS[fourth]]
                ways = with_five
                if fourth is not None:
                    ways *= IN_THE_SHOE[fourth] - five.count(fourth)
                unused = 6 - len(whole) - len(bank)
                key = (points(whole), len(whole), points(bank), len(bank))
                found[key] += ways * {0: 1, 1: 411, 2: 412 * 411}[unused]
                example[key] = (whole, bank)
    return [(ways, example[key]) for key, ways in found.items()]


def test_published_frequencies_of_eight_decks() -> None:
    won: Counter[str] = Counter()
    for shoes, (player, banker) in eight_decks():
        lead = points(player) - points(banker)
        won["player" if lead > 0 else "banker" if lead < 0 else "tie"] += shoes
    assert sum(won.values()) == SHOES == 4_998_398_275_503_360
    assert won["banker"] == 2_292_252_566_437_888
    assert won["player"] == 2_230_518_282_592_256
    assert won["tie"] == 475_627_426_473_216


@pytest.mark.parametrize(
    ("wager", "rules", "edge_percent"),
    [
        ("player", {}, 1.235),
        ("banker", {"vigorish_rounding": "none"}, 1.058),
        ("banker", {"variant": "no_commission"}, 1.458),
        ("banker", {"variant": "ez"}, 1.018),
        ("banker", {"variant": "fortune_7"}, 1.018),
        ("tie", {}, 14.36),
        ("tie", {"tie_pays": 9}, 4.844),
        ("dragon_7", {"variant": "ez"}, 7.611),
        ("panda_8", {"variant": "ez"}, 10.188),
        ("dragon_bonus_player", {"dragon_bonus": "A"}, 2.652),
        ("dragon_bonus_banker", {"dragon_bonus": "A"}, 9.373),
    ],
)
def test_published_edges_of_eight_decks(wager: str, rules: Any, edge_percent: float) -> None:
    returned = sum(shoes * line(wager, both, **rules)[1] for shoes, both in eight_decks())
    edge = 1 - Fraction(returned, 1000 * SHOES)
    assert round(float(100 * edge), 3) == edge_percent


# --- main wagers ------------------------------------------------------------------------------

BANKER_7 = hands("2S 3H AD", "2C 2D 3S")  # 6 against three cards and 7
BANKER_6 = hands("2S 3H KD", "2C KD 4S")
BANKER_9 = hands("2S 3H KD", "2C KD 7S")
PLAYER_8 = hands("2S 3H 3D", "2C KD KS")
TIE = hands("2S 4H", "6C KD")


@pytest.mark.parametrize(
    ("variant", "nine", "six", "seven"),
    [
        ("standard", ("win", 1950, 50), ("win", 1950, 50), ("win", 1950, 50)),
        ("five_treasures", ("win", 1950, 50), ("win", 1950, 50), ("win", 1950, 50)),
        ("ez", ("win", 2000, 0), ("win", 2000, 0), ("push", 1000, 0)),
        ("fortune_7", ("win", 2000, 0), ("win", 2000, 0), ("push", 1000, 0)),
        ("no_commission", ("win", 2000, 0), ("win", 1500, 0), ("win", 2000, 0)),
    ],
)
def test_banker(variant: str, nine: Any, six: Any, seven: Any) -> None:
    assert line("banker", BANKER_9, variant=variant) == nine
    assert line("banker", BANKER_6, variant=variant) == six
    assert line("banker", BANKER_7, variant=variant) == seven
    assert line("banker", PLAYER_8, variant=variant) == ("lose", 0, 0)
    assert line("banker", TIE, variant=variant) == ("push", 1000, 0)
    assert line("player", BANKER_7, variant=variant) == ("lose", 0, 0)
    assert line("player", PLAYER_8, variant=variant) == ("win", 2000, 0)
    assert line("player", TIE, variant=variant) == ("push", 1000, 0)


def test_a_two_card_seven_is_no_dragon() -> None:
    seven = hands("2S 3H AD", "2C 5D")
    assert line("banker", seven, variant="ez") == ("win", 2000, 0)
    assert times("dragon_7", seven) == 0


def test_half_a_cent_of_one_to_two_goes_up() -> None:
    assert line("banker", BANKER_6, 25, variant="no_commission") == ("win", 38, 0)


@pytest.mark.parametrize(
    ("rounding", "vigorish"), [("up_to_quarter", 75), ("nearest_quarter", 50), ("none", 61)]
)
def test_vigorish_taken_or_marked(rounding: str, vigorish: int) -> None:
    rules = {"vigorish_rounding": rounding}
    assert line("banker", BANKER_9, 1210, **rules) == ("win", 2420 - vigorish, vigorish)
    marked = line("banker", BANKER_9, 1210, **rules, vigorish_collection="marked")
    assert marked == ("win", 2420, vigorish)


def test_tie() -> None:
    assert times("tie", TIE) == 9
    assert times("tie", TIE, tie_pays=11) == 12
    assert times("tie", BANKER_6) == 0


# --- side wagers ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("selected", "other", "a", "b", "c"),
    [
        ("2S 3H 4D", "KC KD KS", 31, 21, 31),
        ("2S 3H 3D", "KC KD KS", 11, 9, 11),
        ("2S 3H 2D", "KC KD KS", 7, 8, 5),
        ("2S 3H AD", "KC KD KS", 5, 5, 5),
        ("2S 3H KD", "KC KD KS", 3, 4, 3),
        ("2S 3H 9D", "KC KD KS", 2, 2, 3),
        ("2S 3H 8D", "KC KD KS", 0, 0, 0),
        ("KS KH KD", "2C KD 7S", 0, 0, 0),
        ("KS 9H", "KC KD", 2, 2, 2),  # a natural is paid as such, whatever its lead
        ("KS 8H", "KC 7D", 2, 2, 2),
        ("KS 9H", "KC 8D", 2, 2, 2),
        ("KS 8H", "KC 9D", 0, 0, 0),
        ("KS 8H", "3C 5D", 1, 1, 1),
        ("KS 9H", "4C 5D", 1, 1, 1),
        ("KS 7H", "3C 4D", 0, 0, 0),
    ],
)
def test_dragon_bonus(selected: str, other: str, a: int, b: int, c: int) -> None:
    for letter, expected in zip("ABC", (a, b, c), strict=True):
        one, two = hands(selected, other)
        assert times("dragon_bonus_player", (one, two), dragon_bonus=letter) == expected
        assert times("dragon_bonus_banker", (two, one), dragon_bonus=letter) == expected


SEVENS = hands("2S 3H 2D", "2C 2D 3S")  # both three cards and 7
NINES = hands("2S 3H 4D", "2C 3D 4S")
TWO_CARD_SEVENS = hands("3S 4H", "7C KD")
PLAYER_9_BANKER_8 = hands("2S 3H 4D", "2C 3D 3S")
PLAYER_1_BANKER_0 = hands("2S 3H 6D", "2C KD 8S")
NATURALS = hands("KS 9H", "KC 8D")


@pytest.mark.parametrize(
    ("wager", "wins"),
    [
        ("dragon_7", [(BANKER_7, 41)]),
        ("panda_8", [(PLAYER_8, 26)]),
        ("fortune_7", [(BANKER_7, 41)]),
        ("one_up", [(PLAYER_9_BANKER_8, 10), (PLAYER_1_BANKER_0, 31), (NATURALS, 10)]),
        ("treasure_fortune_7", [(BANKER_7, 41)]),
        ("golden_8", [(PLAYER_8, 26)]),
        ("heavenly_9", [(NINES, 76), (PLAYER_9_BANKER_8, 11), (BANKER_9, 11)]),
        (
            "cover_all",
            [
                (BANKER_7, 7),
                (PLAYER_8, 7),
                (NINES, 7),
                (PLAYER_9_BANKER_8, 7),
                (BANKER_9, 7),
                (SEVENS, 7),
                (TWO_CARD_SEVENS, 7),
            ],
        ),
        ("lucky_6", [(BANKER_6, 21)]),
        ("super_6", [(BANKER_6, 16)]),
    ],
)
def test_side_wagers_on_totals(wager: str, wins: list[tuple[Hands, int]]) -> None:
    everything = [
        BANKER_7,
        BANKER_6,
        BANKER_9,
        PLAYER_8,
        TIE,
        SEVENS,
        NINES,
        TWO_CARD_SEVENS,
        PLAYER_9_BANKER_8,
        PLAYER_1_BANKER_0,
        NATURALS,
    ]
    for both in everything:
        expected = [again for hit, again in wins if hit is both]
        assert times(wager, both) == (expected or [0])[0], both


def test_a_banker_six_of_two_cards() -> None:
    two_cards = hands("2S 3H KD", "6C KD")
    assert times("lucky_6", two_cards) == 13
    assert times("super_6", two_cards) == 16
    assert times("lucky_6", TIE) == 0  # a six that ties does not win


def test_heavenly_9_need_not_win() -> None:
    assert times("heavenly_9", hands("2S 3H 4D", "4C 5D")) == 11


def test_blazing_7s() -> None:
    assert times("blazing_7s", SEVENS, blazing_7s="A") == 401
    assert times("blazing_7s", SEVENS, blazing_7s="B") == 201
    assert times("blazing_7s", TWO_CARD_SEVENS, blazing_7s="A") == 0
    assert times("blazing_7s", TWO_CARD_SEVENS, blazing_7s="B") == 51
    mixed = hands("2S 3H 2D", "7C KD")
    assert times("blazing_7s", mixed, blazing_7s="B") == 0
    assert times("cover_all", mixed) == 0


@pytest.mark.parametrize(
    ("player", "banker", "on_player", "on_banker", "either"),
    [
        ("9S 9H", "KC QD", 13, 0, 13),
        ("2S 2H KD", "9C 9C", 12, 13, 13),
        ("KS KS 3H", "TC TD 2H", 12, 12, 12),
        ("KS QH 3H", "TC JD 2H", 0, 0, 0),
        ("2S 3H 3D", "2C KD KS", 0, 0, 0),  # a pair with the third card is none
    ],
)
def test_any_pair(player: str, banker: str, on_player: int, on_banker: int, either: int) -> None:
    both = hands(player, banker)
    assert times("any_pair_player", both) == on_player
    assert times("any_pair_banker", both) == on_banker
    assert times("any_pair", both) == either


@pytest.mark.parametrize(
    ("player", "banker", "expected"),
    [
        ("9S 9H", "9C 9D", (501, 501, 1001, 2001)),
        ("9S 9S", "9S 9S", (501, 501, 1001, 2001)),
        ("9S 9S", "9S KD", (251, 251, 501, 501)),
        ("9S 9S", "9H KD", (21, 31, 36, 16)),
        ("9D KS", "9D KD", (9, 13, 17, 11)),
        ("9D 9S", "KS KD", (6, 6, 6, 5)),
        ("9D KS", "KS KD", (3, 3, 3, 3)),
        ("KS 2S 7H", "9H KD", (2, 2, 2, 2)),
        ("KS 2S 9H", "3H KD", (0, 0, 0, 0)),  # a nine as third card does not count
    ],
)
def test_lucky_nines(player: str, banker: str, expected: tuple[int, ...]) -> None:
    for letter, again in zip("ABCD", expected, strict=True):
        assert times("lucky_nines", hands(player, banker), lucky_nines=letter) == again


@pytest.mark.parametrize(
    ("player", "banker", "expected"),
    [
        ("AS JS", "QS KS", (501, 251, 301, 501, 501)),
        ("7S 7S", "7S 7S", (101, 76, 51, 101, 101)),
        ("KS TS", "QS JS", (51, 51, 41, 51, 51)),
        ("AS 3S", "2S 4S", (51, 51, 41, 51, 51)),
        ("7S 7S", "7S 2S", (16, 16, 16, 16, 16)),  # three of a kind before the flush
        ("7S 7S", "2S 2S", (11, 11, 11, 11, 11)),  # the flush before two pair
        ("AS JS", "QS KD", (6, 6, 6, 7, 7)),
        ("AS 3S", "2S 4D", (6, 6, 6, 7, 7)),
        ("2S 2D", "AS AD", (5, 5, 5, 6, 5)),
        ("2S AD", "AS 7D", (3, 3, 3, 3, 3)),
        ("TS TD", "AS 7D", (1, 1, 1, 1, 1)),
        ("KS 2D", "KS 7D", (1, 1, 1, 1, 1)),
        ("9S 9D", "KS 7D", (0, 0, 0, 0, 0)),
        ("KS AD", "2S 3D", (0, 0, 0, 0, 0)),
        ("KS AD", "2S 3D 4H", (0, 0, 0, 0, 0)),
    ],
)
def test_jackpot(player: str, banker: str, expected: tuple[int, ...]) -> None:
    for letter, again in zip("ABCDE", expected, strict=True):
        assert times("jackpot", hands(player, banker), jackpot=letter) == again


def test_jackpot_rows_among_the_hands_of_one_deck() -> None:
    """The well-known frequencies of four-card poker hands; every rank pairs as often."""
    counts = Counter(jackpot_row(list(four[:2]), list(four[2:])) for four in combinations(DECK, 4))
    assert counts["four card royal"] == 4
    assert counts["straight flush"] == 40
    assert counts["four of a kind"] == 13
    assert counts["three of a kind"] == 2496
    assert counts["flush"] == 2816
    assert counts["straight"] == 2772
    assert counts["two pair"] == 2808
    assert counts["pair of aces"] * 13 == 82_368
    assert counts["pair of tens to kings"] * 13 == 82_368 * 4


# --- a whole round ----------------------------------------------------------------------------


def test_a_round_is_paid_from_the_highest_seat_down() -> None:
    result = settle(
        {
            "rules": {"lucky_6": True},
            "player": BANKER_6[0],
            "banker": BANKER_6[1],
            "seats": [
                {"seat": 2, "wagers": {"player": 500, "lucky_6": 100}},
                {"seat": 9, "wagers": {"player": 1000, "banker": 2000, "tie": 100}},
            ],
        }
    )
    assert result["order"] == [9, 2]
    assert [(seat["seat"], seat["returned"]) for seat in result["seats"]] == [(2, 2100), (9, 3900)]
    assert result["meters"] == {}
