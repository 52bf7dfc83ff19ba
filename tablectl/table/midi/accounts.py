"""The account of a settled round: both hands, their points, the winner, what every wager came to.

Only cards that lie face up get in here.
"""

from typing import Any

from tablectl.games import midi_baccarat as game
from tablectl.games import midi_third_cards as chapter_10
from tablectl.table.midi.shoe import hand, rules_of
from tablectl.table.step import Step


def hands_and_points(step: Step) -> dict[str, Any]:
    """Both hands as they lie, and who won (MIDI 11.A)."""
    player, banker = hand(step, "player"), hand(step, "banker")
    return {
        "round": step.round.number,
        "player": list(player),
        "banker": list(banker),
        "points": {"player": chapter_10.points(player), "banker": chapter_10.points(banker)},
        "winner": chapter_10.winner(player, banker),
    }


def results(step: Step) -> list[dict[str, Any]]:
    """How every wager offered ended, whoever made it; Royal 9 asks what is printed at a seat."""
    rows = game.round_results(rules_of(step), hand(step, "player"), hand(step, "banker"))
    return [
        {"wager": wager, "outcome": row.outcome, "odds": row.odds, "clause": row.clause}
        for wager, row in rows.items()
    ]


def settle_by_odds(step: Step, *, inferred: bool) -> None:
    """Seats or amounts are unknown: the account says odds."""
    data = {**hands_and_points(step), "seats": [], "results": results(step)}
    step.emit("round.settled", data, "MIDI 11.A", "MIDI 11.B", inferred=inferred)
