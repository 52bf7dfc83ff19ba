"""Whether a Midi Baccarat round can be settled as it was given (MIDI chapters 7 and 10).

Every refusal is a SettleError. What passes comes back as a CheckedRound, the only thing that is
ever settled. A shoe has at least six decks, so that six cards may be any.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from tablectl.cards import Card
from tablectl.games import paytables
from tablectl.games.hands import PACKED
from tablectl.games.midi_baccarat_rules import MAIN_WAGERS, WAGERS, variant_of
from tablectl.games.midi_side_wagers import Coup, KingNine, king_nine
from tablectl.games.midi_third_cards import Third, banker_draws, player_draws, points
from tablectl.games.round_checks import (
    Offer,
    check_meters,
    check_seat,
    offer,
    refuse_cards,
    refuse_twice,
)
from tablectl.games.rules import MidiBaccaratRules, shown
from tablectl.games.settlement import Meter, SettleError

_HAND_SIZES: Final = (2, 3)


class MidiSeat(NamedTuple):
    """One seat at settlement. `printed_king_9` is what its place on the layout shows."""

    seat: int
    wagers: Mapping[str, int]
    printed_king_9: Sequence[Card] | None = None


Turn = tuple[Mapping[str, int], KingNine | None]
"""One seat, checked: its wagers, and the king and nine printed at its place."""


class CheckedRound(NamedTuple):
    """A round that can be settled; the seats stand in the order in which they were given."""

    rules: MidiBaccaratRules
    player: Sequence[Card]
    banker: Sequence[Card]
    coup: Coup
    turns: dict[int, Turn]
    """By seat."""
    meters: Mapping[str, Meter]


@lru_cache(maxsize=256)
def _offered(rules: MidiBaccaratRules) -> Offer:
    reasons = {wager: _why_not(rules, wager) for wager in WAGERS}
    return offer(rules, "MIDI 7.A", {wager: why for wager, why in reasons.items() if why})


def _why_not(rules: MidiBaccaratRules, wager: str) -> str | None:
    """Why a wager is not offered that a house does not just leave out."""
    home = variant_of(wager)
    if home not in (None, rules.variant):
        return f"it is a wager of the variant {home}, and this table plays {rules.variant}"
    if wager.startswith("any_pair"):
        here = f"here it is {shown(rules.any_pair)}" if rules.any_pair else "here it is not set"
        return f"any_pair in the rules says how it is played, nominated_hand or either_hand; {here}"
    return None


def validate_round(
    rules: MidiBaccaratRules,
    player: Sequence[Card],
    banker: Sequence[Card],
    seats: Sequence[MidiSeat],
    meters: Mapping[str, Meter],
) -> CheckedRound:
    """Check a round; raises SettleError at the first thing that is wrong.

    Only a meter that is won but was not given shows later, when the round is settled.
    """
    coup, offered = check_hands(player, banker), _offered(rules)
    turns: dict[int, Turn] = {}
    for seat, wagers, given in seats:
        check_seat(offered, seat, wagers)
        printed = None if given is None else _printed(seat, given)
        if "royal_9" in wagers:
            _check_royal_9(seat, wagers, printed)
        turns[seat] = wagers, printed
    if len(turns) != len(seats):
        refuse_twice([given.seat for given in seats])
    check_meters(meters, paytables.midi_baccarat().meters)
    return CheckedRound(rules, player, banker, coup, turns, meters)


def check_hands(player: Sequence[Card], banker: Sequence[Card]) -> Coup:
    """Hold two hands to the third-card rules (MIDI 10); raises SettleError."""
    for side, cards in (("player", player), ("banker", banker)):
        if len(cards) not in _HAND_SIZES or not all(_is_card(card) for card in cards):
            refuse_cards(f"the {side}'s hand", cards, "2 or 3")
    _check_third("player", player, player_draws(player, banker))
    _check_third("banker", banker, banker_draws(player, banker))
    return Coup(points(player), len(player), points(banker), len(banker))


def _is_card(card: object) -> bool:
    return isinstance(card, str) and card in PACKED


def _check_third(side: str, cards: Sequence[Card], third: Third) -> None:
    if third.draws == (len(cards) == 3):
        return
    count = f"the {side}'s hand counts {points(cards[:2])} with two cards"
    if third.draws:
        raise SettleError(f"{count} and must draw: give its third card", third.clause)
    raise SettleError(f"{count} and must stay: take its third card away", third.clause)


def _printed(seat: int, given: Sequence[Card]) -> KingNine:
    if len(given) != 2 or not all(_is_card(card) for card in given):
        refuse_cards(f"printed_king_9 of seat {seat}", given, "exactly 2")
    printed = king_nine(given)
    if printed is None:
        shows = ", ".join(given)
        raise SettleError(f"seat {seat} has {shows} for printed_king_9: give a king and a nine")
    return printed


def _check_royal_9(seat: int, wagers: Mapping[str, int], printed: KingNine | None) -> None:
    if not any(wager in wagers for wager in MAIN_WAGERS):
        raise SettleError(
            f"seat {seat} has royal_9 but needs a player, banker or tie wager", WAGERS["royal_9"]
        )
    if printed is None:
        raise SettleError(
            f"seat {seat} has royal_9: give its printed_king_9, the king and the nine of its place",
            "MIDI 12.K",
        )
