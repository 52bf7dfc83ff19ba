"""One tablelink conversation, the host's side: bytes and time in, readings and bytes out.

     GREETING ─WELCOME─► STARTING ─STATE─► CATCHING_UP ─reports taken─► READY ─► OVER

It never raises on what the wire brings and never mends: it ends, with a sentence.
"""

import hashlib
import hmac
import zlib
from dataclasses import dataclass, replace
from typing import Final

from drivers.tablelink import messages as m
from drivers.tablelink import words
from drivers.tablelink.codec import END, Frame, Framer
from drivers.tablelink.orders import COPIES, Orders
from drivers.tablelink.reports import Badge, Drawn, Mode, Started, Strange
from tablectl.hal.errors import CommandRefused
from tablectl.hal.kinds import (
    Command,
    Counters,
    DevicePlan,
    Ended,
    Heard,
    Identity,
    RandomBytes,
    Reading,
)

MS: Final = 1_000_000
HELLO_AGAIN_NS: Final = 500 * MS  # a device that boots takes seconds
START_AGAIN_NS: Final = 300 * MS
HANDSHAKE_NS: Final = 5000 * MS
SILENCE_MS: Final = 2000
ACK_MS: Final = 500  # TCP 2.C(2): what the table gives a lock before it is sent again
BADGE_MS: Final = 5000  # whoever showed it longer ago has left
BEATS_A_SILENCE: Final = 4  # three heartbeats may be lost
OLD: Final = 128  # a seq so far ahead is one from behind

NONE: Final[frozenset[str]] = frozenset()

GREETING, STARTING, CATCHING_UP, READY, OVER = (
    "greeting",
    "starting",
    "catching up",
    "ready",
    "over",
)

_REASONS: Final = {
    m.NO_SESSION: "it knows nothing of this session: it restarted, or another host took it over",
    m.BOOTED: "it restarted",
    m.CLOSING: "it closed the session",
    m.PROOF_WRONG: "it refuses this host's proof: check the key on both sides",
    m.VERSION_WRONG: "it does not speak tablelink 1, or refuses its times: see its page",
    m.NOT_ACKNOWLEDGED: "it got no acknowledgement for a report",
}


@dataclass(slots=True)
class Memory:
    """What must outlive a link: up to which report of which boot the host has them, and how many
    cards a shoe that tells them one by one has told since it was loaded."""

    boot: int = 0
    event: int = 0
    cards: int | None = None


