"""What leaves the table: fields as promised, subjects, integers only, nothing without bound."""

import json
from dataclasses import asdict

import pytest

from tablectl.table.outputs import Command, Event
from tablectl.table.table import step
from tests.table.pit import Pit, fill

WAGER = {"round", "seat", "wager", "cents"}
METER = {"round", "seat", "meter", "cents"}
DEVICE = {"device", "kind", "what"}
PROMISED = {
    "round.opened": {"round", "kind", "deck"},
    "round.bets_locked": {"round"},
    "round.dealt": {"round"},
    "round.cleared": {"round"},
    "card.dealt": {"round", "deck", "draw", "place", "commitment"},
    "card.revealed": {"round", "draw", "place", "card", "salt"},
    "round.settled": {"round", "dealer", "community", "seats"},
    "round.voided": {"round", "reason", "returned", "duties"},
    "action.refused": {"action", "actor", "role", "why", "clauses", "allowed", "count"},
    "action.done": {"action", "actor", "role"},
    "progressive.hit": METER,
    "progressive.paid": METER,
    "progressive.reset": METER,
}
AREAS = {
    "wager.": WAGER,
    "irregularity.": {"round", "what", "evidence", "ruling"},
    "device.": DEVICE,
}


def everything() -> Pit:
    """A session that sees most of what can happen."""
    pit = Pit(seed=3).opened("red", "blue").betting("red")
    pit.refused("open_bets")
    pit.wager(1, ante=1000, progressive=100, pair_plus=500).wager(2, ante=1000, progressive=500)
    pit.wager(3, ante=700)
    pit.do("remove_wager", seat=3, wager="ante")
    pit.device("bonus", "offline", what="cable")
    pit.device("bonus", "online", locked=False)
    pit.device("bonus", "locked")
    pit.device("bonus", "unlocked")
    pit.do("no_more_bets")
    pit.tick()
    pit.acknowledge()
    pit.do("amend_wager", seat=1, wager="ante", amount=900, reason="keyed wrong")
    pit.deal(seat_1="AS KS QS", seat_2="2C 7D 9H", dealer="3C 8D TH")
    pit.decide(seat_2="fold").settle()
    pit.do("clear_round")
    pit.shuffle("red", 51)
    pit.do("remove_deck", deck="red")
    pit.do("clear_deck_latch")
    pit.betting("blue").wager(4, ante=1000).lock()
    pit.device("shuffler", "jam")
    pit.device("shoe", "stack", ["2C", None, "9H"])
    pit.device("shoe", "stack", ["3C", "4D"])
    pit.device("shoe", "stack", ["KC", "KD", "KH"])
    pit.restart()
    pit.devices_tell()
    pit.do("resume_table")
    pit.do("acknowledge_void")
    pit.do("clear_round")
    pit.shuffle("blue")
    pit.betting("blue").wager(4, ante=1000).lock()
    pit.device("shoe", "jam")
    pit.device("scale", "online")
    return pit


SESSIONS = [everything, *[lambda phase=phase: fill(phase) for phase in ("clearing", "voided")]]


@pytest.mark.parametrize("session", SESSIONS)
def test_every_event_carries_what_is_promised_for_its_type(session):
    for event in session().events:
        wanted = PROMISED.get(event.type, set())
        for area, fields in AREAS.items():
            if event.type.startswith(area):
                wanted = wanted | fields
        assert wanted <= event.data.keys(), event
        assert event.data["inferred"] is False


@pytest.mark.parametrize("session", SESSIONS)
def test_the_subject_is_the_round_the_deck_the_device_or_the_table(session):
    numbers = set()
    for event in session().events:
        data = event.data
        if event.type == "round.opened":
            numbers.add(data["round"])
        if event.type.startswith(("device.", "progressive.unlocked")):
            assert event.subject == f"device/{data['device']}"
        elif event.type.startswith("deck."):
            assert event.subject == f"deck/{data['deck']}"
        elif data.get("round") is not None:
            assert event.subject == f"round/{data['round']}"
            assert data["round"] in numbers
        else:
            assert event.subject == "table"
            assert not event.type.startswith(("round.", "wager.", "card.", "seat."))


@pytest.mark.parametrize("session", SESSIONS)
def test_events_hold_json_values_and_no_number_but_small_integers(session):
    def check(value):
        if isinstance(value, dict):
            assert all(isinstance(key, str) for key in value)
            for each in value.values():
                check(each)
        elif isinstance(value, list):
            for each in value:
                check(each)
        else:
            assert value is None or isinstance(value, (str, bool, int)), value
            assert not isinstance(value, int) or abs(value) < 2**53

    for event in session().events:
        check(dict(event.data))
        json.dumps(event.data).encode()


