"""What `doctor --json` and a line of `listen --json` hold: types only."""

from typing import Any, Literal, NotRequired, TypedDict

from tablectl.daemon.shapes import CheckError
from tablectl.journal.shapes import Time

# It works; worth knowing; to be mended; it could not be looked at.
How = Literal["fine", "note", "wrong", "unknown"]


class TableName(TypedDict):
    """Which table."""

    site: str
    id: str


class CheckFound(TypedDict):
    """One thing that was looked at: what was found, in a sentence, and what to do."""

    check: str
    state: How
    found: str
    do: str


class PortFound(TypedDict):
    """A serial port: what it is called now, its lasting names (the best first), whose it is."""

    path: str
    names: list[str]
    what: str
    used_by: str | None


class UsbFound(TypedDict):
    """A USB device: the url that finds it, the plug that it is in, whose it is."""

    url: str
    path: str
    what: str
    used_by: str | None


class DeviceFound(TypedDict):
    """A configured device, tried, or as the running daemon tells of it. `identity` is empty where
    it did not say who it is, `round_trip_ms` null where nothing was asked."""

    device: str
    kind: str
    driver: str
    url: str
    state: How
    found: str
    do: str
    identity: dict[str, Any]
    pinned: dict[str, str]
    versions: dict[str, str]
    minimum_versions: dict[str, str]
    counters: dict[str, int]
    round_trip_ms: float | None


class Doctored(TypedDict):
    """What the doctor found. Of a configuration with errors there is nothing but these."""

    ok: bool
    errors: list[CheckError]
    table: NotRequired[TableName]
    checks: NotRequired[list[CheckFound]]
    ports: NotRequired[list[PortFound]]
    usb: NotRequired[list[UsbFound]]
    devices: NotRequired[list[DeviceFound]]


class Told(TypedDict):
    """What a device told: a reading in the words of its kind, `identity`, or `frames` that were no
    reading. A card is `sealed` or `unreadable`, or itself where a technician opened it."""

    event: str
    args: NotRequired[dict[str, Any]]
    cards: NotRequired[list[str]]


class Line(Told):
    """A line of `listen --json`."""

    time: Time
    device: str
