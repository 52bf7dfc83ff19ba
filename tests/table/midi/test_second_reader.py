"""Midi Baccarat read a second time, clause by clause: what a first reading had let through."""

from typing import Any

import pytest

from tablectl.table.midi import turning
from tests.table.midi.onwards import play_on
from tests.table.midi.pit import BUTTON, HELD, Attended, fill

NATURAL = ("9C", "2D", "KH", "3S")  # Player 9, Banker 5
BANKER_DRAWS = ("7C", "2D", "KH", "3S")  # Player 7 stands, Banker 5 draws
BOTH_STAND = ("7C", "2D", "KH", "5S")


# ── chapters 3 to 5 ──
def test_9d3_decks_that_left_do_not_come_back():
    """Decks are changed after each shoe, for new ones (MIDI 3.B, 9.D(3))."""
    pit = Attended().in_play()
    pit.do("remove_deck")
    same = [{"id": f"1-{n}", "back": "red", "preshuffled": True} for n in range(8)]
    assert "has left this table" in pit.refused("receive_decks", "dealer", decks=same).why
    pit.receive()


def test_5f_a_burn_that_is_short_goes_on():
    pit = Attended(first="3H").opened().receive()
    pit.do("cut_cards", "dealer")
    pit.do("load_shoe", "dealer")
    pit.drawn("3H", "2C", "4D")
    assert pit.refused("open_bets", "dealer").clauses == ("MIDI 5.C(2)", "MIDI 5.F")
    assert "Burn 1 more" in pit.tick(1).prompts[0].text
    pit.drawn("9D")
    pit.drawn("8D")  # one too many: drawn in error, and not disclosed
    assert pit.last("irregularity.drawn_in_error").data["clauses"] == ["MIDI 13.A"]
    pit.betting().wager(1, player=1000).lock()
    assert [c.card for c in pit.state.round.cards] == ["8D"]


@pytest.mark.parametrize("cards", [("7H",), ("7H", "2C")])
def test_5c1_a_cover_card_in_the_burn_begins_another_order_of_the_cards(cards):
    pit = Attended(first="7H").opened().receive()
    pit.do("offer_cut", "dealer", seat=6, accepted=True)
    pit.do("load_shoe", "dealer")
    pit.drawn(*cards)
    pit.device("shoe", "cover_card")
    assert [a.kind for a in pit.state.alarms] == ["cover_in_burn"]
    assert (pit.state.shoe.stage, pit.state.shoe.drawn) == ("shuffled", 0)
    assert pit.state.shoe.copies("7H") == 0
    # 5.E(1): the next person entitled to cut them.
    assert pit.refused("offer_cut", "dealer", seat=6, accepted=True).clauses == ("MIDI 5.B(2)",)
    pit.do("offer_cut", "dealer", seat=5, accepted=True)
    pit.do("load_shoe", "dealer")
    pit.burned().played(*NATURAL)
    seen = [(e.data["deck"], e.data["draw"]) for e in pit.named("card.burned")]
    assert len(seen) == len(set(seen)), "a card's identity is its deck and its draw"


@pytest.mark.parametrize("stage", ["received", "shuffled", "cut", "removed"])
def test_9d_no_cover_card_comes_out_of_cards_that_are_not_in_the_shoe(stage):
    pit = Attended().opened().receive(preshuffled=stage != "received")
    if stage == "cut":
        pit.do("cut_cards", "dealer")
    if stage == "removed":
        pit.do("remove_deck")
    assert pit.state.shoe.stage == stage
    assert pit.refused("cover_card", "dealer").clauses == ("MIDI 5.C(2)",)


@pytest.mark.parametrize("decks", [6, 7, 8])
def test_3a_six_to_eight_decks(decks):
    pit = Attended(decks=decks).in_play()
    assert pit.state.shoe.size == 52 * decks
    few = [{"id": f"x{n}", "back": "red", "preshuffled": True} for n in range(decks - 1)]
    pit.do("remove_deck")
    assert pit.refused("receive_decks", "dealer", decks=few).clauses == ("MIDI 3.A",)


