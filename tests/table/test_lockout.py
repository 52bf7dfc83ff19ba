"""The wagering lock (TCP 2.C(2), 10.A(2)): sent at once, acknowledged before a card may leave."""

import pytest

from tablectl.games.rules import parse_rules
from tablectl.table.inputs import JournalFailed
from tablectl.table.setup import DeviceSetup
from tests.table.pit import DEVICES, Pit, fill, setup

WAGERING_CLOSED = (
    "preparing", "locking", "locked", "cancelling", "dealing", "deciding", "settling", "clearing",
    "voided",
)  # fmt: skip
TWO = (*DEVICES, DeviceSetup("bonus-2", "progressive"))


def orders(pit: Pit, since: int) -> list[tuple[str, str, bool]]:
    return [(c.device, c.name, c.restrictive) for c in pit.commands[since:]]


def test_open_bets_unlocks_and_that_is_permissive():
    pit = Pit().opened()
    assert pit.permitted() == []
    pit.betting()
    assert orders(pit, len(pit.commands) - 1) == [("bonus", "unlock", False)]
    pit.device("bonus", "unlocked")
    assert pit.last("progressive.unlocked").data["device"] == "bonus"


def test_10a2_no_more_bets_sends_the_lock_in_the_same_step_and_restrictive():
    pit = fill("betting")
    before = len(pit.commands)
    pit.do("no_more_bets", "dealer")
    assert orders(pit, before) == [("bonus", "lock", True)]
    assert pit.state.phase == "locking"


def test_10a2_no_leave_to_dispense_before_the_lock_is_acknowledged():
    pit = fill("locking")
    assert "dispense" not in pit.permitted()
    for device in ("shoe", "shuffler", "button"):
        pit.device(device, "online", dispensed=0)
    pit.device("shoe", "held")
    assert "dispense" not in pit.permitted()
    pit.device("bonus", "locked")
    assert pit.state.phase == "locked"
    assert orders(pit, len(pit.commands) - 1) == [("shoe", "dispense", False)]
    assert pit.commands[-1].args == {"stacks": 4}
    locked = pit.last("progressive.locked")
    assert locked.data["round"] == 1
    assert locked.data["devices"] == ["bonus"]
    assert {"TCP 2.C(2)", "TCP 10.A(2)"} <= set(locked.data["clauses"])


def test_10a2_every_wagering_device_acknowledges_before_the_deal():
    pit = Pit(setup=setup(devices=TWO)).opened().betting().wager(1, ante=1000)
    pit.do("no_more_bets")
    assert pit.ordered(len(pit.commands) - 2) == [("bonus", "lock"), ("bonus-2", "lock")]
    pit.device("bonus", "locked")
    pit.device("bonus", "locked")
    assert pit.state.phase == "locking"
    assert "dispense" not in pit.permitted()
    pit.device("bonus-2", "locked")
    assert pit.permitted()[-1] == "dispense"


def test_a_table_without_a_progressive_is_locked_by_the_word_alone():
    rules = parse_rules({"game": "three_card_poker", "ante_bonus": "A", "pair_plus": "D"})
    devices = tuple(d for d in DEVICES if d.kind != "progressive")
    pit = Pit(setup=setup(rules, devices=devices)).opened().betting().wager(1, ante=1000)
    pit.do("no_more_bets")
    assert pit.state.phase == "locked"
    assert pit.permitted() == ["dispense"]


# ── the button ──
def test_2c2_the_lock_out_button_locks_like_the_announcement():
    pit = fill("betting")
    before = len(pit.commands)
    pit.device("button", "pressed")
    assert pit.state.phase == "locking"
    assert orders(pit, before) == [("bonus", "lock", True)]
    assert pit.state.round.was_locked
    assert pit.last("round.bets_locked").data["round"] == 1
    pit.refused("place_wager", seat=2, wager="ante", amount=1000)


def test_2c2_the_button_works_on_a_halted_table():
    pit = fill("betting")
    pit.do("halt_table", reason="a drink was spilt")
    pit.device("button", "pressed")
    assert pit.state.phase == "locking"


def test_pressed_again_while_the_lock_is_being_cancelled_it_stays_locked():
    """What restricts has the last word (TCP 7.E)."""
    pit = fill("cancelling")
    before = pit.state.round
    pit.device("button", "pressed")
    assert (pit.state.phase, pit.state.round) == ("locked", before)
    pit.device("shoe", "held")
    assert pit.state.phase == "locked"


