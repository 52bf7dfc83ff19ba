"""What the two baccarats have in common in the reference settlements: points, odds, vigorish.

For tests only; written from the rule texts and the readings alone.
"""

import math
from fractions import Fraction
from typing import Any

HALF = Fraction(1, 2)
QUARTER_CENTS = 25


def value(card: str) -> int:
    """What a card counts: ace one, 2 to 9 their face, the rest nothing. TCB 6.B, MIDI 6.A."""
    if card[0] in "TJQK":
        return 0
    return 1 if card[0] == "A" else int(card[0])


def points(cards: list[str]) -> int:
    """The right digit of the sum. TCB 6.B, MIDI 6.B and 6.C."""
    return sum(value(card) for card in cards) % 10


def half_up(amount: Fraction) -> int:
    """Whole cents; half a cent goes up."""
    return math.floor(amount + HALF)


def vigorish(won: int, rounding: str) -> int:
    """Five percent of the amount won, rounded as the table does it. TCB 12.A(1), MIDI 12.D(1).

    A share of the amount won is never more than all of it: on a stake below 25 cents the next
    quarter would take the stake too, which the rules nowhere let a winner lose (house procedure).
    """
    exact = Fraction(won * 5, 100)
    quarters = exact / QUARTER_CENTS
    if rounding == "up_to_quarter":
        return min(won, math.ceil(quarters) * QUARTER_CENTS)
    if rounding == "nearest_quarter":
        return half_up(quarters) * QUARTER_CENTS
    return half_up(exact)


def lost(wager: str, stake: int) -> dict[str, Any]:
    """The line of a wager that the house keeps."""
    return {"wager": wager, "stake": stake, "outcome": "lose", "returned": 0, "vigorish": 0}


def pushed(wager: str, stake: int, row: str = "push") -> dict[str, Any]:
    """The line of a wager that goes back."""
    return {
        "wager": wager,
        "stake": stake,
        "outcome": "push",
        "returned": stake,
        "vigorish": 0,
        "row": row,
    }


def won(wager: str, stake: int, row: str, odds: int | Fraction) -> dict[str, Any]:
    """The line of a wager paid at odds "to 1", without vigorish; `row` says what for."""
    share = Fraction(odds)
    return {
        "wager": wager,
        "stake": stake,
        "outcome": "win",
        "returned": stake + half_up(stake * share),
        "vigorish": 0,
        "odds": f"{share.numerator:,} to {share.denominator}",
        "row": row,
    }


def less_vigorish(line: dict[str, Any], rounding: str, marked: bool = False) -> dict[str, Any]:
    """The same winning line with vigorish: taken off what is returned, or only marked as owed."""
    owed = vigorish(line["returned"] - line["stake"], rounding)
    kept_back = 0 if marked else owed
    return {**line, "vigorish": owed, "returned": line["returned"] - kept_back}


def at_odds(wager: str, stake: int, row: str | None, odds: dict[str, int]) -> dict[str, Any]:
    """A wager against a paytable "to 1": the row that the cards make, or None or a row unpaid."""
    if row is None or row not in odds:
        return lost(wager, stake)
    return won(wager, stake, row, odds[row])
