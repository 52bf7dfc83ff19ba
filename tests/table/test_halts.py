"""Standing still: halts by people, by failures and by a restart; what they change and what not."""

from dataclasses import replace
from typing import Any

import pytest

from tablectl.table import invariants
from tablectl.table import table as core
from tablectl.table.inputs import JournalFailed, Restart
from tablectl.table.procedures import PROCEDURES
from tests.table.pit import Pit, fill, setup

BEFORE_REVEAL = ("betting", "locking", "locked", "cancelling", "dealing", "deciding")
AFTER = ("settling",)
STILL = ("preparing", "clearing", "voided")
OPEN = (*STILL, *BEFORE_REVEAL, *AFTER)
WHILE_HALTED = {
    "confirm_clock", "no_more_bets", "acknowledge_alarm", "resume_table", "log_on", "log_off",
    "suspend_table",
}  # fmt: skip


@pytest.fixture
def broken(monkeypatch):
    """report_jam and the button raise; confirm_clock goes through and violates an invariant."""

    def boom(_step, _args):
        raise RuntimeError("AS KS QS")

    def check(made):
        if any(event.data.get("action") == "confirm_clock" for event in made.events):
            yield "somebody confirmed the clock"

    poker = PROCEDURES["three_card_poker"]
    jam = replace(poker.actions["report_jam"], effect=boom)
    broken = replace(
        poker,
        actions={**poker.actions, "report_jam": jam},
        handlers={**poker.handlers, ("button", "pressed"): boom},
    )
    monkeypatch.setitem(PROCEDURES, "three_card_poker", broken)
    monkeypatch.setattr(invariants, "CHECKS", (*invariants.CHECKS, check))


def fail(pit: Pit, how: str):
    if how == "exception":
        return pit.act("report_jam", device="shoe")
    if how == "device":
        return pit.device("button", "pressed")
    pit.table.state = replace(pit.state, clock_confirmed=False)
    return pit.act("confirm_clock")


HOW = ("exception", "device", "invariant")


# ── failures ──
@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("phase", BEFORE_REVEAL)
def test_a_failure_before_the_reveal_is_a_recorded_halt_and_voids_the_round(phase, how):
    pit = fill(phase)
    since, before = pit.state.sequence, len(pit.commands)
    outcome = fail(pit, how)
    cause = "invariant" if how == "invariant" else "exception"
    assert pit.state.halt.cause == cause
    assert outcome.events[0].type == "table.halted"
    assert outcome.events[0].data["cause"] == cause
    assert "action.done" not in pit.types(since)  # the step itself was thrown away
    assert pit.state.phase == "voided"
    assert all(w.status == "returned" for w in pit.state.round.wagers)
    assert len(pit.named("wager.returned", since)) == len(pit.state.round.wagers)
    assert pit.last("round.voided").data["reason"] == cause
    assert pit.permitted(before) == []
    assert {("bonus", "lock"), ("shoe", "hold")} <= set(pit.ordered(before))
    assert {"acknowledge_void", "reshuffle"} <= pit.duties()
    assert "table_halted" in {alarm.kind for alarm in pit.state.alarms}


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize("how", HOW)
def test_a_failure_after_the_reveal_leaves_the_open_seats_to_the_floor(how):
    pit = fill("settling")
    pit.do("confirm_payment", seat=5)
    fail(pit, how)
    assert pit.state.phase == "settling"
    assert pit.state.round.by_hand
    pit.do("resume_table")
    assert pit.refused("confirm_payment", seat=1)
    args: dict[str, Any] = {"seat": 1, "returned": 2500, "reason": "counted with surveillance"}
    assert pit.refused("settle_by_hand", "dealer", **args).role
    assert pit.refused("settle_by_hand", **{**args, "returned": -1}).malformed
    for seat in (5, 3, 7):  # settled, folded, never there
        assert pit.refused("settle_by_hand", **{**args, "seat": seat}).malformed
    pit.do("settle_by_hand", **args)
    assert pit.state.phase == "clearing"
    assert {w.status for w in pit.state.round.wagers} == {"settled", "forfeited"}
    ended = [
        (e.data["seat"], e.data["wager"])
        for e in pit.events
        if e.type in ("wager.settled", "wager.forfeited")
        and e.data["wager"] not in ("ante_bonus", "envy_bonus")
    ]
    assert sorted(ended) == sorted((w.seat, w.wager) for w in pit.state.round.wagers)
    assert pit.last("seat.settled_by_hand").data["returned"] == 2500
    assert pit.last("round.settled").data["by_hand"] is True
    pit.do("clear_round")


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("phase", STILL)
def test_a_failure_with_nothing_at_stake_halts_and_changes_nothing_else(phase, how):
    pit = fill(phase)
    round_ = pit.state.round
    fail(pit, how)
    assert pit.state.halt is not None
    assert (pit.state.phase, pit.state.round) == (phase, round_)
    pit.do("resume_table")
    assert pit.state.halt is None


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("phase", OPEN)
def test_a_failure_replays_as_the_same_halt(phase, how):
    pit = fill(phase)
    if how == "invariant":
        pit.table.state = replace(pit.state, clock_confirmed=False)
    state = pit.state
    outcome = fail(pit, how)
    again = core.step(state, pit.inputs[-1])
    assert again == outcome


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize("phase", BEFORE_REVEAL)
def test_what_a_failure_says_holds_nothing_of_what_raised_it(phase):
    pit = fill(phase)
    outcome = fail(pit, "exception")
    assert "AS" not in repr(outcome.events)
    assert "report_jam" in pit.state.halt.why


