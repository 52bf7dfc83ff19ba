"""Settlement (MIDI chapter 11): losing wagers first, then vigorish and payment from seat to seat.

The whole round is computed once, from cards that lie face up; one seat's confirmed payment is the
next seat's turn. Where only the seats are followed, an unknown amount is settled as one unit, and
odds are told, no money.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tablectl.games import midi_baccarat as game
from tablectl.games.settlement import Line
from tablectl.table import must_hit, progressive
from tablectl.table.by_hand import settle_by_hand
from tablectl.table.lockout import leave_betting
from tablectl.table.midi import accounts, ending, vigorish
from tablectl.table.midi.betting import PROGRESSIVE
from tablectl.table.midi.guards import turn
from tablectl.table.midi.shoe import hand, hands_of, rules_of, update_hands
from tablectl.table.phases import ROUND
from tablectl.table.state import Payment
from tablectl.table.step import Refused, Step


def begin(step: Step) -> None:
    """Both hands are complete: the result is announced, and every losing wager collected."""
    step.update(phase=ROUND.fire("-complete", step.state.phase, step.state))
    step.update_round(revealed=True)
    call = accounts.called(rules_of(step), hand(step, "player"), hand(step, "banker"))
    words, clauses = (call[0], ("MIDI 11.A", call[1])) if call else (None, ("MIDI 11.A",))
    data = {**accounts.hands_and_points(step), "announced": words}
    step.emit("round.revealed", data, *clauses)
    progressive.post(step)
    ending.hand_completed(step)
    reckon(step)


def reckon(step: Step) -> None:
    """What every open wager comes to; the losing ones are collected (MIDI 11.B)."""
    payments = _payments(step)
    seats = {p.seat for p in payments if p.line.outcome != "lose"}
    order = game.settlement_order(rules_of(step), seats)
    step.update_round(due=payments, turns=order, validated=())
    _tell_hits(step)
    # The Royal 9 wager that won the Must Hit meter stays until that is paid.
    kept = (hands_of(step).must_hit, PROGRESSIVE)
    losing = [p for p in payments if p.line.outcome == "lose" and (p.seat, p.line.wager) != kept]
    for payment in losing:
        _end(step, payment, "MIDI 11.B")
    step.update_round(due=tuple(p for p in payments if p not in losing))
    _go_on(step)


def _payments(step: Step) -> tuple[Payment, ...]:
    """Every line of the round, as the game itself settles it."""
    printed = dict(step.setup.printed_king_9)
    # A king and nine counts as printed whether or not anybody plays there (MIDI 12.K).
    stakes: dict[int, dict[str, int]] = {seat: {} for seat in printed}
    for wager in step.round.live_wagers():
        stakes.setdefault(wager.seat, {})[wager.wager] = wager.cents
    seats = [game.MidiSeat(seat, wagers, printed.get(seat)) for seat, wagers in stakes.items()]
    player, banker = hand(step, "player"), hand(step, "banker")
    settled = game.settle_round(rules_of(step), player, banker, seats, progressive.readings(step))
    payments = [Payment(result.seat, line) for result in settled.seats for line in result.lines]
    award = must_hit.decide(step, PROGRESSIVE)
    if award is not None:
        update_hands(step, must_hit=award.seat)
        payments.append(award)
    return tuple(payments)


def _tell_hits(step: Step) -> None:
    """Wins from a meter are told as they are recognised, each once, and stand as PENDING."""
    for payment in step.round.due:
        won = (payment.seat, payment.line.wager, payment.line.returned)
        if payment.line.meter is None or won in step.round.told:
            continue
        step.update_round(told=(*step.round.told, won))
        of_trigger = payment.line.meter == must_hit.METER
        more = must_hit.opened(step, PROGRESSIVE) if of_trigger else {}
        data = {**_award(step, payment), "status": "PENDING", **more}
        step.emit("progressive.hit", data, payment.line.clause)


def _award(step: Step, payment: Payment) -> dict[str, Any]:
    """An award from a meter, as its events tell it."""
    line = payment.line
    data = {"round": step.round.number, "seat": payment.seat, "meter": line.meter}
    return {**data, "wager": line.wager, "cents": line.returned}


def validate(step: Step, args: Mapping[str, Any]) -> None:
    """The floor validates a meter award at its seat's turn, before it is paid."""
    seat, meter = args["seat"], args["meter"]
    award = next((p for p in step.round.due if (p.seat, p.line.meter) == (seat, meter)), None)
    if award is None or seat != turn(step.round):
        raise Refused(f"seat {seat} has no award from that meter now", "MIDI 12.K", malformed=True)
    won = (seat, award.line.wager)
    if won in step.round.validated:
        raise Refused(f"seat {seat}'s award is validated already: pay it", "MIDI 12.K")
    step.update_round(validated=(*step.round.validated, won))
    step.emit("progressive.validated", _award(step, award), award.line.clause)


