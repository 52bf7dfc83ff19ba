"""Midi rounds in doubt: disputes, corrected cards, a void that is found late (house procedure)."""

from typing import Any

import pytest

from tablectl.table.setup import MeterSetup
from tests.journal.test_meters import follow
from tests.table.midi.pit import Attended

BANKER = ("2C", "9D", "KH", "KS")  # Player 2, Banker 9
STAR = ("KS", "KH", "9S", "9H")  # the Player's is seat 1's king and nine, the Banker's seat 2's


def draw_of(pit: Attended, place: str) -> int:
    return next(c.draw for c in pit.state.round.cards if c.place == place)


def correct(pit: Attended, place: str, card: str) -> Any:
    return pit.act("correct_card", draw=draw_of(pit, place), card=card)


def three_seats(*cards: str, **rules: Any) -> Attended:
    """Seats 1 and 2 on the tie, each with Royal 9; seat 5 on the Banker, seat 7 on the Player."""
    pit = Attended(royal=True, **rules).in_play().betting()
    pit.wager(1, tie=500, royal_9=100).wager(2, tie=500, royal_9=100)
    pit.wager(5, banker=1000).wager(7, player=1000)
    return pit.lock().drawn(*(cards or STAR)).turn()


# ── disputes ──
def test_a_disputed_seat_waits_with_every_later_claim_on_its_meter():
    pit = three_seats()
    assert [p.line.meter for p in pit.state.round.due if p.line.meter] == ["star", "star"]
    assert pit.refused("dispute", seat=2, reason="asks").clauses == ("MIDI 11.B(3)",)
    for seat in (7, 5):
        pit.do("confirm_payment", "dealer", seat=seat)
    pit.do("dispute", seat=2, reason="the camera shows another nine")
    told = pit.last("round.disputed").data
    assert (told["seat"], told["meters"]) == (2, ["star"])
    assert pit.paying is None
    pit.refused("confirm_payment", "dealer", seat=1)
    assert pit.refused("validate_progressive", seat=2, meter="star").clauses == ("MIDI 12.K",)
    assert pit.refused("dispute", seat=2, reason="again").why
    [prompt] = pit.tick(1).prompts
    assert (prompt.awaits, prompt.role) == ("end_dispute", "floor")
    pit.refused("clear_round", "dealer")
    assert pit.refused("end_dispute", "dealer", seat=2, reason="looked").role
    pit.do("end_dispute", seat=2, reason="confirmed by the camera")
    pit.do("validate_progressive", seat=2, meter="star")
    for seat in (2, 1):
        if seat == 1:
            pit.do("validate_progressive", seat=1, meter="star")
        pit.do("confirm_payment", "dealer", seat=seat)
    paid = [(e.data["seat"], e.data["cents"]) for e in pit.named("progressive.paid")]
    assert paid == [(2, 500_002), (1, 450_002)]  # 10 percent each of what the meter shows
    assert len(pit.named("progressive.hit")) == 2


def test_a_validation_before_the_dispute_is_done_again():
    pit = three_seats()
    for seat in (7, 5):
        pit.do("confirm_payment", "dealer", seat=seat)
    pit.do("validate_progressive", seat=2, meter="star")
    pit.do("dispute", seat=2, reason="doubt")
    pit.do("end_dispute", seat=2, reason="looked")
    assert pit.refused("confirm_payment", "dealer", seat=2).clauses == ("MIDI 12.K",)


def test_the_others_are_paid_while_a_seat_is_in_dispute():
    pit = Attended().in_play().betting().wager(2, banker=1000).wager(6, banker=1000)
    pit.lock().drawn(*BANKER).turn()
    pit.do("dispute", seat=6, reason="the player asks")
    pit.do("confirm_payment", "dealer", seat=2)
    assert pit.state.phase == "settling"
    pit.do("end_dispute", seat=6, reason="looked at")
    pit.do("confirm_payment", "dealer", seat=6)
    assert pit.state.phase == "clearing"
    assert {s["seat"]: s["returned"] for s in pit.last("round.settled").data["seats"]} == {
        2: 1950, 6: 1950,
    }  # fmt: skip


