"""How a Three Card Poker round is settled: TCP 11.B to 11.D and 12, clause by clause."""

import pytest

from tablectl.games.settlement import Meter, SeatHand, SettleError
from tablectl.games.three_card_poker import (
    envy_lines,
    settle_round,
    settle_seat,
    settlement_order,
)

from .deals import METERS, by_wager, cards, hand, rules, settle_one

LOW = "2C 3D 5S"  # a dealer who does not qualify
QUEEN = "QC 3D 2H"  # the least that qualifies


@pytest.mark.parametrize(
    ("dealer", "player", "ante", "play"),
    [
        # 11.D(3)(c): below queen high the ante is paid and the play returned, whatever is held.
        ("JC TD 8H", "AC KD QH", ("win", 2000, "TCP 12.A"), ("push", 1000, "TCP 11.D(3)(c)")),
        ("JC TD 8H", "7C 4D 2H", ("win", 2000, "TCP 12.A"), ("push", 1000, "TCP 11.D(3)(c)")),
        # 11.D(3)(d): from queen high on the hands are compared.
        (QUEEN, "QD 4C 2S", ("win", 2000, "TCP 12.A"), ("win", 2000, "TCP 12.A")),
        (
            QUEEN,
            "JD TC 8S",
            ("lose", 0, "TCP 11.D(3)(d)(i)"),
            ("lose", 0, "TCP 11.D(3)(d)(i)"),
        ),
        (
            QUEEN,
            "QD 3C 2S",
            ("push", 1000, "TCP 11.D(3)(d)(iii)"),
            ("push", 1000, "TCP 11.D(3)(d)(iii)"),
        ),
        # READINGS: the pair before the kicker.
        (
            "6C 6D 2H",
            "5C 5D AH",
            ("lose", 0, "TCP 11.D(3)(d)(i)"),
            ("lose", 0, "TCP 11.D(3)(d)(i)"),
        ),
    ],
)
def test_ante_and_play(
    dealer: str, player: str, ante: tuple[str, int, str], play: tuple[str, int, str]
) -> None:
    lines = by_wager(settle_one(rules(), dealer, hand(1, player, ante=1000)))
    for wager, (outcome, returned, clause) in (("ante", ante), ("play", play)):
        line = lines[wager]
        assert (line.stake, line.outcome, line.returned, line.clause) == (
            1000,
            outcome,
            returned,
            clause,
        )
        assert line.odds == ("1 to 1" if outcome == "win" else None)
        assert line.vigorish == 0


def test_play_may_be_given_and_changes_nothing() -> None:
    implied = settle_one(rules(), QUEEN, hand(1, "AC KD 7H", ante=1000))
    given = settle_one(rules(), QUEEN, hand(1, "AC KD 7H", ante=1000, play=1000))
    assert implied == given
    assert implied.returned == 4000


@pytest.mark.parametrize("dealer", ["AC AD AH", LOW, "5H 6D 7S"])
def test_ante_bonus_whatever_the_dealer_has(dealer: str) -> None:
    lines = by_wager(settle_one(rules(), dealer, hand(1, "5C 6H 7D", ante=1000)))
    assert (lines["ante_bonus"].returned, lines["ante_bonus"].clause) == (1000, "TCP 12.B(1)(c)")


def test_no_ante_bonus_line_without_a_bonus() -> None:
    assert "ante_bonus" not in by_wager(settle_one(rules(), LOW, hand(1, "AC KC 7C", ante=1000)))
    version = rules(ante_bonus="version")
    assert "ante_bonus" not in by_wager(settle_one(version, LOW, hand(1, "5C 6H 7D", ante=1000)))
    folded = settle_one(rules(), LOW, hand(1, "5C 6H 7D", "fold", ante=1000))
    assert "ante_bonus" not in by_wager(folded)


def test_mini_royal_pays_as_straight_flush_where_it_has_no_row() -> None:
    lines = by_wager(settle_one(rules(), LOW, hand(1, "AS KS QS", ante=1000, pair_plus=1000)))
    assert lines["ante_bonus"].clause == "TCP 12.B(1)(a)"
    assert lines["pair_plus"].clause == "TCP 12.D(1)(a)"
    version = rules(ante_bonus="version")
    spades = by_wager(settle_one(version, LOW, hand(1, "AS KS QS", ante=1000)))
    assert (spades["ante_bonus"].returned, spades["ante_bonus"].clause) == (50_000, "TCP 12.C(1)")


