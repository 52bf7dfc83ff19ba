"""Midi Baccarat with a dealer: decks, cut, burn, wagers, hands, third cards, payment, clause by
clause."""

from typing import Any

import pytest

from tablectl.table.midi import turning
from tablectl.table.setup import DeviceSetup
from tests.table.midi.pit import BUTTON, HELD, READER, Attended, fill

NATURAL = ("9C", "2D", "KH", "3S")  # Player 9, Banker 5
BANKER = ("2C", "9D", "KH", "KS")  # Player 2, Banker 9


# ── chapters 3 and 4 ──
@pytest.mark.parametrize(("count", "backs", "why"), [(7, 1, "8 decks"), (8, 2, "alike")])
def test_3a_as_many_decks_as_the_rules_say_and_all_alike(count, backs, why):
    pit = Attended().opened()
    named = [{"id": str(n), "back": f"back-{n % backs}"} for n in range(count)]
    refusal = pit.refused("receive_decks", "dealer", decks=named)
    assert why in refusal.why
    assert refusal.clauses[0].startswith("MIDI 3.A")
    assert pit.state.shoe is None


def test_4a_to_5g_by_hand_from_the_decks_to_the_burn():
    pit = Attended(devices=(), first="3H").opened().receive(preshuffled=False)
    steps: list[tuple[str, str, dict[str, Any]]] = [
        ("inspect_cards", "dealer", {}), ("verify_inspection", "floor", {}),
        ("spread_cards", "dealer", {}), ("player_inspected", "dealer", {"viewed": False}),
        ("wash_cards", "dealer", {}), ("shuffle_done", "dealer", {}),
        ("verify_shuffle", "floor", {}), ("offer_cut", "dealer", {"seat": 9, "accepted": False}),
        ("cut_cards", "dealer", {}), ("load_shoe", "dealer", {}),
    ]  # fmt: skip
    for n, (action, role, args) in enumerate(steps):
        for later, _, more in steps[n + 1 :]:
            if later not in ("cut_cards", action):
                pit.refused(later, "floor", **more)  # nothing is skipped
        pit.do(action, role, **args)
    pit.refused("open_bets", "dealer")
    pit.burned()
    burned = pit.named("card.burned")
    assert [e.data.get("card") for e in burned] == ["3H", None, None, None]
    pit.do("open_bets", "dealer")


def test_4d_preshuffled_decks_are_only_cut():
    pit = Attended().opened().receive()
    assert pit.state.shoe.stage == "shuffled"
    assert pit.last("deck.received").data["clauses"] == ["MIDI 3.A", "MIDI 4.D"]


@pytest.mark.parametrize(
    ("count", "stage"), [(416, "shuffled"), (None, "shuffled"), (415, "stacked")]
)
def test_5a_a_shuffler_needs_no_verification_but_all_the_cards(count, stage):
    pit = Attended(devices=(READER, DeviceSetup("shuffler", "shuffler")))
    pit.opened().receive(preshuffled=False)
    for action in ("inspect_cards", "verify_inspection", "spread_cards"):
        pit.do(action)
    pit.do("player_inspected", viewed=True)
    pit.do("wash_cards")
    pit.device("shuffler", "shuffle_started")
    pit.device("shuffler", "shuffle_done", count=count)
    assert pit.state.shoe.stage == stage
    assert pit.duties() == ({"change_decks"} if count == 415 else set())


def test_5b_the_cut_is_offered_from_the_highest_seat_down():
    pit = Attended().opened().receive()
    pit.do("offer_cut", "dealer", seat=7, accepted=False)
    assert pit.refused("offer_cut", "dealer", seat=8, accepted=True).clauses == ("MIDI 5.B(2)",)
    pit.do("offer_cut", "dealer", seat=2, accepted=True)
    cut = pit.last("deck.cut").data
    assert (cut["by"], cut["offered"]) == ("seat 2", [7, 2])


def test_5d_a_recut_goes_to_the_next_person_before_the_shoe_is_loaded():
    pit = Attended().opened().receive()
    pit.do("offer_cut", "dealer", seat=5, accepted=True)
    assert pit.refused("recut", "dealer", reason="shallow").role
    pit.do("recut", reason="shallow")
    pit.refused("load_shoe", "dealer")
    assert pit.refused("offer_cut", "dealer", seat=5, accepted=True).clauses == ("MIDI 5.B(2)",)
    pit.do("cut_cards", "floor")
    pit.do("load_shoe", "dealer")
    assert pit.refused("recut", reason="late").clauses == ("MIDI 5.D",)


