"""Whether a Three Card Baccarat round can be settled as it was given (TCB chapter 7).

Every refusal is a SettleError: one sentence that says what is wrong and what to do, with its
clause. What passes comes back as a CheckedRound, the only thing that is ever settled.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, NoReturn

from tablectl.cards import Card
from tablectl.games.hands import distinct
from tablectl.games.round_checks import (
    Offer,
    check_meters,
    check_seat,
    offer,
    refuse_repeated,
    refuse_twice,
    three_cards,
)
from tablectl.games.rules import ThreeCardBaccaratRules
from tablectl.games.settlement import Meter, SeatHand, SettleError
from tablectl.games.three_card_baccarat_hands import Hand, packed_hand

Turn = tuple[Hand, int, int, int, int]
"""One seat, checked: its hand; then its stakes, 0 for none: ante, three kings, tie, dragon."""


class CheckedRound(NamedTuple):
    """A round that can be settled; the seats stand in the order in which they were given."""

    rules: ThreeCardBaccaratRules
    turns: dict[int, Turn]
    """By seat."""
    dealer: Hand
    meters: Mapping[str, Meter]


@lru_cache(maxsize=256)
def _offered(rules: ThreeCardBaccaratRules) -> Offer:
    return offer(rules, rules.wager_clauses["ante"])


def validate_round(
    rules: ThreeCardBaccaratRules,
    dealer: Sequence[Card],
    hands: Sequence[SeatHand],
    meters: Mapping[str, Meter],
) -> CheckedRound:
    """Check a round; raises SettleError at the first thing that is wrong."""
    offered = _offered(rules)
    theirs = packed = three_cards("the dealer", dealer)
    turns: dict[int, Turn] = {}
    for seat, wagers, cards, decision in hands:
        check_seat(offered, seat, wagers)
        if "ante" not in wagers:
            named = ", ".join(wagers) or "no wager"
            needed = offered.clauses[next(iter(wagers), "ante")]
            raise SettleError(f"seat {seat} has {named} but needs an ante", needed)
        if decision is not None:
            _refuse_decision(rules, seat)
        held = three_cards(seat, cards)
        packed += held
        get = wagers.get
        stakes = (wagers["ante"], get("three_kings", 0), get("tie", 0), get("dragon", 0))
        turns[seat] = packed_hand(held), *stakes
    if distinct(packed) != 3 + 3 * len(hands):
        clause = None if rules.jurisdiction == "WA" else "TCB 3.A"
        refuse_repeated([*dealer, *(card for hand in hands for card in hand.cards)], clause)
    if len(turns) != len(hands):
        refuse_twice([hand.seat for hand in hands])
    check_meters(meters, ())
    return CheckedRound(rules, turns, packed_hand(theirs), meters)


def _refuse_decision(rules: ThreeCardBaccaratRules, seat: int) -> NoReturn:
    clause = "WA-TCB D5" if rules.jurisdiction == "WA" else "TCB 11.A"
    raise SettleError(
        f"seat {seat} has nothing to decide in this game: leave the decision out", clause
    )
