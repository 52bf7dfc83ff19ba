"""A bus in memory that pyusb takes for libusb: devices are plugged in, pulled out, and watched.

For tests in one process. It is as strict as the kernel: what is not open, not claimed or not
plugged in fails with the kernel's error, and whoever forgets to close is found out.
"""

import errno
import threading
import time
from array import array
from collections.abc import Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import usb.backend
import usb.core

from hwsim.usb.device import Gone, Stall, UsbDevice

_FIELDS = {
    "device": "bLength bDescriptorType bcdUSB bDeviceClass bDeviceSubClass bDeviceProtocol "
    "bMaxPacketSize0 idVendor idProduct bcdDevice iManufacturer iProduct iSerialNumber "
    "bNumConfigurations",
    "configuration": "bLength bDescriptorType wTotalLength bNumInterfaces bConfigurationValue "
    "iConfiguration bmAttributes bMaxPower",
    "interface": "bLength bDescriptorType bInterfaceNumber bAlternateSetting bNumEndpoints "
    "bInterfaceClass bInterfaceSubClass bInterfaceProtocol iInterface",
    "endpoint": "bLength bDescriptorType bEndpointAddress bmAttributes wMaxPacketSize bInterval",
}


def _parsed(sort: str, raw: bytes, **more: Any) -> SimpleNamespace:
    """A descriptor's bytes as the attributes that pyusb reads."""
    values, at = {}, 0
    for name in _FIELDS[sort].split():
        size = 2 if name.startswith(("bcd", "w", "idV", "idP")) else 1
        values[name] = int.from_bytes(raw[at : at + size], "little")
        at += size
    return SimpleNamespace(**values, extra_descriptors=[], **more)


def _failed(number: int, what: str) -> usb.core.USBError:
    return usb.core.USBError(what, number, number)


class _Handle:
    """One opening of a device."""

    def __init__(self, device: UsbDevice) -> None:
        self.device = device
        self.plug = device.plugs  # a device that was pulled out and put in is another one


