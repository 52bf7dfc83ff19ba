"""Progressive wagers accepted by a device; chips counted (TCP 2.C(1), 7.F(4), 8.C, 9.B, 10.A)."""

from typing import Any

import pytest

from tests.table.pit import Pit, fill

COUNT = {"TCP 8.C(2)(b)", "TCP 9.B(2)(b)", "TCP 10.A(3)(b)"}


def lamps(pit: Pit, since: int = 0) -> list[tuple[int, bool]]:
    return [(c.args["seat"], c.args["on"]) for c in pit.commands[since:] if c.name == "lamp"]


def accepting(*seats: int, cents: int = 100) -> Pit:
    """Seats 1, 2 and 3 with an ante; the device accepts at those named."""
    pit = Pit().opened().betting()
    for seat in (1, 2, 3):
        pit.wager(seat, ante=1000)
    for seat in seats:
        pit.accept(seat, cents)
    return pit


# ── acceptance ──
def test_2c1_a_device_accepts_and_the_lamp_is_lit():
    pit = accepting(2)
    assert pit.state.round.stake(2, "progressive") == 100
    placed, accepted = pit.last("wager.placed").data, pit.last("wager.accepted").data
    for data in (placed, accepted):
        assert (data["seat"], data["wager"], data["cents"]) == (2, "progressive", 100)
    assert {"TCP 2.C(1)", "TCP 7.F(4)(a)"} <= set(accepted["clauses"])
    assert lamps(pit) == [(2, True)]
    assert not pit.commands[-1].restrictive


def test_before_the_lock_the_chip_is_taken_back_and_the_lamp_goes_out():
    pit = accepting(2)
    pit.device("bonus", "withdrawn", seat=2, wager="progressive")
    assert pit.state.round.stake(2, "progressive") == 0
    assert pit.last("wager.returned").data["reason"] == "withdrawn"
    assert lamps(pit) == [(2, True), (2, False)]
    pit.device("bonus", "withdrawn", seat=2, wager="progressive")
    assert pit.types()[-1] == "device.refused"


@pytest.mark.parametrize("phase", ["locking", "locked", "dealing", "deciding"])
def test_7e_nothing_is_withdrawn_after_the_lock(phase):
    pit = accepting(2)
    pit.do("no_more_bets", "dealer")
    if phase != "locking":
        pit.acknowledge()
        pit.do("count_progressive", "dealer", chips=1)
    if phase == "dealing":
        pit.device("shoe", "stack", ["2C", "7D", "9H"])
    if phase == "deciding":
        pit.deal()
    assert pit.state.phase == phase
    pit.device("bonus", "withdrawn", seat=2, wager="progressive")
    assert pit.types()[-1] == "device.refused"
    assert pit.state.round.stake(2, "progressive") == 100


@pytest.mark.parametrize("cents", [0, -100, 99, 200, 1000])
def test_12e5_other_stakes_are_no_wager_and_stay_dark(cents):
    pit = accepting()
    pit.accept(1, cents)
    assert pit.types()[-1] == "device.refused"
    assert pit.state.round.stake(1, "progressive") == 0
    assert lamps(pit) == [(1, False)]


def test_7f4a_without_an_ante_or_a_pair_plus_at_the_lock_it_is_returned():
    """The order on the layout is the player's; what counts is what stands at the lock."""
    pit = accepting(5, 6)
    pit.wager(6, pair_plus=500)
    pit.do("no_more_bets", "dealer")
    returned = pit.last("wager.returned").data
    assert (returned["seat"], returned["wager"], returned["cents"]) == (5, "progressive", 100)
    assert returned["clauses"] == ["TCP 7.F(4)(a)"]
    assert lamps(pit)[-1] == (5, False)
    assert pit.state.round.stake(6, "progressive") == 100
    assert [(c.meter, c.numerator) for c in pit.state.round.pending] == [("main", 20)]


