"""Random sessions at a Midi table, legal and illegal: what must hold whatever happens.

Computed from the events alone, or from a second run. A failure prints the session's seed.
"""

import os
import random
from collections import Counter, defaultdict
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablectl.games import midi_baccarat as game
from tablectl.journal.meters import Ledger
from tablectl.journal.proof import EventRow, RecordRow
from tablectl.table.actions import allowed
from tablectl.table.inputs import DeviceEvent
from tablectl.table.outputs import Event
from tablectl.table.procedures import procedure
from tablectl.table.prompts import prompts
from tablectl.table.setup import MeterSetup
from tablectl.table.state import State
from tablectl.table.table import step
from tests.table.midi.pit import BUTTON, HELD
from tests.table.midi.sessions import Session

STEPS = int(os.environ.get("TABLECTL_SESSION_STEPS", "250"))
SESSIONS = int(os.environ.get("TABLECTL_SESSIONS", "25"))
QUICK = settings(max_examples=SESSIONS, deadline=None, suppress_health_check=list(HealthCheck))
SEEDS = st.integers(0, 2**32 - 1)
SETUPS: list[dict[str, Any]] = [
    {},
    {"devices": (HELD, BUTTON)},
    {"devices": ()},
    {"royal": True},
    {"royal": True, "trigger_meter": MeterSetup("must_hit", 10_000, "0.9", 20_000)},
    {"vigorish_collection": "marked", "decks": 6, "disclosed_card": "simulated_round",
     "exposed_due_card": "simulated_round"},
    {"tracking": "seats"},
    {"royal": True, "devices": (HELD, BUTTON), "vigorish_collection": "marked"},
    {"royal": True, "devices": (BUTTON,), "seat_order": "from_dealers_left"},
    {"royal": True, "tracking": "seats"},
    {"devices": (), "tracking": "seats"},
]  # fmt: skip


def play(seed: int, steps: int = STEPS) -> Session:
    rng = random.Random(seed)
    return Session(rng, **rng.choice(SETUPS)).run(steps)


