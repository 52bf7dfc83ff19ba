"""Three Card Baccarat at the table: the shared procedure refuses by this text's own clauses."""

from dataclasses import replace

import pytest

from tablectl.table.setup import Limit
from tests.table.by_hand import READER, SHUFFLER, enter_all, locked, open_by_hand, pit, unseen_round
from tests.table.pit import Pit

HOUR = 3_600_000


def shoe_table(*decks: str, **rules) -> Pit:
    """From an automated shoe, opened, the decks shuffled."""
    return pit(SHUFFLER, READER, baccarat=True, dealing="automated_shoe", **rules).opened(*decks)


def loaded(**rules) -> Pit:
    table = shoe_table(**rules)
    table.do("load_shoe", "dealer")
    return table


def betting() -> Pit:
    table = loaded()
    table.do("open_bets", "dealer")
    return table


def refused(table: Pit, action: str, *clauses: str, **args) -> None:
    assert table.refused(action, **args).clauses == clauses


# ── chapters 3, 4, 5 ──
def test_3a_3b_no_more_than_two_decks():
    table = shoe_table()
    more = [{"id": "a", "back": "blue"}, {"id": "b", "back": "green"}]
    refused(table, "receive_decks", "TCB 3.A", "TCB 3.B", decks=more)


def test_3b_two_decks_need_a_shuffler():
    table = open_by_hand(pit(baccarat=True))
    refused(table, "receive_decks", "TCB 3.B", decks=[{"id": "a", "back": "blue"}])


def test_3b2_the_backs_differ():
    table = shoe_table()
    refused(table, "receive_decks", "TCB 3.B(2)", decks=[{"id": "a", "back": "red"}])


def test_3b3_one_deck_in_the_shoe():
    table = shoe_table("red", "blue")
    table.do("load_shoe", "dealer", deck="red")
    refused(table, "load_shoe", "TCB 3.A", "TCB 3.B(3)", deck="blue")


def play(table: Pit, deck: str) -> None:
    table.do("load_shoe", "dealer", deck=deck)
    locked(table)
    table.deal().settle()
    table.do("clear_round", "dealer")


def test_3b4_3b5_the_decks_alternate_and_the_rack_is_clear():
    table = shoe_table("red", "blue")
    play(table, "red")
    table.do("load_shoe", "dealer", deck="blue")
    refused(table, "open_bets", "TCB 3.B(5)")
    table.shuffle("red")
    table.do("open_bets", "dealer")
    table.do("clear_round", "dealer")
    table = shoe_table("red", "blue")
    play(table, "red")
    table.shuffle("red")
    refused(table, "load_shoe", "TCB 3.B(4)", deck="red")


def test_3b4_nothing_is_loaded_while_the_other_deck_is_not_ready():
    table = shoe_table("red", "blue")
    play(table, "red")
    table.do("order_shuffle", deck="blue", reason="a player asked")
    table.shuffle("red")
    refused(table, "load_shoe", "TCB 3.B(4)")


@pytest.mark.parametrize(
    ("devices", "dealing", "hours", "clause"),
    [((), "manual_shoe", 8, "TCB 3.C(2)"), ((SHUFFLER,), "hand", 4, "TCB 3.C(1)")],
)
def test_3c_no_new_round_with_a_deck_whose_time_is_up(devices, dealing, hours, clause):
    table = pit(*devices, baccarat=True, dealing=dealing)
    if devices:
        table.opened()
        table.do("load_shoe", "dealer")
    else:
        open_by_hand(table)
    table.tick(hours * HOUR)
    refused(table, "open_bets", clause)


def test_4a_to_4e_each_step_in_order():
    table = pit(SHUFFLER, READER, baccarat=True, dealing="automated_shoe")
    table.start()
    table.devices_tell()
    table.do("open_table")
    table.do("receive_decks", decks=[{"id": "red", "back": "red"}, {"id": "blue", "back": "blue"}])
    for deck in ("red", "blue"):
        since = table.state.sequence
        refused(table, "wash_cards", "TCB 4.C(1)", "TCB 4.C(2)", "TCB 4.C(3)", deck=deck)
        table.ready(deck)
        steps = [
            event.data["clauses"]
            for name in ("deck.inspected", "deck.spread", "deck.viewed", "deck.washed")
            for event in table.named(name, since)
        ]
        washed = ["TCB 4.C(1)", "TCB 4.C(2)", "TCB 4.C(3)"]
        assert steps == [["TCB 4.A"], ["TCB 4.A"], ["TCB 4.B"], ["TCB 4.C"], washed]


