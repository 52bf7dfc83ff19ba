"""Progressive wins (TCP 11.D(5) to (9), 12.E, 12.G): pending, validated, paid once; meters."""

from typing import Any

import pytest

from tablectl.games.rules import parse_rules
from tablectl.outbox.view import snapshot
from tablectl.table.inputs import Action, Second
from tests.table.pit import Pit, setup

ROYAL = "AS KS QS"
POOR = {"dealer": "3C 8D TH"}
FIVE = {"game": "three_card_poker", "ante_bonus": "A", "pair_plus": "D"}


def at_turn(hands: dict[str, str], accepted: dict[int, int], **more: Any) -> Pit:
    """The first seat's turn; each seat has an ante, and its device accepted a progressive."""
    pit = Pit(**more).opened().betting()
    for seat, cents in accepted.items():
        pit.wager(seat, ante=1000)
        pit.accept(seat, cents)
    pit.lock()
    pit.do("count_progressive", "dealer", chips=len(accepted))
    pit.deal(**POOR, **hands).decide()
    pit.do("reveal_dealer", "dealer")
    return pit


def test_11d7_a_win_is_pending_lit_and_not_paid_before_the_floor_validates():
    pit = at_turn({"seat_2": ROYAL}, {2: 100})
    hit = pit.last("progressive.hit").data
    assert (hit["seat"], hit["meter"], hit["cents"], hit["status"]) == (
        2,
        "main",
        100_020,
        "PENDING",
    )
    assert pit.state.device("bonus").lit == ((2, "progressive"),)
    [prompt] = pit.tick(1).prompts
    assert "PENDING" in prompt.text
    assert (prompt.awaits, prompt.role) == ("validate_progressive", "floor")
    assert snapshot(pit.state, unconfirmed=0)["wins"] == [
        {"seat": 2, "wager": "progressive", "meter": "main", "cents": 100_020, "status": "PENDING"}
    ]
    assert pit.refused("confirm_payment", seat=2).clauses == ("TCP 11.D(7)(c)",)
    assert pit.refused("validate_progressive", "dealer", seat=2, meter="main").role
    pit.do("validate_progressive", seat=2, meter="main")
    assert snapshot(pit.state, unconfirmed=0)["wins"][0]["status"] == "VALIDATED"
    validated = pit.last("progressive.validated").data
    assert (validated["seat"], validated["meter"], validated["cents"]) == (2, "main", 100_020)
    assert pit.named("progressive.paid") == []
    pit.refused("validate_progressive", seat=2, meter="main")
    pit.do("confirm_payment", "dealer", seat=2)
    paid = pit.last("progressive.paid").data
    assert (paid["meter"], paid["cents"], paid["shows"]) == ("main", 100_020, 0)
    assert pit.commands[-1].args["on"] is False
    assert len(pit.named("progressive.paid")) == len(pit.named("progressive.hit")) == 1


def test_11d7c_a_win_by_odds_is_validated_too_and_leaves_the_meter():
    pit = at_turn({"seat_1": "4C 5D 6H"}, {1: 500})
    assert pit.last("progressive.hit").data["meter"] is None
    assert pit.refused("confirm_payment", seat=1).clauses == ("TCP 11.D(7)(c)",)
    pit.refused("validate_progressive", seat=1, meter="main")
    pit.do("validate_progressive", seat=1)
    pit.do("confirm_payment", seat=1)
    assert pit.last("progressive.paid").data["cents"] == 3000
    assert pit.state.meter("main").cents == 100_100


def test_11d7_a_lost_progressive_needs_nobody():
    pit = at_turn({"seat_1": "2C 7D 9H"}, {1: 100})
    assert pit.named("progressive.hit") == []
    pit.do("confirm_payment", "dealer", seat=1)


