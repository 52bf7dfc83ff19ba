"""The Royal 9 progressive of Midi Baccarat in the reference settlement, for tests only.

Written from MIDI 7.A(9), 12.K, 12.L and the reading "printed_per_seat" alone: every seat has a king
and a nine printed at its place. The Must Hit meter is no business of a settlement.
"""

from typing import Any

from .meters import Meters

# MIDI 12.K(1) to (3): the rows from the highest; a meter and its percentage, or a sum in cents.
_FIXED: dict[str, tuple[str, int] | int] = {
    "both suited": 150_000,
    "both": 25_000,
    "any suited": 5_000,
    "any": 2_500,
}
ROYAL_9: dict[str, dict[str, tuple[str, int] | int]] = {
    "A": {
        "exact match": ("star", 100),
        "any two personal": ("star", 10),
        "personal on banker": ("spade", 100),
        "personal on player": ("heart", 100),
        **_FIXED,
    },
    "B": {
        "exact match": ("star", 100),
        "any two personal": ("star", 10),
        "personal on banker": ("spade", 100),
        "personal on player": ("heart", 100),
        **_FIXED,
    },
    "C": {
        "exact match": ("star", 100),
        "personal on banker": ("spade", 100),
        "personal on player": ("heart", 100),
        "identical": 500_000,
        **_FIXED,
    },
}

# MIDI 12.L(2) and (4), in cents.
LEAST_RESETS = {
    "A": {"star": 5_000_000, "spade": 35_000, "heart": 35_000},
    "B": {"star": 2_500_000, "spade": 35_000, "heart": 35_000},
    "C": {"star": 5_000_000, "spade": 45_000, "heart": 45_000},
}
# MIDI 12.O(2), in cents.
LEAST_MUST_HIT_RESETS = {"a": 25_000, "b": 10_000, "c": 10_000}


def is_royal_9(hand: list[str]) -> bool:
    """A nine and a jack, queen or king in the first two cards. MIDI 1.B(6)."""
    ranks = {card[0] for card in hand[:2]}
    return ranks in ({"9", "J"}, {"9", "Q"}, {"9", "K"})


def is_suited_royal_9(hand: list[str]) -> bool:
    return is_royal_9(hand) and hand[0][1] == hand[1][1]


def is_king_9(hand: list[str]) -> bool:
    return {card[0] for card in hand[:2]} == {"9", "K"}


def rows_made(
    own: list[str], printed: list[list[str]], player: list[str], banker: list[str]
) -> set[str]:
    """Every row of any paytable that these hands make for the seat with `own` printed."""
    first_two = {"player": set(player[:2]), "banker": set(banker[:2])}
    mine = {name for name, hand in first_two.items() if hand == set(own)}
    somebodys = {name for name, hand in first_two.items() if hand in [set(p) for p in printed]}
    royals = [hand for hand in (player, banker) if is_royal_9(hand)]
    suited = [hand for hand in (player, banker) if is_suited_royal_9(hand)]
    alike = is_king_9(player) and first_two["player"] == first_two["banker"]
    made = {
        "exact match": len(mine) == 2,
        "any two personal": len(somebodys) == 2,
        "personal on banker": mine == {"banker"},
        "personal on player": mine == {"player"},
        "identical": alike and not mine,
        "both suited": len(suited) == 2,
        "both": len(royals) == 2,
        "any suited": len(suited) >= 1,
        "any": len(royals) >= 1,
    }
    return {row for row, holds in made.items() if holds}


def settle_royal_9(round_: dict[str, Any], seat: dict[str, Any], meters: Meters) -> dict[str, Any]:
    """One award, the highest row; the stake does not come back with it. MIDI 12.K."""
    stake = seat["wagers"]["royal_9"]
    printed = [one["printed_king_9"] for one in round_["seats"] if "printed_king_9" in one]
    made = rows_made(seat["printed_king_9"], printed, round_["player"], round_["banker"])
    line = {"wager": "royal_9", "stake": stake, "outcome": "lose", "returned": 0, "vigorish": 0}
    for row, award in ROYAL_9[round_["rules"]["royal_9"]].items():
        if row in made:
            cents = award if isinstance(award, int) else meters.take(*award)
            return {**line, "outcome": "win", "returned": cents, "row": row}
    return line
