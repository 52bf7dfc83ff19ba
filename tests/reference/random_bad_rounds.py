"""Random rounds that nobody can settle: a valid one with one thing wrong with it.

Each way of spoiling a round changes it in place and says whether it could (there may be no third
card to take away). What is left must be refused, whatever the game and its settings.
"""

import copy
import random
from collections.abc import Callable
from typing import Any

from .games import GAMES, Round
from .random_play import DECK

Spoiler = Callable[[random.Random, Round], bool]

NOT_CARDS: list[Any] = [
    "", "A", "1S", "10H", "XS", "AX", "as", "ASS", " AS", "SA", 7, None, True, ["AS"],
]  # fmt: skip
NOT_STAKES: list[Any] = [0, -1, -500, True, False, 10.5, 100.0, "100", None, [100], {}]
NOT_SEATS: list[Any] = [0, -1, 10, 99, True, "1", 1.0, None, [1]]
NOT_OBJECTS: list[Any] = [None, 7, "x", [], True]
NOT_LISTS: list[Any] = [None, 7, "AS", {}, True]

ALL_WAGERS = {
    "three_card_poker": {
        "ante", "pair_plus", "progressive", "six_card_bonus", "five_card_progressive",
    },
    "three_card_baccarat": {"ante", "three_kings", "tie", "dragon"},
    "midi_baccarat": {
        "player", "banker", "tie", "dragon_bonus_player", "dragon_bonus_banker", "dragon_7",
        "panda_8", "fortune_7", "one_up", "treasure_fortune_7", "golden_8", "heavenly_9",
        "blazing_7s", "cover_all", "any_pair", "any_pair_player", "any_pair_banker",
        "lucky_nines", "lucky_6", "super_6", "jackpot", "royal_9",
    },
}  # fmt: skip
# What a side wager needs at the same seat. TCP 7.F, TCB 7.E(2), MIDI 7.A(9).
BASE_WAGERS = {
    "three_card_poker": {"ante", "pair_plus"},
    "three_card_baccarat": {"ante"},
    "midi_baccarat": {"player", "banker", "tie"},
}
RULES_REFUSED: dict[str, dict[str, list[Any]]] = {
    "three_card_poker": {
        "ante_bonus": ["D", "a", 1, None, True],
        "pair_plus": ["F", "", 1, None],
        "progressive": ["D", True],
        "six_card_bonus": ["G", ["A"]],
        "five_card_progressive": ["D", 5],
        "pair_plus_condition": ["sometimes", None],
        "jurisdiction": ["WA", "NJ"],
        "seats": [0, 8, -1, True, "7", 6.5],
        "dealing": ["by_hand", None],
    },
    "three_card_baccarat": {
        "three_kings": ["C", "a", True],
        "tie": ["C", 8],
        "dragon": ["A", 1, None],
        "dragon_three_face": ["eleven", 10],
        "commission": ["none", 5, None],
        "vigorish_rounding": ["down", 25],
        "jurisdiction": ["NV", None],
        "seats": [0, 8, True, "6"],
    },
    "midi_baccarat": {
        "variant": ["super", None, 7],
        "decks": [1, 5, 9, 0, True, "8", 7.5],
        "tie_pays": [7, 0, -8, True, "8", 8.5],
        "vigorish_rounding": ["down", 25],
        "vigorish_collection": ["never", True],
        "dragon_bonus": ["D", True],
        "any_pair": [True, "A", "both"],
        "lucky_nines": ["E", True],
        "lucky_6": ["A", 1, None],
        "super_6": ["yes", 0],
        "jackpot": ["F", 1],
        "royal_9": ["D", True],
        "jurisdiction": ["WA", None],
        "seats": [0, 10, True],
    },
}
ALL_RULES = {key for keys in RULES_REFUSED.values() for key in keys}


def _any_seat(rng: random.Random, round_: Round) -> Round:
    seat: Round = rng.choice(round_["seats"])
    return seat


def _holders(round_: Round) -> list[tuple[Round, str]]:
    """Where cards stand that nothing can be settled without: a folded hand is not among them."""
    holders = [(round_, name) for name in ("dealer", "player", "banker") if name in round_]
    shown = [seat for seat in round_["seats"] if seat.get("decision") != "fold"]
    return holders + [(seat, "cards") for seat in shown if "cards" in seat]


def _hands(round_: Round) -> list[list[Any]]:
    return [holder[name] for holder, name in _holders(round_)]


# --- cards ------------------------------------------------------------------------------------


def unknown_card(rng: random.Random, round_: Round) -> bool:
    hand = rng.choice(_hands(round_))
    hand[rng.randrange(len(hand))] = rng.choice(NOT_CARDS)
    return True


