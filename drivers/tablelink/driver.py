"""The tablelink driver: one device, a fresh session for each link, and what outlives a link.

It opens nothing, sleeps never and repairs nothing: the supervisor does.
"""

from typing import ClassVar

from drivers.tablelink import codes
from drivers.tablelink.session import Memory, TableLinkSession
from tablectl.hal.kinds import Counters, DevicePlan, Line, RandomBytes


class TableLink:
    """Drives a device of any kind that speaks tablelink 1."""

    kinds: ClassVar[frozenset[str]] = frozenset(codes.KINDS.values())
    line: ClassVar[Line] = Line(baud=115_200)
    keeps: ClassVar[bool] = True  # reports, while the host is away
    proves: ClassVar[bool] = True  # with a key: section 7 of its page

    def __init__(self, plan: DevicePlan, counters: Counters, random_bytes: RandomBytes) -> None:
        self._plan = plan
        self._counters = counters
        self._random_bytes = random_bytes
        self._memory = Memory()

    def session(self) -> TableLinkSession:
        """A new conversation with the same device."""
        return TableLinkSession(self._plan, self._counters, self._random_bytes, self._memory)