@pytest.mark.parametrize(("first", "count"), [("AS", 1), ("7D", 7), ("TC", 10), ("KH", 10)])
def test_5g_the_first_card_says_how_many_are_burned(first, count):
    pit = Attended(first=first).opened().new_shoe()
    assert len(pit.named("card.burned")) == count + 1
    assert pit.state.shoe.stage == "ready"


def test_5f_a_first_card_that_cannot_be_read_is_entered():
    pit = Attended().opened().receive()
    pit.do("offer_cut", "dealer", seat=9, accepted=True)
    pit.do("load_shoe", "dealer")
    pit.drawn(None)
    assert pit.tick(1).prompts[0].awaits == "enter_card"
    pit.do("enter_card", "dealer", place="burn/1", card="2H")
    pit.drawn("KC", "KD")
    assert pit.state.shoe.stage == "ready"


# ── chapter 7 ──
def test_7a_what_is_not_offered_or_not_within_limits_is_refused():
    pit = fill("betting")
    for wager, amount, clause in (
        ("panda_8", 500, "MIDI 7.A(6)"), ("royal_9", 500, "MIDI 7.A(9)"), ("ante", 500, "MIDI 7.A"),
    ):  # fmt: skip
        refusal = pit.refused("place_wager", "dealer", seat=1, wager=wager, amount=amount)
        assert refusal.clauses == (clause,)
    assert "from $5" in pit.refused(
        "place_wager", "dealer", seat=1, wager="player", amount=100
    ).why  # fmt: skip
    assert pit.refused("place_wager", "dealer", seat=10, wager="tie", amount=500).malformed
    assert pit.refused("place_wager", "dealer", seat=1, wager="tie").malformed


def test_7a9_a_royal_9_needs_a_base_wager_at_the_lock():
    pit = Attended(royal=True).in_play().betting()
    pit.wager(1, royal_9=100).wager(2, royal_9=100, tie=500)
    pit.do("no_more_bets", "dealer")
    back = pit.last("wager.returned").data
    assert (back["seat"], back["wager"], back["clauses"]) == (1, "royal_9", ["MIDI 7.A(9)"])
    assert [e.data["seat"] for e in pit.named("wager.accepted")] == [2]
    assert {c.meter: c.numerator / c.denominator for c in pit.state.round.pending} == {
        "star": 10, "spade": 10, "heart": 10,
    }  # fmt: skip


@pytest.mark.parametrize(
    "phase", ["locking", "locked", "dealing", "turning", "drawing", "settling"]
)
def test_7d_nothing_is_placed_or_withdrawn_after_no_more_bets(phase):
    pit = fill(phase, **({"royal": True} if phase == "locking" else {}))
    assert pit.refused("place_wager", "dealer", seat=1, wager="tie", amount=500).clauses
    assert pit.refused("remove_wager", "dealer", seat=1, wager="player").clauses


def test_7d_the_floor_cancels_a_lock_before_a_card_and_amends_before_a_hand_is_up():
    pit = fill("locked")
    pit.do("cancel_lock", reason="pressed by mistake")
    assert pit.state.phase == "betting"
    pit.do("place_wager", "dealer", seat=1, wager="player", amount=2500)
    pit.lock().drawn("2C")
    assert pit.refused("cancel_lock", reason="late").clauses == ("MIDI 7.D",)
    pit.do("amend_wager", seat=1, wager="player", amount=3000, reason="keyed wrong")
    pit.drawn("3D", "KH", "2S").turn("player")
    pit.refused("amend_wager", seat=1, wager="player", amount=500, reason="too late")


def test_8b_no_card_may_leave_a_held_shoe_before_the_lock():
    pit = Attended(devices=(HELD, BUTTON), royal=True).in_play()
    pit.device("shoe", "held")
    sent = len(pit.commands)
    pit.betting().wager(1, banker=1000)
    pit.device("button", "pressed")
    assert pit.state.phase == "locking"
    assert "release" not in pit.permitted(sent)
    pit.device("bonus", "locked")
    assert pit.permitted(sent)[-1] == "release"


def test_8b_a_listened_to_shoe_is_never_commanded():
    pit = Attended(devices=(READER,)).in_play()
    pit.played(*NATURAL)
    assert not [c for c in pit.commands if c.device == "shoe"]


