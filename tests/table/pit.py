"""A pit for tests: a table, a clock that moves by itself, people, devices and a seeded shoe."""

import random
from dataclasses import dataclass, field, replace
from typing import Any

from tablectl.cards import DECK, Card
from tablectl.games.rules import GameRules, parse_rules
from tablectl.table.actions import spec_of
from tablectl.table.inputs import Action, DeviceEvent, Input, ReadCard, Restart, Second, Stamp, Tick
from tablectl.table.outputs import Command, Event
from tablectl.table.setup import DeviceSetup, Limit, MeterSetup, Setup
from tablectl.table.table import CORE_VERSION, Outcome, Table

RULES = parse_rules(
    {
        "game": "three_card_poker",
        "ante_bonus": "A",
        "pair_plus": "D",
        "six_card_bonus": "A",
        "progressive": "A",
    }
)
DEVICES = (
    DeviceSetup("shuffler", "shuffler"),
    DeviceSetup("shoe", "shoe"),
    DeviceSetup("bonus", "progressive"),
    DeviceSetup("button", "button"),
)


def setup(rules: GameRules = RULES, **changes: Any) -> Setup:
    """A full table: automated shoe, counting shuffler, progressive, button."""
    meters = tuple(MeterSetup(name, 100_000, "0.2") for name in rules.meters)
    limits = (Limit("ante", 500, 100_000),)
    parts: dict[str, Any] = {"meters": meters, "devices": DEVICES, "limits": limits} | changes
    return Setup(site="harbor", table="tcp-12", rules=rules, simulated=True, **parts)


