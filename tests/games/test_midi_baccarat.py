"""How Midi Baccarat is settled in all its variants: MIDI 7, 11 and 12, clause by clause."""

import pytest

from tablectl.games import paytables
from tablectl.games.midi_baccarat import MidiSeat, round_results, settle_round, settlement_order
from tablectl.games.settlement import Meter, SettleError

from .baccarat_deals import MIDI_METERS, midi_line, midi_round, midi_rules
from .deals import by_wager, cards

PLAYER, BANKER, TIE = ("9C KD", "2C 5D"), ("2C 5D", "9C KD"), ("7C KD", "7D KH")
SEVEN = ("6C KD", "2C 3D 2H")  # the banker's three cards count seven, and win
SIX_WITH_TWO, SIX_WITH_THREE = ("2C 3D KH", "6C TD"), ("2C 3D KH", "KC 3H 3S")
VARIANTS = ("standard", "ez", "fortune_7", "no_commission", "five_treasures")
EVEN = {
    "standard": "MIDI 12.C", "five_treasures": "MIDI 12.C",
    "ez": "MIDI 7.A(1)(a)", "fortune_7": "MIDI 7.A(1)(a)", "no_commission": "MIDI 7.A(1)(a)",
}  # fmt: skip


@pytest.mark.parametrize("variant", VARIANTS)
def test_player_and_banker(variant: str) -> None:
    rules = midi_rules(variant=variant)
    commission = 50 if variant in ("standard", "five_treasures") else 0  # MIDI 12.C

    def ends(hands: tuple[str, str], wager: str) -> tuple[str, int, int, str]:
        line = midi_line(rules, *hands, wager)
        assert line.odds == ("1 to 1" if line.outcome == "win" else None)
        return line.outcome, line.returned, line.vigorish, line.clause

    assert ends(PLAYER, "player") == ("win", 2000, 0, "MIDI 12.A")
    assert ends(BANKER, "player") == ("lose", 0, 0, "MIDI 7.A(2)(b)(i)")
    assert ends(TIE, "player") == ("push", 1000, 0, "MIDI 7.A(2)(c)")
    assert ends(BANKER, "banker") == ("win", 2000 - commission, commission, EVEN[variant])
    assert ends(PLAYER, "banker") == ("lose", 0, 0, "MIDI 7.A(1)(b)")
    assert ends(TIE, "banker") == ("push", 1000, 0, "MIDI 7.A(1)(c)(i)")


@pytest.mark.parametrize(
    ("variant", "banker", "clause", "player_clause"),
    [
        ("standard", "win", "MIDI 12.C", "MIDI 7.A(2)(b)(i)"),
        ("ez", "push", "MIDI 7.A(1)(c)(ii)", "MIDI 7.A(2)(b)(ii)"),
        ("fortune_7", "push", "MIDI 7.A(1)(c)(iii)", "MIDI 7.A(2)(b)(iii)"),
        ("no_commission", "win", "MIDI 7.A(1)(a)", "MIDI 7.A(2)(b)(i)"),
        ("five_treasures", "win", "MIDI 12.C", "MIDI 7.A(2)(b)(i)"),
    ],
)
def test_the_banker_s_three_card_seven(
    variant: str, banker: str, clause: str, player_clause: str
) -> None:
    """In EZ and Fortune 7 the banker's wagers push and the player's lose."""
    rules = midi_rules(variant=variant)
    line = midi_line(rules, *SEVEN, "banker")
    assert (line.outcome, line.clause) == (banker, clause)
    line = midi_line(rules, *SEVEN, "player")
    assert (line.outcome, line.clause) == ("lose", player_clause)
    # Seven with two cards, or seven that does not win, is nothing of the kind.
    assert midi_line(rules, "2C 3D KH", "7C KD", "banker").outcome == "win"
    assert midi_line(rules, "2C 2D 3H", "2H 2S 3C", "banker").outcome == "push"


def test_no_commission_pays_half_for_a_six() -> None:
    """MIDI 12.S, with two cards or three; half a cent goes up."""
    rules = midi_rules(variant="no_commission")
    for hands in (SIX_WITH_TWO, SIX_WITH_THREE):
        line = midi_line(rules, *hands, "banker", 1001)
        assert (line.odds, line.returned, line.clause) == ("1 to 2", 1502, "MIDI 12.S")
    assert midi_line(midi_rules(), *SIX_WITH_TWO, "banker").odds == "1 to 1"
    assert midi_line(rules, "6C KD", "6D KH", "banker").outcome == "push"  # six that does not win


