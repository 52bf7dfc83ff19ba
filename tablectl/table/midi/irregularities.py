"""Irregularities at a Midi table and their rulings (MIDI chapter 13): a row each, with its clauses.

The effects are few: a card is carried to the next round, moved to another hand, set aside for a
simulated round, or discarded; a round is void; the decks are changed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tablectl.table.halts import halt
from tablectl.table.inputs import ReadCard
from tablectl.table.irregularities import void
from tablectl.table.midi.shoe import (
    burn,
    draw,
    hands_of,
    shoe_of,
    told,
    too_many,
    update_hands,
    update_shoe,
)
from tablectl.table.midi.state import BEFORE_A_CARD
from tablectl.table.state import TableCard
from tablectl.table.step import HOUSE, Step


@dataclass(frozen=True, slots=True)
class Row:
    """What the rules say about one case."""

    kind: str
    clauses: tuple[str, ...]
    ruling: str
    void: bool = False
    new_decks: bool = False


RULINGS: Final[Mapping[str, Row]] = {
    "drawn_in_error": Row(
        "drawn_in_error", ("MIDI 13.A",), "the card is kept unseen, the first of the next hand",
    ),
    "third_to_banker": Row(
        "unauthorised_third_card", ("MIDI 13.B(1)",),
        "the card is the third card of the Banker's hand",
    ),
    "third_to_player": Row(
        "wrong_order", (HOUSE,), "the card is the third card of the Player's hand",
    ),
    "third_kept": Row(
        "unauthorised_third_card", ("MIDI 13.B(2)",),
        "the card is kept unseen, the first of the next hand",
    ),
    "shown_third_to_banker": Row(
        "disclosed_card", ("MIDI 13.C(1)",), "the card is the third card of the Banker's hand",
    ),
    "shown_third_discarded": Row(
        "disclosed_card", ("MIDI 13.C(2)(a)",),
        "the card goes to the discard bucket, and one more with it, face down",
    ),
    "shown_third_simulated": Row(
        "disclosed_card", ("MIDI 13.C(2)(b)",), "the card is the first of a simulated round",
    ),
    "shown_first": Row(
        "disclosed_card", ("MIDI 13.D(1)", "MIDI 13.D(2)"),
        "wagers go back, and the card is the first of a simulated round", void=True,
    ),
    "shown_later": Row(
        "disclosed_card", ("MIDI 13.D(1)",),
        "the card is set aside and the next one replaces it; then it is the first of a simulated "
        "round",
    ),
    "shown_between": Row(
        "disclosed_card", ("MIDI 13.D(1)",), "the card is the first of a simulated round",
    ),
    "shown_plays": Row(
        "disclosed_card", (HOUSE,),
        "it was dealt unseen, and the hands are being turned: it plays; recorded",
    ),
    "cards_run_out": Row(
        "cards_run_out", ("MIDI 13.E(1)", "MIDI 13.E(2)"),
        "the round is void, wagers go back, all the cards are replaced", void=True, new_decks=True,
    ),
    "shoe_jam": Row(
        "shoe_jam", (HOUSE,),
        "the cards go in their order into another shoe, the floor watching; the round stands",
    ),
    "order_lost": Row(
        "shoe_jam", (HOUSE,), "the order is lost: the round is void, all the cards are replaced",
        void=True, new_decks=True,
    ),
    "impossible_card": Row(
        "impossible_card", ("MIDI 3.A",),
        "the table stops and the floor looks: misread, it is corrected; real, the round is void",
    ),
    "unreadable_card": Row("unreadable_card", (HOUSE,), "it is entered when it lies face up"),
    "sequence_gap": Row("sequence_gap", (HOUSE,), "the dealer enters what the shoe did not tell"),
    "result_mismatch": Row(
        "result_mismatch", ("MIDI 11.A",), "the result stands as computed from the cards",
    ),
    "wrong_order": Row("wrong_order", ("MIDI 8.C",), "recorded; the order of dealing decides"),
    "cover_in_burn": Row(
        "wrong_order", ("MIDI 5.C(1)", "MIDI 5.D"), "the cards are cut again before play",
    ),
}  # fmt: skip


def report(step: Step, case: str, what: str, evidence: Sequence[int] = (), kind: str = "") -> int:
    """Record an irregularity with its ruling, and void the round where the ruling says so."""
    row, round_ = RULINGS[case], step.state.round
    data = {
        "round": round_.number if round_ else None,
        "what": what,
        "evidence": list(evidence),
        "ruling": row.ruling,
    }
    name = kind or row.kind
    sequence = step.emit(f"irregularity.{name}", data, *row.clauses)
    if row.new_decks:
        step.open_duty("change_decks", *row.clauses)
    if row.void and round_ is not None:
        void(step, name, row.clauses, deck_duty=None, evidence=(sequence,))
    return sequence


# ── where a card goes ──────────────────────────────────────────────────────
def _next_place(step: Step) -> str:
    numbers = [int(card.place.partition("/")[2]) for card in step.state.carried]
    return f"carried/{max(numbers, default=0) + 1}"


def _keep(step: Step, card: TableCard) -> None:
    """What comes before the first card of a round belongs to it, what comes later to the next."""
    step.update(carried=(*step.state.carried, card))
    if step.state.round is not None and step.state.phase not in BEFORE_A_CARD:
        update_hands(step, kept=(*hands_of(step).kept, card.draw))


def carry_new(step: Step, read: ReadCard, *, up: bool = False) -> tuple[TableCard, int]:
    """A card that left the shoe for no hand is kept for the next round (MIDI 13.A)."""
    taken = draw(step, read, _next_place(step), up=up)
    _keep(step, taken)
    sequence = told(step, taken, "MIDI 13.A")
    if up:
        _show(step, taken)
    return taken, sequence


def carry(step: Step, card: TableCard, *clauses: str, up: bool | None = None) -> TableCard:
    """A card of the round is kept for the next one."""
    place = _next_place(step)
    moved = replace(card, place=place, up=card.up if up is None else up)
    step.update_round(cards=tuple(c for c in step.round.cards if c.draw != card.draw))
    _keep(step, moved)
    data = {"round": step.round.number, "draw": card.draw, "from": card.place, "to": place}
    step.emit("card.moved", data, *clauses)
    if moved.up and not card.up:
        _show(step, moved)
    return moved


def _show(step: Step, card: TableCard) -> None:
    """A disclosed card is no secret any more; nothing is said of one that nobody told."""
    if card.card is not None:
        number = step.state.round.number if step.state.round else None
        data = {"round": number, "draw": card.draw, "place": card.place, "card": card.card}
        step.emit("card.revealed", {**data, "salt": card.salt}, "MIDI 13.D")


def disclose_carried(step: Step, card: TableCard) -> None:
    """A card that was kept unseen is disclosed while it waits."""
    shown = replace(card, up=True)
    step.update(carried=tuple(shown if c.draw == card.draw else c for c in step.state.carried))
    _show(step, shown)


def discard_shown(step: Step, card: TableCard) -> None:
    """The disclosed card goes to the bucket; the next one follows it unseen (13.C(2)(a))."""
    shoe = update_shoe(step, burned=shoe_of(step).burned + 1, discard=True)
    shown = replace(card, up=True, place=f"burn/{shoe.burned + 1}")
    step.update(carried=tuple(c for c in step.state.carried if c.draw != card.draw))
    kept = sorted((*step.round.cards, shown), key=lambda each: each.draw)
    step.update_round(cards=tuple(kept))
    burn(step, shown, "MIDI 13.C(2)(a)")


def stray(step: Step, read: ReadCard, *, third: bool) -> TableCard:
    """A card that no hand was due: kept for the next round, whatever it is. `third`: dealt to the
    Player's hand, as far as anybody can say."""
    taken, sequence = carry_new(step, read)
    if third:
        update_hands(step, stray=taken.draw)
        report(step, "third_kept", "A third card was drawn that no hand was due.", [sequence])
    else:
        report(step, "drawn_in_error", "A card was drawn that no hand was due.", [sequence])
    return taken


def count_copies(step: Step, taken: TableCard) -> None:
    """One copy too many is a misread, or a card that does not belong here: the table stops."""
    if not too_many(step, taken):
        return
    # Neither the card nor its place is named while it lies face down.
    what = "A card was read more often than the shoe can hold it; the floor looks at the cards."
    report(step, "impossible_card", what)
    if step.state.round is not None:
        update_hands(step, doubts=(*hands_of(step).doubts, what))
    halt(step, "impossible_card", what)
