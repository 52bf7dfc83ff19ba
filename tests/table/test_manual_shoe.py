"""Dealing from a manual shoe and from the hand (TCP 8, 9; TCB 8, 9), seen and unseen."""

import pytest

from tests.table.by_hand import (
    READER,
    SHUFFLER,
    enter_all,
    locked,
    open_by_hand,
    pit,
    shuffle_cut_load,
    unseen_round,
)  # fmt: skip

PASSES = [f"{owner}/{n}" for n in (1, 2, 3) for owner in ("seat/1", "seat/3", "dealer")]


def places(table):
    return [event.data["place"] for event in table.named("card.dealt")]


def test_8e_one_card_at_a_time_the_dealer_last_in_each_pass():
    table = locked(open_by_hand(pit(READER)))
    for card in ("2C", "7D", "9H", "3C", "8D", "TH", "4C", "9D", "JH"):
        assert table.state.phase in ("locked", "dealing")
        table.device("shoe", "card", [card])
    assert places(table) == PASSES
    assert table.state.phase == "deciding"
    assert not any(event.data["inferred"] for event in table.named("card.dealt"))
    assert "TCP 8.E" in table.last("card.dealt").data["clauses"]
    assert table.last("round.dealt").data["clauses"] == ["TCP 8.E(3)"]


def test_a_shoe_that_names_another_place_is_told_and_not_followed():
    """The dealer leads: the card lies where it is due until the floor moves it."""
    table = locked(open_by_hand(pit(READER)))
    places = ("seat/1/1", "dealer/1", 7, "nowhere")
    for card, place in zip(("2C", "3C", "4C", "5C"), places, strict=True):
        table.device("shoe", "card", [card], place=place)
    told = [event.data["what"] for event in table.named("irregularity.wrong_order")]
    assert told == [
        "The shoe takes the card at seat/3/1 for 'dealer/1'.",
        "The shoe takes the card at seat/1/2 for 'nowhere'.",
    ]
    assert [card.place for card in table.state.round.cards] == [
        "seat/1/1", "seat/3/1", "dealer/1", "seat/1/2",
    ]  # fmt: skip
    assert table.state.phase == "dealing"


def test_8e_2_two_community_cards_after_the_last_hand():
    table = pit(READER, five_card_progressive="A")
    table.setup = table.setup  # a table with a five-card progressive needs its device elsewhere
    open_by_hand(table)
    table.do("open_bets")
    table.wager(1, ante=1000)
    plan = ["seat/1/1", "dealer/1", "seat/1/2", "dealer/2", "seat/1/3", "dealer/3"]
    table.lock()
    assert list(table.state.round.plan) == plan


def test_an_unseen_deal_is_inferred_from_the_first_decision_and_marked():
    table = locked(open_by_hand(pit()))
    assert table.state.phase == "locked"
    table.do("play", "dealer", seat=1)
    dealt = table.named("card.dealt")
    assert [event.data["place"] for event in dealt] == PASSES
    assert all(event.data["inferred"] and event.data["commitment"] is None for event in dealt)
    assert table.state.phase == "deciding"
    assert table.state.round.decision(1) == "play"


def test_the_lock_can_be_cancelled_while_no_deal_is_inferred():
    table = locked(open_by_hand(pit()))
    table.do("cancel_lock", reason="too early")
    assert table.state.phase == "betting"


def test_an_unseen_round_is_entered_card_by_card_and_settled():
    cards = {"dealer/1": "QS", "dealer/2": "9H", "dealer/3": "4D"}
    cards |= {"seat/1/1": "5H", "seat/1/2": "6H", "seat/1/3": "7H"}
    table = unseen_round(open_by_hand(pit()), cards)
    seats = {seat["seat"]: seat for seat in table.last("round.settled").data["seats"]}
    assert seats[1]["returned"] == 1000 * 2 + 1000 * 2 + 5000
    assert table.state.phase == "preparing"


def test_an_unseen_baccarat_round_goes_straight_to_the_reveal():
    table = unseen_round(open_by_hand(pit(baccarat=True)))
    assert table.last("round.settled").data["clauses"] == ["TCB 11.B", "TCB 12.A"]
    assert table.last("card.dealt").data["clauses"] == ["TCB 8.D(2)"]


def test_5a_the_deck_is_shuffled_and_cut_after_each_round():
    table = unseen_round(open_by_hand(pit()))
    assert "TCP 5.A" in table.refused("load_shoe").clauses
    shuffle_cut_load(table)
    table.do("open_bets")


def test_5a_where_a_shuffler_is_in_order_it_shuffles():
    table = pit(SHUFFLER)
    table.start()
    table.devices_tell()
    table.do("open_table")
    table.do("receive_decks", decks=[{"id": "red", "back": "red", "preshuffled": True}])
    assert "TCP 13.H" in table.refused("shuffle_done").clauses


