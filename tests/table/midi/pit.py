"""A Midi Baccarat table for tests: rules, a reading shoe, eight decks from a seed."""

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tablectl.cards import DECK, Card
from tablectl.games import midi_third_cards as chapter_10
from tablectl.games.rules import parse_rules
from tablectl.table import must_hit
from tablectl.table.inputs import Drawn, DrawnTrigger, Input
from tablectl.table.midi import guards, turning
from tablectl.table.setup import DeviceSetup, Limit, MeterSetup, Setup
from tablectl.table.table import Outcome
from tests.table.pit import Pit

RULES = {"game": "midi_baccarat", "dragon_bonus": "A", "lucky_nines": "B", "jackpot": "A"}
SHOE = DeviceSetup("shoe", "shoe", listen_only=True)


def setup(tracking: Any = "cards", devices: Any = (SHOE,), **rules: Any) -> Setup:
    """A table with nothing but a reading shoe that it listens to."""
    parsed = parse_rules(RULES | rules)
    return Setup("harbor", "midi-3", parsed, devices=devices, tracking=tracking, simulated=True)


def shuffled(seed: int, decks: int = 8) -> list[str]:
    """A shoe of cards, the next one last."""
    cards = [str(card) for card in DECK] * decks
    random.Random(seed).shuffle(cards)
    return cards


class Watched(Pit):
    """A table that only listens; the shoe deals by the rules unless a test says otherwise."""

    def __init__(self, seed: int = 0, cards: list[str] | None = None, **rules: Any) -> None:
        super().__init__(seed=seed, setup=setup(**rules))
        self.shoe = shuffled(seed) if cards is None else list(reversed(cards))
        self.start()
        self.device("shoe", "online")

    def card(self, place: str | None, card: str | None = "", **args: Any) -> None:
        """One card; the next of the shoe where none is given."""
        value = self.shoe.pop() if card == "" else card
        more = {"place": place} if place else {}
        self.device("shoe", "card", [value], **more, **args)

    def begin(self) -> "Watched":
        """The shoe boots; its first card is shown, and as many burned as it says."""
        self.device("shoe", "started")
        self.device("shoe", "standby")
        first = self.shoe[-1]
        self.card("first")
        value = 10 if first[0] in "TJQK" else 1 if first[0] == "A" else int(first[0])
        for n in range(1, value + 1):
            self.card(f"burn/{n}", mode="burn")
        self.device("shoe", "standby")
        return self

    def places(self) -> Iterator[str]:
        """The places of one round, as the cards on top of the shoe decide."""
        ahead = list(reversed(self.shoe[-6:]))
        player, banker = [ahead[0], ahead[2]], [ahead[1], ahead[3]]
        yield from ("player/1", "banker/1", "player/2", "banker/2")
        ahead = ahead[4:]
        if chapter_10.player_draws(player, banker).draws:  # type: ignore[arg-type]
            player.append(ahead.pop(0))
            yield "player/3"
        if chapter_10.banker_draws(player, banker).draws:  # type: ignore[arg-type]
            banker.append(ahead.pop(0))
            yield "banker/3"
        self.truth = (player, banker, chapter_10.winner(player, banker))  # type: ignore[arg-type]

    def hand(self, **result: Any) -> "Watched":
        """A whole round, with the shoe's own result and its standby."""
        for place in self.places():
            self.card(place)
        self.result(**result)
        self.device("shoe", "standby")
        return self

    def result(self, **given: Any) -> None:
        self.device("shoe", "result", **({"winner": self.truth[2]} | given))

    def irregularities(self) -> list[str]:
        """The names of every irregularity so far."""
        return [
            e.type.removeprefix("irregularity.") for e in self.events if e.type.startswith("irr")
        ]


# ── a table with a dealer ──
READER = DeviceSetup("shoe", "shoe", listen_only=True)
HELD = DeviceSetup("shoe", "shoe")
BONUS = DeviceSetup("bonus", "progressive")
BUTTON = DeviceSetup("button", "button")
PRINTED = tuple(
    (seat, (Card(f"K{suit}"), Card(f"9{suit}")))
    for seat, suit in zip(range(1, 5), "SHDC", strict=True)
)
ROYAL = {"royal_9": "A", "royal_9_reading": "printed_per_seat"}


def attended(
    devices: Any = (READER, BUTTON),
    tracking: str = "wagers",
    royal: bool = False,
    trigger_meter: MeterSetup | None = None,
    **rules: Any,
) -> Setup:
    """A table with a dealer; with `royal` it takes the progressive wager, and has its meters."""
    more: dict[str, Any] = {}
    if royal:
        rules |= ROYAL
        devices = (*devices, BONUS)
        resets = {"star": 5_000_000, "spade": 35_000, "heart": 35_000}
        meters = tuple(MeterSetup(name, reset, "0.1") for name, reset in resets.items())
        if trigger_meter:
            rules |= {"must_hit": "c"}
            meters = (*meters, trigger_meter)
        more = {"meters": meters, "printed_king_9": PRINTED}
    found = setup(tracking, devices, **rules)
    limits = (Limit("player", 500, 100_000), Limit("banker", 500, 100_000))
    return replace(found, limits=limits, **more)


