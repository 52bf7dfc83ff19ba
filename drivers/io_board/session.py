"""One link's conversation with a board, without I/O: it reads the sensors and says what they mean.

A board knows no rules, so the driver has them: locked from the first moment, nothing accepted while
locked, a chip that comes then is late. One request is under way at a time, as on a shared line.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from drivers.io_board.asks import Answer, Ask, Changed, Refusal, Said, Wire
from drivers.io_board.sensors import MS, Sensor, Steady
from tablectl.hal.errors import CommandRefused
from tablectl.hal.kinds import Command, Counters, DevicePlan, Ended, Heard, Identity, Reading

ACK_MS: Final = 300  # 40 bytes at 9600 bps take 42 ms; the board may be slow
SILENCE_MS: Final = 2000
OUTPUTS_EVERY_NS: Final = 1000 * MS  # whether the outputs still are as they were set
QUEUE_MAXIMUM: Final = 128


@dataclass(slots=True)
class Memory:
    """What outlives a link: the chips that lay there, so that one that came meanwhile is late."""

    lying: dict[int, bool] = field(default_factory=dict)  # input -> whether a chip lies there
    accepted: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Order:
    """A request that waits, and the command that it carries out."""

    ask: Ask
    command: Command | None = None
    overtaken: bool = False  # a lock came after it


class BoardSession:
    """Fulfils `Session` of kinds.py."""

    def __init__(
        self,
        plan: DevicePlan,
        counters: Counters,
        memory: Memory,
        wire: Wire,
        sensors: tuple[Sensor, ...],
    ) -> None:
        self.plan, self.counters, self.locked = plan, counters, True
        self._memory, self._wire, self._sensors = memory, wire, sensors
        options = plan.options
        self._chip_level: bool = options["chip_level"] == "high"
        self._locked_level: bool = options["locked_level"] == "high"
        self._lock_output: int = options["lock_output"]
        self._steady = {each.input: Steady(options["debounce_ms"]) for each in sensors}
        self._inputs = Ask("inputs", _span(each.input for each in sensors))
        self._levels: dict[int, bool] = {}  # of the outputs, as they were set
        self._queue: deque[Order] = deque()
        self._under_way: Order | None = None
        self._again_ns = 0  # when the request under way is sent again
        self._poll_ns = 0
        self._outputs_ns = 0
        self._heard_ns = 0
        self._now_ns = 0
        self._versions: dict[str, str] = {}
        self._serial = ""
        self._ready = self._over = False
        self._told: list[Heard] = []  # what is to be said at the next occasion
        self._out = bytearray()
        self._refused: set[str] = set()
        self._counted = (0, 0)  # good and bad frames of the wire that stand in the counters

    # ── for the supervisor ─────────────────────────────────────────────────
    @property
    def wake_ns(self) -> int | None:
        """The next request, its next copy, or the end by silence."""
        if self._over:
            return None
        if self._told:
            return self._now_ns
        next_ns = self._again_ns if self._under_way else self._poll_ns
        return min(next_ns, self._silent_ns)

    def open(self, now_ns: int) -> None:
        """The link is up: who is it, lock, lamps out, and a first look."""
        self._heard_ns = self._now_ns = now_ns
        self._queue.extend(Order(ask) for ask in self._wire.greeting())
        if self._lock_output >= 0:
            self._queue.append(self._lock_order(None))
        lamps = sorted(each.lamp for each in self._sensors if each.lamp is not None)
        for pins in _runs(lamps) if self._wire.groups else [range(pin, pin + 1) for pin in lamps]:
            self._queue.append(Order(Ask("write", pins, (False,) * len(pins))))
        self._queue.append(Order(self._inputs))
        self._next(now_ns)

    def receive(self, data: bytes, now_ns: int) -> list[Heard]:
        """Take in bytes."""
        self._now_ns = now_ns
        heard = self._hand_over()
        for said in self._wire.feed(data):
            if not self._over:
                heard += self._said(said, now_ns)
        self._next(now_ns)
        return heard

    def tick(self, now_ns: int) -> list[Heard]:
        """Time passed."""
        self._now_ns = now_ns
        heard = self._hand_over()
        if now_ns >= self._silent_ns and not self._over:
            limit = self.plan.silence_ms or SILENCE_MS
            heard.append(self._end(f"it was silent for {limit} ms"))
        elif self._under_way is not None and now_ns >= self._again_ns:
            self._unanswered(self._under_way, now_ns)
        self._next(now_ns)
        return heard

    def send(self, command: Command, now_ns: int) -> None:
        """Order something; raises CommandRefused."""
        self._now_ns = now_ns
        if command.name == "lock":
            self._lock(command)
        elif len(self._queue) >= QUEUE_MAXIMUM:
            raise CommandRefused(f"{len(self._queue)} orders wait for {self.plan.id} already")
        elif command.name == "lamp":
            lamp, on = self._lamp(command), bool(command.args["on"])
            self._queue.append(Order(Ask("write", range(lamp, lamp + 1), (on,)), command))
        elif self._lock_output >= 0:
            self._queue.append(Order(self._lock_ask(False), command))
        else:
            self._told += self._unlocked()
        self._next(now_ns)

    def close(self, now_ns: int) -> None:
        """The host leaves: the lock is the last word, answered or not."""
        if self._lock_output >= 0 and not self._over:
            self._send(self._lock_order(None), now_ns)

    def bytes_to_send(self) -> bytes:
        """What must go out now; handed over once."""
        out = bytes(self._out)
        self._out.clear()
        return out

    def unanswered(self) -> tuple[Command, ...]:
        """Commands without an answer."""
        orders = [*([self._under_way] if self._under_way else []), *self._queue]
        return tuple(o.command for o in orders if o.command is not None and not o.overtaken)

    # ── requests ───────────────────────────────────────────────────────────
    @property
    def _silent_ns(self) -> int:
        return self._heard_ns + (self.plan.silence_ms or SILENCE_MS) * MS

    def _hand_over(self) -> list[Heard]:
        told, self._told = self._told, []
        return told

    def _end(self, what: str, refused: str = "") -> Ended:
        self._over = True
        return Ended(what, refused)

    def _next(self, now_ns: int) -> None:
        """The next request: what waits, else a look at the board."""
        self._send_next(now_ns)
        # A request drops what lies there of an older answer: that counts, too.
        good, bad = self._wire.good, self._wire.bad
        self.counters.frames_good += good - self._counted[0]
        self.counters.frames_bad += bad - self._counted[1]
        self._counted = (good, bad)

    def _send_next(self, now_ns: int) -> None:
        if self._under_way is not None or self._over:
            return
        if not self._queue and now_ns >= self._poll_ns:
            self._queue.append(Order(self._look(now_ns)))
        if self._queue:
            self._send(self._queue.popleft(), now_ns)

    def _unanswered(self, order: Order, now_ns: int) -> None:
        """Ask again; but a mere look makes way for an order that waits."""
        if self._ready and order.ask.sort != "write" and self._queue:
            self._under_way = None
            return
        self.counters.commands_resent += order.command is not None
        self._send(order, now_ns)

    def _look(self, now_ns: int) -> Ask:
        if self._wire.reads_outputs and self._levels and now_ns >= self._outputs_ns:
            self._outputs_ns = now_ns + OUTPUTS_EVERY_NS
            return Ask("outputs", _span(self._levels))
        return self._inputs

    def _send(self, order: Order, now_ns: int) -> None:
        self._under_way = order
        self._again_ns = now_ns + (self.plan.ack_ms or ACK_MS) * MS
        self._out += self._wire.request(order.ask)

    def _lock_ask(self, locked: bool) -> Ask:
        pins = range(self._lock_output, self._lock_output + 1)
        return Ask("write", pins, (locked is self._locked_level,))

    def _lock_order(self, command: Command | None) -> Order:
        return Order(self._lock_ask(True), command)

    def _lock(self, command: Command) -> None:
        """Locked from here on, whatever the board does: no unlock may follow, or be told."""
        self.locked = True
        for order in (self._under_way, *self._queue):
            if order is not None and order.command is not None and order.command.name == "unlock":
                order.overtaken = True
                self.counters.commands_dropped += 1
        kept = [order for order in self._queue if not order.overtaken]
        if Reading("unlocked") in self._told:  # not yet told, with the chips that it accepted
            self._told = []
            self._memory.accepted.clear()
        if self._lock_output < 0:
            self._told.append(Reading("locked", {"n": command.n}))
            return
        self._queue = deque([self._lock_order(command), *kept])

    def _lamp(self, command: Command) -> int:
        """The pin of a lamp."""
        seat, wager = command.args["seat"], command.args["wager"]
        for each in self._sensors:
            if (each.seat, each.wager) == (seat, wager) and each.lamp is not None:
                return each.lamp
        raise CommandRefused(f"{self.plan.id} has no lamp for {wager} of seat {seat}")

    # ── answers ────────────────────────────────────────────────────────────
    def _said(self, said: Said, now_ns: int) -> list[Heard]:
        if isinstance(said, Changed):
            self._poll_ns = now_ns
            return []
        order, self._under_way = self._under_way, None
        self._heard_ns = now_ns
        if order is None:
            return []
        if isinstance(said, Refusal):
            return self._not_done(order, said)
        match order.ask.sort:
            case "version":
                self._versions["Firmware"] = said.text
            case "serial":
                self._serial = said.text
            case "inputs":
                self._poll_ns = now_ns + self.plan.options["poll_ms"] * MS
                return [*self._online(), *self._looked(said, now_ns)]
            case "outputs":
                return self._compared(said)
            case "write":
                return self._done(order)
        return []

    def _online(self) -> list[Heard]:
        if self._ready:
            return []
        self._ready = True
        who = Identity(self.plan.kind, self._serial, self.plan.options["protocol"], self._versions)
        return [who, Reading("online", {"locked": True, "accepts": True})]

    def _not_done(self, order: Order, refusal: Refusal) -> list[Heard]:
        what = f"it refused to {order.ask.what}: {refusal.why}"
        if not self._ready or order.ask.sort != "write":
            return [self._end(f"{what}; check the pins in options", refused="protocol")]
        if what in self._refused:  # once: a lamp must not fill the journal
            return []
        self._refused.add(what)
        return [Reading("fault", {"what": what})]

    def _done(self, order: Order) -> list[Heard]:
        """An output was set."""
        self._levels.update(zip(order.ask.pins, order.ask.levels, strict=True))
        if order.command is None or order.overtaken:
            return []
        if order.command.name == "lock":
            return [Reading("locked", {"n": order.command.n})]
        return self._unlocked() if order.command.name == "unlock" else []

    def _unlocked(self) -> list[Heard]:
        """A new round: what lies on the sensors now is wagered in it."""
        self.locked = False
        self._memory.accepted.clear()
        lying = [each for each in self._sensors if self._memory.lying.get(each.input)]
        return [Reading("unlocked"), *(self._accepted(each) for each in lying)]

    def _compared(self, said: Answer) -> list[Heard]:
        """Outputs that nobody here set: the lock cannot be trusted any more."""
        found = dict(zip(_span(self._levels), said.levels, strict=True))
        wrong = [pin for pin, level in self._levels.items() if found[pin] != level]
        if not wrong:
            return []
        what = (
            f"its output {wrong[0]} is not as it was set: it restarted, or another program sets it"
        )
        return [self._end(what)]

    # ── chips ──────────────────────────────────────────────────────────────
    def _looked(self, said: Answer, now_ns: int) -> list[Heard]:
        levels = dict(zip(self._inputs.pins, said.levels, strict=True))
        heard: list[Heard] = []
        for each in self._sensors:
            chip = levels[each.input] is self._chip_level
            # What lies there at the first look may have been accepted before a restart.
            self._memory.lying.setdefault(each.input, chip)
            if self._steady[each.input].see(chip, now_ns):
                heard += self._moved(each, chip)
        return heard

    def _moved(self, sensor: Sensor, chip: bool) -> list[Heard]:
        """A chip came or went, for certain."""
        memory = self._memory
        if chip == memory.lying[sensor.input]:
            return []
        memory.lying[sensor.input] = chip
        if chip:
            return [self._late(sensor) if self.locked else self._accepted(sensor)]
        if self.locked or sensor.input not in memory.accepted:
            return []  # the dealer collects
        memory.accepted.discard(sensor.input)
        return [Reading("withdrawn", {"seat": sensor.seat, "wager": sensor.wager})]

    def _accepted(self, sensor: Sensor) -> Reading:
        self._memory.accepted.add(sensor.input)
        args = {"seat": sensor.seat, "wager": sensor.wager, "cents": sensor.cents}
        return Reading("accepted", args)

    def _late(self, sensor: Sensor) -> Reading:
        return Reading("late", {"seat": sensor.seat, "wager": sensor.wager})


def _span(pins: Iterable[int]) -> range:
    """From the lowest to the highest."""
    known = tuple(pins)
    return range(min(known), max(known) + 1)


def _runs(pins: Iterable[int]) -> list[range]:
    """Sorted pins as runs without a gap: one request sets a run, and nothing else's output."""
    runs: list[range] = []
    for pin in pins:
        if runs and runs[-1].stop == pin:
            runs[-1] = range(runs[-1].start, pin + 1)
        else:
            runs.append(range(pin, pin + 1))
    return runs
