"""Rounds that cannot be settled: each refusal says why and cites its clause (TCP 7, 11.B)."""

import re
from typing import Any

import pytest

from tablectl.games.settlement import Meter, SeatHand, SettleError
from tablectl.games.three_card_poker import settle_round, validate_round
from tests.clauses import CLAUSES

from .deals import cards, hand, rules

LOW = "2C 3D 5S"
HELD = "7C 8D TH"


def refused(*hands: SeatHand, **given: Any) -> SettleError:
    in_force = given.pop("rules", rules())
    dealer, community = given.pop("dealer", LOW), given.pop("community", "")
    with pytest.raises(SettleError) as error:
        validate_round(in_force, dealer.split(), hands, given.pop("meters", {}), community.split())
    assert error.value.clause is None or error.value.clause in CLAUSES
    assert all(cited in CLAUSES for cited in re.findall(r"\((TCP [^ ]*)\)$", str(error.value)))
    return error.value


@pytest.mark.parametrize(
    ("condition", "ante", "pair_plus", "clause"),
    [
        ("free", 0, 500, None),
        ("free", 1, 50_000, None),
        ("ante_at_least_equal", 500, 500, None),
        ("ante_at_least_equal", 500, 0, None),
        ("ante_at_least_equal", 499, 500, "TCP 7.G(1)"),
        ("ante_at_least_equal", 0, 500, "TCP 7.G(1)"),
        ("ante_at_least_half", 250, 500, None),
        ("ante_at_least_half", 250, 501, "TCP 7.G(2)"),
        ("ante_at_least_half", 0, 1, "TCP 7.G(2)"),
        ("both_compulsory", 100, 500, None),
        ("both_compulsory", 500, 100, None),
        ("both_compulsory", 100, 501, "TCP 7.G(3)"),
        ("both_compulsory", 501, 100, "TCP 7.G(3)"),
        ("both_compulsory", 500, 0, "TCP 7.G(3)"),
        ("both_compulsory", 0, 500, "TCP 7.G(3)"),
    ],
)
def test_pair_plus_condition(condition: str, ante: int, pair_plus: int, clause: str | None) -> None:
    in_force = rules(pair_plus_condition=condition)
    wagers = {k: v for k, v in {"ante": ante, "pair_plus": pair_plus}.items() if v}
    seat = hand(1, HELD, "play" if ante else None, **wagers)
    if clause is None:
        settle_round(in_force, cards(LOW), [seat], {})
    else:
        assert refused(seat, rules=in_force).clause == clause


@pytest.mark.parametrize(
    ("wager", "clause"),
    [
        ("progressive", "TCP 7.F(4)(a)"),
        ("six_card_bonus", "TCP 7.F(5)(b)"),
        ("five_card_progressive", "TCP 7.F(6)(a)"),
    ],
)
def test_side_wager_needs_ante_or_pair_plus(wager: str, clause: str) -> None:
    seat = hand(1, HELD, None, **{wager: 100})
    assert refused(seat, community="KD JC").clause == clause
    with_pair_plus = hand(1, HELD, None, **{wager: 100, "pair_plus": 100})
    validate_round(rules(), cards(LOW), [with_pair_plus], {}, cards("KD JC"))


def test_no_wager_at_all() -> None:
    assert refused(hand(1, HELD, None)).clause == "TCP 7.F"


@pytest.mark.parametrize("wager", ["progressive", "six_card_bonus", "five_card_progressive"])
def test_wager_not_offered(wager: str) -> None:
    seat = hand(1, HELD, **{"ante": 100, wager: 100})
    assert wager in str(refused(seat, rules=rules(**{wager: None})))
    assert "tie" in str(refused(hand(1, HELD, ante=100, tie=100)))
    assert "ante_bonus" in str(refused(hand(1, HELD, ante=100, ante_bonus=100)))


@pytest.mark.parametrize("stake", [0, -100, 1.0, True, "100", None, 10**12 + 1, 10**30, [100]])
@pytest.mark.parametrize("wager", ["ante", "pair_plus", "progressive", "six_card_bonus"])
def test_bad_stake(wager: str, stake: object) -> None:
    wagers: dict[str, Any] = {"ante": 100, wager: stake}
    assert f"seat 1 has {wager}" in str(refused(hand(1, HELD, **wagers)))


@pytest.mark.parametrize("stake", [1, 99, 101, 200, 501, 1000])
@pytest.mark.parametrize("wager", ["progressive", "five_card_progressive"])
def test_progressive_stakes(wager: str, stake: int) -> None:
    seat = hand(1, HELD, **{"ante": 100, wager: stake})
    assert refused(seat, community="KD JC").clause == "TCP 12.E(5)"


