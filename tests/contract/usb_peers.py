"""USB devices for the contract suites: hwsim's, on a bus in memory or behind a real libusb.

`USB_HANDS` in the environment names the socket of a testbed (hwsim/usb/testbed.py): then the same
peers are worked there, and pyusb and libusb are the unchanged ones. tests/system does so.
"""

import asyncio
import json
import os
import socket
from typing import Any, ClassVar

from hwsim.usb.backend import Bus
from hwsim.usb.buttons import BigRedButton, KeyButton
from hwsim.usb.lights import Blink1, Delcom, Luxafor, Patlite
from hwsim.usb.scanner import Scanner
from tablectl.hal.usb_link import open_usb

HANDS = os.environ.get("USB_HANDS")
CODES = {"0417": "AC", "A-9": "TD", "k7": "KS", "CUT": "cover_card"}
AWAY_S = 0.05
FINGER_S = 0.08


class Testbed:
    """The hands of a testbed in another process."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.file = self.socket.makefile("rw")

    def hand(self, port, what, *args):
        words = [f"hex:{arg.hex()}" if isinstance(arg, bytes) else arg for arg in args]
        self.file.write(json.dumps([port, what, *words]) + "\n")
        self.file.flush()
        return json.loads(self.file.readline())[0]

    def close(self):
        self.file.close()
        self.socket.close()


class MemoryBed:
    """The same hands on a bus in this process."""

    def __init__(self, model, serial, port):
        self.device = model(serial, port)
        self.bus = Bus(self.device)

    def hand(self, _port, what, *args):
        it = getattr(self.device, what)
        if callable(it):
            return it(*args)
        if args:
            setattr(self.device, what, args[0])
        return it

    async def open_link(self, url, _line):
        return await open_usb(url, self.bus)

    def close(self):
        assert not self.bus.handles, "a device was left open"


class UsbPeer:
    """One device with hands."""

    model: ClassVar[Any]
    driver: ClassVar[str]
    kinds: ClassVar[frozenset[str]]
    options: ClassVar[dict[str, Any]] = {}
    remembers = stacks = False
    serial = "T-1"

    def __init__(self, kind, _place):
        self.kind = kind
        self.port = f"1-{1 + MODELS.index(self.model)}"
        self.url = f"usb://{self.model.vendor:04x}:{self.model.product_id:04x}?path={self.port}"
        if HANDS:
            self.bed: Any = Testbed(HANDS)
        else:
            self.bed = MemoryBed(self.model, self.serial, self.port)
            self.open_link = self.bed.open_link
        self.finger: asyncio.Task | None = None

    def hand(self, what, *args):
        return self.bed.hand(self.port, what, *args)

    async def start(self):
        self.hand("silent", False)
        if not self.hand("plugged"):
            self.hand("plug_in")

    async def stop(self):
        if self.finger is not None:
            await self.finger
        assert self.hand("kernel_driver") is True, "it was not given back to the kernel"
        assert self.hand("claimed") is None
        self.hand("unplug")
        self.bed.close()

    # hands
    def press(self):
        self.finger = asyncio.create_task(self.press_after(self.finger))

    async def press_after(self, before):
        if before is not None:
            await before
        self.hand("press")
        await asyncio.sleep(FINGER_S)
        self.hand("release")
        await asyncio.sleep(FINGER_S)

    def scan(self, code):
        self.hand("scan", code)

    @property
    def lit(self):
        return set(self.hand("lit"))

    @property
    def seen(self):
        return [set(lamps) for lamps in self.hand("seen")]

    # trouble
    def silence(self, on):
        self.hand("silent", on)

    def babble(self, data):
        self.hand("tell", data[:3])  # the only damage that such a protocol can tell: its length

    def reboot(self):
        self.hand("unplug")
        asyncio.get_running_loop().call_later(AWAY_S, self.hand, "plug_in")

    async def drop(self):
        self.hand("unplug")
        await asyncio.sleep(AWAY_S)
        self.hand("plug_in")


class PolledPeer(UsbPeer):
    model, driver, kinds = BigRedButton, "hid_button", frozenset({"button"})

    async def press_after(self, before):
        """A hand is slower than any poll, also on a busy machine."""
        if before is not None:
            await before
        for what in ("press", "release"):
            self.hand(what)
            seen = self.hand("asked")
            for _ in range(200):
                await asyncio.sleep(FINGER_S / 2)
                if self.hand("asked") >= seen + 3:
                    break


class KeyPeer(UsbPeer):
    model, driver, kinds = KeyButton, "hid_button", frozenset({"button"})
    options: ClassVar[dict[str, Any]] = {"usage": 0x28}


class ScannerPeer(UsbPeer):
    model, driver, kinds = Scanner, "barcode_reader", frozenset({"shoe"})
    options: ClassVar[dict[str, Any]] = {"codes": CODES}


class LightPeer(UsbPeer):
    driver, kinds = "signal_light", frozenset({"indicator"})
    flashes = True  # the host keeps the rhythm


class DelcomPeer(LightPeer):
    model = Delcom


class PatlitePeer(LightPeer):
    model = Patlite


class LuxaforPeer(LightPeer):
    model = Luxafor


class Blink1Peer(LightPeer):
    model = Blink1


USB_PEERS = {
    f"usb-{peer.model.__name__.lower()}": peer
    for peer in (
        PolledPeer, KeyPeer, ScannerPeer, DelcomPeer, PatlitePeer, LuxaforPeer, Blink1Peer,
    )
}  # fmt: skip
MODELS = [peer.model for peer in USB_PEERS.values()]
