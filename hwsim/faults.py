"""What can go wrong, and when: a plan that strikes the same way for the same seed.

A fault waits for its occasion (a stack, a shuffle, a frame): a plan says which one, by time, by
number or by chance. What a dealer does wrong, or the box, is not made here.
"""

import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from hwsim.log import Log

# Kind -> (the devices where it can happen, its chance at each occasion if nothing else is said).
SHOE: Final = frozenset({"shoe", "card_shoe"})
BADGES: Final = frozenset({"badge_reader"})
SHUFFLER: Final = frozenset({"shuffler"})
ANGEL_EYE: Final = frozenset({"angel_eye"})  # a shoe that numbers its reports and copies them
READERS: Final = ANGEL_EYE | {"bee_tek"}
BOARDS: Final = frozenset({"modbus", "numato"})  # a board of sensors, by what it speaks
ANY: Final = frozenset(
    {"shuffler", "shoe", "card_shoe", "progressive", "button", "indicator", "badge_reader"}
)  # whatever speaks tablelink
TABLE_FAULTS: Final[Mapping[str, tuple[frozenset[str], float]]] = {
    # a stack, a card or a shuffle gets stuck until a person clears it
    "jam": (SHOE | SHUFFLER, 0.02),
    # a card, or a badge, could not be read; =wrong: it is taken for another one
    "misread": (SHOE | READERS | SHUFFLER | BADGES, 0.02),
    # a copy of a card lies there for another one, really
    "duplicate_card": (SHOE | SHUFFLER, 0.01),
    # it fell to the floor; a reader never saw it
    "missing_card": (SHUFFLER | READERS | {"card_shoe"}, 0.05),
    # the deck is whole, the counter is not
    "wrong_count": (SHUFFLER, 0.05),
    # a card lies face up: a person sees it, no device
    "face_up": (SHOE, 0.02),
    # a fourth card in a stack, or two cards at once; =stack: a stack more than allowed
    "overdraw": (SHOE | READERS, 0.02),
    # the shoe's own view of a round is not what lies there
    "wrong_result": (ANGEL_EYE, 0.02),
    # a chip after the lock; it is not taken
    "late_bet": (frozenset({"progressive"}), 0.1),
}
LINK_FAULTS: Final[Mapping[str, tuple[frozenset[str], float]]] = {
    # no byte passes either way for some seconds (=SECONDS)
    "silence": (ANY | BOARDS, 0.01),
    # the device loses power, and comes back
    "reboot": (ANY | BOARDS, 0.01),
    # noise on the line, between frames or inside one
    "garbage": (ANY | BOARDS | READERS, 0.05),
    # a frame comes in pieces with pauses; =merge: in one piece with what follows
    "split": (ANY | BOARDS, 0.1),
    # a frame comes twice
    "repeat": (ANY | BOARDS | ANGEL_EYE, 0.05),
    # a frame does not come
    "loss": (ANY | BOARDS | ANGEL_EYE, 0.05),
    # the connection closes, or the port goes away and comes back
    "disconnect": (ANY | BOARDS | READERS, 0.01),
    # another device in its place, =model of another model; or itself with an older =version of
    # its software, or set to another game (=mode)
    "swap": (ANY, 0.01),
}
KINDS: Final = {**TABLE_FAULTS, **LINK_FAULTS}
AT_ONCE: Final = ("silence", "reboot", "disconnect", "swap")  # by time they need no occasion
# No device makes these, and no rack takes them; whoever plays the dealer or the box may plan them.
NOT_HERE: Final[Mapping[str, tuple[str, float]]] = {
    "misdeal": ("the dealer's", 0.05),
    "exposed_dealer_card": ("the dealer's", 0.05),
    "power_cut": ("the box's", 0.02),
    "broker_down": ("the box's", 0.02),
    "slow_disk": ("the box's", 0.05),
}
_VARIANTS: Final = {
    "misread": ("unread", "wrong"),
    "overdraw": ("card", "stack"),
    "split": ("pieces", "merge"),
    "swap": ("serial", "model", "version", "mode"),
}
_SECOND_NS: Final = 1_000_000_000
_SPEC: Final = re.compile(
    r"(?P<kind>\w+)(=(?P<variant>[\w.]+))?(/(?P<device>[\w-]+))?"
    r"(@(?P<at>\d+(\.\d+)?)s?|#(?P<nth>\d+)|%(?P<chance>\d+(\.\d+)?))?"
)


