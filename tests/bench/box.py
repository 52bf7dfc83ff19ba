"""A whole table for the bench: Mosquitto, simulated devices, the daemon in its own process.

Shuffler and shoe are a process of hwsim; button and progressive are ends of wires that the bench
holds itself. The dealer and the floor act by HTTP with sessions.
"""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from tablectl.demo import house
from tests.bench.measure import ROOT, SEED
from tests.bench.wire import Devices
from tests.outbox.mosquitto import Mosquitto

READY_S: Final = 30.0
TURNS: Final = 2_000
TURN_S: Final = 0.02
DECKS: Final = ("red", "blue")
_OPENING: Final = {
    "inspect_cards": "dealer",
    "verify_inspection": "floor",
    "spread_cards": "dealer",
    "player_inspected": "dealer",
    "wash_cards": "dealer",
}
Answer = tuple[int, dict[str, Any]]


class Http:
    """One connection that is kept, and the sessions of those who act."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        self.sessions: dict[str, str] = {}

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Answer:
        sent = None if body is None else json.dumps(body).encode()
        self._connection.request(method, path, sent, {"Content-Type": "application/json"})
        answer = self._connection.getresponse()
        return answer.status, json.loads(answer.read())

    def open(self, path: str) -> http.client.HTTPResponse:
        """An answer that goes on."""
        self._connection.request("GET", path)
        return self._connection.getresponse()

    def state(self) -> dict[str, Any]:
        return self.ask("GET", "/api/state")[1]

    def sign_on(self, person: house.Person) -> None:
        who = {"actor": person.name, "credential": person.pin}
        status, body = self.ask("POST", "/api/session", who)
        assert status == 200, body
        self.sessions[person.role] = body["session"]

    def act(self, actor: str, role: str, action: str, **args: Any) -> Answer:
        who = {"actor": actor, "credential": self.sessions[role]}
        return self.ask("POST", "/api/act", {"action": action, **who, "args": args})

    def close(self) -> None:
        self._connection.close()


class Box:
    """A table that is open and ready for its first round."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self.broker = Mosquitto(folder)
        stack.callback(self.broker.stop)
        self.devices = Devices()
        stack.callback(self.devices.close)
        self._rack, urls = rack(folder / "hw", stack)
        urls |= {peer.unit.device.id: str(peer.wire.path) for peer in self.devices.peers}
        self.people = house.people()
        self.port = house.free_port()
        (folder / "data").mkdir()
        file = folder / "table.toml"
        broker = f"mqtt://127.0.0.1:{self.broker.port}"
        file.write_text(
            house.configuration(folder / "data", urls, self.people, broker, self.port, None)
        )
        self.log = folder / "daemon.log"
        with self.log.open("wb") as log:
            tablectl = str(Path(sys.executable).with_name("tablectl"))
            program = [tablectl, "run", "--config", str(file)]
            self.daemon = subprocess.Popen(program, stdout=log, stderr=log, env=environment())
        stack.callback(end, self.daemon)
        self.http = Http(self.port)
        stack.callback(self.http.close)
        self._prepare()

    def act(self, role: str, action: str, **args: Any) -> Answer:
        person = next(person for person in self.people if person.role == role)
        return self.http.act(person.name, role, action, **args)

    def must(self, role: str, action: str, **args: Any) -> None:
        status, body = self.act(role, action, **args)
        assert status == 200, f"{action}: {body}"

    # ── a round in which nobody plays ──
    def open_bets(self) -> None:
        self.must("dealer", "open_bets")
        self.devices.tend_until(lambda: not self.devices.bonus.locked, "wagering is unlocked")

    def clear(self) -> None:
        """After the lock: nobody wagered, the same deck serves again."""
        end_s = time.monotonic() + 10
        while self.act("dealer", "clear_round")[0] != 200:  # the lock's RESULT is under way
            assert time.monotonic() < end_s, self.http.state()
            self.devices.tend(0.001)

    # ── what it takes ──
    def memory_mib(self, what: str) -> float:
        """VmRSS, or VmHWM for the most that it ever was."""
        status = Path(f"/proc/{self.daemon.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith(f"{what}:"))
        return int(line.split()[1]) / 1024

    def cpu_s(self) -> float:
        """Processor seconds, all its threads."""
        stat = Path(f"/proc/{self.daemon.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")

    # ── opening the table ──
    def _prepare(self) -> None:
        self._wait_ready()
        for person in self.people:
            self.http.sign_on(person)
        for _ in range(TURNS):
            state = self.http.state()
            if "open_bets" in state["allowed"] and state["phase"] == "preparing":
                return
            self._next(state)
            self.devices.tend(TURN_S)
        raise AssertionError(f"the table does not open: {state}")

    def _wait_ready(self) -> None:
        end_s = time.monotonic() + READY_S
        while True:
            assert self.daemon.poll() is None, self.log.read_text()[-500:]
            assert time.monotonic() < end_s, "the daemon does not answer"
            with suppress(OSError):
                self.http.state()
                return
            self.http.close()
            self.devices.tend(0.1)

    def _next(self, state: dict[str, Any]) -> None:
        alarm = next((a["id"] for a in state["alarms"] if not a["acknowledged"]), None)
        opening = next((action for action in _OPENING if action in state["allowed"]), None)
        if alarm is not None:
            self.must("floor", "acknowledge_alarm", id=alarm)
        elif "confirm_clock" in state["allowed"]:
            self.must("floor", "confirm_clock")
        elif state["phase"] == "closed":
            self.must("floor", "open_table")
        elif opening is not None:
            args = {"viewed": True} if opening == "player_inspected" else {}
            self.must(_OPENING[opening], opening, **args)
        else:
            self._decks(state)

    def _decks(self, state: dict[str, Any]) -> None:
        here = {deck["id"]: deck["custody"] for deck in state["decks"]}
        if "load_shoe" in state["allowed"]:
            deck = next(name for name, custody in here.items() if custody == "shuffler")
            self._person(f"load {deck}")
            self.must("dealer", "load_shoe", deck=deck)
        elif len(here) < len(DECKS) and set(here.values()) <= {"shoe"}:
            deck = DECKS[len(here)]
            self._person(f"receive {deck}")
            self.must("dealer", "receive_decks", decks=[{"id": deck, "back": deck}])
        elif deck := next((name for name, custody in here.items() if custody == "rack"), ""):
            self._person(f"shuffle {deck}")
            self.devices.tend(10 * TURN_S)

    def _person(self, line: str) -> None:
        """Somebody's hands at the simulated devices."""
        assert self._rack.stdin is not None
        self._rack.stdin.write(f"{line}\n".encode())
        self._rack.stdin.flush()


def environment() -> dict[str, str]:
    """As systemd would start the daemon: with what the unit sets."""
    unit = (ROOT / "systemd/tablectl@.service").read_text()
    lines = [line for line in unit.splitlines() if line.startswith("Environment=")]
    words = " ".join(line.removeprefix("Environment=") for line in lines).split()
    return {**os.environ, **dict(word.split("=", 1) for word in words)}


def rack(folder: Path, stack: ExitStack) -> tuple[subprocess.Popen[bytes], dict[str, str]]:
    """Shuffler and shoe as a process of their own, and where they are reached."""
    words = ["--device", "shuffler", "--device", "shoe", "--dir", str(folder), "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "hwsim", "--speed", "max", "--seed", str(SEED), *words],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT,
    )  # fmt: skip
    stack.callback(end, process)
    assert process.stdout is not None
    return process, json.loads(process.stdout.readline())


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process of ours."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def box(folder: Path) -> Iterator[Box]:
    with ExitStack() as stack:
        yield Box(folder, stack)
