"""Refusals: every action in every phase where it has no place, every role, every argument."""

from dataclasses import replace

import pytest

from tablectl.table.inputs import Action
from tablectl.table.procedures import PROCEDURES
from tests.table.pit import Pit, fill

PHASES = (
    "closed", "preparing", "betting", "locking", "locked", "cancelling", "dealing", "deciding",
    "settling", "clearing", "voided",
)  # fmt: skip
OPEN = PHASES[1:]
LOCKED = ("locking", "locked", "cancelling", "dealing", "deciding")
DECK = {"deck": "red"}
# For `fill(phase)`: sensible arguments, and the phases in which the action is then possible.
WHERE: dict[str, tuple[dict, tuple[str, ...]]] = {
    "open_table": ({}, ("closed",)),
    "close_table": ({}, ()),
    "confirm_clock": ({}, ()),
    "receive_decks": ({"decks": [{"id": "blue", "back": "blue"}]}, OPEN),
    "inspect_cards": (DECK, ()),
    "verify_inspection": (DECK, ()),
    "spread_cards": (DECK, ()),
    "player_inspected": ({**DECK, "viewed": True}, ()),
    "wash_cards": (DECK, ()),
    "load_shoe": (DECK, ("preparing",)),
    "shuffle_done": (DECK, ()),
    "cut_cards": (DECK, ()),
    "recut": ({**DECK, "reason": "sloppy"}, ()),
    "order_shuffle": ({**DECK, "reason": "seen"}, ("preparing",)),
    "spread_idle": ({}, ("preparing",)),
    "change_decks": ({}, ("preparing",)),
    "count_stub": ({"cards": 40}, ("preparing", "deciding")),
    "judge_stub": ({"misdealt": True}, ()),
    "report_face_up": ({"cards": 1}, ("preparing", "locked", "dealing", "deciding")),
    "report_exposed": ({"place": "seat/1/1", "confirm": True}, ("dealing", "deciding")),
    "report_drawn_in_error": ({}, ("locked", "dealing", "deciding")),
    "move_card": ({"draw": 1, "to": "seat/1/2"}, ("dealing", "deciding")),
    "remove_deck": (DECK, ("preparing",)),
    "clear_deck_latch": (DECK, ()),
    "single_deck": ({}, ()),
    "open_bets": ({}, ()),
    "place_wager": ({"seat": 1, "wager": "ante", "amount": 500}, ("betting",)),
    "remove_wager": ({"seat": 1, "wager": "ante"}, ("betting",)),
    "no_more_bets": ({}, ("betting", "cancelling")),
    "cancel_lock": ({"reason": "mistake"}, ("locking", "locked")),
    "amend_wager": ({"seat": 1, "wager": "ante", "amount": 500, "reason": "late"}, LOCKED),
    "play": ({"seat": 1}, ("deciding",)),
    "fold": ({"seat": 1}, ("deciding",)),
    "reveal_dealer": ({}, ()),
    "enter_card": ({"place": "dealer/1", "card": "KC"}, ()),
    "confirm_payment": ({"seat": 5}, ("settling",)),
    "settle_by_hand": ({"seat": 5, "returned": 0, "reason": "halt"}, ()),
    "clear_round": ({}, ("clearing", "voided")),
    "declare_misdeal": ({"confirm": True}, ("dealing", "deciding")),
    "report_jam": ({"device": "shuffler"}, OPEN),
    "void_round": ({"reason": "evacuation"}, LOCKED),
    "acknowledge_void": ({}, ("voided",)),
    "acknowledge_alarm": ({"id": "x-1"}, ()),
    "halt_table": ({"reason": "evacuation"}, PHASES),
    "log_on": ({}, PHASES),
    "log_off": ({}, PHASES),
    "resume_table": ({}, ()),
    "return_to_service": ({"device": "shoe"}, ()),
    "report_late_bet": ({"seat": 2, "wager": "ante"}, (*LOCKED, "settling", "clearing")),
    "count_progressive": ({"chips": 2}, ()),
    "resolve_count": ({}, ()),
    "validate_progressive": ({"seat": 5}, ()),
    "correct_meter": (
        {"meter": "main", "cents": 100_001, "reason": "display"},
        ("closed", "preparing"),
    ),
    "abandon": ({"seat": 5}, ("dealing", "deciding", "settling")),
    "dispute": ({"seat": 5, "reason": "the player asks"}, ("settling",)),
    "end_dispute": ({"seat": 5, "reason": "looked at"}, ()),
    "correct_card": ({"draw": 10, "card": "KD"}, ("settling",)),
    "void_found_late": (
        {"cause": "incorrect_number_of_cards", "reason": "seat 3 has four", "confirm": True},
        ("settling", "clearing"),
    ),
    "settle_void_seat": ({"seat": 5, "recovered": True}, ()),
    "attest_decision": ({"seat": 3, "decision": "play"}, ("deciding",)),
    "opening_test": ({"lamps": True, "lock": True}, ("preparing",)),
    "suspend_table": ({"reason": "evacuation"}, PHASES),
    "mark_out_of_order": ({"device": "shoe"}, ()),
    "confirm_out_of_order": ({"device": "shoe"}, ()),
}
ROLES = {
    "floor": {
        "open_table", "close_table", "confirm_clock", "verify_inspection", "clear_deck_latch",
        "single_deck", "cancel_lock", "amend_wager", "settle_by_hand", "void_round",
        "acknowledge_void", "resume_table", "recut", "order_shuffle", "move_card",
        "confirm_out_of_order", "resolve_count", "validate_progressive", "correct_meter",
        "abandon", "dispute", "end_dispute", "correct_card", "void_found_late",
        "settle_void_seat", "attest_decision",
    },
    "floor or surveillance": {"acknowledge_alarm"},
    "dealer, floor or surveillance": {"halt_table", "suspend_table"},
    "anybody": {"log_on", "log_off"},
    "technician": {"return_to_service"},
}  # fmt: skip
# Refusals that rest on the house's own procedure cite no clause of the rules.
HOUSE = {
    "open_table", "close_table", "confirm_clock", "enter_card", "settle_by_hand", "void_round",
    "acknowledge_void", "acknowledge_alarm", "halt_table", "resume_table", "clear_deck_latch",
    "return_to_service", "move_card", "correct_meter", "dispute", "end_dispute", "correct_card",
    "void_found_late", "settle_void_seat", "opening_test", "suspend_table",
}  # fmt: skip


