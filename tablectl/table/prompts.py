"""What comes next, in the dealer's words: prompts made from the state, never from a sealed card.

Here stands what every table asks for; a game's own prompts stand in its room, the sentences in
phrases.py.
"""

from typing import Final

from tablectl.table.method import usable_shuffler
from tablectl.table.notices import about_devices, about_late_bets, about_people
from tablectl.table.outputs import Prompt
from tablectl.table.phases import ROUND
from tablectl.table.procedures import procedure
from tablectl.table.state import Duty, State
from tablectl.table.words import say

# What a duty awaits, and from whom.
_DUTIES: Final = {
    "opening_test": ("opening_test", "dealer"),
    "acknowledge_void": ("acknowledge_void", "floor"),
    "reshuffle": ("shuffle_started", "dealer"),
    "count_deck": ("count_stub", "dealer"),
    "cut_again": ("cut_cards", "dealer"),
    "remove_deck": ("remove_deck", "dealer"),
    "change_decks": ("change_decks", "dealer"),
    "clear_deck_latch": ("clear_deck_latch", "floor"),
}
_AT_REST: Final = ("rack", "discard", "shuffler")  # from where a deck is shuffled


def prompts(state: State) -> tuple[Prompt, ...]:
    """Every prompt of the moment, the most pressing first."""
    if state.halt is not None:
        return (say(state, "halted", "resume_table", "floor", values={"why": state.halt.why}),)
    devices = about_devices(state)
    between = devices if state.phase == "preparing" else []  # no round before they are seen to
    said = [_duty(state, duty) for duty in state.duties if _can_be_done(state, duty)]
    unknown = state.untold
    if unknown and state.round is not None:
        untold = {"devices": ", ".join(unknown)}
        return (*said, say(state, "devices_untold", "online", "device", values=untold))
    said = [*between, *said]
    if state.phase == "preparing":
        said += procedure(state).preparing(state)
    elif state.phase == "closed":
        said.append(say(state, "open_table", "open_table", "floor"))
    elif state.round is not None:
        said += procedure(state).in_round(state)
    # What is not the next step comes last: it can wait for a hand that is free.
    later = [notice for notice in devices if notice not in said]
    return (*said, *about_late_bets(state), *later, *about_people(state))


def _can_be_done(state: State, duty: Duty) -> bool:
    """A duty that must wait, for the end of the round or of a shuffle, is not asked for before."""
    awaits, _ = _DUTIES[duty.duty]
    deck = state.deck(duty.deck)
    if duty.duty == "reshuffle" and deck is not None:
        if deck.custody not in _AT_REST or deck.preparation == "shuffling":
            return False
        awaits = awaits if usable_shuffler(state) else "shuffle_done"
    if duty.duty == "remove_deck" and state.round is not None and state.round.deck == duty.deck:
        return False
    known = awaits in procedure(state).actions
    return not known or ROUND.can(awaits, state.phase, state)


def _duty(state: State, duty: Duty) -> Prompt:
    (awaits, role), key = _DUTIES[duty.duty], f"duty_{duty.duty}"
    if awaits == "shuffle_started" and usable_shuffler(state) is None:
        awaits, key = "shuffle_done", "duty_reshuffle_by_hand"
    return say(state, key, awaits, role, *duty.clauses, values={"deck": duty.deck})