def test_4d_an_unwashed_deck_is_not_shuffled():
    table = pit(SHUFFLER, READER, baccarat=True, dealing="automated_shoe")
    table.start()
    table.devices_tell()
    table.do("open_table")
    table.do("receive_decks", decks=[{"id": "red", "back": "red"}])
    table.device("shuffler", "shuffle_started", deck="red")
    assert "device.refused" in table.types()
    assert table.state.decks[0].preparation == "received"


def test_4f_5c2_a_preshuffled_deck_is_cut():
    table = pit(baccarat=True)
    table.start()
    table.do("open_table")
    table.do("receive_decks", decks=[{"id": "red", "back": "red", "preshuffled": True}])
    assert table.last("deck.received").data["clauses"] == ["TCB 4.F"]
    refused(table, "load_shoe", "TCB 5.A", "TCB 10.A(1)")
    table.do("cut_cards", "dealer")
    assert table.last("deck.cut").data["clauses"] == ["TCB 5.C(2)", "TCB 5.D", "TCB 5.D(1)"]
    table.do("load_shoe", "dealer")
    assert table.last("deck.loaded").data["clauses"] == ["TCB 5.D(2)", "TCB 8.B"]


def test_5a_10a1_nothing_is_dealt_that_was_not_shuffled_and_loaded():
    table = shoe_table()
    refused(table, "open_bets", "TCB 10.A(1)", "TCB 5.A")
    play(table, "red")
    refused(table, "load_shoe", "TCB 5.A", "TCB 10.A(1)")


def test_5a3_the_floor_orders_a_shuffle():
    table = loaded()
    table.do("order_shuffle", reason="a player asked")
    refused(table, "open_bets", "TCB 5.A(3)")


def test_5b_a_wrong_count_sends_the_deck_away():
    table = shoe_table()
    table.do("order_shuffle", reason="to count it")
    table.shuffle("red", count=51)
    assert table.last("deck.latched").data["clauses"] == ["TCB 5.B(1)", "TCB 5.B(2)"]
    assert "remove_deck" in table.duties()
    assert table.refused("load_shoe").clauses


def test_5c_the_shuffled_stack_goes_into_the_shoe():
    table = loaded()
    assert table.last("deck.shuffled").data["clauses"] == ["TCB 5.C", "TCB 5.B"]
    assert table.last("deck.loaded").data["clauses"] == ["TCB 5.B", "TCB 10.A(1)"]


def test_5e_the_floor_may_require_a_recut():
    table = open_by_hand(pit(baccarat=True))
    table.do("recut", reason="sloppy")
    assert table.last("deck.recut").data["clauses"] == ["TCB 5.E"]
    assert "TCB 5.E" in table.refused("open_bets").clauses


def test_5f_an_idle_table_is_spread_and_opened_anew():
    table = open_by_hand(pit(baccarat=True))
    table.tick(5 * 60_000 + 1000)
    assert table.last("table.idle").data["clauses"] == ["TCB 5.F"]
    table.do("spread_idle", "dealer")
    assert table.last("deck.spread").data["clauses"] == ["TCB 5.F(1)", "TCB 5.F(2)"]
    table.do("player_inspected", "dealer", viewed=True)
    assert table.last("deck.viewed").data["clauses"] == ["TCB 4.C"]


def test_5h_a_shoe_that_shuffles_and_counts_spares_the_spread():
    table = loaded()
    table.tick(HOUR)
    assert "table.idle" not in table.types()


# ── chapter 7 ──
def test_2a_seats_run_from_one_to_six():
    refused(betting(), "place_wager", "TCB 2.A(1)", seat=7, wager="ante", amount=100)