@pytest.mark.parametrize("phase", [p for p in ("closed", *WAGERING_CLOSED) if p != "cancelling"])
def test_elsewhere_the_button_changes_nothing_and_is_recorded(phase):
    pit = fill(phase)
    phase_, round_ = pit.state.phase, pit.state.round
    pit.device("button", "pressed")
    assert (pit.state.phase, pit.state.round) == (phase_, round_)
    assert pit.types()[-1] == "device.pressed"


# ── a device that does not acknowledge ──
def test_2c2_the_lock_is_sent_again_by_the_clock_and_then_the_table_halts():
    pit = fill("locking")
    outcome = pit.tick(100)
    assert outcome.events == ()
    assert outcome.wake_ns is not None
    for attempt in (2, 3):
        before = len(pit.commands)
        assert pit.state.halt is None
        pit.tick()
        assert orders(pit, before) == [("bonus", "lock", True)]
        fault = pit.last("device.fault").data
        assert fault["device"] == "bonus"
        assert str(attempt) in fault["what"]
    pit.tick()
    assert pit.state.halt.cause == "lock"
    assert pit.last("table.halted").data["cause"] == "lock"
    assert [a.kind for a in pit.state.alarms] == ["lock_not_acknowledged"]
    assert "dispense" not in pit.permitted()
    assert pit.state.phase == "locking"
    assert pit.state.round.live_wagers()  # a lock that hangs voids nothing


def test_a_lock_that_was_sent_again_is_told_of_its_device():
    pit = fill("locking")
    pit.tick()
    assert pit.last("device.fault").subject == "device/bonus"


def test_a_wake_up_comes_at_the_deadline_and_not_before():
    pit = fill("locking")
    deadline = pit.state.lock_deadline_ns
    assert deadline == pit.mono_ns + 500_000_000
    pit.mono_ns = deadline - 1_000_000 - 1
    assert pit.tick(1).events == ()
    assert pit.tick(1).events != ()


def test_after_the_halt_a_late_acknowledgement_locks_but_does_not_deal():
    pit = fill("locking")
    for _ in range(4):
        pit.tick()
    pit.device("bonus", "locked")
    assert pit.state.phase == "locked"
    assert pit.state.halt is not None
    assert "dispense" not in pit.permitted()
    assert "lock_not_acknowledged" not in {a.kind for a in pit.state.alarms}
    pit.do("resume_table")
    assert pit.permitted()[-1] == "dispense"


def test_a_resumed_lock_is_sent_anew_with_all_its_attempts():
    pit = fill("locking")
    for _ in range(4):
        pit.tick()
    before = len(pit.commands)
    outcome = pit.do("resume_table")
    assert orders(pit, before) == [("bonus", "lock", True)]
    assert outcome.wake_ns is not None
    for _ in range(2):
        pit.tick()
        assert pit.state.halt is None
    pit.tick()
    assert pit.state.halt.cause == "lock"


def test_resumed_in_mid_deal_an_open_lock_is_sent_again():
    pit = fill("dealing")
    pit.do("halt_table", reason="a drink was spilt")
    for _ in range(4):
        pit.tick()
    assert pit.state.lock == "locking"
    before = len(pit.commands)
    outcome = pit.do("resume_table")
    assert ("bonus", "lock", True) in orders(pit, before) or outcome.wake_ns is not None


# ── a device that says what it should not ──
@pytest.mark.parametrize("phase", WAGERING_CLOSED)
def test_2c2_a_device_that_says_unlocked_is_locked_again_at_once(phase):
    pit = fill(phase)
    before = len(pit.commands)
    pit.device("bonus", "unlocked")
    assert ("bonus", "lock", True) in orders(pit, before)
    assert pit.last("device.refused").data["device"] == "bonus"


def test_10a2_no_leave_while_a_wagering_device_says_that_it_is_unlocked():
    pit = fill("locking")
    pit.device("shoe", "offline")
    pit.device("bonus", "locked")
    pit.device("bonus", "unlocked")
    before = len(pit.commands)
    pit.device("shoe", "online", dispensed=0)
    assert pit.permitted(before) == []
    pit.device("bonus", "locked")
    assert pit.permitted(before) == ["dispense"]


@pytest.mark.parametrize("phase", ["locked", "dealing", "deciding"])
def test_2c2_a_device_that_comes_back_unlocked_is_locked_again(phase):
    pit = fill(phase)
    pit.device("bonus", "offline", what="cable")
    before = len(pit.commands)
    pit.device("bonus", "online", locked=False)
    assert ("bonus", "lock", True) in orders(pit, before)
    assert not pit.state.device("bonus").locked


