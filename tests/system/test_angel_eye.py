"""A Midi table with nothing but a listen-only Angel Eye shoe, followed through whole shoes.

The daemon is a process, the shoe stands behind `socket://`, and everything is judged from outside:
what MQTT told, against what really lay on the table.
"""

import asyncio
import contextlib
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hwsim.baccarat import Round
from hwsim.faults import parse_faults
from hwsim.rack import Place, Rack
from hwsim.reader import ReaderUnit
from tests.outbox.mosquitto import Mosquitto, until
from tests.system.processes import Daemon, sound
from tests.system.scan import Secrets
from tests.system.shoe_line import configuration
from tests.system.subscriber import Subscriber

LIMIT_S = 60.0
# Drops at certain reports only: each one in a row is mended more slowly.
TROUBLE = "garbage%20,loss%20,repeat%5,disconnect#30,disconnect#150,disconnect#400"


class Watched:
    """A table that is only watched. `told` names the seed, for every failure."""

    def __init__(self, folder: Path, seed: int, faults: str, **options: int) -> None:
        self.told = f"seed {seed}, faults {faults or 'none'}"
        self.data = folder / "data"
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="shoe", daemon=True)
        self._thread.start()
        places = [Place("angel_eye", "shoe", options=options)]
        self.rack = Rack(places, seed=seed, speed=None, faults=parse_faults(faults), port="tcp")
        urls = self._run(self.rack.start())
        self.broker = Mosquitto(folder)
        config = folder / "table.toml"
        config.write_text(configuration(self.data, urls["shoe"], self.broker.port))
        config.chmod(0o600)
        self.subscriber = Subscriber(self.broker.port)
        self.daemon = Daemon(config, folder / "daemon.log")
        self.daemon.start()

    def _run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(20)

    @property
    def shoe(self) -> ReaderUnit:
        return self.rack.readers["shoe"]

    @property
    def rounds(self) -> list[Round]:
        return self.shoe.model.rounds

    def to_the_end(self) -> None:
        """The shoe is dealt, and the table has told what it heard."""
        until(lambda: self._well() and self.shoe.finished, f"{self.told}: it is dealt", LIMIT_S)
        last = len(self.rounds)
        until(
            lambda: self._well() and any(e["round"] == last for e in self.all("round.cleared")),
            f"{self.told}: round {last} is over",
            LIMIT_S,
        )

    def _well(self) -> bool:
        assert self.daemon.lives, f"{self.told}: the daemon ended: {self.daemon.tail()}"
        return True

    def stop(self) -> int:
        """SIGTERM; the exit code."""
        code = self.daemon.stop()
        until(lambda: (self.subscriber.latest("status") or {}).get("state") == "offline", "offline")
        return code

    def close(self) -> None:
        try:
            self.daemon.stop()
        finally:
            self.subscriber.close()
            self.broker.stop()
            self._run(self.rack.stop())
            self.loop.call_soon_threadsafe(self.loop.stop)
            self._thread.join(5)
            self.loop.close()

    # ── what MQTT told ─────────────────────────────────────────────────────
    def all(self, name: str) -> list[Any]:
        """The data of every event of a name, in order."""
        area = name.replace(".", "/")
        return [json.loads(body)["data"] for body in self.subscriber.of(f"event/{area}/")]

    def types(self) -> list[str]:
        found = [json.loads(body) for body in self.subscriber.of("event/")]
        return [event["type"].removeprefix("tablectl.") for event in found]

    def irregularities(self) -> list[tuple[str, Any]]:
        found = [json.loads(body) for body in self.subscriber.of("event/irregularity/")]
        return [(e["type"].rpartition(".")[2], e["data"].get("round")) for e in found]


@contextlib.contextmanager
def watched(folder: Path, seed: int, faults: str = "", **options: int) -> Iterator[Watched]:
    table = Watched(folder, seed, faults, **options)
    try:
        yield table
    finally:
        table.close()


def settled_as_dealt(table: Watched, rounds: list[Round]) -> None:
    """Every one of these rounds is settled once, with the cards that lay there."""
    settled = {data["round"]: data for data in table.all("round.settled")}
    assert len(settled) == len(table.all("round.settled")), table.told
    for truth in rounds:
        data = settled[truth.number]
        assert data["player"] == truth.player, f"{table.told}: round {truth.number}"
        assert data["banker"] == truth.banker, f"{table.told}: round {truth.number}"
        assert data["winner"] == truth.winner, f"{table.told}: round {truth.number}"
        assert data["seats"] == []


