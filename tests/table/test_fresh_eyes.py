"""What a reader with fresh eyes found at the three-card tables: each fault stays mended."""

from dataclasses import replace

import pytest

from tablectl.games.rules import parse_rules
from tablectl.table.inputs import Action, Second
from tests.table.by_hand import (
    BACCARAT,
    POKER,
    READER,
    SHUFFLER,
    locked,
    open_by_hand,
    pit,
    shuffle_cut_load,
    unseen_round,
)
from tests.table.good_dealer import GoodDealer
from tests.table.pit import DEVICES, Pit, fill, setup

LEFT = parse_rules({**POKER, "dealer_cards": "left_in_shuffler", "five_card_progressive": "A"})


def awaited(table):
    return [prompt.awaits for prompt in table.tick(1).prompts]


def left_inside(*decided):
    """The dealer's stack waits in the shuffler; so many seats have decided."""
    table = Pit(setup=setup(LEFT)).opened().betting().wager(1, ante=1000).wager(3, ante=1000)
    table.lock()
    table.device("shoe", "stack", ["2C", "7D", "9H"])
    table.device("shoe", "stack", ["3C", "8D", "TH"])
    for seat in decided:
        table.do("play", seat=seat)
    return table


# ── one card entered twice, and no seat left to settle (TCP 3.A(1), 8.H(2) by analogy) ──
def twice_in_the_dealers_hand():
    table = locked(open_by_hand(pit()))
    table.do("fold", seat=1)
    table.do("fold", seat=3)
    table.do("reveal_dealer")
    table.do("enter_card", place="dealer/1", card="3C")
    table.do("enter_card", place="dealer/2", card="3C", confirm=True)
    table.do("enter_card", place="dealer/3", card="AC")
    assert (table.state.phase, table.state.halt.cause) == ("settling", "duplicate_card")
    table.do("resume_table")
    assert awaited(table)[0] == "void_found_late"
    return table


def test_3a1_a_card_twice_with_every_seat_folded_is_corrected_and_the_round_ends():
    table = twice_in_the_dealers_hand()
    draw = next(c.draw for c in table.state.round.cards if c.place == "dealer/2")
    table.do("correct_card", draw=draw, card="4C")
    assert table.state.phase == "clearing"
    assert not table.state.round.doubt


def test_8h2_a_card_twice_with_every_seat_folded_may_void_the_round():
    table = twice_in_the_dealers_hand()
    table.do("void_found_late", cause="duplicate_card", reason="both are there", confirm=True)
    assert table.last("round.voided").data["clauses"] == ["TCP 8.H(2)"]
    assert "remove_deck" in table.duties()


# ── a face-up card while the dealer's stack, and so the stub, is inside (TCP 13.A, 13.G) ──
@pytest.mark.parametrize("phase", ["dealing", "deciding"])
def test_13a_13g_a_players_hand_cannot_be_completed_with_the_stub_out_of_reach(phase):
    table = left_inside()
    if phase == "dealing":
        table = Pit(setup=setup(LEFT)).opened().betting().wager(1, ante=1000).wager(3, ante=1000)
        table.lock().device("shoe", "stack", ["2C", "7D", "9H"])
    assert table.state.phase == phase
    ruling = table.do("report_face_up", cards=1, place="seat/1/2").ruling
    assert ruling is not None
    assert ruling.clauses == ("TCP 13.A", "TCP 13.G")
    table.do("report_face_up", cards=1, place="seat/1/2", confirm=True)
    voided = table.last("round.voided").data
    assert voided["clauses"] == ["TCP 13.A", "TCP 13.G"]
    assert {wager["cents"] for wager in voided["returned"]} == {1000}
    assert "reshuffle" in table.duties()