def still(pit: Pit):
    """The state but for what every record moves."""
    blank = fill("closed").state
    return replace(pit.state, sequence=0, clock=blank.clock)


def test_the_table_here_knows_every_action():
    assert WHERE.keys() == PROCEDURES["three_card_poker"].actions.keys()


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("action", WHERE)
def test_an_action_out_of_place_is_refused_and_changes_nothing(action, phase):
    args, possible = WHERE[action]
    pit = fill(phase)
    before, since = still(pit), pit.state.sequence
    outcome = pit.act(action, "floor", **args)
    if phase in possible:
        assert outcome.refusal is None, outcome.refusal
        return
    refusal = outcome.refusal
    assert refusal is not None, f"{action} was done in {phase}"
    assert still(pit) == before
    assert outcome.commands == ()
    assert refusal.why
    assert refusal.clauses or action in HOUSE
    assert all(clause.startswith("TCP ") for clause in refusal.clauses)
    assert pit.types(since) == ["action.refused"]
    data = dict(outcome.events[0].data)
    assert data == data | {
        "action": action, "actor": "floor-1", "role": "floor", "why": refusal.why, "count": 1,
        "clauses": list(refusal.clauses), "allowed": list(refusal.allowed),
    }  # fmt: skip
    number = pit.state.round.number if pit.state.round else None
    assert outcome.events[0].subject == (f"round/{number}" if number else "table")


@pytest.mark.parametrize("phase", PHASES)
def test_the_list_of_what_is_allowed_is_what_can_be_done(phase):
    listed = set(fill(phase).tick(1).allowed) - {"remove_deck"}
    assert listed == {a for a, (_, where) in WHERE.items() if phase in where} - {"remove_deck"}


@pytest.mark.parametrize("phase", ["betting", "deciding", "clearing"])
def test_remove_deck_is_not_listed_while_the_only_deck_is_in_play(phase):
    assert "remove_deck" not in fill(phase).tick(1).allowed


def test_receive_decks_is_not_listed_where_two_decks_are_here():
    assert "receive_decks" not in Pit().opened("red", "blue").tick(1).allowed


def test_amend_wager_is_not_listed_where_nobody_wagered():
    assert "amend_wager" not in Pit().opened().betting().lock().tick(1).allowed


def test_a_decision_that_was_made_is_not_listed_again():
    pit = fill("deciding")
    pit.do("play", seat=1)
    pit.do("play", seat=3)
    allowed = pit.tick(1).allowed
    assert "fold" in allowed
    assert "play" not in allowed


