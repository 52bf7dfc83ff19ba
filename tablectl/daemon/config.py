"""A table's configuration file: read, judged whole, and turned into what the core is set up with.

Every fault is collected, with its key, what was expected and the clause; none stops the reading of
the rest. No value of a key that may hold a secret is ever repeated. Nothing is started here.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from tablectl.daemon import equipment, fitness
from tablectl.daemon.sections import (
    CONFIG_VERSION,
    ENTRIES_MAXIMUM,
    NAME_EXPECTED,
    NAMED,
    SINGLE,
    TOP_LEVEL,
    ArchiveSection,
    DeviceSection,
    HttpSection,
    KeySection,
    LimitSection,
    MeterSection,
    MqttSection,
    PersonSection,
    SeatSection,
    Section,
    TableSection,
    is_name,
)
from tablectl.daemon.source import dotted, parse, shown
from tablectl.games.rules import ALL_WAGERS, GAME, Fault, GameRules, RulesError, parse_rules
from tablectl.journal.canonical import canonical_bytes
from tablectl.table.setup import DeviceSetup, Limit, MeterSetup, Setup

_CREDENTIALS: Final = {
    "password": "no password in this file: name the file that holds it as password_file",
    "pin": "no PIN in this file: give its argon2 hash as pin_hash",
    "badge": "no badge number in this file: give its argon2 hash as badge_hash",
}

# The keys that say which game is played and which wagers it offers; a pair plus always is.
_WHICH_WAGERS: Final = ALL_WAGERS - {"pair_plus"} | {
    "game", "variant", "dragon_bonus", "royal_9_reading", "must_hit"
}  # fmt: skip

S = TypeVar("S", bound=Section)


class ConfigError(ValueError):
    """The file is no configuration that a table may start with; `faults` has every reason."""

    def __init__(self, file: str, faults: tuple[Fault, ...]) -> None:
        super().__init__("; ".join(f"{file}: {fault}" for fault in faults))
        self.file = file
        self.faults = faults


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """A configuration that a table may start with."""

    file: str
    table: TableSection
    rules: GameRules
    meters: Mapping[str, MeterSection]
    devices: Mapping[str, DeviceSection]
    limits: Mapping[str, LimitSection]
    seats: Mapping[str, SeatSection]
    mqtt: MqttSection | None
    http: HttpSection
    people: Mapping[str, PersonSection]
    keys: Mapping[str, KeySection]
    archive: ArchiveSection


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was found in a file: `config` where it has no fault, the rules where they are right."""

    file: str
    faults: tuple[Fault, ...]
    warnings: tuple[fitness.Warned, ...] = ()
    rules: GameRules | None = None
    config: Config | None = None


def load(path: str | Path) -> Config:
    """Read a file for a table to start with; raises ConfigError with every fault.

    Raises OSError as `read` does.
    """
    reading = read(path)
    if reading.config is None:
        raise ConfigError(reading.file, reading.faults)
    return reading.config


def read(path: str | Path) -> Reading:
    """Read and judge a file. Raises OSError where a file that is there cannot be opened or read."""
    file = str(path)
    found, wrong = parse(Path(path))
    if wrong:
        return Reading(file=file, faults=wrong)
    version = found.get("config_version")
    if version is not None and (type(version) is not int or version != CONFIG_VERSION):
        expected = f"{CONFIG_VERSION}, the format that this version reads, not {shown(version)}"
        return Reading(file=file, faults=(Fault("config_version", expected, None),))
    return _Reader(file, found).reading()


def to_setup(config: Config) -> Setup:
    """What the core is set up with. The order of the file does not matter: each list is sorted."""
    # Where only cards are told, nobody knows what is wagered: a meter would show what is not so.
    kept = {} if config.table.tracking == "cards" else config.meters
    setup = Setup(
        site=config.table.site,
        table=config.table.id,
        rules=config.rules,
        meters=tuple(
            MeterSetup(name, meter.reset, _plain(meter.rate), meter.maximum or 0)
            for name, meter in sorted(kept.items())
        ),
        devices=tuple(
            DeviceSetup(
                name,
                device.kind,
                device.read_only and device.kind == "shoe",
                _pins(device),
                device.combined_with,
            )
            for name, device in sorted(config.devices.items())
        ),
        limits=tuple(
            Limit(wager, config.limits[wager].minimum, config.limits[wager].maximum)
            for wager in config.rules.wagers
            if wager in config.limits
        ),
        tracking=config.table.tracking,
        simulated=config.table.simulated,
        training=config.table.training,
        printed_king_9=tuple(
            sorted((int(seat), shown.printed_king_9) for seat, shown in config.seats.items())
        ),
    )
    # The lock waits for the slowest of the wagering devices.
    lock_ms = [
        device.ack_ms or setup.lock_ack_ms
        for device in config.devices.values()
        if device.kind == "progressive"
    ]
    return replace(setup, lock_ack_ms=max(lock_ms, default=setup.lock_ack_ms))


