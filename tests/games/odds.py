"""The odds as the tests ask for them. No test here."""

from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from typing import Any

from tablectl.games.odds.catalogue import questions
from tablectl.games.odds.report import Odds


def answers(game: str, **settings: Any) -> dict[tuple[str, str], Odds]:
    """Every answer of a game by wager and paytable; a repeated key would be lost, so it fails."""
    return _answers(game, tuple(settings.items()))


@cache
def _answers(game: str, settings: tuple[tuple[str, Any], ...]) -> dict[tuple[str, str], Odds]:
    asked = questions(game, dict(settings))
    found = {(one.wager, one.paytable): one.answer() for one in asked}
    assert len(found) == len(asked)
    return found


def percent(odds: Odds, digits: str = "0.001") -> str:
    """The edge as it is published."""
    exact = Decimal(odds.edge.numerator) / odds.edge.denominator * 100
    return str(exact.quantize(Decimal(digits), ROUND_HALF_UP))
