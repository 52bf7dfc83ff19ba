"""A table for the outbox's system tests: a real journal (toy core), a real publisher."""

from pathlib import Path
from typing import Any

from tablectl.journal.opening import open_journal
from tablectl.journal.wiring import Limits, Outlets
from tablectl.outbox.broker import Broker
from tablectl.outbox.commands import Key, as_action
from tablectl.outbox.publisher import Publisher
from tablectl.outbox.reports import Connected, Ordered, Report
from tablectl.table.inputs import Action, Restart
from tests.journal.toy import SETUP, TOY, Clock
from tests.outbox.fakes import state
from tests.outbox.mosquitto import until
from tests.outbox.signing import KEY


class Desk:
    """Owner of a recorder and a publisher, as the daemon is."""

    def __init__(
        self,
        data: Path,
        port: int,
        *,
        keys: tuple[Key, ...] = (KEY,),
        broker: dict[str, Any] | None = None,
        scheme: str = "mqtt",
        limits: Limits | None = None,
        **more: Any,
    ) -> None:
        self.at = Clock()
        self.told: list[Report] = []
        self.publisher: Publisher | None = None
        self.recorder = open_journal(
            data,
            site="harbor",
            table="tcp-12",
            core=TOY,
            outlets=Outlets(publish=self._offer),
            limits=limits or Limits(),
        )
        self.recorder.submit(Restart(self.at(), SETUP, "d" * 64, "0.1.0", TOY.version))
        at = Broker.at(f"{scheme}://localhost:{port}", **(broker or {}))
        self.publisher = Publisher(
            at, self.recorder.identity, data, durable=self.recorder.durable, keys=keys, **more
        )
        self.publisher.start()
        self.settle()
        self.show()

    def _offer(self, event: Any) -> None:
        if self.publisher is not None:
            self.publisher.offer(event)

    def show(self, **parts: Any) -> None:
        assert self.publisher is not None
        self.publisher.show(state(self.recorder.head.sequence, **parts))

    def act(self, action: str, **args: Any) -> Any:
        return self.recorder.submit(Action(self.at(), action, "ana", ("floor",), args=args))

    def say(self, count: int) -> None:
        for n in range(count):
            self.act("say", text=f'ä "quoted" {n}')

    def settle(self) -> None:
        """Everything is durable, and the publisher knows it."""
        assert self.recorder.wait_durable(self.recorder.head.sequence, 30), self.recorder.failure

    def published(self) -> None:
        """The broker has everything."""
        self.settle()
        assert self.publisher is not None
        publisher = self.publisher
        until(lambda: publisher.acknowledged >= self.recorder.head.sequence, "all is published")

    def connected(self) -> None:
        self.hear(Connected)

    def hear(self, kind: Any) -> Any:
        """Wait for a report of a kind; answers orders like a daemon on the way."""
        found: list[Any] = []

        def came() -> bool:
            assert self.publisher is not None
            for report in self.publisher.reports():
                self.told.append(report)
                if isinstance(report, Ordered):
                    self.recorder.submit(as_action(report.order, self.at()))
                    self.settle()
                    self.publisher.answer(report.order, result={"sequence": self.recorder.durable})
                if isinstance(report, kind):
                    found.append(report)
            return bool(found)

        until(came, f"a report {kind.__name__}")
        return found[0]

    def stop(self) -> None:
        assert self.recorder.close(), self.recorder.failure
        assert self.publisher is not None
        assert self.publisher.stop(5.0), "the outbox ends in time"