def test_13a_a_card_of_the_dealers_stack_is_replaced_from_the_stub_and_decisions_stand():
    table = left_inside(1, 3)
    assert table.refused("report_face_up", cards=1, place="seat/1/1").clauses == ("TCP 13.A",)
    table.device("shoe", "stack", ["4C", "9D", "JH"])
    table.do("report_face_up", cards=1, place="dealer/2")
    assert table.state.phase == "deciding"
    assert [card.card for card in table.state.round.hand("dealer")] == ["4C", "JH", None]
    assert len(table.state.round.hand("aside")) == 1
    assert dict(table.state.round.decisions) == {1: "play", 3: "play"}
    table.do("reveal_dealer")


def test_13b_a_second_face_up_card_in_the_dealers_stack_voids():
    table = left_inside(1, 3)
    table.device("shoe", "stack", ["4C", "9D", "JH"])
    table.do("report_face_up", cards=2, place="dealer/2", confirm=True)
    assert table.last("round.voided").data["clauses"] == ["TCP 13.B"]


def test_13a_where_nobody_reports_the_cards_a_place_can_be_named():
    table = locked(open_by_hand(pit()))
    table.do("report_face_up", cards=1, place="seat/3/1")
    assert len(table.state.round.hand("seat/3")) == 3
    assert len(table.state.round.hand("aside")) == 1


# ── the dealer's card exposed (TCP 13.E) ──
def test_13e_while_cards_are_dealt_it_is_no_reveal_though_no_seat_decides():
    table = Pit().opened().betting().wager(1, pair_plus=1000).wager(2, pair_plus=1000).lock()
    table.device("shoe", "stack", ["2C", "7D", "9H"])
    assert table.refused("report_exposed", place="dealer/1", confirm=True).malformed
    table = locked(open_by_hand(pit(READER)), pair_plus=1000)
    for card in ("2C", "7D", "9H"):
        table.device("shoe", "card", [card])
    table.do("report_exposed", place="dealer/1", confirm=True)
    assert table.last("round.voided").data["clauses"] == ["TCP 13.E"]


@pytest.mark.parametrize("place", ["seat/1/1", "community/1"])
def test_13e_after_the_last_decision_other_cards_that_are_flipped_are_recorded(place):
    rules = parse_rules({**POKER, "five_card_progressive": "A"})
    table = Pit(setup=setup(rules)).opened().betting().wager(1, ante=1000)
    table.wager(1, five_card_progressive=100).lock().deal().decide()
    table.do("report_exposed", place=place, confirm=True)
    assert table.last("irregularity.disclosed_card").data["ruling"] == "the card plays; recorded"
    assert table.state.phase == "deciding"


# ── a shoe that fails (TCP 13.G, 13.H) ──
@pytest.mark.parametrize("phase", ["locked", "dealing"])
def test_13g_a_shoe_marked_out_of_order_before_every_stack_is_out_voids(phase):
    table = fill(phase)
    table.device("shoe", "offline")
    assert awaited(table)[0] == "online"
    ruling = table.do("mark_out_of_order", "dealer", device="shoe").ruling
    assert ruling is not None
    assert ruling.clauses == ("TCP 13.G",)
    assert table.state.device("shoe").health == "offline"
    table.do("mark_out_of_order", "dealer", device="shoe", confirm=True)
    assert table.last("round.voided").data["clauses"] == ["TCP 13.G"]
    assert table.state.device("shoe").health == "out_of_order"


def test_13g_a_shoe_marked_before_the_lock_voids_at_the_lock():
    table = fill("betting")
    table.device("shoe", "offline")
    table.do("mark_out_of_order", "dealer", device="shoe")
    table.do("confirm_out_of_order", device="shoe")
    assert table.state.phase == "betting"
    table.lock()
    assert table.last("round.voided").data["clauses"] == ["TCP 13.G"]
    assert len(table.last("round.voided").data["returned"]) == 7


def test_13g_before_the_lock_the_dealer_is_told_to_give_the_wagers_back():
    table = fill("betting")
    table.device("shoe", "jam")
    assert awaited(table)[0] == "remove_wager"
    for seat, wager in ((1, "six_card_bonus"), (1, "progressive"), (1, "pair_plus"), (1, "ante"),
                        (3, "progressive"), (3, "ante"), (5, "pair_plus")):  # fmt: skip
        table.do("remove_wager", seat=seat, wager=wager)
    assert awaited(table)[0] == "clear_round"
    table.do("clear_round")
    assert not table.named("round.voided")


