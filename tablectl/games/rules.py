"""The `[rules]` of a table: parsed, checked against the regulations, with their clauses.

The one door to the rules of all games, chosen by `game`. It says what a table offers. It reads no
configuration file and settles nothing.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from tablectl.games import midi_baccarat_rules as midi
from tablectl.games import three_card_baccarat_rules as baccarat
from tablectl.games import three_card_poker_rules as poker
from tablectl.games.midi_baccarat_rules import MidiBaccaratRules
from tablectl.games.rule_notes import (
    Fault,
    RuleInForce,
    RuleNote,
    RulesError,
    meter_faults,
    shown,
)
from tablectl.games.three_card_baccarat_rules import ThreeCardBaccaratRules
from tablectl.games.three_card_poker_rules import WAGERS, ThreeCardPokerRules

__all__ = [
    "ALL_WAGERS",
    "GAME",
    "GAMES",
    "WAGERS",
    "Fault",
    "GameRules",
    "MidiBaccaratRules",
    "RuleInForce",
    "RuleNote",
    "RulesError",
    "ThreeCardBaccaratRules",
    "ThreeCardPokerRules",
    "check_meters",
    "parse_rules",
    "rule_notes",
    "rules_in_force",
    "shown",
]

GameRules = ThreeCardPokerRules | ThreeCardBaccaratRules | MidiBaccaratRules
GAME: Final = poker.GAME


class _Game(NamedTuple):
    """How one game's `[rules]` are read."""

    faults: Callable[[Mapping[str, object]], Iterator[Fault]]
    parse: Callable[[Mapping[str, object]], GameRules]


_GAMES: Final = {
    poker.GAME: _Game(poker.faults, poker.parse),
    baccarat.GAME: _Game(baccarat.faults, baccarat.parse),
    midi.GAME: _Game(midi.faults, midi.parse),
}
GAMES: Final = tuple(_GAMES)
ALL_WAGERS: Final = frozenset((*poker.WAGERS, *baccarat.WAGERS, *midi.WAGERS))


def rule_notes(game: str = GAME, jurisdiction: str = "MD") -> Mapping[str, RuleNote]:
    """Every key of `[rules]` for a game; raises KeyError where there is no such game."""
    if game == baccarat.GAME:
        return baccarat.notes(jurisdiction)
    return {poker.GAME: poker.notes, midi.GAME: midi.notes}[game]()


def rules_in_force(rules: GameRules) -> dict[str, RuleInForce]:
    """Each rule with its value, its default and the clause that it puts in force."""
    return {
        key: RuleInForce(value, note.default, note.clause_for(value))
        for key, note in rule_notes(rules.game, rules.jurisdiction).items()
        for value in (getattr(rules, key),)
    }


def parse_rules(raw: Mapping[str, object]) -> GameRules:
    """Read a `[rules]` table; raises RulesError with every fault, keys written `rules.KEY`."""
    game = raw.get("game")
    if not isinstance(game, str) or game not in _GAMES:
        what = "the key is missing" if game is None else f"not {shown(game)}"
        raise RulesError((Fault("rules.game", f"one of {', '.join(GAMES)}; {what}", None),))
    faults = tuple(_GAMES[game].faults(raw))
    if faults:
        raise RulesError(faults)
    return _GAMES[game].parse(raw)


def check_meters(rules: GameRules, meters: Mapping[str, Mapping[str, object]]) -> tuple[Fault, ...]:
    """Every fault of the `[meters.NAME]` tables under `rules`, keys written `meters.NAME.KEY`."""
    return tuple(meter_faults(rules.meter_terms, meters))
