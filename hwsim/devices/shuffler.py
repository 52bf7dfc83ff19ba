"""A shuffler with one or two compartments: takes a deck, shuffles, counts if it can, reports.

The order that it makes is the order that is dealt later. It has one mechanism: while that runs, the
next deck waits in somebody's hand.
"""

import random
from typing import Final, Literal, get_args

from hwsim.devices.device import SECOND_NS, Condition, Device, Identity
from hwsim.faults import FaultPlan
from hwsim.physical import NotPossible, PhysicalDeck, PhysicalTable

Sees = Literal["nothing", "number", "cards"]
SHUFFLE_NS: Final = 8 * SECOND_NS  # a real one takes a minute; nobody watches that in a demo


class Shuffler(Device):
    kind = "shuffler"

    def __init__(
        self,
        id_: str,
        table: PhysicalTable,
        faults: FaultPlan,
        rng: random.Random,
        *,
        identity: Identity | None = None,
        compartments: int = 1,
        shuffle_ns: int = SHUFFLE_NS,
        sees: Sees = "number",
    ) -> None:
        """`sees`: nothing, the number of cards, or which cards they are."""
        identity = identity or Identity("SHF-100", "hwsim shuffler", (("Main", "3.2"),))
        super().__init__(id_, table, faults, identity)
        if sees not in get_args(Sees):
            raise TypeError(f"a shuffler sees nothing, the number or the cards, not {sees!r}")
        self.rng = rng
        self.counts_cards = sees != "nothing"
        self.recognises_cards = sees == "cards"
        self.compartments: list[PhysicalDeck | None] = [None] * compartments
        self.two_decks = compartments == 2
        self._homes: dict[str, int] = {}  # deck -> the compartment that it was in last
        self.shuffle_ns = shuffle_ns
        self.ready: set[int] = set()  # compartments whose deck is shuffled and counted
        self._running: int | None = None  # the compartment that is being shuffled
        self._ends_ns = 0
        self._jams = False

    @property
    def shuffling(self) -> bool:
        return self._running is not None

    # ── people ──
    def take_in(self, deck: PhysicalDeck) -> None:
        """A deck is put in; the shuffle begins at once. Raises NotPossible."""
        self.attend()
        if self.fault is not None:
            raise NotPossible(f"{self.id} is stopped ({self.fault}): clear it first")
        if self._running is not None:
            raise NotPossible(f"{self.id} is shuffling: wait until it is done")
        if None not in self.compartments:
            raise NotPossible(f"{self.id} is full: take a deck out first")
        place = self._place_for(deck)
        if deck.cards and self.faults.strikes("missing_card", self.id, self.now_ns):
            card = deck.cards.pop(self.rng.randrange(len(deck.cards)))
            deck.lost.append(card)
            self.log("card lost", deck=deck.id, card=card)
        # Another shuffler would never tell.
        twin = self.recognises_cards and len(deck.cards) > 1
        if twin and self.faults.strikes("duplicate_card", self.id, self.now_ns):
            self._copy_a_card(deck)
        deck.where = self.id
        self.compartments[place] = deck
        self._running = place
        self._jams = self.faults.strikes("jam", self.id, self.now_ns) is not None
        share = self.rng.uniform(0.1, 0.9) if self._jams else 1.0
        self._ends_ns = self.now_ns + round(self.shuffle_ns * share)
        self.tell("shuffle_started", compartment=self._called(place))

    def _place_for(self, deck: PhysicalDeck) -> int:
        """Each deck has its compartment: where it was last, if that is free, or nobody's."""
        free = [place for place, inside in enumerate(self.compartments) if inside is None]
        here = {name: at for name, at in self._homes.items() if name in self.table.decks}
        wanted = here.get(deck.id)
        if wanted not in free:
            taken = set(here.values())
            wanted = next((place for place in free if place not in taken), free[0])
        self._homes = {**here, deck.id: wanted}
        return wanted

    def _called(self, place: int) -> int:
        """A compartment as the wire names it: 0 where there is one only."""
        return place + 1 if self.two_decks else 0

    def _copy_a_card(self, deck: PhysicalDeck) -> None:
        """Somebody put a copy in for another card: 52 are there, and 51 are different."""
        dice = self.faults.dice("duplicate_card", self.id)
        place, twin = dice.sample(range(len(deck.cards)), 2)
        deck.lost.append(deck.cards[place])
        deck.strangers.append(deck.cards[twin])
        deck.cards[place] = deck.cards[twin]

    def give_up(self, deck: PhysicalDeck) -> None:
        self.attend()
        place = self.compartments.index(deck)
        if place == self._running:
            raise NotPossible(f"deck {deck.id} is being shuffled: wait until it is done")
        if place not in self.ready and self.fault is not None:
            raise NotPossible(f"deck {deck.id} is stuck in {self.id}: clear it first")
        self._take_out(place)

    def _take_out(self, place: int) -> None:
        deck = self.compartments[place]
        assert deck is not None
        deck.where = "hand"
        self.compartments[place] = None
        self.ready.discard(place)

    # ── time ──
    def due_ns(self) -> int | None:
        return None if self._running is None else max(0, self._ends_ns - self.now_ns)

    def _happen(self) -> None:
        assert self._running is not None
        place = self._running
        deck = self.compartments[place]
        assert deck is not None
        self.rng.shuffle(deck.cards)
        if self._jams:
            self._jam(self._called(place))
            return
        self._running = None
        misread = self.recognises_cards and self.faults.strikes("misread", self.id, self.now_ns)
        if misread and misread.variant != "wrong":
            self._fail("count_failed", "a card was not recognised")
            return
        self.ready.add(place)
        count = len(deck.cards)
        if self.faults.strikes("wrong_count", self.id, self.now_ns):
            count += self.faults.dice("wrong_count", self.id).choice((-1, 1))
        told = {"count": count if self.counts_cards else None}
        if self.recognises_cards:  # one that is taken for another hides it, or makes it a twin
            told["distinct"] = len(set(deck.cards)) - bool(misread)
        self.tell("shuffle_done", compartment=self._called(place), **told)

    # ── trouble ──
    def _stopped(self) -> None:
        self._running = None

    def _cleared(self) -> None:
        """The deck that got stuck comes out into the dealer's hand, in whatever order."""
        for place, deck in enumerate(self.compartments):
            if deck is not None and place not in self.ready:
                self._take_out(place)

    def condition(self) -> Condition:
        return Condition(busy=self.shuffling, fault=self.fault)

    def power_cycle(self, another: bool = False) -> None:
        """It cannot go on with a deck whose cards it no longer knows the number of."""
        interrupted = self._running is not None
        super().power_cycle(another)
        if interrupted:
            self._fail("count_failed", "shuffle interrupted, take the cards out")
