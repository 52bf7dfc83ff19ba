"""A device tried by the doctor: what it finds, in one sentence; and that it changes nothing.

Peers and simulators are those of the contract suites, over real ports.
"""

import asyncio
import os
import re
from dataclasses import replace

import pytest

from hwsim.io_board.board import LOCK
from hwsim.usb.backend import Bus
from hwsim.usb.buttons import BigRedButton
from tablectl.hal.kinds import DevicePlan
from tablectl.hal.usb_link import open_usb
from tablectl.technician import trial
from tablectl.technician.advice import advice, permission
from tablectl.technician.trial import examine
from tests.contract.boards import NumatoPty
from tests.contract.peers import PtyPeer, TcpPeer
from tests.contract.readers import AngelEyePty, AngelEyeTcp, BeeTekPty
from tests.contract.simulated import SimulatedPeer

PLAN = DevicePlan("it", "shoe", "tablelink", "")


@pytest.fixture(autouse=True)
def brisk(monkeypatch):
    monkeypatch.setattr(trial, "WATCH_S", 0.3)
    monkeypatch.setattr(trial, "LISTEN_S", 0.3)


def tried(peer, *, before=None, meanwhile=None, after=None, simulated=False, try_s=8.0, **plan):
    """What the doctor says of a peer."""

    async def scenario():
        await peer.start()
        if before is not None:
            await before()
        plan.setdefault("options", getattr(peer, "options", {}))
        full = replace(PLAN, driver=peer.driver, url=peer.url, **plan)
        work = asyncio.create_task(meanwhile()) if meanwhile is not None else None
        try:
            found = await examine(full, simulated, try_s=try_s)
            if after is not None:
                await after()
        finally:
            if work is not None:
                work.cancel()
            await peer.stop()
        return found

    return asyncio.run(scenario())


# ── what it finds ──────────────────────────────────────────────────────────
@pytest.mark.parametrize("kind", ["shuffler", "shoe", "progressive", "button"])
@pytest.mark.parametrize("peer", [PtyPeer, TcpPeer])
def test_a_device_that_works_says_who_it_is(kind, peer, tmp_path):
    found = tried(peer(kind, tmp_path), kind=kind, identity={"serial": "T-1"},
                  minimum_versions={"Main": "2.0"})  # fmt: skip
    assert (found.how, found.found, found.do) == ("fine", "it answers", "")
    assert found.identity["serial"] == "T-1"
    assert found.versions == {"Main": "2.1"}
    assert (found.pinned, found.minimum_versions) == ({"serial": "T-1"}, {"Main": "2.0"})
    assert found.counters["frames_good"] >= 2
    assert found.round_trip_ms is not None
    assert 0 < found.round_trip_ms < 1000


def test_one_that_is_not_pinned_could_be_another(tmp_path):
    found = tried(PtyPeer("shoe", tmp_path))
    assert found.how == "note"
    assert found.do == 'pin it: identity = { serial = "T-1" }'
    assert tried(PtyPeer("shoe", tmp_path), simulated=True).how == "fine"


@pytest.mark.parametrize(
    ("plan", "what", "do"),
    [
        ({"identity": {"serial": "X-9"}}, "should have serial X-9, but T-1 answers", "connect the"),
        (
            {"minimum_versions": {"Main": "9"}},
            "has Main 2.1, and at least 9 is required",
            "have it",
        ),
        ({"minimum_versions": {"CardRec": "4"}}, "tells no version of CardRec", "minimum_versions"),
        ({"versions": {"Main": "2.2"}}, "it has Main 2.1, and 2.2 is pinned", "have it updated"),
        ({"identity": {"path": "1-9"}}, "should be in the USB plug 1-9", "put it back there"),
        ({"kind": "shuffler"}, "should be a shuffler, but a shoe answers", "check the cables"),
        ({"key": bytes(32)}, "it cannot prove who it is", "check the key"),
    ],
)
def test_the_wrong_device_is_told_with_what_to_do(plan, what, do, tmp_path):
    found = tried(PtyPeer("shoe", tmp_path), **plan)
    assert found.how == "wrong"
    assert what in found.found
    assert do in f"{found.found} {found.do}"


def test_a_jam_that_stands_is_wrong(tmp_path):
    peer = PtyPeer("shoe", tmp_path)
    peer.jam()
    found = tried(peer)
    assert (found.how, found.found) == ("wrong", "it answers, and reports: jam")
    assert found.counters["jams"] == 1


def test_a_simulator_at_a_real_table_is_wrong(tmp_path):
    found = tried(SimulatedPeer("button", tmp_path), kind="button")
    assert found.how == "wrong"
    assert "is a simulator" in found.found
    assert tried(SimulatedPeer("button", tmp_path), kind="button", simulated=True).how == "fine"


def test_one_that_says_nothing_is_told_within_the_time(tmp_path):
    peer = PtyPeer("shoe", tmp_path)
    peer.deaf = True
    found = tried(peer, try_s=0.3)
    assert (found.how, found.found) == ("wrong", "it was not ready in time")
    assert "switch the device off and on" in found.do


@pytest.mark.parametrize(
    ("url", "what", "do"),
    [
        ("/dev/nothing-here", "is not there", "check the cable"),
        ("socket://127.0.0.1:1", "nobody listens", "port server"),
        ("rfc2217://127.0.0.1:1", "nobody listens", "port server"),
        ("usb://1d34:000d", "is not there", "check the cable"),
    ],
)
def test_a_port_that_does_not_open(url, what, do):
    kind, driver = ("button", "hid_button") if url.startswith("usb") else ("shoe", "tablelink")
    found = asyncio.run(examine(replace(PLAN, url=url, kind=kind, driver=driver), simulated=False))
    assert found.how == "wrong"
    assert what in found.found
    assert do in found.found + found.do


