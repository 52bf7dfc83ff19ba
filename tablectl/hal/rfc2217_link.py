"""A serial line behind an RFC 2217 port server as a link: telnet over the TCP link of link.py.

It is opened when the server has set the line. Nothing blocks: the connection is made in a thread
like every other, and the rest is bytes on the loop.
"""

import asyncio
from typing import Final

from tablectl.hal.errors import LinkNotOpened, LinkTimeout
from tablectl.hal.kinds import Line
from tablectl.hal.link import OPEN_S, WRITE_BUFFER_MAXIMUM, OnBytes, OnLost, PortLink, open_tcp
from tablectl.hal.rfc2217 import Rfc2217, escaped

SCHEME: Final = "rfc2217://"
EARLY_MAXIMUM: Final = 65_536  # as much as a line of 115200 baud brings while a link opens


async def open_rfc2217(url: str, line: Line) -> "Rfc2217Link":
    """Connect, and have the line set. Raises LinkNotOpened and LinkTimeout."""
    # pyserial's ?ign_set_control is understood; nobody waits for those answers here anyway.
    address = url.removeprefix(SCHEME).removesuffix("?ign_set_control")
    loop = asyncio.get_running_loop()
    end_s = loop.time() + OPEN_S
    tcp = await open_tcp(url, address)
    link = Rfc2217Link(url, tcp, line)
    try:
        async with asyncio.timeout_at(end_s):
            await link.set_up()
    except TimeoutError:
        await tcp.close()
        raise LinkTimeout(
            f"{url} does not answer as an RFC 2217 port server: "
            "use socket:// if its port is a raw one"
        ) from None
    except BaseException:
        await tcp.close()
        raise
    return link


class Rfc2217Link:
    """What the supervisor needs of a link."""

    def __init__(self, url: str, tcp: PortLink, line: Line) -> None:
        self._url = url
        self._tcp = tcp
        self._telnet = Rfc2217(line)
        self._loop = asyncio.get_running_loop()
        self._ready: asyncio.Future[None] = self._loop.create_future()
        self._early = bytearray()  # the device's bytes before somebody listens
        self._held = bytearray()  # ours, while the server wants none
        self._gone: str | None = None
        self._on_bytes: OnBytes | None = None
        self._on_lost: OnLost | None = None

    async def set_up(self) -> None:
        """Wait until the line is set. Raises LinkNotOpened."""
        self._tcp.attach(self._heard, self._lost)
        self._tcp.write(self._telnet.to_send())
        await self._ready

    def attach(self, on_bytes: OnBytes, on_lost: OnLost) -> None:
        """Begin to read; what came meanwhile is told next."""
        self._on_bytes, self._on_lost = on_bytes, on_lost
        self._loop.call_soon(self._catch_up)

    def _catch_up(self) -> None:
        early = bytes(self._early)
        self._early.clear()
        if early and self._on_bytes is not None:
            self._on_bytes(early)
        if self._gone is not None:
            self._tell(self._gone)

    def _heard(self, data: bytes) -> None:
        found = self._telnet.feed(data)
        self._tcp.write(self._telnet.to_send())
        if self._telnet.refused is not None:
            self._lost(self._telnet.refused)
            return
        if self._telnet.settled and not self._ready.done():
            self._ready.set_result(None)
        if not self._telnet.suspended and self._held:
            self._tcp.write(bytes(self._held))
            self._held.clear()
        if self._on_bytes is None or self._early:  # in their order
            self._early += found
            if len(self._early) > EARLY_MAXIMUM:
                self._early.clear()
                self._lost("it sent more than a line can carry: see to the device")
        elif found:
            self._on_bytes(found)

    def write(self, data: bytes) -> None:
        """Send, without waiting; held back as long as the server asks for that."""
        if not self._telnet.suspended:
            self._tcp.write(escaped(data))
        elif len(self._held) + len(data) > WRITE_BUFFER_MAXIMUM:
            self._lost(f"it takes no bytes: {len(self._held)} wait to be sent")
        else:
            self._held += escaped(data)

    def _lost(self, what: str) -> None:
        if not self._ready.done():
            hint = "" if ": " in what else ": is it in use by another program?"
            self._ready.set_exception(LinkNotOpened(f"{self._url} was not opened, {what}{hint}"))
            return
        self._gone = what
        if self._on_bytes is not None:
            self._tell(what)

    def _tell(self, what: str) -> None:
        on_lost, self._on_lost, self._on_bytes = self._on_lost, None, None
        if on_lost is not None:
            on_lost(what)

    async def close(self) -> None:
        """Let go of the connection."""
        self._on_lost = self._on_bytes = None
        await self._tcp.close()