def _pins(device: DeviceSection) -> tuple[tuple[str, str], ...]:
    """What a device is held to, in one list: `CardRec = 4.0.018`, or at least that."""
    exact = {f"version {name}": f"= {version}" for name, version in device.versions.items()}
    least = {f"least {name}": f">= {version}" for name, version in device.minimum_versions.items()}
    return tuple(sorted({**device.identity, **exact, **least}.items()))


def digest(config: Config) -> str:
    """SHA-256 (hex) over the canonical JSON of the setup: the same rules give the same digest."""
    body = to_jsonable_python(to_setup(config))
    return hashlib.sha256(canonical_bytes(body)).hexdigest()


def _plain(rate: Decimal) -> str:
    """0.20 and 0.2 are one rate, and one text."""
    return f"{rate.normalize():f}"


class _Reader:
    """Reads one file's dictionary, section by section, and keeps every fault by its key."""

    def __init__(self, file: str, raw: Mapping[str, Any]) -> None:
        self._file = file
        self._raw = {**raw, **_with_kinds(raw)}
        self._faults: dict[str, Fault] = {}

    def reading(self) -> Reading:
        """Judge everything; a config only where no fault was found."""
        for key in self._raw:
            if key not in TOP_LEVEL:
                self._add(Fault(dotted(key), _no_such_key(key, TOP_LEVEL, "a configuration"), None))
        if "config_version" not in self._raw:
            self._add(Fault("config_version", f"{CONFIG_VERSION}; the key is missing", None))
        rules, judged_by = self._rules()
        table = self._raw.get("table")
        parts = fitness.Parts(
            rules=judged_by,
            table=self._single("table", TableSection),
            meters=self._named("meters", MeterSection),
            devices=self._named("devices", DeviceSection),
            limits=self._named("limits", LimitSection),
            seats=self._named("seats", SeatSection),
            mqtt=self._single("mqtt", MqttSection) if "mqtt" in self._raw else None,
            http=self._single("http", HttpSection),
            people=self._named("people", PersonSection),
            keys=self._named("keys", KeySection),
            archive=self._single("archive", ArchiveSection),
            tracking=table.get("tracking") if isinstance(table, dict) else None,
            raw_meters=_tables(self._raw.get("meters", {})),
            raw_devices=_tables(self._raw.get("devices", {})),
            raw_seats=_tables(self._raw.get("seats", {})),
        )
        unfit = []
        drivers = [*equipment.faults(parts.devices)]
        if not drivers:
            drivers += equipment.listened_to(parts.devices, parts.rules, parts.tracking)
        for fault in (*fitness.faults(parts), *drivers):
            if fault.key in self._faults:
                self._add(fault)
            else:
                unfit.append(fault)
        faults = tuple(sorted((*self._faults.values(), *unfit), key=_place))
        warnings = tuple(fitness.warnings(parts))
        if faults:
            return Reading(file=self._file, faults=faults, warnings=warnings, rules=rules)
        config = self._config(parts)
        return Reading(file=self._file, faults=(), warnings=warnings, rules=rules, config=config)

    def _config(self, parts: fitness.Parts) -> Config:
        # Without a fault every section was read.
        assert parts.table is not None
        assert parts.rules is not None
        assert parts.http is not None
        assert parts.archive is not None
        return Config(
            file=self._file,
            table=parts.table,
            rules=parts.rules,
            meters=parts.meters,
            devices=equipment.completed(parts.devices),
            limits=parts.limits,
            seats=parts.seats,
            mqtt=parts.mqtt,
            http=parts.http,
            people=parts.people,
            keys=parts.keys,
            archive=parts.archive,
        )

    def _add(self, fault: Fault) -> None:
        """Keep the first fault of a key; a later one can only supply its clause."""
        first = self._faults.setdefault(fault.key, fault)
        if first.clause is None and fault.clause is not None:
            self._faults[fault.key] = Fault(first.key, first.expected, fault.clause)

    def _rules(self) -> tuple[GameRules | None, GameRules | None]:
        """The rules where they are right, and those to judge the other sections by."""
        raw = self._raw.get("rules")
        if not isinstance(raw, dict):
            what = "it is missing" if raw is None else f"not {shown(raw)}"
            self._add(Fault("rules", f"a table [rules] with game and its rules; {what}", None))
            return None, None
        try:
            rules = parse_rules(raw)
        except RulesError as error:
            for fault in error.faults:
                section, _, key = fault.key.partition(".")
                self._add(Fault(dotted(section, key), fault.expected, fault.clause))
            return None, _mended(raw, error)
        return rules, rules

    def _single(self, section: str, model: type[S]) -> S | None:
        """A section that stands once. An absent one is empty: its own defaults, or faults."""
        if section not in self._raw and _required(model):
            expected = f"a table [{section}] with {', '.join(_required(model))}; it is missing"
            self._add(Fault(section, expected, None))
            return None
        return self._section((section,), model, self._raw.get(section, {}))

    def _named(self, section: str, model: type[S]) -> dict[str, S]:
        """A section of named entries: those that could be read."""
        raw = self._raw.get(section, {})
        if not isinstance(raw, dict):
            expected = f"tables [{section}.NAME], not {shown(raw)}"
            self._add(Fault(section, expected, None))
            return {}
        if len(raw) > ENTRIES_MAXIMUM[section]:
            self._add(Fault(section, f"at most {ENTRIES_MAXIMUM[section]} entries", None))
            return {}
        found = {}
        for name, entry in raw.items():
            if not is_name(name):
                self._add(Fault(dotted(section, name), NAME_EXPECTED, None))
                continue
            part = self._section((section, name), model, entry)
            if part is not None:
                found[name] = part
        return found

    def _section(self, place: tuple[str, ...], model: type[S], raw: object) -> S | None:
        if not isinstance(raw, dict):
            expected = f"a table with {', '.join(model.model_fields)}, not {shown(raw)}"
            self._add(Fault(dotted(*place), expected, None))
            return None
        try:
            return model.model_validate(raw)
        except ValidationError as error:
            for fault in _shape_faults(place, model, error):
                self._add(fault)
            return None


