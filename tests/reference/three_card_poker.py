"""A second, slow and obvious settlement of Three Card Poker, for tests only.

It was written from the rule text (TCP, MLGCA version 1.4) and the project's readings of it alone,
without sight of the settlement that tablectl uses, so that an error would have to be made twice to
go unseen. Nothing in the program may import it. It assumes valid input and checks none of it.
"""

from collections import Counter
from itertools import combinations
from typing import Any

from .meters import Meters

RANKS = "23456789TJQKA"
SUITS = "CDHS"

# ---------------------------------------------------------------------------------------------
# Paytables. "to 1" tables leave the stake with the player, "for 1" tables include it.
# ---------------------------------------------------------------------------------------------

# TCP 12.B(1) to (3), and 12.C for "version"; on the ante, to 1.
ANTE_BONUS = {
    "A": {"straight flush": 5, "three of a kind": 4, "straight": 1},
    "B": {"straight flush": 5, "three of a kind": 3, "straight": 1},
    "C": {"straight flush": 4, "three of a kind": 3, "straight": 1},
    "version": {"mini royal": 50, "straight flush": 8, "three of a kind": 6},
}

# TCP 12.D(1) to (5), to 1.
PAIR_PLUS = {
    "A": {"straight flush": 35, "three of a kind": 25, "straight": 6, "flush": 4, "pair": 1},
    "B": {"straight flush": 40, "three of a kind": 30, "straight": 5, "flush": 4, "pair": 1},
    "C": {"straight flush": 40, "three of a kind": 30, "straight": 6, "flush": 3, "pair": 1},
    "D": {"straight flush": 40, "three of a kind": 30, "straight": 6, "flush": 4, "pair": 1},
    "E": {"straight flush": 40, "three of a kind": 25, "straight": 6, "flush": 4, "pair": 1},
}

# TCP 12.E(1)(a) to (c), for 1. The meters stand in PROGRESSIVE_METERS.
PROGRESSIVE = {
    "A": {"mini royal": 500, "straight flush": 70, "three of a kind": 60, "straight": 6},
    "B": {"mini royal": 500, "straight flush": 100, "three of a kind": 90},
    "C": {"straight flush": 70, "three of a kind": 60, "straight": 6},
}
PROGRESSIVE_METERS = {
    "A": {"mini royal of spades": "main"},
    "B": {"mini royal of spades": "main"},
    "C": {"mini royal of spades": "major", "mini royal": "minor"},
}

# TCP 12.E(5): by the receiver's own progressive stake; spades, other suits; cents.
ENVY = {100: {"spades": 10_000, "other": 2_500}, 500: {"spades": 50_000, "other": 12_500}}

# TCP 12.F(1) to (6), to 1.
SIX_CARD_BONUS = {
    "A": {
        "royal flush": 1000,
        "straight flush": 200,
        "four of a kind": 50,
        "full house": 20,
        "flush": 15,
        "straight": 10,
        "three of a kind": 5,
    },
    "B": {
        "royal flush": 1000,
        "straight flush": 200,
        "four of a kind": 50,
        "full house": 20,
        "flush": 15,
        "straight": 10,
        "three of a kind": 5,
    },
    "C": {
        "royal flush": 1000,
        "straight flush": 200,
        "four of a kind": 50,
        "full house": 25,
        "flush": 20,
        "straight": 10,
        "three of a kind": 5,
    },
    "D": {
        "royal flush": 1000,
        "straight flush": 200,
        "four of a kind": 100,
        "full house": 20,
        "flush": 15,
        "straight": 9,
        "three of a kind": 8,
    },
    "E": {
        "royal flush": 1000,
        "straight flush": 200,
        "four of a kind": 100,
        "full house": 20,
        "flush": 15,
        "straight": 10,
        "three of a kind": 7,
    },
    "F": {
        "royal flush": 1000,
        "straight flush": 200,
        "four of a kind": 50,
        "full house": 25,
        "flush": 15,
        "straight": 10,
        "three of a kind": 5,
    },
}

# TCP 12.F(1)(a), (b) and 12.F(2)(a): fixed sums in cents, by suit, whatever the stake.
SUPER_ROYAL = {
    "A": {"D": 100_000_000, "H": 10_000_000, "S": 10_000_000, "C": 10_000_000},
    "B": {"D": 10_000_000, "H": 10_000_000, "S": 10_000_000, "C": 10_000_000},
}