@pytest.mark.parametrize("session", SESSIONS)
def test_sequences_have_no_gap_and_time_never_goes_back(session):
    events = session().events
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    times = [event.time_ns for event in events]
    assert times == sorted(times)


def test_time_that_goes_back_is_clamped_and_told_once():
    pit = fill("betting")
    last = pit.events[-1].time_ns
    pit.utc_ns -= 3_600_000_000_000
    pit.wager(2, ante=500).wager(4, ante=500)
    assert [t for t in pit.types() if t == "clock.skewed"] == ["clock.skewed"]
    assert all(event.time_ns >= last for event in pit.events[-4:])
    pit.utc_ns += 7_200_000_000_000
    pit.wager(6, ante=500)
    assert pit.state.alarms == ()


@pytest.mark.parametrize("session", SESSIONS)
def test_every_record_but_an_idle_tick_yields_an_event(session):
    pit = session()
    again = Pit()
    for input_ in pit.inputs:
        assert again.feed(input_).events or input_.kind == "tick"


@pytest.mark.parametrize("session", SESSIONS)
def test_the_same_inputs_give_the_same_outcomes(session):
    pit = session()
    state = Pit().state
    events: list[Event] = []
    commands: list[Command] = []
    for input_ in pit.inputs:
        outcome = step(state, input_)
        assert outcome == step(state, input_)
        state = outcome.state
        events += outcome.events
        commands += outcome.commands
    assert (state, events, commands) == (pit.state, pit.events, pit.commands)


def test_the_evidence_of_an_irregularity_is_events_that_came_before():
    pit = everything()
    seen = 0
    for event in pit.events:
        if event.type.startswith("irregularity."):
            assert all(0 < number < event.sequence for number in event.data["evidence"])
            seen += 1
    assert seen >= 4


def size(pit: Pit) -> int:
    return len(json.dumps(asdict(pit.state), default=str))


def test_the_state_does_not_grow_from_round_to_round():
    pit = Pit().opened("red", "blue")
    sizes = []
    for number in range(24):
        mine = ("red", "blue")[number % 2]
        pit.do("load_shoe", deck=mine)
        pit.betting(mine).wager(1, ante=1000, progressive=100).lock()
        if number % 4 == 3:
            pit.device("shoe", "jam")
            pit.device("shoe", "held")
            pit.device("shoe", "cleared")
            pit.do("acknowledge_void")
        else:
            pit.deal(seat_1="2C 7D 9H", dealer="AS QD 6H").decide().settle()
        pit.do("clear_round")
        if number % 4 == 3:
            pit.table.state = pit.state  # a void without a card: the same deck deals again
            pit.shuffle(mine)
            pit.play_round(mine)
        pit.shuffle(mine)
        sizes.append(size(pit))
    assert max(sizes[4:]) <= sizes[3] + 40  # counters gain digits, nothing else


@pytest.mark.parametrize("phase", ["preparing", "betting", "locked", "deciding", "settling"])
def test_no_stream_of_reports_makes_the_state_grow(phase):
    """A device that talks without end, sense or leave fills nothing up."""
    pit = fill(phase)

    def storm():
        for device in ("shoe", "shuffler", "bonus", "button", "ghost"):
            for name in ("offline", "fault", "jam", "cleared", "online", "unlocked", "held", "x"):
                pit.device(device, name, what="?" * 5000, deck="ghost", locked=True, dispensed=9)
        for _ in range(20):
            pit.device("shoe", "stack", [None] * 3)

    storm()
    storm()
    before = size(pit)
    for _ in range(3):
        storm()
    assert size(pit) <= before + 60


@pytest.mark.parametrize("phase", ["betting", "deciding"])
def test_no_stream_of_actions_makes_the_state_grow(phase):
    pit = fill(phase)

    def storm():
        for amount in range(500, 600):
            pit.act("place_wager", seat=1 + amount % 7, wager="ante", amount=amount)
            pit.act("remove_wager", seat=1 + amount % 7, wager="ante")
        pit.act("play", seat=1)
        for _ in range(20):
            pit.act("fold", seat=3)
            pit.act("play", seat=3)

    storm()
    before = size(pit)
    storm()
    assert size(pit) <= before + 60
