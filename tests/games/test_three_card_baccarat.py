"""How Three Card Baccarat is settled, Maryland and Washington: TCB 6, 11.B and 12."""

import pytest

from tablectl.games.settlement import Meter, SeatHand, SettleError
from tablectl.games.three_card_baccarat import (
    faces,
    points,
    rank,
    settle_round,
    settle_seat,
    settlement_order,
    winner,
)

from .baccarat_deals import three_card_line, three_card_rules
from .deals import by_wager, cards

# From the highest down, one hand of each place in the ranking (TCB 6.C).
RANKING = [
    "KC KD KH", "JC JD JH",
    *(f"{nine} {two} {one}" for nine, two, one in (
        ("9C", "KD", "QH"), ("4C", "5D", "QH"), ("4C", "2D", "3H"),  # nine with two, one, no faces
        ("8C", "KD", "QH"), ("4C", "4D", "QH"), ("4C", "2D", "2H"),
        ("7C", "KD", "QH"), ("4C", "3D", "QH"), ("4C", "2D", "AH"),
        ("6C", "KD", "QH"), ("4C", "2D", "QH"), ("3C", "2D", "AH"),
        ("5C", "KD", "QH"), ("4C", "AD", "QH"), ("5C", "TD", "TH"),
        ("4C", "KD", "QH"), ("3C", "AD", "QH"), ("4C", "TD", "TH"),
        ("3C", "KD", "QH"), ("2C", "AD", "QH"), ("3C", "TD", "TH"),
        ("2C", "KD", "QH"), ("AC", "AD", "QH"), ("2C", "TD", "TH"),
        ("AC", "KD", "QH"), ("AC", "TD", "QH"), ("AC", "TD", "TH"),
        ("TC", "KD", "QH"), ("4C", "6D", "QH"), ("TC", "TD", "TH"),
    )),
]  # fmt: skip


def test_the_ranking() -> None:
    places = [rank(cards(text)) for text in RANKING]
    assert places == sorted(places, reverse=True)
    assert len(set(places)) == len(RANKING) == 32


def test_a_ten_is_no_face_card_and_every_three_faces_are_alike() -> None:
    assert (points(cards("TC JD QH")), faces(cards("TC JD QH"))) == (0, 2)
    assert rank(cards("JC JD JH")) == rank(cards("JC QD KH")) == rank(cards("KC KD QH"))
    assert winner(cards("KC KD KH"), cards("QC QD QH")) == "player"
    assert winner(cards("KC 4D 5H"), cards("9C TD TH")) == "player"
    assert winner(cards("9C TD TH"), cards("KC 4D 5H")) == "dealer"
    assert winner(cards("KC 4D 5H"), cards("QC 2D 7H")) == "tie"


@pytest.mark.parametrize(
    ("player", "dealer", "five_percent", "free"),
    [
        ("9C TD TH", "8C TC TS", "win", "win"),
        ("8C TD TH", "9C TC TS", "lose", "lose"),
        ("KC 4D 5H", "9C TD TH", "win", "push"),  # equal points, more face cards (11.B(2)(d))
        ("KC 4D 5H", "QC 2D 7H", "push", "push"),  # as many
        ("9C TD TH", "KC 4D 5H", "lose", "lose"),  # fewer
        ("KC KD KH", "QC QD QH", "win", "win"),  # three kings keep their place
        ("QC QD QH", "KC KD KH", "lose", "lose"),
        ("QC QD QH", "JC KD QS", "push", "push"),
        ("QC QD QH", "TC TD TH", "win", "win"),  # three faces are not a plain zero
        ("TC TD TH", "QC QD QH", "lose", "lose"),
    ],
)
def test_ante(player: str, dealer: str, five_percent: str, free: str) -> None:
    maryland, washington = three_card_rules(), three_card_rules(jurisdiction="WA")
    without = three_card_rules(commission="free")
    cited = {
        "win": ("TCB 12.A", "WA-TCB D7", "TCB 1.B(8)"),
        "lose": ("TCB 11.B(2)(a)", "WA-TCB D8", "TCB 11.B(2)(a)"),
        "push": ("TCB 11.B(2)(c)", "WA-TCB D9", "TCB 11.B(2)(d)"),
    }
    returned = {"win": (1950, 1950, 2000), "lose": (0, 0, 0), "push": (1000, 1000, 1000)}
    for at, (rules, outcome) in enumerate(
        ((maryland, five_percent), (washington, five_percent), (without, free))
    ):
        line = three_card_line(rules, player, dealer, "ante")
        assert (line.outcome, line.clause) == (outcome, cited[outcome][at])
        assert line.returned == returned[outcome][at]
        assert line.vigorish == (50 if outcome == "win" and at < 2 else 0)
        assert line.odds == ("1 to 1" if outcome == "win" else None)


