"""The kernel's side of a USB device's file under /dev/bus/usb, for umockdev: usbfs in Python.

Written from linux/usbdevice_fs.h, as far as libusb uses it. It runs in Debian's Python, which has
the bindings of umockdev, and moves transfers between libusb and a simulated device.
"""

import ctypes
import errno
import struct
import time
from typing import Any, Final

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import UMockdev  # noqa: E402

from hwsim.usb.device import Gone, Stall, UsbDevice  # noqa: E402

POLL_S: Final = 0.001  # libusb asks again at once: a real usbfs would let it wait
CAPABILITIES: Final = 0x01 | 0x08  # zero packet, reap after disconnect
CONTROL_URB: Final = 2


class _Urb(ctypes.Structure):
    """struct usbdevfs_urb of linux/usbdevice_fs.h."""

    _fields_ = (
        ("type", ctypes.c_ubyte),
        ("endpoint", ctypes.c_ubyte),
        ("status", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("buffer", ctypes.c_void_p),
        ("buffer_length", ctypes.c_int),
        ("actual_length", ctypes.c_int),
        ("start_frame", ctypes.c_int),
        ("number_of_packets", ctypes.c_int),
        ("error_count", ctypes.c_int),
        ("signr", ctypes.c_uint),
        ("usercontext", ctypes.c_void_p),
    )


def _code(number: int, size: int = 0, direction: int = 0) -> int:
    return direction << 30 | size << 16 | ord("U") << 8 | number


GETDRIVER: Final = _code(8, 260, 1)
SUBMITURB: Final = _code(10, ctypes.sizeof(_Urb), 2)
DISCARDURB: Final = _code(11)
REAPURB: Final = _code(12, 8, 1)
REAPURBNDELAY: Final = _code(13, 8, 1)
CLAIM: Final = _code(15, 4, 2)
RELEASE: Final = _code(16, 4, 2)
IOCTL: Final = _code(18, 16, 3)
GET_CAPABILITIES: Final = _code(26, 4, 2)
DISCONNECT, CONNECT = _code(22), _code(23)


class _Refused(Exception):
    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class _Flight:
    """A transfer under way, until it is reaped."""

    def __init__(self, data: Any, client: Any) -> None:
        self.data, self.client = data, client
        raw = bytes(data.retrieve())
        self.urb = _Urb.from_buffer_copy(raw)
        self.address = data.client_addr
        size = self.urb.buffer_length
        self.buffer: Any = data.resolve(_Urb.buffer.offset, size) if size else None
        self.discarded = False

    def finish(self, status: int, length: int) -> None:
        self.data.update(_Urb.status.offset, struct.pack("<i", status))
        self.data.update(_Urb.actual_length.offset, struct.pack("<i", length))


class Usbfs:
    """The kernel's side of one device's file under /dev/bus/usb."""

    def __init__(self, device: UsbDevice) -> None:
        self.device = device
        self._plug = device.plugs  # put in again, it is another file
        self.handler = UMockdev.IoctlBase()
        self.handler.connect("handle-ioctl", self._handle)
        self.handler.connect("client-vanished", self._vanished)
        self._flights: list[_Flight] = []
        self._does = {
            GET_CAPABILITIES: self._capabilities,
            GETDRIVER: self._driver,
            CLAIM: self._claim,
            RELEASE: self._release,
            IOCTL: self._ioctl,
            SUBMITURB: self._submit,
            DISCARDURB: self._discard,
            REAPURB: self._reap,
            REAPURBNDELAY: self._reap,
        }

    def _handle(self, _handler: Any, client: Any) -> bool:
        does = self._does.get(client.get_request() & 0xFFFFFFFF)
        try:
            if does is None:
                raise _Refused(errno.ENOTTY)
            if self._gone and does not in (self._reap, self._discard):
                raise _Refused(errno.ENODEV)
            does(client, client.get_arg())
        except (_Refused, Gone) as refused:
            client.complete(-1, getattr(refused, "number", errno.ENODEV))
        else:
            client.complete(0, 0)
        return True

    @property
    def _gone(self) -> bool:
        return not self.device.plugged or self.device.plugs != self._plug

    def _vanished(self, _handler: Any, client: Any) -> None:
        self._flights = [flight for flight in self._flights if flight.client != client]
        if self.device.claimed == client:
            self.device.claimed = None

    # ── what is asked ──
    def _capabilities(self, _client: Any, arg: Any) -> None:
        arg.resolve(0, 4).update(0, struct.pack("<I", CAPABILITIES))

    def _driver(self, _client: Any, arg: Any) -> None:
        name = b"usbhid" if self.device.kernel_driver else b"usbfs" if self.device.claimed else b""
        if not name:
            raise _Refused(errno.ENODATA)
        arg.resolve(0, 260).update(4, name + b"\0")

    def _claim(self, client: Any, _arg: Any) -> None:
        if self.device.kernel_driver or self.device.claimed not in (None, client):
            raise _Refused(errno.EBUSY)
        self.device.claimed = client

    def _release(self, client: Any, _arg: Any) -> None:
        if self.device.claimed != client:
            raise _Refused(errno.EINVAL)
        self.device.claimed = None

    def _ioctl(self, _client: Any, arg: Any) -> None:
        code = struct.unpack_from("<iI", bytes(arg.resolve(0, 16).retrieve()))[1]
        if code not in (DISCONNECT, CONNECT):
            raise _Refused(errno.ENOTTY)
        self.device.kernel_driver = code == CONNECT

    def _submit(self, client: Any, arg: Any) -> None:
        self._flights.append(_Flight(arg.resolve(0, ctypes.sizeof(_Urb)), client))

    def _discard(self, _client: Any, arg: Any) -> None:
        address = struct.unpack("<Q", bytes(arg.retrieve()))[0]
        for flight in self._flights:
            if flight.address == address:
                flight.discarded = True
                return
        raise _Refused(errno.EINVAL)

    def _reap(self, client: Any, arg: Any) -> None:
        for flight in self._flights:
            if flight.client == client and self._done(flight):
                self._flights.remove(flight)
                arg.resolve(0, 8).set_ptr(0, flight.data)
                return
        if self._gone:
            raise _Refused(errno.ENODEV)
        time.sleep(POLL_S)
        raise _Refused(errno.EAGAIN)

    # ── transfers ──
    def _done(self, flight: _Flight) -> bool:
        """Whether it is over; a device that hangs ends nothing."""
        if flight.discarded:
            flight.finish(-errno.ENOENT, 0)
            return True
        if self._gone:
            flight.finish(-errno.ESHUTDOWN, 0)
            return True
        if self.device.silent:
            return False
        try:
            length = self._transfer(flight)
        except Stall:
            flight.finish(-errno.EPIPE, 0)
            return True
        except OverflowError:
            flight.finish(-errno.EOVERFLOW, 0)
            return True
        if length is None:
            return False
        flight.finish(0, length)
        return True

    def _transfer(self, flight: _Flight) -> int | None:
        """The bytes that went; None: the device has nothing to say yet."""
        data = bytes(flight.buffer.retrieve()) if flight.buffer is not None else b""
        if flight.urb.type == CONTROL_URB:
            setup, rest = data[:8], data[8:]
            got = self.device.control(setup, rest)
            if not setup[0] & 0x80:
                return len(rest)
            flight.buffer.update(8, got)
            return len(got)
        if not flight.urb.endpoint & 0x80:
            self.device.out(flight.urb.endpoint, data)
            return len(data)
        report = self.device.fetch(0)
        if report is None:
            return None
        if len(report) > len(data):
            raise OverflowError
        flight.buffer.update(0, report)
        return len(report)