@pytest.mark.parametrize(
    ("decision", "wagers", "clause"),
    [
        (None, {"ante": 100}, "TCP 11.B"),
        ("raise", {"ante": 100}, "TCP 11.B"),
        (1, {"ante": 100}, "TCP 11.B"),
        (["play"], {"ante": 100}, "TCP 11.B"),
        ("play", {"pair_plus": 100}, "TCP 11.B"),
        ("fold", {"pair_plus": 100}, "TCP 11.B"),
        ("fold", {"ante": 100, "play": 100}, "TCP 11.B"),
        ("play", {"ante": 100, "play": 99}, "TCP 7.F(1)"),
        (None, {"ante": 100, "play": 100}, "TCP 11.B"),
        (None, {"pair_plus": 100, "play": 100}, "TCP 7.F(1)"),
    ],
)
def test_decision(decision: Any, wagers: dict[str, int], clause: str) -> None:
    assert refused(hand(1, HELD, decision, **wagers)).clause == clause


@pytest.mark.parametrize("seat", [0, 8, -1, 1.0, True, "1", None])
def test_seat_out_of_range(seat: Any) -> None:
    assert refused(hand(seat, HELD, ante=100)).clause == "TCP 2.A"


def test_seat_beyond_this_table() -> None:
    assert "1 to 5" in str(refused(hand(6, HELD, ante=100), rules=rules(seats=5)))


def test_seat_twice() -> None:
    twice = refused(hand(2, HELD, ante=100), hand(2, "7D 8H TC", ante=100))
    assert "seat 2 is given twice" in str(twice)


@pytest.mark.parametrize(
    ("dealer", "held", "community"),
    [
        ("7C 3D 5S", HELD, ""),  # the dealer's and a seat's
        ("2C 2C 5S", HELD, ""),  # within one hand
        (LOW, "7C 7C TH", ""),
        (LOW, HELD, "TH KD"),
        (LOW, HELD, "KD KD"),
        ("KS KS KS", HELD, ""),
    ],
)
def test_repeated_card(dealer: str, held: str, community: str) -> None:
    seat = SeatHand(1, {"ante": 100}, tuple(held.split()), "play")  # type: ignore[arg-type]
    error = refused(seat, dealer=dealer, community=community)
    assert error.clause == "TCP 3.A(1)"
    assert "appears twice" in str(error)


def test_a_folded_hands_cards_count_too() -> None:
    error = refused(hand(1, HELD, "fold", ante=100), dealer="7C 3D 5S")
    assert error.clause == "TCP 3.A(1)"


@pytest.mark.parametrize("held", [["7C", "8D"], ["7C", "8D", "TH", "2H"], [], ["7C", "8D", "1H"]])
@pytest.mark.parametrize("bad", ["7c", "10H", "", None, 7, ["7C"], {}])
def test_bad_cards(held: list[Any], bad: Any) -> None:
    seat = SeatHand(3, {"ante": 100}, tuple(held), "play")
    assert "seat 3 has" in str(refused(seat))
    seat = SeatHand(3, {"ante": 100}, ("7C", "8D", bad), "play")  # type: ignore[arg-type]
    assert "is not a card" in str(refused(seat))


def test_dealer_and_community_cards() -> None:
    seat = hand(1, HELD, ante=100)
    assert "the dealer has 2 cards" in str(refused(seat, dealer="2C 3D"))
    assert "the community has 1 card:" in str(refused(seat, community="KD"))
    assert "the community has 3 cards" in str(refused(seat, community="KD KH KS"))


def test_community_needed() -> None:
    seat = hand(1, HELD, ante=100, five_card_progressive=100)
    assert refused(seat).clause == "TCP 11.D(9)(c)"
    folded = hand(1, HELD, "fold", ante=100, five_card_progressive=100)
    validate_round(rules(), cards(LOW), [folded], {})


@pytest.mark.parametrize(
    "meters",
    [
        {"jackpot": Meter(1, 1)},
        {"main": Meter(-1, 100_000)},
        {"main": Meter(True, 100_000)},
        {"main": Meter(1, 1.5)},  # type: ignore[arg-type]
        {"main": Meter(1, None)},  # type: ignore[arg-type]
        {"main": Meter(10**13, 100_000)},
    ],
)
def test_bad_meter(meters: dict[str, Meter]) -> None:
    assert "meter" in str(refused(hand(1, HELD, ante=100), meters=meters))
