"""A round of seven seats with every wager, settled, against evaluators that only rank its hands.

What the others are asked, with cards parsed beforehand, and nothing of wagers, dealer or paytables:

- pokerkit: RhodeIslandHoldemHand (three cards, ranked as in this game) for the dealer and each of
  the seven seats; StandardHighHand.from_game for a seat's six cards, StandardHighHand for its five;
  and the `entry` of each of these 22 hands, which names it.
- pokerkit's tables: the same through its `lookup` without hand objects; the six-card hands as the
  greatest of six entries. Its documentation advises against it; it is the fastest way in.
- phevaluator, which is C: the seven six-card and seven five-card hands. It has no three-card hands.

Nobody else settles the other games: their rounds are told against those of Three Card Poker.
"""

from collections.abc import Callable
from itertools import combinations
from types import ModuleType
from typing import Any, Final, NamedTuple

import phevaluator
from pokerkit import Card as KitCard
from pokerkit import RhodeIslandHoldemHand, StandardHighHand

from tablectl.games import midi_baccarat, three_card_baccarat, three_card_poker
from tablectl.games.midi_baccarat import MidiSeat
from tablectl.games.rules import GameRules, parse_rules
from tablectl.games.settlement import Meter, SeatHand, amounts
from tests.bench.measure import SEED, Row, Tell, Topic, best
from tests.bench.rounds import RULES, full_rounds

# Short turns and many of them: the best of each is one that nobody else's work disturbed.
ROUNDS: Final = 250
TURNS: Final = 28

Given = tuple[Any, ...]
GAMES: Final[dict[str, ModuleType]] = {
    "three_card_poker": three_card_poker,
    "three_card_baccarat": three_card_baccarat,
    "midi_baccarat": midi_baccarat,
}


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


def given(round_: dict[str, Any], rules: GameRules) -> Given:
    """The round as its game's settle_round takes it."""
    meters = {name: Meter(one["cents"], one["reset"]) for name, one in round_["meters"].items()}
    if rules.game == "midi_baccarat":
        midi = [MidiSeat(s["seat"], s["wagers"], s["printed_king_9"]) for s in round_["seats"]]
        return rules, round_["player"], round_["banker"], midi, meters
    seats = [
        SeatHand(s["seat"], s["wagers"], s["cards"], s.get("decision")) for s in round_["seats"]
    ]
    community = [round_["community"]] if "community" in round_ else []
    return rules, round_["dealer"], seats, meters, *community


class Prepared:
    """One game's rounds, ready to be settled in each of the ways that are measured."""

    def __init__(self, name: str) -> None:
        self.dealt = full_rounds(SEED, ROUNDS, name)
        rules = parse_rules({"game": name, **RULES[name]})
        self.rounds = [given(round_, rules) for round_ in self.dealt]
        self.game = GAMES[name]
        self.checked = [self.game.validate_round(*one) for one in self.rounds]
        for table, one in zip(self.checked, self.rounds, strict=True):
            lines = {seat.seat: seat.returned for seat in self.game.settle_round(*one).seats}
            sums = amounts(self.game.award_round(table))
            assert lines == sums, "amounts and lines must be one settlement"

    def amounts_of_checked(self) -> None:
        award = self.game.award_round
        for table in self.checked:
            amounts(award(table))

    def amounts_of_given(self) -> None:
        validate, award = self.game.validate_round, self.game.award_round
        for one in self.rounds:
            amounts(award(validate(*one)))

    def lines_of_given(self) -> None:
        settle = self.game.settle_round
        for one in self.rounds:
            settle(*one)


def measure(tell: Tell) -> Topic:
    tell("dealing")
    poker, baccarat, midi = (Prepared(name) for name in GAMES)
    kit = [hands_of(round_, lambda card: next(KitCard.parse(card))) for round_ in poker.dealt]
    ph = [hands_of(round_, phevaluator.Card) for round_ in poker.dealt]
    seconds = best(
        [
            poker.amounts_of_checked,
            poker.amounts_of_given,
            poker.lines_of_given,
            lambda: by_pokerkit(kit),
            lambda: by_pokerkit_tables(kit),
            lambda: by_phevaluator(ph),
            baccarat.amounts_of_given,
            baccarat.lines_of_given,
            midi.amounts_of_given,
            midi.lines_of_given,
        ],
        TURNS,
        tell,
    )
    checked, sums, lines, pokerkit, tables, phe, *others = (ROUNDS / taken for taken in seconds)
    unit = "rounds/s"
    return Topic(
        [
            Row(f"amounts with the checks / pokerkit, {unit}", sums, pokerkit, ">= 20"),
            Row(f"amounts of a checked round / pokerkit, {unit}", checked, pokerkit, ">= 20"),
            Row(f"full lines with the checks / pokerkit, {unit}", lines, pokerkit, ">= 5"),
            Row(f"amounts with the checks / pokerkit's tables, {unit}", sums, tables),
            Row(f"full lines with the checks / pokerkit's tables, {unit}", lines, tables),
            Row(f"amounts with the checks / phevaluator (C), {unit}", sums, phe),
            Row(f"full lines with the checks / phevaluator (C), {unit}", lines, phe),
            Row(f"Three Card Baccarat's amounts / Three Card Poker's, {unit}", others[0], sums),
            Row(f"Three Card Baccarat's full lines / Three Card Poker's, {unit}", others[1], lines),
            Row(f"Midi Baccarat's amounts / Three Card Poker's, {unit}", others[2], sums),
            Row(f"Midi Baccarat's full lines / Three Card Poker's, {unit}", others[3], lines),
        ],
        f"{ROUNDS:,} rounds of 7 seats, best of {TURNS} turns; wagers: {_wagers(poker)}, "
        f"{_wagers(baccarat)}, {_wagers(midi)}",
    )


def _wagers(prepared: Prepared) -> int:
    return sum(len(seat["wagers"]) for seat in prepared.dealt[0]["seats"])
