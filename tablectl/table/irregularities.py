"""Irregularities and their rulings (TCP 5.D, chapter 13): a row each, with its clauses.

A mandatory void takes effect on report and is never undone. The rows that are not here yet come
with the other dealing modes and games.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tablectl.table import decks
from tablectl.table.lockout import hold, leave_betting
from tablectl.table.phases import ROUND
from tablectl.table.step import HOUSE, Step


@dataclass(frozen=True, slots=True)
class Row:
    """What the rules say about one kind of irregularity."""

    kind: str
    clauses: tuple[str, ...]
    ruling: str
    void: bool = False
    deck: str | None = None  # what becomes of the deck: "reshuffle", "remove_deck"


RULINGS: Final[Mapping[str, Row]] = {
    row.kind: row
    for row in (
        Row(
            "shoe_jam", ("TCP 13.G",),
            "the round is void, wagers go back, the cards leave the shoe and are reshuffled with "
            "those already dealt",
            void=True, deck="reshuffle",
        ),
        Row(
            "incorrect_number_of_cards", ("TCP 13.D",),
            "all hands are void, wagers go back, the cards are reshuffled",
            void=True, deck="reshuffle",
        ),
        Row(
            "duplicate_card", ("TCP 10.G",),
            "the table stops; all hands are void, wagers go back, the deck leaves the table",
            void=True, deck="remove_deck",
        ),
        Row(
            "card_before_lock", (HOUSE,),
            "a card left the shoe before the lock: wagers go back, the cards are reshuffled",
            void=True, deck="reshuffle",
        ),
        Row("shuffler_jam", ("TCP 13.F",), "the cards are reshuffled, counted", deck="reshuffle"),
        Row("drawn_in_error", (HOUSE,), "recorded; the cards stay face down and join the stub"),
    )
}  # fmt: skip


def report(
    step: Step,
    kind: str,
    what: str,
    *,
    deck: str | None = None,
    evidence: Sequence[int] = (),
    stands: bool = False,
) -> None:
    """Record an irregularity and carry out its ruling. `stands`: the round goes on all the same."""
    row = RULINGS[kind]
    round_ = step.state.round
    ruling = row.ruling
    if stands:
        void_already = round_ is not None and round_.void_reason is not None
        ruling = "the round is void already" if void_already else "the round stands"
    data = {
        "round": round_.number if round_ else None,
        "what": what,
        "evidence": list(evidence),
        "ruling": ruling,
    }
    sequence = step.emit(f"irregularity.{kind}", data, *row.clauses)
    if row.void and not stands and round_ is not None and can_be_void(step):
        void(step, kind, row.clauses, deck_duty=row.deck, evidence=(sequence,))
    elif row.deck and deck is not None and not stands:
        _spoil(step, deck, row.deck, row.clauses)


def can_be_void(step: Step) -> bool:
    """Whether the round may still be void by the phase that it is in."""
    return ROUND.row("-void", step.state.phase, step.state) is not None


def void(
    step: Step,
    reason: str,
    clauses: Sequence[str],
    *,
    deck_duty: str | None,
    evidence: Sequence[int] = (),
    **more: Any,
) -> None:
    """Every wager goes back, pending contributions are dropped, what follows becomes a duty."""
    step.update(phase=ROUND.fire("-void", step.state.phase, step.state))
    returned = step.round.live_wagers()
    for wager in returned:
        step.emit(
            "wager.returned",
            {
                "round": step.round.number,
                "seat": wager.seat,
                "wager": wager.wager,
                "cents": wager.cents or None,  # 0: an amount that nobody knows
                "reason": "void",
            },
            *clauses,
        )
    wagers = tuple(
        replace(wager, status="returned") if wager in returned else wager
        for wager in step.round.wagers
    )
    step.update_round(wagers=wagers, pending=(), asked=None, void_reason=reason)
    hold(step)
    leave_betting(step)
    step.open_duty("acknowledge_void", HOUSE)
    if deck_duty is not None:
        _spoil(step, step.round.deck, deck_duty, clauses)
    data = {
        "round": step.round.number,
        "reason": reason,
        "returned": [
            {"seat": w.seat, "wager": w.wager, "cents": w.cents or None} for w in returned
        ],
        "duties": [duty.duty for duty in step.state.duties],
        "evidence": list(evidence),
    }
    step.emit("round.voided", {**data, **more}, *clauses)


def _spoil(step: Step, deck_id: str, duty: str, clauses: Sequence[str]) -> None:
    """The deck may not deal again before it is reshuffled, or not at all."""
    deck = step.state.deck(deck_id)
    if deck is None:
        return
    if decks.PREPARATION.row("spoilt", deck.preparation):
        step.update_deck(deck_id, preparation="used")
    elif deck.preparation == "shuffling":
        decks.move(step, deck, "shuffle_failed")
    step.open_duty(duty, *clauses, deck=deck_id)
