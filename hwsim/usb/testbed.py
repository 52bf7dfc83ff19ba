"""USB devices for unchanged pyusb and libusb in another process, by umockdev.

    umockdev-wrapper /usr/bin/python3 -m hwsim.usb.testbed SOCKET [MODEL:SERIAL:PORT ...]

It needs Debian's umockdev, python3-gi and gir1.2-umockdev-1.0, and no privilege and no kernel
module. It prints the folder that UMOCKDEV_DIR must name for the other process (which also needs
LD_PRELOAD=libumockdev-preload.so.0), listens on SOCKET for hands (one JSON list
`[port, what, argument ...]` a line), and ends with its standard input.
"""

import argparse
import json
import os
import socketserver
import sys
import threading
from pathlib import Path
from typing import Any, Final

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import GLib, UMockdev  # noqa: E402

from hwsim.usb.buttons import BigRedButton, KeyButton  # noqa: E402
from hwsim.usb.device import UsbDevice  # noqa: E402
from hwsim.usb.lights import Blink1, Delcom, Luxafor, Patlite  # noqa: E402
from hwsim.usb.scanner import Scanner  # noqa: E402
from hwsim.usb.usbfs import Usbfs  # noqa: E402

HAND_S: Final = 5.0
MODELS: Final[dict[str, type[UsbDevice]]] = {
    model.__name__.lower(): model
    for model in (BigRedButton, KeyButton, Scanner, Delcom, Patlite, Luxafor, Blink1)
}


class Testbed:
    """The devices, and the bus that they are plugged into."""

    def __init__(self, devices: list[UsbDevice]) -> None:
        self.bed = UMockdev.Testbed.new()
        self.devices = {device.port: device for device in devices}
        self._plugged: dict[str, tuple[str, str, Usbfs]] = {}  # by port: place, file, its kernel
        self._number = 0
        for device in devices:
            self._plug(device)

    @property
    def folder(self) -> str:
        return str(self.bed.get_root_dir())

    def _plug(self, device: UsbDevice) -> None:
        """A new address at every plugging, as the kernel gives it."""
        self._number = self._number % 127 + 1
        node = f"/dev/bus/usb/001/{self._number:03d}"
        path = Path(self.folder + node)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
        attributes = {
            "busnum": "1", "devnum": str(self._number), "speed": "12", "bConfigurationValue": "1",
            "bNumConfigurations": "1", "bDeviceClass": "00", "product": device.product,
            "idVendor": f"{device.vendor:04x}", "idProduct": f"{device.product_id:04x}",
        }  # fmt: skip
        if device.serial:
            attributes["serial"] = device.serial
        properties = {"DEVNAME": node, "DEVTYPE": "usb_device"}
        words = _flat(attributes), _flat(properties)
        place = self.bed.add_device("usb", device.port, None, *words)
        descriptors = device.device_descriptor + device.configuration_descriptor
        self.bed.set_attribute_binary(place, "descriptors", descriptors)
        usbfs = Usbfs(device)
        self.bed.attach_ioctl(node, usbfs.handler)
        self._plugged[device.port] = (place, node, usbfs)

    def unplug(self, port: str) -> None:
        self.devices[port].unplug()
        place, node, _usbfs = self._plugged.pop(port)
        self.bed.remove_device(place)
        Path(self.folder + node).unlink(missing_ok=True)

    def plug_in(self, port: str) -> None:
        self.devices[port].plug_in()
        self._plug(self.devices[port])

    def hand(self, port: str, what: str, *args: Any) -> Any:
        """A person at the device: a method is called, a word looked at, a word with a value set."""
        if what in ("unplug", "plug_in"):
            return getattr(self, what)(port)
        device = self.devices[port]
        it = getattr(device, what)
        if callable(it):
            return it(*map(_meant, args))
        if args:
            setattr(device, what, args[0])
        return it


def _meant(arg: Any) -> Any:
    """JSON has no bytes: `hex:00ff` stands for them."""
    return bytes.fromhex(arg[4:]) if isinstance(arg, str) and arg.startswith("hex:") else arg


def _flat(words: dict[str, str]) -> list[str]:
    return [word for pair in words.items() for word in pair]


def _shown(value: object) -> object:
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if isinstance(value, (bool, int, str, type(None))):
        return value
    return [_shown(each) for each in value] if hasattr(value, "__iter__") else str(value)


def _serve(bed: Testbed, path: str) -> None:
    """Hands come by a socket; what they do is done on the main loop, with the transfers."""

    def act(words: list[Any], answer: list[object], ready: threading.Event) -> bool:
        answer.append(_shown(bed.hand(*words)))
        ready.set()
        return False  # once

    class Hands(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            for line in self.rfile:
                answer: list[object] = []
                ready = threading.Event()
                GLib.idle_add(act, json.loads(line), answer, ready)
                ready.wait(HAND_S)
                self.wfile.write(json.dumps(answer).encode() + b"\n")

    server = socketserver.ThreadingUnixStreamServer(path, Hands)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()


def main() -> int:
    """Until standard input ends."""
    parser = argparse.ArgumentParser(prog="python3 -m hwsim.usb.testbed", description=__doc__)
    parser.add_argument("socket")
    parser.add_argument("devices", nargs="*", metavar="MODEL:SERIAL:PORT")
    words = parser.parse_args()
    devices = []
    for each in words.devices:
        model, serial, port = each.split(":")
        devices.append(MODELS[model](serial, port))
    bed = Testbed(devices)
    _serve(bed, words.socket)
    loop = GLib.MainLoop()
    GLib.io_add_watch(sys.stdin.fileno(), GLib.IO_HUP | GLib.IO_IN, lambda *_: loop.quit() or False)
    os.write(sys.stdout.fileno(), bed.folder.encode() + b"\n")
    loop.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
