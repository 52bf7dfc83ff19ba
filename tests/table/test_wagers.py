"""Wagers (TCP chapter 7): who may wager what, in which order, and nothing after the lock."""

from typing import Any

import pytest

from tablectl.games.rules import parse_rules
from tablectl.table.setup import Limit
from tests.table.pit import Pit, fill, setup

AFTER = ("locking", "locked", "cancelling", "dealing", "deciding", "settling", "clearing", "voided")
BARE = {"game": "three_card_poker", "ante_bonus": "A", "pair_plus": "D"}


def with_condition(condition: str, **more) -> Pit:
    rules = parse_rules({**BARE, "progressive": "A", "pair_plus_condition": condition, **more})
    return Pit(setup=setup(rules)).opened().betting()


def stakes(pit: Pit, seat: int = 1) -> dict[str, int]:
    return {w.wager: w.cents for w in pit.state.round.live_wagers(seat)}


def back(pit: Pit) -> list[tuple[int, str, int]]:
    events = pit.named("wager.returned")
    return [(e.data["seat"], e.data["wager"], e.data["cents"]) for e in events]


# ── 7.A to 7.F: what may be placed ──
def test_7a_a_wager_needs_open_bets():
    refusal = fill("preparing").refused("place_wager", seat=1, wager="ante", amount=1000)
    assert {"TCP 7.D", "TCP 7.E"} <= set(refusal.clauses)


@pytest.mark.parametrize("wager", ["ante", "pair_plus"])
def test_7f1_7f2_either_base_wager_stands_alone(wager):
    pit = fill("preparing").betting().wager(4, **{wager: 1000})
    placed = pit.last("wager.placed")
    assert placed.subject == "round/1"
    assert {k: placed.data[k] for k in ("round", "seat", "wager", "cents", "was")} == {
        "round": 1, "seat": 4, "wager": wager, "cents": 1000, "was": 0,
    }  # fmt: skip


def test_placing_again_says_what_stands_on_the_spot():
    pit = fill("preparing").betting().wager(4, ante=1000).wager(4, ante=700)
    assert stakes(pit, 4) == {"ante": 700}
    assert pit.last("wager.placed").data["was"] == 1000


@pytest.mark.parametrize(
    ("wager", "clause"), [("progressive", "TCP 7.F(4)(a)"), ("six_card_bonus", "TCP 7.F(5)(b)")]
)
def test_7f4a_7f5b_side_wagers_come_after_an_ante_or_a_pair_plus_of_the_seat(wager, clause):
    pit = fill("preparing").betting().wager(1, ante=1000)
    assert pit.refused("place_wager", seat=2, wager=wager, amount=100).clauses == (clause,)
    for seat, base in ((1, "ante"), (3, "pair_plus")):
        pit.wager(seat, **{base: 1000}).wager(seat, **{wager: 100})


def test_7f1_nobody_places_a_play_wager_at_the_layout():
    for phase in ("betting", "deciding"):
        refusal = fill(phase).refused("place_wager", seat=1, wager="play", amount=1000)
        assert refusal.clauses
    refusal = fill("deciding").refused(
        "amend_wager", seat=1, wager="play", amount=2000, reason="keyed wrong"
    )
    assert "TCP 11.B" in refusal.clauses


@pytest.mark.parametrize("wager", ["progressive", "six_card_bonus", "five_card_progressive", "tie"])
def test_7f_a_wager_that_is_not_offered_is_refused(wager):
    pit = Pit(setup=setup(parse_rules(BARE))).opened().betting().wager(1, ante=1000)
    assert pit.refused("place_wager", seat=1, wager=wager, amount=100).clauses == ("TCP 7.F",)


@pytest.mark.parametrize("seat", [-1, 0, 8, 10**9])
def test_2a_seats_run_from_one_to_seven(seat):
    pit = fill("preparing").betting()
    assert pit.refused("place_wager", seat=seat, wager="ante", amount=1000).clauses == ("TCP 2.A",)


