"""A lock-out button: it is pressed, and says so. It permits nothing and holds nothing."""

from hwsim.devices.device import Device, Identity
from hwsim.faults import FaultPlan
from hwsim.physical import PhysicalTable


class Button(Device):
    kind = "button"
    keeps_memory = False

    def __init__(
        self,
        id_: str,
        table: PhysicalTable,
        faults: FaultPlan,
        *,
        identity: Identity | None = None,
    ) -> None:
        super().__init__(id_, table, faults, identity or Identity("BTN-400", "hwsim button"))

    def press(self, button: int = 1) -> None:
        """A person presses it."""
        self.attend()
        self.tell("pressed", button=button)
