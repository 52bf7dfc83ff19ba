"""Random sessions, legal and illegal: what must hold whatever happens (see also invariants.py).

Everything here is computed from the events alone, or from a second run, never from the table's own
bookkeeping. A failure prints the session's seed.
"""

import os
import random
from collections import defaultdict
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablectl.cards import DECK, Card
from tablectl.games.rules import parse_rules
from tablectl.table.actions import allowed
from tablectl.table.inputs import Action, DeviceEvent, Input, ReadCard
from tablectl.table.outputs import Command, Event
from tablectl.table.prompts import prompts
from tablectl.table.state import State
from tablectl.table.table import step
from tests.table import by_hand
from tests.table.pit import Pit, setup
from tests.table.sessions import Session

SEEDS = st.integers(0, 2**32 - 1)
STEPS = int(os.environ.get("TABLECTL_SESSION_STEPS", "250"))
SESSIONS = int(os.environ.get("TABLECTL_SESSIONS", "16"))
QUICK = settings(max_examples=SESSIONS, deadline=None, suppress_health_check=list(HealthCheck))

SETUPS = [
    setup(),
    setup(parse_rules({"game": "three_card_poker", "ante_bonus": "version", "pair_plus": "A",
                       "progressive": "C", "pair_plus_condition": "ante_at_least_equal"})),
    setup(parse_rules({"game": "three_card_poker", "ante_bonus": "B", "pair_plus": "E",
                       "progressive": "B", "pair_plus_condition": "both_compulsory"})),
    by_hand.pit(by_hand.READER).setup,
    by_hand.pit().setup,
    by_hand.pit(by_hand.SHUFFLER, dealing="hand").setup,
    by_hand.pit(by_hand.SHUFFLER, baccarat=True).setup,
    by_hand.pit(by_hand.READER, by_hand.SHUFFLER, baccarat=True, dealing="automated_shoe").setup,
    by_hand.pit(by_hand.READER, by_hand.SHUFFLER, dealing="automated_shoe",
                dealer_cards="left_in_shuffler").setup,
]  # fmt: skip


def play(seed: int, steps: int = STEPS) -> Session:
    rng = random.Random(seed)
    return Session(rng, setup=rng.choice(SETUPS)).run(steps)


@dataclass
class Ledger:
    """The wagers and meters of a session, kept from its events alone."""

    standing: dict[tuple[int, str], int] = field(default_factory=dict)
    ended: set[tuple[int, str]] = field(default_factory=set)
    meters: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    locked: bool = False
    ever_locked: bool = False
    by_hand: bool = False

    def take(self, event: Event) -> None:
        handler = getattr(self, event.type.replace(".", "_"), None)
        if handler is not None:
            handler(event.data)

    def round_opened(self, _data: Any) -> None:
        assert not self.standing, f"wagers left over: {self.standing}"
        self.ended, self.locked, self.ever_locked = set(), False, False

    def round_bets_locked(self, _data: Any) -> None:
        self.locked = self.ever_locked = True

    def round_lock_cancelled(self, _data: Any) -> None:
        self.locked = False

    def wager_placed(self, data: Any) -> None:
        spot = (data["seat"], data["wager"])
        assert spot not in self.ended or data["wager"] == "play"
        if data["wager"] != "play":
            assert not self.locked, "a wager was accepted after the lock"
            assert not (data["wager"] == "progressive" and self.ever_locked)
        assert self.standing.get(spot, 0) == data["was"]
        self.standing[spot] = data["cents"]

    def wager_amended(self, data: Any) -> None:
        assert data["wager"] != "progressive", "a progressive was amended"
        self.standing[data["seat"], data["wager"]] = data["cents"]

    def _end(self, data: Any) -> None:
        spot = (data["seat"], data["wager"])
        if data["wager"] in ("ante_bonus", "envy_bonus"):
            return
        assert self.standing.pop(spot) == data["cents"], f"{spot} ended with another amount"
        assert spot not in self.ended, f"{spot} ended twice"
        self.ended.add(spot)

    wager_settled = _end
    wager_forfeited = _end

    def wager_returned(self, data: Any) -> None:
        spot = (data["seat"], data["wager"])
        if data["reason"] == "void":
            self._end(data)
            return
        left = self.standing[spot] - data["cents"]
        assert left >= 0
        self.standing.pop(spot)
        if left:
            self.standing[spot] = left

    def wager_refused(self, data: Any) -> None:
        if data["reason"] == "no chip":  # the acceptance is cancelled: there never was a wager
            self.standing.pop((data["seat"], data["wager"]))

    def round_cleared(self, _data: Any) -> None:
        assert not self.standing, f"a round was cleared with {self.standing} open"

    def progressive_contributed(self, data: Any) -> None:
        self.meters[data["meter"]] += data["cents"]

    def progressive_paid(self, data: Any) -> None:
        if data["meter"] is not None:
            self.meters[data["meter"]] -= data["cents"]

    def progressive_corrected(self, data: Any) -> None:
        self.meters[data["meter"]] += data["by"]

    def progressive_reset(self, data: Any) -> None:
        self.meters[data["meter"]] = data["cents"] - 100_000


