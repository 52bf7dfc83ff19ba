"""A wager seen after "no more bets" (TCP 2.C(2), 7.E): recorded, told, and never counted.

It goes back whatever the result; a raised wager plays at its locked amount. What was placed in time
and keyed late is the floor's to amend (amend_wager), not this.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tablectl.cards import dollars
from tablectl.table.irregularities import report
from tablectl.table.step import Refused, Step, quoted

ALARM: Final = "late_bet"


def told_by_dealer(step: Step, args: Mapping[str, Any]) -> None:
    """The dealer saw it."""
    seat, wager = args["seat"], args["wager"]
    rules = step.setup.rules
    if not 1 <= seat <= rules.seats:
        raise Refused(f"this table has seats 1 to {rules.seats}", "TCP 2.A", malformed=True)
    if wager not in rules.wagers:
        raise Refused(f"{quoted(wager)} is not offered here", "TCP 7.F", malformed=True)
    if (seat, wager) in step.round.late:
        raise Refused(f"seat {seat}'s late {wager} is known already: give it back", "TCP 7.E")
    record(step, seat, wager, (step.state.sequence,))


def record(step: Step, seat: int, wager: str, evidence: Sequence[int]) -> None:
    """Put it on record: no wager, or no more than what was locked."""
    locked = next((w for w in step.round.live_wagers(seat) if w.wager == wager), None)
    named = wager.replace("_", " ")
    if locked is None:
        what = f"Seat {seat} placed a {named} after the lock: it is no wager."
    else:
        amount = f" of {dollars(locked.cents)}" if locked.known else ""
        what = f"Seat {seat} added to its {named}{amount} after the lock: it plays as it was."
    step.update_round(late=(*step.round.late, (seat, wager)))
    report(step, "wager_after_lock", what, evidence=evidence)
    data = {"round": step.round.number, "seat": seat, "wager": wager, "cents": None}
    step.emit("wager.refused", {**data, "reason": "late"}, "TCP 2.C(2)", "TCP 7.E")
    about = f"{seat}/{wager}"
    step.raise_alarm(ALARM, "warning", what, "TCP 7.E", about=about, until_seen=True)
