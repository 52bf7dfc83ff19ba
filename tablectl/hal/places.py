"""What is plugged into this box: serial ports with their lasting names, and USB devices.

It looks things up and opens nothing, so that no device notices.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from serial.tools.list_ports import comports

DEV: Final = Path("/dev")
SYS_USB: Final = Path("/sys/bus/usb/devices")
_HUB: Final = "09"
_TEXT_MAXIMUM: Final = 60
_LISTED_MAXIMUM: Final = 128


@dataclass(frozen=True, slots=True)
class SerialPort:
    """A serial port as it is now, and the name to use for it."""

    path: str  # /dev/ttyUSB0: whatever was plugged in first
    names: tuple[str, ...]  # lasting ones, the best first
    what: str

    @property
    def name(self) -> str:
        """The one for the configuration; of a port of the board itself, its path."""
        return self.names[0] if self.names else self.path


@dataclass(frozen=True, slots=True)
class UsbDevice:
    """A USB device, and the url that finds it."""

    url: str
    path: str  # the plug that it is in: 1-2.3
    what: str


def serial_ports(dev: Path = DEV) -> list[SerialPort]:
    """Every serial port that the kernel knows and that has hardware behind it."""
    names = _lasting_names(dev)
    return [
        SerialPort(port.device, tuple(names.get(Path(port.device), ())), _said(port.description))
        for port in sorted(comports(), key=lambda port: str(port.device))[:_LISTED_MAXIMUM]
    ]


def lasting_names(path: str, dev: Path = DEV) -> tuple[str, ...]:
    """Other names of a port, the best first; none where it has no better ones."""
    return tuple(_lasting_names(dev).get(Path(path), ()))


def _lasting_names(dev: Path) -> dict[Path, list[str]]:
    """Each port with its symbolic links: by role or serial number before the plug that it is in."""
    ours = sorted((dev / "tablectl").glob("*"))
    links = [
        *(link for link in ours if not link.name.startswith("at-")),
        *sorted((dev / "serial/by-id").glob("*")),
        *(link for link in ours if link.name.startswith("at-")),
        *sorted((dev / "serial/by-path").glob("*")),
    ]
    found: dict[Path, list[str]] = {}
    for link in links:
        found.setdefault(link.resolve(), []).append(str(link))
    return found


def usb_devices(root: Path = SYS_USB) -> list[UsbDevice]:
    """Every USB device but hubs, as the kernel lists them."""
    found = []
    for place in sorted(root.glob("*-*")):
        if ":" in place.name or _file(place / "bDeviceClass") == _HUB:
            continue
        ids = f"usb://{_file(place / 'idVendor')}:{_file(place / 'idProduct')}"
        text = " ".join(filter(None, (_file(place / n) for n in ("manufacturer", "product"))))
        found.append((ids, place.name, _file(place / "serial"), text))
    every = [ids for ids, *_ in found]
    return [
        UsbDevice(ids + _which(path, serial, every.count(ids) > 1), path, text)
        for ids, path, serial, text in found[:_LISTED_MAXIMUM]
    ]


def _which(path: str, serial: str, twins: bool) -> str:
    """What tells it from others of its kind, as far as a url can say it."""
    if serial and all(sign.isascii() and (sign.isalnum() or sign in "_.:-") for sign in serial):
        return f"?serial={serial}"
    return f"?path={path}" if twins else ""


def _file(path: Path) -> str:
    try:
        return _said(path.read_text("utf-8", "replace"))
    except OSError:
        return ""


def _said(text: str | None) -> str:
    """A device's own words: printable, and not without end."""
    shown = "".join(sign for sign in text or "" if sign.isprintable()).strip()
    return "" if shown == "n/a" else shown[:_TEXT_MAXIMUM]
