"""A plain reader past which a person deals: it sees each card that passes, and knows no game.

What it tells stands in a queue until the wire side asks; a person may always pass more.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from hwsim.baccarat import Happening, Round
from hwsim.faults import FaultPlan
from tablectl.cards import Card

CARD_NS: Final = 300_000_000


class PassedCards:
    """Iterate over it for what has passed so far; `passes` is what a person does."""

    kind = "passed"

    def __init__(self, id_: str, faults: FaultPlan, *, burn_mode: bool = True) -> None:
        """`burn_mode`: its key is turned, so that it reads any game."""
        self.id = id_
        self.faults = faults
        self.now_ns = 0
        self.rounds: list[Round] = []
        self.attend: Callable[[], None] = lambda: None
        self.tell: Callable[[], None] = lambda: None  # there is more to tell
        self._target = "burn" if burn_mode else ""
        self._passed: deque[Happening] = deque()

    def play(self) -> Iterator[Happening]:
        """What it tells; where nothing is left it may go on later all the same."""
        return self

    def __iter__(self) -> Iterator[Happening]:
        return self

    def __next__(self) -> Happening:
        if not self._passed:
            raise StopIteration
        return self._passed.popleft()

    def passes(self, cards: Iterable[Card]) -> None:
        """The dealer draws them, one after the other."""
        self.attend()
        for card in cards:
            misread = self.faults.strikes("misread", self.id, self.now_ns) is not None
            read = None if misread else card
            self._passed.append(Happening("card", CARD_NS, target=self._target, card=read))
        self.tell()