# ── chapter 7 ──
def test_beyond_the_tables_limits_the_floor_decides_with_a_reason():
    pit = fill("betting")
    args: dict[str, Any] = {"seat": 2, "wager": "player", "amount": 500_000}
    assert "from $5" in pit.refused("place_wager", **args).why
    assert pit.refused("place_wager", "dealer", **args, reason="a guest").role
    pit.do("place_wager", **args, reason="a guest of the house")
    assert pit.last("wager.placed").data["override"] == "a guest of the house"
    other: dict[str, Any] = {"seat": 2, "wager": "panda_8", "amount": 500, "reason": "a guest"}
    assert pit.refused("place_wager", **other).clauses == ("MIDI 7.A(6)",)  # never beyond a clause


# ── chapter 8 ──
def drawing(*cards: str, **more) -> Attended:
    pit = Attended(**more).in_play().betting()
    pit.wager(1, player=2000).wager(3, banker=2000).wager(5, player=1000)
    return pit.lock().drawn(*cards).turn()


def test_8e1_8i_the_right_to_turn_the_third_card_passes_on():
    pit = drawing("2C", "3D", "KH", "2S").drawn("4C")
    down = ("MIDI 8.E(1)",)
    assert pit.refused("hand_cards", "dealer", seat=5, hand="player").clauses == down
    assert "seat 1 has the right" in pit.refused("relinquish", "dealer", seat=3).why
    pit.do("relinquish", "dealer", seat=1)
    assert pit.last("seat.relinquished").data["to"] == 3
    assert "seat 3" in pit.tick(1).prompts[0].text
    pit.refused("reveal_dealer", "dealer", hand="player")
    pit.do("hand_cards", "dealer", seat=3, hand="player")
    assert pit.last("seat.handed").data["clauses"] == ["MIDI 8.E(1)"]
    pit.do("reveal_dealer", "dealer", hand="player")
    pit.drawn("2D").turn("banker")
    assert pit.state.phase == "settling"


def test_8i3_nobody_takes_the_third_card_the_dealer_turns_it():
    pit = drawing("2C", "3D", "KH", "2S").drawn("4C")
    for seat in (1, 3, 5):
        pit.do("relinquish", "dealer", seat=seat)
    assert "the dealer has the right" in pit.refused("relinquish", "dealer", seat=1).why
    pit.do("reveal_dealer", "dealer", hand="player")


def test_8i_who_gave_up_the_hand_does_not_turn_its_third_card():
    pit = Attended().in_play().betting().wager(1, player=2000).wager(5, player=1000).lock()
    pit.drawn("2C", "3D", "KH", "2S")
    pit.do("relinquish", "dealer", seat=1)
    pit.turn("player")
    pit.do("reveal_dealer", "dealer", hand="banker")
    pit.drawn("4C")
    assert "Seat 5 turns" in pit.tick(1).prompts[0].text
    pit.do("reveal_dealer", "dealer", hand="player")


def test_8d2_a_hand_that_is_handed_on_stays_with_its_player():
    pit = fill("turning")
    pit.do("hand_cards", "dealer", seat=1, hand="player")
    pit.do("amend_wager", seat=5, wager="player", amount=5000, reason="keyed wrong")
    refusal = pit.refused("hand_cards", "dealer", seat=5, hand="player")
    assert "seat 1 was handed that hand" in refusal.why
    assert refusal.clauses == ("MIDI 8.D(2)",)


def test_13c2a_a_held_shoe_gives_the_card_that_goes_to_the_bucket():
    pit = drawing(*BOTH_STAND, devices=(HELD, BUTTON))
    pit.drawn("4C")
    pit.do("report_exposed", "dealer", place="carried/1", confirm=True)
    pit.device("shoe", "held")
    assert pit.permitted()[-1] == "release"
    pit.drawn("QS")
    assert pit.last("card.burned").data["clauses"] == ["MIDI 13.C(2)(a)"]


def test_8d_where_only_seats_are_known_the_seat_bet_on_that_hand():
    pit = Attended(tracking="seats").in_play().betting().wager(1, player=0).wager(3, tie=0)
    pit.lock().drawn(*NATURAL)
    refusal = pit.refused("hand_cards", "dealer", seat=3, hand="player")
    assert "did not bet on the Player" in refusal.why
    pit.do("relinquish", "dealer", seat=1)
    pit.do("hand_cards", "dealer", seat=3, hand="player")  # given up, it goes to all in turn
    pit.do("reveal_dealer", "dealer", hand="player")
    refusal = pit.refused("hand_cards", "dealer", seat=3, hand="banker")
    assert "turn it yourself" in refusal.why


