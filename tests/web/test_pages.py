"""/api/state, /healthz, /metrics: what everybody may read, and who is no "everybody"."""

import re
import sqlite3

import pytest

from tablectl.hal.kinds import Counters
from tests.web.daemon import Daemon, until

STATE = {
    "sequence", "time", "phase", "locked", "halted", "round", "seats", "dealer", "prompts",
    "allowed", "duties", "decks", "devices", "alarms", "meters", "wins", "unconfirmed", "last_hand",
}  # fmt: skip
PAGES = ["/api/state", "/api/events", "/healthz", "/metrics"]


def test_the_state_has_the_keys_that_dashboards_rely_on(daemon: Daemon) -> None:
    reply = daemon.ask("GET", "/api/state")
    assert (reply.status, reply.headers["content-type"]) == (200, "application/json")
    state = reply.body
    assert state.keys() == STATE
    assert state["phase"] == "closed"
    assert state["round"] is None
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z", state["time"])
    assert state["meters"] == {"main": 100_000}
    assert state["devices"].keys() == {"shuffler", "shoe", "bonus", "button"}
    assert all(device.keys() == {"kind", "health"} for device in state["devices"].values())
    assert all(
        prompt.keys() == {"text", "awaits", "role", "clauses"} for prompt in state["prompts"]
    )
    until(lambda: daemon.state()["alarms"], "the devices are missed")
    alarm = daemon.state()["alarms"][0]
    assert alarm.keys() == {"id", "kind", "severity", "what", "since", "acknowledged"}