@pytest.mark.parametrize("lost", [True, False])
def test_13g_only_the_stub_inside_voids_where_its_order_is_lost_and_cards_are_due(lost):
    rules = parse_rules({**POKER, "five_card_progressive": "A"})
    table = Pit(setup=setup(rules)).opened().betting().wager(1, ante=1000)
    table.wager(1, five_card_progressive=100).lock().deal()
    table.do("report_jam", "dealer", device="shoe", order_lost=lost, confirm=True)
    assert table.state.phase == ("voided" if lost else "deciding")
    assert table.last("irregularity.shoe_jam").data["clauses"] == ["TCP 13.G"]


def test_13g_the_order_of_a_stub_from_which_nothing_is_due_does_not_matter():
    table = fill("deciding")
    refusal = table.refused("report_jam", "dealer", device="shoe", order_lost=True, confirm=True)
    assert refusal.clauses == ("TCP 13.G",)


def test_13h_a_reader_that_fails_keeps_nobody_from_shuffling_by_hand():
    table = pit(READER)
    open_by_hand(table)
    table.do("order_shuffle", reason="seen")
    table.device("shoe", "fault")
    shuffle_cut_load(table)
    assert table.refused("open_bets").clauses == ("TCP 13.H",)


def test_2c_a_wagering_device_that_is_covered_is_returned_before_the_next_round():
    table = fill("deciding")
    table.device("bonus", "offline")
    table.do("mark_out_of_order", "dealer", device="bonus")
    table.do("confirm_out_of_order", device="bonus")
    table.decide().settle().do("clear_round")
    table.shuffle("red")
    table.do("load_shoe")
    assert table.refused("open_bets").clauses == ("TCP 2.C",)
    assert awaited(table)[0] == "return_to_service"


# ── a lock that is cancelled ──
@pytest.mark.parametrize("why", ["listen_only", "out_of_order"])
def test_7e_a_cancelled_lock_waits_for_no_shoe_that_cannot_answer(why):
    listens = replace(READER, listen_only=why == "listen_only")
    table = locked(open_by_hand(pit(listens)))
    if why == "out_of_order":
        table.device("shoe", "fault")
        table.do("mark_out_of_order", "dealer", device="shoe")
    table.do("cancel_lock", reason="pressed by mistake")
    assert table.state.phase == "betting"


# ── cuts that are due (TCP 5.G) ──
def test_5g_nothing_is_inferred_to_be_dealt_while_a_recut_is_due():
    table = locked(open_by_hand(pit()))
    table.do("recut", reason="sloppy")
    for action, args in (
        ("play", {"seat": 1}), ("fold", {"seat": 1}), ("count_stub", {"cards": 43}),
        ("declare_misdeal", {"confirm": True}), ("report_face_up", {"cards": 1}),
        ("report_drawn_in_error", {}), ("abandon", {"seat": 1}),
    ):  # fmt: skip
        assert "TCP 5.G" in table.refused(action, **args).clauses, action
    table.do("cut_cards", "dealer")
    table.do("play", seat=1)


def test_5g_a_round_without_wagers_leaves_the_recut_deck_in_the_shoe():
    table = open_by_hand(pit())
    table.do("open_bets")
    table.do("recut", reason="sloppy")
    table.do("clear_round")
    assert awaited(table)[0] == "cut_cards"
    table.do("cut_cards", "dealer")
    table.do("open_bets")


