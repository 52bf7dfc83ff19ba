"""Words that the games share: a prompt with the clauses of its row, and what a deck needs next."""

from collections.abc import Mapping
from typing import Any, Final

from tablectl.table import method
from tablectl.table.outputs import Prompt
from tablectl.table.phases import ROUND
from tablectl.table.phrases import ENGLISH, in_words
from tablectl.table.state import Deck, State
from tablectl.table.step import cite, split_basis

_NEXT_FOR_DECK: Final = {
    "received": ("inspect_deck", "inspect_cards", "dealer", "TCP 4.A"),
    "inspected": ("verify_deck", "verify_inspection", "floor", "TCP 4.A"),
    "verified": ("spread_deck", "spread_cards", "dealer", "TCP 4.B"),
    "spread": ("show_deck", "player_inspected", "dealer", "TCP 4.C"),
    "viewed": ("wash_deck", "wash_cards", "dealer", "TCP 4.C"),
    "stacked": ("shuffle_deck", "shuffle_started", "dealer", "TCP 4.D"),
    "uncut": ("cut_deck", "cut_cards", "dealer", "TCP 5.F"),
    "shuffling": ("deck_is_shuffled", "shuffle_done", "device", "TCP 5.D"),
    "used": ("shuffle_deck", "shuffle_started", "dealer", "TCP 5.A(2)"),
}
_INTO_SHUFFLER: Final = ("shuffle_deck", "shuffle_started", "dealer", "TCP 9.A(1)")


def say(
    state: State,
    key: str,
    awaits: str,
    role: str = "dealer",
    *clauses: str,
    values: Mapping[str, Any] | None = None,
) -> Prompt:
    """A prompt; its clauses are those given, or those of the awaited action's row."""
    row = ROUND.row(awaits, state.phase, state)
    found = clauses or (row.clauses if row else ())
    filled = values or {}
    text = in_words(key, filled) if key in ENGLISH else key
    return Prompt(text, awaits, role, split_basis(cite(state, found))[0], key, filled)


def next_for_deck(state: State, deck: Deck) -> Prompt | None:
    """What a deck that is not in play needs next."""
    if deck.custody in ("removed", "shoe", "hand", "play") or deck.latched:
        return None
    words = _NEXT_FOR_DECK.get(deck.preparation)
    if method.dealing(state) == "hand" and deck.custody == "rack":  # TCP 9.A(1): by a device
        words = _INTO_SHUFFLER if deck.preparation in ("uncut", "cut") else words
    if words is None:
        return None
    key, awaits, role, clause = words
    if awaits == "shuffle_started" and method.usable_shuffler(state) is None:
        key, awaits = "shuffle_deck_by_hand", "shuffle_done"
        if not ROUND.can(awaits, state.phase, state):
            return None  # not before the device is covered, and that is confirmed (TCP 13.H)
    return say(state, key, awaits, role, clause, values={"deck": deck.id})
