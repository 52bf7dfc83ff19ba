"""The box as the doctor sees it: clock, disk, secrets, the HTTP port, and what is plugged in."""

import os
import socket
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest

from tablectl.daemon.config import load
from tablectl.hal import places
from tablectl.technician import box
from tests.outbox.mosquitto import free_port
from tests.web.daemon import configuration


@pytest.fixture
def config(tmp_path):
    """A table's configuration; `more` is TOML."""

    def made(more="", *, simulated=False, data=True, mode=0o640, people=True):
        folder = tmp_path / "data"
        if data:
            folder.mkdir(mode=0o700, exist_ok=True)
        file = tmp_path / "table.toml"
        file.write_text(
            configuration(folder, free_port(), simulated=simulated, people=people, more=more)
        )
        file.chmod(mode)
        return load(str(file))

    return made


def said(findings):
    """What is not fine: (how, found, do)."""
    return [(one.how, one.found, one.do) for one in findings if one.how != "fine"]


# ── clock ──────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(("simulated", "how"), [(False, "wrong"), (True, "note")])
def test_a_clock_that_nobody_keeps(config, monkeypatch, simulated, how):
    monkeypatch.setattr(box, "synchronised", lambda: False)
    found = box.clock(config(simulated=simulated))
    assert found.how == how
    assert "start chrony or systemd-timesyncd" in found.do
    monkeypatch.setattr(box, "synchronised", lambda: True)
    assert box.clock(config(simulated=simulated)).how == "fine"


# ── disk and data folder ───────────────────────────────────────────────────
def test_a_disk_with_room_takes_the_journal(config, monkeypatch):
    monkeypatch.setattr(box, "_filesystem", lambda _place: "ext4")
    made = config()
    before = set(Path(made.table.data).iterdir())
    found = list(box.disk(made))
    assert [one.check for one in found] == ["disk", "data"]
    assert said(found) == []
    assert "durable in" in found[1].found
    assert set(Path(made.table.data).iterdir()) == before


def test_a_full_disk(config, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda _place: SimpleNamespace(free=1 << 20))
    [(how, what, do)] = said(box.disk(config()))
    assert (how, "0.0 GB free" in what, "free some space" in do) == ("wrong", True, True)


def test_a_disk_in_memory(config, monkeypatch):
    monkeypatch.setattr(box, "_filesystem", lambda _place: "tmpfs")
    assert "survives a loss of power" in said(box.disk(config()))[0][2]
    assert said(box.disk(config(simulated=True)))[0][0] == "note"


def test_the_file_system_of_a_place_is_looked_up():
    assert box._filesystem(Path("/proc/self")) == "proc"


def test_a_folder_that_is_not_there_yet(config, monkeypatch):
    monkeypatch.setattr(box, "_filesystem", lambda _place: "ext4")
    made = config(data=False)
    [(how, what, _do)] = said(box.disk(made))
    assert how == "note"
    assert "the daemon makes it when it first starts" in what
    assert not Path(made.table.data).exists()


def test_a_file_in_its_place(config, monkeypatch):
    monkeypatch.setattr(box, "_filesystem", lambda _place: "ext4")
    made = config(data=False)
    Path(made.table.data).touch()
    assert "is no folder" in said(box.disk(made))[0][1]


@pytest.mark.parametrize(
    ("error", "what", "do"),
    [
        (PermissionError(13, "Permission denied"), "may not write in", "as its owner"),
        (OSError(30, "Read-only file system"), "nothing can be written in", "see to the disk"),
    ],
)
def test_a_folder_that_takes_nothing(config, monkeypatch, error, what, do):
    def fails(_folder):
        raise error

    monkeypatch.setattr(box, "_durable_ms", fails)
    told = [each for each in said(box.disk(config())) if each[0] == "wrong" and what in each[1]]
    assert len(told) == 1
    assert do in told[0][2]


def test_a_slow_disk(config, monkeypatch):
    monkeypatch.setattr(box, "_filesystem", lambda _place: "ext4")
    monkeypatch.setattr(box, "_durable_ms", lambda _folder: 250.0)
    [(how, what, do)] = said(box.disk(config()))
    assert (how, "durable in 250.0 ms" in what) == ("note", True)
    assert "a slow disk holds up" in do


def test_others_must_not_look_into_the_journal(config, monkeypatch):
    monkeypatch.setattr(box, "_filesystem", lambda _place: "ext4")
    made = config()
    data = Path(made.table.data)
    (data / "journal.key").touch(0o644)
    (data / "journal.db").touch(0o600)
    data.chmod(0o755)
    told = said(box.disk(made))
    assert [do for _, _, do in told] == [f"chmod 700 {data}", f"chmod 600 {data}/journal.key"]
    for _, _, do in told:
        _, mode, path = do.split()
        Path(path).chmod(int(mode, 8))
    assert said(box.disk(made)) == []


# ── secrets ────────────────────────────────────────────────────────────────
def test_files_that_are_closed_are_fine(config, tmp_path):
    password = tmp_path / "password"
    password.write_text("x\n")
    password.chmod(0o640)
    broker = f'[mqtt]\nurl = "mqtt://127.0.0.1:1"\nusername = "u"\npassword_file = "{password}"\n'
    made = config(broker)
    assert said(box.files(made)) == []
    password.chmod(0o644)
    [(how, what, do)] = said(box.files(made))
    assert (how, what) == ("wrong", f"{password} can be read by everybody")
    assert do == f"chmod 640 {password}"
    password.chmod(0o600)
    password.write_text("")
    assert "is empty" in said(box.files(made))[0][1]
    password.unlink()
    assert "cannot be read: No such file" in said(box.files(made))[0][1]