def test_a_late_word_that_it_unlocked_is_no_acknowledgement():
    pit = fill("locking")
    pit.device("bonus", "unlocked")
    assert pit.state.phase == "locking"
    assert "dispense" not in pit.permitted()


def test_offline_and_online_while_locking_needs_the_word_locked():
    pit = fill("locking")
    pit.device("bonus", "offline", what="cable")
    assert "device_offline" in {a.kind for a in pit.state.alarms}
    pit.device("bonus", "online", locked=False)
    assert pit.state.phase == "locking"
    assert "device_offline" not in {a.kind for a in pit.state.alarms}
    pit.device("bonus", "online", locked=True)
    assert pit.state.phase == "locked"


# ── wagering is never left open outside open bets ──
def test_2c2_a_round_cleared_before_the_lock_leaves_wagering_locked():
    pit = fill("preparing").betting()
    before = len(pit.commands)
    pit.do("clear_round")
    assert ("bonus", "lock", True) in orders(pit, before)
    assert pit.state.lock != "unlocked"


@pytest.mark.parametrize("how", ["stack", "count"])
def test_2c2_a_card_before_the_lock_locks_wagering(how):
    pit = fill("betting")
    before = len(pit.commands)
    if how == "stack":
        pit.device("shoe", "stack", ["2C", "3C", "9H"])
    else:
        pit.device("shoe", "online", dispensed=1)
    assert pit.state.phase == "voided"
    assert ("bonus", "lock", True) in orders(pit, before)


def test_the_lock_holds_from_no_more_bets_to_the_next_open_bets():
    pit = fill("betting")
    pit.lock().deal().decide().settle()
    before = len(pit.commands)
    pit.do("clear_round")
    pit.shuffle("red")
    pit.do("load_shoe")
    assert pit.permitted(before) == []
    pit.do("open_bets")
    assert pit.permitted(before) == ["unlock"]


@pytest.mark.parametrize("phase", WAGERING_CLOSED)
def test_restrict_first_a_failed_journal_locks_and_holds_everything(phase):
    pit = fill(phase)
    before = len(pit.commands)
    pit.feed(JournalFailed(pit.at(), "disk full"))
    assert ("bonus", "lock", True) in orders(pit, before)
    assert ("shoe", "hold", True) in orders(pit, before)
    assert pit.permitted(before) == []
    assert pit.state.halt.cause == "journal"


@pytest.mark.parametrize("phase", ["betting", "locked", "dealing"])
def test_a_restart_takes_every_leave_back(phase):
    pit = fill(phase)
    before = len(pit.commands)
    pit.restart()
    assert orders(pit, before) == [("bonus", "lock", True), ("shoe", "hold", True)]
    assert all(c.boot == "boot-2" for c in pit.commands[before:])


def test_command_numbers_never_repeat():
    """A device runs a permissive command once, by its number: numbers only go up."""
    pit = fill("dealing")
    pit.restart()
    pit.devices_tell()
    pit.do("resume_table")
    numbers = [command.n for command in pit.commands]
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize("phase", ["locked", "dealing"])
def test_the_shoe_is_given_leave_once(phase):
    """Repeated acknowledgements, presses and ticks give no second leave."""
    pit = fill(phase)
    left = len(pit.state.round.plan) - pit.state.round.stacks
    for _ in range(3):
        pit.device("bonus", "locked")
        pit.device("button", "pressed")
        pit.tick()
    assert pit.leave == left


def test_a_cancellation_that_came_too_late_gives_no_leave_twice():
    pit = fill("cancelling")
    pit.device("shoe", "stack", ["2C", "3C", "9H"])  # was on its way when the hold was sent
    pit.device("shoe", "held")
    assert pit.state.phase == "dealing"
    assert pit.leave == 3


def test_10b_two_holds_that_are_answered_twice_give_one_leave():
    """Halted, and a late word of the bonus: two holds are out when the floor resumes."""
    pit = fill("betting")
    pit.do("halt_table", reason="a drink was spilt")
    pit.device("bonus", "unlocked")
    assert pit.ordered().count(("shoe", "hold")) == 3  # the start's, and two
    pit.device("bonus", "locked")
    pit.do("resume_table")
    pit.device("shoe", "held")
    pit.lock()
    pit.device("shoe", "held")
    assert pit.leave == 4


def test_the_answer_to_an_unlock_that_comes_after_the_lock_was_sent_is_no_alarm():
    pit = fill("preparing")
    pit.do("load_shoe", "dealer")
    pit.do("open_bets", "dealer")
    pit.do("no_more_bets")
    pit.device("bonus", "unlocked")  # to the order of open_bets
    assert "unlocked_by_itself" not in {alarm.kind for alarm in pit.state.alarms}