# ── chapter 8 ──
def test_8c_four_cards_in_order_face_down():
    pit = fill("turning")
    dealt = [e.data["place"] for e in pit.named("card.dealt")]
    assert dealt == ["player/1", "banker/1", "player/2", "banker/2"]
    assert not pit.named("card.revealed")


def test_8d_the_hand_goes_to_the_highest_wager_player_first():
    pit = fill("locked")
    pit.do("amend_wager", seat=5, wager="player", amount=5000, reason="keyed wrong")
    pit.drawn(*NATURAL)
    assert pit.refused("hand_cards", "dealer", seat=3, hand="banker").clauses == ("MIDI 8.D(4)",)
    assert "MIDI 8.D(2)" in pit.refused("hand_cards", "dealer", seat=1, hand="player").clauses
    assert pit.refused("reveal_dealer", "dealer", hand="player").clauses == ("MIDI 8.D(2)",)
    pit.do("hand_cards", "dealer", seat=5, hand="player")
    pit.do("reveal_dealer", "dealer", hand="player")
    assert [e.data["card"] for e in pit.named("card.revealed")] == ["9C", "KH"]
    pit.refused("reveal_dealer", "dealer", hand="player")
    pit.do("hand_cards", "dealer", seat=3, hand="banker")
    pit.do("reveal_dealer", "dealer", hand="banker")
    assert pit.state.phase == "settling"


@pytest.mark.parametrize(("order", "seat"), [("from_dealers_right", 1), ("from_dealers_left", 5)])
def test_8g_equal_wagers_go_to_the_closest_counterclockwise(order, seat):
    pit = fill("turning", seat_order=order)
    assert turning.entitled(pit.state, "player") == seat


@pytest.mark.parametrize(
    ("order", "expected"),
    [("from_dealers_right", [3, 5, 1, None]), ("from_dealers_left", [3, 1, 5, None])],
)
def test_8i_the_right_goes_round_once_and_then_to_the_dealer(order, expected):
    pit = fill("turning", seat_order=order)
    pit.turn("player")
    for seat in expected[:-1]:
        assert turning.entitled(pit.state, "banker") == seat
        pit.do("relinquish", "dealer", seat=seat)
    assert turning.entitled(pit.state, "banker") is None
    assert [e.data["to"] for e in pit.named("seat.relinquished")] == expected[1:]
    pit.do("reveal_dealer", "dealer", hand="banker")
    assert pit.state.phase == "drawing"


def test_8d_nobody_bet_that_hand_the_dealer_turns_it():
    pit = Attended().in_play().betting().wager(2, tie=500).lock().drawn(*NATURAL)
    assert "turn it yourself" in pit.refused("hand_cards", "dealer", seat=2, hand="player").why
    pit.do("reveal_dealer", "dealer", hand="player")


# ── chapters 9 and 10 ──
def test_10_third_cards_are_asked_for_one_after_the_other():
    pit = fill("drawing")
    assert pit.tick(1).prompts[0].text == "Deal a third card to the Player's hand."
    pit.drawn("4C")
    assert pit.last("card.dealt").data["place"] == "player/3"
    assert pit.tick(1).prompts[0].awaits == "reveal_dealer"
    pit.turn("player")
    assert pit.tick(1).prompts[0].text == "Deal a third card to the Banker's hand."
    pit.drawn("2D").turn("banker")
    data = pit.last("round.revealed").data
    assert data["points"] == {"player": 6, "banker": 7}
    assert data["winner"] == "banker"


# ── chapter 11 ──
def test_11b_losing_wagers_first_then_seats_from_the_highest_down():
    pit = Attended().in_play().betting()
    pit.wager(1, banker=1000, player=500).wager(4, banker=2000).wager(6, player=500)
    pit.lock().drawn(*BANKER).turn()
    assert pit.state.phase == "settling"
    lost = [(e.data["seat"], e.data["wager"]) for e in pit.named("wager.settled")]
    assert sorted(lost) == [(1, "player"), (6, "player")]
    assert pit.refused("confirm_payment", "dealer", seat=1).clauses == (
        "MIDI 11.B(1)", "MIDI 11.B(3)",
    )  # fmt: skip
    pit.do("confirm_payment", "dealer", seat=4)
    pit.do("confirm_payment", "dealer", seat=1)
    data = pit.last("round.settled").data
    assert {s["seat"]: s["returned"] for s in data["seats"]} == {1: 1950, 4: 3900, 6: 0}
    assert data["winner"] == "banker"
    assert [(e.data["seat"], e.data["vigorish"]) for e in pit.named("wager.settled")][2:] == [
        (4, 100), (1, 50),
    ]  # fmt: skip