class Book:
    """Wagers, meters and debts of a session, kept from its events alone."""

    def __init__(self) -> None:
        self.standing: dict[tuple[int, str], int | None] = {}
        self.meters: dict[str, int] = defaultdict(int)
        self.owed: dict[int, int] = defaultdict(int)
        self.duties: Counter[str] = Counter()
        self.number = 0
        self.simulated = self.locked = self.late = False
        self._begin()

    def _begin(self) -> None:
        """A round's own figures."""
        self.returned: dict[int, int] = defaultdict(int)
        self.net: dict[int, int] = defaultdict(int)
        self.marked: dict[int, int] = defaultdict(int)
        self.unmarked: dict[int, int] = defaultdict(int)
        self.open: set[int] = set()  # seats in dispute, or to be settled after a void
        self.by_hand: set[int] = set()

    def take(self, event: Event) -> None:
        handler = getattr(self, event.type.replace(".", "_"), None)
        if handler is not None:
            handler(event.data)

    def round_opened(self, data: Any) -> None:
        assert not self.standing, f"wagers left over: {self.standing}"
        assert not +self.duties, f"a round was opened with {self.duties}"
        assert data["round"] == self.number + 1
        self.number, self.simulated = data["round"], data["kind"] == "simulated"
        self.locked = self.late = False
        self._begin()

    def round_bets_locked(self, _data: Any) -> None:
        self.locked = True

    def round_lock_cancelled(self, _data: Any) -> None:
        self.locked, self.late = False, True

    def round_cleared(self, _data: Any) -> None:
        assert not self.standing, f"a round was cleared with {self.standing} open"
        assert not self.open, f"a round was cleared with seats {self.open} unsettled"

    # ── wagers ──
    def wager_placed(self, data: Any) -> None:
        assert not self.simulated, "a wager in a simulated round"
        assert not self.locked, "a wager after the lock"
        assert data["wager"] != "royal_9" or not self.late, "a progressive after the lock"
        self.standing[data["seat"], data["wager"]] = data["cents"]

    def wager_amended(self, data: Any) -> None:
        assert data["wager"] != "royal_9"
        self.standing[data["seat"], data["wager"]] = data["cents"]

    def wager_settled(self, data: Any) -> None:
        assert self.locked
        assert self.standing.pop((data["seat"], data["wager"])) == data["cents"]
        self.returned[data["seat"]] += data.get("returned") or 0
        self.net[data["seat"]] += (data.get("returned") or 0) - (data["cents"] or 0)

    def wager_returned(self, data: Any) -> None:
        assert self.standing.pop((data["seat"], data["wager"])) == data["cents"]

    def wager_refused(self, data: Any) -> None:
        if data["reason"] == "no chip":
            assert self.standing.pop((data["seat"], data["wager"])) == data["cents"]

    def round_settled(self, data: Any) -> None:
        assert not self.simulated, "a simulated round was settled"
        for seat in data["seats"]:
            assert seat["returned"] == self.returned[seat["seat"]]

    # ── doubts ──
    def round_disputed(self, data: Any) -> None:
        if data.get("over"):
            self.open.remove(data["seat"])
        else:
            self.open |= set(data.get("seats", [data.get("seat")]))

    def seat_settled_by_hand(self, data: Any) -> None:
        self.by_hand.add(data["seat"])

    def round_voided(self, data: Any) -> None:
        """Found late, every seat ends where it began: what it won goes back, what it lost too."""
        if not data.get("late"):
            return
        self.open = {seat["seat"] for seat in data["seats"]}
        for seat in data["seats"]:
            number, give = seat["seat"], seat["give"]
            if give is not None and number not in self.by_hand:
                collected = self.marked[number] - self.unmarked[number]
                assert give - seat["take"] == collected - self.net[number], (seat, self.net)

    def seat_void_settled(self, data: Any) -> None:
        self.open.remove(data["seat"])

    # ── duties, meters, vigorish ──
    def duty_opened(self, data: Any) -> None:
        self.duties[data["duty"]] += 1

    def duty_done(self, data: Any) -> None:
        self.duties[data["duty"]] -= 1

    def progressive_contributed(self, data: Any) -> None:
        self.meters[data["meter"]] += data["cents"]
        staked = [cents for (_, wager), cents in self.standing.items() if wager == "royal_9"]
        assert data["wagered"] == sum(cents or 0 for cents in staked), "not what was locked"

    def progressive_paid(self, data: Any) -> None:
        self.meters[data["meter"]] -= data["cents"]
        if data["wager"] == "must_hit":  # an award without a wager of its own
            self.returned[data["seat"]] += data["cents"]

    def progressive_reset(self, data: Any) -> None:
        self.meters[data["meter"]] = 0

    def vigorish_marked(self, data: Any) -> None:
        self.owed[data["seat"]] += data["cents"]
        self.marked[data["seat"]] += data["cents"]

    def vigorish_collected(self, data: Any) -> None:
        assert self.owed.pop(data["seat"]) == data["cents"]

    def vigorish_written_off(self, data: Any) -> None:
        if data["reason"] == "void":
            self.owed[data["seat"]] -= data["cents"]
            self.unmarked[data["seat"]] += data["cents"]
        else:
            assert self.owed.pop(data["seat"]) == data["cents"]


def check_money(session: Session) -> None:
    """Wagers end once, meters and debts add up, no round meets an open duty."""
    book = Book()
    for event in session.pit.events:
        book.take(event)
    state = session.pit.state
    shown = {meter.name: meter.cents - meter.reset for meter in state.meters}
    assert {name: book.meters[name] for name in shown} == shown
    owed = dict(state.shoe.owed) if state.shoe else {}
    assert {seat: cents for seat, cents in book.owed.items() if cents} == owed


def check_meters(session: Session) -> None:
    """As `tablectl meters` proves them: each hit paid once, validated, and to the cent."""
    ledger, state = Ledger(), State()
    for number, input_ in enumerate(session.pit.inputs, 1):
        outcome = step(state, input_)
        state = outcome.state
        rows = [
            EventRow(event.sequence, "", {"type": f"tablectl.{event.type}", "data": event.data})
            for event in outcome.events
        ]
        ledger.record(RecordRow(number, 1, "", "", {}, ()), rows)
    for meter in state.meters:
        assert ledger.accounts[meter.name].cents == meter.cents


