"""Stub counts (TCP 8.F to 8.H, 9.D to 9.H, 10.C to 10.G; TCB 8.E, 8.F) and the deck clock (3.C)."""

import pytest

from tests.table.by_hand import (
    SHUFFLER,
    enter_all,
    locked,
    open_by_hand,
    pit,
    ready_by_hand,
    shuffle_cut_load,
    unseen_round,
)  # fmt: skip
from tests.table.pit import Pit

DEALT = 9  # two seats and the dealer


def rounds(table, n):
    for _ in range(n):
        unseen_round(table)
        shuffle_cut_load(table)
    return table


def fifth(**rules):
    """The fifth round, locked, its stub not counted yet."""
    return locked(rounds(open_by_hand(pit(**rules)), 4))


def test_8f_the_stub_is_counted_in_the_fifth_round_before_the_first_decision():
    table = fifth()
    assert table.refused("play", seat=1).clauses == ("TCP 8.F",)
    table.do("count_stub", "dealer", cards=52 - DEALT)
    data = table.last("stub.counted").data
    assert (data["cards"], data["expected"], data["result"]) == (43, 43, "correct")
    assert data["clauses"] == ["TCP 8.G"]
    due = table.named("deck.count_due")
    assert [event.data["rounds_since_count"] for event in due] == [5]
    assert due[0].data["clauses"] == ["TCP 8.F"]
    table.do("play", seat=1)
    assert table.state.rounds_since_count == 0


def test_8f_four_rounds_need_no_count_and_five_do():
    table = rounds(open_by_hand(pit()), 3)
    locked(table)
    table.do("play", seat=1)  # the fourth: not yet


def test_tcb_8e_the_stub_is_counted_before_the_dealer_exposes():
    table = fifth(baccarat=True)
    assert table.refused("reveal_dealer").clauses == ("TCB 8.E",)
    table.do("count_stub", cards=52 - DEALT)
    assert table.last("stub.counted").data["clauses"] == ["TCB 8.F(2)"]
    table.do("reveal_dealer")


def wrong_twice(**rules):
    table = fifth(**rules)
    table.do("count_stub", cards=42)
    assert table.last("stub.miscounted").data["again"] is True
    assert table.refused("judge_stub", misdealt=True).clauses
    table.do("count_stub", cards=42)
    return table


@pytest.mark.parametrize(
    ("rules", "misdealt", "clause", "duty"),
    [
        ({}, True, "TCP 8.H(1)", "reshuffle"),
        ({}, False, "TCP 8.H(2)", "remove_deck"),
        ({"baccarat": True}, True, "TCB 8.F(4)", "reshuffle"),
        ({"baccarat": True}, False, "TCB 8.F(5)", "remove_deck"),
    ],
)
def test_8h_a_wrong_stub_voids_and_wagers_go_back(rules, misdealt, clause, duty):
    table = wrong_twice(**rules)
    assert "judge_stub" in table.tick(1).allowed
    table.do("judge_stub", misdealt=misdealt)
    verdict = table.last("stub.counted").data
    assert verdict["result"] == ("misdealt" if misdealt else "incorrect")
    assert verdict["clauses"] == [clause]
    assert table.state.phase == "voided"
    assert table.duties() - {"count_deck"} == {duty, "acknowledge_void"}
    assert sum(w["cents"] for w in table.last("round.voided").data["returned"]) == 2000
    assert clause in table.last("round.voided").data["clauses"]


def test_a_right_recount_lets_the_round_go_on():
    table = fifth()
    table.do("count_stub", cards=42)
    assert table.refused("play", seat=1).clauses
    table.do("count_stub", cards=43)
    table.do("play", seat=1)


def test_a_count_before_it_is_due_is_taken_and_one_that_is_wrong_holds_the_round():
    table = locked(open_by_hand(pit()))
    table.do("count_stub", cards=43)
    table.do("play", seat=1)
    table.do("count_stub", cards=40)
    assert table.refused("play", seat=3).clauses


