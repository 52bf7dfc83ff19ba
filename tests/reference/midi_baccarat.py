"""A second, slow and obvious settlement of Midi Baccarat, for tests only.

It was written from the rule text (MIDI, MLGCA version 1.11) and the project's readings of it alone,
without sight of the settlement that tablectl uses. Nothing in the program may import it. It assumes
valid input and checks none of it.
"""

from fractions import Fraction
from typing import Any

from . import midi_hands as made
from . import midi_paytables as pays
from .baccarat import at_odds, less_vigorish, lost, points, pushed, won
from .meters import Meters
from .royal_9 import LEAST_MUST_HIT_RESETS, LEAST_RESETS, settle_royal_9


def settle_player(stake: int, player: list[str], banker: list[str]) -> dict[str, Any]:
    """MIDI 7.A(2), 12.A. A three-card 7 that beats the Player's Hand is higher anyway."""
    if points(player) == points(banker):
        return pushed("player", stake)
    if points(player) < points(banker):
        return lost("player", stake)
    return won("player", stake, "higher", 1)


def settle_banker(
    rules: dict[str, Any], stake: int, player: list[str], banker: list[str]
) -> dict[str, Any]:
    """MIDI 7.A(1), 12.C, 12.D, 12.S."""
    variant = rules.get("variant", "standard")
    if points(player) == points(banker):
        return pushed("banker", stake)
    if points(banker) < points(player):
        return lost("banker", stake)
    if variant in ("ez", "fortune_7"):
        if made.three_card_seven(player, banker):
            return pushed("banker", stake, "three-card 7")
        return won("banker", stake, "higher", 1)
    if variant == "no_commission":
        if points(banker) == 6:
            return won("banker", stake, "with 6", Fraction(1, 2))
        return won("banker", stake, "higher", 1)
    marked = rules.get("vigorish_collection", "at_payout") == "marked"
    rounding = rules.get("vigorish_rounding", "up_to_quarter")
    return less_vigorish(won("banker", stake, "higher", 1), rounding, marked)


def settle_tie(
    rules: dict[str, Any], stake: int, player: list[str], banker: list[str]
) -> dict[str, Any]:
    """MIDI 7.A(3), 12.B."""
    if points(player) != points(banker):
        return lost("tie", stake)
    return won("tie", stake, "tie", rules.get("tie_pays", 8))


def settle_dragon_bonus(
    wager: str, odds: dict[str, int], stake: int, selected: list[str], other: list[str]
) -> dict[str, Any]:
    """MIDI 7.A(4), 12.F. A natural is paid as one, however large its lead."""
    lead = points(selected) - points(other)
    if made.natural(selected):
        if made.natural(other) and lead == 0:
            return pushed(wager, stake, "natural tie")
        return won(wager, stake, "natural", odds["natural"]) if lead > 0 else lost(wager, stake)
    return at_odds(wager, stake, f"by {lead}", odds)


def settle_jackpot(
    rules: dict[str, Any], stake: int, player: list[str], banker: list[str]
) -> dict[str, Any]:
    row = made.jackpot_row(player, banker)
    if row == "pair of tens to kings":
        return pushed("jackpot", stake, row)
    return at_odds("jackpot", stake, row, pays.JACKPOT[rules["jackpot"]])


def settle_wager(round_: dict[str, Any], wager: str, stake: int) -> dict[str, Any]:
    """Any wager but Royal 9: it depends on the two hands alone, not on the seat."""
    rules, player, banker = round_["rules"], round_["player"], round_["banker"]
    if wager == "player":
        return settle_player(stake, player, banker)
    if wager == "banker":
        return settle_banker(rules, stake, player, banker)
    if wager == "tie":
        return settle_tie(rules, stake, player, banker)
    if wager == "dragon_bonus_player":
        odds = pays.DRAGON_BONUS[rules["dragon_bonus"]]
        return settle_dragon_bonus(wager, odds, stake, player, banker)
    if wager == "dragon_bonus_banker":
        odds = pays.DRAGON_BONUS[rules["dragon_bonus"]]
        return settle_dragon_bonus(wager, odds, stake, banker, player)
    if wager == "jackpot":
        return settle_jackpot(rules, stake, player, banker)
    row, odds = row_and_odds(round_, wager)
    return at_odds(wager, stake, row, odds)


def row_and_odds(round_: dict[str, Any], wager: str) -> tuple[str | None, dict[str, int]]:
    """The row that the hands make for a side wager, and the paytable in force."""
    rules, player, banker = round_["rules"], round_["player"], round_["banker"]
    seven = made.three_card_seven(player, banker)
    eight = made.three_card_eight(player, banker)
    plain: dict[str, tuple[str | None, dict[str, int]]] = {
        "dragon_7": ("dragon 7" if seven else None, pays.DRAGON_7),
        "panda_8": ("panda 8" if eight else None, pays.PANDA_8),
        "fortune_7": ("fortune 7" if seven else None, pays.FORTUNE_7),
        "one_up": (made.one_up_row(player, banker), pays.ONE_UP),
        "treasure_fortune_7": ("fortune 7" if seven else None, pays.TREASURE_FORTUNE_7),
        "golden_8": ("golden 8" if eight else None, pays.GOLDEN_8),
        "heavenly_9": (made.heavenly_9_row(player, banker), pays.HEAVENLY_9),
        "cover_all": (made.cover_all_row(player, banker), pays.COVER_ALL),
        "any_pair": (made.pair_row(player, banker), pays.ANY_PAIR),
        "any_pair_player": (made.pair_row(player), pays.ANY_PAIR),
        "any_pair_banker": (made.pair_row(banker), pays.ANY_PAIR),
        "lucky_6": (made.lucky_6_row(player, banker), pays.LUCKY_6),
        "super_6": (made.super_6_row(player, banker), pays.SUPER_6),
    }
    if wager == "blazing_7s":
        return made.blazing_7s_row(player, banker), pays.BLAZING_7S[rules["blazing_7s"]]
    if wager == "lucky_nines":
        return made.lucky_nines_row(player, banker), pays.LUCKY_NINES[rules["lucky_nines"]]
    return plain[wager]


def settle_seat(round_: dict[str, Any], seat: dict[str, Any], meters: Meters) -> dict[str, Any]:
    """Settle one seat when its turn has come; the meters change as they are won."""
    lines = []
    for wager, stake in seat["wagers"].items():
        if wager == "royal_9":
            lines.append(settle_royal_9(round_, seat, meters))
        else:
            lines.append(settle_wager(round_, wager, stake))
    returned = sum(line["returned"] for line in lines)
    return {"seat": seat["seat"], "returned": returned, "lines": lines}


def settle(round_: dict[str, Any]) -> dict[str, Any]:
    """What a valid round must pay: seats as given, order of payment, meters afterwards."""
    rules = round_["rules"]
    least_resets = dict(LEAST_RESETS.get(rules.get("royal_9", ""), {}))
    if "must_hit" in rules:
        least_resets["must_hit"] = LEAST_MUST_HIT_RESETS[rules["must_hit"]]
    meters = Meters(round_.get("meters", {}), least_resets)
    order = sorted((seat["seat"] for seat in round_["seats"]), reverse=True)  # MIDI 11.B
    by_number = {seat["seat"]: seat for seat in round_["seats"]}
    settled = {number: settle_seat(round_, by_number[number], meters) for number in order}
    return {
        "seats": [settled[seat["seat"]] for seat in round_["seats"]],
        "order": order,
        "meters": meters.cents,
    }