def test_a_seat_that_lost_is_disputed_before_the_cards_go():
    pit = Attended().in_play().betting().wager(2, player=1000).lock().drawn(*BANKER).turn()
    assert pit.state.phase == "clearing"
    assert pit.refused("dispute", seat=3, reason="nobody").clauses == ()
    pit.do("dispute", seat=2, reason="the player saw a seven")
    assert "dispute" in pit.refused("clear_round", "dealer").why
    pit.do("end_dispute", seat=2, reason="looked at")
    pit.do("clear_round", "dealer")


# ── corrected cards ──
def test_a_correction_takes_two_people_and_names_a_card_that_lies_face_up():
    pit = three_seats()
    assert correct(pit, "player/1", "ZZ").refusal.malformed
    assert correct(pit, "player/1", "KS").refusal.malformed
    assert pit.refused("correct_card", draw=99, card="KS").malformed
    down = Attended().in_play().betting().wager(1, tie=500).lock().drawn(*BANKER).turn("player")
    assert correct(down, "banker/1", "8D").refusal.malformed


def test_with_no_money_moved_the_open_seats_are_paid_by_the_corrected_cards():
    pit = Attended(royal=True).in_play().betting()
    pit.wager(1, tie=500, royal_9=100).wager(5, banker=1000).lock().drawn(*STAR).turn()
    assert pit.state.round.paid == ()  # a tie: the banker's wager comes back, the others win
    assert correct(pit, "player/2", "8S").refusal is None
    told = pit.last("card.corrected").data
    assert (told["was"], told["card"], told["place"]) == ("9S", "8S", "player/2")
    lost = [(e.data["seat"], e.data["wager"]) for e in pit.named("wager.settled")]
    assert lost == [(1, "tie")]
    assert [p.line.returned for p in pit.state.round.due if p.seat == 1] == [5_000]  # any suited
    pit.paid()
    data = pit.last("round.settled").data
    assert (data["winner"], data["player"]) == ("banker", ["KS", "8S"])
    assert pit.state.meter("star").hits == 0


def test_after_money_moved_by_the_wrong_card_the_floor_settles_by_hand():
    pit = Attended().in_play().betting().wager(2, banker=1000).wager(6, banker=1000, player=500)
    pit.lock().drawn(*BANKER).turn()
    assert correct(pit, "banker/1", "8D").refusal is None
    assert pit.state.round.by_hand
    assert pit.last("round.disputed").data["seats"] == [6]  # its losing wager was collected
    assert pit.tick(1).prompts[0].awaits == "settle_by_hand"
    assert pit.refused("dispute", seat=2, reason="late").why
    for seat in (2, 6):
        pit.do("settle_by_hand", seat=seat, returned=1950, reason="corrected card")
    assert pit.state.phase == "clearing"
    assert pit.tick(1).prompts[0].awaits == "end_dispute"
    pit.do("end_dispute", seat=6, reason="nothing to give back")
    pit.do("clear_round", "dealer")


def test_a_correction_after_the_last_payment_has_every_seat_seen_to():
    pit = Attended().in_play().betting().wager(2, player=1000).lock().drawn(*BANKER).turn()
    assert correct(pit, "banker/1", "AD").refusal is None
    assert pit.state.phase == "clearing"
    assert dict(pit.state.round.disputes) == {2: ()}
    pit.do("end_dispute", seat=2, reason="paid 20 dollars")
    pit.do("clear_round", "dealer")


def test_hands_that_chapter_10_would_not_give_are_settled_by_hand():
    """By the corrected card the Player's hand was due a third card, and has none."""
    pit = Attended().in_play().betting().wager(2, tie=500).lock()
    pit.drawn("7C", "7D", "KH", "KS").turn()
    assert pit.state.phase == "settling"
    assert correct(pit, "player/1", "2C").refusal is None
    assert pit.state.halt is None
    assert pit.state.round.by_hand
    pit.do("settle_by_hand", seat=2, returned=500, reason="the floor had it played out")
    pit.do("clear_round", "dealer")