def test_8i_where_only_seats_are_known_the_dealer_says_who_gives_the_hand_up():
    """Whose wager is the highest the table does not know, so it asserts nothing."""
    pit = Attended(tracking="seats").in_play().betting()
    pit.wager(1, player=0).wager(2, banker=0).wager(4, player=0).lock().drawn(*NATURAL)
    assert "no wager" in pit.refused("hand_cards", "dealer", seat=6, hand="player").why
    assert pit.refused("relinquish", "dealer", seat=2).clauses == ("MIDI 8.I",)
    pit.do("relinquish", "dealer", seat=4)
    assert pit.last("seat.relinquished").data["seat"] == 4
    pit.do("hand_cards", "dealer", seat=pit.last("seat.relinquished").data["to"], hand="player")
    pit.do("reveal_dealer", "dealer", hand="player")


# ── chapter 13 ──
def test_13a_a_card_drawn_in_error_is_never_this_hands_own_third_card():
    pit = fill("turning").drawn("6H").turn()
    assert pit.state.phase == "drawing"
    assert [c.card for c in pit.state.carried] == ["6H"]
    pit.drawn("4C")
    assert pit.state.round.cards[-1].card == "4C"


def test_13a_what_came_before_the_round_is_used_up_in_order_third_cards_too():
    pit = Attended().in_play().drawn("2C", "3D", "KH", "2S", "4C")
    pit.betting().wager(1, player=1000).wager(3, banker=1000).lock().turn()
    assert [c.place for c in pit.state.round.cards][-1] == "player/3"
    assert not pit.state.carried


def test_13c1_dealt_to_the_player_and_shown_it_is_the_bankers():
    """The shoe has it at the Banker's hand, where it was due; the dealer says where it went."""
    pit = drawing(*BANKER_DRAWS).drawn("4C")
    pit.do("report_exposed", "dealer", place="player/3", confirm=True)
    assert pit.last("irregularity.disclosed_card").data["clauses"] == ["MIDI 13.C(1)"]
    assert pit.last("round.revealed").data["banker"] == ["2D", "3S", "4C"]


def test_13c1_the_same_where_the_shoe_knows():
    pit = drawing(*BANKER_DRAWS)
    pit.device("shoe", "card", ["4C"], place="player/3")
    pit.do("report_exposed", "dealer", place="banker/3", confirm=True)
    assert pit.last("irregularity.disclosed_card").data["clauses"] == ["MIDI 13.C(1)"]


@pytest.mark.parametrize(("place", "clause"), [
    ("player/3", "MIDI 13.C(2)(a)"), ("carried/1", "MIDI 13.C(2)(a)"), ("banker/3", "MIDI 13.D(1)"),
])  # fmt: skip
def test_13c2_an_undue_third_card_is_ruled_by_the_hand_that_it_was_dealt_to(place, clause):
    pit = drawing(*BOTH_STAND).drawn("4C")
    pit.do("report_exposed", "dealer", place=place, confirm=True)
    assert pit.last("irregularity.disclosed_card").data["clauses"] == [clause]


def test_13a_an_undue_third_card_to_the_banker_is_drawn_in_error():
    pit = drawing(*BOTH_STAND)
    pit.device("shoe", "card", ["4C"], place="banker/3")
    assert pit.last("irregularity.drawn_in_error").data["clauses"] == ["MIDI 13.A"]
    assert not pit.named("irregularity.unauthorised_third_card")
    pit.do("report_exposed", "dealer", place="carried/1", confirm=True)
    assert pit.last("irregularity.disclosed_card").data["clauses"] == ["MIDI 13.D(1)"]