@pytest.mark.usefixtures("broken")
def test_failure_upon_failure_voids_and_returns_once():
    pit = fill("dealing")
    since = pit.state.sequence
    for how in HOW:
        fail(pit, how)
    assert len(pit.named("round.voided", since)) == 1
    assert len(pit.named("wager.returned", since)) == len(pit.state.round.wagers)
    assert pit.state.halt.cause == "exception"  # the first cause stands


@pytest.mark.parametrize("phase", OPEN)
def test_where_even_the_halt_fails_the_table_stands_still(phase, monkeypatch):
    pit = fill(phase)
    round_ = pit.state.round
    monkeypatch.setattr(core, "violations", lambda _made: ("everything is wrong",))
    before = len(pit.commands)
    outcome = pit.act("acknowledge_void")
    assert [event.type for event in outcome.events] == ["table.halted"]
    assert outcome.events[0].sequence == pit.state.sequence
    assert pit.state.halt is not None
    assert pit.state.round == round_
    assert pit.permitted(before) == []


def test_where_even_the_halt_fails_wagering_is_locked_and_the_shoe_held(monkeypatch):
    pit = fill("betting")
    monkeypatch.setattr(core, "violations", lambda _made: ("everything is wrong",))
    before = len(pit.commands)
    pit.act("no_more_bets")
    assert {("bonus", "lock"), ("shoe", "hold")} <= set(pit.ordered(before))


@pytest.mark.usefixtures("broken")
def test_a_failure_after_the_reveal_with_no_seat_open_leads_on():
    """Everybody folded; the dealer's unreadable card awaits its entry when the table fails."""
    pit = Pit().opened().betting().wager(1, ante=1000).lock()
    pit.device("shoe", "stack", ["2C", "7D", "9H"])
    pit.device("shoe", "stack", ["AS", None, "6H"])
    pit.decide("fold").do("reveal_dealer")
    fail(pit, "device")
    outcome = pit.do("resume_table")
    if "settle_by_hand" in outcome.allowed:
        pit.do("settle_by_hand", seat=1, returned=0, reason="folded")
    assert pit.state.phase == "clearing"


# ── a person ──
@pytest.mark.parametrize("role", ["dealer", "floor", "surveillance"])
@pytest.mark.parametrize("phase", ["closed", *OPEN])
def test_a_halt_by_a_person_changes_nothing_else(phase, role):
    pit = fill(phase)
    old = pit.state
    before = len(pit.commands)
    pit.do("halt_table", role, reason="a drink was spilt")
    same = ("phase", "round", "decks", "meters", "duties", "alarms", "last_deck", "rounds")
    assert all(getattr(old, name) == getattr(pit.state, name) for name in same)
    assert pit.state.halt.cause == "person"
    assert pit.last("table.halted").data["why"] == "a drink was spilt"
    assert pit.ordered(before) == [("bonus", "lock"), ("shoe", "hold")]
    assert pit.refused("halt_table", reason="again")


