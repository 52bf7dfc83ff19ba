"""A USB device behind its plug: descriptors, standard requests, reports that wait to be fetched.

Written from USB 2.0 chapter 9 and HID 1.11. It knows neither pyusb nor umockdev: a bus asks it.
"""

import struct
import threading
from collections import deque
from typing import ClassVar, Final

MOST_REPORTS: Final = 64  # that wait; a full device drops the next one
LANGUAGE: Final = 0x0409


class Stall(Exception):
    """The device refuses a request."""


class Gone(Exception):
    """The device is not plugged in any more."""


class UsbDevice:
    """One plugged-in device with one HID interface. Subclasses say what it does."""

    vendor: ClassVar[int]
    product_id: ClassVar[int]
    product: ClassVar[str]
    protocol: ClassVar[tuple[int, int]] = (0, 0)  # HID subclass and protocol
    out_endpoint: ClassVar[bool] = False
    version: ClassVar[int] = 0x0100  # BCD

    def __init__(self, serial: str = "", port: str = "1-1") -> None:
        self.serial, self.port = serial, port
        self.silent = False  # it neither answers nor reports: its firmware hangs
        self.plugged = True
        self.plugs = 1  # how often it was put in
        self.kernel_driver = True  # the kernel's own driver has it
        self.claimed: object = None  # by whom
        self._reports: deque[bytes] = deque()
        self._news = threading.Condition()

    # ── descriptors ──
    @property
    def device_descriptor(self) -> bytes:
        strings = (0, 1, 2 if self.serial else 0)
        ids = (self.vendor, self.product_id, self.version)
        return struct.pack("<BBHBBBBHHHBBBB", 18, 1, 0x0200, 0, 0, 0, 8, *ids, *strings, 1)

    @property
    def endpoints(self) -> list[bytes]:
        numbers = [0x81, 0x01] if self.out_endpoint else [0x81]
        return [struct.pack("<BBBBHB", 7, 5, number, 3, 8, 10) for number in numbers]

    @property
    def interface_descriptor(self) -> bytes:
        return struct.pack("<9B", 9, 4, 0, 0, len(self.endpoints), 3, *self.protocol, 0)

    @property
    def configuration_descriptor(self) -> bytes:
        hid = struct.pack("<BBHBBBH", 9, 0x21, 0x0111, 0, 1, 0x22, 63)
        body = self.interface_descriptor + hid + b"".join(self.endpoints)
        return struct.pack("<BBHBBBBB", 9, 2, 9 + len(body), 1, 1, 0, 0x80, 50) + body

    def string_descriptor(self, index: int) -> bytes:
        if index == 0:
            return struct.pack("<BBH", 4, 3, LANGUAGE)
        if index == 1:
            said = self.product
        elif index == 2 and self.serial:
            said = self.serial
        else:
            raise Stall
        raw = said.encode("utf-16-le")
        return bytes((2 + len(raw), 3)) + raw

    # ── what the bus asks; any thread ──
    def control(self, setup: bytes, data: bytes) -> bytes:
        """A control transfer: the data of an IN. Raises Stall and Gone."""
        if not self.plugged:
            raise Gone
        kind, request, value, _index, length = struct.unpack("<BBHHH", setup)
        if (kind, request) == (0x80, 0x06):
            return self._descriptor(value)[:length]
        if (kind, request) == (0x80, 0x00):
            return b"\0\0"
        if (kind, request) == (0x80, 0x08):
            return b"\1"
        return self.request(kind, request, value, data)[:length]

    def _descriptor(self, value: int) -> bytes:
        sort, index = value >> 8, value & 0xFF
        if sort == 1:
            return self.device_descriptor
        if sort == 2:
            return self.configuration_descriptor
        if sort == 3:
            return self.string_descriptor(index)
        raise Stall

    def request(self, kind: int, request: int, value: int, data: bytes) -> bytes:  # noqa: ARG002
        """A class request; a subclass knows its own. Raises Stall."""
        raise Stall

    def out(self, endpoint: int, data: bytes) -> None:
        """An interrupt OUT report. Raises Gone."""
        if not self.plugged:
            raise Gone
        self.written(endpoint, data)

    def written(self, endpoint: int, data: bytes) -> None:
        """A report from the host, for a subclass."""

    def fetch(self, wait_s: float) -> bytes | None:
        """The next report, when the bus polls; None: it has none. Raises Gone."""
        with self._news:
            self._news.wait_for(lambda: not self.plugged or self._ready, wait_s)
            if not self.plugged:
                raise Gone
            return self._reports.popleft() if self._ready else None

    @property
    def _ready(self) -> bool:
        return bool(self._reports) and not self.silent

    # ── what people and devices do ──
    def tell(self, report: bytes) -> None:
        """A report to be fetched."""
        with self._news:
            if self.plugged and len(self._reports) < MOST_REPORTS:
                self._reports.append(report)
            self._news.notify_all()

    def unplug(self) -> None:
        """Pull it out: what waited is gone, and so is its memory."""
        with self._news:
            self.plugged = False
            self._reports.clear()
            self.kernel_driver, self.claimed = True, None
            self._news.notify_all()

    def plug_in(self) -> None:
        """Put it in again."""
        with self._news:
            self.plugged = True
            self.plugs += 1