@pytest.mark.parametrize("pays", [8, 9, 50])
def test_tie_pays_what_the_house_set(pays: int) -> None:
    line = midi_line(midi_rules(tie_pays=pays), *TIE, "tie")
    assert (line.returned, line.odds, line.clause) == (
        1000 * (pays + 1),
        f"{pays} to 1",
        "MIDI 12.B",
    )
    line = midi_line(midi_rules(tie_pays=pays), *PLAYER, "tie")
    assert (line.outcome, line.clause) == ("lose", "MIDI 7.A(3)(b)")


def test_marked_vigorish_is_owed_not_taken() -> None:
    """MIDI 12.D(2); 50.5 cents go up."""
    for collection, returned in (("at_payout", 2020 - 51), ("marked", 2020)):
        rules = midi_rules(vigorish_collection=collection, vigorish_rounding="none")
        line = midi_line(rules, *BANKER, "banker", 1010)
        assert (line.vigorish, line.returned) == (51, returned)


@pytest.mark.parametrize(
    ("hands", "on_player", "on_banker"),
    [
        (("9C KD", "8C KH"), "1 to 1", "MIDI 7.A(4)(b)(i)"),  # a natural nine beats a natural eight
        (("8C KD", "9C KH"), "MIDI 7.A(4)(b)(i)", "1 to 1"),
        (("9C KD", "2C 5D"), "1 to 1", "MIDI 7.A(4)(b)(ii)"),  # by its natural, not by its margin
        (("8C KD", "KC KH"), "1 to 1", "MIDI 7.A(4)(b)(ii)"),
        (("9C KD", "9D KH"), "push", "push"),
        (("7C KD", "7D KH"), "MIDI 7.A(4)(b)(ii)", "MIDI 7.A(4)(b)(ii)"),
        (("7C KD", "4D KH KS"), "MIDI 7.A(4)(b)(iii)", "MIDI 7.A(4)(b)(ii)"),  # three points
        (("7C KD", "3D KH KS"), "1 to 1", "MIDI 7.A(4)(b)(ii)"),  # four
    ],
)
def test_dragon_bonus(hands: tuple[str, str], on_player: str, on_banker: str) -> None:
    """MIDI 7.A(4); no vigorish (MIDI 12.E)."""
    for wager, expected in (("dragon_bonus_player", on_player), ("dragon_bonus_banker", on_banker)):
        line = midi_line(midi_rules(), *hands, wager)
        assert (line.clause if line.outcome == "lose" else line.odds) == expected
        assert line.vigorish == 0


@pytest.mark.parametrize(
    ("variant", "wager", "wins", "loses", "clause"),
    [
        ("ez", "dragon_7", SEVEN, BANKER, "MIDI 7.A(5)(b)"),
        ("ez", "panda_8", ("2C 3D 3H", "2H 3S"), ("8C KD", "2C 5D"), "MIDI 7.A(6)(b)"),
        ("fortune_7", "fortune_7", SEVEN, TIE, "MIDI 7.A(7)(b)"),
        ("fortune_7", "one_up", ("7C KD", "6D KH"), ("6D KH", "7C KD"), "MIDI 7.A(8)(b)"),
        ("five_treasures", "treasure_fortune_7", SEVEN, TIE, "MIDI 7.A(11)(b)"),
        ("five_treasures", "golden_8", ("2C 3D 3H", "2H 3S"), PLAYER, "MIDI 7.A(12)(b)"),
        ("five_treasures", "heavenly_9", ("KC QD TH", "KH 3S 6C"), PLAYER, "MIDI 7.A(13)(b)"),
        ("five_treasures", "blazing_7s", ("2C 2D 3H", "2H 2S 3C"), TIE, "MIDI 7.A(14)(b)"),
        ("five_treasures", "cover_all", TIE, PLAYER, "MIDI 7.A(15)(b)"),
        ("standard", "any_pair_player", ("4C 4D", "2C 5D"), ("2C 5D", "4C 4D"), "MIDI 7.A(16)(b)"),
        ("standard", "any_pair_banker", ("2C 5D", "4C 4D"), ("4C 4D", "2C 5D"), "MIDI 7.A(16)(b)"),
        ("standard", "lucky_nines", PLAYER, TIE, "MIDI 7.A(17)(b)"),
        ("standard", "lucky_6", SIX_WITH_TWO, BANKER, "MIDI 7.A(18)(b)"),
        ("standard", "super_6", SIX_WITH_THREE, ("6C KD", "6D KH"), "MIDI 7.A(19)(b)"),
        ("standard", "jackpot", ("9C KD", "9H KS"), ("9C KD", "2C 5D"), "MIDI 7.A(10)(b)"),
        ("standard", "royal_9", ("QC 9D", "2C 5D"), TIE, "MIDI 7.A(9)"),
    ],
)
def test_side_wagers_win_and_lose(
    variant: str, wager: str, wins: tuple[str, str], loses: tuple[str, str], clause: str
) -> None:
    letter = "A" if variant == "five_treasures" else None
    rules = midi_rules(variant=variant, blazing_7s=letter)
    assert midi_line(rules, *wins, wager).outcome == "win"
    line = midi_line(rules, *loses, wager)
    assert (line.outcome, line.returned, line.odds, line.clause) == ("lose", 0, None, clause)


