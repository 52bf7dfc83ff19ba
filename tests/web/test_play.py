"""A table with simulated devices, played over HTTP: rulings, and everything that anybody can read.

Whoever reads all of it, logs included, finds no credential, no salt and no face-down card.
"""

import json
import random
import re
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hwsim.rack import Place, Rack
from tablectl.demo.client import Api
from tablectl.demo.dealer import Dealer
from tablectl.demo.house import Person
from tests.web.daemon import BADGE, KINDS, PINS, Daemon

CARD = re.compile(r'"([A23456789TJQK][CDHS])"')
TURNS = 2000
LAST = "the watch is over"


class Pit:
    """A daemon, its devices and a dealer who does what is prompted."""

    def __init__(self, daemon: Daemon, seed: int) -> None:
        self.daemon = daemon
        assert daemon.rack is not None
        staff = (Person("dana", "dealer", PINS["dana"]), Person("flo", "floor", PINS["flo"]))
        api = Api(f"127.0.0.1:{daemon.port}")
        self.dealer = Dealer(api, daemon.rack.table, staff, random.Random(seed), 0.0)

    def play_until(self, phase: str) -> dict[str, Any]:
        """Turn by turn, until the table is in a phase."""
        for _ in range(TURNS):
            state = self.daemon.state()
            if state["phase"] == phase:
                return state
            self.daemon.on_loop(self.dealer.turn(state))
        raise AssertionError(f"never {phase}: {state['phase']} {state['prompts']}")


@pytest.fixture
def pit(tmp_path: Path) -> Iterator[Pit]:
    places = [Place(kind, name) for name, kind in KINDS.items()]
    with Daemon(tmp_path, rack=Rack(places, seed=3, speed=None, port="tcp")) as daemon:
        yield Pit(daemon, 3)


def test_a_report_that_would_void_tells_the_ruling_first(pit: Pit) -> None:
    before = pit.play_until("deciding")
    asked = pit.daemon.act("dana", "declare_misdeal")
    assert (asked.status, asked.keys) == (200, {"events", "ruling", "clauses"})
    assert "all hands are void" in asked.body["ruling"]
    assert asked.body["clauses"] == ["TCP 13.D"]
    assert pit.daemon.state()["phase"] == "deciding"
    assert pit.daemon.state()["seats"] == before["seats"]
    done = pit.daemon.act("dana", "declare_misdeal", confirm=True)
    assert done.status == 200
    types = [event["type"] for event in done.body["events"]]
    assert "tablectl.irregularity.incorrect_number_of_cards" in types
    assert "tablectl.round.voided" in types
    assert pit.daemon.state()["phase"] == "voided"


def test_the_cards_lie_face_down_until_they_are_turned(pit: Pit) -> None:
    state = pit.play_until("deciding")
    lying = [card for seat in state["seats"] for card in seat["cards"]] + state["dealer"]["cards"]
    assert len(lying) >= 6
    for card in lying:
        assert card.keys() == {"place", "card", "commitment"}
        assert card["card"] is None
        assert re.fullmatch(r"[0-9a-f]{64}", card["commitment"])
    shown = pit.play_until("clearing")["dealer"]["cards"]
    assert all(card["card"] for card in shown)


# ── everything that anybody can read ───────────────────────────────────────


class Watch:
    """Reads everything, all the time, on threads of its own."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        self.states: list[str] = []
        self.pages: list[str] = []
        self.events: list[dict[str, Any]] = []
        self._done = threading.Event()
        self._threads = [threading.Thread(target=run) for run in (self._poll, self._listen)]
        for thread in self._threads:
            thread.start()

    def _poll(self) -> None:
        while not self._done.wait(0.002):
            self.states.append(self.daemon.ask("GET", "/api/state").text)
            self.pages.append(self.daemon.ask("GET", "/metrics").text)
            self.pages.append(self.daemon.ask("GET", "/healthz").text)

    def _listen(self) -> None:
        with self.daemon.listening() as stream:
            while not self.events or self.events[-1]["data"].get("reason") != LAST:
                self.events.append(stream.next())

    def stop(self) -> None:
        self._done.set()
        assert self.daemon.act("flo", "halt_table", reason=LAST).status == 200
        for thread in self._threads:
            thread.join(5)
            assert not thread.is_alive()


def test_nothing_is_told_before_its_time(
    capsys: pytest.CaptureFixture[str], pit: Pit, tmp_path: Path
) -> None:
    daemon = pit.daemon
    watch = Watch(daemon)
    tokens = [daemon.sign_on(name).body["session"] for name in ("sue", "tess")]
    daemon.sign_on("flo", BADGE)
    for wrong in ("a-wrong-pin-8151", "session-a-wrong-one-8152"):
        assert daemon.act("sue", "log_on", wrong).status == 401
    daemon.on_loop(pit.dealer.play(6), 60)
    assert daemon.ask("DELETE", "/api/session", {"session": tokens[0]}).status == 200
    watch.stop()
    tokens += pit.dealer.api._sessions.values()

    look_for_cards(watch, tmp_path / "data")
    secret = [*PINS.values(), BADGE, "a-wrong-pin-8151", "a-wrong-one-8152"]
    given = "\n".join(text for text in daemon.seen if '{"session":' not in text)
    logs = "".join(capsys.readouterr())
    assert "started" in logs
    for text in (given, logs, json.dumps(watch.events)):
        assert not [word for word in (*secret, *tokens) if word in text]
        assert "$argon2" not in text
    journal = b"".join(file.read_bytes() for file in (tmp_path / "data").iterdir())
    assert not [word for word in (*secret, *tokens) if word.encode() in journal]


def look_for_cards(watch: Watch, data: Path) -> None:
    """A card stands only where an event that came before has turned it over."""
    with closing(sqlite3.connect(f"file:{data}/journal.db?mode=ro", uri=True)) as journal:
        sealed = journal.execute("SELECT salt, card FROM sealed").fetchall()
    assert len(sealed) >= 60
    salts = {salt for salt, _card in sealed}
    opened: dict[int, set[str]] = {}  # sequence -> the cards that lie open by then
    known: set[str] = set()
    for event in watch.events:
        text = json.dumps(event["data"])
        if event["type"] == "tablectl.round.opened":
            known = set()  # a new round: the same faces are secret again
        elif event["type"] == "tablectl.card.revealed":
            known = known | {event["data"]["card"]}
            text = text.replace(event["data"]["salt"], "")
        elif event["type"] == "tablectl.action.done" and "card" in event["data"]:
            known = known | {event["data"]["card"]}
        assert not [salt for salt in salts if salt in text], event
        assert set(CARD.findall(text)) <= known, event
        opened[event["sequence"]] = known
    for text in watch.states:
        state = json.loads(text)
        assert set(CARD.findall(text)) <= opened.get(state["sequence"], set()), text
        assert not [salt for salt in salts if salt in text]
    assert len(watch.states) > 30
    assert any(CARD.search(text) for text in watch.states)
    for text in watch.pages:
        assert not CARD.search(text)
        assert not [salt for salt in salts if salt in text]