def confirm(step: Step, args: Mapping[str, Any]) -> None:
    """The dealer has marked or collected the vigorish, and paid (MIDI 11.B(1), 11.B(2))."""
    seat, now = args["seat"], turn(step.round)
    if seat != now:
        raise Refused(f"seat {now} is paid now", "MIDI 11.B(1)", "MIDI 11.B(3)")
    due = [p for p in step.round.due if p.seat == seat]
    for payment in due:
        meter = payment.line.meter
        if meter is not None and (seat, payment.line.wager) not in step.round.validated:
            raise Refused(
                f"the floor validates seat {seat}'s award from {meter} first", "MIDI 12.K"
            )
    step.update_round(
        turns=tuple(s for s in step.round.turns if s != seat),
        due=tuple(p for p in step.round.due if p.seat != seat),
    )
    for payment in due:
        _end(step, payment, "MIDI 11.B(2)")
    _go_on(step)


def _end(step: Step, payment: Payment, clause: str) -> None:
    """A wager ends here, once, with its money and its clause."""
    seat, line = payment.seat, payment.line
    known = all(w.known for w in step.round.wagers if (w.seat, w.wager) == (seat, line.wager))
    _ended(step, seat, line.wager)
    step.update_round(paid=(*step.round.paid, payment))
    data = {"round": step.round.number, "seat": seat, "wager": line.wager}
    data |= {"cents": line.stake if known else None, "outcome": line.outcome}
    data |= {"returned": line.returned if known else None, "odds": line.odds}
    data |= {"vigorish": line.vigorish if known else None}
    if line.wager != must_hit.METER:  # which takes no wager of its own (MIDI 7.A(9)(a))
        step.emit("wager.settled", data, line.clause, clause)
    if line.meter is not None:
        progressive.take(step, seat, line)
    if line.vigorish and known and rules_of(step).vigorish_collection == "marked":
        vigorish.mark(step, seat, line.vigorish)


def by_hand(step: Step, args: Mapping[str, Any]) -> None:
    """As at every table; a Must Hit that was revealed is paid whole, and with its seat."""
    meter = step.state.meter(must_hit.METER)
    won = meter is not None and args["seat"] == hands_of(step).must_hit
    if won and meter and (args.get("meter"), args.get("award")) != (meter.name, meter.cents):
        raise Refused(
            f"seat {args['seat']} won the {meter.name} meter: pay and name its {meter.cents} "
            "cents (meter, award) with the rest", "MIDI 12.N(1)(a)", malformed=True,
        )  # fmt: skip
    if not won and args.get("meter") == must_hit.METER:
        raise Refused(f"seat {args['seat']} did not win that meter", "MIDI 12.N", malformed=True)
    settle_by_hand(step, args)


def _ended(step: Step, seat: int, wager: str) -> None:
    wagers = tuple(
        replace(w, status="settled")
        if (w.seat, w.wager, w.status) == (seat, wager, "locked")
        else w
        for w in step.round.wagers
    )
    step.update_round(wagers=wagers)


def _go_on(step: Step) -> None:
    """When the last seat is paid, the account of the round is written."""
    if step.round.turns or step.round.by_hand:
        return
    step.update(phase=ROUND.fire("-all_settled", step.state.phase, step.state))
    if step.setup.tracking != "wagers" and not _amounts_are_known(step):
        accounts.settle_by_odds(step, inferred=False)
        return
    lines: dict[int, list[Line]] = defaultdict(list)
    for payment in step.round.paid:
        lines[payment.seat].append(payment.line)
    data = {
        **accounts.hands_and_points(step),
        "seats": [
            {
                "seat": seat,
                "returned": sum(line.returned for line in lines[seat]),
                "lines": [_public(line) for line in lines[seat]],
            }
            for seat in sorted(lines)
        ],
        "order": list(game.settlement_order(rules_of(step), lines)),
        "meters": {meter.name: meter.cents for meter in step.state.meters},
    }
    step.emit("round.settled", data, "MIDI 11.A", "MIDI 11.B")


def _amounts_are_known(step: Step) -> bool:
    wagers = step.round.wagers
    return bool(wagers) and all(wager.known for wager in wagers)


def _public(line: Line) -> dict[str, Any]:
    return dict(zip(Line._fields[:7], line[:7], strict=True))


def clear(step: Step, _args: Mapping[str, Any]) -> None:
    """The cards go to the discard bucket (MIDI 11.C); a void hand with cards out counts as one."""
    round_ = step.round
    if round_.void_reason and round_.cards and not round_.revealed:
        ending.hand_completed(step)
    leave_betting(step)
    step.update(round=None)
    step.emit("round.cleared", {"round": round_.number}, "MIDI 11.C")
    ending.shoe_is_over(step)