class Bus(usb.backend.IBackend):  # type: ignore[misc] # pyusb has no types
    """Plug devices in, hand it to the link as its backend."""

    def __init__(self, *devices: UsbDevice) -> None:
        super().__init__()
        self.devices = list(devices)
        self.handles: set[_Handle] = set()
        self.lock = threading.Lock()

    # ── finding ──
    def enumerate_devices(self) -> Iterator[UsbDevice]:
        return iter([device for device in self.devices if device.plugged])

    def get_parent(self, dev: UsbDevice) -> None:  # noqa: ARG002
        return None

    def get_device_descriptor(self, dev: UsbDevice) -> SimpleNamespace:
        bus, _, ports = dev.port.partition("-")
        numbers = tuple(int(number) for number in ports.split("."))
        place = {"bus": int(bus), "address": self.devices.index(dev) + 1, "speed": 1}
        ports_ = {"port_number": numbers[-1], "port_numbers": numbers}
        return _parsed("device", dev.device_descriptor, **place, **ports_)

    def get_configuration_descriptor(self, dev: UsbDevice, config: int) -> SimpleNamespace:
        if config:
            raise IndexError
        return _parsed("configuration", dev.configuration_descriptor)

    def get_interface_descriptor(
        self, dev: UsbDevice, intf: int, alt: int, config: int
    ) -> SimpleNamespace:
        if intf or alt or config:
            raise IndexError
        return _parsed("interface", dev.interface_descriptor)

    def get_endpoint_descriptor(
        self, dev: UsbDevice, ep: int, intf: int, alt: int, config: int
    ) -> SimpleNamespace:
        if intf or alt or config:
            raise IndexError
        return _parsed("endpoint", dev.endpoints[ep], bRefresh=0, bSynchAddress=0)

    # ── opening and claiming ──
    def open_device(self, dev: UsbDevice) -> _Handle:
        if not dev.plugged:
            raise _failed(errno.ENODEV, "No such device")
        handle = _Handle(dev)
        with self.lock:
            self.handles.add(handle)
        return handle

    def close_device(self, dev_handle: _Handle) -> None:
        with self.lock:
            self.handles.remove(dev_handle)
            if dev_handle.device.claimed is dev_handle:
                dev_handle.device.claimed = None

    def get_configuration(self, dev_handle: _Handle) -> int:
        self._there(dev_handle)
        return 1

    def claim_interface(self, dev_handle: _Handle, intf: int) -> None:  # noqa: ARG002
        device = self._there(dev_handle)
        with self.lock:
            if device.kernel_driver or device.claimed not in (None, dev_handle):
                raise _failed(errno.EBUSY, "Resource busy")
            device.claimed = dev_handle

    def release_interface(self, dev_handle: _Handle, intf: int) -> None:  # noqa: ARG002
        device = self._there(dev_handle)
        if device.claimed is not dev_handle:
            raise _failed(errno.ENOENT, "Entity not found")
        device.claimed = None

    def is_kernel_driver_active(self, dev_handle: _Handle, intf: int) -> bool:  # noqa: ARG002
        return self._there(dev_handle).kernel_driver

    def detach_kernel_driver(self, dev_handle: _Handle, intf: int) -> None:  # noqa: ARG002
        self._there(dev_handle).kernel_driver = False

    def attach_kernel_driver(self, dev_handle: _Handle, intf: int) -> None:  # noqa: ARG002
        device = self._there(dev_handle)
        if device.claimed is not None:
            raise _failed(errno.EBUSY, "Resource busy")
        device.kernel_driver = True

    # ── transfers ──
    def ctrl_transfer(
        self, dev_handle: _Handle, request_type: int, request: int, value: int, index: int,
        data: "array[int]", timeout: int,
    ) -> int:  # fmt: skip
        device = self._there(dev_handle)
        if request_type & 0x1F == 1 and device.claimed is not dev_handle:
            raise _failed(errno.EBUSY, "Resource busy")
        self._hang(device, timeout)
        words = (value, index, len(data))
        setup = bytes((request_type, request)) + b"".join(
            word.to_bytes(2, "little") for word in words
        )
        reads = bool(request_type & 0x80)
        got = self._done(lambda: device.control(setup, b"" if reads else bytes(data)))
        if not reads:
            return len(data)
        data[: len(got)] = array("B", got)
        return len(got)

    def intr_read(
        self, dev_handle: _Handle, ep: int, intf: int, buff: "array[int]", timeout: int  # noqa: ARG002
    ) -> int:  # fmt: skip
        device = self._claimed(dev_handle)
        until = time.monotonic() + timeout / 1000
        got = None
        while got is None:
            left = until - time.monotonic()
            if left <= 0:
                raise usb.core.USBTimeoutError("Operation timed out", -7, errno.ETIMEDOUT)
            got = self._done(partial(device.fetch, min(left, 0.05)))
            self._there(dev_handle)
        if len(got) > len(buff):
            raise _failed(errno.EOVERFLOW, "Overflow")
        buff[: len(got)] = array("B", got)
        return len(got)

    def intr_write(
        self, dev_handle: _Handle, ep: int, intf: int, data: "array[int]", timeout: int  # noqa: ARG002
    ) -> int:  # fmt: skip
        device = self._claimed(dev_handle)
        self._hang(device, timeout)
        self._done(lambda: device.out(ep, bytes(data)))
        return len(data)

    # ── the inside ──
    def _there(self, handle: _Handle) -> UsbDevice:
        if handle not in self.handles:
            raise AssertionError("a closed handle was used")
        if not handle.device.plugged or handle.plug != handle.device.plugs:
            raise _failed(errno.ENODEV, "No such device (it may have been disconnected)")
        return handle.device

    def _claimed(self, handle: _Handle) -> UsbDevice:
        device = self._there(handle)
        if device.claimed is not handle:
            raise AssertionError("an interface was used that is not claimed")
        return device

    def _hang(self, device: UsbDevice, timeout: int) -> None:
        """A device that hangs answers nothing until the time is over."""
        until = time.monotonic() + timeout / 1000
        while device.silent and device.plugged:
            if time.monotonic() >= until:
                raise usb.core.USBTimeoutError("Operation timed out", -7, errno.ETIMEDOUT)
            time.sleep(0.002)

    @staticmethod
    def _done(transfer: Any) -> Any:
        try:
            return transfer()
        except Stall:
            raise _failed(errno.EPIPE, "Pipe error") from None
        except Gone:
            raise _failed(errno.ENODEV, "No such device") from None
