"""A tiny controller for tests: it speaks the host's side, does as it is told, decides nothing."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hwsim.devices import (
    BadgeReader,
    Button,
    CardShoe,
    Device,
    Indicator,
    Progressive,
    Shoe,
    Shuffler,
)
from hwsim.faults import FaultPlan, parse_faults
from hwsim.log import Log
from hwsim.physical import PhysicalTable
from hwsim.tablelink import messages as m
from hwsim.tablelink.framing import Damaged, Frame, Splitter
from hwsim.tablelink.link import session_id
from hwsim.unit import Unit

MS = 1_000_000
S = 1000 * MS
BOOT = bytes.fromhex("1122334455667788")
LOCK, HOLD, UNLOCK, DISPENSE, RELEASE = 0x01, 0x02, 0x81, 0x82, 0x83
LAMP, SHOW = 0xC1, 0xC2


class Host:
    """Builds wire frames, reads wire bytes. `heard` is everything good that came."""

    def __init__(self, send: Callable[[bytes], None], seed: int = 0, answers: bool = True) -> None:
        self.send_bytes = send
        self.rng = random.Random(f"host/{seed}")
        self.answers = answers  # acknowledge events as they come
        self.heard: list[m.Message] = []
        self.frames: list[Frame] = []
        self.bad = 0
        self.session = 0
        self.seq = 0
        self.nonce = bytes(16)
        self.events: dict[int, m.Event] = {}
        self._splitter = Splitter()

    # ── speaking ──
    def wire(self, message: m.Message, session: int | None = None) -> bytes:
        frame = Frame(
            message.TYPE, self.seq, self.session if session is None else session, message.pack()
        )
        self.seq = (self.seq + 1) % 256
        return frame.to_wire()

    def say(self, message: m.Message, session: int | None = None) -> bytes:
        wire = self.wire(message, session)
        self.send_bytes(wire)
        return wire

    def hello(self, version: int = 1, again: bool = False) -> None:
        self.nonce = self.nonce if again else self.rng.randbytes(16)
        self.send_bytes(b"\0")
        self.say(m.Hello(version, self.nonce), 0)

    def welcomed(self) -> bool:
        return any(welcome.host_nonce == self.nonce for welcome in self.all(m.Welcome))

    def start(self, have: tuple[int, int] = (0, 0), **limits: Any) -> None:
        welcome = self.last(m.Welcome)
        self.session = session_id(self.nonce, welcome.device_nonce)
        limits = {"heartbeat_ms": 500, "silence_ms": 2000} | limits
        self.say(m.Start(welcome.device_nonce, **limits, have_boot=have[0], have_event=have[1]))

    def command(self, n: int, code: int, *args: int, boot: bytes = BOOT) -> bytes:
        return self.say(m.Command(m.Number(boot, n), code, bytes(args)))

    # ── hearing ──
    def feed(self, data: bytes) -> None:
        for piece in self._splitter.feed(data):
            try:
                frame = Frame.from_wire(piece)
                message = m.unpack(frame.type, frame.payload)
            except Damaged:
                self.bad += 1
                continue
            self.frames.append(frame)
            self.heard.append(message)
            if isinstance(message, m.Event) and frame.session == self.session:
                self.events[message.number] = message
                if self.answers:
                    self.say(m.Ack(message.number))

    def all(self, kind: type[Any]) -> list[Any]:
        return [message for message in self.heard if isinstance(message, kind)]

    def last(self, kind: type[Any]) -> Any:
        return self.all(kind)[-1]

    def outcome(self, n: int) -> int | None:
        """The newest RESULT for command n, None where there is none."""
        outcomes = [r.outcome for r in self.all(m.Result) if r.number.n == n]
        return outcomes[-1] if outcomes else None

    def codes(self) -> list[int]:
        """The codes of the events taken, in the order of their numbers."""
        return [self.events[n].code for n in sorted(self.events)]


@dataclass
class Bench:
    """A table with one of each device in virtual time, and a host at each.

    `one_by_one`: its shoe is one that tells cards one by one.
    """

    seed: int = 0
    faults: str = ""
    key: bytes | None = None
    tcp: bool = True
    options: dict[str, dict[str, Any]] = field(default_factory=dict)
    one_by_one: bool = False

    def __post_init__(self) -> None:
        self.log = Log(self.seed)
        self.plan = FaultPlan(parse_faults(self.faults), self.log)
        self.table = PhysicalTable(random.Random(f"{self.seed}/table"), self.log)
        rng = random.Random(f"{self.seed}/shuffle")
        at = (self.table, self.plan)
        models: list[Device] = [
            Shuffler("shuffler", *at, rng, **self.options.get("shuffler", {})),
            (CardShoe if self.one_by_one else Shoe)("shoe", *at, **self.options.get("shoe", {})),
            Progressive("bonus", *at, **self.options.get("bonus", {})),
            Button("button", *at),
            Indicator("sign", *at),
            BadgeReader("reader", *at),
        ]
        self.units: dict[str, Unit] = {}
        self.hosts: dict[str, Host] = {}
        for model in models:
            dice = random.Random(f"{self.seed}/{model.id}")
            unit = Unit(model, dice, key=self.key, sees_connections=self.tcp)
            self.units[model.id] = unit
            self.hosts[model.id] = Host(unit.receive, self.seed)
        self.beating = set(self.units)  # hosts that send heartbeats
        self.now_ms = 0

    @property
    def shuffler(self) -> Shuffler:
        return self.table.shuffler()

    @property
    def shoe(self) -> Shoe:
        return self.table.shoe()

    @property
    def bonus(self) -> Progressive:
        return self.table.progressive()

    def run(self, ms: int, step: int = 10) -> "Bench":
        """Time passes for all, in steps; hosts hear, acknowledge and beat their hearts."""
        for _ in range(0, ms, step):
            self.now_ms += step
            for name, unit in self.units.items():
                unit.advance(step * MS)
                self.pass_bytes(name)
                if self.now_ms % 500 == 0 and name in self.beating and self.hosts[name].session:
                    self.hosts[name].say(m.Heartbeat())
                    self.pass_bytes(name)
                if unit.hang_up:
                    unit.hang_up = False
                    unit.disconnected()
        return self

    def pass_bytes(self, name: str) -> None:
        while data := self.units[name].take():
            self.hosts[name].feed(data)

    def join(self, name: str, have: tuple[int, int] = (0, 0), **limits: Any) -> Host:
        """Begin a session with one device, as often as a bad line asks for it."""
        host, unit = self.hosts[name], self.units[name]
        host.session = 0
        if self.tcp:
            unit.connected()
            host.seq = 0
        host.hello()
        self.pass_bytes(name)
        for _ in range(20):
            if host.welcomed():
                break
            self.run(500)
            host.hello(again=True)
            self.pass_bytes(name)
        states = len(host.all(m.State))
        for _ in range(20):
            host.start(have, **limits)
            self.pass_bytes(name)
            if len(host.all(m.State)) > states:
                break
            self.run(300)
        return host

    def join_all(self) -> "Bench":
        for name in self.units:
            self.join(name)
        return self

    def shuffled(self, deck: str = "red") -> "Bench":
        """The deck is received, shuffled and loaded."""
        self.table.receive(deck)
        self.table.put_into_shuffler(deck)
        self.run(9000)
        self.table.load_shoe(deck)
        return self
