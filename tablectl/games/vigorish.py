"""The commission on a winning wager: 5 percent of the amount won, rounded as the house chose.

Whole cents only. Whether it is taken at the payout or marked is the game's.
"""

from typing import Final

from tablectl.games.paytables import Commission

ROUNDINGS: Final = ("up_to_quarter", "nearest_quarter", "none")


def vigorish(commission: Commission, rounding: str, won: int) -> int:
    """The commission on `won` cents.

    Never more than was won: on a stake of a few cents a whole quarter would turn a win into a loss.
    """
    percent, step = commission.percent, commission.rounding_cents
    if rounding == "up_to_quarter":
        owed = -(-won * percent // (100 * step)) * step
    elif rounding == "nearest_quarter":
        owed = (2 * won * percent + 100 * step) // (200 * step) * step
    else:
        owed = (2 * won * percent + 100) // 200  # half a cent goes up
    return min(owed, won)