def test_readings() -> None:
    """What the text leaves open, as it is read."""
    treasures = midi_rules(variant="five_treasures", blazing_7s="A")
    assert midi_line(treasures, *TIE, "blazing_7s").outcome == "lose"  # two cards: table B's
    assert midi_line(treasures, *TIE, "cover_all").outcome == "win"  # but a treasure all the same
    # Heavenly 9 need not win: a nine only ever ties another.
    assert midi_line(treasures, "KC 4D 5H", "2H 2S 5C", "heavenly_9").odds == "75 to 1"
    assert midi_line(midi_rules(variant="fortune_7"), "KC QD AH", "KH 3S 7C", "one_up").odds == (
        "30 to 1"
    )
    lucky = midi_rules(lucky_nines="A")
    assert midi_line(lucky, "9C 9D", "9C 5D", "lucky_nines").odds == "20 to 1"  # not all of a suit
    assert midi_line(lucky, "2C 3D 9H", "2H 2S", "lucky_nines").outcome == "lose"  # a third card
    jackpot = midi_rules(jackpot="A")
    assert midi_line(jackpot, "AC 2D 5H", "3H 4S", "jackpot").odds == "5 to 1"
    assert midi_line(jackpot, "9C 9D", "8C 8D", "jackpot").odds == "4 to 1"
    assert midi_line(jackpot, "KC AD 5H", "2H QS 5C", "jackpot").outcome == "lose"  # no way round
    assert midi_line(jackpot, "AS KS 2C", "QS JS 5H", "jackpot").odds == "500 to 1"
    assert midi_line(jackpot, "9C 9D", "AH KS", "jackpot").outcome == "lose"  # a pair of nines
    both = midi_rules(lucky_6=True, super_6=True)
    assert {"lucky_6", "super_6"} <= set(both.wagers)


def test_any_pair_in_either_hand() -> None:
    rules = midi_rules(any_pair="either_hand")
    assert midi_line(rules, "4C 4D", "9C 9D", "any_pair").odds == "12 to 1"  # nines first
    assert midi_line(rules, "4C 4D", "2C 5D", "any_pair").odds == "11 to 1"
    assert midi_line(rules, *PLAYER, "any_pair").outcome == "lose"


ROYAL_9 = [
    # player, banker: what seat 1 (KC 9D) gets by tables A and B, then by C. Seat 2 has KH 9S.
    ("KC 9D", "KC 9D", "exact_match", "exact_match"),
    ("KC 9D", "KH 9S", "any_two_personal", "personal_player"),
    ("KH 9S", "KC 9D", "any_two_personal", "personal_banker"),
    ("KH 9S", "KH 9S", "any_two_personal", "identical"),
    ("KS 9C", "KC 9D", "personal_banker", "personal_banker"),  # KS 9C is at no seat
    ("KC 9D", "QC 9C", "personal_player", "personal_player"),
    ("KS 9C", "KS 9C", "both", "identical"),
    ("KS 9S", "KS 9S", "both_suited", "identical"),
    ("KH 9S", "2C 5D", "any", "any"),  # another seat's king and nine
    ("QC 9C", "JD 9D", "both_suited", "both_suited"),
    ("QC 9C", "JD 9C", "both", "both"),
    ("QC 9C", "2C 5D", "any_suited", "any_suited"),
    ("TC 9C", "2C 5D", None, None),  # a ten is no face card
    ("9C 9D", "KC QD", None, None),
]