def too_many_of_a_card(rng: random.Random, round_: Round) -> bool:
    """A card twice in a one-deck game. Two hands of Midi Baccarat hold six cards at most, so that
    six decks can always have dealt them."""
    hands = _hands(round_)
    if round_["game"] == "midi_baccarat" or len(hands) < 2:
        return False
    one, other = rng.sample(hands, 2)
    one[rng.randrange(len(one))] = rng.choice(other)
    return True


def wrong_number_of_cards(rng: random.Random, round_: Round) -> bool:
    hand = rng.choice(_hands(round_))
    if round_["game"] == "midi_baccarat":
        hand[:] = rng.choice([[], hand[:1], hand[:2] + rng.sample(DECK, 2)])
    else:
        hand[:] = rng.choice([[], hand[:1], hand[:-1], [*hand, rng.choice(DECK)]])
    return True


def third_card_missing_or_forbidden(rng: random.Random, round_: Round) -> bool:
    """One card more or less for a hand of two or three; the Player's may make both hands wrong."""
    if round_["game"] != "midi_baccarat":
        return False
    hand = round_[rng.choice(["player", "banker"])]
    if len(hand) == 3:
        hand.pop()
    else:
        hand.append(rng.choice(DECK))
    return True


def cards_of_a_wrong_type(rng: random.Random, round_: Round) -> bool:
    holder, name = rng.choice(_holders(round_))
    if rng.random() < 0.3:
        del holder[name]
    else:
        holder[name] = rng.choice(NOT_LISTS)
    return True


# --- wagers -----------------------------------------------------------------------------------


def wager_not_offered(rng: random.Random, round_: Round) -> bool:
    absent = sorted(
        ALL_WAGERS[round_["game"]] - set(GAMES[round_["game"]].offered(round_["rules"]))
    )
    _any_seat(rng, round_)["wagers"][rng.choice([*absent, "", "pear", "Ante"])] = 500
    return True


def not_a_stake(rng: random.Random, round_: Round) -> bool:
    wagers = _any_seat(rng, round_)["wagers"]
    if not wagers:
        return False
    wagers[rng.choice(list(wagers))] = rng.choice(NOT_STAKES)
    return True


def progressive_stake_not_allowed(rng: random.Random, round_: Round) -> bool:
    wagers = _any_seat(rng, round_)["wagers"]
    progressive = [one for one in ("progressive", "five_card_progressive") if one in wagers]
    if not progressive:
        return False
    wagers[rng.choice(progressive)] = rng.choice([1, 99, 101, 200, 499, 1000])
    return True


def side_wager_alone(rng: random.Random, round_: Round) -> bool:
    """Without the wager that it needs; in Midi Baccarat only Royal 9 needs one."""
    seat = _any_seat(rng, round_)
    base = BASE_WAGERS[round_["game"]]
    if round_["game"] == "midi_baccarat" and "royal_9" not in seat["wagers"]:
        return False
    seat["wagers"] = {wager: cents for wager, cents in seat["wagers"].items() if wager not in base}
    return bool(seat["wagers"])


def wagers_of_a_wrong_type(rng: random.Random, round_: Round) -> bool:
    _any_seat(rng, round_)["wagers"] = rng.choice(NOT_OBJECTS)
    return True


# --- seats ------------------------------------------------------------------------------------


def seat_out_of_range(rng: random.Random, round_: Round) -> bool:
    most = {"three_card_poker": 7, "three_card_baccarat": 6, "midi_baccarat": 9}[round_["game"]]
    if round_["rules"].get("jurisdiction") == "WA":
        most = 7
    beyond = round_["rules"].get("seats", most) + 1
    _any_seat(rng, round_)["seat"] = rng.choice([beyond, *NOT_SEATS])
    return True


def seat_given_twice(rng: random.Random, round_: Round) -> bool:
    if len(round_["seats"]) < 2:
        return False
    one, other = rng.sample(round_["seats"], 2)
    one["seat"] = other["seat"]
    return True


def seats_of_a_wrong_type(rng: random.Random, round_: Round) -> bool:
    if rng.random() < 0.5:
        round_["seats"] = rng.choice(NOT_LISTS)
    else:
        round_["seats"][rng.randrange(len(round_["seats"]))] = rng.choice(NOT_OBJECTS)
    return True


def part_missing(rng: random.Random, round_: Round) -> bool:
    parts = [(round_, key) for key in ("game", "rules", "seats")]
    parts += [(seat, key) for seat in round_["seats"] for key in ("seat", "wagers")]
    holder, key = rng.choice(parts)
    del holder[key]
    return True