def test_12e4_the_amount_is_frozen_and_the_next_seat_is_paid_from_the_new_meter():
    rules = parse_rules({**FIVE, "progressive": "C"})
    hands = {"seat_1": "AH KH QH", "seat_2": "AD KD QD"}
    pit = at_turn(hands, {1: 500, 2: 500}, setup=setup(rules))
    for seat, cents in ((2, 100_200), (1, 100_000)):
        assert pit.last("progressive.hit").data["cents"] == cents
        pit.restart()
        pit.devices_tell()
        pit.do("resume_table")
        assert [p["cents"] for p in snapshot(pit.state, unconfirmed=0)["wins"]] == [cents]
        pit.do("validate_progressive", seat=seat, meter="minor")
        pit.do("confirm_payment", seat=seat)
        assert pit.state.meter("minor").cents == 100_000
    minor = pit.state.meter("minor")
    assert (minor.hits, minor.awarded, minor.wagered) == (2, 200_200, 1000)


def test_12e_the_totals_of_a_meter_never_start_again():
    pit = at_turn({"seat_2": ROYAL}, {2: 100})
    pit.validate().do("confirm_payment", seat=2)
    pit.do("clear_round")
    pit.shuffle("red")
    pit.betting().wager(1, ante=1000)
    pit.accept(1, 500)
    pit.lock()
    pit.do("count_progressive", chips=1)
    pit.deal(seat_1="2C 7D 9H", **POOR).decide().settle()
    meter = pit.state.meter("main")
    assert (meter.wagered, meter.awarded, meter.cents, meter.hand_paid) == (
        600,
        100_020,
        100_100,
        0,
    )


# ── five cards ──
def five_card(letter: str, community: str, hands: dict[str, str], **stakes: int) -> Pit:
    rules = parse_rules({**FIVE, "five_card_progressive": letter, "dealing": "manual_shoe"})
    pit = Pit(setup=setup(rules)).opened().betting()
    for seat in (1, 2):
        pit.wager(seat, ante=1000)
        if f"seat_{seat}" in stakes:
            pit.accept(seat, stakes[f"seat_{seat}"], "five_card_progressive")
    pit.lock()
    pit.do("count_progressive", "dealer", chips=len(stakes))
    given = {name.replace("_", "/"): cards.split() for name, cards in {**POOR, **hands}.items()}
    given["community"] = community.split()
    for place in pit.state.round.plan:
        owner, _, position = place.rpartition("/")
        pit.device("shoe", "card", [given[owner][int(position) - 1]])
    pit.decide()
    pit.do("reveal_dealer", "dealer")
    return pit


def shown(pit: Pit) -> set[str]:
    return {e.data["place"].partition("/")[0] for e in pit.named("card.revealed")}


def test_11d9b_the_community_cards_are_exposed_before_the_first_five_card_seat_settles():
    pit = five_card("A", "JS TS", {"seat_1": ROYAL, "seat_2": "2C 7D 9H"}, seat_1=100)
    assert shown(pit) == {"dealer", "seat"}
    pit.do("confirm_payment", "dealer", seat=2)
    assert shown(pit) == {"dealer", "seat", "community"}
    hit = pit.last("progressive.hit").data
    assert (hit["wager"], hit["meter"], hit["cents"]) == ("five_card_progressive", "main5", 100_020)
    assert pit.refused("confirm_payment", seat=1).clauses == ("TCP 11.D(9)(e)",)
    pit.do("validate_progressive", seat=1, meter="main5")
    pit.do("confirm_payment", "dealer", seat=1)
    assert pit.state.meter("main5").cents == 100_000
    assert sorted(pit.last("round.settled").data["community"]) == ["JS", "TS"]


def test_12g1b_ten_percent_of_the_meter_leave_it_and_do_not_reset_it():
    pit = five_card("A", "7S 6S", {"seat_1": "TS 9S 8S", "seat_2": "2C 7D 9H"}, seat_1=500)
    pit.settle_rest()
    assert pit.last("progressive.paid").data["cents"] == 10_010
    assert pit.state.meter("main5").cents == 90_090
    assert pit.named("progressive.reset") == []


