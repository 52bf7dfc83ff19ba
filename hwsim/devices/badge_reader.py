"""A badge reader: somebody holds a badge against it, and it says the badge's number."""

from typing import Final

from hwsim.devices.device import SECOND_NS, Device, Identity
from hwsim.faults import FaultPlan
from hwsim.physical import PhysicalTable

AGAIN_NS: Final = SECOND_NS  # a badge that is held against it is told once


class BadgeReader(Device):
    kind = "badge_reader"
    keeps_memory = False

    def __init__(
        self,
        id_: str,
        table: PhysicalTable,
        faults: FaultPlan,
        *,
        identity: Identity | None = None,
    ) -> None:
        super().__init__(id_, table, faults, identity or Identity("BDG-600", "hwsim badge reader"))
        self._last = ("", 0)

    def badge(self, token: str) -> bool:
        """A person shows a badge; whether the reader took it."""
        self.attend()
        before, at_ns = self._last
        self._last = token, self.now_ns
        if token == before and self.now_ns - at_ns < AGAIN_NS:
            return False
        fault = self.faults.strikes("misread", self.id, self.now_ns)
        if fault and fault.variant != "wrong":
            self.table.see(self.now_ns, self.id, "misread")  # it blinks red, and says nothing
            return False
        if fault:
            digit = self.faults.dice("misread", self.id).choice("0123456789")
            token = token[:-1] + digit if token[-1:] != digit else token + digit
        self.tell("badge", token=token)
        return True
