"""Wagers after "no more bets" (TCP 2.C(2), 7.E): recorded, alarmed, never counted."""

import pytest

from tests.table.pit import Pit, fill

AFTER = ("locking", "locked", "cancelling", "dealing", "deciding", "settling", "clearing")


def wagers(pit: Pit) -> list[tuple[int, str, int, str]]:
    return [(w.seat, w.wager, w.cents, w.status) for w in pit.state.round.wagers]


@pytest.mark.parametrize("phase", AFTER)
@pytest.mark.parametrize("by", ["dealer", "device"])
def test_7e_a_late_wager_is_on_record_and_changes_nothing(phase, by):
    pit = fill(phase)
    before, pending = wagers(pit), pit.state.round.pending
    if by == "dealer":
        pit.do("report_late_bet", "dealer", seat=2, wager="progressive")
    else:
        pit.device("bonus", "late", seat=2, wager="progressive")
    assert (wagers(pit), pit.state.round.pending) == (before, pending)
    told = pit.last("irregularity.wager_after_lock")
    assert {"TCP 2.C(2)", "TCP 7.E"} <= set(told.data["clauses"])
    assert "back" in told.data["ruling"]
    [evidence] = told.data["evidence"]
    assert evidence < told.sequence
    refused = pit.last("wager.refused").data
    assert (refused["seat"], refused["wager"], refused["reason"]) == (2, "progressive", "late")
    assert [a.kind for a in pit.state.alarms] == ["late_bet"]
    assert any("seat 2" in p.text and "TCP 7.E" in p.clauses for p in pit.tick(1).prompts)


@pytest.mark.parametrize("phase", ["preparing", "betting", "voided"])
def test_7d_before_the_lock_nothing_is_late(phase):
    pit = fill(phase)
    assert pit.refused("report_late_bet", seat=2, wager="ante").clauses
    pit.device("bonus", "late", seat=2, wager="progressive")
    assert pit.types()[-1] == "device.refused"
    assert pit.named("irregularity.wager_after_lock") == []


def test_7e_a_raised_wager_plays_at_its_locked_amount():
    pit = fill("deciding")
    pit.do("report_late_bet", "dealer", seat=1, wager="ante")
    assert "$10" in pit.last("irregularity.wager_after_lock").data["what"]
    pit.decide().settle()
    lines = {s["seat"]: s["lines"] for s in pit.last("round.settled").data["seats"]}
    assert lines[1][0]["stake"] == 1000


def test_2c2_what_a_device_accepts_after_the_lock_is_late():
    pit = fill("locking")
    pit.accept(5)
    assert pit.state.round.stake(5, "progressive") == 0
    assert pit.last("irregularity.wager_after_lock").data["round"] == 1
    assert pit.commands[-1].args == {"seat": 5, "wager": "progressive", "on": False}


def test_a_late_wager_is_told_once_and_seen_is_over():
    pit = fill("deciding")
    for _ in range(3):
        pit.device("bonus", "late", seat=2, wager="progressive")
    assert len(pit.named("irregularity.wager_after_lock")) == 1
    assert "TCP 7.E" in pit.refused("report_late_bet", seat=2, wager="progressive").clauses
    pit.do("acknowledge_alarm", "surveillance", id=pit.state.alarms[0].id)
    assert pit.state.alarms == ()


@pytest.mark.parametrize("args", [{"seat": 0, "wager": "ante"}, {"seat": 2, "wager": "dragon"}])
def test_a_late_wager_has_a_seat_and_a_name_of_this_table(args):
    assert fill("deciding").refused("report_late_bet", "dealer", **args).malformed


@pytest.mark.parametrize(
    "said", [{}, {"seat": "2", "wager": "progressive"}, {"seat": 2, "wager": "ante"}]
)
def test_a_device_that_talks_nonsense_is_recorded_and_not_believed(said):
    pit = fill("deciding")
    for name in ("late", "accepted", "withdrawn"):
        pit.device("bonus", name, **said)
        assert pit.types()[-1] == "device.refused"
    assert pit.state.round.late == ()


def test_keyed_late_is_the_floors_to_amend_until_the_reveal():
    pit = fill("deciding")
    pit.do("amend_wager", seat=1, wager="ante", amount=1500, reason="keyed late")
    assert pit.state.round.stake(1, "ante") == 1500
    pit.decide().do("reveal_dealer")
    assert pit.refused("amend_wager", seat=1, wager="ante", amount=2000, reason="late").clauses