# TCP 12.G(1) to (3), for 1; the rows that pay from a meter stand in FIVE_CARD_METERS with the
# percentage of the meter.
FIVE_CARD = {
    "A": {
        "four of a kind": 300,
        "full house": 50,
        "flush": 40,
        "straight": 30,
        "three of a kind": 9,
    },
    "B": {
        "four of a kind": 300,
        "full house": 50,
        "flush": 40,
        "straight": 30,
        "three of a kind": 9,
    },
    "C": {"full house": 50, "flush": 40, "straight": 30, "three of a kind": 9},
}
FIVE_CARD_METERS = {
    "A": {"royal flush": ("main5", 100), "straight flush": ("main5", 10)},
    "B": {"royal flush": ("major5", 100), "straight flush": ("minor5", 100)},
    "C": {
        "royal flush": ("mega5", 100),
        "straight flush": ("major5", 100),
        "four of a kind": ("minor5", 100),
    },
}

MINIMUM_RESET_CENTS = 100_000  # TCP 12.E(3)(b)


def offered(rules: dict[str, Any]) -> list[str]:
    """The wagers that a player may place; the play wager follows from the decision. TCP 7."""
    keys = ("pair_plus", "progressive", "six_card_bonus", "five_card_progressive")
    return ["ante", *(key for key in keys if key in rules)]


# ---------------------------------------------------------------------------------------------
# Hands
# ---------------------------------------------------------------------------------------------

# From the lowest to the highest: TCP 6.D and 6.F.
THREE_CARD_NAMES = ["high card", "pair", "flush", "straight", "three of a kind", "straight flush"]
FIVE_CARD_NAMES = [
    "nothing",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
    "royal flush",
]


def values(cards: list[str]) -> list[int]:
    """The ranks of the cards as numbers from 2 to 14 (ace), highest first. TCP 6.A."""
    return sorted((RANKS.index(card[0]) + 2 for card in cards), reverse=True)


def one_suit(cards: list[str]) -> bool:
    """Whether all the cards are of the same suit."""
    return len({card[1] for card in cards}) == 1


def straight_top(cards: list[str]) -> int:
    """The highest value of the straight that all the cards make, or 0. TCP 6.B.

    An ace below a two counts one, so that the lowest straight has its 3 (or 5) at the top.
    """
    high = values(cards)
    low = sorted((1 if value == 14 else value for value in high), reverse=True)
    for ordered in (high, low):
        wanted = [ordered[0] - step for step in range(len(cards))]
        if ordered == wanted:
            return ordered[0]
    return 0


def three_card_name(cards: list[str]) -> str:
    """The name of a three-card hand. TCP 6.D."""
    counts = sorted(Counter(values(cards)).values())
    if one_suit(cards) and straight_top(cards):
        return "straight flush"
    if counts == [3]:
        return "three of a kind"
    if straight_top(cards):
        return "straight"
    if one_suit(cards):
        return "flush"
    if counts == [1, 2]:
        return "pair"
    return "high card"


def three_card_strength(cards: list[str]) -> list[int]:
    """A list that compares as the hands do: rank, its own order within the rank, kickers."""
    name = three_card_name(cards)
    strength = [THREE_CARD_NAMES.index(name)]
    if name in ("straight flush", "straight"):
        return [*strength, straight_top(cards)]
    if name == "pair":
        counts = Counter(values(cards))
        paired = [value for value in counts if counts[value] == 2]
        kicker = [value for value in counts if counts[value] == 1]
        return strength + paired + kicker
    return strength + values(cards)


def mini_royal_suit(cards: list[str]) -> str | None:
    """The suit of an ace, king and queen of one suit, or None. TCP 1.B(3)."""
    for suit in SUITS:
        if set(cards) == {"A" + suit, "K" + suit, "Q" + suit}:
            return suit
    return None


def dealer_plays(cards: list[str]) -> bool:
    """Queen high or better. TCP 11.D(3)(c) and (d)."""
    return three_card_name(cards) != "high card" or values(cards)[0] >= 12


