"""A round of seven seats with every wager, settled, against evaluators that only rank its hands.

What the others are asked, with cards parsed beforehand, and nothing of wagers, dealer or paytables:

- pokerkit: RhodeIslandHoldemHand (three cards, ranked as in this game) for the dealer and each of
  the seven seats; StandardHighHand.from_game for a seat's six cards, StandardHighHand for its five;
  and the `entry` of each of these 22 hands, which names it.
- pokerkit's tables: the same through its `lookup` without hand objects; the six-card hands as the
  greatest of six entries. Its documentation advises against it; it is the fastest way in.
- phevaluator, which is C: the seven six-card and seven five-card hands. It has no three-card hands.
"""

from collections.abc import Callable
from itertools import combinations
from typing import Any, Final, NamedTuple

import phevaluator
from pokerkit import Card as KitCard
from pokerkit import RhodeIslandHoldemHand, StandardHighHand

from tablectl.games.rules import ThreeCardPokerRules, parse_rules
from tablectl.games.settlement import Meter, SeatHand
from tablectl.games.three_card_poker import (
    CheckedRound,
    round_amounts,
    settle_round,
    validate_round,
)
from tests.bench.measure import SEED, Row, Tell, Topic, best
from tests.bench.rounds import METERS, RULES, full_rounds

ROUNDS: Final = 1_000
TURNS: Final = 7

Given = tuple[ThreeCardPokerRules, list[Any], list[SeatHand], dict[str, Meter], list[Any]]


class Hands(NamedTuple):
    """The hands of one round, in one evaluator's own cards."""

    three: list[tuple[Any, ...]]
    five: list[tuple[Any, ...]]
    six: list[tuple[Any, ...]]


def hands_of(round_: dict[str, Any], parse: Callable[[str], Any]) -> Hands:
    """Eight hands of three, seven of five, seven of six."""
    parsed = {card: parse(card[0] + card[1].lower()) for card in _cards(round_)}

    def hand(*parts: list[str]) -> tuple[Any, ...]:
        return tuple(parsed[card] for part in parts for card in part)

    dealer, community = round_["dealer"], round_["community"]
    seats = [seat["cards"] for seat in round_["seats"]]
    return Hands(
        [hand(dealer), *map(hand, seats)],
        [hand(community, cards) for cards in seats],
        [hand(dealer, cards) for cards in seats],
    )


def _cards(round_: dict[str, Any]) -> list[str]:
    seats = [card for seat in round_["seats"] for card in seat["cards"]]
    return [*round_["dealer"], *round_["community"], *seats]


def by_pokerkit(rounds: list[Hands]) -> None:
    for three, five, six in rounds:
        for cards in three:
            _ = RhodeIslandHoldemHand(cards).entry
        for cards in five:
            _ = StandardHighHand(cards).entry
        for cards in six:
            _ = StandardHighHand.from_game(cards).entry


def by_pokerkit_tables(rounds: list[Hands]) -> None:
    three_entry = RhodeIslandHoldemHand.lookup.get_entry
    entry = StandardHighHand.lookup.get_entry
    for three, five, six in rounds:
        for cards in three:
            three_entry(cards)
        for cards in five:
            entry(cards)
        for cards in six:
            max(map(entry, combinations(cards, 5)))


def by_phevaluator(rounds: list[Hands]) -> None:
    evaluate = phevaluator.evaluate_cards
    for _, five, six in rounds:
        for cards in five:
            evaluate(*cards)
        for cards in six:
            evaluate(*cards)


def given(round_: dict[str, Any], rules: ThreeCardPokerRules) -> Given:
    """The round as settle_round takes it."""
    seats = [SeatHand(s["seat"], s["wagers"], s["cards"], s["decision"]) for s in round_["seats"]]
    meters = {name: Meter(meter["cents"], meter["reset"]) for name, meter in METERS.items()}
    return rules, round_["dealer"], seats, meters, round_["community"]


def amounts_of_checked(rounds: list[CheckedRound]) -> None:
    for table in rounds:
        round_amounts(table)


def amounts_of_given(rounds: list[Given]) -> None:
    for one in rounds:
        round_amounts(validate_round(*one))


def lines_of_given(rounds: list[Given]) -> None:
    for one in rounds:
        settle_round(*one)


def measure(tell: Tell) -> Topic:
    tell("dealing")
    dealt = full_rounds(SEED, ROUNDS)
    rules = parse_rules({"game": "three_card_poker", **RULES})
    assert isinstance(rules, ThreeCardPokerRules)
    rounds = [given(round_, rules) for round_ in dealt]
    checked = [validate_round(*one) for one in rounds]
    kit = [hands_of(round_, lambda card: next(KitCard.parse(card))) for round_ in dealt]
    ph = [hands_of(round_, phevaluator.Card) for round_ in dealt]
    for table, one in zip(checked, rounds, strict=True):
        lines = {seat.seat: seat.returned for seat in settle_round(*one).seats}
        assert lines == round_amounts(table), "amounts and lines must be one settlement"
    seconds = best(
        [
            lambda: amounts_of_checked(checked),
            lambda: amounts_of_given(rounds),
            lambda: lines_of_given(rounds),
            lambda: by_pokerkit(kit),
            lambda: by_pokerkit_tables(kit),
            lambda: by_phevaluator(ph),
        ],
        TURNS,
        tell,
    )
    amounts, with_checks, lines_, pokerkit, tables, phe = (ROUNDS / taken for taken in seconds)
    unit = "rounds/s"
    return Topic(
        [
            Row(f"amounts of a checked round / pokerkit, {unit}", amounts, pokerkit, ">= 20"),
            Row(f"amounts with the checks / pokerkit, {unit}", with_checks, pokerkit),
            Row(f"full lines with the checks / pokerkit, {unit}", lines_, pokerkit, ">= 5"),
            Row(f"amounts of a checked round / pokerkit's tables, {unit}", amounts, tables),
            Row(f"full lines with the checks / pokerkit's tables, {unit}", lines_, tables),
            Row(f"amounts of a checked round / phevaluator (C), {unit}", amounts, phe),
            Row(f"full lines with the checks / phevaluator (C), {unit}", lines_, phe),
        ],
        f"{ROUNDS:,} rounds of 7 seats and 35 wagers, best of {TURNS} turns",
    )
