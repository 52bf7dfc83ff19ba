"""The words of a three-card table that only listens: what it asks for, and cannot be told.

Nobody has a page here; the state carries them for whoever looks.
"""

from tablectl.table import stub
from tablectl.table.deck_clock import clause
from tablectl.table.outputs import Prompt
from tablectl.table.state import State
from tablectl.table.words import say


def preparing(state: State) -> list[Prompt]:
    """Between rounds."""
    said = []
    for deck in state.decks:
        if deck.latched:
            key = "listening_deck_counted_wrong"
            said.append(say(state, key, "remove_deck", "dealer", "TCP 5.D"))
        if deck.overdue:
            key = "listening_change_decks"
            said.append(say(state, key, "acknowledge_alarm", "floor", clause(deck)))
    return said


def in_round(state: State) -> list[Prompt]:
    """While a round is under way."""
    assert state.round is not None
    if state.round.void_reason is not None:
        return [say(state, "listening_void", "clear_round", "dealer", "TCP 13.D")]
    if state.round.stub:
        return [say(state, "count_stub", "count_stub", "dealer", stub.clauses(state)[0])]
    return []
