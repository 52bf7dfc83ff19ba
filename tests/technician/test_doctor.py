"""`tablectl doctor` as a whole: what it leaves alone while a daemon runs, and how it ends."""

import asyncio
import json
import os
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from hwsim.rack import Place, Rack
from tablectl.daemon.config import load
from tablectl.journal.errors import JournalInUse
from tablectl.journal.files import FolderLock, GuestLock
from tablectl.technician import box, trial
from tablectl.technician.doctor import broker_of, examine_table
from tablectl.technician.page import page
from tests.interface.judge import faults
from tests.interface.run import tablectl
from tests.outbox.mosquitto import Mosquitto, Watcher, free_port, kept
from tests.web.daemon import KINDS, Daemon, configuration, until


@pytest.fixture(autouse=True)
def well(monkeypatch):
    """A box that is in order, and watched only for a moment."""
    monkeypatch.setattr(trial, "WATCH_S", 0.2)
    monkeypatch.setattr(box, "synchronised", lambda: True)
    monkeypatch.setattr(box, "_filesystem", lambda _place: "ext4")


def quiet(_what):
    pass


@contextmanager
def simulators(folder, *more):
    """A rack of hwsim in a process of its own; the urls."""
    command = [sys.executable, "-m", "hwsim", "--json", "--dir", str(folder), *more]
    for name, kind in KINDS.items():
        command += ["--device", f"{kind}={name}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            urls = json.loads(process.stdout.readline())
            yield {name: f"pty:{url}" for name, url in urls.items()}
        finally:
            process.terminate()
            process.wait(10)


def written(folder, urls=None, **more):
    data = folder / "data"
    data.mkdir(mode=0o700, exist_ok=True)
    file = folder / "table.toml"
    file.write_text(configuration(data, free_port(), urls, **more))
    file.chmod(0o600)
    return file


# ── as a command ───────────────────────────────────────────────────────────
def test_a_table_that_is_well(tmp_path):
    with simulators(tmp_path) as urls:
        file = written(tmp_path, urls)
        told = tablectl("doctor", "--config", file, "--json")
        again = tablectl("doctor", "--config", file)
    assert (told.code, told.err) == (0, "")
    found = told.data
    assert faults("doctor", found) == []
    assert found["ok"] is True
    assert found["table"] == {"site": "harbor", "id": "tcp-12"}
    assert {one["device"]: one["state"] for one in found["devices"]} == dict.fromkeys(KINDS, "fine")
    shoe = next(one for one in found["devices"] if one["device"] == "shoe")
    assert shoe["identity"]["model"].startswith("hwsim")
    assert shoe["versions"]["CardRec"]
    assert shoe["counters"]["frames_bad"] == 0
    assert shoe["round_trip_ms"] > 0
    assert {one["check"] for one in found["checks"]} >= {
        "user", "clock", "disk", "data", "journal", "files", "http"
    }  # fmt: skip
    assert (again.code, again.err) == (0, "")
    assert again.out.splitlines()[-1] == "nothing is wrong"
    assert max(map(len, again.out.splitlines())) <= 80
    assert list((tmp_path / "data").iterdir()) == []


def test_what_is_wrong_is_told_with_what_to_do(tmp_path):
    file = written(tmp_path)  # nobody listens at its devices' ports
    told = tablectl("doctor", "--config", file)
    assert (told.code, told.err) == (1, "")
    flat = " ".join(told.out.split())
    assert flat.count("WRONG") == 4
    assert "nobody listens at socket://127.0.0.1:9: check the device" in flat
    assert told.out.splitlines()[-1] == "4 things to be mended"


def test_a_configuration_that_is_wrong(tmp_path):
    file = tmp_path / "bad.toml"
    file.write_text("config_version = 2\n")
    told = tablectl("doctor", "--config", file)
    assert (told.code, told.out) == (1, "")
    assert told.err.startswith(f"{file}: config_version")
    told = tablectl("doctor", "--config", file, "--json")
    assert (told.code, told.err) == (1, "")
    assert faults("doctor", told.data) == []
    assert told.data["errors"][0]["key"] == "config_version"


# ── while a daemon runs ────────────────────────────────────────────────────
def test_a_running_daemons_devices_are_left_to_it(tmp_path):
    rack = Rack([Place(kind, name) for name, kind in KINDS.items()], seed=1, port="tcp")
    with Daemon(tmp_path, rack=rack) as daemon:
        until(
            lambda: all(one["health"] == "online" for one in daemon.state()["devices"].values()),
            "the devices are online",
        )
        report = examine_table(load(str(tmp_path / "table.toml")), quiet)
        checks = {one.check: one for one in report.checks}
        assert checks["journal"].how == "fine"
        assert f"process {os.getpid()}" in checks["journal"].found
        assert "left to it" in checks["journal"].found
        assert checks["http"].found.startswith("the daemon answers on")
        assert [one.how for one in report.devices] == ["fine"] * 4
        assert all(one.found == "the daemon has it: online" for one in report.devices)
        assert all(one.counters["frames_good"] >= 2 for one in report.devices)
        assert report.exit_code == 0
        links = daemon.service.devices.supervisors.values()
        assert all(one.status.state == "online" for one in links)
        assert all(one.counters.reconnects == 0 for one in links)
        assert "journal" in page(report, 80, colour=False)


def test_a_daemon_whose_device_is_lost_says_so(tmp_path):
    with Daemon(tmp_path):
        until(lambda: True, "")
        report = examine_table(load(str(tmp_path / "table.toml")), quiet)
    assert {one.found for one in report.devices} <= {
        "the daemon has it: offline: the daemon tries it again and again",
        "the daemon has it: not heard yet",
    }
    assert report.exit_code == 1


def test_a_daemon_that_does_not_answer_leaves_the_devices_unknown(tmp_path):
    file = written(tmp_path)
    lock = FolderLock(tmp_path / "data")
    try:
        report = examine_table(load(str(file)), quiet)
    finally:
        lock.release()
    assert {one.how for one in report.devices} == {"unknown"}
    assert report.exit_code == 3
    text = page(report, 80, colour=False)
    assert "does not answer on" in " ".join(text.split())
    assert text.splitlines()[-1] == "nothing found wrong; 5 things could not be looked at"


def test_no_daemon_begins_while_its_devices_are_tried(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    guest = GuestLock(data)  # no daemon ever was here: nothing is locked, and nothing written
    assert list(data.iterdir()) == []
    guest.release()
    FolderLock(data).release()
    first, second = GuestLock(data), GuestLock(data)
    with pytest.raises(JournalInUse, match="in use by another program"):
        FolderLock(data)
    first.release()
    second.release()
    lock = FolderLock(data)
    with pytest.raises(JournalInUse, match="in use by process"):
        GuestLock(data)
    lock.release()


# ── the broker ─────────────────────────────────────────────────────────────
def broker(tmp_path, port, more=""):
    file = written(tmp_path, more=f'[mqtt]\nurl = "mqtt://127.0.0.1:{port}"\n{more}')
    return broker_of(load(str(file)))


def test_a_broker_that_lets_us_in(tmp_path):
    mosquitto = Mosquitto(tmp_path)
    try:
        found = broker(tmp_path, mosquitto.port)
    finally:
        mosquitto.stop()
    assert (found.how, "lets us in" in found.found) == ("fine", True)
    gone = broker(tmp_path, mosquitto.port)
    assert gone.how == "wrong"
    assert "cannot be reached" in gone.found
    assert "see to mqtt.url" in gone.do


def test_a_broker_that_wants_a_password(tmp_path):
    passwords = tmp_path / "passwords"
    subprocess.run(["mosquitto_passwd", "-b", "-c", passwords, "table", "right"], check=True)
    mosquitto = Mosquitto(
        tmp_path, "allow_anonymous false", f"password_file {passwords}", own_security=True
    )
    secret = tmp_path / "secret"
    login = f'username = "table"\npassword_file = "{secret}"\n'
    try:
        secret.write_text("wrong\n")
        refused = broker(tmp_path, mosquitto.port, login)
        secret.write_text("right\n")
        found = broker(tmp_path, mosquitto.port, login)
    finally:
        mosquitto.stop()
    assert refused.how == "wrong"
    assert "refuses us" in refused.found
    assert "mqtt.password_file" in refused.do
    assert (found.how, "as table" in found.found) == ("fine", True)


def test_a_broker_that_does_not_answer(tmp_path, monkeypatch):
    monkeypatch.setattr("tablectl.outbox.probe.ACCEPT_S", 0.2)
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        found = broker(tmp_path, server.getsockname()[1])
    assert found.how == "wrong"
    assert "does not answer" in found.found


def test_the_doctors_visit_throws_nobody_out_and_publishes_nothing(tmp_path):
    mosquitto = Mosquitto(tmp_path)
    try:
        watcher = Watcher(mosquitto.port)
        assert broker(tmp_path, mosquitto.port).how == "fine"
        asyncio.run(asyncio.sleep(0.2))
        assert watcher.heard() == []
        watcher.close()
        assert kept(mosquitto.port) == {}
    finally:
        mosquitto.stop()


def test_a_device_whose_key_cannot_be_used_is_not_tried(tmp_path):
    more = '[devices.lamp]\nkind = "button"\ndriver = "tablelink"\nurl = "socket://127.0.0.1:9"\n'
    file = written(tmp_path, more=more + f'key_file = "{tmp_path}/none"\n')
    report = examine_table(load(str(file)), quiet)
    lamp = next(one for one in report.devices if one.device == "lamp")
    assert lamp.found == "not tried: its key file cannot be used"
    assert any("devices.lamp.key_file" in one.found for one in report.checks)
    assert Path(report.file) == file
