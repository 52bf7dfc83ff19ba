"""Random valid rounds of Three Card Poker, for comparing two settlements with each other.

Every paytable, condition, seat and decision can come up. An honest deck shows the rare rows too
seldom, so most decks are stacked: the cards of one rare situation are laid out first and the rest
of the table is dealt from what is left of the one deck. All randomness comes from the caller's
generator, so that a seed brings a round back.
"""

import random
from typing import Any

from .random_play import (
    DECK,
    EVERY_GAME,
    RANKS,
    SUITS,
    Optional,
    alike,
    consecutive,
    meter,
    some_of,
    stake,
)

PROGRESSIVE_METERS = {"A": ["main"], "B": ["main"], "C": ["major", "minor"]}
FIVE_CARD_METERS = {
    "A": ["main5"],
    "B": ["major5", "minor5"],
    "C": ["mega5", "major5", "minor5"],
}
LEAST_RESET_CENTS = 100_000  # TCP 12.E(3)(b)

# Where cards lie: a seat's number, or one of these.
DEALER = "dealer"
COMMUNITY = "community"
Layout = dict[int | str, list[str]]


def _shape(rng: random.Random, size: int) -> list[str]:
    """Cards that make some five-card hand that pays, filled up to the size by chance."""
    suit = rng.choice(SUITS)
    one, two = rng.sample(RANKS, 2)
    cards = rng.choice(
        [
            [rank + suit for rank in "AKQJT"],
            consecutive(rng, 5, suit),
            alike(rng, one, 4),
            alike(rng, one, 3) + alike(rng, two, 2),
            alike(rng, one, 3) + alike(rng, two, 3),
            [rank + suit for rank in rng.sample(RANKS, 5)],
            consecutive(rng, 5, None),
            alike(rng, one, 3),
            alike(rng, one, 2) + alike(rng, two, 2),
        ]
    )
    spare = [card for card in DECK if card not in cards]
    cards = cards[:size] + rng.sample(spare, max(0, size - len(cards)))
    rng.shuffle(cards)
    return cards


def _mini_royals(rng: random.Random, seats: list[int]) -> Layout:
    """One to four mini royals of different suits, at times one of them with the dealer."""
    places: list[int | str] = list(seats)
    if rng.random() < 0.2:
        places.append(DEALER)
    suits = rng.sample(SUITS, min(rng.randint(1, 4), len(places)))
    chosen = rng.sample(places, len(suits))
    layout: Layout = {}
    for place, suit in zip(chosen, suits, strict=True):
        layout[place] = [rank + suit for rank in "AKQ"]
    return layout


def _three_card_hand(rng: random.Random, seats: list[int]) -> Layout:
    """A straight flush, three of a kind, straight, flush or pair at a seat or with the dealer."""
    one, two = rng.sample(RANKS, 2)
    suit = rng.choice(SUITS)
    cards = rng.choice(
        [
            consecutive(rng, 3, suit),
            alike(rng, one, 3),
            consecutive(rng, 3, None),
            [rank + suit for rank in rng.sample(RANKS, 3)],
            [*alike(rng, one, 2), two + suit],
        ]
    )
    places: list[int | str] = [*seats, DEALER]
    return {rng.choice(places): cards}


def _same_ranks(rng: random.Random, seats: list[int]) -> Layout:
    """A seat and the dealer with the same ranks, or all but one: ties and kickers."""
    ranks = rng.choice([rng.sample(RANKS, 3), [rng.choice(RANKS)] * 2 + [rng.choice(RANKS)]])
    other = list(ranks)
    if rng.random() < 0.4:
        other[2] = rng.choice(RANKS)
    left = rng.sample(DECK, len(DECK))
    layout: Layout = {}
    for place, wanted in ((rng.choice(seats), ranks), (DEALER, other)):
        layout[place] = []
        for rank in wanted:
            found = [card for card in left if card[0] == rank]
            if found:  # a rank asked for more than four times runs out
                left.remove(found[0])
                layout[place].append(found[0])
    return layout


def _dealer_near_queen(rng: random.Random, _seats: list[int]) -> Layout:
    """A dealer's hand just below or just at queen high."""
    ranks = [rng.choice("JQ"), *rng.sample("23456789T", 2)]
    return {DEALER: [rank + rng.choice(SUITS) for rank in ranks]}


def _super_royal(rng: random.Random, seats: list[int]) -> Layout:
    """A-K-Q-J-10-9 of one suit, divided between a seat and the dealer."""
    suit = rng.choice(SUITS)
    cards = [rank + suit for rank in rng.sample("AKQJT9", 6)]
    return {rng.choice(seats): cards[:3], DEALER: cards[3:]}


def _six_card_hand(rng: random.Random, seats: list[int]) -> Layout:
    """A five-card hand over a seat's and the dealer's cards."""
    cards = _shape(rng, 6)
    return {rng.choice(seats): cards[:3], DEALER: cards[3:]}


def _five_card_hand(rng: random.Random, seats: list[int]) -> Layout:
    """A five-card hand over a seat's and the community cards."""
    cards = _shape(rng, 5)
    return {rng.choice(seats): cards[:3], COMMUNITY: cards[3:]}


def _five_card_royal(rng: random.Random, seats: list[int]) -> Layout:
    """A royal flush over a seat's and the community cards."""
    suit = rng.choice(SUITS)
    cards = [rank + suit for rank in rng.sample("AKQJT", 5)]
    return {rng.choice(seats): cards[:3], COMMUNITY: cards[3:]}


