"""A Three Card Baccarat table with a listen-only reader and a shuffler: nobody acts.

The daemon is a process, both devices stand behind TCP, and everything is judged from outside: what
MQTT told, against what really lay on the table.
"""

import asyncio
import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hwsim.passed import PassedCards
from hwsim.rack import Place, Rack
from tablectl.cards import Card
from tests.outbox.mosquitto import Mosquitto, free_port, until
from tests.system.processes import Daemon, sound
from tests.system.scan import Secrets
from tests.system.subscriber import CONFIG, Subscriber, wait_connected

CONFIGURED = Path(__file__).parents[2] / "config/three-card-baccarat-reading-shoe.toml"


class Listened:
    """A room with a dealer whose hand is the test, and a daemon that hears the cards."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="room", daemon=True)
        self._thread.start()
        places = [
            Place("bee_tek", "shoe", options={"by_hand": True}),
            Place("shuffler", "shuffler"),
        ]
        self.rack = Rack(places, seed=11, speed=None, port="tcp")
        urls = asyncio.run_coroutine_threadsafe(self.rack.start(), self.loop).result(20)
        self.broker = Mosquitto(folder)
        config = folder / "table.toml"
        config.write_text(configuration(self.data, urls, self.broker.port))
        config.chmod(0o600)
        self.subscriber = Subscriber(self.broker.port)
        self.daemon = Daemon(config, folder / "daemon.log")
        self.daemon.start()
        wait_connected(self.subscriber)
        self.shuffles = 0
        self.person(lambda: self.rack.table.receive("red"))
        until(self.well, "both devices are online")

    def person(self, act: Callable[[], Any]) -> Any:
        """Somebody at the table does something, on the devices' own thread."""

        async def acting() -> Any:
            return act()

        return asyncio.run_coroutine_threadsafe(acting(), self.loop).result(20)

    def well(self) -> bool:
        assert self.daemon.lives, f"the daemon ended: {self.daemon.tail()}"
        state = self.subscriber.latest("state") or {"devices": {}}
        return [d["health"] for d in state["devices"].values()] == ["online"] * 2

    def told(self, name: str) -> list[Any]:
        """The data of every event of a name, in order."""
        area = name.replace(".", "/")
        return [json.loads(body)["data"] for body in self.subscriber.of(f"event/{area}/")]

    # ── the dealer's hands ─────────────────────────────────────────────────
    def shuffle(self) -> None:
        """The deck goes through the shuffler; the dealer waits until that is told."""
        table = self.rack.table
        self.person(lambda: table.gather("red"))
        self.person(lambda: table.put_into_shuffler("red"))
        self.shuffles += 1
        until(lambda: len(self.told("deck.shuffled")) == self.shuffles, "the deck is shuffled")
        self.person(lambda: table.gather("red"))

    def deal(self, players: int) -> tuple[list[list[Card]], list[Card]]:
        """One card at a time, the dealer last; every card passes the reader."""
        before, pack = len(self.told("card.dealt")), self.rack.table.deck("red").cards
        drawn = [Card(card) for card in pack[: 3 * (players + 1)]]
        self.passes(drawn)
        until(lambda: len(self.told("card.dealt")) == before + len(drawn), "the cards are told")
        *hands, dealer = [drawn[seat :: players + 1] for seat in range(players + 1)]
        return hands, dealer

    def passes(self, cards: list[Card]) -> None:
        reader = self.rack.readers["shoe"].model
        assert isinstance(reader, PassedCards)
        self.person(lambda: reader.passes(cards))

    def stop(self) -> None:
        assert self.daemon.stop() == 0
        until(lambda: (self.subscriber.latest("status") or {})["state"] == "offline", "offline")

    def close(self) -> None:
        try:
            self.daemon.stop()
        finally:
            self.subscriber.close()
            self.broker.stop()
            asyncio.run_coroutine_threadsafe(self.rack.stop(), self.loop).result(20)
            self.loop.call_soon_threadsafe(self.loop.stop)
            self._thread.join(5)
            self.loop.close()


def configuration(data: Path, urls: dict[str, str], broker: int) -> str:
    """The ready configuration, with this test's addresses."""
    text = CONFIGURED.read_text()
    for ours, theirs in (
        ('id = "tcb-6"', 'id = "demo"\nsimulated = true'),
        ('"/var/lib/tablectl/tcb-6"', f'"{data}"'),
        ("/dev/serial/by-id/usb-Example_RS232-if00", urls["shoe"]),
        ("socket://127.0.0.1:4141", urls["shuffler"]),
        ("127.0.0.1:1883", f"127.0.0.1:{broker}"),
        ('username = "tcb-6"\n', ""),
        ('password_file = "/etc/tablectl/mqtt-password"\n', ""),
        ("127.0.0.1:8080", f"127.0.0.1:{free_port()}"),
    ):
        assert ours in text, ours
        text = text.replace(ours, theirs)
    head, _, _ = text.partition("# Whose signed commands")
    return head + CONFIG


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Listened]:
    with contextlib.closing(Listened(tmp_path)) as listened:
        yield listened


def test_rounds_are_followed_and_no_byte_is_ever_sent_to_the_reader(table: Listened) -> None:
    truths = []
    for players in (1, 6, 3):
        table.shuffle()
        truths.append(table.deal(players))
    assert [data["round"] for data in table.told("round.settled")] == [1, 2]
    # A daemon that was away may have missed a card: this round is not settled, the next one is.
    table.stop()
    table.daemon.start()
    wait_connected(table.subscriber)
    until(table.well, "both devices are online again")
    for players in (2, 4):
        table.shuffle()
        truths.append(table.deal(players))
    table.shuffle()
    table.passes([Card("2C")])
    until(lambda: len(table.told("round.cleared")) == 5, "the fifth round is over")
    settled = {data["round"]: data for data in table.told("round.settled")}
    assert list(settled) == [1, 2, 4, 5]
    for number, data in settled.items():
        hands, dealer = truths[number - 1]
        assert data["dealer"] == dealer
        assert [hand["cards"] for hand in data["hands"]] == hands
        assert data["seats"] == []
    assert {data["round"]: data["settled"] for data in table.told("round.cleared")} == {
        1: True, 2: True, 3: False, 4: True, 5: True,
    }  # fmt: skip
    assert table.told("table.halted") == []
    assert table.rack.readers["shoe"].heard_bytes == 0
    assert table.subscriber.latest("device/shoe")["counters"]["bytes_out"] == 0
    assert not [entry for entry in table.rack.log.entries if entry.what.startswith("command")]
    table.stop()
    secrets = Secrets.of(table.data)
    for topic, payload in table.subscriber.heard:
        if "/event/" in topic:
            secrets.event(payload.decode(), topic)
        elif topic.endswith("/state"):
            secrets.state(payload.decode(), topic)
    secrets.nothing_at_all(table.daemon.log.read_text(), "log")
    sound(table.data, "listened")
