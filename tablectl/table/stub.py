"""When the stub must be counted (TCP 8.F, 9.D, 10.C): every fifth round at the latest, unless a
device has proved 52 cards since. What a count leads to stands in counting.py."""

from dataclasses import replace
from typing import Final

from tablectl.cards import DECK_SIZE
from tablectl.table import method
from tablectl.table.decks import at_table
from tablectl.table.state import Deck, Round, State
from tablectl.table.step import Step

EVERY: Final = 5  # rounds of play
_EVERY_DECK: Final = 10  # rounds at the table, where two decks alternate
# By the method of dealing: the duty, 52 present, wrong, misdealt with 52 present, not 52.
_CLAUSES: Final = {
    "manual_shoe": ("TCP 8.F", "TCP 8.G", "TCP 8.H", "TCP 8.H(1)", "TCP 8.H(2)"),
    "hand": ("TCP 9.D", "TCP 9.E", "TCP 9.F", "TCP 9.G", "TCP 9.H"),
    "automated_shoe": ("TCP 10.C", "TCP 10.D", "TCP 10.E", "TCP 10.F", "TCP 10.G"),
}


def clauses(state: State) -> tuple[str, str, str, str, str]:
    """The clauses of the count, for the method of dealing in force."""
    return _CLAUSES[method.dealing(state)]


def proved(step: Step, deck_id: str) -> None:
    """52 cards are there: the counting starts anew."""
    step.update_deck(deck_id, rounds_since_count=0, table_rounds=0, to_count=False)
    step.update(rounds_since_count=0)
    step.done_duty("count_deck", deck_id)


def one_more_round(step: Step, deck_id: str) -> None:
    """A round with a card out; a void one counts too. Says when a count has become compulsory."""
    step.update(
        rounds_since_count=step.state.rounds_since_count + 1,
        decks=tuple(
            replace(
                deck,
                table_rounds=deck.table_rounds + 1,
                rounds_since_count=deck.rounds_since_count + (deck.id == deck_id),
            )
            for deck in step.state.decks
        ),
    )
    deck = step.state.deck(deck_id)
    # Nobody can report a count where the table only listens: it is asked for in every fifth round.
    asked = step.state.listens and step.state.rounds_since_count % EVERY != 0
    if reached(step.state, deck) and not asked:
        data = {"deck": deck_id, "rounds_since_count": step.state.rounds_since_count}
        step.emit("deck.count_due", data, clauses(step.state)[0], subject=f"deck/{deck_id}")


def reached(state: State, deck: Deck | None) -> bool:
    """The number of rounds within which a count is compulsory is used up."""
    two = len(at_table(state)) > 1
    too_long = deck is not None and two and deck.table_rounds >= _EVERY_DECK
    return state.rounds_since_count >= EVERY or too_long


def reached_by_next(state: State) -> bool:
    """Whether one more round uses it up: the round that is locked now."""
    deck = state.deck(state.round.deck) if state.round else None
    two = len(at_table(state)) > 1
    too_long = deck is not None and two and deck.table_rounds + 1 >= _EVERY_DECK
    return state.rounds_since_count + 1 >= EVERY or too_long


def due(state: State) -> bool:
    """The round under way may not go on before its stub is counted."""
    round_ = state.round
    if round_ is None or not round_.cards:
        return False
    return bool(round_.stub) or reached(state, state.deck(round_.deck))


def expected(round_: Round) -> int:
    """52 less what was dealt and set aside."""
    out = sum(not card.place.startswith("stub/") for card in round_.cards)
    return DECK_SIZE - out