class Attended(Pit):
    """A dealer, a floorperson, and a shoe that reads or does not."""

    def __init__(self, seed: int = 0, first: str = "AS", triggers: Any = (), **setup_: Any) -> None:
        super().__init__(seed=seed, setup=attended(**setup_))
        self.triggers = list(triggers)  # what is drawn first, before chance
        self.first = first

    @property
    def reads(self) -> bool:
        return bool(self.state.devices_of("shoe"))

    def feed(self, input_: Input) -> Outcome:
        """As every pit; and, as the daemon does, draw what the table asks for."""
        outcome = super().feed(input_)
        ask = must_hit.wanted(self.state)
        if ask is not None:
            cents = self.triggers.pop(0) if self.triggers else self.rng.randint(ask.least, ask.most)
            self.arm(cents)
        return outcome

    def arm(self, cents: int, meter: str = "must_hit") -> Outcome:
        drawn = DrawnTrigger(cents, self.rng.randbytes(32).hex())
        return super().feed(Drawn(self.at(), meter, drawn))

    def receive(self, preshuffled: bool = True, back: str = "red") -> "Attended":
        number = self.state.shoe.number + 1 if self.state.shoe else 1
        decks = self.setup.rules.decks  # type: ignore[union-attr]
        named = [
            {"id": f"{number}-{n}", "back": back, "preshuffled": preshuffled} for n in range(decks)
        ]
        self.do("receive_decks", "dealer", decks=named)
        return self

    def opened(self, *_decks: str) -> "Attended":
        self.start()
        self.devices_tell()
        self.do("open_table")
        return self

    def new_shoe(self) -> "Attended":
        """Preshuffled decks: cut, loaded, burned."""
        self.receive()
        self.do("offer_cut", "dealer", seat=9, accepted=True)
        self.do("load_shoe", "dealer")
        return self.burned()

    def burned(self) -> "Attended":
        value = 10 if self.first[0] in "TJQK" else 1 if self.first[0] == "A" else int(self.first[0])
        if not self.reads:
            self.do("burn", "dealer", card=self.first)
            return self
        self.device("shoe", "card", [self.first])
        for _ in range(value):
            self.device("shoe", "card", [self.rng.choice(DECK)])
        return self

    def in_play(self) -> "Attended":
        return self.opened().new_shoe()

    def betting(self, deck: str = "") -> "Attended":  # noqa: ARG002 - one signature for all pits
        self.do("open_bets", "dealer")
        for device in self.state.devices_of("progressive"):
            self.device(device.id, "unlocked")
        return self

    def wager(self, seat: int, **stakes: int) -> "Attended":
        for wager, amount in stakes.items():
            given = {"amount": amount} if amount else {}
            self.do("place_wager", "dealer", seat=seat, wager=wager, **given)
        return self

    def lock(self) -> "Attended":
        super().lock()
        return self

    def drawn(self, *cards: str | None) -> "Attended":
        for card in cards:
            self.device("shoe", "card", [card])
        return self

    def turn(self, *hands: str) -> "Attended":
        """Hand each hand to whoever has the right to it, and have it turned."""
        for hand in hands or ("player", "banker"):
            seat = turning.entitled(self.state, hand)
            if seat is not None and self.state.phase == "turning":
                self.do("hand_cards", "dealer", seat=seat, hand=hand)
            self.do("reveal_dealer", "dealer", hand=hand)
        return self

    def accept(self, seat: int, cents: int = 100, wager: str = "royal_9") -> Outcome:
        """The progressive device accepts a chip."""
        return super().accept(seat, cents, wager)

    @property
    def paying(self) -> int | None:
        """The seat that is paid now."""
        return guards.turn(self.state.round)

    def paid(self) -> "Attended":
        while self.state.phase == "settling":
            self.do("confirm_payment", "dealer", seat=self.paying)
        return self

    def played(self, *cards: str, **stakes: int) -> "Attended":
        """A whole round of seat 1 that ends with its first four cards."""
        self.betting().wager(1, **(stakes or {"banker": 1000})).lock().drawn(*cards).turn().paid()
        self.do("clear_round", "dealer")
        return self


def fill(phase: str, **more: Any) -> Attended:
    """A table that stands in `phase`: three seats with wagers, cards that make a third one due."""
    pit = Attended(**more)
    if phase == "closed":
        pit.start()
        pit.devices_tell()
        return pit
    pit.in_play()
    if phase == "preparing":
        return pit
    if phase == "simulating":
        pit.drawn("5H")
        pit.do("report_exposed", "dealer", place="carried/1", confirm=True)
        pit.do("begin_simulated_round", "dealer")
        return pit
    pit.betting().wager(1, player=1000, dragon_bonus_player=500).wager(3, banker=2000)
    pit.wager(5, player=1000, tie=500)
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
        pit.do("void_round", reason="a spilt drink")
        return pit
    pit.drawn("2C", "3D")
    if phase == "dealing":
        return pit
    pit.drawn("KH", "2S")  # Player 2, Banker 5
    if phase == "turning":
        return pit
    pit.turn()
    if phase == "drawing":
        return pit
    pit.drawn("4C").turn("player").drawn("2D").turn("banker")  # Player 6, Banker 7
    if phase == "settling":
        return pit
    assert phase == "clearing", phase
    return pit.paid()
