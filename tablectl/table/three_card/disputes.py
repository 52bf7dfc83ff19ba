"""A three-card hand in doubt after the reveal: disputed, corrected, or the round void, found late.

A disputed seat waits, and so does every later claim on its meter; the others are settled. What all
games do alike stands in table/disputes.py.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from tablectl.cards import Card, UnknownCard, parse_card
from tablectl.table import disputes, stub
from tablectl.table.irregularities import Row, ruling_of
from tablectl.table.outputs import Ruling
from tablectl.table.state import TableCard
from tablectl.table.step import HOUSE, Refused, Step, quoted, split_basis
from tablectl.table.three_card import game, settling

# What makes a round void although it is found only after the reveal.
CAUSES: Final = (
    "incorrect_number_of_cards", "more_face_up_cards", "face_up_card", "dealer_card_exposed",
    "misdeal", "stub_incorrect", "shoe_jam", "duplicate_card",
)  # fmt: skip


# ── disputes ───────────────────────────────────────────────────────────────
def dispute(step: Step, args: Mapping[str, Any]) -> None:
    """The floor looks into the hand whose turn it is: its cards stay, the others go on."""
    seat, round_ = args["seat"], step.round
    if not round_.due or seat != round_.turns[0]:
        raise Refused(f"seat {seat}'s hand is disputed at its own turn", "TCP 11.D(3)", HOUSE)
    meters = tuple(p.line.meter for p in round_.due if p.line.meter is not None)
    disputes.begin(step, args, meters)
    step.update_round(due=())
    settling.next_turn(step)


def end_dispute(step: Step, args: Mapping[str, Any]) -> None:
    """The floor has decided about the hand; its turn comes next."""
    disputes.end(step, args)
    if step.round.by_hand:  # a seat that was paid by a misread card: the floor has seen to it
        return
    now = step.round.turns[:1] if step.round.due else ()
    rest = [other for other in step.round.turns if other not in now]
    order = (*now, *game.settlement_order(game.rules_of(step), sorted(rest)))
    step.update_round(waiting=(), turns=order)
    settling.next_turn(step)


# ── misread cards ──────────────────────────────────────────────────────────
def correct_card(step: Step, args: Mapping[str, Any]) -> None:
    """Floor and surveillance together: a card is another than was read or entered."""
    value = _named(args.get("card"))
    card = next((c for c in step.round.cards if c.draw == args["draw"]), None)
    if not step.round.revealed:
        _misread_face_down(step, card, args["draw"])
        return
    if card is None or not card.up or value is None or card.card in (None, value):
        raise Refused(f"draw {args['draw']} is no face-up card with another value", malformed=True)
    if any(other.up and other.card == value for other in step.round.cards):
        raise Refused(f"{value} lies face up elsewhere: correct that one first", "TCP 3.A(1)")
    disputes.put_card(step, replace(card, card=value))
    data = {"round": step.round.number, "draw": card.draw, "place": card.place, "card": value}
    step.emit("card.corrected", {**data, "was": card.card}, HOUSE)
    if step.round.doubt and not settling.one_card_twice(step.round):
        step.update_round(doubt=False, by_hand=False)
    moved = _money_moved(step, card.place)
    if moved:
        disputes.settled_by_hand(step, moved)
        return
    step.update_round(due=(), validated=(), waiting=())
    settling.next_turn(step)


def _named(card: str | None) -> Card | None:
    try:
        return parse_card(card) if card is not None else None
    except UnknownCard as error:
        raise Refused(str(error), malformed=True) from None


def _misread_face_down(step: Step, card: TableCard | None, draw: int) -> None:
    """Its value is unknown from here on: a new one could not be sealed, and would be told."""
    if card is None or card.card is None:
        raise Refused(f"draw {draw} is no card that was read", malformed=True)
    disputes.put_card(step, replace(card, card=None, salt=None, commitment=None))
    where = {"round": step.round.number, "draw": card.draw, "place": card.place}
    what = "misread: unknown until it lies face up, then entered"
    step.emit("card.corrected", {**where, "commitment": None, "what": what}, HOUSE)
    known = [c.card for c in step.round.cards if c.card is not None]
    step.update_round(doubt=len(known) != len(set(known)))


def _money_moved(step: Step, place: str) -> list[int]:
    """The seats that were paid or collected by this card: its owner's, or all by the dealer's."""
    paid = sorted({p.seat for p in step.round.paid if p.line.outcome != "forfeit"})
    owner, _, rest = place.partition("/")
    return [s for s in paid if owner != "seat" or s == int(rest.partition("/")[0])]


# ── void, found late ───────────────────────────────────────────────────────
def void_found_late(step: Step, args: Mapping[str, Any]) -> None:
    """The ruling is shown first; confirmed, the list says what each seat is to get or give."""
    row = _found(step, args["cause"])
    if not args.get("confirm"):
        step.ruling = Ruling(row.ruling, split_basis(step.cite(row.clauses))[0])
        return
    seats = disputes.owed_back(step, game.WITHOUT_STAKE)
    disputes.void_late(step, row, args["reason"], tuple(seats.items()), deck_duty=row.deck)


def _found(step: Step, cause: str) -> Row:
    """The ruling on what was found, with the clauses of how the cards were dealt."""
    if cause not in CAUSES:
        raise Refused(f"{quoted(cause)} voids no round here", malformed=True)
    if cause == "face_up_card" and step.round.face_up and game.is_poker(step):
        cause = "more_face_up_cards"  # one was known already: TCP 13.B
    row = ruling_of(step.state, cause)
    *_, misdealt, not_52 = stub.clauses(step.state)
    if cause == "duplicate_card":  # as a deck that is not 52: it leaves the table
        return replace(row, void=True, deck="remove_deck", clauses=(not_52, HOUSE))
    if not row.void:
        more = " (more than one: more_face_up_cards)" if cause == "face_up_card" else ""
        raise Refused(f"{quoted(cause)} voids no round here{more}", malformed=True)
    by_count = {"misdeal": (misdealt,), "stub_incorrect": (not_52,)}
    return replace(row, clauses=by_count.get(cause, row.clauses))