@pytest.mark.parametrize(
    ("rounding", "won", "owed"),
    [
        ("up_to_quarter", 500, 25),
        ("up_to_quarter", 501, 50),
        ("up_to_quarter", 1_000, 50),
        ("up_to_quarter", 1, 1),  # a quarter would be more than was won
        ("nearest_quarter", 749, 25),  # 37.45
        ("nearest_quarter", 750, 50),  # 37.50: half up
        ("nearest_quarter", 249, 0),  # 12.45
        ("nearest_quarter", 250, 25),  # 12.50
        ("none", 510, 26),  # 25.5 cents: half up
        ("none", 509, 25),
        ("none", 9, 0),
        ("none", 10, 1),
    ],
)
def test_vigorish(rounding: str, won: int, owed: int) -> None:
    """TCB 12.A(1) and its readings: on the amount won, which at 1 to 1 is the stake."""
    for state in ("MD", "WA"):
        rules = three_card_rules(vigorish_rounding=rounding, jurisdiction=state)
        line = three_card_line(rules, "9C TD TH", "8C TC TS", "ante", won)
        assert (line.vigorish, line.returned) == (owed, 2 * won - owed)


@pytest.mark.parametrize(
    ("player", "dealer", "pays"),
    [
        ("KC KD KH", "QC JD QH", "10 to 1"),  # three kings tie other faces by points and faces
        ("QC JD QH", "KC KD KH", "10 to 1"),
        ("QC JD KH", "JC KD QH", "50 to 1"),  # the same three ranks
        ("QC JD KH", "TC TD TH", None),  # three faces count ten here
        ("TC TD 5H", "5C TH TS", "50 to 1"),
        ("TC 9D 6H", "5C TH TS", "10 to 1"),  # five with no faces each
        ("KC 9D 6H", "5C TH TS", "7 to 1"),
        ("8C TD TH", "9C TC TS", None),
    ],
)
def test_tie_bonus(player: str, dealer: str, pays: str | None) -> None:
    line = three_card_line(three_card_rules(), player, dealer, "tie")
    assert (line.odds, line.outcome) == (pays, "win" if pays else "lose")
    eight = three_card_line(three_card_rules(tie="B"), player, dealer, "tie")
    assert (eight.odds, eight.outcome) == ("8 to 1" if pays else None, line.outcome)
    if not pays:
        assert line.clause == "TCB 11.B(7)"
        assert three_card_line(
            three_card_rules(jurisdiction="WA"), player, dealer, "tie"
        ).clause == ("WA-TCB tie")


