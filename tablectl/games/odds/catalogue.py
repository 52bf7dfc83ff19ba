"""Which odds can be asked for, game by game: all that the rules print, or what a table offers."""

from collections.abc import Mapping
from fractions import Fraction

from tablectl.games.odds import three_card_poker
from tablectl.games.odds.report import Question
from tablectl.games.rules import Fault, RulesError, ThreeCardPokerRules, rule_notes, shown

GAMES = ("three_card_poker",)


def questions(game: str, settings: Mapping[str, object]) -> tuple[Question, ...]:
    """Every wager and paytable of a game; a key of its `[rules]` that is set leaves one choice.

    Raises RulesError for a key that the game does not have or a value that it does not allow.
    """
    faults = []
    notes = rule_notes()
    for key, value in settings.items():
        if key not in notes or key == "game":
            known = ", ".join(name for name in notes if name != "game")
            faults.append(Fault(key, f"no such key; the keys of {game} are {known}", None))
        elif not notes[key].allows(value):
            expected = f"{notes[key].expected}, not {shown(value)}"
            faults.append(Fault(key, expected, notes[key].clause_for(value)))
    if faults:
        raise RulesError(tuple(faults))
    return tuple(three_card_poker.questions(settings))


def edge(rules: ThreeCardPokerRules) -> dict[str, Fraction | None]:
    """The house edge of each wager that a table offers, per unit; None where it has none alone.

    The edge of ante and play together, per ante, stands under `ante`.
    """
    found = {
        asked.wager.removesuffix("_play"): asked.answer().edge
        for asked in three_card_poker.offered(rules)
    }
    return {wager: found.get(wager) for wager in rules.wagers}
