"""Whether the sections of a configuration fit together, the rules, and what this version can do.

Each check reads the parts that could be read and leaves the others alone, so that one mistake is
told once. A limit of this version has no clause: the rules would allow it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, get_args

from tablectl.cards import dollars
from tablectl.daemon.sections import (
    ArchiveSection,
    DeviceSection,
    HttpSection,
    KeySection,
    LimitSection,
    MeterSection,
    MqttSection,
    PersonSection,
    SeatSection,
    TableSection,
    is_loopback,
)
from tablectl.games import paytables
from tablectl.games.rules import (
    ALL_WAGERS,
    Fault,
    GameRules,
    MidiBaccaratRules,
    ThreeCardBaccaratRules,
    check_meters,
)
from tablectl.table.concordance import text_of
from tablectl.table.setup import DeviceKind

# Three Card Poker's progressive wagers are $1 or $5 by the rules: they need no limits.
_CHIP_WAGERS: Final = ("progressive", "five_card_progressive")

_BADGES_QUICK: Final = 50  # argon2 takes about a tenth of a second each


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The sections that could be read; None, or an entry less, where one could not.

    `tracking` and what is called raw are as the file has them, whatever else is wrong.
    """

    rules: GameRules | None
    table: TableSection | None
    meters: Mapping[str, MeterSection]
    devices: Mapping[str, DeviceSection]
    limits: Mapping[str, LimitSection]
    seats: Mapping[str, SeatSection]
    mqtt: MqttSection | None
    http: HttpSection | None
    people: Mapping[str, PersonSection]
    keys: Mapping[str, KeySection]
    archive: ArchiveSection | None
    tracking: object
    raw_meters: Mapping[str, Mapping[str, Any]] | None
    raw_devices: Mapping[str, Mapping[str, Any]] | None
    raw_seats: Mapping[str, Mapping[str, Any]] | None


@dataclass(frozen=True, slots=True)
class Warned:
    """Something that may be meant, and that the operator should know."""

    key: str
    what: str


def faults(parts: Parts) -> Iterator[Fault]:
    """Everything that does not fit."""
    yield from _meters(parts)
    yield from _devices(parts)
    yield from _limits(parts)
    yield from _seats(parts)
    yield from _network(parts)
    yield from _people(parts)
    yield from _keys(parts)


def _meters(parts: Parts) -> Iterator[Fault]:
    if parts.rules is None or parts.raw_meters is None:
        return
    given = {name: _bounded(meter) for name, meter in parts.raw_meters.items()}
    # Where no amount is known nothing is paid from a meter, and none need be named.
    optional = set(parts.rules.meters) - given.keys() if parts.tracking == "cards" else set()
    for fault in check_meters(parts.rules, given):
        if fault.key.removeprefix("meters.") not in optional:
            yield fault


def _bounded(meter: Mapping[str, Any]) -> dict[str, Any]:
    """A meter whose rate can be reckoned with. Another rate was refused by its section already,
    and stays here only so that the clause is named."""
    rate = meter.get("rate")
    sane = isinstance(rate, Decimal) and rate.is_finite() and abs(rate.adjusted()) <= 9
    known = {key: value for key, value in meter.items() if key in MeterSection.model_fields}
    return known if sane or type(rate) is int else {**known, "rate": None}


# What a table deals and shuffles with: the kind of device, what for, the clause.
_Need = tuple[str, str, str]


def _needs(rules: GameRules, tracking: object) -> Iterator[_Need]:
    """The devices of which a table has exactly one."""
    if tracking == "cards":
        yield "shoe", "that reads the cards", _DEALT[text_of(rules.game, rules.jurisdiction)]
        if getattr(rules, "dealing", "") == "hand":
            yield "shuffler", "to shuffle what is dealt from the hand", _FROM_HAND[rules.game]
    elif isinstance(rules, MidiBaccaratRules):
        return  # a plain shoe will do: the dealer enters the cards
    elif isinstance(rules, ThreeCardBaccaratRules):
        washington = rules.jurisdiction == "WA"
        if rules.dealing == "automated_shoe":
            yield "shoe", "to deal from", "WA-TCB D4" if washington else "TCB 10.A(1)"
        # In Washington stacks come from an i-Deal; from a dealing shoe the house shuffles (R5).
        if rules.dealing == "hand" or (washington and rules.dealing == "automated_shoe"):
            yield "shuffler", "to shuffle with", "WA-TCB D1" if washington else "TCB 9.A(1)"
    elif rules.dealing == "automated_shoe":
        yield "shoe", "to deal from an automated shoe", "TCP 10.A"
        yield "shuffler", "to shuffle with", "TCP 5.A"
    elif rules.dealing == "hand":
        yield "shuffler", "to shuffle what is dealt from the hand", "TCP 9.A(1)"


