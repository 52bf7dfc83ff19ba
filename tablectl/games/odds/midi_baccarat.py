"""The odds of every wager of Midi Baccarat and its variants (MIDI 12), from a full shoe.

Every class of rounds is settled once, by the game's own settlement, with the vigorish unrounded.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import Final

from tablectl.cards import SUITS, Card
from tablectl.games import paytables
from tablectl.games.midi_baccarat import MidiSeat, award_round, validate_round
from tablectl.games.midi_baccarat_rules import GAME, MAIN_WAGERS, WAGERS, variant_of
from tablectl.games.odds import midi_shoe
from tablectl.games.odds.midi_shoe import Round
from tablectl.games.odds.report import NOT_COUNTED, UNROUNDED, Odds, Question, outcomes, paid
from tablectl.games.rules import MidiBaccaratRules, parse_rules
from tablectl.games.settlement import Award, Meter

_STAKE: Final = 100_00
_READING: Final = "printed_per_seat"
_ANY_PAIR: Final = {
    "any_pair": "either_hand",
    "any_pair_player": "nominated_hand",
    "any_pair_banker": "nominated_hand",
}
_KEYS: Final = {"dragon_bonus_player": "dragon_bonus", "dragon_bonus_banker": "dragon_bonus"}
_SWITCHES: Final = ("lucky_6", "super_6")
# Wagers that look at more than points and numbers of cards.
_CENSUS: Final[dict[str, Callable[[int], tuple[Round, ...]]]] = {
    "any_pair": midi_shoe.first_pairs,
    "any_pair_player": midi_shoe.first_pairs,
    "any_pair_banker": midi_shoe.first_pairs,
    "lucky_nines": midi_shoe.first_nines,
    "jackpot": midi_shoe.first_four,
    "royal_9": midi_shoe.first_royal_nines,
}
# Every king with every nine, the suited ones first; a table has no more seats than these.
_PRINTED: Final = tuple(
    (Card("K" + king), Card("9" + SUITS[(at + step) % len(SUITS)]))
    for step in range(len(SUITS))
    for at, king in enumerate(SUITS)
)
_HOW_PRINTED: Final = (
    "for seat 1, every seat in play with a king and nine of its own: "
    "the suited ones first, then those of different suits"
)


def questions(settings: Mapping[str, object]) -> Iterator[Question]:
    """Every wager, variant and paytable that `settings` leave open."""
    whole = {key: settings[key] for key in ("decks", "tie_pays", "seats") if key in settings}
    for wager in WAGERS:
        for chosen in _choices(wager, settings):
            rules = parse_rules({"game": GAME, **whole, **chosen})
            assert isinstance(rules, MidiBaccaratRules)
            yield _question(rules, wager)


def _choices(wager: str, settings: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """The rules that offer a wager, one for each of its tables; none where settings exclude it."""
    figures = paytables.midi_baccarat()
    home = variant_of(wager)
    variant = settings.get("variant", home or "standard")
    key = _KEYS.get(wager, wager)
    if home not in (None, variant):
        return
    if wager in MAIN_WAGERS:
        for kind in (variant,) if "variant" in settings else figures.letters("banker"):
            yield {"variant": kind}
    elif wager in _ANY_PAIR:
        if settings.get("any_pair", _ANY_PAIR[wager]) == _ANY_PAIR[wager]:
            yield {"variant": variant, "any_pair": _ANY_PAIR[wager]}
    elif wager in _SWITCHES:
        if settings.get(wager, True):
            yield {"variant": variant, wager: True}
    elif paytables.ONLY in figures.letters(key):
        yield {"variant": variant}
    else:
        reading = {"royal_9_reading": _READING} if wager == "royal_9" else {}
        letters = (settings[key],) if key in settings else figures.letters(key)
        yield from ({"variant": variant, key: letter, **reading} for letter in letters)


def offered(rules: MidiBaccaratRules) -> Iterator[Question]:
    """The wagers and paytables of one table."""
    return (_question(rules, wager) for wager in rules.wagers)


def _question(rules: MidiBaccaratRules, wager: str) -> Question:
    exact = replace(rules, vigorish_rounding="none", vigorish_collection="at_payout")
    return Question(wager, rules.paytable(wager) or "", partial(count, exact, wager))


@lru_cache(maxsize=256)
def count(rules: MidiBaccaratRules, wager: str) -> Odds:
    """The odds of one wager under these rules."""
    rounds = _CENSUS.get(wager, midi_shoe.whole_rounds)(rules.decks)
    ends = outcomes((paid(settled(rules, wager, one), _STAKE), one.deals) for one in rounds)
    notes = [NOT_COUNTED, _HOW_PRINTED, _must_hit_note()] if wager == "royal_9" else []
    if wager == "banker":
        rows = paytables.midi_baccarat().table("banker", rules.variant).rows
        notes += [UNROUNDED] if any(row.vigorish for row in rows) else []
    total = sum(one.deals for one in rounds)
    paytable = rules.paytable(wager) or ""
    return Odds(GAME, wager, paytable, rules.decks, total, ends, tuple(notes))


def _must_hit_note() -> str:
    """What comes with a Royal 9 wager where the house offers it, to a random seat."""
    [row] = paytables.midi_baccarat().table("must_hit").rows
    return f"not counted, where it is offered: a random winner's {row.odds} ({row.clause})"


def settled(rules: MidiBaccaratRules, wager: str, one: Round) -> list[Award]:
    """What the settlement makes of a wager at seat 1 in one round."""
    seats = [MidiSeat(1, {"player": _STAKE, wager: _STAKE}, _PRINTED[0])]
    if wager == "royal_9":
        others = range(2, rules.seats + 1)
        seats += [MidiSeat(seat, dict(seats[0].wagers), _PRINTED[seat - 1]) for seat in others]
    meters = {name: Meter(0, 0) for name in rules.meters}
    table = validate_round(rules, one.player, one.banker, seats, meters)
    awards = award_round(table).seats[1]
    return [award for award in awards if award[0].wager == wager]