def test_2a_a_smaller_table_has_fewer_seats():
    pit = Pit(setup=setup(parse_rules({**BARE, "seats": 5}))).opened().betting().wager(5, ante=1000)
    assert pit.refused("place_wager", seat=6, wager="ante", amount=1000).clauses == ("TCP 2.A",)


@pytest.mark.parametrize("amount", [-1000, 0])
def test_an_amount_is_more_than_nothing(amount):
    pit = fill("preparing").betting()
    assert pit.refused("place_wager", seat=1, wager="pair_plus", amount=amount).malformed


@pytest.mark.parametrize("amount", [1, 99, 101, 200, 499, 501, 1000])
def test_12e5_a_progressive_wager_is_one_or_five_dollars(amount):
    pit = fill("preparing").betting().wager(1, ante=1000)
    refusal = pit.refused("place_wager", seat=1, wager="progressive", amount=amount)
    assert refusal.clauses == ("TCP 12.E(5)",)


def test_the_tables_limits_hold_at_the_layout_and_for_the_floors_amendment():
    pit = Pit(setup=setup(limits=(Limit("ante", 500, 10_000),))).opened().betting()
    for amount in (499, 10_001):
        pit.refused("place_wager", seat=1, wager="ante", amount=amount)
    pit.wager(1, ante=500).wager(2, ante=10_000).lock()
    for amount in (499, 10_001):
        pit.refused("amend_wager", seat=1, wager="ante", amount=amount, reason="keyed wrong")


# ── withdrawals ──
def test_before_the_lock_a_wager_is_withdrawn_and_is_gone():
    pit = fill("preparing").betting().wager(1, ante=1000, pair_plus=500, progressive=100)
    pit.do("remove_wager", "dealer", seat=1, wager="ante")
    assert stakes(pit) == {"pair_plus": 500, "progressive": 100}  # 7.F(4)(a): one base is enough
    assert back(pit) == [(1, "ante", 1000)]
    pit.refused("remove_wager", seat=1, wager="ante")
    pit.refused("remove_wager", seat=2, wager="pair_plus")


def test_7f_the_last_base_wager_takes_what_leans_on_it_along():
    pit = fill("preparing").betting().wager(1, ante=1000, progressive=100, six_card_bonus=500)
    pit.wager(2, ante=1000, progressive=100)
    pit.do("remove_wager", "dealer", seat=1, wager="ante")
    assert stakes(pit) == {}
    assert sorted(back(pit)) == [(1, "ante", 1000), (1, "progressive", 100),
                                 (1, "six_card_bonus", 500)]  # fmt: skip
    assert stakes(pit, 2) == {"ante": 1000, "progressive": 100}


# ── 7.D, 7.E: nothing after "no more bets" ──
@pytest.mark.parametrize("phase", AFTER)
def test_7d_7e_no_wager_is_made_raised_or_withdrawn_after_no_more_bets(phase):
    pit = fill(phase)
    for seat in (1, 2, 3):
        for wager in ("ante", "pair_plus", "progressive", "six_card_bonus"):
            for action in ("place_wager", "remove_wager"):
                args: dict[str, Any] = {"amount": 500} if action == "place_wager" else {}
                refusal = pit.refused(action, seat=seat, wager=wager, **args)
                assert "TCP 7.E" in refusal.clauses
                assert action not in refusal.allowed


@pytest.mark.parametrize("phase", ["betting", *AFTER])
def test_no_device_report_makes_or_changes_a_wager(phase):
    pit = fill(phase)
    stand = [(w.seat, w.wager, w.cents) for w in pit.state.round.wagers]
    for name in ("unlocked", "online", "wager", "placed", "accepted", "cleared"):
        pit.device("bonus", name, seat=2, wager="progressive", amount=100)
    assert [(w.seat, w.wager, w.cents) for w in pit.state.round.wagers] == stand


