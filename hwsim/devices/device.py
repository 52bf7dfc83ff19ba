"""What every simulated device has: an identity, a time of its own, a fault, reports to give.

A device never waits: `advance` moves it, and everything that falls due on the way happens in order.
"""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final

from hwsim.faults import FaultPlan
from hwsim.physical import NotPossible, PhysicalDeck, PhysicalTable

SECOND_NS: Final = 1_000_000_000
MOST_REPORTS: Final = 1000  # that a wire side may leave lying before the oldest is lost


@dataclass(frozen=True, slots=True)
class Identity:
    """What a device says of itself."""

    serial: str
    model: str
    versions: tuple[tuple[str, str], ...] = (("Main", "1.0.0"),)
    mode: str = ""  # the game that it is set to, where it has such a setting


@dataclass(frozen=True, slots=True)
class Report:
    """Something that the device has to tell, in neutral words."""

    at_ns: int
    name: str
    args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Condition:
    """How the device is now. None: not known, or means nothing for its kind."""

    locked: bool = False
    held: bool = False
    busy: bool = False
    fault: str | None = None
    dispensed: int | None = None


class Device:
    """A device at a table. Subclasses say what falls due, and what happens then."""

    kind: ClassVar[str]
    commands: frozenset[str] = frozenset()
    reads_cards = False
    counts_cards = False
    two_decks = False
    recognises_cards = False  # of those that it shuffles
    tells_wagers = False  # seat by seat
    tells_cards = False  # one by one
    keeps_memory = True  # what it must not forget survives a loss of power

    def __init__(
        self, id_: str, table: PhysicalTable, faults: FaultPlan, identity: Identity
    ) -> None:
        self.id = id_
        self.table = table
        self.faults = faults
        self.identity = identity
        self.now_ns = 0
        self.fault: str | None = None
        self.reports: deque[Report] = deque(maxlen=MOST_REPORTS)
        self.attend: Callable[[], None] = _nobody  # called before a person touches the device
        table.devices[id_] = self

    # ── time ──
    def advance(self, dt_ns: int) -> None:
        """Let so much time pass; what falls due happens at its moment, in order."""
        end = self.now_ns + dt_ns
        while (due := self.due_ns()) is not None and self.now_ns + due <= end:
            self.now_ns += due
            self._happen()
        self.now_ns = end

    def due_ns(self) -> int | None:
        """How long until the next thing happens by itself; None: nothing will."""
        return None

    def _happen(self) -> None:
        """What is due now happens; afterwards `due_ns` is later, or None."""

    # ── what a wire side asks ──
    def condition(self) -> Condition:
        return Condition(fault=self.fault)

    def restrict(self, tell: bool) -> bool:  # noqa: ARG002
        """Lock or hold, whatever this kind can; `tell`: report it. Whether anything changed."""
        return False

    def can(self, command: str, **args: Any) -> bool:  # noqa: ARG002
        """Whether a command that permits could be done now."""
        return self.fault is None

    def has(self, command: str, **args: Any) -> bool:  # noqa: ARG002
        """Whether there is such a lamp or sign to be shown."""
        return True

    def host_came(self) -> None:
        """A host began a session."""

    def host_left(self) -> None:
        """The session is over."""

    def do(self, command: str, **args: Any) -> None:
        """Carry out a command of `commands`."""
        raise NotImplementedError

    def power_cycle(self, another: bool = False) -> None:
        """Power went and came back; `another`: a device of the same kind without its memory."""
        self.reports.clear()
        self.restrict(tell=False)
        self.host_left()
        self.log("power", another=another)

    # ── what people do ──
    def fail(self, fault: str, text: str = "") -> None:
        """Something breaks; the device stops and says so."""
        self.attend()
        self._fail(fault, text)

    def set_mode(self, mode: str) -> None:
        """Somebody sets it to another game."""
        self.attend()
        self.identity = replace(self.identity, mode=mode)
        self.restrict(tell=False)  # the report of the mode says it
        self.tell("mode", mode=mode)

    def clear(self) -> None:
        """A person mends what is wrong. Harmless where nothing is."""
        self.attend()
        if self.fault is not None:
            self.fault = None
            self._cleared()
            self.tell("cleared")

    def give_up(self, deck: PhysicalDeck) -> None:
        """A person takes this deck out; raises NotPossible."""
        raise NotPossible(f"deck {deck.id} is not in {self.id}")

    # ── for subclasses ──
    def tell(self, name: str, /, **args: Any) -> None:
        self.reports.append(Report(self.now_ns, name, args))
        self.log(f"report {name}", **args)

    def log(self, what: str, /, **data: Any) -> None:
        self.table.log.add(self.now_ns, self.id, what, **data)

    def _fail(self, fault: str, text: str = "") -> None:
        self.fault = fault
        self._stopped()
        self.restrict(tell=False)  # the report of the fault says it
        self.tell("fault", fault=fault, text=text)

    def _jam(self, compartment: int = 0) -> None:
        self.fault = "jam"
        self._stopped()
        self.restrict(tell=False)
        self.table.see(self.now_ns, self.id, "jam", compartment)
        self.tell("jam", compartment=compartment)

    def _stopped(self) -> None:
        """The mechanism stands still."""

    def _cleared(self) -> None:
        """A person freed the mechanism."""


def _nobody() -> None:
    pass
