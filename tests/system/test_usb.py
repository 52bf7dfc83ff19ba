"""USB with nothing replaced on our side: pyusb and libusb as shipped, and a kernel by umockdev.

The contract suites run once more, in a process that umockdev shows the simulated devices of
hwsim/usb/testbed.py; then the same port is opened and closed until a leak would show.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.usb_peers import USB_PEERS
from tests.outbox.mosquitto import free_port

ROOT = Path(__file__).resolve().parents[2]
DEBIAN = "/usr/bin/python3"  # the one that has the bindings of umockdev
NEEDED = "umockdev, python3-gi and gir1.2-umockdev-1.0"


@pytest.fixture
def world(tmp_path):
    """The environment of a process that sees the testbed's devices, all pulled out."""
    wrapper = shutil.which("umockdev-wrapper")
    assert wrapper, f"these tests need the Debian packages {NEEDED}: make debian"
    hands = tmp_path / "hands"
    plugs = [
        f"{peer.model.__name__.lower()}:T-1:1-{number}"
        for number, peer in enumerate(USB_PEERS.values(), 1)
    ]
    command = [wrapper, DEBIAN, "-m", "hwsim.usb.testbed", str(hands), *plugs]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as testbed:
        assert testbed.stdin is not None
        assert testbed.stdout is not None
        try:
            folder = testbed.stdout.readline().strip()
            assert folder, f"the testbed did not start: are {NEEDED} there?"
            yield os.environ | {
                "USB_HANDS": str(hands),
                "UMOCKDEV_DIR": folder,
                "LD_PRELOAD": "libumockdev-preload.so.0",
            }
        finally:
            testbed.stdin.close()
            assert testbed.wait(10) == 0


def run(world, *command, seconds=110):
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=world, capture_output=True, text=True,
        timeout=seconds, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def contracts(world, peers, seconds):
    wanted = " or ".join(peers)
    suite = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/contract", "-k", wanted]
    said = run(world, *suite, seconds=seconds)
    passed = int(re.findall(r"(\d+) passed", said)[0])
    assert passed >= 8 * len(peers), said[-500:]


def test_the_drivers_keep_their_contracts_with_the_real_libusb(world):
    """One device of each way to speak: polled, typing, control transfers, an OUT endpoint."""
    contracts(world, ["usb-bigredbutton", "usb-scanner", "usb-delcom", "usb-patlite"], 115)


@pytest.mark.soak
def test_every_driver_keeps_its_contract_with_the_real_libusb(world):
    contracts(world, list(USB_PEERS), 600)


LEAKS = """
import asyncio, gc, os, sys, threading
from tablectl.hal.errors import LinkNotOpened
from tablectl.hal.usb_link import open_usb
from tests.contract.usb_peers import Testbed

hands = Testbed(os.environ["USB_HANDS"])

def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

async def once(number):
    link = await open_usb("usb://0fc5:b080")
    link.attach(lambda data: None, lambda what: None)
    if number % 3 == 0:
        hands.hand(PORT, "unplug")
        await asyncio.sleep(0.02)
        hands.hand(PORT, "plug_in")
    await link.close()
    try:
        await open_usb("usb://ffff:ffff")
    except LinkNotOpened as error:
        assert "is not there" in str(error)

async def main():
    for number in range(10):
        await once(number)
    files, memory = len(os.listdir("/proc/self/fd")), resident()
    for number in range(30):
        await once(number)
    assert len(os.listdir("/proc/self/fd")) == files, os.listdir("/proc/self/fd")
    await asyncio.sleep(0.1)  # the thread that closed it goes last
    assert threading.active_count() == 1, threading.enumerate()
    grown = resident() - memory
    print("grown", grown)
    assert grown < 1_000_000, grown

PORT = sys.argv[1]
asyncio.run(main())
"""


def test_a_port_that_is_opened_and_closed_leaves_nothing_behind(world):
    port = 1 + [peer.model.__name__ for peer in USB_PEERS.values()].index("Delcom")
    print(run(world, "-c", LEAKS, f"1-{port}"))


def test_the_doctor_lists_usb_devices_and_tries_those_that_are_configured(world, tmp_path):
    """By the real command: the url to use, whose it is, who answers, and how fast."""
    number = 1 + [peer.model.__name__ for peer in USB_PEERS.values()].index("BigRedButton")
    file = tmp_path / "table.toml"
    file.write_text(
        'config_version = 1\n[table]\nsite = "harbor"\nid = "midi-2"\n'
        f'data = "{tmp_path}/data"\ntracking = "cards"\nsimulated = true\n'
        '[rules]\ngame = "midi_baccarat"\n'
        '[devices.shoe]\nkind = "shoe"\ndriver = "angel_eye"\nurl = "socket://127.0.0.1:9"\n'
        '[devices.button]\nkind = "button"\ndriver = "hid_button"\nurl = "usb://1d34:000d"\n'
        f'[http]\nlisten = "127.0.0.1:{free_port()}"\n'
    )
    done = subprocess.run(
        [sys.executable, "-m", "tablectl.cli", "doctor", "--config", str(file), "--json"],
        cwd=ROOT, env=world, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, ""), done.stderr  # nobody listens for the shoe
    told = json.loads(done.stdout)
    [mine] = [one for one in told["usb"] if one["used_by"]]
    assert mine["url"] == "usb://1d34:000d?serial=T-1"
    assert (mine["path"], mine["used_by"]) == (f"1-{number}", "button")
    assert len(told["usb"]) == len(USB_PEERS)
    shoe, button = sorted(told["devices"], key=lambda one: one["state"], reverse=True)
    assert (shoe["device"], shoe["state"]) == ("shoe", "wrong")
    assert (button["device"], button["state"], button["found"]) == ("button", "fine", "it answers")
    assert button["identity"]["serial"] == "T-1"
    assert button["round_trip_ms"] > 0