@QUICK
@given(SEEDS)
def test_each_wager_ends_once_and_nothing_comes_after_the_lock(seed: int) -> None:
    session, ledger = play(seed), Ledger()
    for event in session.pit.events:
        ledger.take(event)
    for meter in session.pit.state.meters:
        assert meter.cents == 100_000 + ledger.meters[meter.name]


@QUICK
@given(SEEDS)
def test_no_invariant_breaks_and_something_is_always_allowed(seed: int) -> None:
    session = play(seed)
    for event in session.pit.events:
        assert event.data.get("cause") not in ("invariant", "exception"), event
    state = State()
    for input_ in session.pit.inputs:
        state = step(state, input_).state
        idle = {"log_on", "log_off", "halt_table", "acknowledge_alarm"}
        assert state.setup is None or set(allowed(state)) - idle


@QUICK
@given(SEEDS)
def test_the_same_inputs_give_the_same_events(seed: int) -> None:
    session = play(seed)
    state = State()
    events: list[Event] = []
    commands: list[Command] = []
    for input_ in session.pit.inputs:
        outcome = step(state, input_)
        state = outcome.state
        events += outcome.events
        commands += outcome.commands
    assert state == session.pit.state
    assert events == session.pit.events
    assert commands == session.pit.commands


@QUICK
@given(SEEDS)
def test_every_input_but_an_idle_tick_is_answered_by_an_event(seed: int) -> None:
    state = State()
    for input_ in play(seed).pit.inputs:
        outcome = step(state, input_)
        assert outcome.events or (input_.kind == "tick" and outcome.state is state)
        state = outcome.state


@QUICK
@given(SEEDS)
def test_no_dispense_before_every_wagering_device_acknowledged(seed: int) -> None:
    state, acknowledged = State(), False
    for input_ in play(seed).pit.inputs:
        if isinstance(input_, DeviceEvent) and input_.device == "bonus":
            acknowledged |= input_.name == "locked" or input_.args.get("locked") is True
        outcome = step(state, input_)
        for command in outcome.commands:
            if command.name in ("unlock", "lock"):
                acknowledged = False
            if command.name == "dispense":
                assert acknowledged or not outcome.state.devices_of("progressive")
                assert not command.restrictive
        state = outcome.state


def shown_draws(events: list[Event], round_: int) -> set[int]:
    return {
        event.data["draw"]
        for event in events
        if event.type == "card.revealed" and event.data["round"] == round_
    }


@QUICK
@given(SEEDS)
def test_a_revealed_card_opens_its_commitment_and_no_other_salt_leaves(seed: int) -> None:
    session = play(seed)
    sealed = {
        (event.data["round"], event.data["draw"]): event.data["commitment"]
        for event in session.pit.events
        if event.type == "card.dealt"
    }
    shown = set()
    for event in session.pit.events:
        if event.type == "card.revealed" and not event.data["entered"]:
            salt = event.data["salt"]
            shown.add(salt)
            opened = b"tablectl-card-1" + bytes.fromhex(salt) + event.data["card"].encode()
            assert sealed[event.data["round"], event.data["draw"]] == sha256(opened).hexdigest()
    drawn = {
        read.salt
        for input_ in session.pit.inputs
        if isinstance(input_, DeviceEvent)
        for read in input_.cards
    }
    for event in session.pit.events:
        for salt in drawn - shown:
            assert salt not in repr(event)


def outside(state: State, events: tuple[Event, ...]) -> Any:
    """What the world sees: events without commitments, prompts, alarms, what is allowed."""

    def strip(data: Any) -> dict[str, Any]:
        return {key: value for key, value in data.items() if key not in ("commitment", "salt")}

    public = [(event.sequence, event.type, strip(event.data)) for event in events]
    return public, prompts(state), allowed(state), [alarm.what for alarm in state.alarms]


