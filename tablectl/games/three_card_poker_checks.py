"""Whether a Three Card Poker round can be settled as it was given (TCP chapters 7 and 11.B).

Every refusal is a SettleError: one sentence that says what is wrong and what to do, with its
clause. What passes comes back as a CheckedRound, the only thing that is ever settled.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, NoReturn

from tablectl.games import paytables
from tablectl.games.hands import PACKED, distinct
from tablectl.games.round_checks import (
    Offer,
    check_meters,
    check_seat,
    offer,
    refuse_cards,
    refuse_repeated,
    refuse_twice,
    three_cards,
)
from tablectl.games.rules import WAGERS, ThreeCardPokerRules, shown
from tablectl.games.settlement import Meter, SeatHand, SettleError

Turn = tuple[int, bool, int, int, int, int, int]
"""One seat, checked: its cards packed (0 where they have left play) and whether it folded; then its
stakes, 0 for none: ante, pair plus, progressive, six card bonus, five-card progressive."""


class CheckedRound(NamedTuple):
    """A round that can be settled; the seats stand in the order in which they were given."""

    rules: ThreeCardPokerRules
    turns: dict[int, Turn]
    """By seat."""
    dealer: int
    community: int
    meters: Mapping[str, Meter]


class _Terms(NamedTuple):
    """What the rules ask of a round, ready to be compared."""

    offered: Offer
    pair_plus_condition: str
    chips: tuple[int, ...]
    meters: frozenset[str]


@lru_cache(maxsize=256)
def _terms(rules: ThreeCardPokerRules) -> _Terms:
    figures = paytables.three_card_poker()
    return _Terms(
        offer(rules, "TCP 7.F"),
        rules.pair_plus_condition,
        figures.progressive_stakes,
        frozenset(figures.meters),
    )


def validate_round(
    rules: ThreeCardPokerRules,
    dealer: Sequence[str],
    hands: Sequence[SeatHand],
    meters: Mapping[str, Meter],
    community: Sequence[str] = (),
) -> CheckedRound:
    """Check a round; raises SettleError at the first thing that is wrong.

    Only a meter that is won but was not given shows later, when the round is settled.
    """
    terms = _terms(rules)
    shared = _community(community)
    dealer_cards = three_cards("the dealer", dealer)
    turns, packed, dealt = _check_hands(terms, hands, shared)
    if distinct(dealer_cards + shared + packed) != len(dealer) + len(community) + dealt:
        every = [*dealer, *community, *(card for hand in hands for card in hand.cards)]
        refuse_repeated(every, "TCP 3.A(1)")
    if len(turns) != len(hands):
        refuse_twice([hand.seat for hand in hands])
    check_meters(meters, terms.meters)
    return CheckedRound(rules, turns, dealer_cards, shared, meters)


def _check_hands(
    terms: _Terms, hands: Iterable[SeatHand], community: int
) -> tuple[dict[int, Turn], int, int]:
    """Check each seat by itself: the turns, all their cards packed, and how many those are."""
    offered, condition, chips, _ = terms
    turns: dict[int, Turn] = {}
    packed = dealt = 0
    for hand in hands:
        seat, wagers, cards, decision = hand
        check_seat(offered, seat, wagers)
        get, folded = wagers.get, decision == "fold"
        ante, pair_plus, six_card = get("ante", 0), get("pair_plus", 0), get("six_card_bonus", 0)
        progressive, five_card = get("progressive", 0), get("five_card_progressive", 0)
        if not ante or decision != "play" or "play" in wagers:
            _check_decision(hand)
        if condition != "free":
            _check_condition(condition, seat, ante, pair_plus)
        if progressive and progressive not in chips:
            _refuse_chip(seat, "progressive", progressive)
        if five_card and (five_card not in chips or not (community or folded)):
            _refuse_five_card(seat, five_card, chips)
        held = 0
        # Folded cards leave play (TCP 11.D(1)) and need not be known, but for a six card bonus.
        if cards or six_card or not folded:
            held = three_cards(seat, cards)
            packed += held
            dealt += 3
        turns[seat] = held, folded, ante, pair_plus, progressive, six_card, five_card
    return turns, packed, dealt


def _check_decision(hand: SeatHand) -> None:
    """Hold a seat to one decision on its ante, and a play wager to that decision (TCP 11.B)."""
    seat, wagers, _, decision = hand
    if "ante" not in wagers:
        _check_without_ante(hand)
    elif decision is None:
        raise SettleError(
            f'seat {seat} has an ante: say its decision, "play" or "fold"', "TCP 11.B"
        )
    elif decision not in ("play", "fold"):
        known = 'say "play" or "fold"'
        raise SettleError(f"seat {seat} cannot decide {shown(decision)}: {known}", "TCP 11.B")
    elif "play" in wagers and decision == "fold":
        raise SettleError(f"seat {seat} folded and has a play wager: remove one", "TCP 11.B")
    elif wagers.get("play", wagers["ante"]) != wagers["ante"]:
        both = f"a play wager of {wagers['play']} on an ante of {wagers['ante']}"
        raise SettleError(f"seat {seat} has {both}: they must be equal", "TCP 7.F(1)")


def _check_without_ante(hand: SeatHand) -> None:
    seat, wagers, _, decision = hand
    if "play" in wagers:
        raise SettleError(f"seat {seat} has a play wager without an ante: remove it", "TCP 7.F(1)")
    if "pair_plus" not in wagers:
        named = ", ".join(wagers) or "no wager"
        clause = next((WAGERS[wager] for wager in wagers), "TCP 7.F")
        raise SettleError(f"seat {seat} has {named} but needs an ante or a pair plus", clause)
    if decision is not None:
        idle = f"leave the decision {shown(decision)} out"
        raise SettleError(f"seat {seat} has no ante, so nothing to decide: {idle}", "TCP 11.B")


def _check_condition(condition: str, seat: int, ante: int, pair_plus: int) -> None:
    breach = pair_plus_breach(condition, ante, pair_plus)
    if breach is not None:
        why, clause = breach
        sums = f"an ante of {ante} and a pair plus of {pair_plus}"
        raise SettleError(f"seat {seat} has {sums}: {why}", clause)


def pair_plus_breach(condition: str, ante: int, pair_plus: int) -> tuple[str, str] | None:
    """What breaks the house's condition of a pair plus (TCP 7.G), with the clause; 0 for none."""
    if condition == "ante_at_least_equal" and ante < pair_plus:
        return "the ante must be at least as much", "TCP 7.G(1)"
    if condition == "ante_at_least_half" and 2 * ante < pair_plus:
        return "the ante must be at least half as much", "TCP 7.G(2)"
    if condition == "both_compulsory":
        times = paytables.three_card_poker().compulsory_times
        low, high = sorted((ante, pair_plus))
        if low == 0:
            return "both must be placed", times.clause
        if high > times.value * low:
            return f"neither may be more than {times.value} times the other", times.clause
    return None


def _community(cards: Sequence[str]) -> int:
    """The two community cards, packed, or 0 for none."""
    if not cards:
        return 0
    try:
        first, second = cards
        return PACKED[first] + PACKED[second]
    except (KeyError, TypeError, ValueError):
        refuse_cards("the community", cards, "exactly 2")


def _refuse_chip(seat: int, wager: str, stake: int) -> NoReturn:
    figures = paytables.three_card_poker()
    allowed = " or ".join(str(cents) for cents in figures.progressive_stakes)
    raise SettleError(
        f"seat {seat} has {wager} of {stake} cents: it must be {allowed}",
        figures.progressive_stakes_clause,
    )


def _refuse_five_card(seat: int, stake: int, chips: tuple[int, ...]) -> NoReturn:
    if stake not in chips:
        _refuse_chip(seat, "five_card_progressive", stake)
    raise SettleError(
        f"seat {seat} has a five_card_progressive wager: give the two community cards",
        "TCP 11.D(9)(c)",
    )