def test_a_base_wager_that_is_withdrawn_takes_the_progressive_along():
    pit = accepting(2)
    pit.do("remove_wager", "dealer", seat=2, wager="ante")
    assert pit.state.round.stake(2, "progressive") == 0
    assert lamps(pit)[-1] == (2, False)


def test_7f4b_where_the_device_accepts_the_page_does_not():
    pit = accepting(2)
    refusal = pit.refused("place_wager", seat=3, wager="progressive", amount=100)
    assert "TCP 7.F(4)(b)" in refusal.clauses
    assert pit.refused("remove_wager", seat=2, wager="progressive").clauses == ("TCP 7.F(4)(b)",)


def test_a_device_that_comes_back_has_its_lamps_lit_again():
    pit = accepting(2)
    since = len(pit.commands)
    pit.device("bonus", "offline", what="cable")
    pit.device("bonus", "online", locked=True)
    assert lamps(pit, since) == [(2, True)]
    assert pit.state.round.stake(2, "progressive") == 100


def test_a_halted_table_lights_nothing_until_it_is_resumed():
    pit = accepting(2)
    pit.do("halt_table", reason="a drink was spilt")
    since = len(pit.commands)
    pit.device("bonus", "locked")
    pit.accept(3)
    assert lamps(pit, since) == []
    pit.do("resume_table")
    assert (3, False) in lamps(pit, since)
    assert pit.state.round.stake(3, "progressive") == 0


# ── the count ──
def test_10a3_no_card_before_the_chips_are_counted():
    pit = accepting(1, 3).lock()
    assert pit.state.phase == "locked"
    assert "dispense" not in pit.permitted()
    [prompt] = pit.tick(1).prompts
    assert prompt.awaits == "count_progressive"
    assert set(prompt.clauses) >= COUNT
    pit.do("count_progressive", "dealer", chips=2)
    verified = pit.last("progressive.count_verified").data
    assert (verified["round"], verified["chips"], verified["accepted"]) == (1, 2, 2)
    collected = pit.named("wager.collected")  # into the table inventory container
    assert [(each.data["seat"], each.data["cents"]) for each in collected] == [(1, 100), (3, 100)]
    assert "TCP 10.A(3)(c)" in collected[0].data["clauses"]
    assert pit.permitted()[-1] == "dispense"
    pit.refused("count_progressive", chips=2)


def test_10a3_nothing_is_counted_where_no_device_accepted():
    pit = Pit().opened().betting().wager(1, ante=1000, progressive=100).lock()
    assert pit.permitted()[-1] == "dispense"
    assert set(pit.refused("count_progressive", chips=1).clauses) >= COUNT


@pytest.mark.parametrize("args", [{"chips": 1}, {"chips": 3}, {"chips": 2, "cents": 600}])
def test_8c2b_a_mismatch_blocks_the_deal_and_is_counted_again(args: Any):
    pit = accepting(1, 3).lock()
    pit.do("count_progressive", "dealer", **args)
    told = pit.last("progressive.count_mismatch").data
    assert told["accepted"] == 2
    assert set(told["clauses"]) >= COUNT
    assert [a.kind for a in pit.state.alarms] == ["count_mismatch"]
    assert "once more" in pit.refused("resolve_count", seat=1).why
    assert "dispense" not in pit.permitted()
    pit.do("count_progressive", "dealer", chips=2, cents=200)
    assert pit.permitted()[-1] == "dispense"
    assert pit.state.alarms == ()


def differing(chips: int, *seats: int) -> Pit:
    pit = accepting(*seats).lock()
    for _ in range(2):
        pit.do("count_progressive", "dealer", chips=chips)
    return pit


def test_an_extra_chip_goes_back_to_its_dark_seat():
    """TCP 7.F(4)(b): unlit, so no wager."""
    pit = differing(3, 1, 3)
    assert pit.refused("resolve_count", seat=3).clauses == ("TCP 7.F(4)(b)",)
    pit.do("resolve_count", seat=2)
    refused = pit.last("wager.refused").data
    assert (refused["seat"], refused["reason"]) == (2, "unlit")
    assert "dispense" not in pit.permitted()
    pit.do("count_progressive", "dealer", chips=2)
    assert pit.permitted()[-1] == "dispense"
    assert pit.state.round.stake(2, "progressive") == 0