def _two_five_card_hands(rng: random.Random, seats: list[int]) -> Layout:
    """Two seats that win from the same meter with the same community cards."""
    if len(seats) < 2:
        return _five_card_hand(rng, seats)
    first, second = rng.sample(seats, 2)
    if rng.random() < 0.5:
        suit = rng.choice(SUITS)
        start = rng.randrange(len(RANKS) - 7)
        row = [rank + suit for rank in RANKS[start : start + 8]]
        return {first: row[:3], COMMUNITY: row[3:5], second: row[5:]}
    one, two = rng.sample(RANKS, 2)
    ones, twos = alike(rng, one, 4), alike(rng, two, 4)
    return {first: ones[:3], COMMUNITY: [ones[3], twos[3]], second: twos[:3]}


STACKS = [
    _mini_royals,
    _mini_royals,
    _three_card_hand,
    _three_card_hand,
    _same_ranks,
    _dealer_near_queen,
    _super_royal,
    _six_card_hand,
    _five_card_hand,
    _five_card_royal,
    _two_five_card_hands,
]


def _deal(rng: random.Random, seats: list[int]) -> Layout:
    """Three cards to every seat and the dealer and two in the middle, from one deck."""
    layout: Layout = {}
    if rng.random() < 0.75:
        layout = rng.choice(STACKS)(rng, seats)
    taken = [card for cards in layout.values() for card in cards]
    left = [card for card in DECK if card not in taken]
    rng.shuffle(left)
    places: list[int | str] = [*seats, DEALER, COMMUNITY]
    for place in places:
        cards = layout.setdefault(place, [])
        while len(cards) < (2 if place == COMMUNITY else 3):
            cards.append(left.pop())
        rng.shuffle(cards)
    return layout


def _rules(rng: random.Random, seats: list[int]) -> dict[str, Any]:
    """The table's rules: the two compulsory paytables, the rest offered or not."""
    rules: dict[str, Any] = {
        "ante_bonus": rng.choice(["A", "B", "C", "version"]),
        "pair_plus": rng.choice("ABCDE"),
    }
    optional: list[Optional] = [
        ("jurisdiction", ["MD"], 0.5),
        ("dealing", ["automated_shoe", "manual_shoe", "hand"], 0.5),
        ("seats", list(range(max(seats), 8)), 0.5),
        (
            "pair_plus_condition",
            ["free", "ante_at_least_equal", "ante_at_least_half", "both_compulsory"],
            0.7,
        ),
        ("adjacent_boxes", [1, max(seats)], 0.1),
        ("six_card_bonus", list("ABCDEF"), 0.8),
        ("progressive", list("ABC"), 0.8),
        ("five_card_progressive", list("ABC"), 0.8),
    ]
    return rules | some_of(rng, optional + EVERY_GAME)


def _ante_and_pair_plus(rng: random.Random, condition: str) -> dict[str, int]:
    """Ante, pair plus or both, as the condition allows. TCP 7.F(1) to (3), 7.G."""
    ante = stake(rng)
    if condition == "free":
        both = {"ante": ante, "pair_plus": stake(rng)}
        kept = rng.choice([["ante"], ["pair_plus"], ["ante", "pair_plus"], ["ante", "pair_plus"]])
        return {wager: both[wager] for wager in kept}
    lowest, highest = {
        "ante_at_least_equal": (1, ante),
        "ante_at_least_half": (1, 2 * ante),
        "both_compulsory": (-(-ante // 5), 5 * ante),
    }[condition]
    pair_plus = rng.choice([lowest, highest, rng.randint(lowest, highest)])
    if condition != "both_compulsory" and rng.random() < 0.3:
        return {"ante": ante}
    return {"ante": ante, "pair_plus": pair_plus}


def _seat(rng: random.Random, number: int, rules: dict[str, Any], layout: Layout) -> dict[str, Any]:
    """One seat's wagers, cards and, with an ante, its decision."""
    wagers = _ante_and_pair_plus(rng, rules.get("pair_plus_condition", "free"))
    if "progressive" in rules and rng.random() < 0.7:
        wagers["progressive"] = rng.choice([100, 500])
    if "six_card_bonus" in rules and rng.random() < 0.7:
        wagers["six_card_bonus"] = stake(rng)
    if "five_card_progressive" in rules and rng.random() < 0.7:
        wagers["five_card_progressive"] = rng.choice([100, 500])
    seat: dict[str, Any] = {"seat": number, "wagers": wagers, "cards": layout[number]}
    if "ante" in wagers:
        seat["decision"] = rng.choice(["play", "play", "play", "fold"])
    return seat


def _meters(rng: random.Random, rules: dict[str, Any]) -> dict[str, dict[str, int] | int]:
    """Every meter that the rules in force can pay from."""
    names = list(PROGRESSIVE_METERS.get(rules.get("progressive", ""), []))
    names += FIVE_CARD_METERS.get(rules.get("five_card_progressive", ""), [])
    return {name: meter(rng, LEAST_RESET_CENTS) for name in names}


def random_round(rng: random.Random) -> dict[str, Any]:
    """A valid round as `tablectl settle` takes it, without an id."""
    seats = sorted(rng.sample(range(1, 8), rng.randint(1, 7)))
    rules = _rules(rng, seats)
    layout = _deal(rng, seats)
    if rng.random() < 0.2:
        rng.shuffle(seats)
    round_: dict[str, Any] = {
        "game": "three_card_poker",
        "rules": rules,
        "meters": _meters(rng, rules),
        "dealer": layout[DEALER],
        "seats": [_seat(rng, number, rules, layout) for number in seats],
    }
    if any("five_card_progressive" in seat["wagers"] for seat in round_["seats"]):
        round_["community"] = layout[COMMUNITY]
    return round_