@pytest.mark.parametrize(("simulated", "how"), [(False, "wrong"), (True, "note")])
def test_a_configuration_with_hashes_is_not_everybodys(config, simulated, how):
    made = config(mode=0o644, simulated=simulated)
    [(told, what, do)] = said(box.files(made))
    assert (told, do) == (how, f"chmod 640 {made.file}")
    assert "can be read by everybody" in what
    assert said(box.files(config(mode=0o644, people=False, simulated=True))) == []


def test_a_devices_key_must_be_of_use(config, tmp_path):
    key = tmp_path / "key"
    key.write_text("ff" * 32)
    key.chmod(0o644)
    made = config(f'[devices.lamp]\nkind = "button"\ndriver = "tablelink"\n'
                  f'url = "socket://127.0.0.1:9"\nkey_file = "{key}"\n')  # fmt: skip
    [(how, what, _)] = said(box.files(made))
    assert how == "wrong"
    assert what.startswith("devices.lamp.key_file: expected")
    assert "chmod 640" in what


# ── HTTP and the user ──────────────────────────────────────────────────────
def test_the_http_port_is_free_or_not(config):
    made = config()
    host, _, port = made.http.listen.rpartition(":")
    assert box.http_port(made).how == "fine"
    with socket.socket() as other:
        other.bind((host, int(port)))
        other.listen()
        found = box.http_port(made)
    assert found.how == "wrong"
    assert f"ss -ltnp sport = :{port}" in found.do


def test_who_looks_is_told(config):
    made = config()
    if os.geteuid() == 0:
        assert "root, who may open everything" in box.user(made).found
        os.chown(made.table.data, 65534, -1)
        found = box.user(made)
        assert (found.how, "belongs to nobody" in found.found) == ("note", True)
        assert "sudo -u nobody" in found.do
    else:
        assert box.user(made).how == "fine"


def test_ports_of_this_box_want_the_rules_of_udev(config, tmp_path, monkeypatch):
    monkeypatch.setattr(box, "_RULES_FOLDERS", (tmp_path,))
    assert list(box.udev(config())) == []  # its devices are on the network
    lamp = '[devices.lamp]\nkind = "button"\ndriver = "tablelink"\nurl = "/dev/ttyUSB0"\n'
    [found] = box.udev(config(lamp))
    assert (found.how, "lamp may be closed" in found.found) == ("note", True)
    (tmp_path / "70-tablectl.rules").touch()
    assert list(box.udev(config(lamp))) == []


# ── what is plugged in ─────────────────────────────────────────────────────
def test_the_best_name_of_a_port_comes_first(tmp_path, monkeypatch):
    port, twin = tmp_path / "ttyUSB0", tmp_path / "ttyUSB1"
    for each in (port, twin):
        each.touch()
    for name in (
        "tablectl/at-pci-0:1", "tablectl/ftdi-A5", "serial/by-id/usb-FTDI_A5", "serial/by-path/pci"
    ):  # fmt: skip
        link = tmp_path / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(port)
    assert [Path(name).name for name in places.lasting_names(str(port), tmp_path)] == [
        "ftdi-A5", "usb-FTDI_A5", "at-pci-0:1", "pci"
    ]  # fmt: skip
    ports = [
        SimpleNamespace(device=str(twin), description="n/a"),
        SimpleNamespace(device=str(port), description="FT232R\x1b[31m USB UART"),
    ]
    monkeypatch.setattr(places, "comports", lambda: ports)
    first, second = places.serial_ports(tmp_path)
    assert (first.name, first.what) == (f"{tmp_path}/tablectl/ftdi-A5", "FT232R[31m USB UART")
    assert (second.name, second.names, second.what) == (str(twin), (), "")


def plug(root, name, **files):
    place = root / name
    place.mkdir()
    for file, text in files.items():
        (place / file).write_text(f"{text}\n")


def test_usb_devices_get_the_url_that_finds_them(tmp_path):
    ids = {"idVendor": "1d34", "idProduct": "000d", "bDeviceClass": "00"}
    plug(tmp_path, "usb1", idVendor="1d6b", idProduct="0002", bDeviceClass="09")
    plug(tmp_path, "1-2", idVendor="05e3", idProduct="0608", bDeviceClass="09")
    plug(tmp_path, "1-2.1", **ids, product="Big Red Button")
    plug(tmp_path, "1-2.2", **ids)
    plug(tmp_path, "1-2.1:1.0", **ids)
    plug(tmp_path, "1-3", idVendor="0fc5", idProduct="b080", serial="D-1", manufacturer="Delcom")
    plug(tmp_path, "1-4", idVendor="0fc5", idProduct="b080", serial="odd one&")
    assert [(one.url, one.path, one.what) for one in places.usb_devices(tmp_path)] == [
        ("usb://1d34:000d?path=1-2.1", "1-2.1", "Big Red Button"),
        ("usb://1d34:000d?path=1-2.2", "1-2.2", ""),
        ("usb://0fc5:b080?serial=D-1", "1-3", "Delcom"),
        ("usb://0fc5:b080?path=1-4", "1-4", ""),
    ]
    assert places.usb_devices(tmp_path / "none") == []


def test_nothing_is_left_in_the_folder(config):
    made = config()
    data = Path(made.table.data)
    list(box.disk(made))
    assert list(data.iterdir()) == []
    assert stat.S_IMODE(data.stat().st_mode) == 0o700
