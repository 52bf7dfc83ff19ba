"""A hand in doubt after the reveal: disputed, its card corrected, or the round void, found late.

House procedure throughout: the texts give irregularities, not how a late one is undone. What every
game does alike stands here; whose turn comes next, and what voids a round, is the game's to say.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tablectl.table.halts import end_by_hand
from tablectl.table.irregularities import Row, void
from tablectl.table.state import TableCard
from tablectl.table.step import HOUSE, Refused, Step

GiveTake = Sequence[tuple[int, int]]  # by seat: cents to give (above 0) or to take back (below)


# ── disputes ───────────────────────────────────────────────────────────────
def begin(step: Step, args: Mapping[str, Any], meters: tuple[str, ...]) -> None:
    """The floor looks into a hand: it waits, with its claims on meters, and is not validated."""
    seat, round_ = args["seat"], step.round
    validated = tuple(won for won in round_.validated if won[0] != seat)
    step.update_round(disputes=(*round_.disputes, (seat, meters)), validated=validated)
    data = {"round": round_.number, "seat": seat, "meters": list(meters)}
    step.emit("round.disputed", {**data, "reason": args.get("reason")}, HOUSE)


def end(step: Step, args: Mapping[str, Any]) -> None:
    """The floor has decided about the hand."""
    seat = args["seat"]
    if seat not in dict(step.round.disputes):
        raise Refused(f"seat {seat} is not in dispute", HOUSE)
    data = {"round": step.round.number, "seat": seat, "reason": args["reason"], "over": True}
    step.emit("round.disputed", data, HOUSE)
    step.update_round(disputes=tuple(d for d in step.round.disputes if d[0] != seat))


def settled_by_hand(step: Step, paid: Sequence[int]) -> None:
    """Money has moved by the wrong card: the floor settles by hand, and sees to each paid seat."""
    asked = tuple((seat, ()) for seat in paid if seat not in dict(step.round.disputes))
    step.update_round(by_hand=True, due=(), disputes=(*step.round.disputes, *asked))
    what = {"round": step.round.number, "seats": list(paid), "reason": "a card was corrected"}
    step.emit("round.disputed", what, HOUSE)
    if step.state.phase == "settling":
        end_by_hand(step)


def put_card(step: Step, card: TableCard) -> None:
    """A card of the round is another than was known; its draw says which."""
    step.update_round(cards=tuple(card if c.draw == card.draw else c for c in step.round.cards))


# ── void, found late ───────────────────────────────────────────────────────
def void_late(step: Step, row: Row, reason: str, seats: GiveTake, *, deck_duty: str | None) -> None:
    """The cause lay before the reveal, and seats are settled: the whole round is void all the same.

    What was posted to the meters stays: a meter falls only for a win or a correction."""
    what = {"round": step.round.number, "what": reason, "ruling": row.ruling}
    sequence = step.emit(f"irregularity.{row.kind}", {**what, "evidence": []}, *row.clauses)
    step.update_round(void_seats=tuple(seats), turns=(), due=(), disputes=(), waiting=())
    told = [{"seat": seat, **_give_take(cents)} for seat, cents in seats]
    void(
        step, row.kind, (*row.clauses, HOUSE), deck_duty=deck_duty, evidence=(sequence,),
        trigger="-void_late", late=True, seats=told,
    )  # fmt: skip


def owed_back(step: Step, without_stake: Sequence[str]) -> dict[int, int]:
    """Seat by seat what is to be given (above 0) or taken back (below), where money has moved."""
    owed: dict[int, int] = {}
    unknown = {w.seat for w in step.round.wagers if not w.known}
    for payment in step.round.paid:
        line = payment.line
        moved = (line.stake if line.wager not in without_stake else 0) - line.returned
        owed[payment.seat] = owed.get(payment.seat, 0) + moved
    return {s: 0 if s in unknown else c for s, c in sorted(owed.items()) if c or s in unknown}


def _give_take(cents: int) -> dict[str, int | None]:
    """0 stands for money that moved and that nobody knows: the floor looks."""
    if not cents:
        return {"give": None, "take": None}
    return {"give": max(cents, 0), "take": max(-cents, 0)}


def settle_void_seat(step: Step, args: Mapping[str, Any]) -> None:
    """The floor ticks a seat off: settled, or not recoverable."""
    seat, recovered = args["seat"], args["recovered"]
    cents = dict(step.round.void_seats).get(seat)
    if cents is None:
        raise Refused(f"seat {seat} has nothing to be given or taken back", malformed=True)
    step.update_round(void_seats=tuple(s for s in step.round.void_seats if s[0] != seat))
    data = {"round": step.round.number, "seat": seat, **_give_take(cents)}
    step.emit("seat.void_settled", {**data, "recovered": recovered}, HOUSE)