def five_card_name(cards: list[str]) -> str:
    """The name of a five-card hand. TCP 6.F and 6.G; two pair and less are nothing."""
    counts = sorted(Counter(values(cards)).values())
    if one_suit(cards) and values(cards) == [14, 13, 12, 11, 10]:
        return "royal flush"
    if one_suit(cards) and straight_top(cards):
        return "straight flush"
    if counts == [1, 4]:
        return "four of a kind"
    if counts == [2, 3]:
        return "full house"
    if one_suit(cards):
        return "flush"
    if straight_top(cards):
        return "straight"
    if counts == [1, 1, 3]:
        return "three of a kind"
    return "nothing"


def best_five_of_six(cards: list[str]) -> str:
    """The name of the best five-card hand among six cards. TCP 11.D(8)(b)."""
    names = [five_card_name(list(five)) for five in combinations(cards, 5)]
    return max(names, key=FIVE_CARD_NAMES.index)


def super_royal_suit(cards: list[str]) -> str | None:
    """The suit of A-K-Q-J-10-9 of one suit over six cards, or None. TCP 6.F(8)."""
    for suit in SUITS:
        if set(cards) == {rank + suit for rank in "AKQJT9"}:
            return suit
    return None


# ---------------------------------------------------------------------------------------------
# Settlement
# ---------------------------------------------------------------------------------------------


def line(wager: str, stake: int, outcome: str, returned: int) -> dict[str, Any]:
    """One line of a seat's settlement."""
    return {"wager": wager, "stake": stake, "outcome": outcome, "returned": returned}


def settle_ante_and_play(ante: int, cards: list[str], dealer: list[str]) -> list[dict[str, Any]]:
    """Ante and play of a seat that has made the play wager. TCP 11.D(3), 12.A."""
    if not dealer_plays(dealer):
        return [line("ante", ante, "win", 2 * ante), line("play", ante, "push", ante)]
    mine = three_card_strength(cards)
    theirs = three_card_strength(dealer)
    if mine > theirs:
        outcome, returned = "win", 2 * ante
    elif mine < theirs:
        outcome, returned = "lose", 0
    else:
        outcome, returned = "push", ante
    return [line("ante", ante, outcome, returned), line("play", ante, outcome, returned)]


def settle_ante(round_: dict[str, Any], seat: dict[str, Any]) -> list[dict[str, Any]]:
    """Ante, play and ante bonus of a seat with an ante. TCP 11.B, 11.D(3), 12.B."""
    ante, cards = seat["wagers"]["ante"], seat["cards"]
    if seat["decision"] == "fold":
        return [line("ante", ante, "forfeit", 0)]
    lines = settle_ante_and_play(ante, cards, round_["dealer"])
    bonus = ante_bonus_cents(ante, cards, round_["rules"]["ante_bonus"])
    if bonus > 0:
        lines.append(line("ante_bonus", 0, "win", bonus))
    return lines


def ante_bonus_cents(ante: int, cards: list[str], paytable: str) -> int:
    """The bonus on the ante, 0 for none. TCP 12.B, 12.C."""
    odds = ANTE_BONUS[paytable]
    if mini_royal_suit(cards) and "mini royal" in odds:
        return odds["mini royal"] * ante
    return odds.get(three_card_name(cards), 0) * ante


def pair_plus_cents(stake: int, cards: list[str], paytable: str) -> int:
    """All that comes back for a pair plus wager in play, 0 for a loss. TCP 12.D."""
    odds = PAIR_PLUS[paytable]
    name = three_card_name(cards)
    if name not in odds:
        return 0
    return stake + odds[name] * stake


def progressive_cents(stake: int, cards: list[str], paytable: str, meters: Meters) -> int:
    """All that comes back for a three-card progressive wager in play. TCP 12.E(1)."""
    name = three_card_name(cards)
    if mini_royal_suit(cards):
        name = "mini royal"
    if mini_royal_suit(cards) == "S":
        name = "mini royal of spades"
    if name in PROGRESSIVE_METERS[paytable]:
        return meters.take(PROGRESSIVE_METERS[paytable][name], 100)
    return PROGRESSIVE[paytable].get(name, 0) * stake


