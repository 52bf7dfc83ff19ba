"""Random valid rounds of Three Card Baccarat, Maryland's and Washington's.

Every setting, paytable and seat can come up. Most decks are stacked: a hand for the dealer and one
for a seat that make some row of some paytable, the rest dealt from what is left of the one deck.
"""

import random
from collections import defaultdict
from itertools import combinations
from typing import Any

from .baccarat import points
from .random_play import DECK, EVERY_GAME, Optional, some_of, stake
from .three_card_baccarat import SEATS, faces, offered

ROUNDING = ["up_to_quarter", "nearest_quarter", "none"]

# Every hand of the deck by its points and its face cards.
HANDS: dict[tuple[int, int], list[list[str]]] = defaultdict(list)
for _hand in combinations(DECK, 3):
    HANDS[points(list(_hand)), faces(list(_hand))].append(list(_hand))
PLAIN = [kind for kind in HANDS if kind[1] < 3]
THREE_FACES = (0, 3)

Pair = tuple[list[str], list[str]]  # a seat's hand and the dealer's


def _any(rng: random.Random, kind: tuple[int, int]) -> list[str]:
    return list(rng.choice(HANDS[kind]))


def _of_points(rng: random.Random, total: int) -> list[str]:
    return _any(rng, rng.choice([kind for kind in PLAIN if kind[0] == total]))


def _either(rng: random.Random, one: list[str], other: list[str]) -> Pair:
    return (one, other) if rng.random() < 0.7 else (other, one)


def _kings(rng: random.Random) -> Pair:
    """Three kings against three faces or anything."""
    kings = ["K" + suit for suit in rng.sample("CDHS", 3)]
    return _either(rng, kings, _any(rng, rng.choice([THREE_FACES, *PLAIN])))


def _faces(rng: random.Random) -> Pair:
    """Three faces against three faces, a plain zero or anything."""
    other = rng.choice([THREE_FACES, (0, rng.randint(0, 2)), rng.choice(PLAIN)])
    return _either(rng, _any(rng, THREE_FACES), _any(rng, other))


def _copy(rng: random.Random) -> Pair:
    """The same three ranks twice."""
    mine = _any(rng, rng.choice([THREE_FACES, *PLAIN]))
    theirs: list[str] = []
    for wanted in mine:
        same = [card for card in DECK if card[0] == wanted[0] and card not in mine + theirs]
        theirs += rng.sample(same, min(1, len(same)))  # three alike leave only one more
    return mine, theirs


def _same_points(rng: random.Random) -> Pair:
    """The same points, with as many or other numbers of face cards."""
    total = rng.randint(0, 9)
    return _of_points(rng, total), _of_points(rng, total)


def _true_tie(rng: random.Random) -> Pair:
    kind = rng.choice(PLAIN)
    return _any(rng, kind), _any(rng, kind)


def _lead(rng: random.Random) -> Pair:
    """A seat that is four to nine points ahead, or behind."""
    lead = rng.randint(4, 9)
    low = rng.randint(0, 9 - lead)
    return _either(rng, _of_points(rng, low + lead), _of_points(rng, low))


STACKS = [_kings, _faces, _faces, _copy, _same_points, _true_tie, _lead, _lead]


def _deal(rng: random.Random, seats: list[int]) -> tuple[dict[int, list[str]], list[str]]:
    """Three cards to every seat and to the dealer, from one deck."""
    hands: dict[int, list[str]] = {seat: [] for seat in seats}
    dealer: list[str] = []
    if rng.random() < 0.8:
        mine, theirs = rng.choice(STACKS)(rng)
        hands[rng.choice(seats)] = mine
        dealer = [card for card in theirs if card not in mine]
    taken = [card for hand in (*hands.values(), dealer) for card in hand]
    left = [card for card in DECK if card not in taken]
    rng.shuffle(left)
    for hand in (*hands.values(), dealer):
        while len(hand) < 3:
            hand.append(left.pop())
        rng.shuffle(hand)
    return hands, dealer


def _rules(rng: random.Random, jurisdiction: str, seats: list[int]) -> dict[str, Any]:
    washington = jurisdiction == "WA"
    letters = ["A"] if washington else ["A", "B"]
    optional: list[Optional] = [
        ("dealing", ["automated_shoe", "manual_shoe", "hand"], 0.5),
        ("seats", list(range(max(seats), SEATS[jurisdiction] + 1)), 0.5),
        ("commission", ["five_percent"] if washington else ["five_percent", "free"], 0.8),
        ("vigorish_rounding", ROUNDING, 0.8),
        ("three_kings", letters, 0.8),
        ("tie", letters, 0.8),
        ("dragon", [True, True, True, False], 0.8),
        ("dragon_three_face", ["ten", "ten_against_zero"], 0.7),
        ("jurisdiction", [jurisdiction], 1.0 if washington else 0.5),
        ("house_rulings", [True, False], 0.3 if washington else 0.0),
    ]
    return some_of(rng, optional + EVERY_GAME)


def _wagers(rng: random.Random, rules: dict[str, Any]) -> dict[str, int]:
    """An ante, and some of the bonus wagers that need it."""
    bonuses = [wager for wager in offered(rules)[1:] if rng.random() < 0.8]
    return {wager: stake(rng) for wager in ["ante", *bonuses]}


def random_round(rng: random.Random) -> dict[str, Any]:
    """A valid round as `tablectl settle` takes it, without an id."""
    jurisdiction = rng.choice(["MD", "MD", "WA"])
    places = range(1, SEATS[jurisdiction] + 1)
    seats = rng.sample(places, rng.randint(1, len(places)))
    rules = _rules(rng, jurisdiction, seats)
    hands, dealer = _deal(rng, seats)
    return {
        "game": "three_card_baccarat",
        "rules": rules,
        "dealer": dealer,
        "seats": [
            {"seat": seat, "wagers": _wagers(rng, rules), "cards": hands[seat]} for seat in seats
        ],
    }
