"""The sections of a configuration file as pydantic models: shapes only, section by section.

Each key carries what an error message says it should be. What needs two sections, or the rules of
the game, is judged in fitness.py; nothing here opens a file.
"""

import re
from decimal import Decimal
from ipaddress import ip_address
from typing import Annotated, Any, Final, Literal, get_args
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    WithJsonSchema,
)
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from tablectl.cards import CENTS_MAXIMUM, Card, UnknownCard, parse_card
from tablectl.games.midi_side_wagers import king_nine
from tablectl.hal.usb_address import Address
from tablectl.table.setup import DeviceKind

CONFIG_VERSION: Final = 1
NAME_EXPECTED: Final = "a name of 1 to 32 letters, digits, - and _"

Role = Literal["dealer", "floor", "surveillance", "technician"]
KeyCommand = Literal["replay", "confirm", "acknowledge_alarm", "halt_table"]

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,32}")
_RATE_STEP: Final = Decimal("0.000001")
_HOST: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,252})?")
_ARGON2: Final = (
    r"^\$argon2(id|i|d)\$v=[0-9]{1,3}\$m=[0-9]{1,8},t=[0-9]{1,4},p=[0-9]{1,3}"
    r"\$[A-Za-z0-9+/]{11,88}\$[A-Za-z0-9+/]{22,172}$"
)


def is_name(text: str) -> bool:
    """Whether `text` can name a device, a person or a key, and stand in an MQTT topic."""
    return _NAME.fullmatch(text) is not None


def _wrong(expected: str) -> PydanticCustomError:
    """A refusal whose sentence replaces the key's usual one; it must not repeat the value."""
    return PydanticCustomError("expected", "{expected}", {"expected": expected})


def _key(
    expected: str,
    *,
    default: Any = ...,
    clause: str | None = None,
    secret: bool = False,
    **bounds: Any,
) -> Any:
    """A key: what is expected of it, the clause behind it, and whether its value may be shown."""
    extra: JsonDict = {"clause": clause, "secret": secret}
    return Field(default, description=expected, json_schema_extra=extra, **bounds)


def _printable(text: str) -> str:
    if not text.isprintable() or text != text.strip():
        raise _wrong("a text of printable characters, without spaces around it")
    return text


def _absolute(text: str) -> str:
    if not text.startswith("/") or not text.isprintable():
        raise ValueError
    return text


def _host_and_port(text: str) -> tuple[str, int]:
    """Split "host:port" or "[v6]:port"; raises ValueError."""
    parts = urlsplit(f"//{text}")
    if parts.netloc != text or parts.username is not None or parts.hostname is None:
        raise ValueError
    if not parts.port:  # urlsplit raises ValueError beyond 65535
        raise ValueError
    if parts.netloc.startswith("["):
        ip_address(parts.hostname)
    elif not _HOST.fullmatch(parts.hostname):
        raise ValueError
    return parts.hostname, parts.port


def _host_name(text: str) -> str:
    """A name as browsers send it, or an address; with a port where it is not the daemon's own."""
    if text != text.lower() or not text.isascii():
        raise ValueError
    _host_and_port(text if re.search(r":[0-9]{1,5}$", text) else f"{text}:1")
    return text