def test_a_missing_chip_cancels_that_acceptance_and_its_contribution():
    pit = differing(1, 1, 3)
    assert [c.numerator for c in pit.state.round.pending] == [40]
    assert "name the seat" in pit.refused("resolve_count").why
    pit.refused("resolve_count", seat=2)
    pit.do("resolve_count", seat=3)
    assert [c.numerator for c in pit.state.round.pending] == [20]
    assert pit.state.round.stake(3, "progressive") == 0
    assert pit.last("wager.refused").data["reason"] == "no chip"
    assert lamps(pit)[-1] == (3, False)
    pit.do("count_progressive", "dealer", chips=1)
    pit.deal(dealer="AS QD 6H", seat_1="2C 7D 9H", seat_2="3C 8D TH", seat_3="4C 9D JH").decide()
    pit.settle()
    assert pit.state.meter("main").cents == 100_020
    lines = {s["seat"]: s["lines"] for s in pit.last("round.settled").data["seats"]}
    assert not any(line["wager"] == "progressive" for line in lines[3])


def test_with_the_last_acceptance_cancelled_there_is_nothing_to_count():
    pit = differing(0, 2)
    pit.do("resolve_count", seat=2)
    assert pit.last("progressive.count_verified").data["accepted"] == 0
    assert pit.permitted()[-1] == "dispense"
    assert pit.state.round.pending == ()


def test_only_the_floor_decides_about_chips():
    assert differing(3, 1).refused("resolve_count", "dealer", seat=2).role


def test_a_count_is_not_asked_twice_after_a_cancelled_lock():
    pit = accepting(1).lock()
    pit.do("count_progressive", "dealer", chips=1)
    pit.do("cancel_lock", reason="pressed by mistake")
    pit.device("shoe", "held")
    pit.do("no_more_bets", "dealer")
    pit.acknowledge()
    assert pit.permitted()[-1] == "dispense"


def test_the_next_round_counts_its_own_chips():
    pit = accepting(1).lock()
    pit.do("count_progressive", "dealer", chips=1)
    pit.deal(seat_1="2C 7D 9H", dealer="AS QD 6H", seat_2="3C 8D TH", seat_3="4C 9D JH")
    pit.decide().settle().do("clear_round")
    assert lamps(pit) == [(1, True), (1, False)]
    pit.shuffle("red")
    pit.betting().wager(2, ante=1000)
    pit.accept(2, 500)
    pit.lock()
    pit.do("count_progressive", "dealer", chips=1, cents=500)


def test_a_void_gives_accepted_chips_back_by_the_list():
    pit = accepting(1, 3).lock()
    pit.do("count_progressive", "dealer", chips=2)
    pit.device("shoe", "jam")
    back = pit.last("round.voided").data["returned"]
    assert sorted(r["seat"] for r in back if r["wager"] == "progressive") == [1, 3]
    text = " ".join(p.text for p in pit.tick(1).prompts)
    assert "inventory" in text
    assert pit.state.round.pending == ()
    assert lamps(pit)[-2:] == [(1, False), (3, False)]


@pytest.mark.parametrize("phase", ["betting", "locking", "locked"])
def test_a_restart_keeps_what_was_accepted_and_stays_locked(phase):
    pit = accepting(1)
    if phase != "betting":
        pit.do("no_more_bets", "dealer")
    if phase == "locked":
        pit.acknowledge()
    pit.restart()
    pit.devices_tell()
    assert pit.state.round.stake(1, "progressive") == 100
    told = len(pit.commands)
    pit.accept(3)
    assert pit.state.round.stake(3, "progressive") == 0
    assert all(c.restrictive for c in pit.commands[told:])


def test_the_fill_of_the_other_tests_is_not_of_this_kind():
    assert not fill("betting").state.device("bonus").accepts