def test_the_health_page_tells_of_the_journal(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    well = daemon.ask("GET", "/healthz")
    assert well.status == 200
    assert well.keys == {"journal", "halted", "sequence", "durable"}
    assert well.body["journal"] == "writes"

    def broken(*_: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr("tablectl.journal.store.commit", broken)
    assert daemon.act("flo", "log_on").status == 503
    ill = daemon.ask("GET", "/healthz")
    assert (ill.status, ill.body["halted"]) == (503, True)
    assert "disk I/O error" in ill.body["journal"]
    assert "tablectl_journal_failed 1" in daemon.ask("GET", "/metrics").text


# ── /metrics ───────────────────────────────────────────────────────────────

SAMPLE = re.compile(r'([a-z_:][a-z0-9_:]*)(\{[a-z_]+="[^"\\\n]*"\})? (-?\d+)')


def parse(text: str) -> dict[str, int]:
    """Prometheus' text format 0.0.4, strictly: each family once, with help and type before it."""
    assert text.endswith("\n")
    found: dict[str, int] = {}
    family, helped, families = "", "", set()
    for line in text.splitlines():
        if line.startswith("# HELP "):
            helped = line.split(" ")[2]
            assert len(line.split(" ", 3)[3]) > 3
        elif line.startswith("# TYPE "):
            _, _, family, kind = line.split(" ")
            assert family == helped
            assert family not in families
            assert kind in ("counter", "gauge")
            families.add(family)
        else:
            sample = SAMPLE.fullmatch(line)
            assert sample is not None, line
            assert sample[1] == family
            assert sample[1] + (sample[2] or "") not in found
            found[sample[1] + (sample[2] or "")] = int(sample[3])
    return found


def test_the_metrics_are_in_prometheus_format(daemon: Daemon) -> None:
    daemon.act("flo", "log_on")
    daemon.act("dana", "open_table")
    reply = daemon.ask("GET", "/metrics")
    assert reply.status == 200
    assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
    found = parse(reply.text)
    assert found["tablectl_actions_done_total"] == 1
    assert found["tablectl_actions_refused_total"] == 1
    assert found["tablectl_durable_sequence"] <= found["tablectl_sequence"]
    assert found['tablectl_meter_cents{meter="main"}'] == 100_000
    assert found['tablectl_phase{phase="closed"}'] == 1
    assert sum(n for name, n in found.items() if name.startswith("tablectl_phase{")) == 1
    assert found['tablectl_device_online{device="shoe"}'] == 0
    counted = {name for name in found if name.endswith('_total{device="shoe"}')}
    assert counted == {
        f'tablectl_device_{each}_total{{device="shoe"}}' for each in Counters().figures()
    }
    assert 'tablectl_device_jams_total{device="shoe"}' in counted


# ── who may ask ────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "", "127.0.0.1:{port}."],
)
def test_another_hosts_name_gets_nothing(steady: Daemon, host: str) -> None:
    """DNS rebinding: a page's name that leads here."""
    host = host.replace("{port}", str(steady.port))
    for page in PAGES:
        reply = steady.ask("GET", page, headers={"Host": host})
        assert (reply.status, reply.keys) == (403, {"error"})


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", "file://"])
def test_another_sites_page_gets_nothing(steady: Daemon, origin: str) -> None:
    last = steady.desk.state.sequence
    who = {"actor": "flo", "credential": "x", "action": "halt_table", "args": {"reason": "x"}}
    for method, page in [*(("GET", page) for page in PAGES), ("POST", "/api/act")]:
        sent = who if method == "POST" else None
        assert steady.ask(method, page, sent, {"Origin": origin}).status == 403
    assert not steady.front.refused + steady.front.done
    assert steady.desk.state.sequence >= last


def test_two_origins_are_as_foreign_as_one(steady: Daemon) -> None:
    with steady.socket() as wire:
        own = f"127.0.0.1:{steady.port}"
        lines = ["GET /api/state HTTP/1.1", f"Host: {own}", "Origin: http://evil.example"]
        lines += [f"Origin: http://{own}", "Connection: close", "", ""]
        wire.sendall("\r\n".join(lines).encode())
        assert wire.recv(4096).startswith(b"HTTP/1.1 403")


def test_its_own_pages_are_welcome_and_nobody_elses(steady: Daemon) -> None:
    for name in ("127.0.0.1", "localhost"):
        own = f"{name}:{steady.port}"
        reply = steady.ask("GET", "/api/state", headers={"Host": own, "Origin": f"http://{own}"})
        assert reply.status == 200
        assert not [header for header in reply.headers if header.startswith("access-control")]
    asked = {"Origin": f"http://127.0.0.1:{steady.port}", "Access-Control-Request-Method": "POST"}
    assert steady.ask("OPTIONS", "/api/act", headers=asked).status == 405


@pytest.mark.parametrize(
    "path",
    ["/", "/api", "/api/", "/api/state/", "/API/state", "/dealer", "/api/../metrics", "/%00"],
)
def test_an_unknown_path_is_not_found(steady: Daemon, path: str) -> None:
    reply = steady.ask("GET", path)
    assert (reply.status, reply.body) == (404, {"error": "not found"})


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/api/state", {"GET", "HEAD"}),
        ("DELETE", "/api/events", {"GET", "HEAD"}),
        ("GET", "/api/act", {"POST"}),
        ("PUT", "/api/act", {"POST"}),
        ("GET", "/api/session", {"POST", "DELETE"}),
        ("POST", "/healthz", {"GET", "HEAD"}),
        ("POST", "/metrics", {"GET", "HEAD"}),
    ],
)
def test_a_wrong_method_is_told_the_right_ones(
    steady: Daemon, method: str, path: str, allowed: set[str]
) -> None:
    reply = steady.ask(method, path)
    assert (reply.status, reply.body) == (405, {"error": "method not allowed"})
    assert set(reply.headers["allow"].split(", ")) == allowed


@pytest.mark.parametrize("path", PAGES)
def test_head_answers_and_ends(steady: Daemon, path: str) -> None:
    with steady.connected() as connection:
        connection.request("HEAD", path)
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (200, b"")
        connection.request("HEAD", path)  # on the same connection: the first one is over
        assert connection.getresponse().status == 200
