"""A light or a sign at the table: it shows what it is told, and is dark when nobody tells it."""

from collections import deque
from typing import Any, Final

from hwsim.devices.device import Device, Identity
from hwsim.faults import FaultPlan
from hwsim.physical import PhysicalTable

COLOURS: Final = {
    "off": (),
    "open": ("green",),
    "no_more_bets": ("yellow",),
    "attention": ("yellow",),
    "winner": ("green",),
    "halted": ("red",),
    "out_of_order": ("red",),
}


class Indicator(Device):
    kind = "indicator"
    commands = frozenset({"show"})
    keeps_memory = False

    def __init__(
        self,
        id_: str,
        table: PhysicalTable,
        faults: FaultPlan,
        *,
        identity: Identity | None = None,
    ) -> None:
        super().__init__(id_, table, faults, identity or Identity("IND-500", "hwsim indicator"))
        self.sign = "off"
        self.seen: deque[str] = deque(maxlen=1000)  # every sign that it showed

    @property
    def lit(self) -> frozenset[str]:
        """The colours that a person sees."""
        return frozenset(COLOURS[self.sign])

    def has(self, command: str, **args: Any) -> bool:  # noqa: ARG002
        return args["sign"] in COLOURS

    def do(self, command: str, **args: Any) -> None:  # noqa: ARG002
        self.sign = args["sign"]
        self.seen.append(self.sign)
        self.log("sign", sign=self.sign)

    def host_came(self) -> None:
        self._go_dark()

    def host_left(self) -> None:
        self._go_dark()

    def _go_dark(self) -> None:
        if self.sign != "off":
            self.do("show", sign="off")