def check_leave(session: Session) -> None:
    """No card has leave before the lock is acknowledged and the chips are counted."""
    state, acknowledged = State(), False
    for input_ in session.pit.inputs:
        if isinstance(input_, DeviceEvent) and input_.device == "bonus":
            acknowledged |= input_.name == "locked" or input_.args.get("locked") is True
        outcome = step(state, input_)
        for command in outcome.commands:
            if command.name in ("unlock", "lock"):
                acknowledged = False
            if command.name == "release" and outcome.state.round is not None:
                assert acknowledged or not outcome.state.devices_of("progressive")
                assert outcome.state.round.count in ("", "verified")
        state = outcome.state


def check_seals(session: Session) -> None:
    """Sealed cards stay sealed, and what is shown fits its seal."""
    sealed: dict[tuple[str, int], str] = {}
    deck = ""
    for event in session.pit.events:
        data = event.data
        if event.type == "card.dealt":
            deck = data["deck"]
            assert not {"card", "salt"} & data.keys()
            if data["commitment"]:
                sealed[deck, data["draw"]] = data["commitment"]
        elif event.type == "card.revealed" and data["salt"]:
            text = b"tablectl-card-1" + bytes.fromhex(data["salt"]) + data["card"].encode()
            assert sealed[deck, data["draw"]] == sha256(text).hexdigest()


def check_settlement(session: Session) -> None:
    """A settled round is what the game itself pays."""
    rules: Any = session.pit.setup.rules
    for event in session.pit.named("round.settled"):
        if event.data.get("by_hand") or not event.data["seats"]:
            continue
        stakes = [
            game.MidiSeat(s["seat"], {line["wager"]: line["stake"] for line in s["lines"]})
            for s in event.data["seats"]
            if all(line["wager"] != "royal_9" for line in s["lines"])
        ]
        whole = game.settle_round(rules, event.data["player"], event.data["banker"], stakes, {})
        paid = {s["seat"]: s["returned"] for s in event.data["seats"]}
        assert {r.seat: r.returned for r in whole.seats}.items() <= paid.items()


def check_moment(state: State) -> None:
    """Nothing halts by a mistake, nobody is stuck, and every prompt can be followed."""
    cause = state.halt.cause if state.halt else ""
    assert cause not in ("invariant", "exception"), state.halt
    possible, said = allowed(state), prompts(state)
    assert possible
    assert said, f"no prompt in {state.phase}"
    for prompt in said:
        assert prompt.text.endswith(".")
        if prompt.awaits in procedure(state).actions and state.halt is None:
            assert prompt.awaits in possible, (prompt, state.phase)


def check_going_on(session: Session) -> None:
    """With the trouble over, following the prompts leads to another settled round."""
    pit, since = session.pit, session.pit.state.sequence
    for _ in range(1500):
        live = {e.data["round"] for e in pit.named("round.opened", since)}
        if live & {e.data["round"] for e in pit.named("round.settled", since)}:
            return
        session.sensible()
    raise AssertionError(f"it leads nowhere: {pit.state.phase}, {prompts(pit.state)}")


@given(seed=SEEDS)
@QUICK
def test_what_must_hold_whatever_happens(seed):
    rng = random.Random(seed)
    session = Session(rng, **rng.choice(SETUPS))
    for _ in range(STEPS):
        session.one()
        check_moment(session.pit.state)
    for check in (check_money, check_seals, check_settlement, check_meters, check_leave):
        check(session)
    check_going_on(session)


@pytest.mark.parametrize("seed", range(3))
def test_the_same_inputs_give_the_same_events(seed):
    session = play(seed, 150)
    state, again = State(), []
    for input_ in session.pit.inputs:
        outcome = step(state, input_)
        state = outcome.state
        again.append(outcome.events)
    assert [event for events in again for event in events] == session.pit.events
    assert state == session.pit.state


def test_the_sessions_reach_every_phase_and_most_irregularities():
    seen: set[str] = set()
    kinds: set[str] = set()
    for seed in range(2 * len(SETUPS)):
        rng = random.Random(seed)
        session = Session(rng, **SETUPS[seed % len(SETUPS)])
        for _ in range(200):
            session.one()
            seen.add(session.pit.state.phase)
        kinds |= {e.type for e in session.pit.events if e.type.startswith("irregularity.")}
    assert seen >= {"betting", "locking", "dealing", "turning", "drawing", "settling", "voided"}
    assert len(kinds) >= 6, kinds
