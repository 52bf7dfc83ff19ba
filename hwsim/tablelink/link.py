"""The device's side of a tablelink session: bytes in, wire frames out, moved by `advance`.

Restrict first: whatever ends a session locks or holds the model before anything is sent. What a
line brings never raises; it is counted.
"""

import hashlib
import hmac
import random
from collections import Counter, deque
from dataclasses import dataclass
from typing import Final

from hwsim.devices.device import Device, Report
from hwsim.tablelink import messages as m
from hwsim.tablelink.framing import Damaged, Frame, Splitter, crc32
from hwsim.tablelink.rules import CommandRules
from hwsim.tablelink.speech import (
    EVENTS,
    capabilities,
    condition_of,
    event_arguments,
    identity_items,
)

MS: Final = 1_000_000
VERSION: Final = 1
MOST_KEPT: Final = 16  # reports
EVENT_AGAIN_NS: Final = 200 * MS
EVENT_COPIES: Final = 25
BYE_EVERY_NS: Final = 500 * MS  # two sides must not answer each other for ever
HEARTBEAT_MS: Final = range(25, 60_001)
SILENCE_MS: Final = range(100, 600_001)


@dataclass(slots=True)
class Kept:
    """A report that the host has not acknowledged."""

    number: int
    report: Report
    at_ns: int
    copies: int = 0
    sent_ns: int = 0


@dataclass(slots=True)
class Session:
    """What both sides agreed on, and what was heard last."""

    id: int
    device_nonce: bytes
    heartbeat_ns: int
    silence_ns: int
    heard_ns: int
    sent_ns: int
    seq: int  # of the last frame that was taken


