"""Progressive meters: what wagers add, what wins take (TCP 12.E). Exact: no fraction is lost.

Contributions are pending from the lock and posted before the first seat settles; a void drops them.
A meter falls only for a win, or for a correction by two people. A training table moves no meter.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, Final

from tablectl.games import paytables
from tablectl.games.settlement import Line, Meter
from tablectl.table.setup import MeterSetup, Setup
from tablectl.table.state import Contribution, MeterState, Wager
from tablectl.table.step import HOUSE, Refused, Step, quoted

ROYAL_9: Final = "royal_9"
WAGERS: Final = ("progressive", "five_card_progressive", ROYAL_9)  # that feed meters


def new_meter(setup: MeterSetup) -> MeterState:
    """A meter starts at its reset amount (TCP 12.E(3)(b))."""
    return MeterState(setup.name, setup.reset, setup.rate, cents=setup.reset, base=setup.reset)


def meters_of(setup: Setup, wager: str) -> tuple[str, ...]:
    """The meters that a progressive wager feeds."""
    if wager == ROYAL_9:  # all of them, the Must Hit with the rest (MIDI 7.A(9)(a), 12.L, 12.O)
        return tuple(meter.name for meter in setup.meters)
    letter = getattr(setup.rules, wager)
    return paytables.three_card_poker().table(wager, letter).meters if letter else ()


def wager_of(setup: Setup, meter: str) -> str:
    """The wager that feeds a meter and may win it; empty where the rules in force know none."""
    known = setup.rules.metered_wagers
    if not known:
        return ""
    return next((wager for wager in known[:-1] if meter in meters_of(setup, wager)), known[-1])


def contributions(setup: Setup, wagers: Iterable[Wager]) -> tuple[Contribution, ...]:
    """What the locked wagers add to each meter, to the last fraction of a cent."""
    added: dict[str, Fraction] = {}
    wagered: dict[str, int] = {}
    rates = {meter.name: Fraction(meter.rate) for meter in setup.meters}
    for wager in wagers:
        if wager.wager in WAGERS:
            for name in meters_of(setup, wager.wager):
                added[name] = added.get(name, Fraction(0)) + rates[name] * wager.cents
                wagered[name] = wagered.get(name, 0) + wager.cents
    return tuple(
        Contribution(n, f.numerator, f.denominator, wagered[n]) for n, f in sorted(added.items())
    )


def post(step: Step) -> None:
    """The pending contributions reach the meters, before the first seat settles."""
    for pending in step.round.pending:
        meter = step.state.meter(pending.meter)
        assert meter is not None
        so_far = Fraction(meter.contributed_numerator, meter.contributed_denominator)
        total = so_far + Fraction(pending.numerator, pending.denominator)
        whole = int(total) - int(so_far)
        if not step.setup.training:
            meter = step.update_meter(
                meter.name,
                contributed_numerator=total.numerator,
                contributed_denominator=total.denominator,
                cents=meter.cents + whole,
                wagered=meter.wagered + pending.wagered,
            )
        data = {
            "round": step.round.number,
            "meter": meter.name,
            "wager": wager_of(step.setup, meter.name),
            "cents": whole,
            "exact": f"{pending.numerator}/{pending.denominator}",
            "wagered": pending.wagered,
            "shows": meter.cents,
        }
        step.emit("progressive.contributed", {**data, **_training(step)}, "TCP 12.E(3)(a)")
    step.update_round(pending=())


def readings(step: Step) -> dict[str, Meter]:
    """What the meters show now, as settlement wants them."""
    return {meter.name: Meter(meter.cents, meter.reset) for meter in step.state.meters}


def take(step: Step, seat: int, line: Line, *, by_hand: bool = False) -> None:
    """A win leaves its meter; one that was won whole starts again at its reset (TCP 12.E(4))."""
    meter = step.state.meter(line.meter or "")
    assert meter is not None
    left, seed = meter.cents - line.returned, 0
    if line.resets:
        seed = meter.reset - left
        left = meter.reset
    data = {"round": step.round.number, "seat": seat, "meter": meter.name, **_training(step)}
    paid = {"wager": line.wager, "cents": line.returned, "by_hand": by_hand}
    paid["shows"] = meter.cents - (0 if step.setup.training else line.returned)
    step.emit("progressive.paid", {**data, **paid}, line.clause, "TCP 12.E(4)")
    step.update_round(meter_paid=True)
    if step.setup.training:
        return
    step.update_meter(
        meter.name,
        cents=left,
        seeded=meter.seeded + seed,
        awarded=meter.awarded + line.returned,
        hits=meter.hits + 1,
        hand_paid=meter.hand_paid + (line.returned if by_hand else 0),
        trigger=None if line.resets else meter.trigger,  # another is drawn for the new meter
    )
    if line.resets:
        step.emit("progressive.reset", {**data, "cents": left}, "TCP 12.E(3)(b)")


def correct(step: Step, args: Mapping[str, Any]) -> None:
    """Floor and technician together set a meter right, between rounds; the amount is what it
    shall show. The regulator asks that a meter falls for nothing else but a win."""
    meter = step.state.meter(args["meter"])
    if meter is None:
        known = ", ".join(m.name for m in step.state.meters) or "none"
        raise Refused(f"there is no meter {quoted(args['meter'])}; known: {known}", malformed=True)
    if step.setup.training:
        raise Refused("a training table has no real meters to correct", HOUSE)
    cents = args["cents"]
    if cents < 0 or cents == meter.cents:
        raise Refused("give the cents that the meter shall show, 0 or more", malformed=True)
    by = cents - meter.cents
    step.update_meter(meter.name, cents=cents, corrected=meter.corrected + by)
    data = {"meter": meter.name, "was": meter.cents, "cents": cents, "by": by}
    step.emit("progressive.corrected", {**data, "reason": args["reason"]}, HOUSE)


def _training(step: Step) -> dict[str, bool]:
    """Events of a training table say that no real meter moved."""
    return {"training": True} if step.setup.training else {}