@dataclass
class Pit:
    """Drives a Table; keeps every input, event and command, so that a test can look back."""

    seed: int = 0
    table: Table = field(default_factory=Table)
    setup: Setup = field(default_factory=setup)
    inputs: list[Input] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    made: list[tuple[Event, ...]] = field(default_factory=list)  # the events of each input
    boot: int = 1
    mono_ns: int = 1_000_000_000
    utc_ns: int = 1_800_000_000_000_000_000
    leave: int = 0  # stacks that an obedient shoe would still dispense

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)

    @property
    def state(self) -> Any:
        """The State; a test knows by itself whether there is a round or a deck."""
        return self.table.state

    def at(self, ms: int = 10) -> Stamp:
        self.mono_ns += ms * 1_000_000
        self.utc_ns += ms * 1_000_000
        return Stamp(self.utc_ns, self.mono_ns, f"boot-{self.boot}")

    def feed(self, input_: Input) -> Outcome:
        self.inputs.append(input_)
        outcome = self.table.step(input_)
        self.events += outcome.events
        self.made.append(outcome.events)
        self.commands += outcome.commands
        for command in outcome.commands:
            if command.name == "hold":
                self.leave = 0
            elif command.name == "dispense":
                self.leave += command.args["stacks"]
        return outcome

    # ── inputs ──
    def start(self, **changes: Any) -> Outcome:
        parts: dict[str, Any] = {"clock_synchronised": True} | changes
        return self.feed(Restart(self.at(), self.setup, "digest", "0.1.0", CORE_VERSION, **parts))

    def restart(self) -> Outcome:
        self.boot += 1
        return self.start()

    def act(self, action: str, role: str = "floor", **args: Any) -> Outcome:
        """Try it, with the second person where it takes two; the outcome may be a refusal."""
        spec = spec_of(self.state, action)
        beside = spec.second if spec else None
        second = Second(f"{beside}-2", (beside,), "pin") if beside else None
        return self.feed(Action(self.at(), action, f"{role}-1", (role,), args=args, second=second))

    def do(self, action: str, role: str = "floor", **args: Any) -> Outcome:
        """Do it; a refusal is a failure of the test."""
        outcome = self.act(action, role, **args)
        assert outcome.refusal is None, f"{action} {args}: {outcome.refusal}"
        return outcome

    def refused(self, action: str, role: str = "floor", **args: Any) -> Any:
        """Do it; it must be refused, and change nothing. Returns the refusal."""
        before = self.state
        outcome = self.act(action, role, **args)
        assert outcome.refusal is not None, f"{action} {args} was done"
        assert outcome.commands == ()
        assert before.round == self.state.round
        assert before.phase == self.state.phase
        return outcome.refusal

    def device(self, device: str, name: str, cards: Any = (), **args: Any) -> Outcome:
        read = tuple(
            ReadCard(Card(card) if card else None, self.rng.randbytes(32).hex()) for card in cards
        )
        if name == "stack":
            self.leave = max(0, self.leave - 1)
        return self.feed(DeviceEvent(self.at(), device, name, args, read))

    def tick(self, ms: int = 600) -> Outcome:
        return self.feed(Tick(self.at(ms)))

    # ── whole stretches ──
    def devices_tell(self) -> None:
        for device in self.state.devices:
            told: dict[str, Any] = {"dispensed": device.dispensed} if device.kind == "shoe" else {}
            told |= {"locked": True} if device.kind == "progressive" else {}
            self.device(device.id, "online", **told)

    def opened(self, *decks: str) -> "Pit":
        """The table is open, and each deck inspected, washed, shuffled and counted."""
        self.start()
        self.devices_tell()
        self.do("open_table")
        for deck in decks or ("red",):
            self.do("receive_decks", decks=[{"id": deck, "back": deck}])
            self.ready(deck)
        return self

    def ready(self, deck: str) -> None:
        self.do("inspect_cards", "dealer", deck=deck)
        self.do("verify_inspection", deck=deck)
        self.do("spread_cards", "dealer", deck=deck)
        self.do("player_inspected", "dealer", deck=deck, viewed=True)
        self.do("wash_cards", "dealer", deck=deck)
        self.shuffle(deck)

    def shuffle(self, deck: str, count: int | None = 52) -> None:
        self.device("shuffler", "shuffle_started", deck=deck)
        self.device("shuffler", "shuffle_done", deck=deck, count=count)

    def betting(self, deck: str = "red") -> "Pit":
        if not any(d.custody == "shoe" for d in self.state.decks):
            self.do("load_shoe", "dealer", deck=deck)
        self.do("open_bets", "dealer")
        for device in self.state.devices_of("progressive"):
            self.device(device.id, "unlocked")
        return self

    def wager(self, seat: int, **stakes: int) -> "Pit":
        for wager, amount in stakes.items():
            self.do("place_wager", "dealer", seat=seat, wager=wager, amount=amount)
        return self

    def accept(self, seat: int, cents: int = 100, wager: str = "progressive") -> Outcome:
        """The progressive device accepts a chip."""
        return self.device("bonus", "accepted", seat=seat, wager=wager, cents=cents)

    def lock(self) -> "Pit":
        self.do("no_more_bets", "dealer")
        self.acknowledge()
        return self

    def acknowledge(self) -> None:
        for device in self.state.devices_of("progressive"):
            self.device(device.id, "locked")

    def deal(self, **hands: str) -> "Pit":
        """Stacks as the plan says: `seat_3="AS KS QS"`, `dealer=…`; the rest at random."""
        given = {name.replace("_", "/"): cards.split() for name, cards in hands.items()}
        used = {card for cards in given.values() for card in cards}
        rest = [card for card in DECK if card not in used]
        self.rng.shuffle(rest)
        assert self.state.round is not None
        for owner in self.state.round.plan[self.state.round.stacks :]:
            self.device("shoe", "stack", given.get(owner) or [rest.pop() for _ in range(3)])
        return self

    def decide(self, decision: str = "play", **by_seat: str) -> "Pit":
        assert self.state.round is not None
        for seat in self.state.round.ante_seats():
            self.do(by_seat.get(f"seat_{seat}", decision), "dealer", seat=seat)
        return self

    def settle(self) -> "Pit":
        self.do("reveal_dealer", "dealer")
        return self.settle_rest()

    def settle_rest(self) -> "Pit":
        while self.state.phase == "settling":
            assert self.state.round is not None
            self.validate()
            self.do("confirm_payment", "dealer", seat=self.state.round.turns[0])
        return self

    def state_by_hand(self) -> None:
        """As after a halt by failure behind the reveal: the floor settles what is open."""
        self.table.state = replace(self.state, round=replace(self.state.round, by_hand=True))

    def validate(self) -> "Pit":
        """The floor validates what the seat whose turn it is has won by a progressive."""
        if "validate_progressive" in self.tick(1).allowed:
            self.do("validate_progressive", seat=self.state.round.due[0].seat)
        return self

    def play_round(self, deck: str = "red", **stakes: int) -> "Pit":
        self.betting(deck).wager(1, **(stakes or {"ante": 1000})).lock().deal().decide().settle()
        self.do("clear_round", "dealer")
        return self

    # ── looking back ──
    def types(self, since: int = 0) -> list[str]:
        return [event.type for event in self.events if event.sequence > since]

    def last(self, type_: str) -> Event:
        return next(event for event in reversed(self.events) if event.type == type_)

    def duties(self) -> set[str]:
        return {duty.duty for duty in self.state.duties}

    def named(self, name: str, since: int = 0) -> list[Event]:
        return [event for event in self.events if event.type == name and event.sequence > since]

    def ordered(self, since: int = 0) -> list[tuple[str, str]]:
        """Device and name of every command after the first `since`."""
        return [(command.device, command.name) for command in self.commands[since:]]

    def permitted(self, since: int = 0) -> list[str]:
        """The names of the permissive commands after the first `since`."""
        return [command.name for command in self.commands[since:] if not command.restrictive]


def fill(phase: str, **more: Any) -> Pit:
    """A pit that stands in `phase`: two seats with every wager, a third with a pair plus."""
    pit = Pit(**more)
    if phase == "closed":
        pit.start()
        pit.devices_tell()
        return pit
    pit.opened()
    if phase == "preparing":
        return pit
    pit.betting()
    pit.wager(1, ante=1000, pair_plus=500, progressive=100, six_card_bonus=500)
    pit.wager(3, ante=2000, progressive=500).wager(5, pair_plus=1500)
    if phase == "betting":
        return pit
    pit.do("no_more_bets", "dealer")
    if phase == "locking":
        return pit
    pit.acknowledge()
    if phase == "cancelling":
        pit.do("cancel_lock", reason="pressed by mistake")
    if phase in ("locked", "cancelling"):
        return pit
    if phase == "voided":
        pit.device("shoe", "jam")
        pit.device("shoe", "cleared")
        return pit
    if phase == "dealing":
        pit.device("shoe", "stack", ["2C", "7D", "9H"])
        return pit
    pit.deal(seat_1="2C 7D 9H", seat_3="3C 8D TH", seat_5="4C 9D JH", dealer="AS QD 6H")
    if phase == "deciding":
        return pit
    pit.decide(seat_3="fold")
    if phase == "settling":
        pit.do("reveal_dealer", "dealer")
        return pit
    assert phase == "clearing", phase
    return pit.settle()
