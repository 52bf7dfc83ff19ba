"""Values that everything speaks in: cards, seats, money. No I/O, no clock, no randomness.

A card is its two ASCII characters, rank then suit ("TD"), in memory as on the wire: what a log, an
event and a test show is the same thing.
"""

from typing import Final, NewType

Card = NewType("Card", str)
Cents = NewType("Cents", int)

RANKS: Final = "A23456789TJQK"
SUITS: Final = "CDHS"
DECK: Final[tuple[Card, ...]] = tuple(Card(rank + suit) for suit in SUITS for rank in RANKS)
DECK_SIZE: Final = 52
CENTS_MAXIMUM: Final = 10**12
"""Ten billion dollars: a sum above it is a slip of the pen, and stays far below 2**53."""
_KNOWN: Final = frozenset(DECK)


class UnknownCard(ValueError):
    """The text is no card: rank A23456789TJQK, then suit CDHS."""


def parse_card(text: object) -> Card:
    """Return `text` as a card; raises UnknownCard with a sentence that says what was expected."""
    if isinstance(text, str) and text in _KNOWN:
        return Card(text)
    raise UnknownCard(
        f"{text!r} is not a card: write rank ({RANKS}) then suit ({SUITS}), for example TD"
    )


def dollars(cents: int) -> str:
    """Cents as a person reads them: 150000 -> "$1,500", 2550 -> "$25.50"."""
    whole, part = divmod(abs(cents), 100)
    sign = "-" if cents < 0 else ""
    return f"{sign}${whole:,}" + (f".{part:02d}" if part else "")
