"""What a card counts at baccarat, and a hand (TCB 6.B, MIDI 6). It knows no wagers."""

from collections.abc import Iterable
from typing import Final

from tablectl.cards import RANKS

VALUES: Final = {rank: min(at, 10) % 10 for at, rank in enumerate(RANKS, 1)}
"""What a card counts, by its rank."""


def points(cards: Iterable[str]) -> int:
    """The total of a hand, modulo ten; its cards are checked before they come here."""
    return sum([VALUES[card[0]] for card in cards]) % 10
