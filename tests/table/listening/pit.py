"""A three-card table that only listens, for tests: a shoe, perhaps a shuffler, a seeded deck."""

from dataclasses import dataclass, field
from typing import Any

from tablectl.cards import DECK
from tablectl.games.rules import parse_rules
from tablectl.table.inputs import Input
from tablectl.table.setup import DeviceSetup, Setup
from tablectl.table.table import Outcome, before
from tests.table.pit import Pit

GAMES: dict[str, dict[str, Any]] = {
    "poker": {"game": "three_card_poker", "ante_bonus": "A", "pair_plus": "A"},
    "maryland": {"game": "three_card_baccarat", "three_kings": "A", "tie": "A", "dragon": True},
    "washington": {
        "game": "three_card_baccarat", "jurisdiction": "WA", "three_kings": "A", "tie": "A",
    },
}  # fmt: skip
SHOE = DeviceSetup("shoe", "shoe")
SHUFFLER = DeviceSetup("shuffler", "shuffler")


def setup(
    game: str = "poker", devices: tuple[DeviceSetup, ...] = (SHOE, SHUFFLER), **rules: Any
) -> Setup:
    parsed = parse_rules(GAMES[game] | rules)
    return Setup("harbor", "tcp-9", parsed, devices=devices, tracking="cards", simulated=True)


@dataclass
class Truth:
    """What really lay on the table in a round."""

    hands: list[list[str]] = field(default_factory=list)
    dealer: list[str] = field(default_factory=list)
    community: list[str] = field(default_factory=list)


class Listened(Pit):
    """Deals whole rounds as the dealer would. An automated shoe counts its stacks, as tablelink's
    does; a manual one tells card by card, without a place, and a shuffler counts 52 after each."""

    def __init__(self, seed: int = 0, *, counts: bool = True, ahead: bool = True, **more: Any):
        super().__init__(seed=seed, setup=setup(**more))
        self.ahead = ahead  # whether RoundOver is recorded, as the journal does
        self.counts = counts  # whether the shoe tells how many stacks have left it
        self.truths: list[Truth] = []
        self.pack: list[str] = []
        self.start()
        self.devices_tell()

    def feed(self, input_: Input) -> Outcome:
        first = before(self.state, input_) if self.ahead else None
        if first is not None:
            super().feed(first)
        return super().feed(input_)

    @property
    def rules(self) -> Any:
        return self.setup.rules

    def shuffled(self, count: int | None = 52, **told: Any) -> "Listened":
        """Every card back into one deck, mixed; told where a shuffler is online."""
        self.pack = list(map(str, DECK))
        self.rng.shuffle(self.pack)
        if self.state.devices_of("shuffler"):
            self.device("shuffler", "shuffle_started")
            self.device("shuffler", "shuffle_done", count=count, **told)
        return self

    def lie(self, players: int, community: bool = False) -> list[list[str]]:
        """How the next cards of the pack are dealt: the reports of the shoe, in order."""
        self.pack = self.pack or self.shuffled().pack
        truth = Truth()
        self.truths.append(truth)
        owners: list[list[str]] = [[] for _ in range(players + 1)]
        truth.hands, truth.dealer = owners[:-1], owners[-1]
        told = []
        if self.rules.dealing == "automated_shoe":
            for owner in owners:
                owner += [self.pack.pop() for _ in range(3)]
                told.append(list(owner))
            return told
        for _ in range(3):
            for owner in owners:
                owner.append(self.pack.pop())
                told.append([owner[-1]])
        if community:
            truth.community = [self.pack.pop(), self.pack.pop()]
            told += [[card] for card in truth.community]
        return told

    def tell(self, cards: list[str | None], number: int, **args: Any) -> Outcome:
        """One report of the shoe: the `number`-th of its round."""
        if self.rules.dealing != "automated_shoe":
            return self.device("shoe", "card", cards, **args)
        counted = {"dispensed": number} if self.counts else {}
        return self.device("shoe", "stack", cards, **(counted | args))

    def play(self, players: int = 3, community: bool = False) -> "Listened":
        """A shuffle, and a round's cards. What tells that it is over comes later."""
        self.shuffled()
        for number, cards in enumerate(self.lie(players, community), 1):
            self.tell(list(cards), number)
        return self

    def rounds(self, *players: int) -> "Listened":
        """Rounds that were dealt, and told to be over."""
        for many in players or (3,):
            self.play(many)
        return self.over()

    def over(self) -> "Listened":
        self.device("shoe", "standby")
        return self

    # ── looking back ──
    def irregularities(self) -> list[str]:
        names = [e.type for e in self.events if e.type.startswith("irregularity.")]
        return [name.removeprefix("irregularity.") for name in names]

    def settled(self) -> dict[int, Any]:
        return {event.data["round"]: event.data for event in self.named("round.settled")}

    def alarms(self) -> set[str]:
        return {alarm.kind for alarm in self.state.alarms}