# At a table that only listens: the clause by which the cards are dealt that its shoe tells.
_DEALT: Final = {"TCP": "TCP 11.A", "TCB": "TCB 11.A", "WA-TCB": "WA-TCB D4", "MIDI": "MIDI 8.C"}
_FROM_HAND: Final = {"three_card_poker": "TCP 9.A(1)", "three_card_baccarat": "TCB 9.A(1)"}


def _devices(parts: Parts) -> Iterator[Fault]:
    """What the table deals with; a system that accepts the wagers that pay from a meter."""
    rules = parts.rules
    if parts.raw_devices is None or rules is None:
        return
    kinds = Counter(str(device.get("kind")) for device in parts.raw_devices.values())
    unclear = bool(set(kinds) - set(get_args(DeviceKind)))  # told already
    for kind, why, clause in _needs(rules, parts.tracking):
        if kinds[kind] > 1 or (not kinds[kind] and not unclear):
            expected = f"exactly one device of kind {kind}, {why}, not {kinds[kind]}"
            yield Fault("devices", expected, clause)
    if parts.tracking == "cards" and kinds["shuffler"] > 1:
        expected = "at most one device of kind shuffler: nobody says which deck is in which"
        yield Fault("devices", expected, None)
    yield from _halves(parts)
    offered = rules.metered_wagers
    if offered and not kinds["progressive"] and not unclear:
        expected = f"a device of kind progressive that accepts the {offered[0]} wager"
        clause = "MIDI 2.C" if isinstance(rules, MidiBaccaratRules) else "TCP 2.C"
        yield Fault("devices", expected, clause)


def _halves(parts: Parts) -> Iterator[Fault]:
    """A machine that shuffles and deals stands here as a shuffler and its shoe."""
    shoes = [name for name, device in parts.devices.items() if device.kind == "shoe"]
    for name, device in parts.devices.items():
        half = device.combined_with
        if half and (device.kind != "shuffler" or half not in shoes):
            expected = "of a shuffler, the name of the shoe that it is one machine with"
            yield Fault(f"devices.{name}.combined_with", f"{expected}, not {half!r}", None)


def _limits(parts: Parts) -> Iterator[Fault]:
    # Where the rules are not clear, any game's wager may have been meant.
    offered = tuple(ALL_WAGERS) if parts.rules is None else parts.rules.wagers
    clauses = {} if parts.rules is None else parts.rules.wager_clauses
    figures = paytables.three_card_poker()
    for wager, limit in parts.limits.items():
        key = f"limits.{wager}"
        if wager == "play":
            yield Fault(key, "no such key: a play wager equals the ante", "TCP 11.B")
        elif wager not in offered:
            known = ", ".join(w for w in offered if w != "play")
            yield Fault(key, f"a wager that this table offers: {known}", clauses.get(wager))
        elif limit.minimum > limit.maximum:
            yield Fault(
                f"{key}.minimum", f"at most the maximum, {limit.maximum}, not {limit.minimum}", None
            )
        elif wager in _CHIP_WAGERS and not any(
            limit.minimum <= stake <= limit.maximum for stake in figures.progressive_stakes
        ):
            stakes = " or ".join(dollars(stake) for stake in figures.progressive_stakes)
            expected = f"limits that admit a stake of {stakes}"
            yield Fault(key, expected, figures.progressive_stakes_clause)


def _seats(parts: Parts) -> Iterator[Fault]:
    """Personal awards ask what is printed at every seat that may wager on them."""
    if parts.rules is None or parts.raw_seats is None:
        return
    offered = isinstance(parts.rules, MidiBaccaratRules) and parts.rules.royal_9 is not None
    known = [str(seat) for seat in range(1, parts.rules.seats + 1)]
    for name in parts.raw_seats:
        if not offered:
            expected = "no such key without royal_9, whose awards ask what is printed at a seat"
            yield Fault(f"seats.{name}", expected, "MIDI 12.K")
        elif name not in known:
            yield Fault(f"seats.{name}", f"a seat of this table, 1 to {known[-1]}", "MIDI 12.K")
    if offered and parts.tracking != "cards":
        for seat in known:
            if seat not in parts.raw_seats:
                expected = "a table with printed_king_9, since royal_9 is offered; it is missing"
                yield Fault(f"seats.{seat}", expected, "MIDI 12.K")