def nothing_was_said_to_the_shoe(table: Watched) -> None:
    assert table.shoe.heard_bytes == 0, table.told
    assert table.subscriber.latest("device/shoe")["counters"]["bytes_out"] == 0, table.told


@pytest.mark.parametrize(
    "seed", [1, *(pytest.param(n, marks=pytest.mark.soak) for n in range(10, 20))]
)
def test_a_whole_shoe_is_followed_whatever_the_line_does(tmp_path: Path, seed: int) -> None:
    with watched(tmp_path, seed, TROUBLE) as table:
        table.to_the_end()
        numbers = list(range(1, len(table.rounds) + 1))
        assert len(numbers) > 60
        for name in ("round.opened", "round.settled", "round.cleared"):
            assert [data["round"] for data in table.all(name)] == numbers, f"{table.told}: {name}"
        settled_as_dealt(table, table.rounds)
        assert table.irregularities() == [], table.told
        assert table.all("table.halted") == []
        assert table.shoe.connections == 4, f"{table.told}: the link did not drop as planned"
        [last] = table.all("round.last_hand")
        assert last["round"] in numbers[-2:], table.told
        nothing_was_said_to_the_shoe(table)
        assert table.stop() == 0
        nothing_sealed_leaks(table)
        sound(table.data, table.told)


def nothing_sealed_leaks(table: Watched) -> None:
    """No card before it was turned over, and no salt of a card that stays face down."""
    secrets = Secrets.of(table.data)
    burned = sum(len(data.get("card") or "") == 0 for data in table.all("card.burned"))
    assert burned > 0
    assert secrets.cards >= sum(len(r.player) + len(r.banker) for r in table.rounds) + burned
    first_card = {(data.get("card"), data["place"]) for data in table.all("card.burned")}
    assert sum(card is not None for card, _ in first_card) == 1  # the exposed one
    for topic, payload in table.subscriber.heard:
        if "/event/" in topic and "/card/burned" not in topic:
            secrets.event(payload.decode(), f"{table.told}: {topic}")
    secrets.nothing_at_all(table.daemon.log.read_text(), f"{table.told}: log")


def test_a_result_that_is_a_lie_is_flagged_and_the_cards_decide(tmp_path: Path) -> None:
    with watched(tmp_path, 3, "wrong_result#3,wrong_result#20") as table:
        table.to_the_end()
        lies = [truth.number for truth in table.rounds if truth.told != truth.winner]
        assert lies == [3, 20]
        assert table.irregularities() == [("result_mismatch", 3), ("result_mismatch", 20)]
        settled_as_dealt(table, table.rounds)
        nothing_was_said_to_the_shoe(table)


def test_a_lost_card_is_never_settled_over(tmp_path: Path) -> None:
    with watched(
        tmp_path, 4, f"{TROUBLE},missing_card#11,missing_card#60,missing_card#200"
    ) as table:
        table.to_the_end()
        short = {truth.number for truth in table.rounds if truth.lost}
        assert len(short) == 3
        flagged = {number for name, number in table.irregularities() if name == "sequence_gap"}
        assert short <= flagged, table.told
        settled = {data["round"] for data in table.all("round.settled")}
        assert not settled & short, table.told
        settled_as_dealt(table, [t for t in table.rounds if t.number not in flagged])
        assert [data["round"] for data in table.all("round.opened")] == [
            truth.number for truth in table.rounds
        ]
        nothing_was_said_to_the_shoe(table)


def test_a_card_that_cannot_be_read_and_an_overdraw(tmp_path: Path) -> None:
    with watched(tmp_path, 5, "misread#30,overdraw#50") as table:
        table.to_the_end()
        [unread] = [truth.number for truth in table.rounds if truth.unread]
        assert table.irregularities() == [("unreadable_card", unread)], table.told
        assert unread not in {data["round"] for data in table.all("round.settled")}
        settled_as_dealt(table, [t for t in table.rounds if t.number != unread])
        [fault] = table.all("device.fault")
        assert "overdraw" in fault["what"]
        types = table.types()
        assert types.index("device.fault") < types.index("device.cleared")
        assert types.count("device.cleared") == 1


def test_new_decks_begin_a_new_shoe_and_round_numbers_go_on(tmp_path: Path) -> None:
    with watched(tmp_path, 6, shoes=2, decks=8) as table:
        table.to_the_end()
        assert [data["round"] for data in table.all("round.settled")] == [
            truth.number for truth in table.rounds
        ]
        assert len(table.all("round.last_hand")) == 2
        assert len(table.all("deck.changed")) == 1
        assert table.irregularities() == []