def test_2c1_a_device_that_came_back_locked_in_open_bets_is_opened_or_takes_no_wager():
    pit = fill("betting")
    pit.device("bonus", "offline", what="power")
    before = len(pit.commands)
    pit.device("bonus", "online", locked=True)
    outcome = pit.act("place_wager", seat=5, wager="progressive", amount=100)
    assert "unlock" in pit.permitted(before) or outcome.refusal is not None


# ── two wagering devices ──
def locking_two(**more) -> Pit:
    pit = Pit(setup=setup(devices=TWO, **more)).opened().betting().wager(1, ante=1000)
    pit.do("no_more_bets")
    return pit


def test_2c2_only_the_device_that_did_not_acknowledge_is_asked_again_and_named():
    pit = locking_two()
    pit.device("bonus", "locked")
    for _ in range(2):
        before = len(pit.commands)
        pit.tick()
        assert orders(pit, before) == [("bonus-2", "lock", True)]
        assert pit.state.device("bonus").locked
    pit.tick()
    assert pit.state.halt.cause == "lock"
    [prompt] = pit.tick(1).prompts
    assert "bonus-2 did not acknowledge" in prompt.text
    assert "bonus," not in prompt.text
    pit.device("bonus-2", "locked")
    assert "dispense" not in pit.permitted()
    pit.do("resume_table")
    assert pit.permitted()[-1] == "dispense"


def test_2c2_one_that_acknowledges_late_between_two_attempts_counts():
    pit = locking_two()
    pit.device("bonus", "locked")
    pit.tick()
    pit.device("bonus-2", "locked")
    assert pit.state.phase == "locked"
    pit.device("bonus-2", "locked")  # and its answer to the second copy
    assert pit.leave == 2


def test_2c2_one_that_goes_and_comes_back_in_mid_lock_is_waited_for():
    pit = locking_two()
    pit.device("bonus", "locked")
    pit.device("bonus-2", "offline", what="cable")
    [prompt] = pit.tick(1).prompts
    assert prompt.text.startswith("bonus-2 is offline and has not locked")
    pit.device("bonus-2", "online", locked=False)
    assert pit.ordered()[-2:] == [("bonus-2", "lock"), ("shoe", "hold")]
    assert "dispense" not in pit.permitted()
    pit.acknowledge()
    assert "dispense" not in pit.permitted()  # the shoe has not said that it holds
    pit.device("shoe", "held")
    assert pit.permitted()[-1] == "dispense"


def test_2c2_a_covered_device_has_not_acknowledged_the_lock():
    """A cover is no acknowledgement: it comes back, or the round is void."""
    pit = locking_two()
    pit.device("bonus", "locked")
    pit.device("bonus-2", "offline", what="cable")
    pit.do("mark_out_of_order", "dealer", device="bonus-2")
    pit.do("confirm_out_of_order", device="bonus-2")
    assert pit.state.phase == "locking"
    assert any("bonus-2 is out of order and has not" in p.text for p in pit.tick(1).prompts)
    pit.do("void_round", reason="a wagering device is dead")
    assert "dispense" not in pit.permitted()


def test_2c1_each_device_answers_for_its_own_wagers():
    pit = Pit(setup=setup(devices=TWO)).opened().betting().wager(1, ante=1000)
    pit.accept(1)
    pit.device("bonus-2", "withdrawn", seat=1, wager="progressive")
    assert pit.types()[-1] == "device.refused"
    pit.device("bonus-2", "accepted", seat=1, wager="progressive", cents=500)
    assert pit.types()[-1] == "device.refused"
    [wager] = [w for w in pit.state.round.wagers if w.wager == "progressive"]
    assert (wager.cents, wager.device) == (100, "bonus")
    pit.device("bonus", "withdrawn", seat=1, wager="progressive")
    assert pit.state.round.stake(1, "progressive") == 0


