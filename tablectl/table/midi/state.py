"""What a Midi Baccarat table knows beside what every table does: its shoe, and its two hands.

Frozen values that hang off `State` and `Round`; they hold facts, and decide nothing.
"""

from dataclasses import dataclass
from typing import Final

from tablectl.cards import DECK, DECK_SIZE, Card

HANDS: Final = ("player", "banker")
# The places of a round in the order in which cards go there (MIDI 8.C, 8.E, 8.F).
PLACES: Final = ("player/1", "banker/1", "player/2", "banker/2", "player/3", "banker/3")
FIRST_FOUR: Final = PLACES[:4]
BEFORE_A_CARD: Final = ("betting", "locking", "locked", "cancelling")  # phases of a round


@dataclass(frozen=True, slots=True)
class MidiShoe:
    """Six to eight decks as one: made ready together, dealt to the end, changed together."""

    number: int
    decks: int
    stage: str = "received"  # as midi/cards.py has it
    offered: tuple[int, ...] = ()  # seats that were offered the cut (MIDI 5.B(2))
    recuts: int = 0
    drawn: int = 0  # cards that have left it: the next draw is one more
    first: Card | None = None  # the exposed card that says how many are burned (MIDI 5.F)
    burn_due: int | None = None  # None: no first card was seen, or nobody could read it
    burned: int = 0  # face down
    seen: tuple[int, ...] = (0,) * DECK_SIZE  # how often each card was read, in DECK's order
    ending: str = ""  # "cover_next", "cover", "last_hand", "over" (MIDI 9.D)
    gap: bool = False  # reports were lost between rounds: the next one may lack its beginning
    discard: bool = False  # the next card goes to the bucket unseen (MIDI 13.C(2)(a))
    owed: tuple[tuple[int, int], ...] = ()  # vigorish marked, by seat (MIDI 12.D(2)(b))

    @property
    def id(self) -> str:
        """What events call it: the shoe is the deck of a Midi round."""
        return f"shoe-{self.number}"

    @property
    def size(self) -> int:
        """How many cards it began with."""
        return self.decks * DECK_SIZE

    def copies(self, card: Card) -> int:
        """How often a card was read since the shuffle."""
        return self.seen[DECK.index(card)]


@dataclass(frozen=True, slots=True)
class MidiHands:
    """What a round of two hands has beside its cards."""

    doubts: tuple[str, ...] = ()  # why it cannot be settled from what the reader saw
    gap: bool = False  # reports were lost while its cards were out
    handed: tuple[tuple[str, int], ...] = ()  # who was handed a hand (MIDI 8.D)
    passed: tuple[tuple[str, int], ...] = ()  # who gave up the right to turn it (MIDI 8.I)
    stray: int | None = None  # the draw of a third card that nothing authorised (MIDI 13.B)
    kept: tuple[int, ...] = ()  # draws carried since its first card: for the next round (MIDI 13.A)
    told: str | None = None  # the winner as the shoe has it
    must_hit: int | None = None  # the seat that won the Must Hit meter in this round

    def holder(self, hand: str) -> int | None:
        """The seat that holds the hand, if somebody was handed it."""
        return dict(self.handed).get(hand)
