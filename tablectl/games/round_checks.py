"""What every game asks of a round before it is settled, and how it says no. No game's rules here.

Every refusal is a SettleError: one sentence, what is wrong and what to do, with its clause.
"""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, NoReturn

from tablectl.cards import CENTS_MAXIMUM, RANKS, SUITS, UnknownCard, parse_card
from tablectl.games.hands import PACKED
from tablectl.games.rules import GameRules, rule_notes, shown
from tablectl.games.settlement import Meter, SettleError


class Offer(NamedTuple):
    """What a table's rules ask of every seat, ready to be compared."""

    seats: int
    seats_clause: str | None
    wagers: frozenset[str]
    clauses: Mapping[str, str]
    """Where each wager of the game is permitted."""
    wager_clause: str
    """Where the wagers of the game are listed: for one that it does not know."""
    reasons: Mapping[str, str]
    """Why a wager of the game is not offered, where it is not just left out."""


def offer(
    rules: GameRules, wager_clause: str, reasons: Mapping[str, str] = MappingProxyType({})
) -> Offer:
    """What `rules` ask of every seat."""
    clause = rule_notes(rules.game, rules.jurisdiction)["seats"].clause
    known = frozenset(rules.wagers)
    return Offer(rules.seats, clause, known, rules.wager_clauses, wager_clause, reasons)


def check_seat(offered: Offer, seat: int, wagers: Mapping[str, int]) -> None:
    """Hold a seat to the table, and each of its wagers to those that are offered, with a stake."""
    if type(seat) is not int or not 1 <= seat <= offered.seats:
        _refuse_seat(offered, seat)
    if not offered.wagers.issuperset(wagers):
        _refuse_not_offered(offered, seat, wagers)
    for stake in wagers.values():
        if type(stake) is not int or not 0 < stake <= CENTS_MAXIMUM:
            _refuse_stake(offered, seat, wagers)


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
        for cents in meter:
            if type(cents) is not int or not 0 <= cents <= CENTS_MAXIMUM:
                limits = f"an integer of cents from 0 to {CENTS_MAXIMUM}"
                raise SettleError(f"the meter {name} has {shown(cents)}: give {limits}")


def refuse_cards(whose: str, cards: Sequence[object], needed: str) -> NoReturn:
    """Say which card is none, or that there are too many or too few."""
    for card in cards:
        try:
            parse_card(card)
        except UnknownCard:
            write = f"write rank ({RANKS}) then suit ({SUITS}), for example TD"
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


def refuse_twice(seats: Sequence[int]) -> NoReturn:
    """A seat that was given twice."""
    twice = next(seat for seat in seats if seats.count(seat) > 1)
    raise SettleError(f"seat {twice} is given twice: give each seat once")


def _refuse_seat(offered: Offer, seat: object) -> NoReturn:
    numbers = f"seats are numbered 1 to {offered.seats}"
    raise SettleError(f"seat {shown(seat)} is not at this table: {numbers}", offered.seats_clause)


def _refuse_not_offered(offered: Offer, seat: int, wagers: Iterable[str]) -> NoReturn:
    wager = next(wager for wager in wagers if wager not in offered.wagers)
    named = ", ".join(wager for wager in offered.clauses if wager in offered.wagers)
    raise SettleError(
        f"seat {seat} has the wager {shown(wager)}, which these rules do not offer: "
        + offered.reasons.get(wager, f"they offer {named}"),
        offered.clauses.get(wager, offered.wager_clause),
    )


def _refuse_stake(offered: Offer, seat: int, wagers: Mapping[str, int]) -> NoReturn:
    wager, stake = next(
        (wager, stake)
        for wager, stake in wagers.items()
        if type(stake) is not int or not 0 < stake <= CENTS_MAXIMUM
    )
    limits = f"an integer of cents from 1 to {CENTS_MAXIMUM}"
    sentence = f"seat {seat} has {wager} of {shown(stake)}: give {limits}"
    raise SettleError(sentence, offered.clauses[wager])
