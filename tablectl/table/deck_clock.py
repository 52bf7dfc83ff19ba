"""The clock of a deck (TCP 3.C): changed every four hours from the hand, every eight from a shoe.

It runs from the first loading, through idle time and restarts. A round that is open is finished;
no new one begins with a deck whose time runs out within the lead.
"""

from collections.abc import Iterator
from typing import Final

from tablectl.table.decks import at_table, tell
from tablectl.table.state import Deck, State
from tablectl.table.step import Refused, Step

_MINUTE_NS: Final = 60_000_000_000
_FROM_HAND_NS: Final = 4 * 60 * _MINUTE_NS
_FROM_SHOE_NS: Final = 8 * 60 * _MINUTE_NS
_NOTICE_NS: Final = 15 * _MINUTE_NS  # how long before the last round people are told


def clause(deck: Deck) -> str:
    """The clause that limits this deck."""
    return "TCP 3.C(1)" if deck.by_hand else "TCP 3.C(2)"


def last_round_ns(state: State, deck: Deck) -> int | None:
    """Until when a round may begin with it, on the table's stop-watch; None: its clock is still."""
    if deck.loaded_ns is None or state.setup is None:
        return None
    limit = _FROM_HAND_NS if deck.by_hand else _FROM_SHOE_NS
    lead = state.setup.rules.deck_change_lead_minutes * _MINUTE_NS
    return deck.loaded_ns + limit - lead


def run_out(state: State, deck: Deck) -> bool:
    """No new round may begin with it."""
    until = last_round_ns(state, deck)
    return until is not None and state.clock.elapsed_ns >= until


def the_decks_are_in_time(state: State) -> None:
    """A guard of open_bets."""
    for deck in at_table(state):
        if run_out(state, deck):
            raise Refused(
                f"deck {deck.id} is due: change the decks first (change_decks)",
                clause(deck),
            )


def look(step: Step) -> None:
    """Tell, once each: the time of a deck runs out soon; it has run out."""
    for deck in at_table(step.state):
        until = last_round_ns(step.state, deck)
        if until is None:
            continue
        left_ns = until - step.state.clock.elapsed_ns
        if left_ns <= 0 and not deck.overdue:
            step.update_deck(deck.id, overdue=True, change_soon=True)
            tell(step, "deck.change_due", deck, clause(deck), when="now")
            what = f"Deck {deck.id} must be changed before the next round."
            if step.state.listens:  # nobody reports it otherwise
                what += " Acknowledge this when it is done."
            step.raise_alarm("deck_change_due", "warning", what, clause(deck), about=deck.id)
        elif left_ns <= _NOTICE_NS and not deck.change_soon:
            step.update_deck(deck.id, change_soon=True)
            minutes = max(1, -(-left_ns // _MINUTE_NS))
            tell(step, "deck.change_due", deck, clause(deck), when="soon", minutes=minutes)


def wakes(state: State) -> Iterator[int]:
    """The moments on the stop-watch at which the table wants to look again."""
    for deck in at_table(state):
        until = last_round_ns(state, deck)
        if until is not None and not deck.change_soon:
            yield until - _NOTICE_NS
        elif until is not None and not deck.overdue:
            yield until


def overran(step: Step, deck: Deck) -> None:
    """The round that has ended went beyond the limit itself: recorded, not void."""
    until = last_round_ns(step.state, deck)
    if until is None:
        return
    lead = step.setup.rules.deck_change_lead_minutes * _MINUTE_NS
    over_ns = step.state.clock.elapsed_ns - until - lead
    if over_ns > 0:
        tell(step, "deck.overrun", deck, clause(deck), seconds=over_ns // 1_000_000_000)
