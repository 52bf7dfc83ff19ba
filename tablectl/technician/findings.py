"""What the doctor found, as values: how bad it is, one sentence, and what to do about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tablectl.hal.places import SerialPort, UsbDevice
from tablectl.technician.shapes import CheckFound, DeviceFound, Doctored, How


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    check: str  # clock, disk, broker, …
    how: How
    found: str
    do: str = ""

    def as_data(self) -> CheckFound:
        """For --json."""
        return {"check": self.check, "state": self.how, "found": self.found, "do": self.do}


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """A configured device, tried; or as the running daemon tells of it."""

    device: str
    kind: str
    driver: str
    url: str
    how: How
    found: str
    do: str = ""
    identity: Mapping[str, Any] = field(default_factory=dict)  # serial, model, boot, proved
    pinned: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    minimum_versions: Mapping[str, str] = field(default_factory=dict)
    counters: Mapping[str, int] = field(default_factory=dict)
    round_trip_ms: float | None = None

    def as_data(self) -> DeviceFound:
        """For --json."""
        return {
            "device": self.device,
            "kind": self.kind,
            "driver": self.driver,
            "url": self.url,
            "state": self.how,
            "found": self.found,
            "do": self.do,
            "identity": dict(self.identity),
            "pinned": dict(self.pinned),
            "versions": dict(self.versions),
            "minimum_versions": dict(self.minimum_versions),
            "counters": dict(self.counters),
            "round_trip_ms": self.round_trip_ms,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything that the doctor found."""

    file: str
    site: str
    table: str
    checks: tuple[Finding, ...]
    ports: tuple[SerialPort, ...]
    usb: tuple[UsbDevice, ...]
    devices: tuple[Examined, ...]
    users: Mapping[str, str]  # the url or the path of a port, and the device that is there

    @property
    def hows(self) -> list[How]:
        """How everything is that was looked at."""
        return [one.how for one in self.checks] + [one.how for one in self.devices]

    @property
    def exit_code(self) -> int:
        """0 fine, 1 something is wrong, 3 something could not be looked at."""
        if "wrong" in self.hows:
            return 1
        return 3 if "unknown" in self.hows else 0

    def as_data(self) -> Doctored:
        """For --json."""
        return {
            "ok": self.exit_code == 0,
            "errors": [],
            "table": {"site": self.site, "id": self.table},
            "checks": [one.as_data() for one in self.checks],
            "ports": [
                {
                    "path": port.path,
                    "names": list(port.names),
                    "what": port.what,
                    "used_by": self.users.get(port.path),
                }
                for port in self.ports
            ],
            "usb": [
                {
                    "url": one.url,
                    "path": one.path,
                    "what": one.what,
                    "used_by": self.users.get(one.path),
                }
                for one in self.usb
            ],
            "devices": [one.as_data() for one in self.devices],
        }
