"""The paytables of Midi Baccarat and what puts a wager on the layout, for the reference settlement.

Copied from MIDI 12 by hand; all of them "to 1". Royal 9 has a module of its own.
"""

from typing import Any

# MIDI 12.F(1) to (3); a natural tie pushes.
DRAGON_BONUS = {
    "A": {"by 9": 30, "by 8": 10, "by 7": 6, "by 6": 4, "by 5": 2, "by 4": 1, "natural": 1},
    "B": {"by 9": 20, "by 8": 8, "by 7": 7, "by 6": 4, "by 5": 3, "by 4": 1, "natural": 1},
    "C": {"by 9": 30, "by 8": 10, "by 7": 4, "by 6": 4, "by 5": 2, "by 4": 2, "natural": 1},
}

# MIDI 12.G to J, 12.P, 12.T, 12.U: wagers with one paytable.
DRAGON_7 = {"dragon 7": 40}
PANDA_8 = {"panda 8": 25}
FORTUNE_7 = {"fortune 7": 40}
ONE_UP = {"1 to 0": 30, "by one": 9}
TREASURE_FORTUNE_7 = {"fortune 7": 40}
GOLDEN_8 = {"golden 8": 25}
HEAVENLY_9 = {"both hands": 75, "one hand": 10}
COVER_ALL = {"covered": 6}
LUCKY_6 = {"two cards": 12, "three cards": 20}
SUPER_6 = {"banker wins with 6": 15}

# MIDI 12.P.4.
BLAZING_7S = {"A": {"three cards": 400}, "B": {"three cards": 200, "two cards": 50}}

# MIDI 12.Q.
ANY_PAIR = {"nines": 12, "pair": 11}

# MIDI 12.R(1) to (4), the rows from the top.
_LUCKY_NINES_ROWS = [
    "four",
    "three of one suit",
    "three",
    "two of one suit",
    "two",
    "nine of diamonds",
    "one",
]
LUCKY_NINES = {
    letter: dict(zip(_LUCKY_NINES_ROWS, odds, strict=True))
    for letter, odds in {
        "A": (500, 250, 20, 8, 5, 2, 1),
        "B": (500, 250, 30, 12, 5, 2, 1),
        "C": (1000, 500, 35, 16, 5, 2, 1),
        "D": (2000, 500, 15, 10, 4, 2, 1),
    }.items()
}

# MIDI 12.M(1) to (5), the rows from the top; a pair of tens to kings pushes.
_JACKPOT_ROWS = [
    "four card royal",
    "four of a kind",
    "straight flush",
    "three of a kind",
    "flush",
    "straight",
    "two pair",
    "pair of aces",
]
JACKPOT = {
    letter: dict(zip(_JACKPOT_ROWS, odds, strict=True))
    for letter, odds in {
        "A": (500, 100, 50, 15, 10, 5, 4, 2),
        "B": (250, 75, 50, 15, 10, 5, 4, 2),
        "C": (300, 50, 40, 15, 10, 5, 4, 2),
        "D": (500, 100, 50, 15, 10, 6, 5, 2),
        "E": (500, 100, 50, 15, 10, 6, 4, 2),
    }.items()
}

SEATS = 9  # MIDI 2.A(1)

# Which key of the rules, or which variant, puts a wager on the layout.
_OFFERED_BY_KEY = {
    "dragon_bonus_player": "dragon_bonus",
    "dragon_bonus_banker": "dragon_bonus",
    "lucky_nines": "lucky_nines",
    "lucky_6": "lucky_6",
    "super_6": "super_6",
    "jackpot": "jackpot",
    "royal_9": "royal_9",
}
_OFFERED_BY_VARIANT = {
    "ez": ["dragon_7", "panda_8"],
    "fortune_7": ["fortune_7", "one_up"],
    "five_treasures": ["treasure_fortune_7", "golden_8", "heavenly_9", "cover_all"],
}
_OFFERED_BY_ANY_PAIR = {
    "nominated_hand": ["any_pair_player", "any_pair_banker"],
    "either_hand": ["any_pair"],
}


def offered(rules: dict[str, Any]) -> list[str]:
    """The wagers on the layout. MIDI 7.A."""
    variant = rules.get("variant", "standard")
    wagers = ["player", "banker", "tie"]
    wagers += [wager for wager, key in _OFFERED_BY_KEY.items() if rules.get(key)]
    wagers += _OFFERED_BY_VARIANT.get(variant, [])
    wagers += _OFFERED_BY_ANY_PAIR.get(rules.get("any_pair", ""), [])
    if variant == "five_treasures" and "blazing_7s" in rules:
        wagers.append("blazing_7s")
    return wagers
