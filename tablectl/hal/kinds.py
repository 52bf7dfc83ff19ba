"""What each kind of device tells and takes, and the two small protocols that a driver fulfils.

The words are those of table/devices.py. A driver that says others is stopped by the supervisor, and
the contract suites in tests/contract hold every driver to them. Nothing here does I/O.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Protocol

from tablectl.cards import DECK, Card
from tablectl.hal.errors import CommandRefused
from tablectl.table.outputs import Command

__all__ = [
    "BADGE_READER", "DECK", "INDICATOR", "KINDS", "LOCKOUT_BUTTON", "MODES", "PLACE",
    "PROGRESSIVE_SYSTEM", "REFUSED_FOR", "SHOE", "SHUFFLER", "SIGNS", "WINNERS",
    "Card", "Command", "Counters", "DevicePlan", "Driver", "Ended", "Heard", "Identity", "Kind",
    "Line", "RandomBytes", "Reading", "Session", "Token", "check_command", "check_reading",
]  # fmt: skip

RandomBytes = Callable[[int], bytes]  # os.urandom, or a seeded one in tests


# ── what goes up ───────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Token:
    """What a badge says. It is a credential: shown nowhere, and no JSON, so no record holds it."""

    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a device told, in the words of its kind. The daemon adds time, id and the cards' salts.

    Cards are face down: they are kept out of every representation, and so out of logs.
    """

    name: str
    args: Mapping[str, Any] = field(default_factory=dict)
    cards: tuple[Card | None, ...] = field(default=(), repr=False)  # None: could not be read
    mark: str = ""  # the driver's bookmark: with it the next process goes on behind this report


@dataclass(frozen=True, slots=True)
class Identity:
    """Who answers. `proved`: by a shared key, not by its word alone."""

    kind: str
    serial: str
    model: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    boot: str = ""  # changes when the device restarts
    capabilities: frozenset[str] = frozenset()
    proved: bool = False
    game_mode: str = ""  # the game that it is set to, where it has such a setting
    path: str = ""  # the USB plug that it is behind, such as 1-2.3, as the link knows it


@dataclass(frozen=True, slots=True)
class Ended:
    """The session cannot go on; the supervisor closes the link. `what` is for people."""

    what: str
    refused: str = ""  # one of REFUSED_FOR: not a lost link, this device must not be used as it is


Heard = Reading | Identity | Ended


@dataclass(slots=True)
class Counters:
    """What a technician asks for first. They live as long as the daemon, through every link."""

    frames_good: int = 0
    frames_bad: int = 0  # damaged or malformed
    frames_repeated: int = 0
    frames_lost: int = 0
    frames_unknown: int = 0  # good, and of a type or session that means nothing here
    reports_lost: int = 0
    jams: int = 0  # one that still stands after a reconnect is not a second one
    reads_failed: int = 0  # cards that a reader saw and could not tell
    bytes_in: int = 0
    bytes_out: int = 0
    reconnects: int = 0
    commands_resent: int = 0
    commands_dropped: int = 0  # permissive ones that were never sent, or whose outcome is unknown
    driver_errors: int = 0

    def figures(self) -> dict[str, int]:
        """All of them by name. Asked for at every change of the table: no copy machine for it."""
        return {name: getattr(self, name) for name in self.__slots__}


# ── what a driver is ───────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class DevicePlan:
    """A `[devices.ID]` of the configuration, as far as links and drivers are concerned."""

    id: str
    kind: str
    driver: str
    url: str
    read_only: bool = False
    identity: Mapping[str, str] = field(default_factory=dict)  # pinned: see identity.py
    versions: Mapping[str, str] = field(default_factory=dict)  # exactly these
    minimum_versions: Mapping[str, str] = field(default_factory=dict)
    silence_ms: int | None = None
    ack_ms: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)  # the driver family's own
    key: bytes | None = field(default=None, repr=False)
    peek: bool = False  # a technician looks: what the device keeps for the daemon stays with it


@dataclass(frozen=True, slots=True)
class Line:
    """How a serial line is set; nothing of it matters over TCP."""

    baud: int = 115_200
    bits: int = 8
    parity: str = "N"


