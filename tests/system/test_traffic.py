"""Everything that leaves the table (MQTT, HTTP, log, metrics, terminal), read by the curious."""

import contextlib
import http.client
import json
import os
import pty
import re
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.system.processes import CLI, ROOT
from tests.system.scan import Secrets, no_credential
from tests.system.stage import Stage
from tests.system.subscriber import ROOT as TOPIC

SEED = 31
ENDED = (OSError, http.client.HTTPException)  # the daemon was stopped
FRAME = re.compile(r"\x1b\[H")
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
FACE = re.compile(r"[A23456789TJQK][♣♦♥♠]")
BEFORE = ("PREPARING", "BETTING", "LOCKING", "LOCKED", "DEALING", "DECIDING")


class Curious:
    """Asks for pages as fast as they come, and listens to the event stream; keeps every body."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._stop = threading.Event()
        self.bodies: dict[str, list[str]] = {}
        self.stream: list[str] = []
        state, metrics = partial(self._poll, "/api/state"), partial(self._poll, "/metrics")
        tasks: list[Callable[[], None]] = [state, metrics, self._listen]
        self._threads = [threading.Thread(target=task, daemon=True) for task in tasks]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(15)
            assert not thread.is_alive()

    def _poll(self, path: str) -> None:
        kept = self.bodies.setdefault(path, [])
        connection = http.client.HTTPConnection(self._address, timeout=10)
        with contextlib.closing(connection), contextlib.suppress(*ENDED):
            while not self._stop.wait(0.004):
                connection.request("GET", path)
                kept.append(connection.getresponse().read().decode())

    def _listen(self) -> None:
        connection = http.client.HTTPConnection(self._address, timeout=12)
        with contextlib.closing(connection), contextlib.suppress(*ENDED):
            connection.request("GET", "/api/events?after=0")
            answer = connection.getresponse()
            while line := answer.readline().decode():
                if line.startswith("data: "):
                    self.stream.append(line[6:].rstrip("\n"))


@pytest.mark.timeout(150)
def test_nothing_before_its_time(tmp_path: Path) -> None:
    scanned(tmp_path, SEED, 25)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(300, 304))
def test_nothing_before_its_time_in_200_rounds(tmp_path: Path, seed: int) -> None:
    scanned(tmp_path, seed, 200)


def scanned(folder: Path, seed: int, rounds: int) -> None:
    with Stage(folder, seed, "misread,overdraw,jam") as stage:
        stage.api.keep = True
        curious = Curious(stage.api.address)
        stage.play(rounds, 60 + rounds * 3)
        stage.room.rest()
        assert stage.daemon.stop() == 0, stage.told
        curious.stop()
        stage.subscriber.catch_up(max(stage.stored()), stage.told, may_ask=False)
        secrets = Secrets.of(stage.data)
        look(stage, curious, secrets, rounds)
        tokens = stage.api.tokens
        assert len(tokens) >= 2, stage.told
        heard = [(t, p.decode()) for t, p in stage.subscriber.heard]
        pages = [(path, body) for path, found in curious.bodies.items() for body in found]
        told = [("event stream", body) for body in curious.stream]
        logs = [("log", stage.daemon.log.read_text())]
        pins = [person.pin for person in stage.staff]
        everything = [*heard, *pages, *told, *logs, *stage.api.seen]
        assert no_credential(everything, [*pins, *tokens]) > rounds * 50, stage.told


def look(stage: Stage, curious: Curious, secrets: Secrets, rounds: int) -> None:
    told = stage.told
    assert secrets.cards > rounds * 9, told
    assert sum(sequence is None for sequence in secrets.salts.values()) > rounds, told
    states = 0
    for topic, payload in list(stage.subscriber.heard):
        text, name = payload.decode(), topic.removeprefix(TOPIC)
        if name.startswith("event/"):
            secrets.event(text, f"{told}: MQTT")
        elif name == "state":
            states += 1
            secrets.state(text, f"{told}: MQTT")
        else:
            secrets.nothing_at_all(text, f"{told}: {topic}")
    assert states > rounds, told
    assert len(curious.bodies["/api/state"]) > rounds * 5, told
    for text in set(curious.bodies["/api/state"]):
        secrets.state(text, f"{told}: /api/state")
    for text in set(curious.bodies["/metrics"]):
        secrets.nothing_at_all(text, f"{told}: /metrics")
    assert len(curious.stream) > rounds * 50, told
    for text in curious.stream:
        secrets.event(text, f"{told}: /api/events")
    for path, text in stage.api.seen:
        answered(secrets, path, text, told)
    secrets.nothing_at_all(stage.daemon.log.read_text(), f"{told}: log")


def answered(secrets: Secrets, path: str, text: str, told: str) -> None:
    """What the dealer's page got: states, and events as answers to actions."""
    if path == "/api/state":
        secrets.state(text, f"{told}: {path}")
        return
    for event in json.loads(text).get("events", []):
        secrets.event(json.dumps(event), f"{told}: {path}")


# ── the terminal ───────────────────────────────────────────────────────────
def test_nothing_on_the_terminal_before_its_time(tmp_path: Path) -> None:
    """The demonstration in a terminal of 80 columns, picture by picture."""
    seed, rounds = 32, 4
    arguments = ["demo", "--rounds", str(rounds), "--seed", str(seed), "--speed", "8"]
    screen = on_a_terminal([*arguments, "--data", str(tmp_path)])
    secrets = Secrets.of(tmp_path)
    secrets.text(screen, "terminal", -1)
    assert not re.search(r"[0-9a-f]{16}", screen), "a PIN, a hash or a salt"
    assert "session-" not in screen
    pictures = [CONTROL.sub("", picture) for picture in FRAME.split(screen)]
    pictures = [picture for picture in pictures if "tablectl" in picture and "wagering" in picture]
    assert len(pictures) > rounds * 2
    faces = sum(check(picture, secrets) for picture in pictures)
    assert faces >= 6, "cards are shown once they are turned over"


def check(picture: str, secrets: Secrets) -> int:
    """No face before the reveal, and none ever of what stays face down; how many faces it has."""
    head = re.search(r"round +(\d+|-) +([A-Z]+)", picture)
    assert head, picture
    layout = picture.partition("events")[0]
    found = 0
    for line in layout.splitlines():
        row = re.match(r"│ *(dealer|\d) +(.*)", line)
        if row is None:
            continue
        faces = FACE.findall(row[2])
        assert not (faces and head[2] in BEFORE), f"{head[0]}: {line}"
        owner = "dealer" if row[1] == "dealer" else f"seat/{row[1]}"
        if faces:
            shown = secrets.shown.get((int(head[1]), f"{owner}/1"))
            assert shown is not None, f"{head[0]}: {line}"
        found += len(faces)
    return found


def on_a_terminal(arguments: list[str]) -> str:
    master, slave = pty.openpty()
    size = {"COLUMNS": "80", "LINES": "40", "TERM": "xterm-256color"}
    process = subprocess.Popen(
        [*CLI, *arguments], stdin=slave, stdout=slave, stderr=slave, cwd=ROOT,
        env={**os.environ, **size},
    )  # fmt: skip
    os.close(slave)
    try:
        said = read_all(master, lambda: process.poll() is None, 60)
        assert process.wait(10) == 0, said[-2000:]
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait(10)
        os.close(master)
    return said


def read_all(master: int, runs: Callable[[], bool], seconds: float) -> str:
    read = bytearray()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if select.select([master], [], [], 0.1)[0]:
            try:
                read += os.read(master, 65536)
            except OSError:  # the other end is closed
                break
        elif not runs():
            break
    return read.decode(errors="replace")
