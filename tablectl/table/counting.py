"""The stub is counted, or a whole deck (TCP 8.F to 8.H, 9.D to 9.H, 10.C to 10.G): right or wrong.

A wrong count is taken once more before the floor; then the hands are counted. Nothing sees a card.
"""

from collections.abc import Mapping
from typing import Any

from tablectl.cards import DECK_SIZE
from tablectl.table.decks import at_table, in_place
from tablectl.table.irregularities import report
from tablectl.table.state import Deck, State
from tablectl.table.step import HOUSE, Refused, Step, quoted
from tablectl.table.stub import clauses, expected, proved


def count(step: Step, args: Mapping[str, Any]) -> None:
    """The dealer counted: the stub in a round, the whole deck between rounds."""
    cards = args["cards"]
    if not 0 <= cards <= 2 * DECK_SIZE:
        raise Refused("cards is how many were counted", malformed=True)
    if step.state.round is None:
        _count_deck(step, args.get("deck"), cards)
    else:
        _count_stub(step, cards)


def _count_stub(step: Step, cards: int) -> None:
    round_ = step.round
    wanted = expected(round_)
    if cards == wanted:
        proved(step, round_.deck)
        step.update_round(stub="")
        _counted(step, cards, wanted, "correct", clauses(step.state)[1])
        return
    again = round_.stub == ""
    step.update_round(stub="recount" if again else "judge")
    data = {"round": round_.number, "cards": cards, "expected": wanted, "again": again}
    step.emit("stub.miscounted", data, clauses(step.state)[2], HOUSE)


def judge(step: Step, args: Mapping[str, Any]) -> None:
    """The hands were counted: misdealt with 52 present, or the deck is not whole."""
    _, _, _, misdealt, incorrect = clauses(step.state)
    wanted = expected(step.round)
    if args["misdealt"]:
        _counted(step, None, wanted, "misdealt", misdealt)
        what = "The stub is wrong, a hand is wrong, and 52 cards are present."
        report(step, "misdeal", what, evidence=[step.state.sequence], by=(misdealt,))
    else:
        _counted(step, None, wanted, "incorrect", incorrect)
        what = "The deck does not hold 52 cards."
        report(step, "stub_incorrect", what, evidence=[step.state.sequence], by=(incorrect,))


def _count_deck(step: Step, named: str | None, cards: int) -> None:
    """A count of the whole deck cures one that is overdue; a wrong one leaves what is settled."""
    deck = step.state.deck(named) if named is not None else _counted_next(step.state)
    if deck is None or deck.custody == "removed":
        raise Refused(f"there is no deck {quoted(named)} here to count", malformed=True)
    right, wrong = clauses(step.state)[1], clauses(step.state)[4]
    if cards == DECK_SIZE:
        proved(step, deck.id)
        _counted(step, cards, DECK_SIZE, "correct", right, deck=deck.id)
        return
    _counted(step, cards, DECK_SIZE, "incorrect", wrong, deck=deck.id)
    first = step.state.rounds - deck.table_rounds + 1
    what = f"Deck {deck.id} holds {cards} cards; its last proof was before round {first}."
    evidence = [step.state.sequence]  # what was settled stands; the deck goes
    report(step, "stub_incorrect", what, evidence=evidence, stands=True, by=(wrong,))
    step.update_deck(deck.id, preparation="used")
    step.done_duty("count_deck", deck.id)
    step.open_duty("remove_deck", wrong, deck=deck.id)
    step.raise_alarm("deck_incorrect", "critical", what, wrong, about=deck.id)


def _counted_next(state: State) -> Deck | None:
    here = [deck for deck in at_table(state) if not deck.latched]
    return in_place(state) or (here[0] if here else None)


def _counted(
    step: Step, cards: int | None, wanted: int, result: str, clause: str, deck: str | None = None
) -> None:
    round_ = step.state.round
    data = {"round": round_.number if round_ else None, "cards": cards, "expected": wanted}
    step.emit("stub.counted", {**data, "result": result, "deck": deck}, clause)
