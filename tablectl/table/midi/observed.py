"""What a listening table says to an irregularity (a row each): it alarms, and blocks nothing.

Nobody can be told what to do, so the ruling is what the record does with the round. A round whose
cards are in doubt is never settled from them.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from tablectl.table import listening
from tablectl.table.listening import Observed
from tablectl.table.midi.shoe import hands_of, update_hands
from tablectl.table.step import HOUSE, Step

_UNSETTLED: Final = "the round is not settled from its cards"
OBSERVED: Final[Mapping[str, Observed]] = {
    row.kind: row
    for row in (
        Observed(
            "result_mismatch", ("MIDI 11.A",),
            "the result stands as computed from the cards, not as the shoe has it",
        ),
        Observed("sequence_gap", (HOUSE,), f"cards may be missing: {_UNSETTLED}", doubt=True),
        Observed("wrong_order", ("MIDI 8.C",), "recorded; each card counts where the shoe put it"),
        Observed(
            "duplicate_card", ("MIDI 8.C", "MIDI 9.C"),
            f"which card lies there is not known: {_UNSETTLED}", doubt=True,
        ),
        Observed("unauthorised_third_card", ("MIDI 13.B", "MIDI 13.C"), _UNSETTLED, doubt=True),
        Observed("incorrect_number_of_cards", ("MIDI 9.B(1)",), _UNSETTLED, doubt=True),
        Observed("impossible_card", ("MIDI 3.A",), f"perhaps misread: {_UNSETTLED}", doubt=True),
        Observed("unreadable_card", (HOUSE,), f"no card is guessed: {_UNSETTLED}", doubt=True),
        Observed("drawn_in_error", ("MIDI 13.A",), "recorded; it belongs to no hand"),
    )
}  # fmt: skip


def flag(
    step: Step,
    kind: str,
    what: str,
    evidence: Sequence[int] = (),
    *,
    stands: bool = False,
    between: bool = False,
) -> None:
    """Record an irregularity and raise its alarm. `stands`: the round is in no doubt for it.

    `between`: it belongs to no round, though the cards of the last one may still lie there.
    """
    row = OBSERVED[kind]
    if listening.record(step, row, what, evidence, stands=stands, between=between):
        update_hands(step, doubts=(*hands_of(step).doubts, what))
    listening.alarm(step, kind, what, *row.clauses)