# ── what a device does while bets are open ──
@pytest.mark.parametrize("doubt", ["back open", "does not say", "opened by itself", "fault"])
def test_2c2_a_device_in_doubt_takes_no_wager_until_it_was_locked_and_opened_again(doubt):
    pit = fill("betting")
    before = len(pit.commands)
    if doubt == "opened by itself":
        pit.device("bonus", "unlocked")
        assert [a.kind for a in pit.state.alarms] == ["unlocked_by_itself"]
    elif doubt == "fault":
        pit.device("bonus", "fault", what="power supply")
        pit.accept(7)
        assert pit.state.round.stake(7, "progressive") == 0
        pit.device("bonus", "cleared")
    else:
        pit.device("bonus", "offline", what="power")
        pit.device("bonus", "online", **({"locked": False} if doubt == "back open" else {}))
    assert [o for o in orders(pit, before) if o[1] != "lamp"] == [("bonus", "lock", True)]
    pit.accept(7)
    assert pit.state.round.stake(7, "progressive") == 0
    assert pit.refused("place_wager", seat=5, wager="progressive", amount=100).clauses
    pit.device("bonus", "locked")
    assert [name for name in pit.permitted(before) if name != "lamp"] == ["unlock"]
    pit.device("bonus", "unlocked")
    pit.wager(7, ante=1000)
    pit.accept(7)
    assert pit.state.round.stake(7, "progressive") == 100


@pytest.mark.parametrize("how", ["offline", "fault"])
def test_2c1_nothing_is_keyed_while_the_device_cannot_take_it(how):
    pit = fill("betting")
    pit.device("bonus", how, what="power")
    refusal = pit.refused("place_wager", seat=5, wager="progressive", amount=100)
    assert refusal.clauses == ("TCP 2.C(1)",)


def test_2c2_who_opened_wagering_by_itself_stays_an_alarm_until_somebody_has_seen_it():
    pit = fill("dealing")
    pit.device("bonus", "unlocked")
    pit.device("bonus", "locked")
    [alarm] = pit.state.alarms
    assert (alarm.kind, alarm.severity) == ("unlocked_by_itself", "critical")
    pit.do("acknowledge_alarm", id=alarm.id)
    assert pit.state.alarms == ()


# ── cards without leave ──
def test_10a2_a_stack_without_leave_is_no_deal_although_wagering_is_locked():
    """Halted between the lock and its acknowledgement: the shoe was never told to dispense."""
    pit = fill("locking")
    pit.do("halt_table", reason="a drink was spilt")
    pit.device("bonus", "locked")
    assert (pit.state.phase, pit.state.lock) == ("locked", "locked")
    pit.device("shoe", "stack", ["2C", "3C", "9H"])
    told = pit.last("irregularity.card_before_lock").data
    assert len(told["evidence"]) == 3
    assert pit.state.phase == "voided"


def test_a_stack_that_was_on_its_way_when_the_device_opened_by_itself_is_the_deal():
    pit = fill("locked")
    pit.device("bonus", "unlocked")
    pit.device("shoe", "stack", ["2C", "3C", "9H"])
    assert pit.state.phase == "dealing"
    assert "irregularity.card_before_lock" not in pit.types()


def by_hand_locked_again(*devices: DeviceSetup) -> Pit:
    rules = parse_rules(
        {"game": "three_card_poker", "ante_bonus": "A", "pair_plus": "D", "progressive": "A",
         "dealing": "manual_shoe"}
    )  # fmt: skip
    with_devices = setup(rules, devices=devices or DEVICES)
    pit = Pit(setup=with_devices).opened().betting().wager(1, ante=1000).lock()
    pit.device("bonus", "unlocked")
    return pit


@pytest.mark.parametrize("phase", ["locked", "dealing"])
def test_2c2_the_dealer_is_stopped_while_wagering_is_locked_again(phase):
    pit = fill(phase)
    pit.device("bonus", "unlocked")
    prompt = pit.tick(1).prompts[0]
    assert prompt.text.startswith("Stop dealing")
    assert "TCP 2.C(2)" in prompt.clauses
    pit.device("bonus", "locked")
    assert "Deliver the next stack" in pit.tick(1).prompts[0].text


def test_8c1_no_card_by_hand_while_wagering_is_locked_again():
    """Nobody reports the cards: what the dealer does next would tell that they are dealt."""
    pit = by_hand_locked_again(*(d for d in DEVICES if d.kind != "shoe"))
    assert pit.tick(1).prompts[0].text.startswith("Stop dealing")
    assert set(pit.refused("play", seat=1).clauses) == {"TCP 2.C(2)", "TCP 10.A(2)"}
    pit.device("bonus", "locked")
    pit.do("play", "dealer", seat=1)


def test_8c1_a_card_drawn_by_hand_while_wagering_is_locked_again_is_an_irregularity():
    pit = by_hand_locked_again()
    pit.device("shoe", "card", ["2C"])
    assert pit.last("irregularity.card_before_lock").data["evidence"]
    assert pit.state.phase == "voided"