class BadFault(ValueError):
    """A fault that nobody can make; the text says why, and what would do."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One line of a plan. Without `at_ns`, `nth` and `chance` its kind's own chance holds.

    Times are the device's own for what happens at the table, the line's for what happens to a link.
    """

    kind: str
    device: str | None = None  # None: whatever device has the occasion
    at_ns: int | None = None  # once, at the first occasion from then on
    nth: int | None = None  # once, at that occasion, counted from 1
    chance: float | None = None  # at every occasion, with that probability
    variant: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS and self.kind not in NOT_HERE:
            known = ", ".join((*KINDS, *NOT_HERE))
            raise BadFault(f"{self.kind!r} is no fault; choose from {known}")
        if self.variant is not None:
            self._check_variant()
        if self.chance is not None and not 0 <= self.chance <= 1:
            raise BadFault(f"{self.kind}: a chance lies between 0 and 100 percent")
        if self.nth is not None and self.nth < 1:
            raise BadFault(f"{self.kind}: occasions count from 1")

    def _check_variant(self) -> None:
        if self.kind == "silence":
            if not re.fullmatch(r"\d+(\.\d+)?", self.variant or ""):
                raise BadFault("silence: say for how many seconds, for example silence=3")
        elif self.variant not in _VARIANTS.get(self.kind, ()):
            known = " or ".join(_VARIANTS.get(self.kind, ())) or "nothing"
            raise BadFault(f"{self.kind}: after = comes {known}, not {self.variant!r}")


def parse_faults(text: str) -> list[Fault]:
    """Read `KIND[=VARIANT][/DEVICE][@SECONDS|#NTH|%PERCENT],…`; raises BadFault."""
    faults = []
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        found = _SPEC.fullmatch(part)
        if found is None:
            raise BadFault(
                f"{part!r} is no fault: write KIND, KIND@SECONDS, KIND#NTH or KIND%PERCENT, with "
                "/DEVICE before the @, # or % where only one is meant"
            )
        at, nth, chance = found["at"], found["nth"], found["chance"]
        faults.append(
            Fault(
                found["kind"],
                found["device"],
                at_ns=round(float(at) * _SECOND_NS) if at else None,
                nth=int(nth) if nth else None,
                chance=float(chance) / 100 if chance else None,
                variant=found["variant"],
            )
        )
    return faults


class FaultPlan:
    """Answers, at each occasion, whether a fault strikes now, and writes it down where it does."""

    def __init__(self, faults: Iterable[Fault] = (), log: Log | None = None) -> None:
        self.log = log if log is not None else Log()
        self.faults = list(faults)
        self._waiting = [f for f in self.faults if f.at_ns is not None or f.nth is not None]
        self._seen: Counter[tuple[str, str | None]] = Counter()
        self._dice: dict[tuple[str, str], random.Random] = {}

    def dice(self, kind: str, device: str) -> random.Random:
        """The randomness of one fault at one device: others' occasions do not disturb it."""
        key = (kind, device)
        if key not in self._dice:
            self._dice[key] = random.Random(f"{self.log.seed}/{kind}/{device}")  # noqa: S311
        return self._dice[key]

    def strikes(self, kind: str, device: str, now_ns: int) -> Fault | None:
        """One occasion for `kind` at `device`: the fault that strikes, or None."""
        self._seen[kind, device] += 1
        self._seen[kind, None] += 1
        struck = self._by_number_or_time(kind, device, now_ns) or self._by_chance(kind, device)
        if struck:
            self._write(struck, device, now_ns)
        return struck

    def due_in_ns(self, device: str, now_ns: int) -> int | None:
        """How long until a fault that needs no occasion strikes this device."""
        times = [f.at_ns for f in self._at_once(device) if f.at_ns is not None]
        return max(0, min(times) - now_ns) if times else None

    def overdue(self, device: str, now_ns: int) -> list[Fault]:
        """The faults that need no occasion and whose time has come: each is given once."""
        due = [f for f in self._at_once(device) if f.at_ns is not None and f.at_ns <= now_ns]
        for fault in due:
            self._waiting.remove(fault)
            self._write(fault, device, now_ns)
        return due

    def _at_once(self, device: str) -> list[Fault]:
        return [
            f
            for f in self._waiting
            if f.kind in AT_ONCE and f.at_ns is not None and f.device in (None, device)
        ]

    def _by_number_or_time(self, kind: str, device: str, now_ns: int) -> Fault | None:
        for fault in self._waiting:
            if fault.kind != kind or fault.device not in (None, device):
                continue
            by_time = fault.at_ns is not None and now_ns >= fault.at_ns
            if by_time or fault.nth == self._seen[kind, fault.device]:
                self._waiting.remove(fault)
                return fault
        return None

    def _by_chance(self, kind: str, device: str) -> Fault | None:
        for fault in self.faults:
            if fault.kind != kind or fault.device not in (None, device):
                continue
            if fault.at_ns is None and fault.nth is None:
                usual = (KINDS.get(kind) or NOT_HERE[kind])[1]
                chance = usual if fault.chance is None else fault.chance
                if self.dice(kind, device).random() < chance:
                    return fault
        return None

    def _write(self, fault: Fault, device: str, now_ns: int) -> None:
        self.log.add(now_ns, device, "fault struck", kind=fault.kind, variant=fault.variant)
