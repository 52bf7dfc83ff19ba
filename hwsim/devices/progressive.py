"""A progressive wagering system: takes chips while it is unlocked, shows them by a lamp a seat.

Locked is how it starts, and what it becomes in any doubt. A key at the device opens it by hand.
One that tells wagers seat by seat leaves its lamps to the host.
"""

from typing import Any, Final

from hwsim.devices.device import SECOND_NS, Condition, Device, Identity
from hwsim.faults import FaultPlan
from hwsim.physical import PhysicalTable

SEATS: Final = 7
CENTS: Final = 500


class Progressive(Device):
    kind = "progressive"
    commands = frozenset({"lock", "unlock"})

    def __init__(
        self,
        id_: str,
        table: PhysicalTable,
        faults: FaultPlan,
        *,
        identity: Identity | None = None,
        seats: int = SEATS,
        keeps_memory: bool = True,
        tells: str = "",
        cents: int = CENTS,
    ) -> None:
        """`tells`: the wager that a chip makes, told seat by seat, worth `cents`."""
        identity = identity or Identity("PRG-300", "hwsim progressive", (("Main", "5.0.1"),))
        super().__init__(id_, table, faults, identity)
        self.keeps_memory = keeps_memory
        self.locked = True
        self.lamps: dict[int, bool] = dict.fromkeys(range(1, seats + 1), False)
        self.tells_wagers = bool(tells)
        if tells:
            self.commands = self.commands | {"lamp"}
        self.wager, self.cents = tells, cents
        self.chips: set[int] = set()  # seats with a chip on the sensor
        self._late_ns: int | None = None  # when somebody tries to bet after the lock

    # ── commands ──
    def do(self, command: str, **args: Any) -> None:
        if command == "lock":
            self._lock()
        elif command == "lamp":
            self.lamps[args["seat"]] = args["on"]
        else:
            self._unlock()
        self.log(f"command {command}", **args)

    def has(self, command: str, **args: Any) -> bool:  # noqa: ARG002
        return args["seat"] in self.lamps and args["wager"] == self.wager

    def host_came(self) -> None:
        if self.tells_wagers:
            self.lamps = dict.fromkeys(self.lamps, False)

    def restrict(self, tell: bool) -> bool:
        changed = self._lock()
        if changed and tell:
            self.tell("locked")
        return changed

    def condition(self) -> Condition:
        return Condition(locked=self.locked, fault=self.fault)

    def _lock(self) -> bool:
        changed = not self.locked
        self.locked = True
        if changed and self.faults.strikes("late_bet", self.id, self.now_ns):
            late = self.faults.dice("late_bet", self.id).uniform(0.2, 1.5)
            self._late_ns = self.now_ns + round(late * SECOND_NS)
        return changed

    def _unlock(self) -> None:
        """A new round: the lamps go out, where no host sees to them; what lies there counts."""
        self.locked = False
        self._late_ns = None
        if not self.tells_wagers:
            self.lamps = dict.fromkeys(self.lamps, False)
        for seat in sorted(self.chips):
            self.tell("accepted", seat=seat, cents=self.cents, wager=self.wager)

    # ── time ──
    def due_ns(self) -> int | None:
        return None if self._late_ns is None else max(0, self._late_ns - self.now_ns)

    def _happen(self) -> None:
        self._late_ns = None
        dark = [seat for seat, lit in self.lamps.items() if not lit] or list(self.lamps)
        seat = self.faults.dice("late_bet", self.id).choice(dark)
        self.table.see(self.now_ns, self.id, "late_bet", seat)
        self._chip(seat)

    # ── people ──
    def place(self, seat: int) -> bool:
        """A player puts a chip on a seat's sensor (or, where it tells wagers, takes it back);
        whether it counts."""
        self.attend()
        return self._chip(seat)

    def turn_key(self) -> None:
        """Somebody opens or locks it at the device itself."""
        self.attend()
        if self.locked:
            self._unlock()
            self.tell("unlocked")
        else:
            self.restrict(tell=True)

    def _chip(self, seat: int) -> bool:
        taken = not self.locked and self.fault is None and seat in self.lamps
        if self.tells_wagers and seat in self.lamps and self.fault is None:
            self._told(seat)
        elif taken:
            self.lamps[seat] = True
        self.log("chip", seat=seat, taken=taken)
        return taken

    def _told(self, seat: int) -> None:
        """The sensor saw a chip come, or go again."""
        self.chips ^= {seat}
        spot = {"seat": seat, "wager": self.wager}
        if seat in self.chips and not self.locked:
            self.tell("accepted", cents=self.cents, **spot)
        elif seat in self.chips:
            self.tell("late", **spot)
        elif not self.locked:
            self.tell("withdrawn", **spot)

    def power_cycle(self, another: bool = False) -> None:
        super().power_cycle(another)
        self._late_ns = None
        self.lamps = dict.fromkeys(self.lamps, False)
