"""The three games and their references: a random valid round, its settlement, what is offered."""

import random
from collections.abc import Callable
from typing import Any, NamedTuple

from . import (
    midi_baccarat,
    midi_paytables,
    random_midi_baccarat,
    random_three_card_baccarat,
    random_three_card_poker,
    three_card_baccarat,
    three_card_poker,
)

Round = dict[str, Any]


class Game(NamedTuple):
    random_round: Callable[[random.Random], Round]
    settle: Callable[[Round], dict[str, Any]]
    offered: Callable[[dict[str, Any]], list[str]]


GAMES = {
    "three_card_poker": Game(
        random_three_card_poker.random_round, three_card_poker.settle, three_card_poker.offered
    ),
    "three_card_baccarat": Game(
        random_three_card_baccarat.random_round,
        three_card_baccarat.settle,
        three_card_baccarat.offered,
    ),
    "midi_baccarat": Game(
        random_midi_baccarat.random_round, midi_baccarat.settle, midi_paytables.offered
    ),
}