def test_7a_7c_7d_wagers_stand_from_no_more_bets():
    table = loaded()
    wager = {"seat": 1, "wager": "ante", "amount": 1000}
    refused(table, "place_wager", "TCB 7.C", "TCB 7.D", **wager)
    table.do("open_bets", "dealer")
    table.do("place_wager", "dealer", **wager)
    table.lock()
    refused(table, "place_wager", "TCB 7.C", "TCB 7.D", **wager)
    refused(table, "remove_wager", "TCB 7.D", seat=1, wager="ante")
    assert table.last("round.bets_locked").data["clauses"] == ["TCB 7.C", "TCB 7.D"]


def test_7e_what_is_not_offered_is_refused():
    refused(betting(), "place_wager", "TCB 7.E", seat=1, wager="pair_plus", amount=100)


@pytest.mark.parametrize("wager", ["three_kings", "tie", "dragon"])
def test_7e2_a_bonus_stands_beside_an_ante(wager):
    table = betting()
    refused(table, "place_wager", "TCB 7.E(2)", seat=1, wager=wager, amount=100)
    table.wager(1, ante=1000, **{wager: 100})


# ── chapters 8 to 11 ──
PASSES = [f"{owner}/{n}" for n in (1, 2, 3) for owner in ("seat/1", "seat/3", "dealer")]
STACKS = [f"{owner}/{n}" for owner in ("seat/1", "seat/3", "dealer") for n in (1, 2, 3)]


def test_8d2_8d3_one_card_at_a_time_the_dealer_last():
    table = locked(open_by_hand(pit(READER, baccarat=True)))
    for card in ("2C", "7D", "9H", "3C", "8D", "TH", "4C", "9D", "JH"):
        table.device("shoe", "card", [card])
    dealt = table.named("card.dealt")
    assert [event.data["place"] for event in dealt] == PASSES
    assert dealt[0].data["clauses"] == ["TCB 8.D(2)"]
    assert table.last("round.dealt").data["clauses"] == ["TCB 8.D(3)"]


def test_9a1_9b_from_the_hand_what_a_device_shuffled():
    table = pit(SHUFFLER, baccarat=True, dealing="hand")
    table.start()
    table.devices_tell()
    table.do("open_table")
    table.do("receive_decks", decks=[{"id": "red", "back": "red", "preshuffled": True}])
    table.do("cut_cards", "dealer")
    assert table.refused("load_shoe").clauses
    table.do("order_shuffle", reason="for the hand")
    table.shuffle("red")
    table.do("load_shoe", "dealer")
    assert table.last("deck.loaded").data["clauses"] == ["TCB 9.A(2)"]
    locked(table)
    table.do("reveal_dealer", "dealer")
    dealt = table.named("card.dealt")
    assert [event.data["place"] for event in dealt] == PASSES
    assert "TCB 9.B(1)" in dealt[0].data["clauses"]
    assert table.last("round.dealt").data["clauses"] == ["TCB 9.B(2)"]


def test_10b_a_stack_for_each_seat_and_the_dealer():
    table = locked(loaded()).deal()
    dealt = table.named("card.dealt")
    assert [event.data["place"] for event in dealt] == STACKS
    assert dealt[0].data["clauses"] == ["TCB 10.B(1)"]
    assert table.last("round.dealt").data["clauses"] == ["TCB 10.B(1)", "TCB 10.B(2)"]
    assert table.state.phase == "examining"


def test_10a2_no_stack_has_leave_before_no_more_bets():
    table = betting()
    table.wager(1, ante=1000)
    assert "dispense" not in table.permitted()
    table.lock()
    assert "dispense" in table.permitted()


def test_10a2_a_card_before_no_more_bets_voids():
    table = betting()
    table.wager(1, ante=1000)
    table.device("shoe", "stack", ["2C", "7D", "9H"])
    assert "irregularity.card_before_lock" in table.types()
    assert table.state.phase == "voided"


def test_9c_the_stub_is_counted_from_the_hand_too():
    table = pit(SHUFFLER, baccarat=True, dealing="hand").opened()
    for _ in range(4):
        table.do("load_shoe", "dealer")
        unseen_round(table)
        table.shuffle("red", count=None)
    table.do("load_shoe", "dealer")
    locked(table)
    refused(table, "reveal_dealer", "TCB 9.C")
    table.do("count_stub", "dealer", cards=43)
    table.do("reveal_dealer", "dealer")


