"""Answers to the wagering lock (TCP 2.C(2)): whose they are; the invariant behind a leave."""

from dataclasses import replace

import pytest

from tablectl.table.invariants import Made, nothing_dealt_unlocked
from tests.table.pit import Pit, fill


# ── whose answer it is ──
def last(pit: Pit, name: str, device: str = "bonus") -> int:
    return next(c.n for c in reversed(pit.commands) if (c.device, c.name) == (device, name))


def test_2c2_the_answer_to_a_lock_from_before_bets_were_open_is_no_acknowledgement():
    pit = fill("preparing")
    stale = last(pit, "lock")
    pit.betting().wager(1, ante=1000)
    pit.do("no_more_bets")
    pit.device("bonus", "locked", n=stale)
    assert pit.types()[-1] == "device.refused"
    assert pit.state.phase == "locking"
    assert "dispense" not in pit.permitted()
    pit.device("bonus", "locked", n=last(pit, "lock"))
    assert pit.permitted()[-1] == "dispense"


def test_2c2_the_answer_to_any_copy_of_this_lock_is():
    pit = fill("locking")
    first = last(pit, "lock")
    pit.tick()
    assert last(pit, "lock") > first
    pit.device("bonus", "locked", n=first)
    assert pit.state.phase == "locked"


def test_2c2_where_answers_are_numbered_only_an_answer_acknowledges():
    """A key turned before the table opened the device: its word comes after the next lock went
    out, and the device is open behind it."""
    pit = fill("preparing")
    pit.device("bonus", "locked", n=last(pit, "lock"))
    pit.betting().wager(1, ante=1000)
    pit.do("no_more_bets")
    pit.device("bonus", "locked")
    assert pit.state.phase == "locking"
    pit.device("bonus", "locked", n=last(pit, "lock"))
    assert pit.state.phase == "locked"


def test_2c1_one_that_is_locked_by_its_key_while_bets_are_open_takes_no_wager():
    pit = fill("betting")
    pit.device("bonus", "locked")
    pit.refused("place_wager", seat=5, wager="progressive", amount=100)
    pit.device("bonus", "unlocked")  # the key again: locked, and opened by the table
    assert pit.ordered()[-1] == ("bonus", "lock")
    pit.device("bonus", "locked")
    assert pit.ordered()[-1] == ("bonus", "unlock")


# ── the invariant behind it all ──
@pytest.mark.parametrize("wrong", ["lock", "device", "count"])
def test_a_leave_that_must_not_be_is_noticed_in_production_too(wrong):
    pit = fill("locking")
    before = pit.state
    outcome = pit.device("bonus", "locked")
    after = outcome.state
    assert [c.name for c in outcome.commands] == ["dispense"]
    assert not list(nothing_dealt_unlocked(Made(before, after, (), outcome.commands)))
    if wrong == "lock":
        after = replace(after, lock="locking")
    elif wrong == "device":
        devices = tuple(replace(d, locked=d.kind != "progressive") for d in after.devices)
        after = replace(after, devices=devices)
    else:
        after = replace(after, round=replace(pit.state.round, count="due"))
    [sentence] = nothing_dealt_unlocked(Made(before, after, (), outcome.commands))
    assert "leave" in sentence