@pytest.mark.parametrize("phase", OPEN)
def test_after_a_persons_halt_the_round_goes_on_where_it_stood(phase):
    pit = fill(phase)
    old = pit.state
    pit.do("halt_table", reason="a drink was spilt")
    before = len(pit.commands)
    pit.acknowledge()
    if phase != "cancelling":
        pit.device("shoe", "held")
    assert pit.permitted(before) == []
    assert pit.refused("resume_table", "dealer").role
    pit.do("resume_table")
    assert pit.types()[-1] == "table.resumed"
    assert pit.state.halt is None
    expected = {"betting": ["unlock"], "locking": ["dispense"], "locked": ["dispense"],
                "dealing": ["dispense"]}  # fmt: skip
    if phase == "locking":
        pit.acknowledge()
    assert pit.permitted(before) == expected.get(phase, [])
    if phase != "locking":
        assert (pit.state.phase, pit.state.round) == (old.phase, old.round)
    assert pit.leave == (len(pit.state.round.plan) - pit.state.round.stacks if pit.leave else 0)


@pytest.mark.parametrize("phase", ["closed", *OPEN])
def test_while_halted_only_this_is_possible(phase):
    pit = fill(phase)
    pit.do("halt_table", reason="a drink was spilt")
    assert set(pit.tick(1).allowed) <= WHILE_HALTED
    for action in ("open_bets", "place_wager", "play", "reveal_dealer", "clear_round", "load_shoe"):
        wager = {"seat": 1, "wager": "ante", "amount": 500}
        args: dict[str, dict[str, Any]] = {"place_wager": wager, "play": {"seat": 1}}
        assert "halted" in pit.refused(action, **args.get(action, {})).why


@pytest.mark.parametrize("phase", ["closed", *OPEN])
def test_nothing_is_permitted_while_halted_whatever_the_devices_say(phase):
    pit = fill(phase)
    pit.do("halt_table", reason="a drink was spilt")
    before = len(pit.commands)
    for device in ("shoe", "shuffler", "bonus", "button"):
        for name in ("held", "locked", "offline", "online", "fault", "cleared", "pressed"):
            pit.device(device, name, locked=True, dispensed=pit.state.device("shoe").dispensed)
    for _ in range(6):
        pit.tick()
    pit.feed(JournalFailed(pit.at(), "disk full"))
    assert pit.permitted(before) == []
    assert pit.state.halt is not None


# ── restart ──
@pytest.mark.parametrize("phase", ["closed", *OPEN])
def test_a_restart_locks_everything_and_changes_no_round(phase):
    pit = fill(phase)
    old, before = pit.state, len(pit.commands)
    outcome = pit.restart()
    assert outcome.events[0].type == "table.restarted"
    assert (pit.state.phase, pit.state.round, pit.state.decks) == (old.phase, old.round, old.decks)
    assert pit.state.meters == old.meters
    assert pit.ordered(before) == [("bonus", "lock"), ("shoe", "hold")]
    assert {device.health for device in pit.state.devices} == {"unknown"}
    assert (pit.state.halt is None) == (phase == "closed")
    assert pit.last("table.restarted").subject == (
        f"round/{old.round.number}" if old.round else "table"
    )


@pytest.mark.parametrize("first", ["devices", "resume"])
@pytest.mark.parametrize("phase", OPEN)
def test_nothing_is_permitted_before_a_person_resumes_and_each_device_told(phase, first):
    pit = fill(phase)
    pit.restart()
    before = len(pit.commands)
    if first == "resume":
        pit.do("resume_table")
    assert pit.permitted(before) == []
    shoe = {"dispensed": pit.state.device("shoe").dispensed}
    for device, told in (("shuffler", {}), ("bonus", {"locked": True}), ("shoe", shoe)):
        pit.device(device, "online", **told)
        assert pit.permitted(before) == []
    pit.device("button", "online")
    if first == "devices":
        assert pit.permitted(before) == []
        pit.do("resume_table")
    expected = {"betting": ["unlock"], "locking": ["dispense"], "locked": ["dispense"],
                "dealing": ["dispense"]}  # fmt: skip
    assert pit.permitted(before) == expected.get(phase, [])


