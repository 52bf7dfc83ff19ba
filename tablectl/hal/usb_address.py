"""Where a USB device is, as a URL says it. Ports open it; the configuration only checks it."""

import re
from dataclasses import dataclass
from typing import Final

from tablectl.hal.errors import BrokenDriver
from tablectl.hal.kinds import DevicePlan

_ADDRESS: Final = re.compile(
    r"usb://([0-9a-fA-F]{4}):([0-9a-fA-F]{4})(?:\?([a-z]+=[\w.:-]{1,64}(?:&[a-z]+=[\w.:-]{1,64})*))?",
    re.ASCII,
)
FORM: Final = "usb://VID:PID, with ?serial=TEXT or ?path=BUS-PORT, and interface=NUMBER if not 0"


@dataclass(frozen=True, slots=True)
class Address:
    """Where a USB device is: its ids, and what tells it from its twins."""

    vendor: int
    product: int
    serial: str | None = None
    path: str | None = None  # 1-2.3: bus 1, port 2 of the root hub, port 3 of the hub there
    interface: int = 0

    @classmethod
    def parse(cls, url: str) -> "Address":
        """Raises ValueError where it is not of that form."""
        match = _ADDRESS.fullmatch(url)
        if match is None:
            raise ValueError(f"{url} is no USB address: write {FORM}")
        pairs = [pair.partition("=")[::2] for pair in (match[3] or "").split("&") if pair]
        options = dict(pairs)
        known = {"serial", "path", "interface"}
        if len(options) != len(pairs) or not options.keys() <= known:
            raise ValueError(f"{url} is no USB address: write {FORM}")
        path, interface = options.get("path"), options.get("interface", "0")
        if path is not None and not re.fullmatch(r"\d{1,3}-\d{1,3}(\.\d{1,3}){0,6}", path):
            raise ValueError(f"{url}: a path is BUS-PORT[.PORT…], such as 1-2.3")
        if not re.fullmatch(r"\d{1,2}", interface):
            raise ValueError(f"{url}: an interface is a number from 0 to 99")
        vendor, product = int(match[1], 16), int(match[2], 16)
        return cls(vendor, product, options.get("serial"), path, int(interface))


def address_of(plan: DevicePlan) -> Address:
    """Where a USB driver's device is. Raises BrokenDriver where its url says no such place."""
    try:
        return Address.parse(plan.url)
    except ValueError:
        raise BrokenDriver(f"driver {plan.driver!r} of {plan.id} needs a url {FORM}") from None
