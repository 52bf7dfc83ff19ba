"""The Angel Eye driver: one shoe, a fresh session for each link, and what outlives a link.

Other systems own this shoe: it listens, and sends no byte unless read_only is false. It opens
nothing, sleeps never and repairs nothing: the supervisor does.
"""

from collections.abc import Mapping
from typing import ClassVar, Final

from drivers.angel_eye.session import SEQUENCE, AngelEyeSession, Memory
from tablectl.hal.kinds import Counters, DevicePlan, Line, RandomBytes
from tablectl.hal.options import Option, flag, one_of, whole

SHORTEST, LONGEST = 3, 64  # of a cycle of numbers


def _a_cycle(value: object) -> bool:
    """Different printable characters: more than two, or nothing could be told apart."""
    if not isinstance(value, str) or not SHORTEST <= len(value) <= LONGEST:
        return False
    return len(set(value)) == len(value) and all("!" <= each <= "~" for each in value)


_SEQUENCE: Final = Option(
    f"the characters that number its reports, in their order: {SHORTEST} to {LONGEST} of them",
    SEQUENCE,
    _a_cycle,
)


class AngelEye:
    """Drives an Angel Eye II-EX baccarat shoe, on a serial line or behind a port server."""

    kinds: ClassVar[frozenset[str]] = frozenset({"shoe"})
    speaks: ClassVar[str] = "when_allowed"
    anonymous: ClassVar[bool] = True
    games: ClassVar[frozenset[str]] = frozenset({"midi_baccarat"})
    options: ClassVar[Mapping[str, Option]] = {
        "baud": whole("the speed of its serial line", 300, 115_200, 4800),
        "bcc": one_of("what the BCC of a command covers", "example", "specification"),
        "sequence": _SEQUENCE,
        "ask_progress": flag("whether it is asked how the game stands when its link is up", False),
    }

    def __init__(self, plan: DevicePlan, counters: Counters, _random_bytes: RandomBytes) -> None:
        self.line = Line(baud=plan.options["baud"])
        self._plan = plan
        self._counters = counters
        self._memory = Memory()

    def resume(self, mark: str) -> None:
        """The last process heard the shoe up to here, a moment ago."""
        self._memory.resume(mark)

    def session(self) -> AngelEyeSession:
        """A new conversation with the same shoe."""
        return AngelEyeSession(self._plan, self._counters, self._memory)
