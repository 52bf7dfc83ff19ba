"""People: who deals, relief, overrides, the opening test, closing, an evacuation, training."""

from dataclasses import replace
from typing import Any

import pytest

from tablectl.table.inputs import Action, Second
from tests.table.pit import Pit, fill, setup

FLOOR = Second("floor-9", ("floor",), "pin")
IN_ROUND = ("betting", "locking", "locked", "dealing", "deciding", "settling", "clearing", "voided")


def act(pit: Pit, action: str, actor: str, *roles: str, second: Any = None, **args: Any) -> Any:
    return pit.feed(Action(pit.at(), action, actor, roles, args=args, second=second)).refusal


# ── sign-on and relief ──
def test_a_dealer_signs_on_and_is_on_the_table():
    pit = fill("preparing")
    assert any(p.awaits == "log_on" for p in pit.tick(1).prompts)
    assert act(pit, "log_on", "ana", "dealer") is None
    assert pit.state.dealer == "ana"
    assert pit.last("person.logged_on").data["relieves"] is None
    assert act(pit, "load_shoe", "ben", "dealer").role
    assert act(pit, "load_shoe", "ana", "dealer") is None


def test_between_rounds_another_dealer_takes_over():
    pit = fill("preparing")
    act(pit, "log_on", "ana", "dealer")
    assert act(pit, "log_on", "ben", "dealer") is None
    assert pit.last("person.logged_on").data["relieves"] == "ana"
    assert act(pit, "load_shoe", "ana", "dealer").role


@pytest.mark.parametrize("phase", IN_ROUND)
def test_in_a_round_a_relief_takes_the_floor(phase):
    pit = fill(phase)
    assert act(pit, "log_on", "ana", "dealer") is None, "nobody was signed on"
    assert "floor" in act(pit, "log_on", "ben", "dealer").why
    wrong = replace(FLOOR, roles=("surveillance",))
    assert act(pit, "log_on", "ben", "dealer", second=wrong).role
    assert act(pit, "log_on", "ben", "dealer", second=replace(FLOOR, actor="ben")).role
    assert pit.state.dealer == "ana"
    assert act(pit, "log_on", "ben", "dealer", second=FLOOR) is None
    assert pit.state.dealer == "ben"
    assert pit.named("action.done")[-1].data["second"] == "floor-9"


@pytest.mark.parametrize("role", ["floor", "surveillance", "technician", "auditor"])
def test_others_sign_on_without_dealing(role):
    pit = fill("deciding")
    act(pit, "log_on", "ana", "dealer")
    assert act(pit, "log_on", "eva", role) is None
    assert pit.state.dealer == "ana"
    assert pit.last("person.logged_on").data["role"] == role


def test_in_a_round_the_dealer_stays_responsible_after_signing_off():
    pit = fill("deciding")
    act(pit, "log_on", "ana", "dealer")
    assert act(pit, "log_off", "ana", "dealer") is None
    assert pit.state.dealer == "ana"
    assert pit.last("person.logged_off").data["deals_on"] is True
    pit = fill("preparing")
    act(pit, "log_on", "ana", "dealer")
    act(pit, "log_off", "ana", "dealer")
    assert pit.state.dealer is None


def test_what_restricts_is_not_refused_for_who_deals():
    pit = fill("betting")
    act(pit, "log_on", "ana", "dealer")
    assert act(pit, "remove_wager", "ben", "dealer", seat=1, wager="ante").role
    assert act(pit, "no_more_bets", "ben", "dealer") is None
    assert act(pit, "halt_table", "ben", "dealer", reason="fire") is None


def test_the_floor_deals_on_whoever_is_signed_on():
    pit = fill("betting")
    act(pit, "log_on", "ana", "dealer")
    pit.do("remove_wager", "floor", seat=5, wager="pair_plus")


# ── overrides ──
def test_beyond_the_tables_limits_the_floor_decides_with_a_reason():
    pit = fill("preparing").betting()
    over: dict[str, Any] = {"seat": 1, "wager": "ante", "amount": 200_000}
    pit.refused("place_wager", "floor", **over)
    assert pit.refused("place_wager", "dealer", **over, reason="a regular").role
    pit.do("place_wager", "floor", **over, reason="approved by the shift manager")
    assert pit.last("wager.placed").data["override"] == "approved by the shift manager"


