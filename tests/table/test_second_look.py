"""Faults that a second reader found at the three-card tables: each must stay mended."""

import pytest

from tests.table.by_hand import READER, locked, open_by_hand, pit, shuffle_cut_load
from tests.table.pit import Pit, fill


def test_10a_3_cards_that_leave_before_the_chips_are_verified_void_the_round():
    table = Pit().opened().betting().wager(1, ante=1000)
    table.accept(1)
    table.lock()
    table.do("count_progressive", chips=0)
    table.device("shoe", "stack", ["2C", "3C", "4D"])
    assert table.state.phase == "voided"
    assert table.last("round.voided").data["reason"] == "card_before_lock"


@pytest.mark.parametrize("name", ["fault", "jam"])
def test_13g_a_reader_that_fails_on_a_manual_shoe_voids_nothing(name):
    table = locked(open_by_hand(pit(READER)))
    table.device("shoe", "card", ["2C"])
    table.device("shoe", name)
    assert table.state.phase == "dealing"
    table.do("play", seat=1)  # the rest was dealt unseen, and is inferred
    assert table.state.phase == "deciding"
    assert len(table.state.round.hand("dealer")) == 3
    assert [event.data["inferred"] for event in table.named("card.dealt")] == [False] + [True] * 8


def test_13h_after_a_jam_a_deck_comes_out_of_a_shuffler_that_is_out_of_order():
    table = Pit().opened().play_round()
    table.device("shuffler", "shuffle_started", deck="red")
    table.device("shuffler", "jam")
    table.do("mark_out_of_order", device="shuffler")
    table.do("confirm_out_of_order", device="shuffler")
    table.do("shuffle_done", "dealer")
    table.do("cut_cards", "dealer")
    assert table.duties() == {"count_deck"}  # TCP 13.F: a full new cycle and count
    table.do("count_stub", cards=52)
    assert table.duties() == set()


def test_5g_a_card_that_leaves_while_a_recut_is_due_is_an_irregularity():
    table = locked(open_by_hand(pit(READER)))
    table.do("recut", reason="sloppy")
    table.device("shoe", "card", ["2C"])
    assert "irregularity.card_before_lock" in table.types()
    assert table.state.phase == "voided"


def test_13a_no_card_is_replaced_once_a_seat_has_decided():
    table = fill("deciding")
    table.do("play", seat=1)
    assert table.refused("report_face_up", cards=1, place="seat/1/1").why


def test_13e_without_an_ante_in_play_the_exposed_card_is_the_reveal():
    table = Pit().opened().betting().wager(1, pair_plus=1000).lock().deal()
    assert table.refused("report_exposed", place="dealer/1").clauses == ("TCP 11.D(2)",)


@pytest.mark.parametrize("place", ["dealer/9", "seat/7/2"])
def test_13e_only_a_card_that_is_there_can_be_exposed(place):
    assert fill("deciding").refused("report_exposed", place=place, confirm=True).malformed


def test_after_a_void_52_are_counted_where_no_device_counts():
    table = locked(open_by_hand(pit(READER)))
    table.device("shoe", "card", ["2C"])
    table.do("declare_misdeal", confirm=True)
    assert "count_deck" in table.duties()
    table.do("clear_round")
    table.do("acknowledge_void")
    shuffle_cut_load(table)
    assert table.refused("open_bets").why.startswith("first: count deck")
    table.do("count_stub", cards=52)
    table.do("open_bets")


def test_a_deck_that_has_left_does_not_come_back():
    table = open_by_hand(pit())
    table.do("change_decks")
    again = [{"id": "red", "back": "red"}]
    assert "left this table" in table.refused("receive_decks", decks=again).why


def test_a_gap_in_a_deal_asks_for_the_stub_before_the_first_decision():
    table = locked(open_by_hand(pit(READER)))
    cards = ["2C", "7D", "9H", "3C", "8D", "TH", "4C", "9D", "JH"]
    table.device("shoe", "card", [cards[0]])
    table.device("shoe", "gap", what="a line was cut off")
    for card in cards[1:]:
        table.device("shoe", "card", [card])
    assert table.refused("play", seat=1).clauses
    table.do("count_stub", cards=43)
    table.do("play", seat=1)
