"""Hands in doubt after the reveal: disputes, corrected cards, a void that is found late."""

from typing import Any

import pytest

from tablectl.games.rules import parse_rules
from tablectl.table.inputs import Action
from tests.table.pit import Pit, fill, setup

RULES_C = parse_rules(
    {"game": "three_card_poker", "ante_bonus": "A", "pair_plus": "D", "progressive": "C"}
)
HANDS = {"seat_1": "AH KH QH", "seat_2": "AD KD QD", "seat_4": "2C 7D 9H", "dealer": "3C 8D TH"}


def three_seats(**hands: str) -> Pit:
    """Seats 1 and 2 claim the minor meter, seat 4 nothing."""
    pit = Pit(setup=setup(RULES_C)).opened().betting()
    for seat in (1, 2, 4):
        pit.wager(seat, ante=1000, progressive=500)
    pit.lock().deal(**(HANDS | hands)).decide()
    pit.do("reveal_dealer")
    return pit


def test_a_disputed_seat_waits_with_every_later_claim_on_its_meter():
    pit = three_seats()
    assert pit.refused("dispute", seat=2, reason="the player asks").clauses == ("TCP 11.D(3)",)
    pit.do("confirm_payment", seat=4)
    pit.do("dispute", seat=2, reason="the camera shows another queen")
    told = pit.last("round.disputed").data
    assert (told["seat"], told["meters"]) == (2, ["minor"])
    assert pit.state.round.due == ()
    assert pit.refused("confirm_payment", seat=1).why
    [prompt] = pit.tick(1).prompts
    assert (prompt.awaits, prompt.role) == ("end_dispute", "floor")
    assert pit.state.meter("minor").cents == 100_300, "no reset until validated"
    pit.do("end_dispute", seat=2, reason="confirmed by the camera")
    assert pit.state.round.due[0].seat == 2
    pit.settle_rest()
    paid = [(e.data["seat"], e.data["cents"]) for e in pit.named("progressive.paid")]
    assert paid == [(2, 100_300), (1, 100_000)]
    assert len(pit.named("progressive.hit")) == 2


def test_the_others_settle_while_a_seat_is_in_dispute():
    pit = three_seats(seat_1="4C 5D 9S")
    pit.do("dispute", seat=4, reason="the player asks")
    for seat in (2, 1):
        pit.validate().do("confirm_payment", seat=seat)
    assert pit.state.phase == "settling"
    pit.refused("clear_round")
    pit.do("end_dispute", seat=4, reason="looked at")
    pit.do("confirm_payment", seat=4)
    assert pit.state.phase == "clearing"


def correct(pit: Pit, place: str, card: str) -> Any:
    draw = next(c.draw for c in pit.state.round.cards if c.place == place)
    return pit.act("correct_card", draw=draw, card=card)


def test_a_misread_card_is_corrected_by_floor_and_surveillance_before_money_moves():
    pit = three_seats()
    pit.do("confirm_payment", seat=4)
    alone = Action(pit.at(), "correct_card", "floor-1", ("floor",), args={"draw": 4, "card": "9C"})
    refusal = pit.feed(alone).refusal
    assert refusal is not None
    assert refusal.role
    assert correct(pit, "seat/2/3", "JD").refusal is None
    told = pit.last("card.corrected").data
    assert (told["card"], told["was"], told["place"]) == ("JD", "QD", "seat/2/3")
    assert [p.line.meter for p in pit.state.round.due if p.line.wager == "progressive"] == [None]
    pit.settle_rest()
    assert [e.data["seat"] for e in pit.named("progressive.reset")] == [1]


def test_a_correction_names_a_card_that_lies_face_up():
    pit = three_seats()
    assert correct(pit, "seat/1/1", "9C").refusal.malformed  # face down: not its turn yet
    assert correct(pit, "dealer/1", "3C").refusal.malformed
    assert correct(pit, "dealer/1", "ZZ").refusal.malformed
    assert correct(pit, "dealer/1", "8D").refusal.clauses == ("TCP 3.A(1)",)
    assert correct(pit, "dealer/1", "QC").refusal is None


def test_after_money_moved_by_the_wrong_card_the_floor_settles_by_hand():
    pit = three_seats()
    pit.do("confirm_payment", seat=4)
    assert correct(pit, "dealer/1", "QC").refusal is None
    assert pit.state.round.by_hand
    assert pit.last("round.disputed").data["seats"] == [4]
    for seat in (1, 2):
        pit.do("settle_by_hand", seat=seat, returned=0, reason="corrected card")
    assert pit.state.phase == "clearing"


# ── found late ──
CAUSE = {"cause": "incorrect_number_of_cards", "reason": "seat 3 had four cards"}


def test_13d_found_late_the_whole_round_is_void_seat_by_seat():
    """Seat 5 lost its pair plus and is paid out; 1 and 3 are still open, 3 folded."""
    pit = fill("settling")
    pit.do("confirm_payment", seat=5)
    ruling = pit.do("void_found_late", **CAUSE).ruling
    assert ruling is not None
    assert ruling.clauses == ("TCP 13.D",)
    assert pit.state.phase == "settling"
    pit.do("void_found_late", **CAUSE, confirm=True)
    assert pit.state.phase == "voided"
    told = pit.last("round.voided").data
    assert told["late"] is True
    assert "TCP 13.D" in told["clauses"]
    assert {"seat": 5, "give": 1500, "take": 0} in told["seats"]
    assert {"seat": 3, "give": 2500, "take": 0} in told["seats"]
    assert sorted({r["seat"] for r in told["returned"]}) == [1]
    assert pit.duties() == {"acknowledge_void", "reshuffle"}
    assert "settle_void_seat" in pit.refused("clear_round").why
    pit.do("settle_void_seat", seat=5, recovered=True)
    assert pit.refused("settle_void_seat", seat=5, recovered=True).malformed
    pit.do("settle_void_seat", seat=3, recovered=False)
    assert pit.last("seat.void_settled").data["recovered"] is False
    pit.do("clear_round")


def test_found_late_what_was_paid_is_taken_back():
    pit = Pit().opened().betting().wager(1, ante=1000).wager(2, ante=1000).lock()
    pit.deal(seat_1="2C 7D 9H", seat_2="KC KD 9S", dealer="QD 8C TH").decide().settle()
    pit.do("void_found_late", **CAUSE, confirm=True)
    assert pit.last("round.voided").data["seats"] == [
        {"seat": 1, "give": 2000, "take": 0},
        {"seat": 2, "give": 0, "take": 2000},
    ]
    assert pit.state.round.live_wagers() == ()


def test_found_late_no_meter_falls_for_it():
    pit = fill("clearing")
    pit.do("void_found_late", **CAUSE, confirm=True)
    assert pit.state.meter("main").cents == 100_120


def test_a_round_with_a_paid_meter_stands():
    pit = three_seats()
    pit.do("confirm_payment", seat=4)
    pit.validate().do("confirm_payment", seat=2)
    assert "stands" in pit.refused("void_found_late", **CAUSE, confirm=True).why
    pit.settle_rest()
    pit.refused("void_found_late", **CAUSE, confirm=True)


@pytest.mark.parametrize("cause", ["rain", "shuffler_jam", "face_up_card"])
def test_only_what_voids_a_round_voids_it_late(cause):
    """TCP 13.A: one face-up card voids nothing."""
    pit = fill("settling")
    assert pit.refused("void_found_late", cause=cause, reason="seen", confirm=True).malformed


def test_the_floors_own_void_still_ends_with_the_reveal():
    assert fill("settling").refused("void_round", reason="evacuation")
