"""tablelink messages: payloads <-> frozen values. `decode` never raises on what a wire brings.

Names, numbers and fields are those of docs/integrators/tablelink.md, section 3.
"""

import struct
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal, Self

from drivers.tablelink.codec import Frame
from drivers.tablelink.reports import Report, read_report, write_report

VERSION: Final = 1
NONCE: Final = 16
BOOT: Final = 8
SERIAL, COMPONENT, MODEL, MODE, PROOF = 0x01, 0x02, 0x03, 0x04, 0x7F
COMPONENTS_MAXIMUM: Final = 8


class Malformed(ValueError):
    """A good frame whose payload does not hold what its message needs. Stays inside `decode`."""


def _unpack(layout: struct.Struct, payload: bytes) -> tuple[tuple[Any, ...], bytes]:
    """The fixed fields, and what follows them."""
    if len(payload) < layout.size:
        raise Malformed
    return layout.unpack_from(payload), payload[layout.size :]


def _tlvs(data: bytes) -> list[tuple[int, bytes]]:
    items = []
    while data:
        if len(data) < 2 or len(data) < 2 + data[1]:
            raise Malformed
        items.append((data[0], data[2 : 2 + data[1]]))
        data = data[2 + data[1] :]
    return items


def _text(value: bytes, least: int, most: int) -> str:
    if not least <= len(value) <= most or not all(0x20 <= byte <= 0x7E for byte in value):
        raise Malformed
    return value.decode("ascii")


def _tlv(type_: int, value: bytes) -> bytes:
    return bytes((type_, len(value))) + value


def _proof_of(data: bytes) -> tuple[bytes, bytes]:
    """Split TLVs into what a proof covers and the proof (empty where there is none)."""
    items = _tlvs(data)
    if items and items[-1][0] == PROOF:
        if len(items[-1][1]) != 32:
            raise Malformed
        return data[:-34], items[-1][1]
    return data, b""


# ── handshake ──────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Hello:
    """The host begins."""

    TYPE: ClassVar[int] = 0x01
    _LAYOUT: ClassVar[struct.Struct] = struct.Struct("<B16s")

    host_nonce: bytes
    version: int = VERSION

    def to_bytes(self) -> bytes:
        """The payload."""
        return self._LAYOUT.pack(self.version, self.host_nonce)

    @classmethod
    def from_bytes(cls, payload: bytes) -> Self:
        """Read it; raises Malformed."""
        (version, nonce), rest = _unpack(cls._LAYOUT, payload)
        _tlvs(rest)
        return cls(nonce, version)