@pytest.mark.parametrize(
    ("player", "dealer", "ten", "ten_against_zero"),
    [
        ("JC QD KH", "TC 5D 5H", "50 to 1", "50 to 1"),
        ("JC QD KH", "AC 5D 5H", "20 to 1", None),  # ten to one; or zero to one
        ("JC QD KH", "5C TD TH", "1 to 1", None),
        ("9C TD TH", "JC QD KH", None, "20 to 1"),  # nine to ten; or nine to zero
        ("JC QD KH", "JH QC KS", None, None),
        ("KC KD KH", "TC 5D 5H", "50 to 1", "50 to 1"),
        ("5C TD TH", "TC 5D 5H", "1 to 1", "1 to 1"),
        ("4C TD TH", "TC 5D 5H", None, None),
        ("TC 5D 5H", "9C TD TH", None, None),
    ],
)
def test_dragon_bonus(player: str, dealer: str, ten: str | None, ten_against_zero: str) -> None:
    """TCB 12.E, by both readings of three face cards."""
    for reading, pays in (("ten", ten), ("ten_against_zero", ten_against_zero)):
        rules = three_card_rules(dragon_three_face=reading)
        line = three_card_line(rules, player, dealer, "dragon")
        assert (line.odds, line.outcome) == (pays, "win" if pays else "lose")
        if not pays:
            assert line.clause == "TCB 11.B(9)"


def test_three_kings_bonus_looks_at_the_player_alone() -> None:
    for dealer in ("9C TC TS", "JC QC KS"):
        assert (
            three_card_line(three_card_rules(), "8D 5H 5D", dealer, "three_kings").odds == "2 to 1"
        )
    line = three_card_line(three_card_rules(), "7D 5H 5C", "8C TC TS", "three_kings")
    assert (line.outcome, line.clause) == ("lose", "TCB 11.B(5)")
    washington = three_card_rules(jurisdiction="WA")
    line = three_card_line(washington, "7D 5H 5C", "8C TC TS", "three_kings")
    assert line.clause == "WA-TCB three-kings"


def test_a_seat_is_settled_in_the_order_of_the_wagers() -> None:
    """TCB 11.B(5)-(10); the bonuses pay though the ante loses."""
    seat = SeatHand(
        3, {"dragon": 100, "tie": 100, "three_kings": 100, "ante": 100}, cards("9C TD TH")
    )
    [result] = settle_round(three_card_rules(), cards("KC 4D 5H"), [seat]).seats
    assert [(line.wager, line.outcome) for line in result.lines] == [
        ("ante", "lose"), ("three_kings", "win"), ("tie", "win"), ("dragon", "lose"),
    ]  # fmt: skip
    assert result.returned == 400 + 800


def test_order() -> None:
    """From the dealer's left in Maryland (TCB 11.B(2)), from the right in Washington (D10)."""
    hands = [
        SeatHand(seat, {"ante": 100}, cards(text))
        for seat, text in ((5, "2C 3C 4C"), (1, "2D 3D 4D"), (6, "2H 3H 4H"))
    ]
    for state, order in (("MD", (1, 5, 6)), ("WA", (6, 5, 1))):
        rules = three_card_rules(jurisdiction=state)
        settled = settle_round(rules, cards("9C TD TH"), hands)
        assert settled.order == settlement_order(rules, [5, 1, 6]) == order
        assert [seat.seat for seat in settled.seats] == [5, 1, 6]


def test_seven_seats_in_washington_and_six_in_maryland() -> None:
    seat = SeatHand(7, {"ante": 100}, cards("9C TD TH"))
    assert settle_round(three_card_rules(jurisdiction="WA"), cards("8C TC TS"), [seat]).order == (
        7,
    )
    with pytest.raises(SettleError, match=r"1 to 6 \(TCB 2\.A\(1\)\)"):
        settle_round(three_card_rules(), cards("8C TC TS"), [seat])


def test_one_seat_at_its_turn() -> None:
    seat = SeatHand(2, {"ante": 100, "tie": 100}, cards("9C TD TH"))
    alone = settle_seat(three_card_rules(), cards("8C TC TS"), seat)
    [whole] = settle_round(three_card_rules(), cards("8C TC TS"), [seat]).seats
    assert alone == whole
    assert by_wager(alone)["ante"].returned == 175


def test_the_game_has_no_meters() -> None:
    with pytest.raises(SettleError, match="'main' is no meter of this game: it has no meters"):
        settle_round(three_card_rules(), cards("8C TC TS"), [], {"main": Meter(1, 1)})
