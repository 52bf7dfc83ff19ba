"""Which odds can be asked for, game by game: all that the rules print, or what a table offers."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from tablectl.games.odds import midi_baccarat, three_card_baccarat, three_card_poker
from tablectl.games.odds.report import Question
from tablectl.games.rules import (
    GAMES,
    Fault,
    GameRules,
    RulesError,
    ThreeCardBaccaratRules,
    ThreeCardPokerRules,
    parse_rules,
    rule_notes,
    shown,
)
from tablectl.games.three_card_baccarat_rules import jurisdiction_of

__all__ = ["GAMES", "edge", "questions"]

_QUESTIONS = {
    room.GAME: room.questions for room in (three_card_poker, three_card_baccarat, midi_baccarat)
}
# What a whole table's rules must have; where it is not set, it is counted in every way.
_NEEDED: Mapping[str, Mapping[str, str]] = {
    "three_card_poker": {"ante_bonus": "A", "pair_plus": "A"},
    "three_card_baccarat": {},
    "midi_baccarat": {"royal_9": "A", "royal_9_reading": "printed_per_seat"},
}


def questions(game: str, settings: Mapping[str, object]) -> tuple[Question, ...]:
    """Every wager and paytable of a game; a key of its `[rules]` that is set leaves one choice.

    Raises RulesError for a key that the game does not have or a value that it does not allow.
    """
    faults = tuple(_faults(game, settings))
    if faults:
        raise RulesError(faults)
    parse_rules({"game": game, **_NEEDED[game], **settings})  # what does not go together
    return tuple(_QUESTIONS[game](settings))


def _faults(game: str, settings: Mapping[str, object]) -> Iterator[Fault]:
    """What is wrong with each setting by itself; a choice need not be a whole table's rules."""
    notes = rule_notes(game, jurisdiction_of(settings))
    for key, value in settings.items():
        if key not in notes or key == "game":
            known = ", ".join(name for name in notes if name != "game")
            yield Fault(key[:40], f"no such key; the keys of {game} are {known}", None)
        elif not notes[key].allows(value):
            yield Fault(key, f"{notes[key].expected}, not {shown(value)}", notes[key].clause)


def edge(rules: GameRules) -> dict[str, Fraction | None]:
    """The house edge of each wager that a table offers, per unit; None where it has none alone.

    The edge of ante and play together, per ante, stands under `ante`.
    """
    found = {asked.wager.removesuffix("_play"): asked.answer().edge for asked in _offered(rules)}
    return {wager: found.get(wager) for wager in rules.wagers}


def _offered(rules: GameRules) -> Iterator[Question]:
    if isinstance(rules, ThreeCardPokerRules):
        return three_card_poker.offered(rules)
    if isinstance(rules, ThreeCardBaccaratRules):
        return three_card_baccarat.offered(rules)
    return midi_baccarat.offered(rules)