def test_a_card_that_shows_while_the_hands_are_turned_plays():
    """It was not disclosed at the time it was dealt; the Banker's cards lay under the shoe."""
    pit = fill("turning").turn("player")
    pit.do("report_exposed", "dealer", place="banker/1", confirm=True)
    assert pit.last("irregularity.disclosed_card").data["basis"] == ["house procedure"]
    assert not pit.state.carried
    # 8.D(4): the other card still goes through the hands of the highest wager.
    assert pit.refused("reveal_dealer", "dealer", hand="banker").clauses == ("MIDI 8.D(4)",)
    assert turning.entitled(pit.state, "banker") == 3
    pit.turn("banker")
    assert pit.state.phase == "drawing"


def test_13d_the_second_of_two_kept_cards_is_no_first_card_of_the_round():
    pit = Attended().in_play().drawn("6H", "7H").betting().wager(1, player=1000)
    pit.do("report_exposed", "dealer", place="carried/2", confirm=True)
    assert pit.state.phase == "betting"
    pit.lock()
    assert [(c.card, c.place) for c in pit.state.round.cards] == [("6H", "player/1")]
    assert [c.card for c in pit.state.carried] == ["7H"]
    pit.drawn("2C", "3D", "KS").turn()
    play_on(pit)
    kinds = [e.data["kind"] for e in pit.named("round.opened")]
    assert kinds == ["live", "simulated", "live"]


def test_13d_a_void_round_discloses_nothing_any_more():
    pit = fill("dealing")
    pit.do("void_round", reason="a spilt drink")
    assert "gathered" in pit.refused("report_exposed", "dealer", place="player/1").why


@pytest.mark.parametrize("place", ["player/1", "banker/1", "player/2", "banker/2"])
def test_13d_a_due_card_of_a_plain_shoe_is_named_by_where_it_goes(place):
    pit = Attended(devices=()).in_play().betting().wager(1, player=1000).lock()
    pit.do("report_exposed", "dealer", place=place, card="6H", confirm=True)
    shown = [e.data for e in pit.named("card.revealed")][-1]
    assert (shown["card"], shown["place"]) == ("6H", "carried/1")
    if place == "player/1":
        assert pit.state.phase == "voided"
        return
    before = ["player/1", "banker/1", "player/2", "banker/2"]
    assert [c.place for c in pit.state.round.cards] == before[: before.index(place)]
    play_on(pit)
    assert [e.data["kind"] for e in pit.named("round.opened")] == ["live", "simulated", "live"]


def test_13e_the_record_says_how_many_cards_the_shoe_should_hold():
    pit = fill("dealing")
    pit.do("report_cards_run_out", "dealer", confirm=True)
    left = 8 * 52 - pit.state.shoe.drawn
    assert f"it holds {left}" in pit.last("irregularity.cards_run_out").data["what"]
    assert "change_decks" in pit.last("round.voided").data["duties"]


def test_a_simulated_round_is_neither_the_last_hand_nor_one_more():
    pit = Attended().in_play()
    pit.device("shoe", "cover_card")
    pit.played(*NATURAL)
    assert pit.state.shoe.ending == "last_hand"
    pit.drawn("5H")
    pit.do("report_exposed", "dealer", place="carried/1", confirm=True)
    pit.do("begin_simulated_round", "dealer")
    pit.drawn("9H", "9S", "2D")
    while pit.state.phase == "simulating":
        pit.drawn("2D")
    pit.do("clear_round", "dealer")
    pit.played(*NATURAL)
    assert "change_decks" in pit.duties()


# ── dead ends ──
def test_8b_a_round_without_wagers_is_locked_again_after_a_cancelled_lock():
    pit = Attended(devices=()).in_play().betting().wager(1, player=1000).lock()
    pit.do("cancel_lock", reason="pressed by mistake")
    pit.do("remove_wager", "dealer", seat=1, wager="player")
    pit.lock()
    assert pit.state.phase == "locked"
    play_on(pit)


def test_8d_nobody_bet_on_a_hand_that_the_reader_saw_before_it_failed():
    pit = Attended().in_play().betting().wager(3, tie=500).lock().drawn("9H", None, "5H")
    pit.device("shoe", "fault", what="lens")
    assert pit.tick(1).prompts[0].awaits == "reveal_dealer"
    pit.do("reveal_dealer", "dealer")
    assert [e.data["card"] for e in pit.named("card.revealed")] == ["9H", "5H"]
    assert pit.state.phase == "turning"
    play_on(pit)