def _with_kinds(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The devices, each with its kind as far as that is clear without being said."""
    devices = raw.get("devices")
    if not isinstance(devices, dict):
        return {}
    found = {}
    for name, entry in devices.items():
        found[name] = entry
        if isinstance(entry, dict) and "kind" not in entry:
            kind = equipment.kind_of(name, entry.get("driver"))
            found[name] = {**entry, "kind": kind} if kind else entry
    return {"devices": found}


def _mended(raw: Mapping[str, object], error: RulesError) -> GameRules | None:
    """Rules without their faults, so that the rest of the file can still be judged.

    None where it is not clear which wagers were meant: then the rest would be judged wrongly.
    """
    faulty = {fault.key.removeprefix("rules.") for fault in error.faults}
    if faulty & _WHICH_WAGERS:
        return None
    kept = {key: value for key, value in raw.items() if key not in faulty}
    needed = {"ante_bonus": "A", "pair_plus": "A"} if raw.get("game") == GAME else {}
    try:
        return parse_rules({**needed, **kept})
    except RulesError:
        return None


def _shape_faults(
    place: tuple[str, ...], model: type[Section], error: ValidationError
) -> Iterator[Fault]:
    """pydantic's errors in our words: one a key, the value shown only where it can be no secret."""
    for found in error.errors(include_url=False):
        key = str(found["loc"][0])
        field = model.model_fields.get(key)
        if field is None:
            expected = _no_such_key(key, tuple(model.model_fields), _called(place))
            yield Fault(dotted(*place, key), expected, None)
            continue
        extra = field.json_schema_extra
        assert isinstance(extra, dict)
        expected = str(field.description)
        if found["type"] == "missing":
            expected += "; the key is missing"
        elif found["type"] == "expected":
            expected = found["msg"]
        elif not extra["secret"]:
            expected += f", not {shown(found['input'])}"
        clause = extra["clause"]
        yield Fault(dotted(*place, key), expected, clause if isinstance(clause, str) else None)


def _no_such_key(key: str, known: tuple[str, ...], owner: str) -> str:
    return _CREDENTIALS.get(key) or f"no such key; {owner} has {', '.join(known)}"


def _called(place: tuple[str, ...]) -> str:
    return f"[{place[0]}]" if len(place) == 1 else f"an entry of {place[0]}"


def _required(model: type[Section]) -> list[str]:
    return [name for name, field in model.model_fields.items() if field.is_required()]


def _tables(raw: object) -> dict[str, dict[str, Any]] | None:
    """The entries of a section that are tables with a proper name, as they stand in the file."""
    if not isinstance(raw, dict):
        return None
    return {name: entry for name, entry in raw.items() if isinstance(entry, dict) and is_name(name)}


def _place(fault: Fault) -> int:
    """Faults stand in the order of the sections; those of no section come first."""
    section = fault.key.partition(".")[0]
    return TOP_LEVEL.index(section) if section in TOP_LEVEL else -1


assert set(TOP_LEVEL) == {"config_version", "rules", *SINGLE, *NAMED}
