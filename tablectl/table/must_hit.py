"""Must Hit (MIDI 12.N, 12.O): a hidden trigger gives a meter to one of those who fed it.

The table asks for a trigger whenever such a meter has none (`wanted`); the daemon draws it and
feeds it in. Until it is hit only its commitment leaves the table. It is decided when a round
settles, so a void round can hit nothing; at its maximum the meter is hit whatever the trigger says.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from tablectl.games import paytables
from tablectl.games.settlement import from_meter, line
from tablectl.table import progressive
from tablectl.table.inputs import Drawn
from tablectl.table.seal import trigger_commitment
from tablectl.table.state import MeterState, Payment, State, Trigger
from tablectl.table.step import HOUSE, Refused, Step

METER: Final = "must_hit"
_SEAT_DOMAIN: Final = b"tablectl-must-hit-seat-1"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A trigger that the table asks for: any whole number of cents from `least` to `most`."""

    meter: str
    least: int
    most: int


def wanted(state: State) -> Wanted | None:
    """What is to be drawn now, if anything. A table that moves no meter asks for nothing."""
    setup, meter = state.setup, state.meter(METER)
    if setup is None or meter is None or meter.trigger is not None or not meter.maximum:
        return None
    if setup.training or setup.tracking == "cards":
        return None
    return Wanted(METER, meter.reset + 1, meter.maximum)


def arm(step: Step, drawn: Drawn) -> None:
    """A trigger came in: sealed from here on, until it is hit."""
    ask = wanted(step.state)
    cents, salt = drawn.trigger.cents, drawn.trigger.salt
    if ask is None or ask.meter != drawn.meter:
        raise Refused("no trigger is wanted for that meter", "MIDI 12.N", malformed=True)
    if not ask.least <= cents <= ask.most:
        raise Refused("the trigger drawn is out of bounds", "MIDI 12.O(2)", malformed=True)
    sealed = trigger_commitment(cents, salt)
    step.update_meter(ask.meter, trigger=Trigger(sealed, cents, salt, ask.least, ask.most))
    data = {"meter": ask.meter, "commitment": sealed, "least": ask.least, "most": ask.most}
    step.emit("progressive.sealed", data, "MIDI 12.N", "MIDI 12.O(2)")


def is_armed(state: State) -> None:
    """A guard: no wager is taken for a meter that nothing could hit."""
    if wanted(state) is not None:
        raise Refused("the Must Hit meter has no trigger yet: try again", "MIDI 12.N")


def reached(meter: MeterState) -> bool:
    """Whether the meter must be given away."""
    trigger = meter.trigger
    return trigger is not None and meter.cents >= min(trigger.cents, meter.maximum or trigger.most)


def winner(salt: str, round_number: int, seats: Sequence[int]) -> int:
    """The seat that wins: drawn with the trigger, told by its salt, open to all once revealed.

    SHA-256(domain || 32 salt bytes || the round as 8 bytes, big-endian), as a number modulo how
    many seats took part, counts from the lowest of them.
    """
    digest = sha256(_SEAT_DOMAIN + bytes.fromhex(salt) + round_number.to_bytes(8, "big")).digest()
    return sorted(seats)[int.from_bytes(digest, "big") % len(seats)]


def decide(step: Step, wager: str) -> Payment | None:
    """The award of a hit, from what the meter shows with this round's wagers in it (12.N(1)(a))."""
    meter = step.state.meter(METER)
    seats = sorted(w.seat for w in step.round.live_wagers() if w.wager == wager)
    if meter is None or meter.trigger is None or not seats or not reached(meter):
        return None
    [row] = paytables.midi_baccarat().table(METER).rows
    award = from_meter(row, progressive.readings(step))
    return Payment(winner(meter.trigger.salt, step.round.number, seats), line((row, 0, award, 0)))


def void_hit(step: Step) -> None:
    """A hit in a round that is found void late: no award. The trigger is known by now, so another
    is drawn; the meter keeps what it shows."""
    meter, round_ = step.state.meter(METER), step.round
    told = [(seat, cents) for seat, wager, cents in round_.told if wager == METER]
    if meter is None or meter.trigger is None or not told:
        return
    [(seat, cents)] = told
    step.update_meter(METER, trigger=None)
    data = {"round": round_.number, "seat": seat, "meter": METER, "cents": cents}
    step.emit("progressive.void_hit", data, HOUSE)


def opened(step: Step, wager: str) -> dict[str, object]:
    """What the event of a hit adds, so that anybody can check trigger and seat."""
    meter = step.state.meter(METER)
    assert meter is not None
    assert meter.trigger is not None
    trigger = meter.trigger
    seats = sorted(w.seat for w in step.round.live_wagers() if w.wager == wager)
    told = {"trigger": trigger.cents, "salt": trigger.salt, "commitment": trigger.commitment}
    return {**told, "seats": seats}
