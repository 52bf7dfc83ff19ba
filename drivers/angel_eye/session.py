"""One link's conversation with an Angel Eye shoe, without I/O: bytes and time in, readings out.

The shoe says neither hello nor that it lives: a link that is up is all that can be known of it, and
a silent shoe is a shoe at rest. Each report comes up to three times, and has a number.
"""

import re
from dataclasses import dataclass, field, replace
from typing import Final

from drivers.angel_eye import words
from drivers.angel_eye.codec import MARK, Framer, Item, Report
from drivers.angel_eye.orders import COPIES, Orders
from tablectl.hal.errors import CommandRefused
from tablectl.hal.kinds import Command, Counters, DevicePlan, Heard, Reading
from tablectl.hal.listening import MS, ListeningSession

SEQUENCE: Final = "0123456789"
CARDS: Final = "DRd"  # reports whose payload is a place and a card
ACK_MS: Final = 500  # a copy at 4800 bps takes 21 ms; the shoe may be busy with a card


_MARK: Final = re.compile(r"([!-~][!-~][0-9A-F]*)/([0-9A-F]{2}(?:,[0-9A-F]{2})*)?", re.ASCII)


@dataclass(slots=True)
class Memory:
    """What outlives a link: a link may drop between the copies of one report.

    `mark` outlives the process too. It stands in the record, so it has no card.
    """

    last: Report | None = None  # the last report that was believed
    before: str = ""  # the same of the last process, without its card
    doubted: Report | None = None  # another one with the same number
    errors: set[int] = field(default_factory=set)  # those that stand

    @property
    def number(self) -> str | None:
        """The number of the last report that was believed."""
        if self.last is not None:
            return self.last.seq
        return self.before[0] if self.before else None

    def knows(self, report: Report) -> bool:
        """Whether it is a copy of the last one."""
        if self.last is None:
            return bool(self.before) and _without_card(report) == self.before
        return report == self.last

    def mark(self) -> str:
        """All of it for the record, but the card."""
        assert self.last is not None
        errors = ",".join(f"{code:02X}" for code in sorted(self.errors))
        return f"{_without_card(self.last)}/{errors}"

    def resume(self, mark: str) -> None:
        """Begin where a mark was made; one that is none changes nothing."""
        found = _MARK.fullmatch(mark)
        if found is not None:
            self.before = found[1]
            self.errors = {int(code, 16) for code in (found[2] or "").split(",") if code}


def _without_card(report: Report) -> str:
    payload = report.payload[:1] if report.code in CARDS else report.payload
    return f"{report.seq}{report.code}{payload.hex().upper()}"


