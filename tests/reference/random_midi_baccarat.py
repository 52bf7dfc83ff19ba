"""Random valid rounds of Midi Baccarat, every variant and setting.

The hands are dealt from a shoe by the third-card rules. An honest shoe shows the rare rows too
seldom, so most shoes are stacked: the cards that make one rare situation come out first.
"""

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

from .baccarat import value
from .midi_hands import banker_draws, player_draws
from .midi_paytables import SEATS, offered
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
from .royal_9 import LEAST_MUST_HIT_RESETS, LEAST_RESETS

MAIN_WAGERS = ["player", "banker", "tie"]
BY_VALUE = {worth: [card for card in DECK if value(card) == worth] for worth in range(10)}

Printed = dict[int, list[str]]  # the king and the nine of each seat
# The cards that come first out of the shoe: Player, Banker, Player, Banker, then third cards.
Front = list[str]


def deal(shoe: list[str]) -> tuple[list[str], list[str]]:
    """The Player's and the Banker's Hand from the front of the shoe. MIDI 8.C, 10."""
    cards = iter(shoe)
    player, banker = [next(cards)], [next(cards)]
    player.append(next(cards))
    banker.append(next(cards))
    if player_draws(player, banker):
        player.append(next(cards))
    if banker_draws(player, banker):
        banker.append(next(cards))
    return player, banker


# --- what comes first out of a stacked shoe -----------------------------------------------------


def _worth(rng: random.Random, total: int) -> str:
    return rng.choice(BY_VALUE[total % 10])


def _two_worth(rng: random.Random, total: int) -> list[str]:
    first = rng.randint(0, 9)
    return [_worth(rng, first), _worth(rng, total - first)]


def _wanted(rng: random.Random) -> tuple[int, int, int, int]:
    """Totals of Player and Banker and their numbers of cards; not all can be reached."""
    two_or_three, either = rng.choice([2, 3]), rng.choice([2, 3])
    lead = rng.choice([4, 5, 6, 7, 8, 9, 9])
    low = rng.randint(0, 9 - lead)
    return rng.choice(
        [
            (7, 7, 3, 3),
            (7, 7, 2, 2),
            (9, 9, 3, 3),
            (1, 0, 3, 3),
            (9, 0, 3, 3),
            (0, 9, 3, 3),
            (8, rng.randint(0, 7), 3, 3),
            (rng.randint(0, 6), 7, 3, 3),
            (rng.randint(0, 5), 6, two_or_three, either),
            (low + lead, low, 3, either),
            (low, low + lead, either, 3),
            (rng.randint(0, 9), rng.randint(0, 9), two_or_three, either),
        ]
    )


def _totals(rng: random.Random, _printed: Printed) -> Front:
    """Hands that end with totals wanted, drawing by the rules."""
    player_total, banker_total, player_cards, banker_cards = _wanted(rng)
    front: Front = []
    for _ in range(100):  # where they cannot be reached, the last cards tried will do
        player = _two_worth(rng, player_total if player_cards == 2 else rng.randint(0, 5))
        banker = _two_worth(rng, banker_total if banker_cards == 2 else rng.randint(0, 6))
        front = [player[0], banker[0], player[1], banker[1]]
        if player_cards == 3:
            front.append(_worth(rng, player_total - sum(map(value, player))))
        if banker_cards == 3:
            front.append(_worth(rng, banker_total - sum(map(value, banker))))
        dealt = deal([*front, *DECK])
        if (len(dealt[0]), len(dealt[1])) == (player_cards, banker_cards):
            break
    return front


def _naturals(rng: random.Random, _printed: Printed) -> Front:
    """A natural against a natural or anything."""
    one = _two_worth(rng, rng.choice([8, 9]))
    other = _two_worth(rng, rng.choice([8, 9, rng.randint(0, 7)]))
    return _interleaved(rng, one, other)


def _interleaved(rng: random.Random, one: list[str], other: list[str]) -> Front:
    """Two hands of two cards as they come out of the shoe, either of them the Player's."""
    if rng.random() < 0.5:
        one, other = other, one
    return [one[0], other[0], one[1], other[1]]


