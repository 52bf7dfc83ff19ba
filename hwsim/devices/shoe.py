"""An automated dealing shoe that reads cards: stacks of three, one after the other, with leave.

A stack has left at the moment when it is reported; a hold before that keeps it inside. The next one
waits until somebody has taken the one before.
"""

from typing import Any, Final

from hwsim.devices.device import SECOND_NS, Condition, Device, Identity
from hwsim.faults import FaultPlan
from hwsim.physical import NotPossible, PhysicalDeck, PhysicalTable, Stack
from tablectl.cards import DECK, Card

STACK_CARDS: Final = 3
STACK_NS: Final = SECOND_NS * 6 // 5
TAKE_NS: Final = SECOND_NS * 4 // 5
MOST_STACKS: Final = 16  # that one leave may be for


class Shoe(Device):
    kind = "shoe"
    commands = frozenset({"hold", "dispense"})

    def __init__(
        self,
        id_: str,
        table: PhysicalTable,
        faults: FaultPlan,
        *,
        identity: Identity | None = None,
        reads: bool = True,
        keeps_memory: bool = True,
        stack_ns: int = STACK_NS,
        take_ns: int | None = TAKE_NS,
    ) -> None:
        """`take_ns`: how long the dealer lets a stack lie; None: until `take` is called."""
        versions = (("CardRec", "4.0.018"), ("Main", "2.1"))
        super().__init__(
            id_, table, faults, identity or Identity("SHO-200", "hwsim shoe", versions)
        )
        self.reads_cards = reads
        self.keeps_memory = keeps_memory
        self.stack_ns = stack_ns
        self.take_ns = take_ns
        self.deck: PhysicalDeck | None = None
        self.dispensed: int | None = 0  # stacks that left since cards were loaded
        self.allowed = 0  # stacks that may still leave
        self.stack_out = False  # a stack lies in the exit
        self._leaves_ns: int | None = None  # when the stack that is being made leaves
        self._taken_ns: int | None = None
        self._jams = False

    # ── commands ──
    def can(self, command: str, **args: Any) -> bool:
        stacks = args.get("stacks", 0)
        return super().can(command) and self._enough() and 1 <= stacks <= MOST_STACKS

    def do(self, command: str, **args: Any) -> None:
        if command == "hold":
            self.restrict(tell=False)
        else:
            self.allowed = args["stacks"]
            self._next_stack()
        self.log(f"command {command}", **args)

    def restrict(self, tell: bool) -> bool:
        changed = self.allowed > 0
        self.allowed = 0
        self._leaves_ns = None
        if changed and tell:
            self.tell("held")
        return changed

    def condition(self) -> Condition:
        return Condition(
            held=self.allowed == 0,
            busy=self._leaves_ns is not None,
            fault=self.fault,
            dispensed=self.dispensed,
        )

    # ── time ──
    def due_ns(self) -> int | None:
        times = [t for t in (self._leaves_ns, self._taken_ns) if t is not None]
        return max(0, min(times) - self.now_ns) if times else None

    def _happen(self) -> None:
        if self._taken_ns is not None and self._taken_ns <= self.now_ns:
            self._taken()
        elif self._jams:
            self._jam()
        else:
            self._stack_leaves()

    def _next_stack(self) -> None:
        """Begin the next stack, if one is allowed and the exit is free."""
        if self.allowed == 0 or self.stack_out or self._leaves_ns is not None:
            return
        if not self._enough():
            self._fail("no_cards", "the deck is used up")
            return
        self._jams = self.faults.strikes("jam", self.id, self.now_ns) is not None
        self._leaves_ns = self.now_ns + (self.stack_ns // 2 if self._jams else self.stack_ns)

    def _stack_leaves(self) -> None:
        assert self.deck is not None
        self._leaves_ns = None
        size = STACK_CARDS
        more = self.faults.strikes("overdraw", self.id, self.now_ns)
        if more and more.variant == "stack":
            self.allowed += 1
        elif more:
            size += 1
        self._copy_a_card(size)
        cards = tuple(self.deck.cards[:size])
        del self.deck.cards[:size]
        if self.dispensed is not None:  # what it has forgotten it cannot count on from
            self.dispensed += 1
        number = len(self.deck.dealt) + 1
        face_up = self._turned(number, len(cards))
        read = self._read(cards)
        self.deck.dealt.append(Stack(number, cards, read, face_up))
        self.allowed -= 1
        self.stack_out = True
        self._taken_ns = None if self.take_ns is None else self.now_ns + self.take_ns
        self.tell("stack", dispensed=self.dispensed, cards=read)

    def _copy_a_card(self, size: int) -> None:
        """duplicate_card: one card of the coming stack is a copy of one that is out, really."""
        if not self.faults.strikes("duplicate_card", self.id, self.now_ns):
            return
        assert self.deck is not None
        dice = self.faults.dice("duplicate_card", self.id)
        place = dice.randrange(1, min(size, len(self.deck.cards)))
        out = [card for stack in self.deck.dealt for card in stack.cards]
        copy = dice.choice(out or self.deck.cards[:1])
        self.deck.lost.append(self.deck.cards[place])
        self.deck.strangers.append(copy)
        self.deck.cards[place] = copy

    def _turned(self, number: int, size: int) -> tuple[int, ...]:
        if not self.faults.strikes("face_up", self.id, self.now_ns):
            return ()
        self.table.see(self.now_ns, self.id, "face_up", number)
        return (self.faults.dice("face_up", self.id).randrange(size),)

    def _read(self, cards: tuple[Card, ...]) -> tuple[Card | None, ...]:
        read: list[Card | None] = list(cards) if self.reads_cards else [None] * len(cards)
        fault = self.faults.strikes("misread", self.id, self.now_ns)
        if fault and self.reads_cards:
            dice = self.faults.dice("misread", self.id)
            place = dice.randrange(len(cards))
            others = [card for card in DECK if card not in cards]
            read[place] = dice.choice(others) if fault.variant == "wrong" else None
        return tuple(read)

    def _enough(self) -> bool:
        return self.deck is not None and len(self.deck.cards) >= STACK_CARDS

    # ── people ──
    def load(self, deck: PhysicalDeck) -> None:
        """A deck is put in. Opening the cover holds the exit."""
        self.attend()
        self.restrict(tell=True)
        deck.where = self.id
        self.deck = deck
        self.dispensed = 0
        self._taken_ns = None
        self.stack_out = False
        self.log("loaded", deck=deck.id, cards=len(deck.cards))
        if self.fault == "no_cards":
            self.fault = None
            self.tell("cleared")

    def give_up(self, deck: PhysicalDeck) -> None:
        self.attend()
        if self.deck is not deck:
            raise NotPossible(f"deck {deck.id} is not in {self.id}")
        self.restrict(tell=True)
        deck.where = "hand"
        self.deck = None
        self.stack_out = False
        self._taken_ns = None

    def take(self) -> None:
        """The dealer takes the stack that lies in the exit."""
        self.attend()
        if not self.stack_out:
            raise NotPossible(f"no stack lies in the exit of {self.id}")
        self._taken()

    def _taken(self) -> None:
        self._taken_ns = None
        self.stack_out = False
        self._next_stack()

    def power_cycle(self, another: bool = False) -> None:
        super().power_cycle(another)
        if another or not self.keeps_memory:
            self.dispensed = None
