"""A toy core with the real core's contract, so that the journal's tests need no game.

It counts rounds, seals cards, locks and unlocks, refuses `forbidden`, and tells everything.
"""

import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tablectl.cards import DECK
from tablectl.games.rules import ThreeCardPokerRules, parse_rules
from tablectl.journal.core import Core
from tablectl.journal.opening import open_journal
from tablectl.journal.recorder import Recorder
from tablectl.journal.wiring import Limits, Outlets, Seams
from tablectl.table.inputs import (
    Action,
    Checkpoint,
    DeviceEvent,
    Input,
    JournalFailed,
    ReadCard,
    Restart,
    Segment,
    Stamp,
    Tick,
)
from tablectl.table.outputs import Command, Event, Prompt, Refusal, Ruling
from tablectl.table.seal import commitment
from tablectl.table.setup import Setup

VERSION = 7
RULES = parse_rules({"game": "three_card_poker", "ante_bonus": "A", "pair_plus": "A"})
assert isinstance(RULES, ThreeCardPokerRules)
SETUP = Setup("harbor", "tcp-12", RULES, simulated=True)
START_NS = 1_800_000_000_000_000_000


@dataclass(frozen=True, slots=True)
class ToyState:
    sequence: int = 0
    setup: Setup | None = None
    phase: str = "closed"
    round: int = 0
    time_ns: int = 0
    commands: int = 0
    halted: bool = False
    cards: tuple[ReadCard, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def cards_on_table(self) -> bool:
        return bool(self.cards)


@dataclass(frozen=True, slots=True)
class ToyOutcome:
    state: ToyState
    events: tuple[Event, ...] = ()
    commands: tuple[Command, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    wake_ns: int | None = None
    refusal: Refusal | None = None
    ruling: Ruling | None = None


class _Making:
    def __init__(self, state: ToyState, given: Input) -> None:
        self.state = replace(state, time_ns=max(state.time_ns, given.at.utc_ns))
        self.boot = given.at.boot
        self.events: list[Event] = []
        self.commands: list[Command] = []

    def emit(self, kind: str, **data: Any) -> None:
        self.state = replace(self.state, sequence=self.state.sequence + 1)
        data |= {"clauses": ["TCP 13.G"], "inferred": False}
        subject = f"round/{self.state.round}"
        self.events.append(Event(self.state.sequence, kind, subject, self.state.time_ns, data))

    def command(self, device: str, name: str, *, restrictive: bool) -> None:
        n = self.state.commands + 1
        self.state = replace(self.state, commands=n)
        self.commands.append(Command(device, name, restrictive, self.boot, n))

    def outcome(self, **more: Any) -> ToyOutcome:
        return ToyOutcome(self.state, tuple(self.events), tuple(self.commands), **more)


def toy_step(state: ToyState, given: Input) -> ToyOutcome:
    made = _Making(state, given)
    match given:
        case Restart():
            made.state = replace(made.state, setup=given.setup)
            made.emit("table.restarted", simulated=given.setup.simulated)
            made.command("shoe", "close_gate", restrictive=True)
        case Tick():
            if given.at.mono_ns % 2:
                made.emit("clock.skewed", by=1)
            else:
                return ToyOutcome(state)
        case Checkpoint():
            made.emit(
                "journal.checkpoint",
                sequence=given.sequence,
                hash=given.hash,
                key=given.key,
                signature=given.signature,
                state=given.state,
            )
        case Segment():
            made.emit(
                "journal.segment",
                previous=given.previous,
                sequence=given.sequence,
                hash=given.hash,
                state=given.state,
            )
        case JournalFailed():
            made.state = replace(made.state, halted=True)
            made.emit("table.halted", what=given.what)
            made.command("shoe", "halt", restrictive=True)
        case DeviceEvent():
            made.state = replace(made.state, cards=made.state.cards + given.cards)
            made.emit("device.told", device=given.device, args=dict(given.args))
            for card in given.cards:
                sealed = commitment(card.card, card.salt) if card.card else None
                made.emit("card.dealt", commitment=sealed)
        case Action():
            return _act(made, given)
    return made.outcome()


def _act(made: _Making, given: Action) -> ToyOutcome:
    counts = {**made.state.counts, given.action: made.state.counts.get(given.action, 0) + 1}
    match given.action:
        case "forbidden" | "halt_table":
            made.emit("action.refused", action=given.action, count=given.count)
            why = f"{given.action} is not possible {given.args.get('why', '')}"
            return made.outcome(refusal=Refusal(why, ("TCP 1.A",)))
        case "open_table":
            made.emit("table.opened")
        case "clear_round":
            made.state = replace(made.state, round=made.state.round + 1, cards=())
            made.emit("round.cleared", round=made.state.round)
        case "unlock":
            made.command("bonus", "unlock", restrictive=False)
        case "lamp":
            made.command("bonus", "lamp", restrictive=False)
        case "open_gate":
            made.command("shoe", "open_gate", restrictive=False)
        case "lock":
            made.command("bonus", "lock", restrictive=True)
        case "float":
            made.emit("table.broken", rate=0.5)
        case "silent":
            return ToyOutcome(made.state)
    made.state = replace(made.state, counts=counts)
    made.emit("action.done", action=given.action, args=dict(given.args))
    return made.outcome(wake_ns=given.args.get("wake"))


TOY = Core(toy_step, ToyState, ToyState, VERSION)


@dataclass
class Clock:
    """Stamps that move by themselves."""

    utc_ns: int = START_NS
    mono_ns: int = 0
    boot: str = "boot-1"

    def __call__(self, ms: int = 10) -> Stamp:
        self.utc_ns += ms * 1_000_000
        self.mono_ns += ms * 1_000_000
        return Stamp(self.utc_ns, self.mono_ns, self.boot)


@dataclass
class Bench:
    """A recorder with the toy core, and everything that it let out."""

    data: Path
    seed: int = 0
    limits: Limits = field(default_factory=Limits)
    core: Core = TOY
    seams: dict[str, Any] = field(default_factory=dict)
    sent: list[Command] = field(default_factory=list)
    published: list[Any] = field(default_factory=list)
    withdrawn: list[Command] = field(default_factory=list)
    on_change: Callable[[], None] = lambda: None

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.at = Clock()
        self.recorder: Recorder = self.open()

    def open(self) -> Recorder:
        outlets = Outlets(
            self.sent.append, self.published.append, self.withdrawn.append, self.on_change
        )
        seams = Seams(
            **{"draw": self.rng.randbytes, "now_s": lambda: 1_800_000_000.5, **self.seams}
        )
        self.recorder = open_journal(
            self.data,
            site="harbor",
            table="tcp-12",
            core=self.core,
            outlets=outlets,
            limits=self.limits,
            seams=seams,
        )
        return self.recorder

    def start(self) -> Any:
        return self.recorder.submit(Restart(self.at(), SETUP, "d" * 64, "0.1.0", self.core.version))

    def act(self, action: str, actor: str = "ana", ms: int = 10, **args: Any) -> Any:
        return self.recorder.submit(Action(self.at(ms), action, actor, ("floor",), args=args))

    def deal(self, count: int = 3, unreadable: bool = False) -> Any:
        cards = [ReadCard(c, self.rng.randbytes(32).hex()) for c in self.rng.sample(DECK, count)]
        if unreadable:
            cards.append(ReadCard(None, self.rng.randbytes(32).hex()))
        event = DeviceEvent(self.at(), "shoe", "dealt", {"stack": 1}, tuple(cards))
        return self.recorder.submit(event)

    def play(self, rounds: int = 1) -> None:
        for _ in range(rounds):
            self.act("unlock")
            self.act("lock")
            self.deal(unreadable=self.rng.random() < 0.3)
            self.act("say", text='ä "quoted"\n €', n=self.rng.randrange(1000))
            self.act("clear_round")

    def settle(self) -> None:
        assert self.recorder.wait_durable(self.recorder.head.sequence, 30), self.recorder.failure

    def close(self) -> None:
        assert self.recorder.close(), self.recorder.failure

    def again(self) -> Any:
        """Close, open, restart."""
        self.close()
        self.open()
        self.at = Clock(self.at.utc_ns, 0, "boot-2")
        return self.start()


def small_journal(data: Path, seed: int = 1, rounds: int = 3) -> Bench:
    """A closed journal of some rounds, one segment."""
    bench = Bench(data, seed)
    bench.start()
    bench.act("open_table")
    bench.play(rounds)
    bench.act("forbidden")
    bench.act("forbidden")
    bench.act("close_table")
    bench.close()
    return bench


def segmented_journal(data: Path, seed: int = 1, days: int = 3) -> Bench:
    """A closed journal of several segments."""
    bench = Bench(data, seed)
    bench.start()
    for _ in range(days):
        bench.act("open_table")
        bench.play(2)
        bench.act("close_table")
    bench.close()
    return bench


def rows(path: Path, table: str) -> Iterator[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        yield from connection.execute(f"SELECT * FROM {table}").fetchall()
