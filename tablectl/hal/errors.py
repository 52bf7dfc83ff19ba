"""What can go wrong with a device, as one tree. Every message says what to do next.

HalError
├── LinkError
│   ├── LinkNotOpened      the port is absent, in use, or nobody listens there
│   ├── LinkLost           it was open, and is gone: unplugged, closed, a write failed
│   └── LinkTimeout        nothing came in time; also a TimeoutError
├── DeviceRefused          it answers, and is not the one that belongs here
├── CommandRefused         an order that this device, or this moment, does not take
└── DriverError
    ├── UnknownDriver      no driver has that name
    └── BrokenDriver       it was found and cannot be used
"""


class HalError(Exception):
    """Anything that the hardware layer raises."""


class LinkError(HalError):
    """The bytes do not flow."""


class LinkNotOpened(LinkError):
    """The port could not be opened: absent, in use by another program, or nobody listens there."""


class LinkLost(LinkError):
    """The link was open and is gone: unplugged, closed by the other side, or a write failed."""


class LinkTimeout(LinkError, TimeoutError):
    """Nothing came in the time that was set: opening, handshake, silence or an answer."""


class DeviceRefused(HalError):
    """The device answers and is not the one that belongs here: identity, version, kind or proof."""


class CommandRefused(HalError):
    """The order is not for this device, or it cannot be reached to be permitted anything."""


class DriverError(HalError):
    """A driver cannot be used."""


class UnknownDriver(DriverError):
    """No installed driver has the name that the configuration gives."""


class BrokenDriver(DriverError):
    """The driver was found by its name, and failed to load or is not one."""
