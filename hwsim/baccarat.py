"""A baccarat shoe and the dealer at it: decks, a burn, rounds by the third card rules, cover card.

It tells what happens in neutral words, one happening after the other; a wire side makes bytes of
them. `rounds` keeps what really lay on the table. Written from the rules, apart from the games'.
"""

import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from hwsim.faults import FaultPlan
from tablectl.cards import DECK, Card

SECOND_NS: Final = 1_000_000_000
COVER_AT_LEAST: Final = 14  # cards behind the cover card (MIDI 5.C(1))
CARD_NS: Final = SECOND_NS
BETWEEN_NS: Final = 15 * SECOND_NS  # bets are made
FREEING_NS: Final = 3 * SECOND_NS  # a person sees to an error

# Banker's total -> the player's third cards to which the banker draws (MIDI 9.C).
BANKER_DRAWS: Final = {
    0: range(10), 1: range(10), 2: range(10), 3: (0, 1, 2, 3, 4, 5, 6, 7, 9),
    4: range(2, 8), 5: range(4, 8), 6: (6, 7), 7: (),
}  # fmt: skip
OVERDRAW: Final = 2


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that the shoe tells. `wait_ns`: how long after the one before."""

    name: str  # started standby card again result cover_card error error_over
    wait_ns: int = CARD_NS
    target: str = ""  # player banker first burn
    index: int = 0
    card: Card | None = field(default=None, repr=False)  # None: could not be read
    winner: str = ""
    pairs: tuple[bool, bool] = (False, False)
    code: int = 0
    lost: bool = False  # no copy of its report ever arrives


@dataclass(slots=True)
class Round:
    """What lay on the table, whatever was told of it."""

    number: int
    player: list[Card] = field(default_factory=list)
    banker: list[Card] = field(default_factory=list)
    winner: str = ""
    told: str = ""  # the winner that the shoe told
    unread: int = 0
    lost: int = 0


def value(card: Card) -> int:
    """An ace is 1, tens and faces are 0."""
    return min(DECK.index(card) % 13 + 1, 10) % 10


def points(cards: list[Card]) -> int:
    return sum(map(value, cards)) % 10


class BaccaratShoe:
    """Deals shoe after shoe. Iterate over `play()`; it draws from `rng` alone."""

    kind = "baccarat"

    def __init__(
        self,
        id_: str,
        rng: random.Random,
        faults: FaultPlan,
        *,
        decks: int = 8,
        shoes: int = 1,
        most: int | None = None,
    ) -> None:
        """`shoes` 0: for ever. `most`: it stops after so many rounds, wherever it is."""
        self.id = id_
        self.rng = rng
        self.faults = faults
        self.decks = decks
        self.shoes = shoes
        self.most = most
        self.now_ns = 0
        self.rounds: list[Round] = []
        self._cards: deque[Card] = deque()
        self._cover = 0  # cards behind the cover card; 0: it is out

    def play(self) -> Iterator[Happening]:
        """Everything that the shoe tells, until its shoes are dealt."""
        dealt = 0
        while (dealt < self.shoes or not self.shoes) and not self._enough():
            yield from self._shoe()
            dealt += 1

    def _shoe(self) -> Iterator[Happening]:
        cards = list(DECK) * self.decks
        self.rng.shuffle(cards)
        self._cards = deque(cards)
        self._cover = self.rng.randint(COVER_AT_LEAST, COVER_AT_LEAST + 20)
        yield Happening("started")
        yield Happening("standby")
        yield from self._burn()
        after_cover = 0  # the hand with the cover card, and one more (MIDI 9.D)
        while after_cover < 2 and not self._enough():
            yield Happening("standby", BETWEEN_NS if self.rounds else CARD_NS)
            yield from self._round()
            after_cover += self._cover == 0
        yield Happening("standby")

    def _enough(self) -> bool:
        return self.most is not None and len(self.rounds) >= self.most

    def _burn(self) -> Iterator[Happening]:
        """The first card, shown, says how many go face down (MIDI 5.F)."""
        first = self._cards.popleft()
        yield Happening("card", target="first", index=1, card=first)
        for index in range(1, (value(first) or 10) + 1):
            yield Happening("card", target="burn", index=index, card=self._cards.popleft())

    # ── a round ────────────────────────────────────────────────────────────
    def _round(self) -> Iterator[Happening]:
        hand = Round(len(self.rounds) + 1)
        self.rounds.append(hand)
        for _ in range(2):
            yield from self._deal(hand, "player")
            yield from self._deal(hand, "banker")
        player, banker = points(hand.player), points(hand.banker)
        if max(player, banker) < 8:
            if player <= 5:
                yield from self._deal(hand, "player")
                if value(hand.player[2]) in BANKER_DRAWS[banker]:
                    yield from self._deal(hand, "banker")
            elif banker <= 5:
                yield from self._deal(hand, "banker")
        yield self._result(hand)

    def _deal(self, hand: Round, target: str) -> Iterator[Happening]:
        if self._cover and len(self._cards) <= self._cover:
            self._cover = 0
            yield Happening("cover_card")
        if self._strikes("overdraw"):
            yield Happening("error", code=OVERDRAW)
            yield Happening("error_over", FREEING_NS, code=OVERDRAW)
        card = self._cards.popleft()
        cards = hand.player if target == "player" else hand.banker
        cards.append(card)
        unread, lost = self._strikes("misread"), self._strikes("missing_card")
        hand.unread += unread
        hand.lost += lost
        told = Happening(
            "card", target=target, index=len(cards), card=None if unread else card, lost=lost
        )
        yield told
        if self._strikes("repeat"):
            yield Happening("again", target=target, index=len(cards), card=told.card, lost=lost)

    def _result(self, hand: Round) -> Happening:
        player, banker = points(hand.player), points(hand.banker)
        hand.winner = hand.told = (
            "tie" if player == banker else "player" if player > banker else "banker"
        )
        if self._strikes("wrong_result"):
            others = [each for each in ("player", "banker", "tie") if each != hand.winner]
            hand.told = self.faults.dice("wrong_result", self.id).choice(others)
        pairs = (_pair(hand.player), _pair(hand.banker))
        return Happening("result", winner=hand.told, pairs=pairs)

    def _strikes(self, kind: str) -> bool:
        return self.faults.strikes(kind, self.id, self.now_ns) is not None


def _pair(cards: list[Card]) -> bool:
    return cards[0][0] == cards[1][0]