def bad_decision(rng: random.Random, round_: Round) -> bool:
    if round_["game"] != "three_card_poker":
        return False
    seat = _any_seat(rng, round_)
    if "decision" not in seat:
        return False
    if rng.random() < 0.4:
        del seat["decision"]
    else:
        seat["decision"] = rng.choice(["", "Play", "raise", None, True, 1, ["play"]])
    return True


# --- rules and meters -------------------------------------------------------------------------


def unknown_game(rng: random.Random, round_: Round) -> bool:
    round_["game"] = rng.choice(["", "blackjack", "Midi_Baccarat", None, 7, ["midi_baccarat"]])
    return True


def rule_refused(rng: random.Random, round_: Round) -> bool:
    refused = RULES_REFUSED[round_["game"]]
    key = rng.choice(list(refused))
    round_["rules"][key] = rng.choice(refused[key])
    return True


def unknown_rule(rng: random.Random, round_: Round) -> bool:
    strangers = sorted(ALL_RULES - set(RULES_REFUSED[round_["game"]]))
    round_["rules"][rng.choice([*strangers, "paytable", ""])] = "A"
    return True


def rules_of_a_wrong_type(rng: random.Random, round_: Round) -> bool:
    round_["rules"] = rng.choice(NOT_OBJECTS)
    return True


def bad_meter(rng: random.Random, round_: Round) -> bool:
    if not round_.get("meters"):
        return False
    name = rng.choice(list(round_["meters"]))
    good = {"cents": 10_000_000, "reset": 10_000_000}
    wrong: dict[str, list[Any]] = {
        "cents": [-1, True, None, 1.5],
        "reset": [None, "x", -1],
        "pears": [1],
    }
    key = rng.choice(list(wrong))
    bad = {**good, key: rng.choice(wrong[key])}
    round_["meters"][name] = rng.choice([None, True, -1, 1.5, "100000", [], {}, bad, bad, bad])
    return True


def unknown_meter(rng: random.Random, round_: Round) -> bool:
    round_["meters"] = {**round_.get("meters", {}), rng.choice(["", "pear", "Star"]): 10_000_000}
    return True


def meter_won_but_not_given(rng: random.Random, round_: Round) -> bool:
    settle = GAMES[round_["game"]].settle
    before = settle({**round_, "seats": []})["meters"]
    after = settle(round_)["meters"]
    won = [name for name in before if after[name] != before[name]]
    if not won:
        return False
    del round_["meters"][rng.choice(won)]
    return True


def printed_king_9_wrong(rng: random.Random, round_: Round) -> bool:
    """A Royal 9 wager at a seat whose king and nine are missing or something else."""
    seat = _any_seat(rng, round_)
    if "royal_9" not in seat["wagers"]:
        return False
    wrong = [[], ["KS"], ["KS", "8H"], ["QS", "9H"], ["KS", "9H", "9H"], "KS9H", None, ["KS", 9]]
    if rng.random() < 0.3:
        del seat["printed_king_9"]
    else:
        seat["printed_king_9"] = rng.choice(wrong)
    return True


SPOILERS: list[Spoiler] = [
    unknown_card,
    too_many_of_a_card,
    wrong_number_of_cards,
    third_card_missing_or_forbidden,
    cards_of_a_wrong_type,
    wager_not_offered,
    not_a_stake,
    progressive_stake_not_allowed,
    side_wager_alone,
    wagers_of_a_wrong_type,
    seat_out_of_range,
    seat_given_twice,
    seats_of_a_wrong_type,
    part_missing,
    bad_decision,
    unknown_game,
    rule_refused,
    unknown_rule,
    rules_of_a_wrong_type,
    bad_meter,
    unknown_meter,
    meter_won_but_not_given,
    printed_king_9_wrong,
]


def spoiled(rng: random.Random, round_: Round) -> tuple[str, Round]:
    """A copy of the round with one thing wrong with it, and what that is."""
    while True:  # some spoilers fit every round, so this ends
        spoiler = rng.choice(SPOILERS)
        bad = copy.deepcopy(round_)
        if spoiler(rng, bad):
            return spoiler.__name__, bad


def not_an_object(rng: random.Random, line: str) -> str:
    """A line that is no JSON object: a good one cut short, doubled or bent, or nonsense."""
    cut = rng.randint(1, len(line) - 1)
    bent = [line[:cut], line[cut:], line + line, line.replace(":", "=", 1), f"[{line}]"]
    nonsense = ["null", "7", '"round"', "[]", "nonsense", "{", "}", "[" * 5000, "\x00", "\ufeff"]
    return rng.choice(bent + nonsense)
