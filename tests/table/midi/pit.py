"""A Midi Baccarat table for tests: rules, a reading shoe, eight decks from a seed."""

import random
from collections.abc import Iterator
from typing import Any

from tablectl.cards import DECK
from tablectl.games import midi_third_cards as chapter_10
from tablectl.games.rules import parse_rules
from tablectl.table.setup import DeviceSetup, Setup
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