def test_12d_marked_vigorish_is_owed_until_collected_or_written_off():
    pit = Attended(vigorish_collection="marked").in_play()
    pit.betting().wager(1, banker=1000).wager(2, banker=2000).lock().drawn(*BANKER).turn().paid()
    assert pit.last("round.settled").data["seats"][0]["returned"] == 2000
    assert pit.state.shoe.owed == ((1, 50), (2, 100))
    pit.do("clear_round", "dealer")
    pit.do("remove_deck")
    assert pit.refused("close_table").clauses == ("MIDI 12.D(2)(b)(i)",)
    pit.receive()
    pit.do("offer_cut", "dealer", seat=9, accepted=True)
    assert pit.refused("load_shoe", "dealer").clauses == ("MIDI 12.D(2)(b)(i)",)
    pit.do("collect_vigorish", "dealer", seat=1)
    assert pit.refused("write_off_vigorish", "dealer", seat=2, reason="left").role
    pit.do("write_off_vigorish", seat=2, reason="walked out")
    pit.do("load_shoe", "dealer")


def test_12k_a_meter_award_is_validated_by_the_floor_before_it_is_paid():
    pit = Attended(royal=True).in_play().betting().wager(1, player=1000, royal_9=100).lock()
    pit.drawn("2C", "KS", "KH", "9S").turn()  # the banker's hand is seat 1's own king and nine
    assert pit.state.phase == "settling"
    hit = pit.last("progressive.hit").data
    assert (hit["seat"], hit["meter"], hit["cents"]) == (1, "spade", 35_010)
    assert pit.refused("confirm_payment", "dealer", seat=1).clauses == ("MIDI 12.K",)
    pit.do("validate_progressive", seat=1, meter="spade")
    pit.do("confirm_payment", "dealer", seat=1)
    assert pit.last("progressive.reset").data["cents"] == 35_000
    assert pit.state.meter("star").cents == 5_000_010


def test_9d_last_hand_one_more_then_the_decks_are_changed():
    pit = Attended().in_play().played(*NATURAL)
    pit.device("shoe", "cover_card")
    pit.played(*NATURAL)
    assert pit.last("round.last_hand").data["round"] == 2
    pit.played(*NATURAL)
    assert pit.refused("open_bets", "dealer").clauses == ("MIDI 3.B", "MIDI 9.D(3)")
    pit.do("change_decks", "dealer")
    assert not pit.state.duties
    pit.new_shoe().played(*NATURAL)
    assert pit.last("round.settled").data["round"] == 4
    assert pit.last("card.dealt").data["draw"] == 6


def test_3b_the_decks_are_not_changed_by_the_dealer_before_the_end():
    pit = Attended().in_play().played(*NATURAL)
    assert pit.refused("change_decks", "dealer").clauses == ("MIDI 3.B", "MIDI 9.D(3)")
    assert pit.refused("remove_deck", "dealer").role
    pit.do("remove_deck")


# ── a plain shoe: the dealer says what lies there ──
def test_a_round_from_a_plain_shoe_with_cards_entered():
    pit = Attended(devices=()).in_play().betting()
    pit.wager(1, player=1000).wager(3, banker=2000).lock()
    assert pit.tick(1).prompts[0].awaits == "hand_cards"
    pit.do("hand_cards", "dealer", seat=1, hand="player")
    dealt = pit.named("card.dealt")
    assert len(dealt) == 4
    assert all(e.data["commitment"] is None and e.data["inferred"] for e in dealt)
    assert pit.refused("enter_card", "dealer", place="banker/1", card="2C").clauses
    pit.do("enter_card", "dealer", place="player/1", card="2C")
    pit.do("enter_card", "dealer", place="player/2", card="KH")
    pit.do("hand_cards", "dealer", seat=3, hand="banker")
    pit.do("enter_card", "dealer", place="banker/1", card="3D")
    pit.do("enter_card", "dealer", place="banker/2", card="2S")
    assert pit.refused("enter_card", "dealer", place="banker/3", card="2D").clauses
    pit.do("enter_card", "dealer", place="player/3", card="4C")
    pit.do("enter_card", "dealer", place="banker/3", card="2D")
    pit.paid()
    assert pit.last("round.settled").data["points"] == {"player": 6, "banker": 7}