class TableLinkSession:
    """See the module. Made by `TableLink.session`; used by the supervisor."""

    def __init__(
        self, plan: DevicePlan, counters: Counters, random_bytes: RandomBytes, memory: Memory
    ) -> None:
        self._plan = plan
        self._counters = counters
        self._memory = memory
        self._silence_ms = plan.silence_ms or SILENCE_MS
        self._beat_ms = (
            self._silence_ms // BEATS_A_SILENCE if self._silence_ms < 240_000 else 60_000
        )
        self._orders = Orders((plan.ack_ms or ACK_MS) * MS // COPIES, counters)
        self._framer = Framer()
        self._host_nonce = random_bytes(m.NONCE)
        self._stage = GREETING
        self._out = bytearray()
        self._seq = 0
        self._session = 0
        self._their_seq: int | None = None
        self._welcome: m.Welcome | None = None
        self._who: Identity | None = None
        self._state: m.State | None = None
        self._start: m.Start | None = None
        self._after_online: list[Reading] = []
        self._opened_ns = self._again_ns = self._sent_ns = self._heard_ns = 0

    # ── what the supervisor calls ──────────────────────────────────────────
    @property
    def wake_ns(self) -> int | None:
        """When `tick` must be called at the latest."""
        if self._stage == OVER:
            return None
        if self._stage in (GREETING, STARTING):
            return min(self._again_ns, self._opened_ns + HANDSHAKE_NS)
        wake = min(self._sent_ns + self._beat_ms * MS, self._heard_ns + self._silence_ms * MS)
        if self._stage == CATCHING_UP:
            return min(wake, self._opened_ns + HANDSHAKE_NS)
        due = self._orders.wake_ns()
        return wake if due is None else min(wake, due)

    def open(self, now_ns: int) -> None:
        """The link is up: greet."""
        self._opened_ns = now_ns
        self._out += END  # ends whatever noise left behind
        self._greet(now_ns)

    def receive(self, data: bytes, now_ns: int) -> list[Heard]:
        """Take in bytes, any number of them, cut anywhere."""
        heard: list[Heard] = []
        good, bad = self._framer.good, self._framer.bad
        frames = self._framer.feed(data)
        self._counters.frames_good += self._framer.good - good
        self._counters.frames_bad += self._framer.bad - bad
        for frame in frames:
            if self._stage == OVER:
                break
            heard += self._frame(frame, now_ns)
        self._send_due(now_ns)
        return heard

    def tick(self, now_ns: int) -> list[Heard]:
        """Time passed: repeat, beat, or give up."""
        if self._stage == OVER:
            return []
        if self._stage != READY and now_ns >= self._opened_ns + HANDSHAKE_NS:
            answered = "did not finish its greeting" if self._welcome else "does not answer"
            return [self._over(f"it {answered} within {HANDSHAKE_NS // MS} ms")]
        if self._stage in (GREETING, STARTING):
            if now_ns >= self._again_ns:
                self._greet(now_ns)
            return []
        if now_ns >= self._heard_ns + self._silence_ms * MS:
            return [self._over(f"it was silent for {self._silence_ms} ms")]
        exhausted = self._orders.exhausted(now_ns)
        if exhausted is not None:
            self._put(m.Bye(m.NOT_ACKNOWLEDGED), now_ns)
            return [self._over(f"it did not answer {exhausted.name}, sent {COPIES} times")]
        self._send_due(now_ns)
        if now_ns >= self._sent_ns + self._beat_ms * MS:
            self._put(m.Heartbeat(), now_ns)
        return []

    def send(self, command: Command, now_ns: int) -> None:
        """Order something; raises CommandRefused."""
        if self._stage != READY:
            raise CommandRefused(f"{command.device} is not online")
        self._orders.add(command, now_ns)
        self._send_due(now_ns)

    def close(self, now_ns: int) -> None:
        """Say good-bye: a device restricts itself at once, not only after the silence."""
        if self._stage in (STARTING, CATCHING_UP, READY):
            self._put(m.Bye(m.CLOSING), now_ns)
        self._stage = OVER

    def bytes_to_send(self) -> bytes:
        """What must go out now; handed over once."""
        out = bytes(self._out)
        self._out.clear()
        return out

    def unanswered(self) -> tuple[Command, ...]:
        """Commands without an answer."""
        return self._orders.unanswered()

    # ── sending ────────────────────────────────────────────────────────────
    def _put(self, message: m.Message, now_ns: int) -> None:
        frame = Frame(message.TYPE, self._seq, self._session, message.to_bytes())
        self._out += frame.to_bytes()
        self._seq = (self._seq + 1) % 256
        self._sent_ns = now_ns

    def _greet(self, now_ns: int) -> None:
        """HELLO or START, for the first time or again."""
        if self._stage == GREETING:
            self._put(m.Hello(self._host_nonce), now_ns)
            self._again_ns = now_ns + HELLO_AGAIN_NS
        elif self._start is not None:
            self._put(self._start, now_ns)
            self._again_ns = now_ns + START_AGAIN_NS

    def _send_due(self, now_ns: int) -> None:
        if self._stage == READY:
            for order in self._orders.due(now_ns):
                self._put(order, now_ns)

    def _over(self, what: str, *, refused: str = "") -> Ended:
        self._stage = OVER
        return Ended(what, refused)

    # ── receiving ──────────────────────────────────────────────────────────
    def _frame(self, frame: Frame, now_ns: int) -> list[Heard]:
        message = m.decode(frame, "device")
        if message == "malformed":
            self._counters.frames_bad += 1
            return []
        if message == "unknown":
            self._counters.frames_unknown += 1
            return []
        if isinstance(message, m.Welcome):
            return self._welcomed(message, now_ns)
        if isinstance(message, m.Bye) and frame.session == 0:
            return self._bye_outside(message)
        if self._stage == GREETING or frame.session != self._session:
            self._counters.frames_unknown += 1
            return []
        if not self._fresh(frame.seq):
            return []
        self._heard_ns = now_ns
        match message:
            case m.State():
                return self._told(message)
            case m.Event():
                return self._reported(message, now_ns)
            case m.Result():
                return self._answered(message)
            case m.Bye():
                what = _REASONS.get(message.reason, f"it ended the session ({message.reason})")
                refused = "proof" if message.reason == m.PROOF_WRONG else ""
                return [self._over(what, refused=refused)]
        return []

    def _fresh(self, seq: int) -> bool:
        """Count what the line lost; drop what it brought twice or late."""
        last, ahead = self._their_seq, 1
        if last is not None:
            ahead = (seq - last) % 256
        if ahead == 0 or ahead >= OLD:
            self._counters.frames_repeated += 1
            return False
        self._counters.frames_lost += ahead - 1
        self._their_seq = seq
        return True

    def _bye_outside(self, bye: m.Bye) -> list[Heard]:
        """BYE without a session: a device that booted, or that speaks another version."""
        if bye.reason == m.BOOTED and self._stage != GREETING:
            return [self._over(_REASONS[m.BOOTED])]
        if bye.reason == m.VERSION_WRONG and self._stage in (GREETING, STARTING):
            return [self._over(_REASONS[m.VERSION_WRONG], refused="protocol")]
        return []

    def _welcomed(self, welcome: m.Welcome, now_ns: int) -> list[Heard]:
        if self._stage != GREETING or welcome.host_nonce != self._host_nonce:
            return []  # a second answer to a repeated HELLO, or one to somebody else's
        if welcome.version != m.VERSION:
            return [self._over(_REASONS[m.VERSION_WRONG], refused="protocol")]
        key = self._plan.key
        if key is not None:
            text = b"tablelink-1 device" + self._host_nonce + welcome.covered
            if not hmac.compare_digest(_proof(key, text), welcome.proof):
                what = "it cannot prove who it is: check the key on both sides"
                return [self._over(what, refused="proof")]
        nonces = self._host_nonce + welcome.device_nonce
        self._session = zlib.crc32(nonces) & 0xFFFF
        self._welcome = welcome
        # What START names as known, the device keeps no longer.
        memory = Memory() if self._plan.peek else self._memory
        start = m.Start(
            welcome.device_nonce, self._beat_ms, self._silence_ms, memory.boot, memory.event
        )
        if key is not None:
            text = b"tablelink-1 host" + welcome.device_nonce + self._host_nonce + start.covered()
            start = m.Start(
                welcome.device_nonce, self._beat_ms, self._silence_ms, memory.boot, memory.event,
                _proof(key, text),
            )  # fmt: skip
        self._start = start
        self._stage = STARTING
        self._greet(now_ns)
        self._who = words.identity(welcome, proved=key is not None)
        return [self._who]

    def _told(self, state: m.State) -> list[Heard]:
        """STATE: what the device is like, and which reports are still to come."""
        if self._stage != STARTING or self._welcome is None:
            return []
        self._state = state
        self._stage = CATCHING_UP
        first = state.condition.event - state.condition.pending + 1
        memory = self._memory
        if memory.boot != self._welcome.device_boot or memory.event > state.condition.event:
            memory.boot, memory.event = self._welcome.device_boot, first - 1
        elif first > memory.event + 1:
            self._after_online.append(self._lost(first - memory.event - 1))
            memory.event = first - 1
        return self._caught_up()

    def _caught_up(self) -> list[Heard]:
        """Online, once every report that was kept has been taken."""
        state = self._state
        if self._stage != CATCHING_UP or state is None:
            return []
        if self._memory.event < state.condition.event and not self._plan.peek:
            return []
        if self._tells("tells_cards"):
            self._after_online += self._counted(state.condition.dispensed, expected=0)
        self._stage = READY
        told = words.online(self._plan.kind, state, self._who.capabilities if self._who else NONE)
        told += self._after_online
        self._after_online = []
        return list(told)

    def _tells(self, capability: str) -> bool:
        return self._who is not None and capability in self._who.capabilities

    def _lost(self, count: int) -> Reading:
        self._counters.reports_lost += count
        self._memory.cards = None
        name = "gap" if self._tells("tells_cards") else "fault"
        return Reading(name, {"what": f"{count} of its reports were lost"})

    def _counted(self, told: int | None, expected: int) -> list[Reading]:
        """A shoe's own count of the cards that left it: `expected` more than were told before."""
        before, self._memory.cards = self._memory.cards, told
        if before is None or told == before + expected:
            return []
        missing = None if told is None else told - before - expected
        what = f"{missing} cards left it untold" if missing and missing > 0 else "it counts anew"
        return [Reading("gap", {"what": f"{what}: cards may be missing"})]

    def _reported(self, event: m.Event, now_ns: int) -> list[Heard]:
        state = self._state
        if self._stage not in (CATCHING_UP, READY) or state is None:
            return []  # STATE was lost; START goes again, and then this report does
        heard: list[Heard] = []
        ahead = event.number - self._memory.event
        if ahead <= 0:
            self._counters.frames_repeated += 1
        elif self._plan.peek and event.number <= state.condition.event:
            return []  # kept for the host: old news, and not ours
        else:
            if ahead > 1:
                heard += self._in_time(self._lost(ahead - 1))
            self._memory.event = event.number
            heard += self._taken(event)
        if not self._plan.peek:  # else it goes on keeping the report, and soon ends the session
            self._put(m.Ack(event.number), now_ns)
        return [*heard, *self._settle(), *self._caught_up()]

    def _taken(self, event: m.Event) -> list[Heard]:
        match event.report:
            case Strange(code):
                self._counters.frames_unknown += 1
                what = f"it sent a report that is not understood (code {code:02X})"
                return self._in_time(Reading("fault", {"what": what}))
            case Mode(text) if self._who is not None:
                self._who = replace(self._who, game_mode=text)
                return [self._who]  # whether it may serve so, the supervisor says
            case Badge() if event.age_ms > BADGE_MS:
                return []
            case Started():
                self._memory.cards = 0
            case Drawn(dispensed):
                return [*self._counted(dispensed, expected=1), words.reading(event)]
        return [words.reading(event)]

    def _in_time(self, ours: Reading) -> list[Heard]:
        """What we find out ourselves stands after `online`, which would clear it."""
        if self._stage == READY:
            return [ours]
        self._after_online.append(ours)
        return []

    def _answered(self, result: m.Result) -> list[Heard]:
        if self._stage != READY:
            return []
        self._orders.answered(result)
        now = result.condition
        first = now.event - now.pending + 1
        heard: list[Heard] = []
        if first > self._memory.event + 1:
            heard.append(self._lost(first - self._memory.event - 1))
            self._memory.event = first - 1
        return [*heard, *self._settle()]

    def _settle(self) -> list[Heard]:
        """Answers whose reports are all in."""
        heard: list[Heard] = []
        for command, result, overtaken in self._orders.settled(self._memory.event):
            if overtaken and result.outcome in (m.DONE, m.DONE_BEFORE, m.STALE):
                # Ran or not, a restriction went out after it: "unlocked" would be a false alarm.
                self._counters.commands_dropped += result.outcome == m.STALE
                continue
            reading = words.answer(command, result)
            if reading is not None:
                heard.append(reading)
        return heard


def _proof(key: bytes, text: bytes) -> bytes:
    return hmac.digest(key, text, hashlib.sha256)
