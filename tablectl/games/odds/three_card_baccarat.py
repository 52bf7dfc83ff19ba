"""The odds of every wager of Three Card Baccarat, Maryland and Washington (TCB 12).

Every class of rounds is settled once, by the game's own settlement, with the vigorish unrounded.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import Final

from tablectl.games import paytables
from tablectl.games.odds.baccarat_hands import Meeting, meetings
from tablectl.games.odds.report import UNROUNDED, Odds, Question, outcomes, paid
from tablectl.games.rules import ThreeCardBaccaratRules, parse_rules
from tablectl.games.settlement import Award, SeatHand
from tablectl.games.three_card_baccarat import award_round, validate_round
from tablectl.games.three_card_baccarat_rules import GAME, WAGERS, jurisdiction_of

_STAKE: Final = 100_00
_LETTERED: Final = ("three_kings", "tie")
_THREE_FACES: Final = {
    "ten": "three face cards count ten on both sides",
    "ten_against_zero": "three face cards count ten only against a dealer's zero",
}


def questions(settings: Mapping[str, object]) -> Iterator[Question]:
    """Every wager and paytable that `settings` leave open."""
    figures = paytables.three_card_baccarat(jurisdiction_of(settings))
    for wager in WAGERS:
        key = "commission" if wager == "ante" else wager
        choices: tuple[object, ...] = (True,) if wager == "dragon" else figures.letters(wager)
        for chosen in (settings[key],) if key in settings else choices:
            if chosen is not False:
                rules = parse_rules({**settings, "game": GAME, key: chosen})
                assert isinstance(rules, ThreeCardBaccaratRules)
                yield _question(rules, wager)


def offered(rules: ThreeCardBaccaratRules) -> Iterator[Question]:
    """The wagers and paytables of one table."""
    return (_question(rules, wager) for wager in rules.wagers)


def _question(rules: ThreeCardBaccaratRules, wager: str) -> Question:
    exact = replace(rules, vigorish_rounding="none")
    return Question(wager, rules.paytable(wager) or "", partial(count, exact, wager))


@lru_cache(maxsize=64)
def count(rules: ThreeCardBaccaratRules, wager: str) -> Odds:
    """The odds of one wager under these rules."""
    ends = outcomes((paid(settled(rules, wager, one), _STAKE), one.deals) for one in meetings())
    notes = []
    if wager == "ante" and rules.commission != "free":
        notes.append(UNROUNDED)
    if wager == "dragon":
        notes.append(_THREE_FACES[rules.dragon_three_face])
    total = sum(one.deals for one in meetings())
    return Odds(GAME, wager, rules.paytable(wager) or "", 1, total, ends, tuple(notes))


def settled(rules: ThreeCardBaccaratRules, wager: str, one: Meeting) -> list[Award]:
    """What the settlement makes of a wager in one round."""
    hand = SeatHand(1, {"ante": _STAKE, wager: _STAKE}, one.player)
    awards = award_round(validate_round(rules, one.dealer, [hand], {})).seats[1]
    return [award for award in awards if award[0].wager == wager]