def test_a_reader_that_fails_leaves_the_cards_to_the_dealer():
    pit = fill("dealing")
    pit.refused("hand_cards", "dealer", seat=1, hand="player")
    pit.device("shoe", "fault", what="lens")
    pit.do("hand_cards", "dealer", seat=1, hand="player")
    assert pit.refused("reveal_dealer", "dealer", hand="banker").clauses
    pit.do("reveal_dealer", "dealer", hand="player")
    assert pit.tick(1).prompts[0].awaits == "enter_card"
    pit.do("enter_card", "dealer", place="player/2", card="KH")
    pit.do("hand_cards", "dealer", seat=3, hand="banker")
    for place, card in (("banker/2", "2S"), ("player/3", "9S")):
        if place == "banker/2":
            pit.do("reveal_dealer", "dealer", hand="banker")
        pit.do("enter_card", "dealer", place=place, card=card)
    assert pit.state.phase in ("drawing", "settling")


def test_reports_that_were_lost_are_entered_by_the_dealer():
    pit = fill("locked")
    pit.device("shoe", "card", ["2C"], place="player/1")
    pit.device("shoe", "gap")
    pit.device("shoe", "card", ["KH"], place="player/2")
    pit.device("shoe", "card", ["2S"], place="banker/2")
    assert [c.place for c in pit.state.round.cards] == ["player/1", "player/2", "banker/2"]
    pit.do("hand_cards", "dealer", seat=1, hand="player")
    pit.do("reveal_dealer", "dealer", hand="player")
    pit.do("hand_cards", "dealer", seat=3, hand="banker")
    pit.do("enter_card", "dealer", place="banker/1", card="3D")
    pit.do("reveal_dealer", "dealer", hand="banker")
    assert pit.state.phase == "drawing"


# ── seats only ──
def test_seats_known_and_amounts_not():
    pit = Attended(tracking="seats").in_play().betting()
    pit.wager(1, player=0).wager(3, banker=0).wager(4, player=0).lock()
    assert pit.last("wager.placed").data["cents"] is None
    pit.drawn(*BANKER)
    assert "the highest wager" in pit.tick(1).prompts[0].text
    pit.do("hand_cards", "dealer", seat=4, hand="player")  # the dealer names the seat
    pit.do("reveal_dealer", "dealer", hand="player")
    pit.do("hand_cards", "dealer", seat=3, hand="banker")
    pit.do("reveal_dealer", "dealer", hand="banker")
    assert pit.state.round.turns == (3,)
    pit.paid()
    data = pit.last("round.settled").data
    assert data["seats"] == []
    assert {r["wager"]: r["outcome"] for r in data["results"]}["banker"] == "win"
    assert pit.last("wager.settled").data["cents"] is None
    pit.do("clear_round", "dealer")


def test_the_shoes_own_result_is_compared_once_the_cards_lie_open():
    pit = Attended().in_play().betting().wager(1, banker=1000).lock().drawn(*NATURAL)
    pit.device("shoe", "result", winner="tie")
    assert not pit.named("irregularity.result_mismatch")
    pit.turn()
    assert "by the cards it is player" in pit.last("irregularity.result_mismatch").data["what"]


# ── the decks of a shoe go together ──


@pytest.mark.parametrize("named", ["1-3", "shoe-1"])
def test_whoever_names_a_deck_means_the_shoe(named: str) -> None:
    pit = Attended().opened().receive(preshuffled=False)
    assert pit.refused("inspect_cards", "dealer", deck="blue").malformed
    pit.do("inspect_cards", "dealer", deck=named)
    pit.do("verify_inspection", deck=named)
    pit.do("remove_deck", "dealer", deck=named)
    assert pit.state.decks == ()


def test_the_hand_that_is_turned_next_need_not_be_named() -> None:
    pit = fill("turning")
    before = pit.state.sequence
    for _hand in ("player", "banker"):
        pit.do("hand_cards", "dealer", seat=turning.entitled(pit.state, _hand), hand=_hand)
        pit.do("reveal_dealer", "dealer")
    shown = [event.data["place"] for event in pit.named("card.revealed", before)]
    assert shown == ["player/1", "player/2", "banker/1", "banker/2"]
