"""A second, slow and obvious settlement of Three Card Baccarat, for tests only.

It was written from the rule texts (TCB, MLGCA version 1.1, and WA-TCB, 2018) and the project's
readings of them alone, without sight of the settlement that tablectl uses. Nothing in the program
may import it. It assumes valid input and checks none of it.
"""

from typing import Any

from .baccarat import at_odds, less_vigorish, lost, points, pushed, won

# TCB 12.B-1(1)(a) and (b), to 1. Washington prints A.
THREE_KINGS = {
    "A": {"three kings": 50, "three face cards": 25, "any 9": 3, "any 8": 2},
    "B": {"three kings": 200, "three face cards": 20, "any 9": 3, "any 8": 2},
}

# TCB 12.B-2(1)(a) and (b), to 1. Washington prints A.
TIE = {
    "A": {"copy": 50, "points and faces": 10, "points": 7},
    "B": {"copy": 8, "points and faces": 8, "points": 8},
}

# TCB 12.E(1), to 1; the same in Washington.
DRAGON = {
    "win by 10": 50,
    "win by 9": 20,
    "win by 8": 10,
    "win by 7": 5,
    "win by 6": 3,
    "win by 5": 1,
}

SEATS = {"MD": 6, "WA": 7}


def offered(rules: dict[str, Any]) -> list[str]:
    """The wagers on the layout, in the order in which they are settled. TCB 11.B(2) to (10)."""
    bonuses = [wager for wager in ("three_kings", "tie", "dragon") if rules.get(wager)]
    return ["ante", *bonuses]


# --- hands ------------------------------------------------------------------------------------


def faces(cards: list[str]) -> int:
    """How many of the cards are jacks, queens or kings; a ten is none. TCB 1.B(7)."""
    return sum(card[0] in "JQK" for card in cards)


def three_kings(cards: list[str]) -> bool:
    return all(card[0] == "K" for card in cards)


def three_faces(cards: list[str]) -> bool:
    """Three face cards, three kings among them."""
    return faces(cards) == 3


def strength(cards: list[str]) -> tuple[int, int, int]:
    """Compares as the hands do. TCB 6.C."""
    if three_kings(cards):
        return (2, 0, 0)
    if three_faces(cards):
        return (1, 0, 0)
    return (0, points(cards), faces(cards))


def ten_for_faces(cards: list[str]) -> int:
    """The points, where three face cards count ten."""
    return 10 if three_faces(cards) else points(cards)


# --- settlement -------------------------------------------------------------------------------


def settle_ante(
    rules: dict[str, Any], stake: int, cards: list[str], dealer: list[str]
) -> dict[str, Any]:
    """The ante against the dealer. TCB 11.B(2), 12.A; WA-TCB, dealing procedures 7 to 9."""
    free = rules.get("commission", "five_percent") == "free"
    mine, theirs = strength(cards), strength(dealer)
    if free and mine[:2] == theirs[:2]:  # equal points: TCB 11.B(2)(d), 2.B(5)
        if faces(dealer) > faces(cards):
            return lost("ante", stake)
        return pushed("ante", stake)
    if mine == theirs:
        return pushed("ante", stake)
    if mine < theirs:
        return lost("ante", stake)
    line = won("ante", stake, "higher hand", 1)
    if free:
        return line
    return less_vigorish(line, rules.get("vigorish_rounding", "up_to_quarter"))


def three_kings_row(cards: list[str]) -> str | None:
    if three_kings(cards):
        return "three kings"
    if three_faces(cards):
        return "three face cards"
    return {9: "any 9", 8: "any 8"}.get(points(cards))


def tie_row(cards: list[str], dealer: list[str]) -> str | None:
    if ten_for_faces(cards) != ten_for_faces(dealer):
        return None
    if sorted(card[0] for card in cards) == sorted(card[0] for card in dealer):
        return "copy"
    if faces(cards) == faces(dealer):
        return "points and faces"
    return "points"


def dragon_row(rules: dict[str, Any], cards: list[str], dealer: list[str]) -> str:
    """By how many points the seat wins; a row that does not exist pays nothing."""
    if rules.get("dragon_three_face", "ten") == "ten":
        lead = ten_for_faces(cards) - ten_for_faces(dealer)
    elif three_faces(cards) and points(dealer) == 0 and not three_faces(dealer):
        lead = 10
    else:
        lead = points(cards) - points(dealer)
    return f"win by {lead}"


def settle_seat(round_: dict[str, Any], seat: dict[str, Any]) -> dict[str, Any]:
    rules, dealer = round_["rules"], round_["dealer"]
    wagers, cards = seat["wagers"], seat["cards"]
    lines = []
    if "ante" in wagers:
        lines.append(settle_ante(rules, wagers["ante"], cards, dealer))
    if "three_kings" in wagers:
        odds = THREE_KINGS[rules["three_kings"]]
        lines.append(at_odds("three_kings", wagers["three_kings"], three_kings_row(cards), odds))
    if "tie" in wagers:
        lines.append(at_odds("tie", wagers["tie"], tie_row(cards, dealer), TIE[rules["tie"]]))
    if "dragon" in wagers:
        row = dragon_row(rules, cards, dealer)
        lines.append(at_odds("dragon", wagers["dragon"], row, DRAGON))
    returned = sum(line["returned"] for line in lines)
    return {"seat": seat["seat"], "returned": returned, "lines": lines}


def settle(round_: dict[str, Any]) -> dict[str, Any]:
    """What a valid round must pay: seats as given, order of settlement, meters afterwards."""
    # TCB 11.B(2): from the dealer's far left up; WA-TCB, dealing procedure 10: right to left.
    washington = round_["rules"].get("jurisdiction", "MD") == "WA"
    return {
        "seats": [settle_seat(round_, seat) for seat in round_["seats"]],
        "order": sorted((seat["seat"] for seat in round_["seats"]), reverse=washington),
        "meters": {},
    }