@pytest.mark.parametrize(
    ("letter", "community", "hand", "meter"),
    [("B", "7S 6S", "TS 9S 8S", "minor5"), ("C", "JS TS", ROYAL, "mega5"),
     ("C", "9D 2S", "9C 9H 9S", "minor5")],
)  # fmt: skip
def test_12g_each_hand_takes_its_own_meter(letter, community, hand, meter):
    pit = five_card(letter, community, {"seat_1": hand, "seat_2": "2C 7D 4H"}, seat_1=100)
    before = {m.name: m.cents for m in pit.state.meters}
    pit.settle_rest()
    assert pit.last("progressive.paid").data["meter"] == meter
    assert pit.last("progressive.paid").data["cents"] == before[meter]
    after = {m.name: m.cents for m in pit.state.meters}
    assert after == before | {meter: 100_000}


def test_11d9_nobody_plays_for_five_cards_and_the_community_stays_down():
    pit = five_card("A", "JS TS", {"seat_1": ROYAL, "seat_2": "2C 7D 9H"}, seat_1=100)
    assert "community" not in shown(pit)


# ── corrections ──
def correct(pit: Pit, second: str | None = "technician", **args: Any) -> Any:
    by = Second(f"{second}-2", (second,), "pin") if second else None
    wanted = {"meter": "main", "cents": 123_456, "reason": "display repaired"} | args
    return pit.feed(
        Action(pit.at(), "correct_meter", "floor-1", ("floor",), args=wanted, second=by)
    )


def test_a_meter_is_corrected_by_floor_and_technician_together():
    pit = Pit().opened()
    for second in (None, "floor", "dealer"):
        assert correct(pit, second).refusal.role
    assert correct(pit).refusal is None
    told = pit.last("progressive.corrected").data
    assert (told["was"], told["cents"], told["by"]) == (100_000, 123_456, 23_456)
    assert told["reason"] == "display repaired"
    assert pit.last("action.done").data["second"] == "technician-2"
    assert correct(pit, cents=100_000).refusal is None
    assert (pit.state.meter("main").cents, pit.state.meter("main").corrected) == (100_000, 0)
    for wrong in ({"meter": "minor"}, {"cents": -1}, {"cents": 100_000}):
        assert correct(pit, **wrong).refusal.malformed


def test_no_meter_is_corrected_in_a_round():
    pit = at_turn({"seat_2": ROYAL}, {2: 100})
    assert correct(pit).refusal is not None
    assert pit.state.meter("main").cents == 100_020


def test_an_award_that_the_floor_paid_by_hand_leaves_its_meter():
    pit = at_turn({"seat_2": ROYAL}, {2: 100})
    pit.state_by_hand()
    args: dict[str, Any] = {"seat": 2, "returned": 104_020, "reason": "halt", "meter": "main"}
    assert pit.refused("settle_by_hand", **args, award=100_021).malformed
    pit.do("settle_by_hand", **args, award=100_020)
    meter = pit.state.meter("main")
    assert (meter.cents, meter.awarded, meter.hand_paid) == (100_000, 100_020, 100_020)


def test_by_hand_a_meter_pays_only_a_seat_that_wagered_on_it():
    pit = five_card("B", "7S 6S", {"seat_1": "TS 9S 8S", "seat_2": "2C 7D 4H"}, seat_1=100)
    pit.state_by_hand()
    award: dict[str, Any] = {"meter": "minor5", "award": 100_010}
    args: dict[str, Any] = {"returned": 104_020, "reason": "halt"}
    refusal = pit.refused("settle_by_hand", seat=2, **args, **award)
    assert "five_card_progressive" in refusal.why
    pit.do("settle_by_hand", seat=1, **args, **award)
    paid = pit.last("progressive.paid").data
    assert (paid["wager"], paid["meter"]) == ("five_card_progressive", "minor5")


# ── training ──
def test_a_training_table_moves_no_meter_and_says_so():
    pit = at_turn({"seat_2": ROYAL}, {2: 100}, setup=setup(training=True))
    assert pit.last("progressive.contributed").data["training"] is True
    pit.validate().do("confirm_payment", seat=2)
    assert pit.last("progressive.paid").data["training"] is True
    meter = pit.state.meter("main")
    assert (meter.cents, meter.wagered, meter.awarded, meter.hits) == (100_000, 0, 0, 0)
    assert pit.state.phase == "clearing"
