"""The room: decks of real cards, and the people who carry them from device to device.

What the shuffler made is what the shoe deals, so that 52 cards can be accounted for at any moment.
Nothing here crosses a wire: it is what a person at the table could see or do.
"""

import random
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, cast

from hwsim.log import Log
from tablectl.cards import DECK, Card

if TYPE_CHECKING:
    from hwsim.devices.badge_reader import BadgeReader
    from hwsim.devices.button import Button
    from hwsim.devices.card_shoe import CardShoe
    from hwsim.devices.device import Device
    from hwsim.devices.progressive import Progressive
    from hwsim.devices.shoe import Shoe
    from hwsim.devices.shuffler import Shuffler

MOST_SIGHTS: Final = 1000


class NotPossible(Exception):
    """A person tried what cannot be done with real cards; the text says what to do first."""


@dataclass(frozen=True, slots=True)
class Stack:
    """Cards that left the shoe together: as they are, and as the reader told them."""

    number: int  # counted since the shoe was loaded
    cards: tuple[Card, ...]
    read: tuple[Card | None, ...]
    face_up: tuple[int, ...] = ()  # positions, from 0


@dataclass(frozen=True, slots=True)
class Sight:
    """Something that a person at the table sees and no wire tells: face_up, late_bet, jam …"""

    at_ns: int
    device: str
    what: str
    where: int | None = None  # a seat, a stack's number or a compartment


@dataclass(slots=True)
class PhysicalDeck:
    """One deck, wherever its cards are. `cards` is the pack or the stub, its top first."""

    id: str
    back: str
    cards: list[Card]
    where: str = "hand"  # or a device's id
    dealt: list[Stack] = field(default_factory=list)
    lost: list[Card] = field(default_factory=list)  # belong to it, and are not there
    strangers: list[Card] = field(default_factory=list)  # are there, and do not belong to it

    def present(self) -> list[Card]:
        """Every card that lies at the table with this back."""
        return [*self.cards, *(card for stack in self.dealt for card in stack.cards)]

    def accounted(self) -> bool:
        """Present and lost without strangers are the 52 cards, each once."""
        ours = Counter(self.present()) + Counter(self.lost)
        ours.subtract(self.strangers)
        return ours == Counter(DECK)


class PhysicalTable:
    """Carries cards between the devices that stand at it. People's acts are its methods."""

    def __init__(self, rng: random.Random, log: Log | None = None) -> None:
        self.rng = rng
        self.log = log if log is not None else Log()
        self.decks: dict[str, PhysicalDeck] = {}
        self.devices: dict[str, Device] = {}
        self.sights: deque[Sight] = deque(maxlen=MOST_SIGHTS)

    # ── what stands and lies here ──
    def shuffler(self, device: str | None = None) -> "Shuffler":
        return cast("Shuffler", self._only("shuffler", device))

    def shoe(self, device: str | None = None) -> "Shoe":
        return cast("Shoe", self._only("shoe", device))

    def progressive(self, device: str | None = None) -> "Progressive":
        return cast("Progressive", self._only("progressive", device))

    def button(self, device: str | None = None) -> "Button":
        return cast("Button", self._only("button", device))

    def badge_reader(self, device: str | None = None) -> "BadgeReader":
        return cast("BadgeReader", self._only("badge_reader", device))

    def _only(self, kind: str, device: str | None) -> "Device":
        """The device of that kind, by its id or because there is one only."""
        fitting = [d for d in self.devices.values() if d.kind == kind and device in (None, d.id)]
        if not fitting:
            raise NotPossible(f"there is no {kind} {device or ''}".rstrip() + " at this table")
        if len(fitting) > 1:
            raise NotPossible(f"more than one {kind} stands here: name it")
        return fitting[0]

    def deck(self, deck: str) -> PhysicalDeck:
        if deck not in self.decks:
            raise NotPossible(f"there is no deck {deck!r} at this table: receive it first")
        return self.decks[deck]

    def see(self, at_ns: int, device: str, what: str, where: int | None = None) -> None:
        """A person at the table would see this now."""
        self.sights.append(Sight(at_ns, device, what, where))
        self.log.add(at_ns, device, "seen", sight=what, where=where)

    # ── what people do ──
    def receive(
        self, deck: str, back: str | None = None, cards: Sequence[Card] | None = None
    ) -> PhysicalDeck:
        """A deck comes to the table, new and in order; one of the same id is taken away."""
        if deck in self.decks and self.decks[deck].where != "hand":
            raise NotPossible(f"deck {deck} is in {self.decks[deck].where}: gather it first")
        self.decks[deck] = PhysicalDeck(deck, back or deck, list(DECK if cards is None else cards))
        return self.decks[deck]

    def remove(self, deck: str) -> None:
        """A deck leaves the table for good."""
        self.gather(deck)
        del self.decks[deck]

    def wash(self, deck: str) -> None:
        """The dealer mixes the cards on the layout."""
        self.rng.shuffle(self._in_hand(deck).cards)

    def put_into_shuffler(self, deck: str, shuffler: str | None = None) -> None:
        """A deck from the hand into the shuffler, which begins at once."""
        self.shuffler(shuffler).take_in(self._in_hand(deck))

    def load_shoe(self, deck: str, shoe: str | None = None) -> None:
        """A deck into the shoe, from the shuffler where it is ready, or from the hand."""
        into = self.shoe(shoe)
        if into.deck is not None:
            raise NotPossible(f"the shoe still holds deck {into.deck.id}: gather it first")
        pack = self.deck(deck)
        if pack.dealt:
            raise NotPossible(f"cards of deck {deck} lie on the layout: gather it first")
        if pack.where != "hand":
            self.devices[pack.where].give_up(pack)
        into.load(pack)

    def gather(self, deck: str) -> None:
        """Every card of a deck back into the hand: from the layout, the shoe or the shuffler."""
        pack = self.deck(deck)
        if pack.where != "hand":
            self.devices[pack.where].give_up(pack)
        pack.cards = pack.present()
        pack.dealt.clear()

    def clear_jam(self, device: str) -> None:
        """Open it, free the cards, close it. Harmless where nothing is wrong."""
        self._named(device).clear()

    def press_button(self, device: str | None = None) -> None:
        self.button(device).press()

    def place_chip(self, seat: int, device: str | None = None) -> bool:
        """A player puts a chip on the progressive's sensor; whether it was taken."""
        return self.progressive(device).place(seat)

    def draw(self, place: str | None = None, shoe: str | None = None) -> tuple[Card, ...]:
        """The dealer draws a card from a shoe that tells cards one by one."""
        found = self._only("shoe", shoe)
        if not found.tells_cards:
            raise NotPossible(f"{found.id} gives stacks: nobody draws a card from it")
        return cast("CardShoe", found).draw(place)

    def show_badge(self, token: str, device: str | None = None) -> bool:
        """A person holds a badge against the reader; whether it was read."""
        return self.badge_reader(device).badge(token)

    def set_mode(self, device: str, mode: str) -> None:
        """A person sets a device to another game."""
        self._named(device).set_mode(mode)

    def _named(self, device: str) -> "Device":
        if device not in self.devices:
            raise NotPossible(
                f"there is no device {device!r}; here stand {', '.join(self.devices)}"
            )
        return self.devices[device]

    def _in_hand(self, deck: str) -> PhysicalDeck:
        pack = self.deck(deck)
        if pack.where != "hand":
            raise NotPossible(f"deck {deck} is in {pack.where}: gather it first")
        if pack.dealt:
            raise NotPossible(f"cards of deck {deck} lie on the layout: gather it first")
        return pack