def drawing(*cards: str, **rules: Any) -> Attended:
    pit = Attended(**rules).in_play().betting().wager(1, player=1000).wager(3, banker=1000)
    return pit.lock().drawn(*cards).turn()


def thirds(pit: Attended) -> dict[str, str]:
    return {c.place: c.card for c in pit.state.round.cards if c.place.endswith("/3")}


def test_13b_corrected_an_unseen_third_card_becomes_the_bankers():
    """Player 5 was read as 5 and drew; it is 6 and stands; the Banker with 5 draws (10.D)."""
    pit = drawing("5C", "2D", "KH", "3S").drawn("4C")
    assert correct(pit, "player/1", "6C").refusal is None
    assert thirds(pit) == {"banker/3": "4C"}
    assert pit.last("irregularity.unauthorised_third_card").data["clauses"] == ["MIDI 13.B(1)"]
    assert not [e for e in pit.named("card.revealed") if e.data["card"] == "4C"]
    pit.turn("banker")
    assert pit.last("round.revealed").data["points"] == {"player": 6, "banker": 9}


def test_13b2_corrected_an_unseen_third_card_begins_the_next_hand():
    pit = drawing("5C", "4D", "KH", "3S").drawn("4C")
    assert correct(pit, "player/1", "6C").refusal is None
    assert pit.state.phase == "settling"
    assert [(c.place, c.up) for c in pit.state.carried] == [("carried/1", False)]
    assert pit.last("irregularity.unauthorised_third_card").data["clauses"] == ["MIDI 13.B(2)"]


def test_13c1_corrected_a_shown_third_card_becomes_the_bankers():
    pit = drawing("5C", "2D", "KH", "3S").drawn("4C").turn("player")
    assert pit.state.phase == "drawing"  # the Banker's third card is due
    assert correct(pit, "player/1", "6C").refusal is None
    assert pit.last("irregularity.disclosed_card").data["clauses"] == ["MIDI 13.C(1)"]
    assert pit.last("round.revealed").data["banker"] == ["2D", "3S", "4C"]


@pytest.mark.parametrize(("setting", "clause"), [
    ("discard_with_next", "MIDI 13.C(2)(a)"), ("simulated_round", "MIDI 13.C(2)(b)"),
])  # fmt: skip
def test_13c2_corrected_a_shown_third_card_that_no_hand_is_due(setting, clause):
    """The Banker's 7 would be due nothing whatever the Player has; its first card was misread."""
    pit = drawing("5C", "2D", "KH", "4S", disclosed_card=setting)
    pit.drawn("6C").turn("player")  # Player 1; Banker 6 draws to a 6 (10.E(3)(g))
    assert pit.state.phase == "drawing"
    assert correct(pit, "player/1", "6D").refusal is None
    assert pit.last("irregularity.disclosed_card").data["clauses"] == [clause]
    assert pit.state.phase == "settling"
    assert pit.last("round.revealed").data["points"] == {"player": 6, "banker": 6}
    waits = [c.up for c in pit.state.carried]
    assert (waits, pit.state.shoe.discard) == (
        ([], True) if setting == "discard_with_next" else ([True], False)
    )


def test_corrected_the_bankers_third_card_was_the_players():
    """The Player's 6 stood; it is a 5 and draws first: the Banker's unseen card is the Player's."""
    pit = drawing("6C", "2D", "KH", "3S").drawn("4C")
    assert thirds(pit) == {"banker/3": "4C"}
    assert correct(pit, "player/1", "5C").refusal is None
    assert thirds(pit) == {"player/3": "4C"}
    assert pit.last("irregularity.wrong_order").data["basis"] == ["house procedure"]
    pit.turn("player").drawn("2H").turn("banker")
    assert pit.last("round.revealed").data["points"] == {"player": 9, "banker": 7}


