"""What comes next, in the dealer's words: prompts made from the state, never from a sealed card.

Here stands what every table says; a game's own words stand in its room.
"""

from tablectl.table.method import usable_shuffler
from tablectl.table.notices import about_devices, about_late_bets, about_people
from tablectl.table.outputs import Prompt
from tablectl.table.phases import ROUND
from tablectl.table.procedures import procedure
from tablectl.table.state import State
from tablectl.table.step import split_basis
from tablectl.table.words import say

_DUTIES = {
    "opening_test": ("The opening test failed: mend it and test again.", "opening_test", "dealer"),
    "acknowledge_void": ("The round was void: acknowledge it.", "acknowledge_void", "floor"),
    "reshuffle": ("Reshuffle deck {0} and have it counted.", "shuffle_started", "dealer"),
    "count_deck": ("Count deck {0}: 52 cards.", "count_stub", "dealer"),
    "cut_again": ("Cut deck {0} again.", "cut_cards", "dealer"),
    "remove_deck": ("Remove deck {0} from the table.", "remove_deck", "dealer"),
    "change_decks": ("Replace all the cards with new decks.", "change_decks", "dealer"),
    "clear_deck_latch": (
        "Deck {0} counted wrong: see to it, then clear it.",
        "clear_deck_latch",
        "floor",
    ),
}


def prompts(state: State) -> tuple[Prompt, ...]:
    """Every prompt of the moment, the most pressing first."""
    if state.halt is not None:
        text = f"The table is halted: {state.halt.why} Make sure, then resume."
        return (Prompt(text, "resume_table", "floor", ()),)
    said = [
        prompt
        for duty in state.duties
        if _possible(state, prompt := _duty(state, duty.duty, duty.deck, duty.clauses))
    ]
    unknown = state.untold
    if unknown and state.round is not None:
        text = f"Wait: {', '.join(unknown)} has not told its state yet."
        return (*said, Prompt(text, "online", "device", ()))
    if state.phase == "preparing":
        said += procedure(state).preparing(state)
    elif state.phase == "closed":
        said.append(say(state, "Open the table.", "open_table", "floor"))
    elif state.round is not None:
        said += procedure(state).in_round(state)
    # What is not the next step comes last: it can wait for a hand that is free.
    return (*said, *about_late_bets(state), *about_devices(state), *about_people(state))


def _possible(state: State, prompt: Prompt) -> bool:
    """A duty that must wait for the end of the round is not asked for before."""
    known = prompt.awaits in procedure(state).actions
    return not known or ROUND.can(prompt.awaits, state.phase, state)


def _duty(state: State, duty: str, deck: str | None, clauses: tuple[str, ...]) -> Prompt:
    text, awaits, role = _DUTIES[duty]
    if awaits == "shuffle_started" and usable_shuffler(state) is None:
        text, awaits = "Shuffle deck {0} again and cut it.", "shuffle_done"
    return Prompt(text.format(deck), awaits, role, split_basis(clauses)[0])
