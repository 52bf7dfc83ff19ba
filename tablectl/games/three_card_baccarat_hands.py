"""What a hand of Three Card Baccarat is, and what beats what (TCB 6, WA-TCB ranking).

Hands are looked up by their ranks, not searched. It knows no wagers, and cards are checked before
they come here.
"""

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from tablectl.cards import Card
from tablectl.games import baccarat_points
from tablectl.games.hands import RANK_ORDER, pack, ranks_of

_FACES: Final = "JQK"
TEN: Final = 10
THREE_FACES: Final = 10
THREE_KINGS: Final = 11


class Hand(NamedTuple):
    """A hand of three cards; two of the same ranks are the same object."""

    level: int
    """Its points, but THREE_FACES for three face cards and THREE_KINGS for those (TCB 6.C)."""
    faces: int
    points: int
    ranks: int

    @property
    def rank(self) -> int:
        """Its place in the ranking of TCB 6.C: higher beats lower, equal ties."""
        return self.level * 4 + self.faces

    @property
    def ten_count(self) -> int:
        """Its points, where three face cards count ten."""
        return min(self.level, TEN)


class _Hands(dict[int, Hand]):
    """Every hand by its ranks, worked out the first time that it comes: 455."""

    def __missing__(self, ranks: int) -> Hand:
        held = [rank for at, rank in enumerate(RANK_ORDER) for _ in range(ranks >> 3 * at & 0b111)]
        faces = sum(rank in _FACES for rank in held)
        points = baccarat_points.points(held)
        level = THREE_KINGS if held == ["K"] * 3 else THREE_FACES if faces == 3 else points
        hand = self[ranks] = Hand(level, faces, points, ranks)
        return hand


_HANDS: Final = _Hands()


def packed_hand(packed: int) -> Hand:
    """The hand of three cards that are packed already."""
    return _HANDS[ranks_of(packed)]


def hand_of(cards: Iterable[Card]) -> Hand:
    """The hand of three cards; raises KeyError for what is no card."""
    return packed_hand(pack(cards))


def points(cards: Iterable[Card]) -> int:
    """The plain total modulo ten (TCB 6.B)."""
    return hand_of(cards).points


def faces(cards: Iterable[Card]) -> int:
    """How many face cards; a ten is none (TCB 1.B(7))."""
    return hand_of(cards).faces


def rank(cards: Iterable[Card]) -> int:
    """The place in the ranking of TCB 6.C: higher beats lower, equal ties."""
    return hand_of(cards).rank


def winner(player: Iterable[Card], dealer: Iterable[Card]) -> Literal["player", "dealer", "tie"]:
    """Which hand ranks higher (TCB 6.C). Without commission the ante may still push."""
    mine, theirs = rank(player), rank(dealer)
    return "player" if mine > theirs else "dealer" if mine < theirs else "tie"
