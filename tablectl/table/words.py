"""Words that the games share: a prompt with the clauses of its row, and what a deck needs next."""

from tablectl.table import method
from tablectl.table.outputs import Prompt
from tablectl.table.phases import ROUND
from tablectl.table.state import Deck, State
from tablectl.table.step import cite, split_basis

_NEXT_FOR_DECK = {
    "received": ("Inspect deck {0} for defects.", "inspect_cards", "dealer", "TCP 4.A"),
    "inspected": ("Verify the inspection of deck {0}.", "verify_inspection", "floor", "TCP 4.A"),
    "verified": (
        "Spread deck {0} face up for the first player.",
        "spread_cards",
        "dealer",
        "TCP 4.B",
    ),
    "spread": ("Let the first player look at deck {0}.", "player_inspected", "dealer", "TCP 4.C"),
    "viewed": ("Turn deck {0} down, wash it and stack it.", "wash_cards", "dealer", "TCP 4.C"),
    "stacked": ("Put deck {0} into the shuffler.", "shuffle_started", "dealer", "TCP 4.D"),
    "uncut": ("Cut deck {0}, at least ten from the top.", "cut_cards", "dealer", "TCP 5.F"),
    "shuffling": (
        "Deck {0} is being shuffled: wait for its count.",
        "shuffle_done",
        "device",
        "TCP 5.D",
    ),
    "used": ("Put deck {0} into the shuffler.", "shuffle_started", "dealer", "TCP 5.A(2)"),
}


def say(state: State, text: str, awaits: str, role: str = "dealer", *clauses: str) -> Prompt:
    """A prompt; its clauses are those given, or those of the awaited action's row."""
    row = ROUND.row(awaits, state.phase, state)
    found = clauses or (row.clauses if row else ())
    return Prompt(text, awaits, role, split_basis(cite(state, found))[0])


def next_for_deck(state: State, deck: Deck) -> Prompt | None:
    """What a deck that is not in play needs next."""
    if deck.custody in ("removed", "shoe", "hand", "play") or deck.latched:
        return None
    words = _NEXT_FOR_DECK.get(deck.preparation)
    if words is None:
        return None
    text, awaits, role, clause = words
    if awaits == "shuffle_started" and method.usable_shuffler(state) is None:
        text, awaits = "Shuffle deck {0} and stack it.", "shuffle_done"
    return say(state, text.format(deck.id), awaits, role, clause)
