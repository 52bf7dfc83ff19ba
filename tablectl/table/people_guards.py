"""Guards of what people do with the whole table: close, suspend, resume. They only look."""

from tablectl.table.state import State
from tablectl.table.step import HOUSE, Refused


def nothing_is_missing(state: State) -> None:
    """The closing checklist, whole: no duty open, every deck out. Says all that is missing."""
    missing = [
        duty.duty.replace("_", " ") + (f" ({duty.deck})" if duty.deck else "")
        for duty in state.duties
    ]
    missing += [f"remove deck {d.id}" for d in state.decks if d.custody != "removed"]
    if missing:
        clauses = [clause for duty in state.duties for clause in duty.clauses]
        raise Refused(f"before closing: {'; '.join(missing)}", *(clauses or [HOUSE]))


def is_not_suspended(state: State) -> None:
    if state.halt is not None and state.halt.cause == "suspended":
        raise Refused("the table is suspended already", HOUSE)


def training_is_apart(state: State) -> None:
    """A training table has a journal of its own: one cannot become the other."""
    if state.halt is not None and state.halt.cause == "training":
        raise Refused(state.halt.why, HOUSE)