@pytest.mark.parametrize(
    ("wager", "clause"),
    [
        ("pair_plus", "TCP 11.D(4)"),
        ("progressive", "TCP 11.D(5)"),
        ("six_card_bonus", "TCP 11.D(8)(c)"),
        ("five_card_progressive", "TCP 11.D(9)"),
    ],
)
def test_losing_side_wager(wager: str, clause: str) -> None:
    seat = hand(1, "9H 7D 4C", **{"ante": 1000, wager: 500})
    line = by_wager(settle_one(rules(), QUEEN, seat, "KD JC"))[wager]
    assert (line.outcome, line.returned, line.odds, line.clause) == ("lose", 0, None, clause)


def test_progressive_b_does_not_pay_a_straight() -> None:
    seat = hand(1, "5C 6H 7D", ante=1000, progressive=100)
    assert by_wager(settle_one(rules(progressive="B"), LOW, seat))["progressive"].outcome == "lose"


def test_side_wagers_pay_though_the_dealer_is_better() -> None:
    seat = hand(
        1, "7C 7D 7H", ante=1000, pair_plus=100, progressive=100, six_card_bonus=100,
        five_card_progressive=100,
    )  # fmt: skip
    lines = by_wager(settle_one(rules(), "AC AD AH", seat, "2S 9S"))
    assert lines["ante"].outcome == "lose"
    outcomes = [line.outcome for line in lines.values()]
    assert outcomes == ["lose", "lose", "win", "win", "win", "win", "win"]  # 11.D(4), (6), (8), (9)
    assert list(lines) == [
        "ante", "play", "ante_bonus", "pair_plus", "progressive", "six_card_bonus",
        "five_card_progressive",
    ]  # fmt: skip


def test_fold() -> None:
    """11.B, 11.C: everything is forfeited but the six card bonus."""
    seat = hand(
        1, "7C 7D 7H", "fold", ante=1000, pair_plus=200, progressive=100, six_card_bonus=300,
        five_card_progressive=500,
    )  # fmt: skip
    result = settle_one(rules(), LOW, seat, "2S 9S")
    told = [
        (line.wager, line.stake, line.outcome, line.returned, line.clause) for line in result.lines
    ]
    assert told == [
        ("ante", 1000, "forfeit", 0, "TCP 11.B"),
        ("pair_plus", 200, "forfeit", 0, "TCP 11.C(1)"),
        ("progressive", 100, "forfeit", 0, "TCP 11.C(2)"),
        ("six_card_bonus", 300, "win", 1800, "TCP 12.F(1)(i)"),
        ("five_card_progressive", 500, "forfeit", 0, "TCP 11.C(2)"),
    ]
    assert [line.odds for line in result.lines] == [None, None, None, "5 to 1", None]
    assert result.returned == 1800


def test_fold_without_cards() -> None:
    seat = SeatHand(1, {"ante": 1000, "five_card_progressive": 100}, (), "fold")
    assert settle_one(rules(), LOW, seat).returned == 0
    with pytest.raises(SettleError, match="0 cards"):
        settle_one(rules(), LOW, SeatHand(1, {"ante": 100, "six_card_bonus": 100}, (), "fold"))
    with pytest.raises(SettleError, match="0 cards"):
        settle_one(rules(), LOW, SeatHand(1, {"ante": 100}, (), "play"))


def test_pair_plus_alone_takes_no_decision_and_keeps_side_wagers() -> None:
    seat = hand(1, "AS KS QS", None, pair_plus=100, progressive=100, six_card_bonus=100)
    lines = by_wager(settle_one(rules(), "JS TS 9S", seat))
    assert lines["pair_plus"].returned == 3600
    assert lines["progressive"].returned == METERS["main"].cents
    assert (lines["six_card_bonus"].returned, lines["six_card_bonus"].odds) == (
        10_000_100,
        "$100,000",
    )


@pytest.mark.parametrize(
    ("letter", "dealer", "odds"),
    [
        ("A", "JD TD 9D", "$1,000,000"),
        ("B", "JD TD 9D", "$100,000"),
        ("C", "JD TD 9D", "1,000 to 1"),
        ("F", "JD TD 9D", "1,000 to 1"),
        ("A", "JD TD 9H", "1,000 to 1"),
        ("A", "JD TD 8D", "1,000 to 1"),
    ],
)
def test_super_royal(letter: str, dealer: str, odds: str) -> None:
    seat = hand(1, "AD KD QD", None, pair_plus=100, six_card_bonus=100)
    lines = by_wager(settle_one(rules(six_card_bonus=letter), dealer, seat))
    assert lines["six_card_bonus"].odds == odds