class Link:
    """One device's tablelink. `receive`, `advance` and `take` are all that a port needs."""

    def __init__(
        self,
        device: Device,
        rng: random.Random,
        *,
        key: bytes | None = None,
        sees_connections: bool = False,
    ) -> None:
        """`sees_connections`: a TCP port does, a serial line does not."""
        self.device = device
        self.rng = rng
        self.key = key
        self.sees_connections = sees_connections
        self.now_ns = 0
        self.counters: Counter[str] = Counter()
        self.rules = CommandRules(device)
        self.session: Session | None = None
        self._splitter = Splitter()
        self._out: list[bytes] = []
        self.power_on()

    def power_on(self, forget: bool = False) -> None:
        """Boot: a new number, nothing kept but the last commands, where the device can keep them.

        `forget`: it is another device, whose memory is empty.
        """
        self.boot = self.rng.randrange(1, 1 << 32)
        self.session = None
        self.event = 0
        self.kept: deque[Kept] = deque()
        self.lost = False  # reports were dropped, and no ACK came since
        self._nonces: tuple[bytes, bytes] | None = None  # host's, ours: a WELCOME is out
        self._bye_ns: int | None = None
        self._seq = 0
        self._begun = False  # the 00 before the first frame was sent
        self._splitter.forget()
        self._out.clear()
        self.rules.power_on(forget or not self.device.keeps_memory)
        if not self.sees_connections:
            self._send(m.Bye(m.BYE_BOOTED), 0)

    # ── the port ──
    def connected(self) -> None:
        """A new connection, where the port can see one: everything begins at 0."""
        self.disconnected()
        self._seq = 0
        self._begun = False

    def disconnected(self) -> None:
        """The connection closed: restrict at once."""
        if self.session is not None:
            self._end("connection closed")
        self._nonces = None
        self._splitter.forget()
        self._out.clear()

    def receive(self, data: bytes) -> None:
        """Take in what came over the line, in any pieces."""
        for piece in self._splitter.feed(data):
            try:
                frame = Frame.from_wire(piece)
                self._take(frame)
            except Damaged:
                self.counters["bad"] += 1
        self.collect()

    def take(self) -> list[bytes]:
        """What is to be sent: wire frames, each with its 00."""
        out, self._out = self._out, []
        return out

    # ── time ──
    def due_ns(self) -> int | None:
        """How long until the next heartbeat, copy or limit."""
        if self.session is None:
            return None
        times = [
            self.session.heard_ns + self.session.silence_ns,
            self.session.sent_ns + self.session.heartbeat_ns,
        ]
        if self.kept:
            oldest = self.kept[0]
            times.append(oldest.sent_ns + EVENT_AGAIN_NS if oldest.copies else self.now_ns)
        return max(0, min(times) - self.now_ns)

    def advance(self, dt_ns: int) -> None:
        """Let so much time pass on the line."""
        end = self.now_ns + dt_ns
        while (due := self.due_ns()) is not None and self.now_ns + due <= end:
            self.now_ns += due
            self._on_time()
        self.now_ns = end
        self.collect()

    def _on_time(self) -> None:
        session = self.session
        assert session is not None
        if self.now_ns >= session.heard_ns + session.silence_ns:
            self._end("silence")
            return
        self._speak()
        if self.session and self.now_ns >= session.sent_ns + session.heartbeat_ns:
            self._send(m.Alive(), session.id)

    # ── reports ──
    def collect(self) -> None:
        """Number and keep what the model has to tell; send it where a session runs."""
        while self.device.reports:
            if self.device.reports[0].name == "badge" and self.session is None:
                self.device.reports.popleft()  # nobody is there to let anybody in
                continue
            self.event += 1
            self.kept.append(Kept(self.event, self.device.reports.popleft(), self.now_ns))
            if len(self.kept) > MOST_KEPT:
                self.kept.popleft()
                self.lost = True
                self.counters["reports lost"] += 1
        self._speak()

    def _speak(self) -> None:
        """Send the oldest kept report, if it is time for it: one at a time."""
        if self.session is None or not self.kept:
            return
        oldest = self.kept[0]
        if oldest.copies and self.now_ns < oldest.sent_ns + EVENT_AGAIN_NS:
            return
        if oldest.copies >= EVENT_COPIES:
            self._end("no acknowledgement", m.BYE_NO_ACK)
            return
        oldest.copies += 1
        oldest.sent_ns = self.now_ns
        age_ms = min((self.now_ns - oldest.at_ns) // MS, m.NOT_KNOWN)
        name, args = oldest.report.name, oldest.report.args
        event = m.Event(oldest.number, age_ms, EVENTS[name], event_arguments(name, args))
        self._send(event, self.session.id)

    # ── frames ──
    def _send(self, message: m.Message, session: int) -> None:
        frame = Frame(message.TYPE, self._seq, session, message.pack())
        self._seq = (self._seq + 1) % 256
        # A serial device cannot tell when a connection begins; an empty frame costs nothing.
        lead = b"" if self._begun and message.TYPE != m.Welcome.TYPE else b"\0"
        self._begun = True
        self._out.append(lead + frame.to_wire())
        if self.session is not None and session == self.session.id:
            self.session.sent_ns = self.now_ns

    def _take(self, frame: Frame) -> None:
        """One good frame; raises Malformed where it is not what its type says."""
        self.counters["good"] += 1
        if frame.type in m.FROM_DEVICE:
            raise m.Malformed("in the wrong direction: the line echoes")
        if frame.type == m.Hello.TYPE:
            self._hello(m.Hello.unpack(frame.payload))
        elif frame.type == m.Start.TYPE:
            self._start(frame, m.Start.unpack(frame.payload))
        elif self.session is None or frame.session != self.session.id:
            self.counters["stray" if frame.type in m.BY_TYPE else "unknown"] += 1
            if frame.type in m.BY_TYPE and frame.type != m.Bye.TYPE:
                self._no_such_session(frame.session)
        elif not self._repeated(frame, self.session):
            self._in_session(frame, self.session)

    def _repeated(self, frame: Frame, session: Session) -> bool:
        ahead = (frame.seq - session.seq) % 256
        if ahead == 0 or ahead >= 128:
            self.counters["repeated"] += 1
            return True
        return False

    def _heard(self, frame: Frame, session: Session) -> None:
        self.counters["lost"] += (frame.seq - session.seq - 1) % 256
        session.seq = frame.seq
        session.heard_ns = self.now_ns

    def _in_session(self, frame: Frame, session: Session) -> None:
        if frame.type not in m.BY_TYPE:
            self.counters["unknown"] += 1  # no sign of life: nobody knows who sent it
            return
        message = m.unpack(frame.type, frame.payload)
        if isinstance(message, m.Command):
            self.rules.check(message)
        self._heard(frame, session)
        match message:
            case m.Ack(number):
                if self.kept and self.kept[0].number == number:
                    self.kept.popleft()
                    self.lost = False
            case m.Command():
                self.collect()
                outcome = self.rules.execute(message)
                if self.session is session:
                    self._send(m.Result(message.number, outcome, self.condition()), session.id)
                self.collect()  # what the command brought about comes after its answer
            case m.Bye(reason):
                self._end(f"bye {reason}")

    def _no_such_session(self, session: int) -> None:
        if self._bye_ns is None or self.now_ns - self._bye_ns >= BYE_EVERY_NS:
            self._bye_ns = self.now_ns
            self._send(m.Bye(m.BYE_NO_SESSION), session)

    # ── a session begins and ends ──
    def _hello(self, hello: m.Hello) -> None:
        if hello.version < VERSION:
            self._send(m.Bye(m.BYE_VERSION), 0)
            return
        if self._nonces is None or self._nonces[0] != hello.host_nonce:
            self._nonces = (hello.host_nonce, self._fresh_nonce(hello.host_nonce))
        welcome = m.Welcome(
            VERSION,
            m.KINDS[self.device.kind],
            *self._nonces,
            self.boot,
            capabilities(self.device),
            identity_items(self.device),
        )
        if self.key is not None:
            secret = b"tablelink-1 device" + hello.host_nonce + welcome.pack()
            welcome = m.Welcome(
                welcome.version,
                welcome.kind,
                *self._nonces,
                welcome.boot,
                welcome.capabilities,
                (*welcome.items, (m.PROOF, _proof(self.key, secret))),
            )
        self._send(welcome, 0)

    def _fresh_nonce(self, host_nonce: bytes) -> bytes:
        """New, and never one whose session is 0000 or the one that runs."""
        while True:
            nonce = self.rng.randbytes(m.NONCE)
            session = session_id(host_nonce, nonce)
            if session and (self.session is None or session != self.session.id):
                return nonce

    def _start(self, frame: Frame, start: m.Start) -> None:
        running = self.session
        if running and (frame.session, start.device_nonce) == (running.id, running.device_nonce):
            if not self._repeated(frame, running):
                self._heard(frame, running)
                self._tell_state(running)
            return
        if self._nonces is None or start.device_nonce != self._nonces[1]:
            self.counters["stray"] += 1
            if self._nonces is None and running is None:
                self._no_such_session(frame.session)
        elif frame.session != session_id(*self._nonces):
            self.counters["stray"] += 1
        elif not self._proved(frame.payload, start):
            self._send(m.Bye(m.BYE_PROOF), frame.session)
        elif not _limits_are_good(start):
            self._send(m.Bye(m.BYE_VERSION), 0)
        else:
            self._begin(frame, start)

    def _proved(self, payload: bytes, start: m.Start) -> bool:
        """Whether the host's proof is right, where one is needed."""
        if self.key is None:
            return True
        if not start.items or start.items[-1][0] != m.PROOF or self._nonces is None:
            return False
        proof = start.items[-1][1]
        host_nonce, device_nonce = self._nonces
        before = payload[: len(payload) - len(proof) - 2]
        secret = b"tablelink-1 host" + device_nonce + host_nonce + before
        return hmac.compare_digest(proof, _proof(self.key, secret))

    def _begin(self, frame: Frame, start: m.Start) -> None:
        self.device.restrict(tell=False)  # STATE tells it
        self.device.host_came()
        self.collect()
        self._nonces = None
        self.rules.session_begins()
        if start.have_boot == self.boot:
            while self.kept and self.kept[0].number <= start.have_event:
                self.kept.popleft()
        for kept in self.kept:
            kept.copies = 0
        session = self.session = Session(
            frame.session,
            start.device_nonce,
            start.heartbeat_ms * MS,
            start.silence_ms * MS,
            heard_ns=self.now_ns,
            sent_ns=self.now_ns,
            seq=frame.seq,
        )
        self.log("session begins", session=session.id)
        self._tell_state(session)
        self._speak()

    def _tell_state(self, session: Session) -> None:
        self._send(m.State(self.condition(), self.rules.permit, self.rules.restrict), session.id)

    def _end(self, why: str, bye: int | None = None) -> None:
        """Restrict, and wait for HELLO. What changed by that is a report, and kept."""
        assert self.session is not None
        self.device.restrict(tell=True)
        self.device.host_left()
        if bye is not None:
            self._send(m.Bye(bye), self.session.id)
        self.session = None
        self.log("session ends", why=why)
        self.collect()

    def condition(self) -> m.Condition:
        """How the device is now, with what is kept for the host."""
        return condition_of(self.device.condition(), self.event, len(self.kept), self.lost)

    def log(self, what: str, /, **data: object) -> None:
        self.device.table.log.add(self.now_ns, self.device.id, what, **data)


def session_id(host_nonce: bytes, device_nonce: bytes) -> int:
    """The low 16 bits of the CRC-32 over both nonces."""
    return crc32(host_nonce + device_nonce) & 0xFFFF


def _proof(key: bytes, secret: bytes) -> bytes:
    return hmac.new(key, secret, hashlib.sha256).digest()


def _limits_are_good(start: m.Start) -> bool:
    return (
        start.heartbeat_ms in HEARTBEAT_MS
        and start.silence_ms in SILENCE_MS
        and start.silence_ms >= 2 * start.heartbeat_ms
    )