def is_loopback(host: str) -> bool:
    """Whether only this box can reach `host`."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _device_url(text: str) -> str:
    """A place that the links will know how to open; which driver uses it comes with the drivers."""
    if not text.isprintable() or " " in text:
        raise ValueError
    if "@" in text:
        raise _wrong("an address without user name and password: a device link has none")
    if text.startswith("/dev/"):
        return _spelled(text, r"/dev/[\w./:+-]+")
    scheme = text.partition(":")[0]
    if scheme in ("socket", "rfc2217") and text.startswith(f"{scheme}://"):
        address, mark, option = text.removeprefix(f"{scheme}://").partition("?")
        _host_and_port(address)
        # pyserial's other options would only slow the link down, or log what passes over it.
        if mark and (scheme, option) != ("rfc2217", "ign_set_control"):
            raise ValueError
        return text
    if scheme == "usb":
        Address.parse(text)
        return text
    return _spelled(text, r"pty:/[\w./-]+")


def _spelled(text: str, pattern: str) -> str:
    if not re.fullmatch(pattern, text, re.ASCII):
        raise ValueError
    return text


def _broker_url(text: str) -> str:
    scheme, mark, address = text.partition("://")
    if "@" in text:
        raise _wrong("an address without credentials: use username and password_file")
    if scheme not in ("mqtt", "mqtts") or not mark:
        raise ValueError
    _host_and_port(address)
    return text


def _listen(text: str) -> str:
    host, _port = _host_and_port(text)
    if host != "localhost":
        ip_address(host)
    return text


def _rate(value: object) -> object:
    """Exact decimals only: a text, a flag or a binary float is no rate."""
    if isinstance(value, bool) or not isinstance(value, Decimal | int):
        raise ValueError
    rate = Decimal(value)
    # Bounds before arithmetic: 1e999999999 would fill the memory as a fraction.
    if not rate.is_finite() or abs(rate.adjusted()) > 9:
        raise ValueError
    if rate != rate.quantize(_RATE_STEP):
        raise _wrong("a share of each wager with at most 6 decimal places")
    return rate


def _king_nine(value: object) -> tuple[Card, Card]:
    """What a layout shows at a seat: the king first, whatever the order in the file."""
    try:
        cards = sorted(map(parse_card, value), reverse=True)  # type: ignore[call-overload]
    except (UnknownCard, TypeError):
        raise ValueError from None
    if not isinstance(value, list) or len(cards) != 2 or king_nine(cards) is None:
        raise ValueError
    return cards[0], cards[1]


def _no_twins(values: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(values)) != len(values):
        raise _wrong("each value once")
    return values


Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,32}$")]
Text = Annotated[str, Field(min_length=1, max_length=80), AfterValidator(_printable)]
FilePath = Annotated[str, Field(max_length=1024), AfterValidator(_absolute)]
HostName = Annotated[str, Field(max_length=253), AfterValidator(_host_name)]
Pinned = Annotated[dict[Text, Text], Field(max_length=16)]
Hash = Annotated[str, Field(pattern=_ARGON2)]
Cents = Annotated[int, Field(ge=1, le=CENTS_MAXIMUM)]

# What these two are in a file, for the schemas: their validators say it to nobody.
_SHARE: Final = {"type": "number", "exclusiveMinimum": 0, "maximum": 1}
_TWO_CARDS: Final = {
    "type": "array", "minItems": 2, "maxItems": 2,
    "items": {"type": "string", "pattern": "^[K9][CDHS]$"},
}  # fmt: skip
_PATH: Final = "the absolute path of a file"
_HASH: Final = "an argon2 hash ($argon2id$v=19$...), never the {} itself"
_CENTS: Final = f"an integer of cents from 1 to {CENTS_MAXIMUM}"
_URL: Final = (
    "a link: /dev/PATH, socket://HOST:PORT, rfc2217://HOST:PORT, "
    "usb://VID:PID[?serial=TEXT|?path=BUS-PORT] or pty:/PATH"
)


class Section(BaseModel):
    """What every section shares: no unknown key, no conversion, no change afterwards."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, hide_input_in_errors=True)


class TableSection(Section):
    """`[table]`: which table this is, and where it keeps its journal."""

    site: Name = _key(NAME_EXPECTED)
    id: Name = _key(NAME_EXPECTED)
    data: FilePath = _key("the absolute path of the folder for journal and keys")
    tracking: Literal["cards", "seats", "wagers"] = _key(
        "one of cards, seats, wagers", default="wagers"
    )
    simulated: bool = _key("true or false", default=False)
    training: bool = _key("true or false", default=False)


class MeterSection(Section):
    """`[meters.NAME]`: the terms of a progressive meter."""

    # Which clauses ask what of a meter, its game says.
    reset: Cents = _key(_CENTS)
    rate: Annotated[Decimal, BeforeValidator(_rate), WithJsonSchema(_SHARE)] = _key(
        "a share of each wager as a decimal number, such as 0.20"
    )
    maximum: Cents | None = _key(_CENTS, default=None)


class DeviceSection(Section):
    """`[devices.ID]`: a device, where it is, and what is pinned about it."""

    kind: DeviceKind = _key(f"one of {', '.join(get_args(DeviceKind))}")
    driver: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")] = _key(
        "a driver's name: lower-case letters, digits and _"
    )
    url: Annotated[str, Field(max_length=256), AfterValidator(_device_url)] = _key(
        _URL, secret=True
    )
    read_only: bool = _key("true or false", default=False)
    identity: Pinned = _key("a table of at most 16 texts, as the device tells them", default={})
    versions: Pinned = _key("a table of at most 16 versions, as texts", default={})
    minimum_versions: Pinned = _key("a table of at most 16 versions, as texts", default={})
    silence_ms: int | None = _key(
        "milliseconds, an integer from 100 to 600000", default=None, ge=100, le=600_000
    )
    ack_ms: int | None = _key(
        "milliseconds, an integer from 50 to 10000", default=None, ge=50, le=10_000
    )
    combined_with: str = _key("the name of the shoe that it is one machine with", default="")
    key_file: FilePath | None = _key(
        f"{_PATH} that holds the key shared with the device", default=None, secret=True
    )
    options: Annotated[dict[str, Any], Field(max_length=32)] = _key(
        "a table of at most 32 options of the driver", default={}
    )