def test_a_port_that_somebody_else_has_is_left_to_them(tmp_path):
    async def scenario():
        peer = PtyPeer("shoe", tmp_path)
        await peer.start()
        plan = replace(PLAN, url=peer.url)
        both = await asyncio.gather(examine(plan, simulated=True), examine(plan, simulated=True))
        await peer.stop()
        return {each.how: each for each in both}

    found = asyncio.run(scenario())
    assert set(found) == {"fine", "wrong"}
    assert "in use by another program: stop that one first" in found["wrong"].found


# ── devices that only tell ─────────────────────────────────────────────────
def test_a_shoe_that_only_tells_is_listened_to(tmp_path):
    peer = AngelEyePty(tmp_path)

    async def deal():
        while True:
            await asyncio.sleep(0.02)
            peer.tell("standby")

    found = tried(peer, meanwhile=deal, read_only=True, options={})
    assert found.how == "fine"
    assert re.fullmatch(r"the port opens, and \d+ frames came", found.found)
    assert found.round_trip_ms is None
    assert peer.bytes_heard == b""


def test_a_silent_one_may_be_no_shoe_at_all(tmp_path):
    found = tried(AngelEyeTcp(tmp_path), read_only=True)
    assert found.how == "note", found
    assert "told nothing meanwhile" in found.found
    assert "tablectl listen it" in found.do


def test_a_line_at_the_wrong_speed_is_told(tmp_path):
    peer = BeeTekPty(tmp_path)

    async def babble():
        while True:
            await asyncio.sleep(0.02)
            peer.babble(b"\x80\xfe\x00\r\n")

    found = tried(peer, meanwhile=babble, read_only=True)
    assert found.how == "wrong"
    assert "no frame of it is whole" in found.found
    assert "options.baud" in found.do


# ── that it changes nothing ────────────────────────────────────────────────
@pytest.mark.parametrize("kind", ["shoe", "progressive"])
def test_no_command_reaches_a_device_and_it_is_left_restricted(kind, tmp_path):
    peer = PtyPeer(kind, tmp_path)

    async def gone():
        await asyncio.sleep(0.05)
        assert peer.device.running is None  # good-bye was said

    tried(peer, after=gone, kind=kind)
    assert peer.ran == peer.restricted == peer.device.outcomes == []
    assert peer.locked is (kind == "progressive")
    assert peer.held is (kind == "shoe")


@pytest.mark.parametrize("kind", ["shoe", "progressive", "shuffler"])
def test_a_device_that_is_read_only_hears_no_byte(kind, tmp_path):
    peer = TcpPeer(kind, tmp_path)
    heard: list[bytes] = []
    peer.heard = heard.append  # type: ignore[method-assign]
    found = tried(peer, kind=kind, read_only=True)
    assert heard == []
    assert found.how == "note"
    assert "it is read only, so nothing was asked" in found.found


@pytest.mark.parametrize("peer", [AngelEyePty, BeeTekPty])
def test_neither_does_somebody_elses_shoe(peer, tmp_path):
    made = peer(tmp_path)
    options = {"ask_progress": True} if peer is AngelEyePty else {}
    made.options = options
    tried(made, read_only=True)
    assert made.bytes_heard == b""


def test_what_a_device_keeps_for_the_daemon_stays_with_it(tmp_path):
    peer = PtyPeer("shuffler", tmp_path)
    peer.shuffle(52)
    found = tried(peer, kind="shuffler")
    assert found.found == "it answers; another one in its place would be taken too"
    assert len(peer.device.kept) == 2


def test_a_board_is_locked_and_dark_and_nothing_else_is_set(tmp_path):
    peer = NumatoPty("progressive", tmp_path)
    found = tried(peer, kind="progressive", identity={"serial": peer.serial})
    assert (found.how, found.versions.keys()) == ("fine", {"Firmware"})
    assert found.round_trip_ms is not None
    assert peer.locked
    assert not any(level for _pin, level in peer.board.writes)
    assert any(pin == LOCK for pin, _level in peer.board.writes)


def test_a_usb_button_answers_and_is_given_back():
    button = BigRedButton("B-7")
    bus = Bus(button)

    async def scenario():
        async def opened(url, _line):
            return await open_usb(url, bus)

        plan = replace(PLAN, kind="button", driver="hid_button", url="usb://1d34:000d")
        # A driver without commands is read only by itself, and still asks a USB device who it is.
        pinned = {"serial": "B-7", "path": "1-1"}
        plan = replace(plan, read_only=True, identity=pinned, options={"usage": 0})
        return await examine(plan, simulated=True, open_it=opened)

    found = asyncio.run(scenario())
    assert (found.how, found.identity["serial"]) == ("fine", "B-7")
    assert found.identity["path"] == "1-1"
    assert found.round_trip_ms is not None
    assert not bus.handles


def test_who_may_open_a_port_is_told(tmp_path):
    port = tmp_path / "port"
    port.touch()
    port.chmod(0o600)
    assert "70-tablectl.rules" in permission(str(port))
    assert "70-tablectl.rules" in permission("/dev/nothing-here")
    port.chmod(0o660)
    if os.geteuid() == 0:
        os.chown(port, 0, 20)  # dialout on every Debian
        assert "member of the group dialout" in advice("/dev/x may not be opened: …", str(port))