class Session(Protocol):
    """One link's conversation, without I/O: bytes and time in, readings and bytes out.

    It never raises on what the wire brings, never sleeps, and ends with `Ended` instead of mending.
    """

    @property
    def wake_ns(self) -> int | None:
        """When `tick` must be called at the latest; None: not before something comes."""

    def open(self, now_ns: int) -> None:
        """The link is up: begin."""

    def receive(self, data: bytes, now_ns: int) -> list[Heard]:
        """Take in bytes, any number of them, cut anywhere."""

    def tick(self, now_ns: int) -> list[Heard]:
        """Time passed: repeat, beat, or give up."""

    def send(self, command: Command, now_ns: int) -> None:
        """Order something. Only after the reading `online`; raises CommandRefused."""

    def close(self, now_ns: int) -> None:
        """The host ends the link: say good-bye, where the protocol has a word for it."""

    def bytes_to_send(self) -> bytes:
        """What must go out now; it is handed over once."""

    def unanswered(self) -> tuple[Command, ...]:
        """Commands without an answer: after the end, the supervisor sends the restrictive again."""


class Driver(Protocol):
    """One device's driver: made once, gives a fresh session for every link.

    Its class may also say `speaks` and `options`: see registry.py. One whose readings carry a
    `mark` has `resume(mark)`, called before its first session where the last one is recent.
    """

    kinds: ClassVar[frozenset[str]]

    @property
    def line(self) -> Line:
        """How its serial line is set."""

    def session(self) -> Session:
        """A new conversation. What must outlive a link stays in the driver."""


# ── the kinds ──────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Kind:
    """What a kind of device gives (reading -> its arguments) and takes (command -> arguments)."""

    name: str
    gives: Mapping[str, frozenset[str]]
    restricts: Mapping[str, frozenset[str]] = field(default_factory=dict)
    permits: Mapping[str, frozenset[str]] = field(default_factory=dict)


def _args(*names: str) -> frozenset[str]:
    return frozenset(names)


# `age_ms` stands on a report that was kept while the link was away; `executed` is the last
# permissive command that the device ran, as {boot, n}; `refused` says for what a device that
# answers is not let in.
_ANY: Final = {
    "online": _args("executed"),
    "offline": _args("what", "refused"),
    "fault": _args("what", "age_ms"),
    "cleared": _args("age_ms"),
}

SHUFFLER: Final = Kind(
    "shuffler",
    {
        **_ANY,
        "shuffle_started": _args("compartment", "age_ms"),
        # `distinct`: how many different cards a recognising one saw
        "shuffle_done": _args("compartment", "count", "distinct", "age_ms"),
        "jam": _args("compartment", "age_ms"),
    },
)
# An automated shoe gives stacks; a reading one gives cards as they leave it, one by one.
SHOE: Final = Kind(
    "shoe",
    {
        **_ANY,
        "online": _args("executed", "dispensed"),
        "stack": _args("dispensed", "age_ms"),  # with its cards
        "card": _args("dispensed", "place", "mode", "age_ms"),  # with one card
        "cover_card": _args("age_ms"),  # the cutting card left it
        "standby": _args("age_ms"),  # between rounds
        "started": _args("age_ms"),  # it booted or was reset
        "gap": _args("what", "age_ms"),  # reports may be missing
        "result": _args("winner", "player_pair", "banker_pair", "age_ms"),  # the shoe's own view
        "held": _args("age_ms"),
        "released": _args("age_ms"),
        "jam": _args("compartment", "age_ms"),
    },
    restricts={"hold": _args()},
    permits={"dispense": _args("stacks"), "release": _args()},
)
PROGRESSIVE_SYSTEM: Final = Kind(
    "progressive",
    {
        **_ANY,
        "online": _args("executed", "locked", "accepts"),
        "locked": _args("age_ms", "n"),  # `n`: of the order that it answers
        "unlocked": _args("age_ms"),
        "accepted": _args("seat", "wager", "cents", "age_ms"),
        "withdrawn": _args("seat", "wager", "age_ms"),
        "late": _args("seat", "wager", "age_ms"),  # seen after the lock
    },
    restricts={"lock": _args()},
    permits={"unlock": _args(), "lamp": _args("seat", "wager", "on")},
)
LOCKOUT_BUTTON: Final = Kind("button", {**_ANY, "pressed": _args("button", "age_ms")})
INDICATOR: Final = Kind("indicator", _ANY, permits={"show": _args("sign")})  # lights and signs
# The token, a Token, never reaches the table: the daemon's people prove it at the edge.
BADGE_READER: Final = Kind("badge_reader", {**_ANY, "badge": _args("token", "age_ms")})