class LimitSection(Section):
    """An entry of `[limits]`: the least and the most of one wager."""

    minimum: Cents = _key(_CENTS)
    maximum: Cents = _key(_CENTS)


class SeatSection(Section):
    """`[seats.NUMBER]`: what the layout shows at a seat."""

    printed_king_9: Annotated[
        tuple[Card, Card], PlainValidator(_king_nine), WithJsonSchema(_TWO_CARDS)
    ] = _key('the king and the nine printed there, such as ["KS", "9H"]', clause="MIDI 12.K")


class MqttSection(Section):
    """`[mqtt]`: the broker."""

    url: Annotated[str, Field(max_length=256), AfterValidator(_broker_url)] = _key(
        "mqtt://HOST:PORT or mqtts://HOST:PORT", secret=True
    )
    username: Text | None = _key("a text of at most 80 printable characters", default=None)
    password_file: FilePath | None = _key(
        f"{_PATH} that holds the password", default=None, secret=True
    )
    ca_file: FilePath | None = _key(_PATH, default=None)
    away_seconds: int = _key("seconds, an integer from 0 to 3600", default=30, ge=0, le=3600)


class HttpSection(Section):
    """`[http]`: where the daemon's own pages and API listen."""

    listen: Annotated[str, Field(max_length=80), AfterValidator(_listen)] = _key(
        "ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:8080", default="127.0.0.1:8080"
    )
    cert_file: FilePath | None = _key(_PATH, default=None)
    key_file: FilePath | None = _key(_PATH, default=None)
    hosts: Annotated[
        tuple[HostName, ...], Field(max_length=16, strict=False), AfterValidator(_no_twins)
    ] = _key("a list of at most 16 host names in lower case, such as table-12.pit", default=())

    @property
    def host(self) -> str:
        """The address without its port."""
        return _host_and_port(self.listen)[0]


class PersonSection(Section):
    """`[people.NAME]`: who may act here, in which roles, proved by what."""

    name: Text = _key("a text of 1 to 80 printable characters")
    roles: Annotated[
        tuple[Role, ...], Field(min_length=1, strict=False), AfterValidator(_no_twins)
    ] = _key("a list of dealer, floor, surveillance, technician; at least one")
    pin_hash: Hash | None = _key(_HASH.format("PIN"), default=None, secret=True)
    badge_hash: Hash | None = _key(_HASH.format("badge's number"), default=None, secret=True)


class KeySection(Section):
    """`[keys.NAME]`: a public key whose signed commands are heeded, and which ones."""

    public: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] = _key(
        "an Ed25519 public key as 64 lower-case hex digits", secret=True
    )
    commands: Annotated[
        tuple[KeyCommand, ...], Field(min_length=1, strict=False), AfterValidator(_no_twins)
    ] = _key("a list of replay, confirm, acknowledge_alarm, halt_table; at least one")


class ArchiveSection(Section):
    """`[archive]`: how far the archive may be behind."""

    unconfirmed_limit: Annotated[int, Field(ge=1, le=10_000_000)] = _key(
        "an integer from 1 to 10000000", default=10_000
    )


# The file from top to bottom. [rules] is not here: games/rules.py knows its keys.
SINGLE: Final[dict[str, type[Section]]] = {
    "table": TableSection,
    "mqtt": MqttSection,
    "http": HttpSection,
    "archive": ArchiveSection,
}
NAMED: Final[dict[str, type[Section]]] = {
    "meters": MeterSection,
    "devices": DeviceSection,
    "limits": LimitSection,
    "seats": SeatSection,
    "people": PersonSection,
    "keys": KeySection,
}
ENTRIES_MAXIMUM: Final = {
    "meters": 16, "devices": 64, "limits": 64, "seats": 16, "people": 500, "keys": 16,
}  # fmt: skip
TOP_LEVEL: Final = (
    "config_version", "table", "rules", "meters", "devices", "limits", "seats", "mqtt", "http",
    "people", "keys", "archive",
)  # fmt: skip