def test_five_card_progressive_uses_the_community_only() -> None:
    seat = hand(1, "AD KD QD", None, pair_plus=100, five_card_progressive=100)
    lines = by_wager(settle_one(rules(), "JD TD 9D", seat, "2C 3H"))
    assert lines["five_card_progressive"].outcome == "lose"


def test_order_is_from_the_highest_seat_down() -> None:
    assert settlement_order(rules(), [2, 7, 1]) == (7, 2, 1)
    settled = settle_round(
        rules(), cards(LOW), [hand(3, "7C 8D TH", ante=100), hand(5, "9C 8H TD", ante=100)], {}
    )
    assert settled.order == (5, 3)
    assert [seat.seat for seat in settled.seats] == [3, 5]


def test_two_winners_on_one_meter() -> None:
    """12.E(4): each is paid what the meter shows at its turn; the first leaves the reset."""
    hands = [
        hand(2, "5H 6H 7H", None, pair_plus=100, five_card_progressive=100),
        hand(6, "AH KH QH", None, pair_plus=100, five_card_progressive=500),
    ]
    meters = {"main5": Meter(5_000_005, 150_000)}
    settled = settle_round(
        rules(five_card_progressive="A"), cards(LOW), hands, meters, cards("JH TH")
    )
    six, two = by_wager(settled.seats[1]), by_wager(settled.seats[0])
    assert six["five_card_progressive"].returned == 5_000_005
    assert two["five_card_progressive"].outcome == "win"  # a flush
    assert settled.meters == {"main5": 150_000}
    both_sf = [
        hand(2, "5H 6H 7H", None, pair_plus=100, five_card_progressive=100),
        hand(6, "TH JH QH", None, pair_plus=100, five_card_progressive=500),
    ]
    in_force = rules(five_card_progressive="B")
    meters = {"minor5": Meter(200_002, 150_000)}
    settled = settle_round(in_force, cards(LOW), both_sf, meters, cards("8H 9H"))
    paid = [by_wager(seat)["five_card_progressive"] for seat in settled.seats]
    assert [line.returned for line in paid] == [150_000, 200_002]
    assert all(line.resets for line in paid)
    assert settled.meters == {"minor5": 150_000}


def test_ten_percent_twice() -> None:
    """12.G(1)(b): half a cent up, taken off, no reset."""
    hands = [
        hand(2, "5H 6H 7H", None, pair_plus=100, five_card_progressive=100),
        hand(6, "TH JH QH", None, pair_plus=100, five_card_progressive=500),
    ]
    meters = {"main5": Meter(1_000_005, 100_000)}
    settled = settle_round(rules(), cards(LOW), hands, meters, cards("8H 9H"))
    paid = [by_wager(seat)["five_card_progressive"] for seat in settled.seats]
    # 100,000.5 rounds up at seat 6, which leaves 900,004 to seat 2: 90,000.4 rounds down.
    assert [line.returned for line in paid] == [90_000, 100_001]
    assert not any(line.resets for line in paid)
    assert settled.meters == {"main5": 810_004}


def test_a_meter_award_does_not_depend_on_the_stake() -> None:
    for stake in (100, 500):
        seat = hand(1, "AS KS QS", ante=100, progressive=stake)
        assert by_wager(settle_one(rules(), LOW, seat))["progressive"].returned == 1_234_567


def test_meter_won_but_not_given() -> None:
    seat = hand(1, "AS KS QS", ante=100, progressive=100)
    with pytest.raises(SettleError, match="the meter main is won but was not given"):
        settle_round(rules(), cards(LOW), [seat], {})
    meters = {"main": Meter(500_000, 100_000)}
    lost = hand(1, "AS KS QS", None, pair_plus=100, progressive=100, five_card_progressive=100)
    with pytest.raises(SettleError, match="main5"):
        settle_seat(rules(), cards(LOW), lost, meters, cards("JS TS"))
    assert meters == {"main": Meter(500_000, 100_000)}  # all or nothing


