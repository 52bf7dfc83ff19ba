"""One USB interface, found, claimed and spoken to with pyusb. Everything here may block.

It runs in the threads of usb_link.py only. Every port has a libusb context of its own: what is
plugged in is looked up afresh, and nothing of a closed port stays behind.
"""

import contextlib
import errno
from typing import Any, Final

import libusb_package
import usb.core
import usb.util
from usb.backend import libusb1

from tablectl.hal.errors import LinkLost, LinkNotOpened
from tablectl.hal.usb_address import Address
from tablectl.hal.usb_packets import CONTROL, DONE, SILENT, STALLED, Packet, Setup

READ_MS: Final = 250  # how long a closing port may wait for its reader
WRITE_MS: Final = 500


def _libusb() -> Any:
    """A libusb context of our own. Raises LinkNotOpened.

    pyusb keeps a single one, which learns of a replugged device from the kernel's messages alone;
    a sandbox or a container may not get these. A fresh one looks for itself.
    """
    if libusb1.get_backend(find_library=libusb_package.find_library) is None:
        raise LinkNotOpened("libusb cannot be loaded: install tablectl's packages again")
    return libusb1._LibUSB(libusb1._lib)  # noqa: SLF001 - pyusb has no public way to a second one


def open_port(url: str, backend: Any = None) -> "UsbPort":
    """Find the device, take it from the kernel, claim it. Raises LinkNotOpened."""
    try:
        address = Address.parse(url)
    except ValueError as error:
        raise LinkNotOpened(str(error)) from None
    own = None
    if backend is None:
        backend = own = _libusb()
    device = None
    try:
        device = _find(url, address, backend)
        return UsbPort(url, device, address.interface, own)
    except BaseException as error:
        _let_go(device, own)
        if isinstance(error, usb.core.USBError):
            raise LinkNotOpened(_why_not(url, error)) from None
        raise


def _find(url: str, address: Address, backend: Any) -> Any:
    ids = {"idVendor": address.vendor, "idProduct": address.product}
    twins = list(usb.core.find(find_all=True, backend=backend, **ids))
    found = [twin for twin in twins if _matches(twin, address)]
    if not found:
        others = f"; plugged in are {_places(twins)}" if twins else ""
        raise LinkNotOpened(f"{url} is not there: check the cable{others}")
    if len(found) > 1:
        raise LinkNotOpened(f"{url} is more than one device, at {_places(found)}: add ?path= to it")
    return found[0]


def _matches(device: Any, address: Address) -> bool:
    if address.path is not None and _path(device) != address.path:
        return False
    return address.serial is None or _serial(device) == address.serial


def _path(device: Any) -> str:
    return f"{device.bus}-{'.'.join(str(port) for port in device.port_numbers or ())}"


def _places(devices: list[Any]) -> str:
    return ", ".join(sorted(_path(device) for device in devices)[:8])


def _serial(device: Any) -> str:
    try:
        return str(usb.util.get_string(device, device.iSerialNumber) or "")
    except (usb.core.USBError, ValueError):  # it has none, or may not be opened
        return ""
    finally:
        usb.util.dispose_resources(device)


def _why_not(url: str, error: usb.core.USBError) -> str:
    if error.errno == errno.EACCES:
        return f"{url} may not be opened: install systemd/70-tablectl.rules for the daemon's group"
    if error.errno == errno.EBUSY:
        return f"{url} is in use by another program: stop that one first"
    if error.errno in (errno.ENODEV, errno.ENOENT):
        return f"{url} is not there: check the cable"
    return f"{url} cannot be opened ({_word(error)}): unplug it and plug it in again"


def _word(error: usb.core.USBError) -> str:
    return str(error.strerror or error)[:80]


def _let_go(device: Any, own: Any) -> None:
    if device is not None:
        with contextlib.suppress(usb.core.USBError):
            usb.util.dispose_resources(device)
    if own is not None:
        own.finalize()


class UsbPort:
    """A claimed interface. `read` and `write` may run side by side in two threads."""

    def __init__(self, url: str, device: Any, number: int, own: Any) -> None:
        """Raises USBError and LinkNotOpened. `own`: the libusb context to end with it."""
        self._url, self._device, self._number, self._own = url, device, number, own
        self.plug = _path(device)
        self._detached = False
        interface = usb.util.find_descriptor(
            device.get_active_configuration(), bInterfaceNumber=number, bAlternateSetting=0
        )
        if interface is None:
            raise LinkNotOpened(f"{url} has no interface {number}: see the page of its driver")
        self._in = usb.util.find_descriptor(interface, custom_match=_interrupt_in)
        with contextlib.suppress(NotImplementedError):
            if device.is_kernel_driver_active(number):
                device.detach_kernel_driver(number)
                self._detached = True
        try:
            usb.util.claim_interface(device, number)
        except usb.core.USBError:
            self._give_back()
            raise

    @property
    def reports(self) -> bool:
        """Whether it has an interrupt IN endpoint."""
        return self._in is not None

    def read(self) -> Packet | None:
        """The next report; None where none came within READ_MS. Raises LinkLost."""
        assert self._in is not None
        address, size = self._in.bEndpointAddress, self._in.wMaxPacketSize
        try:
            return Packet(address, bytes(self._device.read(address, size, READ_MS)))
        except usb.core.USBTimeoutError:
            return None
        except usb.core.USBError as error:
            raise LinkLost(f"the link broke ({_word(error)})") from None

    def write(self, packet: Packet) -> Packet:
        """Do a transfer; the answer says how it went. Raises LinkLost."""
        try:
            data = self._transfer(packet)
        except usb.core.USBTimeoutError:
            return Packet(packet.endpoint, bytes((SILENT,)))
        except usb.core.USBError as error:
            if error.errno == errno.EPIPE:
                return Packet(packet.endpoint, bytes((STALLED,)))
            raise LinkLost(f"nothing can be sent ({_word(error)})") from None
        except ValueError:  # pyusb's word for an endpoint that is not there
            raise LinkLost(f"it has no endpoint {packet.endpoint}: another device?") from None
        return Packet(packet.endpoint, bytes((DONE,)) + data)

    def _transfer(self, packet: Packet) -> bytes:
        if packet.endpoint != CONTROL:
            self._device.write(packet.endpoint, packet.data, WRITE_MS)
            return b""
        setup = Setup.from_bytes(packet.data)
        rest: bytes | int = setup.length if setup.reads else packet.data[8:]
        got = self._device.ctrl_transfer(
            setup.request_type, setup.request, setup.value, setup.index, rest, WRITE_MS
        )
        return bytes(got) if setup.reads else b""

    def close(self) -> None:
        """Release it, give it back to the kernel, close it: whatever state it is in."""
        with contextlib.suppress(usb.core.USBError):
            usb.util.release_interface(self._device, self._number)
        self._give_back()
        device, self._device, self._in = self._device, None, None
        _let_go(device, self._own)

    def _give_back(self) -> None:
        if self._detached:
            with contextlib.suppress(usb.core.USBError, NotImplementedError):
                self._device.attach_kernel_driver(self._number)
            self._detached = False


def _interrupt_in(endpoint: Any) -> bool:
    kind = usb.util.endpoint_type(endpoint.bmAttributes)
    direction = usb.util.endpoint_direction(endpoint.bEndpointAddress)
    return bool(kind == usb.util.ENDPOINT_TYPE_INTR and direction == usb.util.ENDPOINT_IN)
