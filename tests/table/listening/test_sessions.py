"""Random days at a three-card table that only listens: what must hold whatever the devices do.

A failure prints the session's seed. The truth of a day is kept apart from what is told of it.
"""

import os
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablectl.cards import DECK
from tablectl.journal.codec import StateCodec
from tablectl.table.state import State
from tablectl.table.table import Table, step
from tests.table.listening.pit import SHOE, SHUFFLER, Listened

STEPS = int(os.environ.get("TABLECTL_SESSION_STEPS", "150"))
SESSIONS = int(os.environ.get("TABLECTL_SESSIONS", "10"))
QUICK = settings(max_examples=SESSIONS, deadline=None, suppress_health_check=list(HealthCheck))
SEEDS = st.integers(0, 2**32 - 1)
SETUPS: list[dict[str, Any]] = [
    {},
    {"game": "maryland", "devices": (SHOE,)},
    {"game": "washington", "house_rulings": False},
    {"dealing": "manual_shoe"},
    {"dealing": "manual_shoe", "game": "maryland"},
    {"dealing": "hand", "five_card_progressive": "A"},
    {"dealing": "manual_shoe", "devices": (SHOE,), "game": "maryland"},  # it says when it is loaded
    {"game": "maryland", "counts": False},
]
CARDS = frozenset(map(str, DECK))