def test_4f_a_preshuffled_deck_is_cut_and_not_shuffled():
    table = pit()
    table.start()
    table.do("open_table")
    table.do("receive_decks", decks=[{"id": "red", "back": "red", "preshuffled": True}])
    assert table.refused("load_shoe").clauses
    table.do("cut_cards", "dealer")
    assert "TCP 5.F" in table.last("deck.cut").data["clauses"]
    table.do("load_shoe", "dealer")
    table.do("open_bets", "dealer")


@pytest.mark.parametrize("moment", ["preparing", "betting", "locked"])
def test_5g_the_floor_requires_a_recut_until_the_first_card(moment):
    table = open_by_hand(pit(READER))
    if moment != "preparing":
        table.do("open_bets")
        table.wager(1, ante=1000)
    if moment == "locked":
        table.lock()
    assert table.refused("recut", "dealer", reason="sloppy").role
    table.do("recut", reason="sloppy")
    assert table.last("deck.recut").data["clauses"] == ["TCP 5.G"]
    if moment == "preparing":
        assert "TCP 5.G" in table.refused("open_bets").clauses
    table.do("cut_cards", "dealer")
    assert table.duties() == set()
    if moment == "preparing":
        table.do("open_bets")


def test_5g_no_recut_once_a_card_is_out():
    table = locked(open_by_hand(pit(READER)))
    table.device("shoe", "card", ["2C"])
    assert "TCP 5.G" in table.refused("recut", reason="late").clauses


def test_a_second_recut_suggests_a_reshuffle_and_tells_surveillance():
    table = open_by_hand(pit())
    for _ in range(2):
        table.do("recut", reason="sloppy")
        table.do("cut_cards", "dealer")
    assert [alarm.kind for alarm in table.state.alarms] == ["recut_again"]


def test_5a_3_the_floor_orders_a_shuffle():
    table = open_by_hand(pit())
    table.do("order_shuffle", reason="a player asked")
    assert table.duties() == {"reshuffle"}
    assert table.refused("open_bets").clauses == ("TCP 5.A(3)",)
    shuffle_cut_load(table)
    table.do("open_bets")


# ── from the hand ──
def hand_table():
    table = pit(SHUFFLER, dealing="hand")
    table.opened()
    return table


def test_9a_1_what_is_dealt_from_the_hand_was_shuffled_by_a_device():
    table = hand_table()
    table.do("load_shoe", "dealer")
    assert table.state.decks[0].custody == "hand"
    assert table.last("deck.loaded").data["clauses"] == ["TCP 9.A(2)"]
    locked(table)
    table.do("play", seat=1)
    assert "TCP 9.C" in table.last("card.dealt").data["clauses"]


def test_9a_1_a_preshuffled_deck_goes_through_the_shuffler_first():
    table = pit(SHUFFLER, dealing="hand")
    table.start()
    table.devices_tell()
    table.do("open_table")
    table.do("receive_decks", decks=[{"id": "red", "back": "red", "preshuffled": True}])
    table.do("cut_cards")
    assert table.refused("load_shoe").clauses
    table.do("order_shuffle", reason="for the hand")
    table.shuffle("red")
    table.do("load_shoe")


# ── nobody plays ──
def test_5h_an_idle_table_is_told_once_and_its_cards_are_spread():
    table = open_by_hand(pit())
    table.tick(5 * 60_000 + 1000)
    assert table.types().count("table.idle") == 1
    table.tick(60_000)
    assert table.types().count("table.idle") == 1
    assert any(prompt.awaits == "spread_idle" for prompt in table.tick(1).prompts)
    table.do("spread_idle", "dealer")
    assert table.last("deck.spread").data["clauses"] == ["TCP 5.H(1)", "TCP 5.H(2)"]
    assert "TCP 4.C(2)" in table.refused("wash_cards").clauses
    table.do("player_inspected", "dealer", viewed=True)
    table.do("wash_cards", "dealer")
    shuffle_cut_load(table)
    table.do("open_bets")


def test_5j_a_shoe_that_shuffles_and_counts_spares_the_spread():
    from tests.table.pit import Pit  # noqa: PLC0415

    table = Pit().opened()
    table.tick(60 * 60_000)
    assert "table.idle" not in table.types()


def test_entering_goes_on_where_two_seats_are_unknown():
    table = locked(open_by_hand(pit()))
    table.do("play", seat=1)
    table.do("fold", seat=3)
    table.do("reveal_dealer")
    enter_all(table)
    assert table.state.phase == "clearing"
    assert {e.data["place"] for e in table.named("card.revealed")} == {
        *(f"dealer/{n}" for n in (1, 2, 3)), *(f"seat/1/{n}" for n in (1, 2, 3)),
    }  # fmt: skip
