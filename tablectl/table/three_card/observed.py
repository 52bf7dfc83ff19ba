"""What a three-card table that only listens says to an irregularity (a row each).

Nobody can be told what to do, so the ruling is what the record does with the round: where the text
voids by what a device reported, it is void; a round in doubt is never settled, nor its cards shown.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from tablectl.table import listening
from tablectl.table.irregularities import ruling_of, void
from tablectl.table.listening import Observed
from tablectl.table.state import Round
from tablectl.table.step import HOUSE, Step

_UNSETTLED: Final = "the round is not settled from its cards"
OBSERVED: Final[Mapping[str, Observed]] = {
    row.kind: row
    for row in (
        # A stack that is not three voids; another number seen at the end may have been misread.
        Observed("incorrect_number_of_cards", ("TCP 13.D",), _UNSETTLED, doubt=True),
        Observed(
            "shoe_jam", ("TCP 13.G",),
            "void where a stack was still inside; whether one was is not known: " + _UNSETTLED,
            doubt=True,
        ),
        Observed("shuffler_jam", ("TCP 13.F",), "the cards are reshuffled; no round is void"),
        Observed("sequence_gap", (HOUSE,), f"cards may be missing: {_UNSETTLED}", doubt=True),
        Observed("duplicate_card", (HOUSE,), f"one may be misread: {_UNSETTLED}", doubt=True),
        Observed("unreadable_card", (HOUSE,), f"no card is guessed: {_UNSETTLED}", doubt=True),
        Observed(
            "impossible_card", ("TCP 3.A(1)",),
            f"more cards than a deck has: {_UNSETTLED}", doubt=True,
        ),
        Observed(
            "drawn_in_error", ("TCP 13.C",),
            f"which hand each card belongs to is not known: {_UNSETTLED}", doubt=True,
        ),
        Observed("wrong_order", ("TCP 5.F(1)",), "recorded; it is no card of a hand"),
        Observed(
            "stub_incorrect", ("TCP 5.D",), f"the deck is not whole: {_UNSETTLED}", doubt=True
        ),
    )
}  # fmt: skip


def flag(
    step: Step, kind: str, what: str, evidence: Sequence[int] = (), *, stands: bool = False
) -> None:
    """Record an irregularity and raise its alarm, once a round. `stands`: no doubt comes of it."""
    if step.state.round is not None and (kind, what) in step.round.doubts:
        return
    row = OBSERVED[kind]
    if listening.record(step, row, what, evidence, stands=stands):
        doubt(step, kind, what)
    listening.alarm(step, kind, what, *row.clauses)


def doubt(step: Step, kind: str, what: str) -> None:
    """Why the round under way is not settled."""
    if (kind, what) not in step.round.doubts:
        step.update_round(doubts=(*step.round.doubts, (kind, what)))


def is_mixed(round_: Round) -> bool:
    """Whether its cards may be of more than one round: then neither their number nor that one is
    there twice says anything."""
    return any(kind == "sequence_gap" for kind, _ in round_.doubts)


def wrong_stack(step: Step, what: str, evidence: Sequence[int]) -> None:
    """A stack of another number than three: the text voids (TCP 13.D), where the house has it."""
    row = ruling_of(step.state, "incorrect_number_of_cards")
    if not row.void or step.round.void_reason is not None:
        flag(step, row.kind, what, evidence)
        return
    told = Observed(row.kind, row.clauses, row.ruling)
    listening.record(step, told, what, evidence)
    sequence = step.state.sequence
    void(step, row.kind, row.clauses, deck_duty=row.deck, evidence=(sequence,))
    listening.alarm(step, row.kind, f"{what} Return all wagers.", *row.clauses, severity="critical")
