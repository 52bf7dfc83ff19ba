"""Guards of wagers and their chips: may this happen now? Each raises Refused with its clause.

As guards.py: they look at the moment only; an action's own arguments are judged with the action.
"""

from typing import Final

from tablectl.table.state import State
from tablectl.table.step import HOUSE, Refused

COUNT: Final = ("TCP 8.C(2)(b)", "TCP 9.B(2)(b)", "TCP 10.A(3)(b)")
COLLECT: Final = ("TCP 8.C(2)(c)", "TCP 9.B(2)(c)", "TCP 10.A(3)(c)")
RECOUNT: Final = 2  # counts that differ before the floor decides


def bets_are_locked(state: State) -> None:
    """Late is what comes after the lock."""
    if state.round is None or not state.round.was_locked:
        raise Refused('"no more bets" was not said yet: take it, or refuse it', "TCP 7.D")


def chips_are_counted(state: State) -> None:
    """No card before the chips are verified: for every way of dealing."""
    if state.round is not None and state.round.count in ("due", "mismatch"):
        raise Refused("first count the progressive chips (count_progressive)", *COUNT)


def a_win_is_pending(state: State) -> None:
    """TCP 11.D(7)(c): the floor validates what was won at the seat whose turn it is."""
    round_ = state.round
    won = [p for p in round_.due if p.line.wager.endswith("progressive")] if round_ else []
    validated = round_.validated if round_ else ()
    if not any(p.line.returned and (p.seat, p.line.wager) not in validated for p in won):
        raise Refused("no progressive win waits to be validated", "TCP 11.D(7)(c)")


def a_seat_is_in_play(state: State) -> None:
    """TCP 7.C(2): there is a wager that could be abandoned."""
    left = dict(state.round.out) if state.round else {}
    if state.round is None or all(w.seat in left for w in state.round.live_wagers()):
        raise Refused("no wager is in play", "TCP 7.C(2)")


def a_turn_is_under_way(state: State) -> None:
    """A hand is disputed at its turn, before it is paid."""
    if state.round is None or not state.round.due:
        raise Refused("no seat is being settled", "TCP 11.D(3)")


def a_dispute_is_open(state: State) -> None:
    if state.round is None or not state.round.disputes:
        raise Refused("no hand is in dispute", HOUSE)


def no_dispute_is_open(state: State) -> None:
    """A seat that was paid by a misread card is seen to before the cards go."""
    if state.round is not None and state.round.disputes:
        seat = state.round.disputes[0][0]
        raise Refused(f"seat {seat} is in dispute: end that first (end_dispute)", HOUSE)


def not_only_disputes_are_left(state: State) -> None:
    if state.round is not None and state.round.turns and not state.round.due:
        raise Refused("the open seats are in dispute: end that first (end_dispute)", HOUSE)


def no_meter_was_paid(state: State) -> None:
    """After a validated and paid meter award the round cannot be void any more."""
    if state.round is not None and state.round.meter_paid:
        raise Refused("a meter's award is paid: this round stands", HOUSE)


def a_void_seat_is_open(state: State) -> None:
    if state.round is None or not state.round.void_seats:
        raise Refused("no seat of a void round waits to be settled", HOUSE)


def no_void_seat_is_open(state: State) -> None:
    """What a void found late gives and takes back is ticked off seat by seat."""
    if state.round is not None and state.round.void_seats:
        seat = state.round.void_seats[0][0]
        raise Refused(f"seat {seat} is not settled yet after the void (settle_void_seat)", HOUSE)


def a_seat_has_not_decided(state: State) -> None:
    round_ = state.round
    if round_ is None or all(round_.decision(seat) for seat in round_.ante_seats()):
        raise Refused("every seat with an ante has decided", "TCP 11.B")


def a_meter_is_kept(state: State) -> None:
    if not state.meters:
        raise Refused("this table has no meters", HOUSE)


def a_count_is_due(state: State) -> None:
    if state.round is None or state.round.count not in ("due", "mismatch"):
        raise Refused("no progressive chips wait to be counted", *COUNT)


def a_count_differs(state: State) -> None:
    """The dealer counts again before the floor decides."""
    if state.round is None or state.round.count != "mismatch":
        raise Refused("no count of progressive chips differs", *COUNT)
    if state.round.counts < RECOUNT:
        raise Refused("count the chips once more first (count_progressive)", HOUSE, *COUNT)