def _nines(rng: random.Random, _printed: Printed) -> Front:
    """One to four nines among the first four cards, of one suit or of any."""
    suit = rng.choice([None, rng.choice(SUITS)])
    nines = ["9" + (suit or rng.choice(SUITS)) for _ in range(rng.randint(1, 4))]
    front = nines + rng.sample(DECK, 4 - len(nines))
    rng.shuffle(front)
    return front


def _pairs(rng: random.Random, _printed: Printed) -> Front:
    """A pair in one hand, or one in each; nines more often than other ranks."""
    one, other = (rng.choice([*RANKS, "9", "9", "9"]) for _ in range(2))
    pair = [one + rng.choice(SUITS) for _ in range(2)]
    second = rng.choice([rng.sample(DECK, 2), [other + rng.choice(SUITS) for _ in range(2)]])
    return _interleaved(rng, pair, second)


def _poker(rng: random.Random, _printed: Printed) -> Front:
    """A four-card poker hand, its suits repeated at times as only several decks can."""
    suit = rng.choice(SUITS)
    one, two = rng.sample(RANKS, 2)
    front = rng.choice(
        [
            [rank + suit for rank in "AKQJ"],
            [rank + suit for rank in "AKQJ"],
            [rank + rng.choice(SUITS) for rank in "AKQJ"],
            ["A" + suit, "2" + suit, "3" + suit, "4" + suit],
            [rank + suit for rank in "KA23"],
            consecutive(rng, 4, suit),
            consecutive(rng, 4, None),
            alike(rng, one, 4),
            [one + suit] * 4,
            [*alike(rng, one, 3), two + suit],
            [one + suit, one + suit, one + suit, two + suit],
            [rank + suit for rank in rng.sample(RANKS, 4)],
            [one + suit, one + suit, two + suit, two + suit],
            alike(rng, one, 2) + alike(rng, two, 2),
            [*alike(rng, "A", 2), *rng.sample(DECK, 2)],
            [*alike(rng, rng.choice("TJQK9"), 2), *rng.sample(DECK, 2)],
        ]
    )
    rng.shuffle(front)
    return front


def _royal_9s(rng: random.Random, printed: Printed) -> Front:
    """Royal 9s: printed at a seat, of the same cards in both hands, suited, or any."""
    suit = rng.choice(SUITS)
    kings_and_nines = list(printed.values()) or [["KS", "9H"]]
    one = list(rng.choice(kings_and_nines))
    other = rng.choice(
        [
            list(one),
            list(rng.choice(kings_and_nines)),
            ["K" + suit, "9" + rng.choice(SUITS)],
            [rng.choice("JQK") + suit, "9" + suit],
            [rng.choice("JQK") + rng.choice(SUITS), "9" + rng.choice(SUITS)],
            rng.sample(DECK, 2),
        ]
    )
    if rng.random() < 0.4:  # neither hand printed on purpose
        one = rng.choice(
            [
                [rng.choice("JQK") + suit, "9" + suit],
                [rng.choice("JQ") + suit, "9" + rng.choice(SUITS)],
                list(other),
            ]
        )
    rng.shuffle(one)
    rng.shuffle(other)
    return _interleaved(rng, one, other)


STACKS: list[Callable[[random.Random, Printed], Front]] = [
    _totals,
    _totals,
    _totals,
    _totals,
    _naturals,
    _nines,
    _pairs,
    _poker,
    _poker,
    _royal_9s,
    _royal_9s,
]


def _shoe(rng: random.Random, decks: int, printed: Printed) -> list[str]:
    """Enough cards for a round from the front of a shuffled or stacked shoe."""
    front = rng.choice(STACKS)(rng, printed) if rng.random() < 0.8 else []
    left = Counter(DECK * decks)
    left.subtract(front)
    return front + rng.sample(list(left.elements()), 6)


# --- rules and wagers ---------------------------------------------------------------------------


