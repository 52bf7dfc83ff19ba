"""A manual dealing shoe with a reader: the dealer draws cards, it tells each with its place.

Held, it lets no card out. It counts every card that passes, also one that it could not read.
"""

import re
from typing import Any, Final

from hwsim.devices.device import SECOND_NS, Condition, Device, Identity
from hwsim.faults import FaultPlan
from hwsim.physical import NotPossible, PhysicalDeck, PhysicalTable, Stack
from tablectl.cards import DECK, Card

PLACE: Final = re.compile(
    r"(player|banker|dealer)/[1-3]|seat/[1-9]/[1-3]|community/[12]|first|burn/[1-9][0-9]?", re.ASCII
)
READ_NS: Final = SECOND_NS // 10  # from the card's leaving to its report


class CardShoe(Device):
    kind = "shoe"
    commands = frozenset({"hold", "release"})
    tells_cards = True

    def __init__(
        self,
        id_: str,
        table: PhysicalTable,
        faults: FaultPlan,
        *,
        identity: Identity | None = None,
        reads: bool = True,
        knows_places: bool = True,
        keeps_memory: bool = True,
        read_ns: int = READ_NS,
    ) -> None:
        """`knows_places`: it is told by the dealer's keys, or counts, where each card goes."""
        versions = (("CardRec", "4.0.018"), ("Main", "2.1"))
        super().__init__(
            id_, table, faults, identity or Identity("CSH-210", "hwsim card shoe", versions)
        )
        self.reads_cards = reads
        self.knows_places = knows_places
        self.keeps_memory = keeps_memory
        self.read_ns = read_ns
        self.deck: PhysicalDeck | None = None
        self.dispensed: int | None = 0  # cards that left since it was loaded
        self.held = True
        self._reading: list[tuple[int, dict[str, Any]]] = []  # when it is told, and what

    # ── commands ──
    def can(self, command: str, **args: Any) -> bool:
        return super().can(command, **args) and self.deck is not None

    def do(self, command: str, **args: Any) -> None:
        self.held = command == "hold"
        self.log(f"command {command}", **args)

    def restrict(self, tell: bool) -> bool:
        changed = not self.held
        self.held = True
        if changed and tell:
            self.tell("held")
        return changed

    def condition(self) -> Condition:
        return Condition(held=self.held, fault=self.fault, dispensed=self.dispensed)

    # ── time ──
    def due_ns(self) -> int | None:
        return max(0, self._reading[0][0] - self.now_ns) if self._reading else None

    def _happen(self) -> None:
        self.tell("card", **self._reading.pop(0)[1])

    # ── people ──
    def draw(self, place: str | None = None) -> tuple[Card, ...]:
        """The dealer draws a card and lays it at a place; the cards that came out.

        Raises NotPossible.
        """
        self.attend()
        if place is not None and not PLACE.fullmatch(place):
            raise NotPossible(f"{place!r} is no place: say seat/3/1, dealer/2 or community/1")
        if self.held:
            raise NotPossible(f"{self.id} is held: no card comes out")
        if self.deck is None or not self.deck.cards:
            raise NotPossible(f"{self.id} is empty: load a deck first")
        if self.faults.strikes("jam", self.id, self.now_ns):
            self._jam()
            raise NotPossible(f"a card is stuck in {self.id}: clear it first")
        cards = self._come_out(self.deck)
        read = self._read(cards[0])
        number = len(self.deck.dealt) + 1
        face_up = self._turned(number)
        self.deck.dealt.append(Stack(number, cards, (read, *([None] * (len(cards) - 1))), face_up))
        if self.faults.strikes("missing_card", self.id, self.now_ns):
            self.log("card unseen", number=number)
            return cards  # it slipped past the sensor: neither told nor counted
        if self.dispensed is not None:
            self.dispensed += len(cards)
        where = place if self.knows_places else None
        told = {"dispensed": self.dispensed, "place": where, "card": read}
        self._reading.append((self.now_ns + self.read_ns, told))
        return cards

    def _come_out(self, deck: PhysicalDeck) -> tuple[Card, ...]:
        """One card; overdraw: two that stick together, of which the reader sees one."""
        if self.faults.strikes("duplicate_card", self.id, self.now_ns):
            out = [card for stack in deck.dealt for card in stack.cards] or deck.cards[1:2]
            copy = self.faults.dice("duplicate_card", self.id).choice(out)
            deck.lost.append(deck.cards[0])
            deck.strangers.append(copy)
            deck.cards[0] = copy
        both = self.faults.strikes("overdraw", self.id, self.now_ns) and len(deck.cards) > 1
        cards = tuple(deck.cards[: 2 if both else 1])
        del deck.cards[: len(cards)]
        return cards

    def _read(self, card: Card) -> Card | None:
        fault = self.faults.strikes("misread", self.id, self.now_ns)
        if not self.reads_cards or (fault and fault.variant != "wrong"):
            return None
        if fault:
            others = [other for other in DECK if other != card]
            return self.faults.dice("misread", self.id).choice(others)
        return card

    def _turned(self, number: int) -> tuple[int, ...]:
        if not self.faults.strikes("face_up", self.id, self.now_ns):
            return ()
        self.table.see(self.now_ns, self.id, "face_up", number)
        return (0,)

    def load(self, deck: PhysicalDeck) -> None:
        """A deck is put in. Opening the cover holds the exit."""
        self.attend()
        self.restrict(tell=True)
        deck.where = self.id
        self.deck = deck
        self.dispensed = 0
        self.log("loaded", deck=deck.id, cards=len(deck.cards))
        self.tell("started")

    def give_up(self, deck: PhysicalDeck) -> None:
        self.attend()
        if self.deck is not deck:
            raise NotPossible(f"deck {deck.id} is not in {self.id}")
        self.restrict(tell=True)
        deck.where = "hand"
        self.deck = None

    # ── power ──
    def power_cycle(self, another: bool = False) -> None:
        super().power_cycle(another)
        self._reading.clear()
        if another or not self.keeps_memory:
            self.dispensed = None