@pytest.mark.parametrize(("player", "banker", "both", "c"), ROYAL_9)
def test_royal_9_takes_the_highest_row(
    player: str, banker: str, both: str | None, c: str | None
) -> None:
    for letter, name in (("A", both), ("B", both), ("C", c)):
        line = midi_line(midi_rules(royal_9=letter), player, banker, "royal_9", 500)
        rows = {row.hand: row for row in paytables.midi_baccarat().table("royal_9", letter).rows}
        expected = ("lose", "MIDI 7.A(9)") if name is None else ("win", rows[name].clause)
        assert (line.outcome, line.clause) == expected


def test_royal_9_gives_the_award_and_not_the_stake() -> None:
    for stake in (100, 500, 700):
        assert midi_line(midi_rules(), "QC 9D", "2C 5D", "royal_9", stake).returned == 2_500
        star = midi_line(midi_rules(), "KC 9D", "KC 9D", "royal_9", stake)
        assert (star.returned, star.meter, star.resets) == (MIDI_METERS["star"].cents, "star", True)


def test_meters_are_paid_in_the_order_of_settlement() -> None:
    """A share leaves the rest; a meter that is won starts again before the next seat is paid."""
    own, other = cards("KC 9D"), cards("KH 9S")
    seats = [
        MidiSeat(1, {"player": 500, "royal_9": 500}, own),
        MidiSeat(4, {"tie": 500, "royal_9": 500}, other),
        MidiSeat(9, {"banker": 500, "royal_9": 500}, own),
    ]
    two = midi_round(midi_rules(), "KC 9D", "KH 9S", *seats)
    paid = {seat.seat: by_wager(seat)["royal_9"].returned for seat in two.seats}
    # Ten percent of 7,654,325, then of what is left, from seat 9 down; half a cent goes up.
    assert paid == {9: 765_433, 4: 688_889, 1: 620_000}
    assert two.meters["star"] == 7_654_325 - sum(paid.values())
    exact = midi_round(midi_rules(), "KC 9D", "KC 9D", *seats)
    paid = {seat.seat: by_wager(seat)["royal_9"].returned for seat in exact.seats}
    assert paid[9] == 7_654_325
    assert paid[1] == 5_000_000 - 500_000  # seat 4 took ten percent of the reset in between
    assert exact.meters["star"] == 5_000_000
    assert exact.order == (9, 4, 1)


def test_a_meter_that_is_won_must_be_given() -> None:
    seat = MidiSeat(1, {"player": 500, "royal_9": 500}, cards("KC 9D"))
    with pytest.raises(
        SettleError, match=r"the meter heart is won but was not given.*12\.K\(1\)\(d\)"
    ):
        settle_round(midi_rules(), cards("KC 9D"), cards("2C 5D"), [seat], {})
    given = {"heart": Meter(40_000, 35_000), "must_hit": Meter(30_000, 25_000)}
    settled = settle_round(midi_rules(), cards("KC 9D"), cards("2C 5D"), [seat], given)
    assert settled.meters == {"heart": 35_000, "must_hit": 30_000}  # Must Hit is left alone


def test_order_is_of_payment_from_the_highest_seat_down() -> None:
    """MIDI 11.B."""
    assert settlement_order(midi_rules(), [3, 9, 1]) == (9, 3, 1)
    seats = [MidiSeat(seat, {"player": 100}) for seat in (3, 9, 1)]
    settled = midi_round(midi_rules(), *PLAYER, *seats)
    assert settled.order == (9, 3, 1)
    assert [seat.seat for seat in settled.seats] == [3, 9, 1]


def test_a_seat_may_wager_on_both_hands_and_on_nothing_else() -> None:
    seats = (
        MidiSeat(1, {"banker": 1000, "player": 1000}),
        MidiSeat(2, {"lucky_6": 100}),
        MidiSeat(3, {}),
    )
    settled = midi_round(midi_rules(), *PLAYER, *seats)
    assert [seat.returned for seat in settled.seats] == [2000, 0, 0]
    assert [line.wager for line in settled.seats[0].lines] == ["player", "banker"]


def test_results_without_wagers() -> None:
    """What a table tells that does not know its wagers."""
    rules = midi_rules(variant="ez")
    told = round_results(rules, cards(SEVEN[0]), cards(SEVEN[1]))
    assert list(told) == [wager for wager in rules.wagers if wager != "royal_9"]
    assert (told["banker"].outcome, told["dragon_7"].odds) == ("push", "40 to 1")
    with pytest.raises(SettleError, match="MIDI 10"):
        round_results(rules, cards("2C 3D"), cards("9C KD KS"))