@pytest.mark.parametrize("how", ["shuffler", "spread"])
def test_5g_a_deck_that_is_shuffled_anew_owes_no_other_cut(how):
    table = pit(SHUFFLER, dealing="manual_shoe")
    table.start()
    table.devices_tell()
    table.do("open_table")
    table.do("receive_decks", decks=[{"id": "red", "back": "red", "preshuffled": True}])
    table.do("cut_cards", "dealer")
    table.do("recut", reason="sloppy")
    assert table.duties() == {"cut_again"}
    if how == "spread":
        table.do("spread_idle")
        table.do("player_inspected", viewed=True)
        table.do("wash_cards")
    table.shuffle("red")
    assert table.duties() == set()
    table.do("load_shoe")


# ── dealing from the hand (TCP 9.A(1)) ──
def test_9a1_a_preshuffled_deck_is_asked_into_the_shuffler():
    table = pit(SHUFFLER, dealing="hand")
    table.start()
    table.devices_tell()
    table.do("open_table")
    table.do("receive_decks", decks=[{"id": "red", "back": "red", "preshuffled": True}])
    assert awaited(table)[0] == "shuffle_started"
    table.do("cut_cards", "dealer")
    assert awaited(table)[0] == "shuffle_started"
    table.shuffle("red")
    assert awaited(table)[0] == "load_shoe"


def test_9g_a_round_from_the_hand_is_counted_by_chapter_9_to_its_end():
    table = pit(SHUFFLER, dealing="hand").opened()
    table.do("load_shoe")
    locked(table).do("play", seat=1)
    table.device("shuffler", "fault")
    table.do("mark_out_of_order", "dealer", device="shuffler")
    for _ in range(2):
        table.do("count_stub", cards=42)
    table.do("judge_stub", misdealt=True)
    assert table.last("round.voided").data["clauses"] == ["TCP 9.G"]


# ── a void where nobody saw the cards ──
def test_a_floor_void_before_a_deal_that_nobody_sees_asks_for_a_reshuffle():
    table = locked(open_by_hand(pit()))
    table.do("void_round", reason="two players quarrel")
    assert {"reshuffle", "count_deck"} <= table.duties()


@pytest.mark.parametrize("baccarat", [False, True])
def test_7c2_a_seat_is_abandoned_before_the_first_decision_of_an_unseen_deal(baccarat):
    table = locked(open_by_hand(pit(baccarat=baccarat)))
    table.do("abandon", seat=1)
    assert table.state.round.out == ((1, "abandoned"),)
    assert len(table.state.round.hand("dealer")) == 3


def test_tcb_11a5_a_seat_forfeits_before_the_reveal_of_an_unseen_deal():
    table = locked(open_by_hand(pit(baccarat=True)))
    table.do("forfeit", seat=1, reason="3")
    assert table.last("seat.forfeited").data["clauses"] == ["TCB 11.A(5)", "TCB 11.A(3)"]


def test_10b4_after_an_abandoned_seat_the_dealers_stack_is_asked_for():
    table = left_inside(1)
    table.do("abandon", seat=3)
    assert awaited(table)[0] == "stack"


# ── proofs of 52 ──
def test_8f_a_new_deck_is_a_proof_of_52():
    table = open_by_hand(pit())
    for _ in range(4):
        unseen_round(table)
        if table.state.rounds < 4:
            shuffle_cut_load(table)
    assert table.state.rounds_since_count == 4
    table.do("change_decks")
    table.do("receive_decks", decks=[{"id": "blue", "back": "blue", "preshuffled": True}])
    assert table.state.rounds_since_count == 0
    table.do("cut_cards")
    table.do("load_shoe")
    locked(table).do("play", seat=1)


@pytest.mark.parametrize("count", [None, 52])
@pytest.mark.parametrize("why", ["void", "jam"])
def test_13d_13f_52_are_counted_after_a_void_or_a_jam_by_whoever_counts(why, count):
    table = Pit().opened().betting().wager(1, ante=1000).lock().deal()
    if why == "void":
        table.do("declare_misdeal", confirm=True)
        table.do("acknowledge_void")
    else:
        table.decide().settle()
    table.do("clear_round")
    if why == "jam":
        table.device("shuffler", "shuffle_started", deck="red")
        table.device("shuffler", "jam")
        table.device("shuffler", "cleared")
    table.shuffle("red", count)
    assert table.duties() == (set() if count else {"count_deck"})
    table.do("load_shoe")
    if not count:
        table.refused("open_bets")
        table.do("count_stub", cards=52)
    table.do("open_bets")