def _rules(rng: random.Random, seats: list[int]) -> dict[str, Any]:
    variant = rng.choice(["standard", "ez", "fortune_7", "no_commission", "five_treasures"])
    optional: list[Optional] = [
        ("jurisdiction", ["MD"], 0.5),
        ("variant", [variant], 1.0 if variant != "standard" else 0.5),
        ("seats", list(range(max(seats), SEATS + 1)), 0.5),
        ("decks", [6, 7, 8], 0.7),
        ("tie_pays", [8, 9, 10], 0.5),
        ("vigorish_rounding", ["up_to_quarter", "nearest_quarter", "none"], 0.8),
        ("vigorish_collection", ["at_payout", "marked"], 0.7),
        ("dragon_bonus", list("ABC"), 0.7),
        ("blazing_7s", list("AB"), 0.9 if variant == "five_treasures" else 0.0),
        ("any_pair", ["nominated_hand", "either_hand"], 0.7),
        ("lucky_nines", list("ABCD"), 0.7),
        ("lucky_6", [True, True, False], 0.7),
        ("super_6", [True, True, False], 0.7),
        ("jackpot", list("ABCDE"), 0.7),
        ("royal_9", list("ABC"), 0.6),
        ("disclosed_card", ["discard_with_next", "simulated_round"], 0.2),
        ("exposed_due_card", ["set_aside", "simulated_round"], 0.2),
        ("seat_order", ["from_dealers_right", "from_dealers_left"], 0.2),
    ]
    rules = some_of(rng, optional + EVERY_GAME)
    if "royal_9" in rules:
        rules["royal_9_reading"] = "printed_per_seat"
        rules |= some_of(rng, [("must_hit", list("abc"), 0.3)])
    return rules


def _meters(rng: random.Random, rules: dict[str, Any]) -> dict[str, dict[str, int] | int]:
    """Every meter that the rules in force can pay from."""
    least_resets = dict(LEAST_RESETS.get(rules.get("royal_9", ""), {}))
    if "must_hit" in rules:
        least_resets["must_hit"] = LEAST_MUST_HIT_RESETS[rules["must_hit"]]
    return {name: meter(rng, least) for name, least in least_resets.items()}


def _wagers(rng: random.Random, rules: dict[str, Any]) -> dict[str, int]:
    """Some of the wagers offered; Royal 9 needs one of the main wagers. MIDI 7.A(9)."""
    often = rng.choice([0.2, 0.6, 1.0])
    chosen = [wager for wager in offered(rules) if rng.random() < often]
    if not chosen or chosen == ["royal_9"] or not set(chosen) & set(MAIN_WAGERS):
        chosen = [rng.choice(MAIN_WAGERS), *chosen]
    if rng.random() < 0.1:  # no main wager at all
        chosen = [wager for wager in chosen if wager not in ("royal_9", *MAIN_WAGERS)] or ["tie"]
    return {wager: stake(rng) for wager in chosen}


def random_round(rng: random.Random) -> dict[str, Any]:
    """A valid round as `tablectl settle` takes it, without an id."""
    seats = rng.sample(range(1, SEATS + 1), rng.randint(1, SEATS))
    rules = _rules(rng, seats)
    printed: Printed = {}
    if "royal_9" in rules:
        printed = {seat: ["K" + rng.choice(SUITS), "9" + rng.choice(SUITS)] for seat in seats}
    player, banker = deal(_shoe(rng, rules.get("decks", 8), printed))
    players = []
    for seat in seats:
        empty = rng.random() < 0.05  # nobody there, but its king and nine are printed
        one: dict[str, Any] = {"seat": seat, "wagers": {} if empty else _wagers(rng, rules)}
        if seat in printed:
            one["printed_king_9"] = printed[seat]
        players.append(one)
    round_ = {
        "game": "midi_baccarat",
        "rules": rules,
        "player": player,
        "banker": banker,
        "seats": players,
    }
    if meters := _meters(rng, rules):
        round_["meters"] = meters
    return round_