# ── roles ──
@pytest.mark.parametrize("role", ["dealer", "floor", "surveillance", "technician", "player"])
@pytest.mark.parametrize("action", WHERE)
def test_each_action_is_for_its_role(action, role):
    """The floor may do what the dealer may; nobody else may, but halt and look at alarms."""
    may: tuple[str, ...]
    if action in ROLES["floor"]:
        may = ("floor",)
    elif action in ROLES["floor or surveillance"]:
        may = ("floor", "surveillance")
    elif action in ROLES["dealer, floor or surveillance"]:
        may = ("dealer", "floor", "surveillance")
    elif action in ROLES["anybody"]:
        may = ("dealer", "floor", "surveillance", "technician")
    elif action in ROLES["technician"]:
        may = ("technician",)
    else:
        may = ("dealer", "floor")
    args, possible = WHERE[action]
    pit = fill(possible[0] if possible else "preparing")
    outcome = pit.act(action, role, **args)
    by_role = outcome.refusal is not None and outcome.refusal.role
    assert by_role == (role not in may)


def right_role(action: str) -> str:
    return "technician" if action in ROLES["technician"] else "floor"


def test_somebody_without_a_role_may_do_nothing():
    pit = fill("betting")
    before = still(pit)
    for action, (args, _) in WHERE.items():
        outcome = pit.feed(Action(pit.at(), action, "nobody", (), args=args))
        assert outcome.refusal is not None
        assert outcome.refusal.role
        assert outcome.events[0].data["role"] is None
    assert still(pit) == before


def test_one_person_with_several_roles_acts_in_the_one_that_counts():
    pit = fill("locked")
    action = Action(pit.at(), "void_round", "ana", ("dealer", "floor"), args={"reason": "fire"})
    assert pit.feed(action).refusal is None
    assert pit.named("action.done")[-1].data["role"] == "floor"


# ── arguments ──
ODD = [
    None, True, False, 1.5, float("nan"), "", "x" * 201, [], {}, b"red", 10**13, -(10**13), ["red"],
    {"deck": "red"}, object(),
]  # fmt: skip


def wrong_for(right: object) -> list:
    """What cannot stand where `right` stands: another type, or a size beyond all reason."""
    return [
        odd
        for odd in ODD
        if type(odd) is not type(right)
        or (isinstance(odd, str) and not 0 < len(odd) <= 200)
        or (isinstance(odd, int) and abs(odd) > 10**12)
    ]


CASES = [(action, name) for action, (args, _) in WHERE.items() for name in args]


@pytest.mark.parametrize(("action", "name"), CASES)
def test_an_argument_of_the_wrong_kind_is_refused_as_malformed(action, name):
    args, possible = WHERE[action]
    pit = fill(possible[0] if possible else "preparing")
    right, before = args[name], still(pit)
    for odd in wrong_for(right):
        outcome = pit.act(action, right_role(action), **{**args, name: odd})
        assert outcome.refusal is not None, (name, odd)
        assert outcome.refusal.malformed, (name, odd)
        assert still(pit) == before


@pytest.mark.parametrize("action", WHERE)
def test_a_missing_or_unknown_argument_is_refused_as_malformed(action):
    args, possible = WHERE[action]
    pit = fill(possible[0] if possible else "preparing")
    before = still(pit)
    # What restricts or tests needs no words.
    wordless = {"halt_table", "suspend_table", "opening_test", "order_shuffle", "dispute"}
    optional = {"deck", "confirm"} | ({"reason", "lamps", "lock"} if action in wordless else set())
    for name in args:
        if name not in optional:
            rest = {key: value for key, value in args.items() if key != name}
            assert pit.refused(action, right_role(action), **rest).malformed
    for extra in ({"pin": "1234"}, {"": 1}, {"Seat": 1}):
        assert pit.refused(action, right_role(action), **args, **extra).malformed
    assert still(pit) == before


@pytest.mark.parametrize(
    "decks",
    [
        ["red"], [None], [{}], [{"id": "a"}], [{"back": "a"}], [{"id": "a", "back": 1}],
        [{"id": "", "back": "b"}], [{"id": "a" * 33, "back": "b"}], [{"id": "a", "back": ["b"]}],
        [{"id": "a", "back": "b", "preshuffled": 1}], [{"id": "a", "back": "b", "cards": 52}],
        [{"id": "a", "back": "b"}] * 9,
        [],
    ],
)  # fmt: skip
def test_decks_that_make_no_sense_are_refused_as_malformed(decks):
    pit = Pit()
    pit.start()
    pit.devices_tell()
    pit.do("open_table")
    assert pit.refused("receive_decks", decks=decks).malformed
    assert pit.state.decks == ()