def test_a_copy_that_was_misread_is_in_the_shoe_again():
    pit = three_seats()
    correct(pit, "player/2", "8S")
    assert (pit.state.shoe.copies("9S"), pit.state.shoe.copies("8S")) == (0, 1)


def test_a_correction_of_another_card_leaves_the_doubt():
    """Seven nines of clubs in six decks: that one is corrected, or the round is void."""
    pit = Attended(decks=6).in_play()
    for _ in range(6):
        pit.played("9C", "2D", "KH", "3S")
    pit.betting().wager(1, player=1000).lock().drawn("9C")
    pit.do("resume_table")
    pit.drawn("AD", "KC", "AC").turn()
    assert correct(pit, "banker/1", "4D").refusal is None
    assert pit.state.phase == "drawing"
    assert pit.tick(1).prompts[0].awaits == "correct_card"
    assert correct(pit, "player/1", "8C").refusal is None
    assert pit.state.phase == "settling"


# ── found late ──
LATE = {"cause": "disclosed_card", "reason": "its first card lay face up"}


@pytest.mark.parametrize(("cause", "clauses", "new_decks"), [
    ("disclosed_card", ("MIDI 13.D(1)", "MIDI 13.D(2)"), False),
    ("face_up_card", ("MIDI 13.D(1)", "MIDI 13.D(2)"), False),
    ("cards_run_out", ("MIDI 13.E(1)", "MIDI 13.E(2)"), True),
    ("impossible_card", ("MIDI 3.A",), True),
    ("shoe_jam", (), True),
])  # fmt: skip
def test_found_late_the_whole_round_is_void_seat_by_seat(cause, clauses, new_decks):
    """Seat 5 is paid, seat 7 lost; seats 1 and 2 are still open or collected."""
    pit = Attended().in_play().betting()
    pit.wager(1, banker=1000).wager(2, tie=500).wager(5, banker=2000).wager(7, player=1000)
    pit.lock().drawn(*BANKER).turn()
    pit.do("confirm_payment", "dealer", seat=5)
    args = {"cause": cause, "reason": "the floor saw it on the recording"}
    ruling = pit.do("void_found_late", **args).ruling
    assert ruling is not None
    assert ruling.clauses == clauses
    assert pit.state.phase == "settling"
    assert pit.refused("void_found_late", "dealer", **args, confirm=True).role
    pit.do("void_found_late", **args, confirm=True)
    assert pit.state.phase == "voided"
    assert pit.last(f"irregularity.{cause}").data["ruling"] == ruling.ruling
    told = pit.last("round.voided").data
    assert told["late"] is True
    assert set(clauses) == set(told["clauses"])
    assert told["seats"] == [
        {"seat": 2, "give": 500, "take": 0}, {"seat": 5, "give": 0, "take": 1900},
        {"seat": 7, "give": 1000, "take": 0},
    ]  # fmt: skip
    assert [r["seat"] for r in told["returned"]] == [1]
    assert ("change_decks" in told["duties"]) == new_decks
    assert pit.refused("clear_round", "dealer").why
    assert "give seat 2 $5" in pit.tick(1).prompts[-1].text
    for seat in (2, 5, 7):
        pit.do("settle_void_seat", seat=seat, recovered=seat != 5)
    pit.do("clear_round", "dealer")
    pit.do("acknowledge_void")
    if new_decks:
        assert pit.refused("open_bets", "dealer").clauses == clauses
        pit.do("change_decks", "dealer")
        pit.new_shoe()
    pit.played("9C", "2D", "KH", "3S")


def test_found_late_only_by_a_cause_that_voids():
    pit = Attended().in_play().betting().wager(1, banker=1000).lock().drawn(*BANKER).turn()
    assert pit.refused("void_found_late", cause="a_spilt_drink", reason="x").malformed


