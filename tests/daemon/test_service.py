"""`tablectl run` as a service manager runs it: a process, its signals, its exit codes."""

import asyncio
import contextlib
import http.client
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from hwsim.devices.device import Identity
from hwsim.rack import Place, Rack
from tablectl.daemon.config import load
from tablectl.daemon.service import Service
from tablectl.web.app import make_app
from tests.daemon.files import ROOT
from tests.pace import within
from tests.web.daemon import KINDS, PINS, configuration, free_port

TABLECTL = [sys.executable, "-m", "tablectl.cli"]
WITHIN_S = 20.0


class Box:
    """A folder with a table's file, and the daemons that were started in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.started: list[subprocess.Popen[str]] = []
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.manager.bind(str(folder / "notify"))
        self.manager.settimeout(WITHIN_S)

    def file(self, name: str = "table", text: str | None = None, **parts: Any) -> Path:
        """A configuration; `parts` are those of `configuration`."""
        written = self.folder / f"{name}.toml"
        data = self.folder / parts.pop("data", "data")
        written.write_text(text or configuration(data, parts.pop("port", self.port), **parts))
        written.chmod(0o600)
        return written

    def start(self, file: Path, **environment: str) -> subprocess.Popen[str]:
        """`tablectl run`."""
        told = {**os.environ, "NOTIFY_SOCKET": self.manager.getsockname(), **environment}
        command = [*TABLECTL, "run", "--config", str(file)]
        pipe = subprocess.PIPE
        daemon = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=told, cwd=ROOT)
        self.started.append(daemon)
        return daemon

    def ready(self, **environment: str) -> subprocess.Popen[str]:
        """A daemon that said READY."""
        daemon = self.start(self.file(), **environment)
        assert self.word() == "READY=1\nSTATUS=table tcp-12"
        return daemon

    def word(self, besides: str = "WATCHDOG=1") -> str:
        """The next word to the service manager, beats aside."""
        for _ in range(1000):
            if (word := self.manager.recv(4096).decode()) != besides:
                return word
        raise AssertionError("nothing but beats")

    def ask(self, method: str, path: str, sent: Any = None) -> tuple[int, Any]:
        """One request."""
        with contextlib.closing(self.connection()) as connection:
            body = json.dumps(sent) if sent is not None else None
            connection.request(method, path, body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())

    def connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=WITHIN_S)

    def close(self) -> None:
        for daemon in self.started:
            if daemon.poll() is None:
                daemon.kill()
            daemon.communicate()
        self.manager.close()


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    made = Box(tmp_path)
    yield made
    made.close()


def ended(daemon: subprocess.Popen[str]) -> tuple[int, list[str]]:
    """Exit code, and the lines on stderr; nothing is ever on stdout."""
    out, err = daemon.communicate(timeout=WITHIN_S)
    assert out == ""
    return daemon.returncode, err.splitlines()


def verified(data: Path) -> None:
    for command in ("verify", "replay"):
        asked = [*TABLECTL, command, "--json", str(data / "journal.db")]
        done = subprocess.run(asked, capture_output=True, text=True, cwd=ROOT, check=False)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["ok"] is True


# ── start, serve, stop ─────────────────────────────────────────────────────


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_time_with_a_journal_that_verifies(
    box: Box, number: signal.Signals
) -> None:
    daemon = box.ready()
    assert box.ask("GET", "/healthz")[0] == 200
    halt = {"action": "halt_table", "actor": "flo", "credential": PINS["flo"]}
    assert box.ask("POST", "/api/act", {**halt, "args": {"reason": "end of shift"}})[0] == 200
    # Whoever is still connected does not hold it up: a listener, and half a request.
    with contextlib.closing(box.connection()) as stream, socket.socket() as half:
        stream.request("GET", "/api/events")
        assert stream.getresponse().status == 200
        half.connect(("127.0.0.1", box.port))
        half.sendall(b"POST /api/act HTTP/1.1\r\nContent-Length: 9\r\n")
        begun = time.monotonic()
        daemon.send_signal(number)
        assert box.word() == "STOPPING=1"
        code, lines = ended(daemon)
        assert time.monotonic() - begun < within(5)
    assert code == 0
    assert [json.loads(line)["event"] for line in lines] == ["started", "stopped"]
    verified(box.folder / "data")
    assert (box.folder / "data" / "journal.db").stat().st_mode & 0o777 == 0o600


def test_what_was_answered_is_there_after_a_restart(box: Box) -> None:
    first = box.ready()
    _, state = box.ask("GET", "/api/state")
    halt = {"action": "halt_table", "actor": "flo", "credential": PINS["flo"]}
    _, done = box.ask("POST", "/api/act", {**halt, "args": {"reason": "stays"}})
    first.kill()
    first.wait(WITHIN_S)
    box.ready()
    _, after = box.ask("GET", "/api/state")
    assert after["halted"]
    assert after["sequence"] > done["events"][-1]["sequence"] > state["sequence"]


def test_the_watchdog_hears_that_it_lives(box: Box) -> None:
    box.ready(WATCHDOG_USEC="200000")
    begun = time.monotonic()
    assert [box.word(besides="") for _ in range(4)] == ["WATCHDOG=1"] * 4
    assert 0.2 < time.monotonic() - begun < within(5)


def test_without_a_service_manager_it_runs_as_well(box: Box) -> None:
    daemon = box.start(box.file(), NOTIFY_SOCKET="")
    wait_for(lambda: box.ask("GET", "/healthz")[0] == 200)
    daemon.terminate()
    assert ended(daemon)[0] == 0


def test_logs_that_nobody_reads_do_not_end_it(box: Box) -> None:
    daemon = box.ready()
    assert daemon.stderr is not None
    daemon.stderr.close()
    daemon.stderr = None
    assert box.ask("GET", "/healthz")[0] == 200
    daemon.terminate()
    assert daemon.wait(WITHIN_S) == 0
    verified(box.folder / "data")


def test_it_answers_under_the_names_that_it_is_told(box: Box) -> None:
    text = box.file().read_text()
    hosts = 'hosts = ["table-12.pit", "10.1.2.3:443"]'
    box.start(box.file("named", text.replace("[http]", f"[http]\n{hosts}")))
    assert box.word().startswith("READY=1")
    for name, status in {
        f"127.0.0.1:{box.port}": 200,
        f"table-12.pit:{box.port}": 200,
        f"Table-12.PIT:{box.port}": 200,
        "table-12.pit": 200,
        "10.1.2.3:443": 200,
        "10.1.2.3": 403,
        "table-13.pit": 403,
        "x.table-12.pit": 403,
        "table-12.pit.evil.example": 403,
    }.items():
        for origin in ({}, {"Origin": f"http://{name}"}):
            with contextlib.closing(box.connection()) as connection:
                connection.request("GET", "/api/state", headers={"Host": name, **origin})
                assert connection.getresponse().status == status, (name, origin)


# ── what it cannot do ──────────────────────────────────────────────────────


def test_a_second_daemon_for_the_same_table_is_refused(box: Box) -> None:
    first = box.ready()
    code, lines = ended(box.start(box.file("second", port=free_port())))
    assert (code, len(lines)) == (3, 1)
    assert f"is in use by process {first.pid}" in lines[0]
    assert box.ask("GET", "/healthz")[0] == 200


def test_a_port_in_use_is_told_with_its_number(box: Box) -> None:
    box.ready()
    code, lines = ended(box.start(box.file("other", data="other-data")))
    assert code == 3
    sentence = f"tablectl: cannot listen on 127.0.0.1:{box.port}: is something else there?"
    assert [line for line in lines if not line.startswith("{")] == [sentence]  # the rest is log
    assert lines[-1] == sentence
    assert box.ask("GET", "/healthz")[0] == 200


def test_a_start_that_fails_lets_go_of_the_journal(box: Box) -> None:
    async def twice() -> None:
        config = load(str(box.file()))
        first, second = Service(config, make_app), Service(config, make_app)
        try:
            with socket.socket() as busy:
                busy.bind(("127.0.0.1", box.port))
                busy.listen()
                with pytest.raises(OSError, match="cannot listen"):
                    await first.start()
            await second.start()
        finally:
            for service in (first, second):
                if service.desk is not None:
                    await service.finish()

    asyncio.run(twice())


def test_a_folder_that_cannot_be_written_is_exit_3(box: Box) -> None:
    (box.folder / "a-file").write_text("")
    code, lines = ended(box.start(box.file(data="a-file/data")))
    assert (code, len(lines)) == (3, 1)
    assert str(box.folder / "a-file") in lines[0]


def test_a_bad_configuration_tells_every_fault(box: Box) -> None:
    text = box.file().read_text().replace('ante_bonus = "A"', 'ante_bonus = "Z"')
    file = box.file("bad", text.replace("config_version = 1", "config_version = 1\nodd = 1"))
    file.write_text(file.read_text().replace('listen = "127.', 'listen = "10.'))
    code, lines = ended(box.start(file))
    assert code == 1
    assert all(line.startswith(f"{file}: ") for line in lines)
    told = "\n".join(lines)
    assert all(key in told for key in ("odd", "rules.ante_bonus", "http.listen"))
    assert not (box.folder / "data").exists()


def test_an_unforeseen_error_is_exit_3_and_no_secret_is_shown(box: Box) -> None:
    """Under a service manager that means: try again. A bad configuration is 1: do not."""
    script = (
        "import sys; from tablectl.daemon.running import run_table\n"
        "def make_app(*_): secret = 'hunter2'; raise KeyError('a bug')\n"
        "sys.exit(run_table(sys.argv[1], make_app))"
    )
    words = [sys.executable, "-c", script, str(box.file())]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1].startswith("tablectl: the daemon made a mistake (KeyError)")
    logged = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    assert "daemon_failed" in [line["event"] for line in logged]
    assert "hunter2" not in done.stderr.replace("secret = 'hunter2'", "")
    verified(box.folder / "data")


def test_a_log_on_a_terminal_shows_no_variables(box: Box) -> None:
    """A face-down card or a PIN may lie in a variable of whatever fails."""
    script = (
        "import structlog; from tablectl.daemon import logs; logs.configure()\n"
        "def read(cards):\n  raise ValueError('a bug')\n"
        "try: read(chr(65) + chr(83))\n"
        "except ValueError as error: structlog.get_logger().error('failed', exc_info=error)"
    )
    words = ["script", "-qec", shlex.join([sys.executable, "-c", script]), "/dev/null"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False)
    assert "a bug" in done.stdout
    assert "\x1b[" in done.stdout, "it is a terminal"
    assert "AS" not in done.stdout


# ── files that the configuration names ─────────────────────────────────────
def keyed(box: Box, path: Path) -> Path:
    text = box.file().read_text()
    return box.file("keyed", text.replace("[devices.shoe]", f'[devices.shoe]\nkey_file = "{path}"'))


@pytest.mark.parametrize(
    ("content", "mode", "why"),
    [
        (None, 0, "it cannot be read: No such file or directory"),
        ("ab" * 31, 0o600, "a file with 64 hex digits"),
        ("hunter2 " * 8, 0o600, "a file with 64 hex digits"),
        ("ab" * 32, 0o644, "chmod 640"),
    ],
)
def test_a_key_file_that_cannot_be_used_is_a_bad_configuration(
    box: Box, content: str | None, mode: int, why: str
) -> None:
    path = box.folder / "shoe.key"
    if content is not None:
        path.write_text(content)
        path.chmod(mode)
    code, lines = ended(box.start(keyed(box, path)))
    assert (code, len(lines)) == (1, 1)
    assert "devices.shoe.key_file: expected " in lines[0]
    assert why in lines[0]
    assert "hunter2" not in lines[0]


def test_a_device_with_the_key_is_online_and_one_without_is_refused(box: Box) -> None:
    key = bytes(range(32))
    path = box.folder / "shoe.key"
    path.write_text(key.hex() + "\n")
    path.chmod(0o640)
    for given, wanted in ((key, "online"), (None, "offline"), (bytes(32), "offline")):
        with simulators(model=None, key=given) as urls:
            text = box.file(urls=urls, simulated=True).read_text()
            for name in KINDS:
                section = f"[devices.{name}]"
                text = text.replace(section, f'{section}\nkey_file = "{path}"')
            daemon = box.start(box.file("keyed", text))
            assert box.word().startswith("READY=1")
            wait_for(lambda wanted=wanted: health(box) == {wanted})  # type: ignore[misc]
            if wanted == "offline":
                _, state = box.ask("GET", "/api/state")
                assert any("prove who it is" in alarm["what"] for alarm in state["alarms"])
            daemon.terminate()
            assert ended(daemon)[0] == 0
            assert box.word() == "STOPPING=1"


def test_a_certificate_that_does_not_load_is_a_bad_configuration(box: Box) -> None:
    text = box.file().read_text()
    none = box.folder / "none.pem"
    tls = f'listen = "127.0.0.1:{box.port}"\ncert_file = "{none}"\nkey_file = "{none}"'
    text = text.replace(f'listen = "127.0.0.1:{box.port}"', tls)
    code, lines = ended(box.start(box.file("tls", text)))
    assert (code, len(lines)) == (1, 1)
    assert "http.cert_file: expected a certificate" in lines[0]
    assert "No such file" in lines[0]


def test_a_missing_file_is_exit_1_and_a_missing_option_exit_2(box: Box) -> None:
    code, lines = ended(box.start(box.folder / "none.toml"))
    assert (code, len(lines)) == (1, 1)
    wrong = subprocess.run([*TABLECTL, "run"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert len(wrong.stderr.splitlines()) == 1


# ── simulators ─────────────────────────────────────────────────────────────


@contextlib.contextmanager
def simulators(model: str | None, key: bytes | None = None) -> Iterator[Mapping[str, str]]:
    """Simulated devices on TCP, on a loop of their own; their URLs."""
    options = {"identity": Identity("S-1", model)} if model else {}
    places = [Place(kind, name, key, options) for name, kind in KINDS.items()]
    rack = Rack(places, speed=None, port="tcp")
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield asyncio.run_coroutine_threadsafe(rack.start(), loop).result(WITHIN_S)
    finally:
        asyncio.run_coroutine_threadsafe(rack.stop(), loop).result(WITHIN_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(WITHIN_S)
        loop.close()


def health(box: Box) -> set[str]:
    _, state = box.ask("GET", "/api/state")
    return {device["health"] for device in state["devices"].values()}


def test_a_simulated_table_welcomes_simulators(box: Box) -> None:
    with simulators(model=None) as urls:
        daemon = box.start(box.file(urls=urls, simulated=True))
        assert box.word().startswith("READY=1")
        wait_for(lambda: health(box) == {"online"})
        daemon.terminate()
        assert ended(daemon)[0] == 0
    verified(box.folder / "data")


@pytest.mark.parametrize("model", ["hwsim shoe", None])
def test_a_simulator_is_refused_where_money_is_real(box: Box, model: str | None) -> None:
    with simulators(model) as urls:
        daemon = box.start(box.file(urls=urls, simulated=False))
        assert box.word().startswith("READY=1")
        wait_for(lambda: health(box) in ({"offline"}, {"online"}))
        assert health(box) == {"offline"}
        _, state = box.ask("GET", "/api/state")
        told = [alarm["what"] for alarm in state["alarms"] if "is a simulator" in alarm["what"]]
        assert len(told) == len(KINDS)
        time.sleep(0.5)  # and it does not come back
        assert health(box) == {"offline"}
        daemon.terminate()
        assert ended(daemon)[0] == 0
    verified(box.folder / "data")


def test_a_shoe_that_waits_for_leave_is_refused_where_the_table_only_listens(box: Box) -> None:
    """It would hold its cards for ever, and the dealer could not play."""
    with simulators(model=None) as urls:
        file = box.file(urls=urls, simulated=True)
        file.write_text(file.read_text().replace("simulated =", 'tracking = "cards"\nsimulated ='))
        daemon = box.start(file)
        assert box.word().startswith("READY=1")
        wait_for(lambda: health(box) == {"online", "offline"})
        _, state = box.ask("GET", "/api/state")
        assert state["devices"]["shoe"]["health"] == "offline"
        [told] = [alarm["what"] for alarm in state["alarms"] if alarm["kind"] == "device_refused"]
        assert "set it to deal by itself" in told
        daemon.terminate()
        assert ended(daemon)[0] == 0
    verified(box.folder / "data")


def wait_for(true: Callable[[], bool]) -> None:
    """Wait until it is true; a daemon that does not answer yet is asked again."""
    end = time.monotonic() + WITHIN_S
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            if true():
                return
        time.sleep(0.02)
    raise AssertionError("it never came true")