def test_5a3_a_shuffle_that_the_floor_orders_asks_for_no_count():
    table = Pit().opened()
    table.do("order_shuffle", reason="seen")
    table.shuffle("red", None)
    assert table.duties() == set()


def test_8h_the_floor_who_watches_the_recount_is_recorded():
    table = locked(open_by_hand(pit()))
    table.do("count_stub", "dealer", cards=42)
    watched = Second("floor-9", ("floor",), "pin")
    args = {"cards": 43}
    table.feed(Action(table.at(), "count_stub", "dealer-1", ("dealer",), args=args, second=watched))
    assert table.last("action.done").data["second"] == "floor-9"


# ── two decks (TCP 3.A, 3.B) ──
def two_decks_without_shuffler():
    table = Pit().opened("red", "blue")
    table.play_round("red")
    table.device("shuffler", "offline")
    table.do("mark_out_of_order", "dealer", device="shuffler")
    table.do("confirm_out_of_order", device="shuffler")
    table.do("shuffle_done", deck="red")
    table.do("cut_cards", deck="red")
    return table


def test_3b_two_decks_do_not_alternate_without_a_shuffler():
    table = two_decks_without_shuffler()
    assert table.refused("load_shoe").clauses == ("TCP 3.B",)
    assert table.refused("load_shoe", deck="blue").clauses == ("TCP 3.B",)
    assert awaited(table)[0] == "single_deck"
    table.do("single_deck")
    assert table.refused("load_shoe", deck="blue").clauses == ("TCP 3.A(1)",)
    table.do("load_shoe", deck="red")


def test_3b_with_the_second_deck_gone_one_is_played():
    table = two_decks_without_shuffler()
    table.do("remove_deck", deck="blue")
    table.do("load_shoe", deck="red")


# ── amounts that are the dealer's to see (TCP 7.G) ──
@pytest.mark.parametrize(
    "condition", ["ante_at_least_equal", "ante_at_least_half", "both_compulsory"]
)
def test_7g_no_ratio_is_judged_where_an_amount_is_unknown(condition):
    rules = parse_rules({**POKER, "dealing": "manual_shoe", "pair_plus_condition": condition})
    table = Pit(setup=setup(rules, devices=(), limits=(), tracking="seats"))
    open_by_hand(table).do("open_bets")
    table.do("place_wager", seat=1, wager="ante")
    table.do("place_wager", seat=1, wager="pair_plus", amount=50_000)
    table.lock()
    assert {w.wager: w.cents for w in table.state.round.live_wagers(1)}["pair_plus"] == 50_000


def test_7g1_a_pair_plus_that_lost_its_ante_goes_back_where_amounts_are_unknown():
    rules = {**POKER, "dealing": "manual_shoe", "pair_plus_condition": "ante_at_least_equal"}
    table = Pit(setup=setup(parse_rules(rules), devices=(), limits=(), tracking="seats"))
    open_by_hand(table).do("open_bets")
    table.do("place_wager", seat=1, wager="ante")
    table.do("place_wager", seat=1, wager="pair_plus")
    table.do("remove_wager", seat=1, wager="ante")
    table.lock()
    assert table.state.round.live_wagers() == ()