def test_found_late_the_rounds_vigorish_marks_come_off():
    """Seat 1 owes 50 from the round before; of this round's 100 at seat 5, all was collected."""
    pit = Attended(vigorish_collection="marked").in_play()
    pit.betting().wager(1, banker=1000).lock().drawn(*BANKER).turn().paid()
    pit.do("clear_round", "dealer")
    pit.betting().wager(1, banker=1000).wager(5, banker=2000).lock().drawn(*BANKER).turn().paid()
    assert pit.state.shoe.owed == ((1, 100), (5, 100))
    pit.do("collect_vigorish", "dealer", seat=5)
    pit.do("void_found_late", **LATE, confirm=True)
    assert pit.state.shoe.owed == ((1, 50),)
    off = pit.last("vigorish.written_off").data
    assert (off["seat"], off["cents"], off["reason"]) == (1, 50, "void")
    assert pit.last("round.voided").data["seats"] == [
        {"seat": 1, "give": 0, "take": 1000}, {"seat": 5, "give": 0, "take": 1900},
    ]  # fmt: skip


def test_found_late_after_a_meter_was_paid_the_round_stands():
    pit = three_seats()
    for seat in (7, 5, 2):
        if seat == 2:
            pit.do("validate_progressive", seat=2, meter="star")
        pit.do("confirm_payment", "dealer", seat=seat)
    assert "round stands" in pit.refused("void_found_late", **LATE, confirm=True).why


def test_found_late_a_hit_gives_no_award_and_what_was_posted_stays():
    pit = three_seats()
    pit.do("void_found_late", **LATE, confirm=True)
    assert pit.state.meter("star").cents == 5_000_020
    assert not pit.named("progressive.paid")


def test_found_late_a_must_hit_is_sealed_anew():
    """Its trigger is known by now, and so would be the winner of the next round."""
    meter = MeterSetup("must_hit", 10_000, "0.5", 20_000)
    pit = Attended(royal=True, trigger_meter=meter, triggers=[10_050, 10_020]).in_play()
    pit.betting().wager(1, banker=1000, royal_9=100).lock().drawn(*BANKER).turn()
    pit.do("void_found_late", **LATE, confirm=True)
    assert pit.last("progressive.void_hit").data["cents"] == 10_050
    assert len(pit.named("progressive.sealed")) == 2
    assert pit.state.meter("must_hit").cents == 10_050
    for seat, _ in pit.state.round.void_seats:
        pit.do("settle_void_seat", seat=seat, recovered=True)
    pit.do("clear_round", "dealer")
    pit.do("acknowledge_void")
    pit.betting().wager(1, banker=1000, royal_9=100).lock().drawn(*BANKER).turn()
    assert pit.last("progressive.hit").data["cents"] == 10_100
    pit.do("validate_progressive", seat=1, meter="must_hit")
    pit.paid()
    follow([[(e.type, dict(e.data)) for e in made] for made in pit.made])


@pytest.mark.parametrize("phase", ["cover", "last_hand"])
def test_found_late_the_round_counts_once_towards_the_end_of_the_shoe(phase):
    pit = Attended().in_play()
    pit.device("shoe", "cover_card")
    if phase == "last_hand":
        pit.played("9C", "2D", "KH", "3S")
    pit.betting().wager(1, banker=1000).lock().drawn(*BANKER).turn()
    pit.do("void_found_late", **LATE, confirm=True)
    pit.do("clear_round", "dealer")
    assert pit.state.shoe.ending == {"cover": "last_hand", "last_hand": "over"}[phase]


def test_seats_only_the_floor_looks_at_what_moved():
    pit = Attended(tracking="seats").in_play().betting().wager(1, player=0).wager(2, banker=0)
    pit.lock().drawn(*BANKER)
    pit.do("hand_cards", "dealer", seat=1, hand="player")
    pit.do("reveal_dealer", "dealer", hand="player")
    pit.do("hand_cards", "dealer", seat=2, hand="banker")
    pit.do("reveal_dealer", "dealer", hand="banker")
    pit.do("void_found_late", **LATE, confirm=True)
    assert pit.last("round.voided").data["seats"] == [{"seat": 1, "give": None, "take": None}]
    assert pit.tick(1).prompts[-1].awaits == "settle_void_seat"
