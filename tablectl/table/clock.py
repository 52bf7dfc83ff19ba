"""Time in the record: it never goes back, and durations survive a restart.

Within a boot durations use the monotonic clock; across boots the wall clock, never less than what
had already run. Reads no clock: every figure comes in with the input.
"""

from tablectl.table.inputs import Stamp
from tablectl.table.state import Clock

# A wall clock disciplined by NTP steps back by microseconds now and then; that is no news.
TOLERATED_BACK_NS = 50_000_000


def advance(clock: Clock, at: Stamp) -> tuple[Clock, int]:
    """The clock after an input, and by how much the wall clock went back (0: it did not)."""
    back_ns = max(0, clock.utc_ns - at.utc_ns)
    if clock.boot == at.boot:
        ran_ns = max(0, at.mono_ns - clock.mono_ns)
        mono_ns = max(at.mono_ns, clock.mono_ns)
    else:
        ran_ns = max(0, at.utc_ns - clock.utc_ns) if clock.boot else 0
        mono_ns = at.mono_ns
    moved = Clock(
        utc_ns=max(at.utc_ns, clock.utc_ns),
        mono_ns=mono_ns,
        boot=at.boot,
        elapsed_ns=clock.elapsed_ns + ran_ns,
    )
    return moved, back_ns if back_ns > TOLERATED_BACK_NS else 0
