"""What the two hands of Midi Baccarat are entitled to and what they make, for tests only.

Written from MIDI 1, 7, 10 and the readings alone, like the reference settlement that uses it.
"""

from collections import Counter

from .baccarat import points, value

# --- third cards ------------------------------------------------------------------------------

# MIDI 10.E(3), "the usual table": by the points of the Player's third card, the points with which
# the Banker's Hand draws among 3, 4, 5 and 6.
BANKER_DRAWS = {
    0: {3},
    1: {3},
    2: {3, 4},
    3: {3, 4},
    4: {3, 4, 5},
    5: {3, 4, 5},
    6: {3, 4, 5, 6},
    7: {3, 4, 5, 6},
    8: set(),
    9: {3},
}


def natural(hand: list[str]) -> bool:
    """8 or 9 on the first two cards. MIDI 1.B(3)."""
    return points(hand[:2]) >= 8


def player_draws(player: list[str], banker: list[str]) -> bool:
    """Whether the Player's Hand is dealt a third card. MIDI 10.A, 10.B."""
    if natural(player) or natural(banker):
        return False
    return points(player[:2]) < 6


def banker_draws(player: list[str], banker: list[str]) -> bool:
    """Whether the Banker's Hand is dealt one, the Player's Hand being complete. MIDI 10.A, D, E."""
    if natural(player) or natural(banker):
        return False
    own = points(banker[:2])
    if len(player) == 2:
        return own <= 5
    if own < 3:
        return True
    if own == 7:
        return False
    return own in BANKER_DRAWS[value(player[2])]


# --- what the hands make ----------------------------------------------------------------------


def with_three(hand: list[str], total: int) -> bool:
    """Whether the hand has this total with three cards."""
    return len(hand) == 3 and points(hand) == total


def with_two(hand: list[str], total: int) -> bool:
    return len(hand) == 2 and points(hand) == total


def three_card_seven(player: list[str], banker: list[str]) -> bool:
    """The Banker's Hand wins with three cards and 7. MIDI 1.B(1), 7.A(11)."""
    return with_three(banker, 7) and points(player) < 7


def three_card_eight(player: list[str], banker: list[str]) -> bool:
    """The Player's Hand wins with three cards and 8. MIDI 1.B(5), 7.A(12)."""
    return with_three(player, 8) and points(banker) < 8


def one_up_row(player: list[str], banker: list[str]) -> str | None:
    if points(player) == 1 and points(banker) == 0:
        return "1 to 0"
    return "by one" if points(player) - points(banker) == 1 else None


def heavenly_9_row(player: list[str], banker: list[str]) -> str | None:
    """A three-card 9 need not win. MIDI 7.A(13)."""
    nines = [with_three(player, 9), with_three(banker, 9)]
    return {2: "both hands", 1: "one hand"}.get(sum(nines))


def blazing_7s_row(player: list[str], banker: list[str]) -> str | None:
    """Both hands 7, both with as many cards. MIDI 7.A(14)."""
    if with_three(player, 7) and with_three(banker, 7):
        return "three cards"
    if with_two(player, 7) and with_two(banker, 7):
        return "two cards"
    return None


def cover_all_row(player: list[str], banker: list[str]) -> str | None:
    """MIDI 7.A(15): whatever wins at the other four; two sevens with two cards as well."""
    covered = (
        three_card_seven(player, banker)
        or three_card_eight(player, banker)
        or heavenly_9_row(player, banker) is not None
        or blazing_7s_row(player, banker) is not None
    )
    return "covered" if covered else None


def lucky_6_row(player: list[str], banker: list[str]) -> str | None:
    if points(banker) == 6 and points(player) < 6:
        return "two cards" if len(banker) == 2 else "three cards"
    return None


def super_6_row(player: list[str], banker: list[str]) -> str | None:
    return "banker wins with 6" if points(banker) == 6 and points(player) < 6 else None


def pair_row(*hands: list[str]) -> str | None:
    """The best pair among the first two cards of each hand. MIDI 7.A(16), 12.Q."""
    paired = [hand[0][0] for hand in hands if hand[0][0] == hand[1][0]]
    if "9" in paired:
        return "nines"
    return "pair" if paired else None


def lucky_nines_row(player: list[str], banker: list[str]) -> str | None:
    """The nines among the four first cards. MIDI 7.A(17), 12.R."""
    suits = [card[1] for card in player[:2] + banker[:2] if card[0] == "9"]
    one_suit = len(set(suits)) == 1
    if len(suits) == 4:
        return "four"
    if len(suits) == 3:
        return "three of one suit" if one_suit else "three"
    if len(suits) == 2:
        return "two of one suit" if one_suit else "two"
    if len(suits) == 1:
        return "nine of diamonds" if suits == ["D"] else "one"
    return None


def jackpot_row(player: list[str], banker: list[str]) -> str | None:
    """The poker hand of both hands' first two cards, rows tried from the top. MIDI 12.M."""
    four = player[:2] + banker[:2]
    ranks = "".join(sorted((card[0] for card in four), key="A23456789TJQK".index))
    counts = sorted(Counter(ranks).values(), reverse=True)
    flush = len({card[1] for card in four}) == 1
    straight = ranks in "A23456789TJQK" or ranks == "AJQK"
    pairs = {rank for rank in ranks if ranks.count(rank) == 2}
    made = {
        "four card royal": flush and ranks == "AJQK",
        "four of a kind": counts == [4],
        "straight flush": flush and straight,
        "three of a kind": counts == [3, 1],
        "flush": flush,
        "straight": straight,
        "two pair": counts == [2, 2],
        "pair of aces": pairs == {"A"},
        "pair of tens to kings": bool(pairs & set("TJQK")),
    }
    return next((row for row, holds in made.items() if holds), None)
