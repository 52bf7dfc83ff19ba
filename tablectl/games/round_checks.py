"""What every game asks of a round before it is settled, and how it says no. No game's rules here.

Every refusal is a SettleError: one sentence, what is wrong and what to do, with its clause.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NoReturn

from tablectl.cards import UnknownCard, parse_card
from tablectl.games.hands import PACKED
from tablectl.games.rule_notes import shown
from tablectl.games.settlement import Meter, SettleError

CENTS_MAXIMUM: Final = 10**12
"""Ten billion dollars: a sum above it is a slip of the pen, whatever the limits of the table."""


def is_money(cents: object) -> bool:
    """Whether `cents` is a sum that a meter may show."""
    return type(cents) is int and 0 <= cents <= CENTS_MAXIMUM


def three_cards(whose: str | int, cards: Sequence[str]) -> int:
    """Three cards, packed; `whose` is a seat, or the dealer."""
    try:
        first, second, third = cards
        return PACKED[first] + PACKED[second] + PACKED[third]
    except (KeyError, TypeError, ValueError):
        refuse_cards(f"seat {whose}" if isinstance(whose, int) else whose, cards, "exactly 3")


def check_meters(meters: Mapping[str, Meter], known: Iterable[str]) -> None:
    """Hold the meters given to those of the game, and to sums that can be."""
    for name, meter in meters.items():
        if name not in known:
            names = ", ".join(sorted(known))
            have = f"the meters are {names}" if names else "it has no meters"
            raise SettleError(f"{shown(name)} is no meter of this game: {have}")
        for value in meter:
            if not is_money(value):
                limits = f"an integer of cents from 0 to {CENTS_MAXIMUM}"
                raise SettleError(f"the meter {name} has {shown(value)}: give {limits}")


def refuse_cards(whose: str, cards: Sequence[object], needed: str) -> NoReturn:
    """Say which card is none, or that there are too many or too few."""
    for card in cards:
        try:
            parse_card(card)
        except UnknownCard:
            write = "write rank (A23456789TJQK) then suit (CDHS), for example TD"
            raise SettleError(f"{whose} has {shown(card)}, which is not a card: {write}") from None
    counted = f"{len(cards)} card{'' if len(cards) == 1 else 's'}"
    raise SettleError(f"{whose} has {counted}: give {needed}")


def refuse_repeated(cards: Iterable[str], clause: str | None) -> NoReturn:
    """Name the card that comes twice in a game of one deck."""
    seen: set[str] = set()
    for card in cards:
        if card in seen:
            raise SettleError(
                f"{card} appears twice, and the game is played with one deck: correct the cards",
                clause,
            )
        seen.add(card)
    raise AssertionError("cards counted as repeated, but all are distinct")


def refuse_seat(seat: object, seats: int, clause: str | None) -> NoReturn:
    """A seat that the table does not have."""
    numbers = f"seats are numbered 1 to {seats}"
    raise SettleError(f"seat {shown(seat)} is not at this table: {numbers}", clause)


def refuse_twice(seats: Sequence[int]) -> NoReturn:
    """A seat that was given twice."""
    twice = next(seat for seat in seats if seats.count(seat) > 1)
    raise SettleError(f"seat {twice} is given twice: give each seat once")


def refuse_not_offered(
    seat: int, wagers: Iterable[str], offered: Sequence[str], clauses: Mapping[str, str], game: str
) -> NoReturn:
    """A wager that these rules do not offer; `game` is the clause for one that no rules know."""
    wager = next(wager for wager in wagers if wager not in offered)
    raise SettleError(
        f"seat {seat} has the wager {shown(wager)}, which these rules do not offer: "
        f"they offer {', '.join(offered)}",
        clauses.get(wager, game),
    )


def refuse_stake(seat: int, wagers: Mapping[str, int], clauses: Mapping[str, str]) -> NoReturn:
    """A stake that is no amount of money, or none."""
    wager = next(w for w, stake in wagers.items() if not is_money(stake) or stake == 0)
    limits = f"an integer of cents from 1 to {CENTS_MAXIMUM}"
    sentence = f"seat {seat} has {wager} of {shown(wagers[wager])}: give {limits}"
    raise SettleError(sentence, clauses[wager])