def test_7f4_what_the_lock_accepts_is_recorded_seat_by_seat():
    pit = fill("locking")
    accepted = [(e.data["seat"], e.data["cents"]) for e in pit.named("wager.accepted")]
    assert sorted(accepted) == [(1, 100), (3, 500)]
    assert pit.last("round.bets_locked").data["round"] == 1


# ── 7.G at the lock ──
@pytest.mark.parametrize(
    ("condition", "ante", "pair_plus", "kept"),
    [
        ("ante_at_least_equal", 1000, 1000, (1000, 1000)),
        ("ante_at_least_equal", 1000, 1500, (1000, 1000)),
        ("ante_at_least_half", 1000, 2000, (1000, 2000)),
        ("ante_at_least_half", 1000, 2001, (1000, 2000)),
        ("both_compulsory", 1000, 5000, (1000, 5000)),
        ("both_compulsory", 1000, 5001, (1000, 5000)),
        ("both_compulsory", 5000, 1000, (5000, 1000)),
        ("both_compulsory", 5001, 1000, (5000, 1000)),
        ("free", 500, 90_000, (500, 90_000)),
    ],
)
def test_7g_excess_goes_back_at_the_lock(condition, ante, pair_plus, kept):
    """TCP 7.G(1) to (3): the ratio is checked at the lock; what is too much is returned."""
    pit = with_condition(condition).wager(1, ante=ante, pair_plus=pair_plus)
    pit.lock()
    assert stakes(pit) == dict(zip(("ante", "pair_plus"), kept, strict=True))
    assert sum(cents for *_, cents in back(pit)) == ante + pair_plus - sum(kept)
    assert all(e.data["clauses"][0].startswith("TCP 7.G") for e in pit.named("wager.returned"))


@pytest.mark.parametrize(
    ("condition", "clause"),
    [("ante_at_least_equal", "TCP 7.G(1)"), ("ante_at_least_half", "TCP 7.G(2)")],
)
def test_7g1_7g2_the_ante_is_a_precondition_of_the_pair_plus(condition, clause):
    pit = with_condition(condition)
    assert pit.refused("place_wager", seat=1, wager="pair_plus", amount=500).clauses == (clause,)
    pit.wager(1, ante=1000, pair_plus=500, progressive=100)
    pit.do("remove_wager", seat=1, wager="ante")
    pit.lock()  # a pair plus without its ante goes back, and all that leans on it
    assert stakes(pit) == {}
    assert sorted(back(pit)) == [(1, "ante", 1000), (1, "pair_plus", 500), (1, "progressive", 100)]
    assert pit.state.round.plan == ()


@pytest.mark.parametrize("lone", ["ante", "pair_plus"])
def test_7g3_a_lone_compulsory_wager_goes_back_with_all_of_the_seat(lone):
    pit = with_condition("both_compulsory").wager(1, **{lone: 1000}).wager(1, progressive=100)
    pit.wager(2, ante=1000, pair_plus=1000).lock()
    assert stakes(pit) == {}
    assert sorted(back(pit)) == [(1, lone, 1000), (1, "progressive", 100)]
    assert pit.state.round.plan == ("seat/2", "dealer")
    assert pit.named("wager.accepted") == []
    assert pit.state.round.pending == ()  # READINGS: only accepted wagers feed a meter


# ── a lock that the floor cancels ──
def cancelled(**stakes_: int) -> Pit:
    pit = fill("preparing").betting().wager(1, **(stakes_ or {"ante": 1000, "progressive": 100}))
    pit.lock()
    pit.do("cancel_lock", reason="pressed by mistake")
    pit.device("shoe", "held")
    assert pit.state.phase == "betting"
    return pit


def test_7e_only_the_floor_cancels_a_lock_with_a_reason_and_before_any_card():
    for phase in ("locking", "locked"):
        pit = fill(phase)
        assert pit.refused("cancel_lock", "dealer", reason="x").role
        assert pit.refused("cancel_lock").malformed
        pit.do("cancel_lock", reason="pressed by mistake")
        assert pit.last("action.done").data["reason"] == "pressed by mistake"
    for phase in ("dealing", "deciding", "settling", "clearing", "voided"):
        assert "TCP 7.E" in fill(phase).refused("cancel_lock", reason="x").clauses