def _network(parts: Parts) -> Iterator[Fault]:
    mqtt, http = parts.mqtt, parts.http
    if mqtt is not None:
        if mqtt.password_file and not mqtt.username:
            yield Fault("mqtt.username", "a user name, since there is a password_file", None)
        if mqtt.ca_file and not mqtt.url.startswith("mqtts://"):
            yield Fault("mqtt.url", "mqtts://HOST:PORT, since there is a ca_file", None)
    if http is None:
        return
    if not is_loopback(http.host) and not (http.cert_file and http.key_file):
        expected = (
            "an address of this box alone (127.0.0.1, [::1]), or cert_file and key_file: "
            "beyond loopback only with TLS"
        )
        yield Fault("http.listen", expected, None)
    elif bool(http.cert_file) != bool(http.key_file):
        missing = "key_file" if http.cert_file else "cert_file"
        yield Fault(f"http.{missing}", "the other file of the pair; the key is missing", None)
    elif http.host in ("0.0.0.0", "::") and not http.hosts:  # noqa: S104  compared, not bound
        expected = "the names under which this box is reached, since it listens on every address"
        yield Fault("http.hosts", expected, None)


def _people(parts: Parts) -> Iterator[Fault]:
    seen: dict[str, str] = {}
    for name, person in parts.people.items():
        if person.pin_hash is None and person.badge_hash is None:
            expected = "pin_hash, badge_hash or both: without one this person can prove nothing"
            yield Fault(f"people.{name}", expected, None)
        for key, value in (("pin_hash", person.pin_hash), ("badge_hash", person.badge_hash)):
            if value is not None:
                first = seen.setdefault(value, f"people.{name}.{key}")
                if first != f"people.{name}.{key}":
                    yield Fault(f"people.{name}.{key}", f"a hash of its own, not {first}'s", None)


def _keys(parts: Parts) -> Iterator[Fault]:
    seen: dict[str, str] = {}
    for name, key in parts.keys.items():
        first = seen.setdefault(key.public, name)
        if first != name:
            yield Fault(f"keys.{name}.public", f"a key of its own, not keys.{first}'s", None)


def warnings(parts: Parts) -> Iterator[Warned]:
    """What is allowed, and perhaps not meant."""
    table, rules = parts.table, parts.rules
    watched = parts.tracking == "cards"  # nobody acts, and no amount is known
    if not parts.people and not watched:
        yield Warned("people", "nobody is named: every action but listening is refused")
    elif parts.people and not any("floor" in person.roles for person in parts.people.values()):
        yield Warned("people", "nobody has the role floor: nobody can open the table")
    if watched:
        what = "not kept: where only cards are told, nobody knows who wagers"
        yield from (Warned(f"meters.{name}", what) for name in parts.meters)
    elif rules is not None:
        yield from _unlimited(rules, parts.limits)
    for name, device in parts.devices.items():
        if device.kind == "badge_reader":
            yield from _badges(f"devices.{name}", parts.people)
        elif device.kind == "progressive":
            yield from _wagering(f"devices.{name}", device.read_only, rules)
    if parts.mqtt is not None and parts.mqtt.url.startswith("mqtt://"):
        host = parts.mqtt.url.removeprefix("mqtt://").rpartition(":")[0].strip("[]")
        if not is_loopback(host):
            yield Warned("mqtt.url", "not encrypted beyond this box: use mqtts and ca_file")
    if table is not None and (table.simulated or table.training):
        word = "simulated" if table.simulated else "training"
        yield Warned(f"table.{word}", "the journal will say so: this is no table for real wagers")


def _wagering(key: str, read_only: bool, rules: GameRules | None) -> Iterator[Warned]:
    if rules is not None and not rules.metered_wagers:
        yield Warned(key, "no progressive wager is offered for this device")
    if read_only:
        what = "read only: the table cannot lock it, and goes on only if it locks itself"
        yield Warned(f"{key}.read_only", what)


def _badges(key: str, people: Mapping[str, PersonSection]) -> Iterator[Warned]:
    """A badge names nobody: it is tried on each, the first time that it is read after a start."""
    badges = sum(person.badge_hash is not None for person in people.values())
    if not badges:
        yield Warned(key, "nobody has a badge_hash: no badge lets anybody in")
    elif badges > _BADGES_QUICK:
        what = f"{badges} badges: one that is read for the first time may take many seconds"
        yield Warned(key, what)


def _unlimited(rules: GameRules, limits: Mapping[str, LimitSection]) -> Iterator[Warned]:
    free = [w for w in rules.wagers if w not in (*_CHIP_WAGERS, "play", *limits)]
    if free:
        yield Warned("limits", f"no limits for {', '.join(free)}: any amount is taken")