def test_overdue_only_a_count_of_the_whole_deck_cures_it():
    """The fifth round was void before its count: no new round before 52 are proved."""
    table = fifth()
    table.do("declare_misdeal", confirm=True)
    table.do("clear_round")
    table.do("acknowledge_void")
    shuffle_cut_load(table)
    assert "count deck" in table.refused("open_bets").why
    table.do("count_stub", cards=52)
    table.do("open_bets")


def test_an_overdue_count_that_is_wrong_removes_the_deck_and_leaves_what_was_settled():
    table = fifth()
    table.do("declare_misdeal", confirm=True)
    table.do("clear_round")
    table.do("acknowledge_void")
    shuffle_cut_load(table)
    since = table.state.sequence
    table.do("count_stub", cards=51)
    assert table.last("stub.counted").data["result"] == "incorrect"
    assert "round.voided" not in table.types(since)
    assert table.duties() == {"remove_deck"}
    assert "before round 1" in table.last("irregularity.stub_incorrect").data["what"]


def test_a_device_count_exempts_and_a_cycle_without_one_does_not():
    table = Pit().opened()
    for _ in range(8):
        table.play_round()
        table.shuffle("red")
    table = Pit().opened()
    for _ in range(4):
        table.play_round()
        table.shuffle("red", count=None)
    table.betting().wager(1, ante=1000).lock().deal()
    assert table.refused("play", seat=1).clauses == ("TCP 10.C",)
    table.do("count_stub", cards=52 - 6)
    assert table.last("stub.counted").data["clauses"] == ["TCP 10.D"]
    table.decide().settle()


def test_9d_counts_from_the_hand_where_the_shuffler_does_not_count():
    table = pit(SHUFFLER, dealing="hand")
    table.opened()
    for _ in range(4):
        table.do("load_shoe")
        unseen_round(table)
        table.shuffle("red", count=None)
    table.do("load_shoe")
    locked(table)
    assert table.refused("play", seat=1).clauses == ("TCP 9.D",)


# ── the clock of a deck ──
HOUR = 3_600_000


@pytest.mark.parametrize(
    ("rules", "devices", "hours", "clause"),
    [({}, (), 8, "TCP 3.C(2)"), ({"dealing": "hand"}, (SHUFFLER,), 4, "TCP 3.C(1)")],
)
def test_3c_no_new_round_with_a_deck_whose_time_is_up(rules, devices, hours, clause):
    table = pit(*devices, **rules)
    if devices:
        table.opened()
        table.do("load_shoe")
    else:
        open_by_hand(table)
    table.tick(hours * HOUR - 17 * 60_000)
    assert table.last("deck.change_due").data["when"] == "soon"
    table.tick(15 * 60_000)
    assert table.last("deck.change_due").data["when"] == "now"
    assert table.refused("open_bets").clauses == (clause,)
    table.do("change_decks")
    assert table.state.decks == ()


def test_3c_a_round_that_is_open_is_finished_and_its_overrun_recorded():
    table = open_by_hand(pit())
    table.tick(8 * HOUR - 4 * 60_000)
    locked(table)
    table.tick(10 * 60_000)
    table.do("fold", seat=1)
    table.do("fold", seat=3)
    table.do("reveal_dealer")
    enter_all(table)
    table.do("clear_round")
    assert table.last("deck.overrun").data["seconds"] >= 5 * 60
    shuffle_cut_load(table)
    assert table.refused("open_bets").clauses == ("TCP 3.C(2)",)


def test_3c_the_clock_runs_through_a_restart():
    table = open_by_hand(pit())
    table.utc_ns += 8 * HOUR * 1_000_000
    table.restart()
    table.do("resume_table") if table.state.halt else None
    table.tick(1)
    assert table.last("deck.change_due").data["when"] == "now"


def test_3c_new_decks_start_a_new_clock():
    table = open_by_hand(pit())
    table.tick(8 * HOUR)
    table.do("change_decks")
    table.do("receive_decks", decks=[{"id": "blue", "back": "blue"}])
    ready_by_hand(table)
    table.do("open_bets")
    assert not table.state.alarms


def test_the_table_asks_to_be_woken_when_a_clock_runs_out():
    table = open_by_hand(pit())
    outcome = table.do("open_bets")
    assert outcome.wake_ns is not None
    assert outcome.wake_ns > table.mono_ns