def test_no_override_goes_beyond_a_clause():
    pit = fill("preparing").betting().wager(1, ante=1000)
    for wager, amount in (("progressive", 300), ("tie", 500)):
        args: dict[str, Any] = {"seat": 1, "wager": wager, "amount": amount, "reason": "please"}
        assert pit.refused("place_wager", "floor", **args).clauses


# ── opening and closing ──
def test_the_opening_test_is_asked_for_and_recorded():
    pit = fill("preparing")
    assert any(p.awaits == "opening_test" for p in pit.tick(1).prompts)
    since = len(pit.commands)
    pit.do("opening_test", "dealer", lamps=True, lock=True)
    assert ("bonus", "lock") in pit.ordered(since)
    assert pit.last("table.tested").data["lamps"] is True
    assert not any(p.awaits == "opening_test" for p in pit.tick(1).prompts)


def test_a_failed_opening_test_blocks_the_first_round_until_it_passes():
    pit = fill("preparing")
    pit.do("load_shoe")
    pit.do("opening_test", lamps=True, lock=False)
    assert pit.duties() == {"opening_test"}
    assert "opening test" in pit.refused("open_bets").why
    assert [a.kind for a in pit.state.alarms] == ["opening_test"]
    assert any(p.awaits == "opening_test" for p in pit.tick(1).prompts)
    pit.do("opening_test", lamps=True, lock=True)
    pit.device("bonus", "locked")
    assert pit.state.alarms == ()
    pit.do("open_bets")


def test_closing_says_all_that_is_missing():
    pit = Pit().opened("red", "blue")
    pit.shuffle("red", 51)
    pit.device("shuffler", "jam")
    why = pit.refused("close_table").why
    for missing in ("remove deck red", "remove deck blue", "reshuffle (blue)"):
        assert missing in why, why


def test_a_table_closes_with_its_meters_read():
    pit = Pit().opened().play_round(ante=1000, progressive=100)
    pit.do("remove_deck")
    pit.do("close_table")
    told = pit.last("table.closed").data
    assert told["meters"]["main"] == pit.state.meter("main").cents
    assert told["totals"]["main"]["in"] == 100


# ── evacuation ──
@pytest.mark.parametrize("phase", ["preparing", *IN_ROUND])
def test_a_suspended_table_keeps_everything_and_locks(phase):
    pit = fill(phase)
    before, since = pit.state.round, len(pit.commands)
    pit.do("suspend_table", "dealer", reason="fire alarm")
    assert pit.last("table.suspended").data["reason"] == "fire alarm"
    assert {("bonus", "lock"), ("shoe", "hold")} <= set(pit.ordered(since))
    assert pit.permitted(since) == []
    assert (pit.state.round, pit.state.phase) == (before, phase)
    assert "table_suspended" in [a.kind for a in pit.state.alarms]
    pit.refused("suspend_table", reason="again")
    assert pit.refused("resume_table", "dealer").role
    pit.do("resume_table")
    assert pit.state.halt is None
    assert "table_suspended" not in [a.kind for a in pit.state.alarms]


# ── training ──
@pytest.mark.parametrize("real_first", [True, False])
def test_training_and_real_play_never_share_a_journal(real_first):
    pit = Pit(setup=setup(training=not real_first)).opened()
    assert pit.last("table.restarted").data["training"] is (not real_first)
    pit.setup = setup(training=real_first)
    pit.restart()
    pit.devices_tell()
    assert pit.state.halt.cause == "training"
    assert "data folder" in pit.refused("resume_table").why
    assert pit.state.setup.training is (not real_first)
    pit.setup = setup(training=not real_first)
    pit.restart()
    pit.devices_tell()
    pit.do("resume_table")


def test_a_training_meter_is_not_corrected():
    pit = Pit(setup=setup(training=True)).opened()
    pit.refused("correct_meter", meter="main", cents=5, reason="exercise")


@pytest.mark.parametrize("action", ["halt_table", "suspend_table"])
def test_what_restricts_is_not_turned_away_for_want_of_words(action: str) -> None:
    pit = fill("betting")
    pit.do(action, "dealer")
    assert pit.state.halt.why == "no reason was given"
    assert pit.state.lock != "unlocked"


def test_a_test_that_tells_of_no_failure_found_none() -> None:
    pit = fill("preparing")
    pit.do("opening_test", "dealer")
    assert pit.last("table.tested").data["lamps"] is True
    assert pit.state.tested
    pit.do("opening_test", "dealer", lock=False)
    assert not pit.state.tested
