"""The demonstration's luck: now and then the deck in the shoe is stacked, so that a progressive is
seen to be won. Cards change places inside the deck only; the table and its devices know nothing.
"""

from typing import Final

from hwsim.physical import PhysicalTable
from tablectl.cards import Card

WAGER: Final = "progressive"
_FIRST, _EVERY = 2, 10  # the second round, then every tenth
_WINNER: Final = tuple(map(Card, ("AS", "KS", "QS")))  # 100 percent of the meter (TCP 12.E(1)(a))


def due(round_number: int) -> bool:
    """Whether this round is one to be lucky in."""
    return round_number % _EVERY == _FIRST


def stack(table: PhysicalTable, seats: list[int], lucky: int) -> None:
    """The lucky seat's stack of three is the winner; where a card is not there, nothing happens."""
    deck = table.shoe().deck
    if deck is None or not set(_WINNER) <= set(deck.cards):
        return
    top = len(_WINNER) * sorted(seats).index(lucky)
    for place, card in enumerate(_WINNER, top):
        found = deck.cards.index(card)
        deck.cards[place], deck.cards[found] = deck.cards[found], deck.cards[place]
