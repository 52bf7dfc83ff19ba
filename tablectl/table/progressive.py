"""Progressive meters: what wagers add, what wins take (TCP 12.E). Exact: no fraction is lost.

Contributions are pending from the lock and posted before the first seat settles; a void drops them.
Accepting devices, chip counts and validation come with the progressive system.
"""

from collections.abc import Iterable
from fractions import Fraction

from tablectl.games import paytables
from tablectl.games.settlement import Line, Meter
from tablectl.table.setup import MeterSetup, Setup
from tablectl.table.state import Contribution, MeterState, Wager
from tablectl.table.step import Step


def new_meter(setup: MeterSetup) -> MeterState:
    """A meter starts at its reset amount (TCP 12.E(3)(b))."""
    return MeterState(setup.name, setup.reset, setup.rate, cents=setup.reset, base=setup.reset)


def meters_of(setup: Setup, wager: str) -> tuple[str, ...]:
    """The meters that a progressive wager feeds."""
    letter = getattr(setup.rules, wager)
    return paytables.three_card_poker().table(wager, letter).meters if letter else ()


def contributions(setup: Setup, wagers: Iterable[Wager]) -> tuple[Contribution, ...]:
    """What the locked wagers add to each meter, to the last fraction of a cent."""
    added: dict[str, Fraction] = {}
    rates = {meter.name: Fraction(meter.rate) for meter in setup.meters}
    for wager in wagers:
        if wager.wager in ("progressive", "five_card_progressive"):
            for name in meters_of(setup, wager.wager):
                added[name] = added.get(name, Fraction(0)) + rates[name] * wager.cents
    return tuple(Contribution(n, f.numerator, f.denominator) for n, f in sorted(added.items()))


def post(step: Step) -> None:
    """The pending contributions reach the meters, before the first seat settles."""
    for pending in step.round.pending:
        meter = step.state.meter(pending.meter)
        assert meter is not None
        so_far = Fraction(meter.contributed_numerator, meter.contributed_denominator)
        total = so_far + Fraction(pending.numerator, pending.denominator)
        whole = int(total) - int(so_far)
        meter = step.update_meter(
            meter.name,
            contributed_numerator=total.numerator,
            contributed_denominator=total.denominator,
            cents=meter.cents + whole,
        )
        data = {
            "round": step.round.number,
            "meter": meter.name,
            "cents": whole,
            "exact": f"{pending.numerator}/{pending.denominator}",
            "shows": meter.cents,
        }
        step.emit("progressive.contributed", data, "TCP 12.E(3)(a)")
    step.update_round(pending=())


def readings(step: Step) -> dict[str, Meter]:
    """What the meters show now, as settlement wants them."""
    return {meter.name: Meter(meter.cents, meter.reset) for meter in step.state.meters}


def take(step: Step, seat: int, line: Line) -> None:
    """A win leaves its meter; one that was won whole starts again at its reset (TCP 12.E(4))."""
    meter = step.state.meter(line.meter or "")
    assert meter is not None
    data = {"round": step.round.number, "seat": seat, "meter": meter.name}
    step.emit("progressive.paid", {**data, "cents": line.returned}, line.clause, "TCP 12.E(4)")
    left, seed = meter.cents - line.returned, 0
    if line.resets:
        seed = meter.reset - left
        left = meter.reset
    step.update_meter(
        meter.name,
        cents=left,
        seeded=meter.seeded + seed,
        awarded=meter.awarded + line.returned,
        hits=meter.hits + 1,
    )
    if line.resets:
        step.emit("progressive.reset", {**data, "cents": left}, "TCP 12.E(3)(b)")