@QUICK
@given(SEEDS)
def test_nothing_computed_from_a_sealed_card_leaves(seed: int) -> None:
    """Two worlds that differ only in cards nobody has turned over look the same from outside."""
    session = play(seed)
    events = session.pit.events
    by_salt = {}  # salt -> (round, draw), for every card that was laid
    state = State()
    for input_ in session.pit.inputs:
        after = step(state, input_).state
        if after.round is not None:
            for card in after.round.cards:
                if card.salt is not None:
                    by_salt[card.salt] = (after.round.number, card.draw)
        state = after
    rng = random.Random(seed)
    for number in {round_ for round_, _ in by_salt.values()}:
        other = _other_world(session.pit.inputs, by_salt, shown_draws(events, number), number, rng)
        one, two = State(), State()
        for mine, theirs in zip(session.pit.inputs, other, strict=True):
            first, second = step(one, mine), step(two, theirs)
            one, two = first.state, second.state
            assert outside(one, first.events) == outside(two, second.events), f"seed {seed}"
            assert first.commands == second.commands
            if one.round is not None and one.round.number > number:
                break


def _other_world(
    inputs: list[Input],
    by_salt: dict[str, tuple[int, int]],
    shown: set[int],
    number: int,
    rng: random.Random,
) -> list[Input]:
    """The same inputs with other values for the cards of a round that were never turned over."""
    values = [
        read.card
        for input_ in inputs
        if isinstance(input_, DeviceEvent)
        for read in input_.cards
        if by_salt.get(read.salt, (0, 0))[0] == number and read.card is not None
    ]
    if len(values) != len(set(values)):
        return inputs  # a duplicate stops the table; that much may be known
    kept = {
        read.card
        for input_ in inputs
        if isinstance(input_, DeviceEvent)
        for read in input_.cards
        if by_salt.get(read.salt, (0, 0))[0] == number and by_salt[read.salt][1] in shown
    }
    entered = {
        input_.args.get("card")
        for input_ in inputs
        if isinstance(input_, Action) and input_.action == "enter_card"
    }
    free = [card for card in DECK if card not in kept and card not in entered]
    rng.shuffle(free)

    def swap(read: ReadCard) -> ReadCard:
        where = by_salt.get(read.salt)
        if where is None or where[0] != number or where[1] in shown or not free:
            return read
        return replace(read, card=Card(free.pop()))

    return [
        replace(input_, cards=tuple(swap(read) for read in input_.cards))
        if isinstance(input_, DeviceEvent)
        else input_
        for input_ in inputs
    ]


def test_sessions_reach_every_corner() -> None:
    """The sessions are worth something: rounds are settled, voided, halted, resumed, jammed."""
    wanted = {
        "round.settled", "round.voided", "round.lock_cancelled", "wager.amended", "table.halted",
        "table.resumed", "irregularity.shoe_jam", "irregularity.shuffler_jam", "deck.latched",
        "deck.latch_cleared", "irregularity.incorrect_number_of_cards", "card.unreadable",
        "irregularity.duplicate_card", "irregularity.card_before_lock", "wager.forfeited",
        "irregularity.drawn_in_error", "progressive.contributed", "table.closed", "deck.cut",
        "stub.counted", "stub.miscounted", "irregularity.misdeal", "irregularity.stub_incorrect",
    }  # fmt: skip
    seeds = iter(range(200))
    while wanted and (seed := next(seeds, None)) is not None:
        wanted.difference_update(play(seed).pit.types())
    assert not wanted, f"no session came to {wanted}"


def test_a_restart_at_any_record_changes_no_wager_and_permits_nothing_by_itself() -> None:
    pit = Pit().opened()
    pit.betting().wager(1, ante=1000, progressive=100).wager(4, pair_plus=500).lock()
    pit.deal(seat_1="AS KS QS").decide().settle().do("clear_round", "dealer")
    for cut in range(1, len(pit.inputs)):
        again = Pit(setup=pit.setup)
        for input_ in pit.inputs[:cut]:
            again.feed(input_)
        before = again.state
        again.utc_ns, again.mono_ns = pit.utc_ns, 5
        told = len(again.commands)
        again.restart()
        again.devices_tell()
        assert all(command.restrictive for command in again.commands[told:]), cut
        assert again.state.rounds == before.rounds
        if before.round is not None:
            assert again.state.round is not None
            wagers = [(w.seat, w.wager, w.cents) for w in again.state.round.wagers]
            assert wagers == [(w.seat, w.wager, w.cents) for w in before.round.wagers]


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_a_thousand_long_sessions() -> None:
    first = int(os.environ.get("TABLECTL_SEED", random.SystemRandom().randrange(2**31)))
    for seed in range(first, first + 1000):
        session, ledger = play(seed, steps=2000), Ledger()
        for event in session.pit.events:
            assert event.data.get("cause") not in ("invariant", "exception"), (seed, event)
            ledger.take(event)