@dataclass(frozen=True, slots=True)
class Welcome:
    """The device says who it is. `covered` is what its proof covers."""

    TYPE: ClassVar[int] = 0x02
    _LAYOUT: ClassVar[struct.Struct] = struct.Struct("<BB16s16sIH")

    kind: int
    host_nonce: bytes
    device_nonce: bytes
    device_boot: int
    capabilities: int
    serial: str
    versions: tuple[tuple[str, str], ...] = ()
    model: str = ""
    mode: str = ""
    proof: bytes = b""
    version: int = VERSION
    covered: bytes = field(default=b"", compare=False, repr=False)

    def to_bytes(self) -> bytes:
        """The payload."""
        data = self._LAYOUT.pack(
            self.version, self.kind, self.host_nonce, self.device_nonce, self.device_boot,
            self.capabilities,
        )  # fmt: skip
        data += _tlv(SERIAL, self.serial.encode("ascii"))
        for name, version in self.versions:
            data += _tlv(COMPONENT, f"{name}={version}".encode("ascii"))
        if self.model:
            data += _tlv(MODEL, self.model.encode("ascii"))
        if self.mode:
            data += _tlv(MODE, self.mode.encode("ascii"))
        return data + (_tlv(PROOF, self.proof) if self.proof else b"")

    @classmethod
    def from_bytes(cls, payload: bytes) -> Self:
        """Read it; raises Malformed."""
        fields, rest = _unpack(cls._LAYOUT, payload)
        version, kind, host_nonce, device_nonce, device_boot, capabilities = fields
        _, proof = _proof_of(rest)
        serial = model = mode = ""
        versions: list[tuple[str, str]] = []
        for type_, value in _tlvs(rest):
            if type_ == SERIAL:
                serial = _text(value, 1, 32)
            elif type_ == MODEL:
                model = _text(value, 1, 32)
            elif type_ == MODE:
                mode = _text(value, 1, 32)
            elif type_ == COMPONENT:
                name, mark, its = _text(value, 3, 40).partition("=")
                if not (name and mark and its) or len(versions) == COMPONENTS_MAXIMUM:
                    raise Malformed
                versions.append((name, its))
        if not serial:
            raise Malformed
        covered = payload[: len(payload) - (34 if proof else 0)]
        return cls(
            kind, host_nonce, device_nonce,
            device_boot, capabilities, serial, tuple(versions), model, mode, proof,
            version, covered,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Start:
    """The host accepts the device, sets the limits and says which reports it has."""

    TYPE: ClassVar[int] = 0x03
    _LAYOUT: ClassVar[struct.Struct] = struct.Struct("<16sHIII")

    device_nonce: bytes
    heartbeat_ms: int
    silence_ms: int
    have_boot: int = 0
    have_event: int = 0
    proof: bytes = b""

    def to_bytes(self) -> bytes:
        """The payload."""
        return self.covered() + (_tlv(PROOF, self.proof) if self.proof else b"")

    def covered(self) -> bytes:
        """The part that a proof covers."""
        return self._LAYOUT.pack(
            self.device_nonce, self.heartbeat_ms, self.silence_ms, self.have_boot, self.have_event
        )

    @classmethod
    def from_bytes(cls, payload: bytes) -> Self:
        """Read it; raises Malformed."""
        (nonce, beat, silence, boot, event), rest = _unpack(cls._LAYOUT, payload)
        _, proof = _proof_of(rest)
        return cls(nonce, beat, silence, boot, event, proof)


# ── condition, state, commands ─────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class CommandId:
    """`{boot, n}`: what a permissive command is known by."""

    boot: bytes
    n: int


NEVER: Final = CommandId(bytes(BOOT), 0)


@dataclass(frozen=True, slots=True)
class Condition:
    """How the device is now, in 9 bytes."""

    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<BBHIB")

    locked: bool
    held: bool
    busy: bool
    reports_lost: bool
    fault: int
    dispensed: int | None
    event: int
    pending: int

    def to_bytes(self) -> bytes:
        """Its 9 bytes."""
        flags = self.locked | self.held << 1 | self.busy << 2 | self.reports_lost << 3
        dispensed = 0xFFFF if self.dispensed is None else self.dispensed
        return self.LAYOUT.pack(flags, self.fault, dispensed, self.event, self.pending)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read it; raises Malformed."""
        flags, fault, dispensed, event, pending = cls.LAYOUT.unpack(data)
        if pending > min(event, 16):
            raise Malformed
        known = None if dispensed == 0xFFFF else dispensed
        locked, held, busy, lost = (bool(flags & 1 << bit) for bit in range(4))
        return cls(locked, held, busy, lost, fault, known, event, pending)


@dataclass(frozen=True, slots=True)
class State:
    """The device's answer to START: how it is, and what it executed last."""

    TYPE: ClassVar[int] = 0x04
    _LAYOUT: ClassVar[struct.Struct] = struct.Struct("<9s8sI8sI")

    condition: Condition
    permit: CommandId = NEVER
    restrict: CommandId = NEVER

    def to_bytes(self) -> bytes:
        """The payload."""
        return self._LAYOUT.pack(
            self.condition.to_bytes(),
            self.permit.boot, self.permit.n, self.restrict.boot, self.restrict.n,
        )  # fmt: skip

    @classmethod
    def from_bytes(cls, payload: bytes) -> Self:
        """Read it; raises Malformed."""
        (now, boot, n, boot2, n2), _ = _unpack(cls._LAYOUT, payload)
        condition = Condition.from_bytes(now)
        permit = CommandId(boot, n)
        return cls(condition, permit, CommandId(boot2, n2))


@dataclass(frozen=True, slots=True)
class Order:
    """COMMAND. Its code tells whether it restricts, permits or shows: see codes.py."""

    TYPE: ClassVar[int] = 0x30
    _LAYOUT: ClassVar[struct.Struct] = struct.Struct("<8sIB")

    id: CommandId
    code: int
    args: bytes = b""

    def to_bytes(self) -> bytes:
        """The payload."""
        return self._LAYOUT.pack(self.id.boot, self.id.n, self.code) + self.args

    @classmethod
    def from_bytes(cls, payload: bytes) -> Self:
        """Read it; raises Malformed."""
        (boot, n, code), rest = _unpack(cls._LAYOUT, payload)
        return cls(CommandId(boot, n), code, rest)


DONE, DONE_BEFORE, STALE, CANNOT, NOT_KNOWN = range(5)


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a command, and how the device is after it."""

    TYPE: ClassVar[int] = 0x31
    _LAYOUT: ClassVar[struct.Struct] = struct.Struct("<8sIB9s")

    id: CommandId
    outcome: int
    condition: Condition

    def to_bytes(self) -> bytes:
        """The payload."""
        now = self.condition.to_bytes()
        return self._LAYOUT.pack(self.id.boot, self.id.n, self.outcome, now)

    @classmethod
    def from_bytes(cls, payload: bytes) -> Self:
        """Read it; raises Malformed."""
        (boot, n, outcome, now), _ = _unpack(cls._LAYOUT, payload)
        if outcome > NOT_KNOWN:
            raise Malformed
        condition = Condition.from_bytes(now)
        return cls(CommandId(boot, n), outcome, condition)


# ── reports, beats, ends ───────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Event:
    """A report, numbered since the device booted, sent until it is acknowledged."""

    TYPE: ClassVar[int] = 0x20
    _LAYOUT: ClassVar[struct.Struct] = struct.Struct("<IHB")

    number: int
    age_ms: int
    report: Report

    def to_bytes(self) -> bytes:
        """The payload."""
        code, args = write_report(self.report)
        return self._LAYOUT.pack(self.number, self.age_ms, code) + args

    @classmethod
    def from_bytes(cls, payload: bytes) -> Self:
        """Read it; raises Malformed. A report that makes no sense is still a report: `Strange`."""
        (number, age_ms, code), rest = _unpack(cls._LAYOUT, payload)
        if number == 0:
            raise Malformed
        return cls(number, age_ms, read_report(code, rest))


@dataclass(frozen=True, slots=True)
class Ack:
    """The host has a report."""

    TYPE: ClassVar[int] = 0x21

    number: int

    def to_bytes(self) -> bytes:
        """The payload."""
        return struct.pack("<I", self.number)

    @classmethod
    def from_bytes(cls, payload: bytes) -> Self:
        """Read it; raises Malformed."""
        (number,), _ = _unpack(struct.Struct("<I"), payload)
        return cls(number)


NO_SESSION, BOOTED, CLOSING, PROOF_WRONG, VERSION_WRONG, NOT_ACKNOWLEDGED = range(1, 7)


@dataclass(frozen=True, slots=True)
class Bye:
    """The session is over."""

    TYPE: ClassVar[int] = 0x0F

    reason: int

    def to_bytes(self) -> bytes:
        """The payload."""
        return bytes((self.reason,))

    @classmethod
    def from_bytes(cls, payload: bytes) -> Self:
        """Read it; raises Malformed."""
        if not payload:
            raise Malformed
        return cls(payload[0])


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The host is still here."""

    TYPE: ClassVar[int] = 0x10

    def to_bytes(self) -> bytes:
        """The payload: nothing."""
        return b""

    @classmethod
    def from_bytes(cls, _payload: bytes) -> Self:
        """Read it."""
        return cls()


@dataclass(frozen=True, slots=True)
class Alive:
    """The device is still here. A type of its own: an echo of our HEARTBEAT is no sign of life."""

    TYPE: ClassVar[int] = 0x11

    def to_bytes(self) -> bytes:
        """The payload: nothing."""
        return b""

    @classmethod
    def from_bytes(cls, _payload: bytes) -> Self:
        """Read it."""
        return cls()


Message = Hello | Welcome | Start | State | Bye | Heartbeat | Alive | Event | Ack | Order | Result
Side = Literal["host", "device"]
_FROM: Final[dict[Side, dict[int, type[Message]]]] = {
    "host": {m.TYPE: m for m in (Hello, Start, Bye, Heartbeat, Ack, Order)},
    "device": {m.TYPE: m for m in (Welcome, State, Bye, Alive, Event, Result)},
}


def decode(frame: Frame, sender: Side) -> Message | Literal["malformed", "unknown"]:
    """The message in a good frame that `sender` sent."""
    known = _FROM[sender].get(frame.type)
    if known is None:
        other = _FROM["device" if sender == "host" else "host"]
        return "malformed" if frame.type in other else "unknown"
    try:
        return known.from_bytes(frame.payload)
    except Malformed:
        return "malformed"