@pytest.mark.parametrize("phase", OPEN)
def test_a_round_is_played_to_its_end_after_a_restart(phase):
    """No void if the cards are undisturbed: resume exactly."""
    pit = fill(phase)
    pit.restart()
    pit.devices_tell()
    pit.do("resume_table")
    if phase == "preparing":
        pit.play_round()
        return
    if pit.state.phase == "betting":
        pit.lock()
    if pit.state.phase in ("locked", "dealing"):
        pit.deal(seat_3="3C 8D TH", seat_5="4C 9D JH", dealer="AS QD 6H")
    if pit.state.phase == "deciding":
        pit.decide()
        pit.do("reveal_dealer")
    while pit.state.phase == "settling":
        pit.do("confirm_payment", seat=pit.state.round.turns[0])
    pit.do("clear_round")
    assert len(pit.named("round.cleared")) == 1
    assert len(pit.named("round.voided")) == (phase == "voided")


@pytest.mark.parametrize("told", [{}, {"dispensed": None}, {"dispensed": 5}, {"dispensed": 0}])
@pytest.mark.parametrize("phase", ["locked", "dealing"])
@pytest.mark.parametrize("how", ["restart", "outage"])
def test_13g_a_dispense_whose_outcome_nobody_knows_voids(phase, told, how):
    pit = fill(phase)
    if phase == "locked" and told == {"dispensed": 0}:
        told = {"dispensed": 1}
    if how == "restart":
        pit.restart()
    else:
        pit.device("shoe", "offline", what="cable")
    before = len(pit.commands)
    pit.device("shoe", "online", **told)
    assert pit.state.phase == "voided"
    assert pit.last("round.voided").data["clauses"] == ["TCP 13.G"]
    assert pit.permitted(before) == []


def test_13g_a_cancelled_dispense_whose_outcome_nobody_knows_voids():
    pit = fill("cancelling")
    pit.device("shoe", "offline", what="cable")
    pit.device("shoe", "online")
    assert pit.state.phase == "voided"


def test_5a_a_stack_that_left_with_a_void_while_the_box_was_off_is_seen():
    """The floor voided before any card; after the restart the shoe says that a stack is out."""
    pit = fill("locked")
    pit.do("void_round", reason="evacuation")
    pit.restart()
    pit.device("shoe", "online", dispensed=1)
    for device, told in (("shuffler", {}), ("bonus", {"locked": True}), ("button", {})):
        pit.device(device, "online", **told)
    pit.do("resume_table")
    pit.do("clear_round")
    pit.do("acknowledge_void")
    pit.refused("open_bets")


def test_after_a_restart_the_prompt_names_the_device_that_is_waited_for():
    pit = fill("dealing")
    pit.restart()
    pit.do("resume_table")
    assert "stack" not in pit.tick(1).prompts[0].text


@pytest.mark.parametrize("phase", ["betting", "locking", "deciding", "settling"])
def test_a_shoe_without_leave_that_cannot_count_voids_nothing(phase):
    pit = fill(phase)
    pit.restart()
    pit.device("shoe", "online")
    assert pit.state.phase == phase


@pytest.mark.parametrize("phase", BEFORE_REVEAL + AFTER)
def test_a_new_setup_takes_effect_after_the_round(phase):
    """A change of rules takes effect only between rounds, by an event."""
    pit = fill(phase)
    old = pit.setup
    pit.setup = setup(limits=())
    pit.boot += 1
    start = Restart(pit.at(), pit.setup, "other", "0.1.0", core.CORE_VERSION)
    pit.feed(start)
    assert pit.state.setup == old
    pit.devices_tell()
    pit.do("resume_table")
    if phase == "settling":
        while pit.state.phase == "settling":
            pit.do("confirm_payment", seat=pit.state.round.turns[0])
    else:
        if pit.state.phase == "betting":
            pit.lock()
        pit.do("void_round", reason="end of day")
    assert pit.state.setup == old
    pit.do("clear_round")
    assert pit.state.setup == pit.setup
    assert pit.types()[-1] == "config.loaded"