# ── vigorish (TCB 12.A(2)) ──
@pytest.mark.parametrize(
    ("rules", "clauses"),
    [({}, ["TCB 12.A", "TCB 12.A(2)"]), ({"jurisdiction": "WA"}, ["WA-TCB D7"]),
     ({"commission": "free"}, None)],
)  # fmt: skip
def test_tcb_12a2_vigorish_is_collected_as_the_win_is_paid(rules, clauses):
    table = locked(open_by_hand(pit(READER, baccarat=True, **rules)))
    for card in ("9C", "2D", "5H", "QC", "2C", "JH", "KD", "3D", "QS"):
        table.device("shoe", "card", [card])
    table.do("reveal_dealer")
    seat = next(iter(table.state.round.turns))
    assert not table.named("vigorish.collected")
    table.do("confirm_payment", seat=seat)
    table.settle_rest()
    taken = [(e.data["seat"], e.data["cents"], e.data["clauses"])
             for e in table.named("vigorish.collected")]  # fmt: skip
    assert sorted(taken) == ([(1, 50, clauses), (3, 50, clauses)] if clauses else [])


# ── Washington, where the floor decides ──
def floor_decides():
    rules = parse_rules({**BACCARAT, "jurisdiction": "WA", "house_rulings": False})
    devices = tuple(d for d in DEVICES if d.kind != "progressive")
    return Pit(setup=setup(rules, devices=devices, limits=())).opened()


def test_wa_a_shoe_that_failed_before_the_lock_is_told_once_and_gets_no_leave():
    table = floor_decides().betting().wager(1, ante=1000)
    table.device("shoe", "jam")
    table.device("shoe", "cleared")
    since = table.state.sequence
    table.lock()
    for _ in range(3):
        table.do("log_on", "surveillance")
    assert len(table.named("alarm.raised", since)) == 1
    assert table.leave == 0
    assert awaited(table)[0] == "void_round"
    table.do("void_round", reason="the shoe jammed")
    assert "reshuffle" in table.duties()


def test_wa_a_shuffle_that_stopped_is_begun_again():
    table = floor_decides().betting().wager(1, ante=1000).lock().deal().settle()
    table.do("clear_round")
    table.device("shuffler", "shuffle_started", deck="red")
    table.device("shuffler", "jam")
    assert table.state.deck("red").preparation == "stacked"
    GoodDealer(table).to_next_bets()


# ── one machine that shuffles and deals: the phase decides the clause (TCP 13.F, 13.G) ──
COMBINED = tuple(
    replace(device, combined_with="shoe") if device.id == "shuffler" else device
    for device in DEVICES
)


@pytest.mark.parametrize("half", ["shoe", "shuffler"])
@pytest.mark.parametrize("how", ["told", "reported"])
def test_13g_a_combined_device_that_jams_as_it_deals_voids_whichever_half_tells(how, half):
    table = fill("dealing", setup=setup(devices=COMBINED))
    if how == "told":
        table.device(half, "jam")
    else:
        table.do("report_jam", "dealer", device=half, confirm=True)
    assert table.last("round.voided").data["clauses"] == ["TCP 13.G"]
    assert not table.named("irregularity.shuffler_jam")


@pytest.mark.parametrize("half", ["shoe", "shuffler"])
def test_13f_a_combined_device_that_jams_as_it_shuffles_begins_anew(half):
    table = Pit(setup=setup(devices=COMBINED)).opened().play_round()
    table.device("shuffler", "shuffle_started", deck="red")
    table.device(half, "jam")
    assert table.last("irregularity.shuffler_jam").data["clauses"] == ["TCP 13.F"]
    assert table.duties() == {"reshuffle"}
    assert table.state.deck("red").preparation == "stacked"


@pytest.mark.parametrize("half", ["shoe", "shuffler"])
def test_13h_a_combined_device_is_out_of_order_as_a_whole(half):
    table = Pit(setup=setup(devices=COMBINED)).opened()
    table.device(half, "jam")
    table.do("mark_out_of_order", "dealer", device=half)
    table.do("confirm_out_of_order", device=half)
    table.do("shuffle_done")
    table.do("cut_cards")
    table.do("count_stub", cards=52)
    table.do("load_shoe")
    assert "TCP 8.B" in table.last("deck.loaded").data["clauses"]


def test_13g_two_devices_each_fail_by_their_own_clause():
    table = fill("dealing")
    table.device("shuffler", "jam")
    assert table.state.phase == "dealing"