def test_meters_that_are_not_won_stay() -> None:
    settled = settle_round(rules(), cards(LOW), [hand(1, "7C 8D TH", ante=100)], METERS)
    assert settled.meters == {name: meter.cents for name, meter in METERS.items()}


ENVY = {
    ("AS KS QS", 100): (10_000, "$100", "TCP 12.E(5)(a)(i)"),
    ("AC KC QC", 100): (2_500, "$25", "TCP 12.E(5)(a)(ii)"),
    ("AS KS QS", 500): (50_000, "$500", "TCP 12.E(5)(b)(i)"),
    ("AC KC QC", 500): (12_500, "$125", "TCP 12.E(5)(b)(ii)"),
}


@pytest.mark.parametrize(("held", "stake"), ENVY)
@pytest.mark.parametrize("decision", ["play", "fold"])
def test_envy(held: str, stake: int, decision: str) -> None:
    """11.D(7)(e), and 11.C(2): a fold keeps the claim. The holder needs no progressive."""
    hands = [
        hand(1, "7C 8D TH", decision, ante=100, progressive=stake),
        hand(4, held, ante=100),
        hand(5, "7D 8H TC", ante=100),
    ]
    settled = settle_round(rules(), cards(LOW), hands, METERS)
    cents, odds, clause = ENVY[held, stake]
    line = by_wager(settled.seats[0])["envy_bonus"]
    assert (line.stake, line.outcome, line.returned) == (0, "win", cents)
    assert (line.odds, line.clause, line.meter) == (odds, clause, None)
    assert all("envy_bonus" not in by_wager(seat) for seat in settled.seats[1:])


def test_no_envy_for_ones_own_hand_nor_the_dealers() -> None:
    own = hand(1, "AS KS QS", ante=100, progressive=100)
    assert "envy_bonus" not in by_wager(settle_one(rules(), LOW, own))  # 11.D(7)(e)(iii)
    dealers = hand(1, "7C 8D TH", ante=100, progressive=100)
    assert "envy_bonus" not in by_wager(settle_one(rules(), "AS KS QS", dealers))


def test_a_folded_hand_gives_no_envy() -> None:
    for six in ({}, {"six_card_bonus": 100}):
        holder = hand(4, "AS KS QS", "fold", **{"ante": 100, **six})
        hands = [hand(1, "7C 8D TH", ante=100, progressive=100), holder]
        settled = settle_round(rules(), cards(LOW), hands, METERS)
        assert "envy_bonus" not in by_wager(settled.seats[0])
        assert envy_lines(rules(), holder, hands) == {}


def test_two_envy_hands_are_two_lines_in_settlement_order() -> None:
    """11.D(7)(e)(ii); the two holders envy each other."""
    hands = [
        hand(1, "7C 8D TH", ante=100, progressive=100, six_card_bonus=100),
        hand(3, "AS KS QS", ante=100, progressive=500),
        hand(6, "AH KH QH", None, pair_plus=100, progressive=100),
    ]
    settled = settle_round(rules(), cards(LOW), hands, METERS)
    one, three, six = settled.seats
    wagers = [line.wager for line in one.lines]
    assert wagers == ["ante", "play", "progressive", "envy_bonus", "envy_bonus", "six_card_bonus"]
    assert [line.returned for line in one.lines[3:5]] == [2_500, 10_000]
    assert by_wager(three)["envy_bonus"].returned == 12_500
    assert by_wager(six)["envy_bonus"].returned == 10_000


def test_envy_lines_seat_by_seat() -> None:
    holder = hand(6, "AH KH QH", None, pair_plus=100)
    others = [
        SeatHand(1, {"ante": 100, "progressive": 500}, (), "fold"),
        SeatHand(2, {"ante": 100}, (), "play"),
        holder,
    ]
    assert {seat: line.returned for seat, line in envy_lines(rules(), holder, others).items()} == {
        1: 12_500
    }
    assert envy_lines(rules(), hand(6, "9H KH QH", None, pair_plus=100), others) == {}
    assert envy_lines(rules(), SeatHand(6, {"ante": 100}, (), "fold"), others) == {}


def test_settle_seat_moves_the_meters_it_is_given() -> None:
    meters = {"main": Meter(500_000, 120_000)}
    seat = hand(2, "AS KS QS", ante=100, progressive=100)
    result = settle_seat(rules(), cards(LOW), seat, meters)
    assert by_wager(result)["progressive"].returned == 500_000
    assert meters == {"main": Meter(120_000, 120_000)}
