"""Sealed cards shown to somebody: a technician who listens to a device. A record either way.

Never at a table that may be played at: the floor has closed it, or no real wager is made here.
"""

from tablectl.table.inputs import Unsealed
from tablectl.table.step import HOUSE, Refused, Step

ROLE = "technician"


def take(step: Step, given: Unsealed) -> None:
    """Record that cards are shown from now on, or no longer. Raises Refused."""
    setup = step.setup
    if not given.over:
        if ROLE not in given.roles:
            raise Refused(f"sealed cards are shown to a {ROLE} only", HOUSE, role=True)
        if not (setup.simulated or setup.training) and step.state.phase != "closed":
            raise Refused(
                "the table is open for play, so no sealed card is shown: the floor closes it first",
                HOUSE,
            )
    data = {
        "device": given.device,
        "actor": given.actor,
        "role": ROLE,
        "method": given.method,
        "over": given.over,
        "cards": given.shown,
    }
    step.emit("journal.unsealed", data, HOUSE)