def envy_lines(seat: dict[str, Any], all_seats: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One line for each other seat's mini royal that is still in play. TCP 11.D(7)(e), 12.E(5)."""
    lines = []
    amounts = ENVY[seat["wagers"]["progressive"]]
    for other in sorted(all_seats, key=lambda one: int(one["seat"])):
        if other["seat"] == seat["seat"] or other.get("decision") == "fold":
            continue
        suit = mini_royal_suit(other["cards"])
        if suit == "S":
            lines.append(line("envy_bonus", 0, "win", amounts["spades"]))
        elif suit is not None:
            lines.append(line("envy_bonus", 0, "win", amounts["other"]))
    return lines


def six_card_cents(stake: int, six_cards: list[str], paytable: str) -> int:
    """All that comes back for a six card bonus wager. TCP 11.D(8), 12.F."""
    suit = super_royal_suit(six_cards)
    if suit is not None and paytable in SUPER_ROYAL:
        return stake + SUPER_ROYAL[paytable][suit]
    odds = SIX_CARD_BONUS[paytable]
    name = best_five_of_six(six_cards)
    if name not in odds:
        return 0
    return stake + odds[name] * stake


def five_card_cents(stake: int, five_cards: list[str], paytable: str, meters: Meters) -> int:
    """All that comes back for a five-card progressive wager in play. TCP 11.D(9), 12.G."""
    name = five_card_name(five_cards)
    if name in FIVE_CARD_METERS[paytable]:
        meter, percent = FIVE_CARD_METERS[paytable][name]
        return meters.take(meter, percent)
    return FIVE_CARD[paytable].get(name, 0) * stake


def settle_seat(round_: dict[str, Any], seat: dict[str, Any], meters: Meters) -> dict[str, Any]:
    """Settle one seat when its turn has come; the meters change as they are won."""
    rules, wagers, cards = round_["rules"], seat["wagers"], seat["cards"]
    folded = "ante" in wagers and seat["decision"] == "fold"
    lines: list[dict[str, Any]] = []

    def win_or_lose(wager: str, returned: int) -> None:
        outcome = "win" if returned > 0 else "lose"
        lines.append(line(wager, wagers[wager], outcome, returned))

    def forfeit(wager: str) -> None:
        lines.append(line(wager, wagers[wager], "forfeit", 0))

    if "ante" in wagers:
        lines.extend(settle_ante(round_, seat))
    if "pair_plus" in wagers:
        if folded:
            forfeit("pair_plus")  # TCP 11.C(1)
        else:
            paid = pair_plus_cents(wagers["pair_plus"], cards, rules["pair_plus"])
            win_or_lose("pair_plus", paid)
    if "progressive" in wagers:
        if folded:
            forfeit("progressive")  # TCP 11.C(2)
        else:
            stake = wagers["progressive"]
            paid = progressive_cents(stake, cards, rules["progressive"], meters)
            win_or_lose("progressive", paid)
        lines.extend(envy_lines(seat, round_["seats"]))  # TCP 11.C(2): after a fold too
    if "six_card_bonus" in wagers:  # TCP 11.C(3): after a fold too
        paid = six_card_cents(
            wagers["six_card_bonus"], cards + round_["dealer"], rules["six_card_bonus"]
        )
        win_or_lose("six_card_bonus", paid)
    if "five_card_progressive" in wagers:
        if folded:
            forfeit("five_card_progressive")  # TCP 11.C(2)
        else:
            five = cards + round_["community"]
            stake = wagers["five_card_progressive"]
            paid = five_card_cents(stake, five, rules["five_card_progressive"], meters)
            win_or_lose("five_card_progressive", paid)

    returned = sum(one["returned"] for one in lines)
    return {"seat": seat["seat"], "returned": returned, "lines": lines}


def settle(round_: dict[str, Any]) -> dict[str, Any]:
    """What a valid round must pay: seats as given, order of settlement, meters afterwards."""
    given = round_.get("meters", {})
    meters = Meters(given, dict.fromkeys(given, MINIMUM_RESET_CENTS))
    # TCP 11.D(3): from the dealer's far right, which is the highest seat, down.
    order = sorted((seat["seat"] for seat in round_["seats"]), reverse=True)
    settled = {}
    for number in order:
        for seat in round_["seats"]:
            if seat["seat"] == number:
                settled[number] = settle_seat(round_, seat, meters)
    return {
        "seats": [settled[seat["seat"]] for seat in round_["seats"]],
        "order": order,
        "meters": meters.cents,
    }
