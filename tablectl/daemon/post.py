"""The outbox on the desk's side: what is durable goes to MQTT, what comes back reaches the table.

A broker that is away, an archive that is behind and whatever else goes wrong on the way become
alarms. A journal that is not what was published, or not what the archive holds, halts the table.
"""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import structlog

from tablectl.daemon.absence import Absence
from tablectl.daemon.config import Config
from tablectl.daemon.desk import Desk, NotDurable
from tablectl.journal.chain import Published
from tablectl.outbox.broker import Broker
from tablectl.outbox.commands import Key, Order, as_action
from tablectl.outbox.payloads import DeviceFacts
from tablectl.outbox.publisher import Publisher
from tablectl.outbox.reports import (
    ArchiveBehind,
    ArchiveCaughtUp,
    CommandRefused,
    ConfirmationDiffers,
    Connected,
    Disconnected,
    JournalDiffers,
    Ordered,
    Report,
    Trouble,
)
from tablectl.table.inputs import Action, Notice

log = structlog.get_logger("tablectl.post")

# They have no end that could be noticed.
_OVER_WHEN_SEEN: Final = frozenset({"archive_differs", "journal_differs", "outbox_trouble"})

FACTS_EVERY_S: Final = 30.0  # a cable goes bad while nothing happens at the table

Facts = Callable[[], Mapping[str, DeviceFacts]]


class Post:
    """Owns the publisher. All methods are called on the loop."""

    def __init__(self, config: Config, desk: Desk, facts: Facts) -> None:
        assert config.mqtt is not None
        self._desk = desk
        self._facts = facts
        self._loop = asyncio.get_running_loop()
        self._answering: set[asyncio.Task[None]] = set()
        self._again: asyncio.TimerHandle | None = None
        self._absence = Absence(
            self._loop.call_later,
            config.mqtt.away_seconds,
            away=lambda what: self._notice("broker_away", what),
            back=lambda what: self._over("broker_away", what),
        )
        broker = Broker.at(
            config.mqtt.url,
            username=config.mqtt.username,
            password_file=config.mqtt.password_file,
            ca_file=config.mqtt.ca_file,
        )
        self.publisher = Publisher(
            broker,
            desk.recorder.identity,
            Path(config.table.data),
            durable=desk.recorder.durable,
            keys=[
                Key(name, key.public, frozenset(key.commands)) for name, key in config.keys.items()
            ],
            unconfirmed_limit=config.archive.unconfirmed_limit,
            poke=self._poked,
        )

    def start(self) -> None:
        """Begin to publish."""
        self._look_again()
        self.publisher.start()

    def _look_again(self) -> None:
        """What the devices count is told although the table's state has not changed."""
        self.changed()
        self._again = self._loop.call_later(FACTS_EVERY_S, self._look_again)

    def offer(self, event: Published) -> None:
        """An event has become durable."""
        self.publisher.offer(event)

    def changed(self) -> None:
        """The table's state has changed."""
        for alarm in self._desk.state.alarms:
            if alarm.acknowledged and alarm.kind in _OVER_WHEN_SEEN:
                self._over(alarm.kind, "somebody has seen to it")
        self.publisher.show(self._desk.state, self._facts())
        self.publisher.say_trouble(self._desk.recorder.failure)

    async def stop(self) -> None:
        """Send what is left, say offline."""
        self._absence.close()
        if self._again is not None:
            self._again.cancel()
        await asyncio.to_thread(self.publisher.stop, 2.0)

    def _poked(self) -> None:
        """On the outbox's thread."""
        self._loop.call_soon_threadsafe(self._collect)

    # ── reports ────────────────────────────────────────────────────────────
    def _collect(self) -> None:
        for report in self.publisher.reports():
            self._take(report)

    def _take(self, report: Report) -> None:
        match report:
            case Disconnected(what):
                self._absence.lost(what)
            case Connected(what):
                self._absence.found(what)
            case ArchiveBehind(unconfirmed, limit):
                what = f"{unconfirmed} events are not in the archive (limit {limit})."
                self._notice("archive_behind", what)
            case ArchiveCaughtUp(unconfirmed):
                self._over("archive_behind", f"{unconfirmed} events are not in the archive.")
            case ConfirmationDiffers():
                self._halt("archive_differs", report.what)
            case JournalDiffers(what):
                self._halt("journal_differs", what)
            case Ordered(order):
                self._order(order)
            case CommandRefused():
                self._refused(report)
            case Trouble(what):
                log.error("outbox_trouble", what=what)
                self._notice("outbox_trouble", what)

    def _halt(self, alarm: str, what: str) -> None:
        """The account of the table cannot be trusted: nobody plays on before the floor looked."""
        log.error(alarm, what=what)
        self._desk.submit(lambda at: Notice(at, alarm, what, "critical", halts=True))

    def _notice(self, alarm: str, what: str) -> None:
        if all(known.kind != alarm for known in self._desk.state.alarms):
            self._desk.submit(lambda at: Notice(at, alarm, what))

    def _over(self, alarm: str, what: str) -> None:
        if any(known.kind == alarm for known in self._desk.state.alarms):
            self._desk.submit(lambda at: Notice(at, alarm, what, over=True))

    def _refused(self, report: CommandRefused) -> None:
        """A command that was refused is recorded like any other refusal."""
        args = {"why": report.why[:200]}
        name = f"cmd/{report.name}"
        actor = report.key or "unknown"
        self._desk.submit(
            lambda at: Action(at, name, actor, (), "mqtt-key", args, count=report.count)
        )

    def _order(self, order: Order) -> None:
        receipt = self._desk.submit(lambda at: as_action(order, at))
        if receipt.refusal is not None:
            self.publisher.answer(order, receipt.refusal.why)
            return
        task = self._loop.create_task(self._answer(order, receipt.sequence))
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    async def _answer(self, order: Order, sequence: int) -> None:
        try:
            await self._desk.durable(sequence)
        except NotDurable as error:
            self.publisher.answer(order, f"not recorded: {error}")
        else:
            self.publisher.answer(order, None, {"sequence": sequence})