KINDS: Final[Mapping[str, Kind]] = {
    kind.name: kind
    for kind in (
        SHUFFLER, SHOE, PROGRESSIVE_SYSTEM, LOCKOUT_BUTTON, INDICATOR, BADGE_READER,
    )
}  # fmt: skip

# ── the words that some arguments are held to ──────────────────────────────
SIGNS: Final = (
    "off", "open", "no_more_bets", "attention", "winner", "halted", "out_of_order",
)  # fmt: skip
MODES: Final = ("game", "burn", "outside")  # outside: locked, in error, or in setting mode
WINNERS: Final = ("player", "banker", "tie", "forced")
# Why a device that answers is refused: it is another one, it is not as it must be, it is no proof;
# `leave`: it waits for leave at a table that gives none.
REFUSED_FOR: Final = (
    "kind", "serial", "model", "path", "version", "game_mode", "proof", "simulator", "protocol",
    "leave",
)  # fmt: skip
# Where a reading shoe says that a card went; `first` sets the burn count of a Midi shoe.
PLACE: Final = re.compile(
    r"(player|banker|dealer)/[1-3]|seat/[1-9]/[1-3]|community/[12]|first|burn/[1-9][0-9]?",
    re.ASCII,
)


def _a_place(value: object) -> bool:
    return isinstance(value, str) and PLACE.fullmatch(value) is not None


_WORDS: Final[Mapping[str, Callable[[object], bool]]] = {
    "place": _a_place,
    "mode": MODES.__contains__,
    "winner": WINNERS.__contains__,
    "sign": SIGNS.__contains__,
    "refused": REFUSED_FOR.__contains__,
    "token": lambda value: isinstance(value, Token),
}


def _strange_word(args: Mapping[str, Any]) -> str | None:
    """An argument whose value is no word of this vocabulary."""
    for name, value in args.items():
        if name in _WORDS and not _WORDS[name](value):
            return f"{name} {value!r}" if name != "token" else "token that is sealed"
    return None


def _wrong_cards(name: str, cards: int) -> bool:
    """A stack has any number of cards, a card is one, and nothing else carries any."""
    return cards != 1 if name == "card" else cards > 0 and name != "stack"


def check_reading(kind: str, reading: Reading) -> str | None:
    """What is wrong with a reading of this kind of device; None where nothing is."""
    known = KINDS[kind].gives.get(reading.name)
    if known is None:
        return f"a {kind} does not say {reading.name!r}"
    strange = sorted(set(reading.args) - known)
    if strange:
        return f"{reading.name} of a {kind} has no {', '.join(strange)}"
    if (word := _strange_word(reading.args)) is not None:
        return f"{reading.name} of a {kind} has no {word}"
    if _wrong_cards(reading.name, len(reading.cards)):
        return f"{reading.name} of a {kind} does not carry {len(reading.cards)} cards"
    return None


def check_command(kind: str, command: Command) -> None:
    """Raise CommandRefused where this kind does not take the command, or not with these words."""
    taken = KINDS[kind]
    here = taken.restricts if command.restrictive else taken.permits
    known = here.get(command.name)
    if known is None:
        orders = ", ".join(sorted([*taken.restricts, *taken.permits])) or "nothing"
        sort = "restrictive" if command.restrictive else "permissive"
        raise CommandRefused(
            f"a {kind} takes no {sort} command {command.name!r}; it takes {orders}"
        )
    if set(command.args) != known:
        wanted = ", ".join(sorted(known)) or "no arguments"
        raise CommandRefused(f"{command.name} takes {wanted}, not {sorted(command.args)}")
    if (word := _strange_word(command.args)) is not None:
        raise CommandRefused(f"{command.name} knows no {word}: see tablectl/hal/kinds.py")
