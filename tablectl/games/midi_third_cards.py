"""Midi Baccarat's two hands: points (MIDI 6), who draws a third card (MIDI 10), who won.

For the procedure at the table: `points`, `is_natural`, `player_draws`, `banker_draws`, and
`next_due`, which says after any of the cards who is due one next. All of it is looked up in the
packaged rows; nothing is decided here. Cards are checked before they come here.
"""

from collections.abc import Sequence
from functools import cache
from typing import Final, Literal, NamedTuple

from tablectl.cards import Card
from tablectl.games import paytables
from tablectl.games.baccarat_points import VALUES, points
from tablectl.games.paytables import DrawRow

Side = Literal["player", "banker"]
Winner = Literal["player", "banker", "tie"]

__all__ = [
    "Due",
    "Third",
    "banker_draws",
    "is_natural",
    "next_due",
    "player_draws",
    "points",
    "winner",
]


class Third(NamedTuple):
    """Whether a hand draws a third card, and the clause that says so."""

    draws: bool
    clause: str


class Due(NamedTuple):
    """Who gets the next card; None where both hands are complete."""

    side: Side | None
    clause: str


@cache
def _natural() -> DrawRow:
    return paytables.midi_baccarat().natural


@cache
def _player_rows() -> dict[int, Third]:
    rows = paytables.midi_baccarat().player_draws
    return {count: Third(row.draws, row.clause) for row in rows for count in row.points}


@cache
def _banker_rows() -> dict[tuple[int | None, int], Third]:
    """By the value of the player's third card, None where there is none, and the points."""
    figures = paytables.midi_baccarat()
    found: dict[tuple[int | None, int], Third] = {}
    for row in figures.banker_draws_alone:
        found |= {(None, count): Third(row.draws, row.clause) for count in row.points}
    for row in figures.banker_draws:
        for third in range(10) if row.third is None else (row.third,):
            found |= {(third, count): Third(row.draws, row.clause) for count in row.points}
    return found


def is_natural(cards: Sequence[Card]) -> bool:
    """Whether the first two cards count 8 or 9 (MIDI 1.B(3))."""
    return points(cards[:2]) in _natural().points


def player_draws(player: Sequence[Card], banker: Sequence[Card]) -> Third:
    """Whether the player's hand draws, by the first two cards of both (MIDI 10.A, 10.B)."""
    if is_natural(player) or is_natural(banker):
        return Third(False, _natural().clause)
    return _player_rows()[points(player[:2])]


def banker_draws(player: Sequence[Card], banker: Sequence[Card]) -> Third:
    """Whether the banker's hand draws (MIDI 10.A, 10.D, 10.E).

    By its first two cards and by the player's third one; with two cards the player stood.
    """
    if is_natural(player) or is_natural(banker):
        return Third(False, _natural().clause)
    third = VALUES[player[2][0]] if len(player) > 2 else None
    return _banker_rows()[third, points(banker[:2])]


_FIRST_FOUR: Final[tuple[Side, ...]] = ("player", "banker", "player", "banker")


def next_due(player: Sequence[Card], banker: Sequence[Card]) -> Due:
    """Who gets the next card, with what has been dealt so far (MIDI 8.C, 8.E, 8.F, 10)."""
    dealt = len(player) + len(banker)
    if dealt < len(_FIRST_FOUR):
        side = _FIRST_FOUR[dealt]
        return Due(side, "MIDI 8.C(1)" if side == "player" else "MIDI 8.C(2)")
    if len(player) == 2:
        third = player_draws(player, banker)
        if third.draws:
            return Due("player", third.clause)
    if len(banker) == 2:
        third = banker_draws(player, banker)
        return Due("banker" if third.draws else None, third.clause)
    return Due(None, "MIDI 9.C")


def winner(player: Sequence[Card], banker: Sequence[Card]) -> Winner:
    """Which of two complete hands has the higher count (MIDI 11.A)."""
    mine, theirs = points(player), points(banker)
    return "player" if mine > theirs else "banker" if mine < theirs else "tie"