def test_a_batch_of_decks_is_taken_whole_or_not_at_all():
    pit = fill("preparing")
    pit.do("remove_deck", deck="red")
    pit.refused("receive_decks", decks=[{"id": "a", "back": "b"}, {"id": "a", "back": "c"}])
    assert pit.state.decks == ()


@pytest.mark.parametrize(
    "name", ["", "to_settling", "-void", "-lock_acknowledged", "OPEN_BETS", "x"]
)
def test_an_unknown_action_is_refused(name):
    """What follows by itself (a dash in front) is nobody's to do."""
    for phase in PHASES:
        pit = fill(phase)
        before = still(pit)
        refusal = pit.act(name).refusal
        assert refusal is not None
        assert refusal.malformed
        assert refusal.allowed == pit.tick(1).allowed
        assert still(pit) == before


@pytest.mark.parametrize(
    ("action", "args"),
    [
        pytest.param("x" * 5000, {}, id="name"),
        pytest.param("open_bets", {"y" * 5000: 1}, id="argument"),
        pytest.param("remove_deck", {"deck": "z" * 200}, id="deck"),
    ],
)
def test_what_a_refusal_says_is_bounded(action, args):
    pit = fill("preparing")
    outcome = pit.act(action, **args)
    assert outcome.refusal is not None
    assert len(outcome.refusal.why) <= 400
    assert len(outcome.events[0].data["why"]) <= 400


@pytest.mark.parametrize("text", ["\ud800", "\udfff spilt"])
def test_a_text_that_cannot_be_written_down_is_refused(text):
    """A lone surrogate has no UTF-8: neither the journal nor a subscriber could hold it."""
    pit = fill("locked")
    for action in ("halt_table", "void_round", "cancel_lock"):
        assert pit.refused(action, reason=text).malformed
    outcome = pit.act("receive_decks", decks=[{"id": text, "back": "blue"}])
    assert outcome.refusal is not None
    assert outcome.refusal.malformed


@pytest.mark.parametrize(
    ("phase", "action", "args"),
    [
        ("locked", "cancel_lock", {}),
        ("locked", "amend_wager", {"seat": 1, "wager": "ante", "amount": 600}),
        ("locked", "void_round", {}),
    ],
)
def test_a_reason_has_words(phase, action, args):
    pit = fill(phase)
    assert pit.refused(action, reason="   ", **args).malformed


def test_nothing_comes_before_the_first_start():
    pit = Pit()
    for feed in (lambda: pit.act("open_table"), lambda: pit.device("shoe", "online")):
        outcome = feed()
        assert outcome.refusal is not None
        assert pit.state.setup is None
        assert outcome.events[0].type == "action.refused"


def test_repeated_refusals_are_one_record_with_a_count_and_an_alarm():
    pit = fill("betting")
    feed = Action(pit.at(), "open_bets", "ana", ("dealer",), count=40)
    outcome = pit.feed(feed)
    assert [e.type for e in outcome.events] == ["action.refused", "alarm.raised"]
    assert outcome.events[0].data["count"] == 40
    pit.feed(replace(feed, at=pit.at()))
    assert len(pit.state.alarms) == 1
    alarm = pit.state.alarms[0]
    pit.do("acknowledge_alarm", "surveillance", id=alarm.id)
    assert pit.state.alarms == ()


def test_a_device_that_nobody_set_up_is_refused_and_changes_nothing():
    odd = (("shoe-2", "stack"), ("", "locked"), ("shoe", "locked"), ("bonus", "stack"),
           ("button", "held"), ("shuffler", "to_online"))  # fmt: skip
    for phase in PHASES:
        pit = fill(phase)
        before = still(pit)
        for device, name in odd:
            outcome = pit.device(device, name)
            assert outcome.events[0].type == "device.refused"
            assert outcome.events[0].data.keys() >= {"device", "kind", "what"}
        assert still(pit) == before


def test_a_command_that_the_edge_refused_is_recorded_with_its_reason():
    pit = fill("betting")
    why = "it is not signed by a key of this table, for this topic"
    for method, told in (("mqtt-key", why), ("pin", "there is no action 'cmd/replay'")):
        given = Action(pit.at(), "cmd/replay", "unknown", (), method, {"why": why})
        refusal = pit.feed(given).refusal
        assert refusal is not None
        assert (refusal.why, refusal.malformed) == (told, True)
        assert pit.last("action.refused").data["why"] == told