def test_11b_nobody_is_paid_before_the_dealer_exposes():
    table = locked(loaded()).deal()
    assert table.refused("confirm_payment", seat=1).clauses == ("TCB 11.B(2)",)
    table.do("reveal_dealer", "dealer")
    assert table.last("round.revealed").data["clauses"] == ["TCB 11.B"]


def test_11b2_11c_from_the_dealers_left_and_the_cards_to_the_rack():
    table = locked(loaded(), 1, 3, 5, ante=1000, dragon=100).deal()
    table.do("reveal_dealer", "dealer")
    refused(table, "confirm_payment", "TCB 11.B(2)", seat=5)
    enter_all(table)
    assert table.last("round.settled").data["order"] == [1, 3, 5]
    table.do("clear_round", "dealer")
    assert table.last("round.cleared").data["clauses"] == ["TCB 11.C"]


# ── chapter 13.E ──
def test_13e_no_other_method_before_the_shuffler_is_covered():
    table = shoe_table()
    table.do("order_shuffle", reason="to be shuffled by hand")
    table.device("shuffler", "jam")
    assert "TCB 13.E" in table.refused("shuffle_done").clauses
    table.do("mark_out_of_order", "dealer", device="shuffler")
    told = table.last("device.out_of_order").data
    assert told["clauses"] == ["TCB 13.E(1)", "TCB 13.E(2)"]
    refused(table, "shuffle_done", "TCB 13.E")
    table.do("confirm_out_of_order", device="shuffler")
    table.do("shuffle_done", "dealer")


# ── Washington's letter: what it says is cited, what it does not is house procedure ──
def washington(**rules) -> Pit:
    table = loaded(jurisdiction="WA", **rules)
    table.do("open_bets", "dealer")
    return table


def test_wa_d2_d3_a_bonus_stands_beside_a_bet_against_the_dealer():
    table = washington()
    refused(table, "place_wager", "WA-TCB D3", seat=7, wager="dragon", amount=100)
    table.wager(7, ante=1000, dragon=100)
    assert "WA-TCB D2" in table.last("round.opened").data["clauses"]


def test_wa_d4_d5_d6_d10_stacks_no_decision_reveal_from_the_right():
    table = washington()
    for seat in (1, 3, 7):
        table.wager(seat, ante=1000)
    table.lock().deal()
    assert table.last("card.dealt").data["clauses"] == ["WA-TCB D4"]
    for decision in ("play", "fold"):
        assert table.refused(decision, seat=1).malformed
        assert decision not in table.tick(1).allowed
    table.do("reveal_dealer", "dealer")
    assert table.last("round.revealed").data["clauses"] == ["WA-TCB D6"]
    refused(table, "confirm_payment", "WA-TCB D10", seat=1)
    enter_all(table)
    assert table.last("round.settled").data["order"] == [7, 3, 1]


@pytest.mark.parametrize("house", [True, False])
def test_wa_an_irregularity_is_ruled_by_the_house_and_cites_no_clause(house):
    table = washington(house_rulings=house)
    table.wager(1, ante=1000)
    table.lock()
    table.device("shoe", "jam")
    told = table.last("irregularity.shoe_jam").data
    assert (told["clauses"], told["basis"]) == ([], ["house procedure"])
    assert (table.state.phase == "voided") is house


def test_wa_r1_the_tables_limits_hold():
    table = washington()
    table.setup = replace(table.setup, limits=(Limit("ante", 500, 30_000),))
    table.do("clear_round", "dealer")
    table.restart()
    table.devices_tell()
    table.do("resume_table")
    table.do("open_bets", "dealer")
    for amount in (499, 30_001):
        refusal = table.refused("place_wager", seat=1, wager="ante", amount=amount)
        assert "$5 to $300" in refusal.why
    table.wager(1, ante=30_000)


def test_wa_r5_from_a_dealing_shoe_by_the_houses_procedure():
    table = unseen_round(open_by_hand(pit(baccarat=True, jurisdiction="WA")))
    assert table.last("deck.shuffled").data["basis"] == ["house procedure"]
    assert table.last("round.settled").data["clauses"] == ["WA-TCB D7"]