class Day:
    """Deals rounds, loses reports, breaks devices. Knows what a driver guarantees: that a report is
    lost is told ahead of the shoe's next one, as a gap or as a fault."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.made = self.rng.choice(SETUPS)
        self.pit = Listened(seed=self.rng.randrange(2**32), **self.made)
        self.left: list[list[str | None]] = []  # reports of this round that are still to come
        self.number = 0
        self.told: list[str] = []  # of this round
        self.spoilt: set[int] = set()  # rounds, by their place among the truths, that lost a card
        self.owed = False  # a gap that the driver still has to tell
        self.over = -1  # the last round that is over in truth
        self.dealt: dict[str, int] = {}  # by its salt, the round that a card was dealt in
        self.shown = 0

    @property
    def counts(self) -> bool:
        return self.made.get("dealing", "automated_shoe") == "automated_shoe" and self.pit.counts

    @property
    def now(self) -> int:
        return len(self.pit.truths) - 1

    def run(self, steps: int = STEPS) -> "Day":
        for _ in range(steps):
            self.one()
            self.look()
        return self

    def one(self) -> None:
        roll = self.rng.random()
        if not self.left:
            self.next_round()
        elif roll < 0.9:
            self.tell()
        elif roll < 0.92:
            self.lose()
        else:
            self.trouble()

    # ── a round ──
    def next_round(self) -> None:
        """The cards of the last one are gathered, shuffled, and loaded again."""
        pit, rng = self.pit, self.rng
        self.over = self.now
        if self.made.get("devices") == (SHOE,) and not self.counts:
            self.settle_up()
        if self.made.get("devices") == (SHOE,) and not self.counts:
            pit.shuffled()
            pit.device("shoe", "started")
        elif rng.random() < 0.9 or not self.counts:
            pit.shuffled(rng.choice([52, 52, 52, None]))
        else:
            pit.pack = []  # nobody tells: the shoe's own count does
        if rng.random() < 0.3:
            self.settle_up()
            pit.device("shoe", "standby")
        most = pit.rules.seats
        community = self.made.get("five_card_progressive") and rng.random() < 0.5
        self.left = [list(cards) for cards in pit.lie(rng.randint(1, most), bool(community))]
        self.number, self.told = 0, []

    def tell(self) -> None:
        cards = self.left.pop(0)
        self.number += 1
        roll = self.rng.random()
        if roll < 0.01:
            cards[0] = None
            self.spoilt.add(self.now)
        elif roll < 0.02 and self.told:
            cards[0] = self.rng.choice(self.told)  # misread as one that is out already
            self.spoilt.add(self.now)
        elif roll < 0.03 and len(cards) == 3:
            cards.append(self.pit.pack.pop())
            self.spoilt.add(self.now)
        self.settle_up()
        self.pit.tell(cards, self.number)
        self.told += [card for card in cards if card]
        self.dealt |= {read.salt: self.now for read in self.pit.inputs[-1].cards}  # type: ignore[union-attr]

    def lose(self) -> None:
        """A report that never arrives."""
        self.left.pop(0)
        self.number += 1
        self.spoilt.add(self.now)
        self.owed = True

    def settle_up(self) -> None:
        """What the driver tells ahead of the next report."""
        if self.owed and self.counts:
            self.pit.device("shoe", "fault", what="1 of its reports were lost")
        elif self.owed:
            self.pit.device("shoe", "gap")
        self.owed = False

    # ── trouble ──
    def trouble(self) -> None:
        pit, rng = self.pit, self.rng
        shuffler = bool(pit.state.devices_of("shuffler"))
        match rng.randrange(12):
            case 0:
                pit.device("shoe", "offline", what="link lost")
                counted = {"dispensed": self.number} if self.counts else {}
                pit.device("shoe", "online", **counted)
            case 1:
                pit.device("shoe", rng.choice(["jam", "fault"]))
                pit.device("shoe", "cleared")
            case 2:
                pit.device("shoe", "gap")
            case 3 if shuffler:
                pit.device("shuffler", rng.choice(["jam", "fault", "offline"]))
                pit.device("shuffler", "online")
            case 4 if shuffler and self.counts:  # the other deck, in the middle of the deal
                pit.device("shuffler", "shuffle_started")
                pit.device("shuffler", "shuffle_done", count=rng.choice([52, None]))
            case 5:
                pit.device("shoe", rng.choice(["held", "released", "cover_card", "sing"]))
            case 6:
                self.nonsense()
            case 7:
                pit.tick(rng.choice([1, 60_000, 3_600_000]))
            case 8:
                self.restart()
            case 9:
                for alarm in pit.state.alarms:
                    pit.act("acknowledge_alarm", "surveillance", id=alarm.id)
            case 10:
                pit.act(rng.choice(["halt_table", "resume_table", "open_bets"]), reason="why")
            case 11 if shuffler:
                pit.device("shuffler", "shuffle_done", count=rng.choice([51, 52]))

    def nonsense(self) -> None:
        """A report that cannot be placed."""
        kind = "card" if self.pit.rules.dealing == "automated_shoe" else "stack"
        self.pit.device("shoe", kind, ["2C"], dispensed=self.rng.randrange(70))

    def restart(self) -> None:
        pit = self.pit
        pit.table = Table(StateCodec(State).decode(StateCodec(State).encode(pit.state)))
        pit.restart()
        for device in pit.state.devices:
            counted = {"dispensed": self.number} if self.counts and device.kind == "shoe" else {}
            pit.device(device.id, "online", **counted)

    # ── what must hold ──
    def look(self) -> None:
        state = self.pit.state
        assert (state.halt.cause if state.halt else "person") == "person", state.halt
        assert not self.pit.commands
        assert state.phase in ("preparing", "dealing", "voided")
        assert len(state.alarms) < 12
        assert len(state.round.doubts if state.round else ()) < 12
        for event in self.pit.events[self.shown :]:
            self.one_event(event.type, event.data)
        self.shown = len(self.pit.events)

    def one_event(self, type_: str, data: Any) -> None:
        if type_ == "card.revealed":
            dealt = self.dealt[data["salt"]]
            assert dealt <= self.over, "a card was shown before its round was over"
            poker = self.pit.rules.game == "three_card_poker"
            assert not poker or data["place"].startswith("dealer/")
        elif type_ == "round.settled":
            self.is_true(data)
        else:
            assert not CARDS & set(_texts(data)), (type_, data)

    def is_true(self, data: Any) -> None:
        """A settled round is one that was dealt, whole, and nothing of it was lost."""
        same = [
            n for n, truth in enumerate(self.pit.truths)
            if truth.dealer == data["dealer"] and len(truth.hands) == len(data["hands"])
        ]  # fmt: skip
        assert same, "what was settled was never dealt"
        assert set(same) - self.spoilt, "a round was settled over a lost card"
        truth = self.pit.truths[same[-1]]
        for hand, cards in zip(data["hands"], truth.hands, strict=True):
            assert hand["cards"] in ([], cards)


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for each in value.values() for text in _texts(each)]
    if isinstance(value, list | tuple):
        return [text for each in value for text in _texts(each)]
    return [value] if isinstance(value, str) else []


@given(seed=SEEDS)
@QUICK
def test_what_must_hold_whatever_the_devices_do(seed):
    day = Day(seed).run()
    goes_on(day)


def goes_on(day: Day) -> None:
    """Whatever happened: devices mended, alarms seen, and the next rounds are settled."""
    pit = day.pit
    if pit.state.halt is not None:
        pit.do("resume_table")
    for device in pit.state.devices:
        pit.device(device.id, "online")
    for alarm in pit.state.alarms:
        pit.do("acknowledge_alarm", "surveillance", id=alarm.id)
    for _ in range(2):
        pit.over().play(2).over()
    assert pit.last("round.settled").data["dealer"] == pit.truths[-1].dealer
    assert pit.last("round.settled").data["round"] == pit.state.rounds


@given(seed=SEEDS)
@QUICK
def test_any_report_at_any_time_halts_nothing_and_names_no_card(seed):
    """No truth here: words and arguments of every kind, in any order."""
    rng = random.Random(seed)
    pit = Listened(seed=seed, **rng.choice(SETUPS))
    kinds = {d.id: d.kind for d in pit.state.devices}
    words = {
        "shoe": "online offline fault cleared stack card cover_card standby started gap result",
        "shuffler": "online offline fault cleared shuffle_started shuffle_done jam",
    }
    places = ["seat/1/1", "seat/7/3", "dealer/2", "community/1", "player/1", "hand/1/1", 7, None]
    for _ in range(STEPS):
        device = rng.choice(list(kinds))
        args = {
            "dispensed": rng.choice([0, 1, 2, 3, 60, -1, "2", None, True]),
            "place": rng.choice(places), "mode": rng.choice(["game", "burn", "outside", "x"]),
            "count": rng.choice([52, 51, None, "many"]), "what": "misfeed",
        }  # fmt: skip
        given_ = {key: value for key, value in args.items() if rng.random() < 0.4}
        cards = rng.choices(sorted(CARDS), k=rng.choice([0, 1, 1, 3, 3, 3, 4, 60]))
        pit.device(device, rng.choice(words[kinds[device]].split()), cards, **given_)
        assert pit.state.halt is None, pit.state.halt
        assert pit.state.round is None or len(pit.state.round.cards) <= 52
    for event in pit.events:
        if event.type not in ("card.revealed", "round.settled"):
            assert not CARDS & set(_texts(event.data)), event
    assert not pit.commands


@pytest.mark.parametrize("seed", range(4))
def test_the_same_inputs_give_the_same_events(seed):
    day = Day(seed).run(120)
    state, again = State(), list[Any]()
    for input_ in day.pit.inputs:
        outcome = step(state, input_)
        state = outcome.state
        again += outcome.events
    assert again == day.pit.events
    assert state == day.pit.state


def test_the_days_reach_what_they_are_for():
    settled, kinds = 0, set()
    for seed in range(24):
        day = Day(seed).run(120)
        settled += len(day.pit.named("round.settled"))
        kinds |= set(day.pit.irregularities())
        assert day.pit.named("round.opened"), seed
    assert settled > 20
    assert kinds >= {
        "sequence_gap", "shoe_jam", "shuffler_jam", "duplicate_card", "unreadable_card",
        "incorrect_number_of_cards",
    }  # fmt: skip


def test_setups_are_all_of_them_legal():
    assert SHUFFLER.kind == "shuffler"
    for made in SETUPS:
        assert Listened(**made).state.listens