def test_after_a_cancelled_lock_base_wagers_may_change_again():
    pit = cancelled()
    assert pit.last("round.lock_cancelled").data["round"] == 1
    pit.wager(1, ante=2000, six_card_bonus=500).wager(2, pair_plus=500).lock()
    assert pit.state.round.plan == ("seat/1", "seat/2", "dealer")


def test_2c2_7e_a_progressive_never_changes_after_a_cancelled_lock():
    """TCP 2.C(2): "no more bets" was said once; no progressive is placed, changed or withdrawn."""
    pit = cancelled().wager(2, ante=1000)
    for seat, amount in ((1, 500), (2, 100)):
        refusal = pit.refused("place_wager", seat=seat, wager="progressive", amount=amount)
        assert "TCP 2.C(2)" in refusal.clauses
    assert "TCP 2.C(2)" in pit.refused("remove_wager", seat=1, wager="progressive").clauses
    assert pit.state.lock == "locked"
    assert "unlock" not in pit.permitted(len(pit.commands) - 3)
    pit.lock()
    assert stakes(pit)["progressive"] == 100


def test_7e_withdrawing_the_base_after_a_cancelled_lock_does_not_withdraw_the_progressive():
    pit = cancelled()
    pit.act("remove_wager", seat=1, wager="ante")
    assert stakes(pit).get("progressive") == 100


@pytest.mark.parametrize("gone", ["ante", "pair_plus"])
def test_2c2_the_second_lock_does_not_return_a_progressive_for_7g3(gone):
    pit = with_condition("both_compulsory").wager(1, ante=1000, pair_plus=1000, progressive=100)
    pit.lock()
    pit.do("cancel_lock", reason="pressed by mistake")
    pit.device("shoe", "held")
    pit.act("remove_wager", seat=1, wager=gone)
    pit.lock()
    assert stakes(pit).get("progressive") == 100


@pytest.mark.parametrize("phase", ["locking", "locked"])
def test_a_halt_or_restart_does_not_undo_that_no_more_bets_was_said(phase):
    pit = fill(phase)
    pit.restart()
    pit.devices_tell()
    pit.do("resume_table")
    pit.do("cancel_lock", reason="pressed by mistake")
    pit.device("shoe", "held")
    pit.refused("place_wager", seat=5, wager="progressive", amount=100)


# ── the floor's amendment ──
@pytest.mark.parametrize("phase", ["locking", "locked", "dealing", "deciding"])
def test_the_floor_amends_what_was_keyed_wrong_before_the_reveal(phase):
    pit = fill(phase)
    args: dict[str, Any] = {"seat": 1, "wager": "ante", "amount": 1500}
    assert pit.refused("amend_wager", "dealer", **args, reason="keyed wrong").role
    assert pit.refused("amend_wager", **args).malformed
    pit.do("amend_wager", **args, reason="keyed wrong")
    amended = pit.last("wager.amended").data
    assert (amended["cents"], amended["was"], amended["reason"]) == (1500, 1000, "keyed wrong")
    assert stakes(pit)["ante"] == 1500


@pytest.mark.parametrize("phase", ["betting", "settling", "clearing", "voided", "preparing"])
def test_nothing_is_amended_before_the_lock_or_after_the_reveal(phase):
    refusal = fill(phase).refused("amend_wager", seat=1, wager="ante", amount=600, reason="x")
    assert "TCP 7.E" in refusal.clauses


@pytest.mark.parametrize("phase", ["locking", "locked", "dealing", "deciding"])
def test_2c2_a_progressive_is_never_amended(phase):
    pit = fill(phase)
    for seat in (1, 3, 5):
        for amount in (100, 500):
            refusal = pit.refused(
                "amend_wager", seat=seat, wager="progressive", amount=amount, reason="late"
            )
            assert "TCP 2.C(2)" in refusal.clauses