class AngelEyeSession(ListeningSession[Item]):
    """Listens; where read_only is false it also orders."""

    def __init__(self, plan: DevicePlan, counters: Counters, memory: Memory) -> None:
        super().__init__(plan, counters, Framer())
        self._memory = memory
        self._sequence: str = plan.options["sequence"]
        self._orders = Orders((plan.ack_ms or ACK_MS) * MS, plan.options["bcc"], counters)
        self._out = bytearray()

    # ── orders ─────────────────────────────────────────────────────────────
    @property
    def wake_ns(self) -> int | None:
        """For `online`, for silence, or for the next copy of an order."""
        times = (super().wake_ns, None if self._over else self._orders.wake_ns())
        return min((time for time in times if time is not None), default=None)

    def open(self, now_ns: int) -> None:
        """The link is up."""
        super().open(now_ns)
        if self.plan.options["ask_progress"] and not self.plan.read_only:
            self._orders.ask_progress(now_ns)
        self._out += self._orders.due(now_ns)

    def receive(self, data: bytes, now_ns: int) -> list[Heard]:
        """Take in bytes."""
        heard = super().receive(data, now_ns)
        self._out += self._orders.due(now_ns)
        return heard

    def tick(self, now_ns: int) -> list[Heard]:
        """Time passed."""
        heard = super().tick(now_ns)
        order = self._orders.exhausted(now_ns)
        if order is not None and not self._over:
            heard.append(self.end(f"it did not answer {order}, sent {COPIES} times"))
        self._out += self._orders.due(now_ns)
        return heard

    def send(self, command: Command, now_ns: int) -> None:
        """Order something; raises CommandRefused."""
        if self.plan.read_only:
            raise CommandRefused(f"{self.plan.id} is read_only: no command is sent to it")
        self._orders.add(command, frozenset(self._memory.errors), now_ns)
        self._out += self._orders.due(now_ns)

    def bytes_to_send(self) -> bytes:
        """What must go out now; handed over once."""
        out = bytes(self._out)
        self._out.clear()
        return out

    def unanswered(self) -> tuple[Command, ...]:
        """Commands without an answer."""
        return self._orders.unanswered()

    # ── reports ────────────────────────────────────────────────────────────
    def first_words(self) -> list[Heard]:
        """An error of before the link broke still stands."""
        return [_fault(code) for code in sorted(self._memory.errors)]

    def meaning(self, item: Item, now_ns: int) -> list[Heard]:
        """A report, or the answer to an order."""
        if isinstance(item, Report):
            return self._report(item)
        return list(self._orders.answered(item, now_ns))

    def _report(self, report: Report) -> list[Heard]:
        """A good frame: one of the copies of a report."""
        memory = self._memory
        if report.seq not in self._sequence:
            self.counters.frames_unknown += 1
            return []
        if memory.knows(report):
            memory.last = report
            self.counters.frames_repeated += 1
            return []
        gap = self._missed(report)
        if memory.doubted == report and gap:
            return [gap]
        memory.last, memory.doubted = report, None
        heard = [*([gap] if gap else []), *self._meaning(report)]
        if heard and isinstance(heard[-1], Reading):
            heard[-1] = replace(heard[-1], mark=memory.mark())
        return heard

    def _missed(self, report: Report) -> Reading | None:
        """What the numbers say about reports in between. A start begins a new count."""
        memory, number = self._memory, self._memory.number
        if report.code == "S":
            return None
        if number is None:  # at a stand-by nothing is in play
            return None if report.code == "P" else _gap("what it told before this was not heard")
        cycle = self._sequence
        if number not in cycle:  # another cycle is set now than when the mark was made
            return _gap("it counts otherwise than before")
        ahead = (cycle.index(report.seq) - cycle.index(number)) % len(cycle)
        if ahead == 0 and memory.doubted != report:
            # A damaged copy that its weak check let pass, or a whole cycle was lost: only a second
            # copy makes it believable.
            memory.doubted = report
            self.counters.frames_unknown += 1
            return _gap(f"two different reports have the number {report.seq}")
        if ahead > 1:
            self.counters.frames_lost += ahead - 1
            return _gap(f"{ahead - 1} or more reports before number {report.seq} are missing")
        return None

    def _meaning(self, report: Report) -> list[Heard]:
        """A report that is new, in the words of a shoe."""
        match report.code:
            case "S":
                return [*self._errors_over(), Reading("started")]
            case "P":
                return [*self._errors_over(), Reading("standby")]
            case "D":
                return [*self._errors_over(), *self._known(words.drawn(report))]
            case "d":
                return [words.outside(report)]
            case "G":
                return self._known(words.result(report))
            case "C":
                return [Reading("cover_card")]
            case "E":
                return self._error(report.payload[0])
            case "e":
                return self._error_cleared(report.payload[0] & 0x7F)
            case "L":
                return [Reading("held" if report.payload[0] & 1 else "released")]
            case "R" | "M":  # a card that was told before; a preset that somebody changed
                return []
        self.counters.frames_unknown += 1
        return []

    def _known(self, reading: Reading | None) -> list[Heard]:
        """A reading as it is; one that makes no sense is counted too."""
        self.counters.frames_unknown += reading is not None and reading.name == "gap"
        return [] if reading is None else [reading]

    # ── errors ─────────────────────────────────────────────────────────────
    def _error(self, byte: int) -> list[Heard]:
        code = byte & ~(words.IN_ERROR | MARK)
        self._memory.errors.add(code)
        self.counters.reads_failed += code in words.READ_FAILED
        return [_fault(code)]

    def _error_cleared(self, code: int) -> list[Heard]:
        errors = self._memory.errors
        stood = code in errors
        errors.discard(code)
        return [Reading("cleared")] if stood and not errors else []

    def _errors_over(self) -> list[Heard]:
        """It deals again, so no error stands, even if the report of that was lost."""
        stood = bool(self._memory.errors)
        self._memory.errors.clear()
        return [Reading("cleared")] if stood else []


def _gap(what: str) -> Reading:
    return Reading("gap", {"what": what})


def _fault(code: int) -> Reading:
    return Reading("fault", {"what": words.error_name(code)})