def test_a_card_that_shows_unnamed_is_entered_before_its_hand_is_handed_on():
    pit = Attended(devices=()).in_play().betting().wager(1, player=1000).wager(3, banker=500)
    pit.lock().do("hand_cards", "dealer", seat=1, hand="player")
    pit.do("report_exposed", "dealer", place="banker/2", confirm=True)
    pit.do("enter_card", "dealer", place="banker/2", card="3S")
    play_on(pit)


# ── reports that were lost ──
@pytest.mark.parametrize("dealt", [0, 1, 2])
def test_after_lost_reports_a_card_without_a_place_is_not_told_as_another(dealt):
    """The shoe names no places: what follows the gap may lie anywhere, and is entered."""
    pit = Attended().in_play().betting().wager(1, player=1000).wager(3, banker=1000).lock()
    pit.drawn(*("2C", "3D")[:dealt])
    pit.device("shoe", "gap")
    pit.drawn("KH", "2S")
    known = [c.card for c in pit.state.round.cards if c.card is not None]
    assert known == ["2C", "3D"][:dealt]
    pit.do("hand_cards", "dealer", seat=1, hand="player")
    pit.do("reveal_dealer", "dealer")
    shown = {e.data["place"]: e.data["card"] for e in pit.named("card.revealed")}
    assert shown == ({"player/1": "2C"} if dealt else {})
    play_on(pit)


def test_after_lost_reports_a_shoe_that_names_the_place_is_believed():
    pit = drawing("2C", "3D", "KH", "2S")
    pit.device("shoe", "gap")
    pit.device("shoe", "card", ["4C"], place="banker/3")
    assert pit.state.round.cards[-1].place == "banker/3"
    pit.do("enter_card", "dealer", place="player/3", card="4S")
    pit.do("reveal_dealer", "dealer")
    assert pit.last("round.revealed").data["banker"] == ["3D", "2S", "4C"]


def test_3a_a_keyed_card_of_which_all_copies_are_out_stops_the_table():
    pit = Attended(decks=6).in_play()
    for _ in range(6):
        pit.played("9C", "2D", "KH", "3S")
    pit.device("shoe", "fault", what="lens")
    pit.betting().wager(1, player=1000).lock().do("hand_cards", "dealer", seat=1, hand="player")
    pit.do("enter_card", "dealer", place="player/1", card="9C")
    assert pit.state.halt.cause == "impossible_card"
    pit.do("resume_table")
    draw = pit.state.round.cards[0].draw
    pit.do("correct_card", draw=draw, card="9S")
    assert pit.state.round.midi.doubts == ()


# ── closing ──
def test_the_closing_checklist_says_everything_at_once():
    pit = Attended(vigorish_collection="marked").in_play()
    pit.betting().wager(1, banker=1000).wager(4, banker=1000).lock()
    pit.drawn("2C", "9D", "KH", "KS").turn().paid()
    pit.do("clear_round", "dealer")
    pit.do("opening_test", "dealer", lamps=False, lock=True)
    refusal = pit.refused("close_table")
    for missing in ("opening test", "take the cards out", "seat 1 owes", "seat 4 owes"):
        assert missing in refusal.why
    assert "MIDI 12.D(2)(b)(i)" in refusal.clauses
    pit.do("opening_test", "dealer", lamps=True, lock=True)
    pit.do("remove_deck")
    pit.do("collect_vigorish", "dealer", seat=1)
    pit.do("write_off_vigorish", seat=4, reason="walked out")
    pit.do("close_table")


def test_2c2_a_cancelled_lock_does_not_open_the_progressive_again():
    pit = Attended(royal=True, devices=(HELD, BUTTON)).in_play()
    pit.device("shoe", "held")
    pit.betting().wager(1, player=1000).lock()
    pit.do("cancel_lock", reason="pressed by mistake")
    pit.device("shoe", "held")
    assert pit.state.phase == "betting"
    assert pit.permitted()[-1] != "unlock"
    refusal = pit.refused("place_wager", "dealer", seat=1, wager="royal_9", amount=100)
    assert refusal.clauses == ("MIDI 2.C(2)", "MIDI 7.D")