def test_7f1_an_amended_ante_takes_its_play_wager_along():
    pit = fill("deciding")
    pit.do("play", seat=1)
    pit.do("amend_wager", seat=1, wager="ante", amount=1500, reason="keyed wrong")
    assert stakes(pit)["play"] == stakes(pit)["ante"] == 1500


@pytest.mark.parametrize("phase", ["locked", "dealing", "deciding"])
def test_7e_no_wager_is_added_where_no_stack_goes(phase):
    args: dict[str, Any] = {"wager": "ante", "amount": 1000, "reason": "keyed late"}
    assert "TCP 7.E" in fill(phase).refused("amend_wager", seat=2, **args).clauses


def test_11b_a_seat_whose_ante_was_keyed_late_is_asked_before_the_reveal():
    """What was placed in time the floor amends until the reveal."""
    pit = fill("deciding").decide()
    pit.do("amend_wager", seat=5, wager="ante", amount=1000, reason="keyed late")
    assert (pit.state.round.asked, pit.tick(1).prompts[0].awaits) == (5, "play")
    assert "TCP 11.D" in pit.refused("reveal_dealer").clauses
    pit.do("play", seat=5)
    pit.settle()
    paid = pit.last("round.settled").data["seats"]
    assert {"ante", "play"} <= {line["wager"] for line in paid[-1]["lines"]}


def test_7g_an_amendment_keeps_to_the_ratio():
    pit = with_condition("ante_at_least_equal").wager(1, ante=1000, pair_plus=800).lock()
    args: dict[str, Any] = {"seat": 1, "wager": "pair_plus", "reason": "keyed wrong"}
    assert pit.refused("amend_wager", amount=1001, **args).clauses == ("TCP 7.G(1)",)
    pit.do("amend_wager", amount=1000, **args)


@pytest.mark.parametrize("wager", ["six_card_bonus"])
def test_7f5b_an_amendment_adds_no_side_wager_to_a_seat_without_a_base(wager):
    pit = fill("locking")
    refusal = pit.refused("amend_wager", seat=2, wager=wager, amount=500, reason="keyed late")
    assert refusal.clauses == ("TCP 7.F(5)(b)",)


def test_7g3_a_seat_that_was_keyed_late_can_be_amended_where_both_are_compulsory():
    pit = with_condition("both_compulsory").wager(1, ante=1000, pair_plus=1000)
    pit.do("no_more_bets")
    for wager in ("ante", "pair_plus"):
        pit.act("amend_wager", seat=2, wager=wager, amount=1000, reason="keyed late")
    assert stakes(pit, 2) == {"ante": 1000, "pair_plus": 1000}


def test_10b_a_seat_that_the_floor_adds_gets_its_stack_or_is_refused():
    """Before the shoe has its leave the plan grows; afterwards the lock is cancelled first."""
    pit = fill("preparing").betting().wager(1, ante=1000)
    pit.do("no_more_bets")
    args: dict[str, Any] = {"wager": "ante", "amount": 1000, "reason": "keyed late"}
    pit.do("amend_wager", seat=3, **args)
    pit.acknowledge()
    assert pit.leave == 3
    assert "cancel_lock" in pit.refused("amend_wager", seat=4, **args).allowed
    assert pit.state.round.plan == ("seat/1", "seat/3", "dealer")
    assert pit.leave == 3


def test_a_round_in_which_nobody_wagers_ends_without_a_card():
    pit = fill("preparing").betting().lock()
    assert pit.permitted()[-1] == "unlock"  # no leave to dispense anything
    pit.do("clear_round", "dealer")
    assert pit.state.phase == "preparing"
    assert pit.refused("clear_round").clauses
    assert fill("betting").refused("clear_round").clauses == ("TCP 11.E",)
    assert fill("locked").refused("clear_round").clauses == ("TCP 11.E",)
