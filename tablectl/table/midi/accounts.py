"""The account of a settled round: both hands, their points, the winner, what every wager came to.

Only cards that lie face up get in here.
"""

from collections.abc import Sequence
from typing import Any, Final

from tablectl.cards import Card
from tablectl.games import midi_baccarat as game
from tablectl.games import midi_third_cards as chapter_10
from tablectl.games.midi_side_wagers import BY_POINTS, Coup
from tablectl.games.rules import MidiBaccaratRules
from tablectl.table.midi.shoe import hand, rules_of
from tablectl.table.step import Step

# What the dealer calls out beside the points: by variant, the wager that it decides, the clause.
_CALLED: Final = {
    "ez": (("dragon_7", "Dragon 7", "MIDI 11.A(2)"), ("panda_8", "Panda 8", "MIDI 11.A(3)")),
    "fortune_7": (("fortune_7", "Fortune 7", "MIDI 11.A(4)"), ("one_up", "One Up", "MIDI 11.A(5)")),
}


def called(
    rules: MidiBaccaratRules, player: Sequence[Card], banker: Sequence[Card]
) -> tuple[str, str] | None:
    """The words for a result that has a name, and their clause (MIDI 11.A)."""
    if chapter_10.winner(player, banker) == "tie":
        return "tie hand", "MIDI 11.A(1)"
    counts = (chapter_10.points(player), len(player), chapter_10.points(banker), len(banker))
    for wager, words, clause in _CALLED.get(rules.variant, ()):
        if BY_POINTS[wager](Coup(*counts)) is not None:
            return words, clause
    return None


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
