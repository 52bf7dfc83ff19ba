"""Bytes to and from a device: a serial port, a pty or TCP, on the asyncio loop.

pyserial opens the port; from there on the file descriptor is read and written without blocking.
USB and RFC 2217 have modules of their own, loaded when a link needs them. A link never reconnects:
when it is lost it says so once, and the supervisor decides.
"""

import asyncio
import contextlib
import errno
import os
import select
import socket
import threading
from collections.abc import Callable
from typing import Final, Protocol, TypeVar

import serial
from serial.urlhandler import protocol_socket

from tablectl.hal.errors import LinkNotOpened, LinkTimeout
from tablectl.hal.kinds import Line
from tablectl.hal.usb_plug import plug_of

READ_SIZE: Final = 4096
WRITE_BUFFER_MAXIMUM: Final = 16_384  # over a second at 115200: the other side takes nothing
OPEN_S: Final = 6.0  # pyserial gives a TCP connection 5 s
CLOSE_S: Final = 3.0  # a serial port may drain its last bytes, in a thread of its own
KEEPALIVE: Final = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}  # 25 s in all
SCHEMES: Final = (
    "a serial port's path, pty:PATH, socket://HOST:PORT, rfc2217://HOST:PORT or usb://VID:PID"
)

T = TypeVar("T")
OnBytes = Callable[[bytes], None]
OnLost = Callable[[str], None]


class Link(Protocol):
    """What the supervisor needs of a link; tests have one in memory.

    One that knows which USB plug it hangs on says so as `plug`.
    """

    def attach(self, on_bytes: OnBytes, on_lost: OnLost) -> None:
        """Begin to read. `on_lost` is called once, with a sentence."""

    def write(self, data: bytes) -> None:
        """Send, without waiting. A failure is a lost link, not an exception."""

    async def close(self) -> None:
        """Close, really: the port can be opened again when this returns."""


async def open_link(url: str, line: Line) -> Link:
    """Open a port, exclusively where it is serial or USB. Raises LinkNotOpened and LinkTimeout."""
    # Not at the top: both stand on this module.
    if url.startswith("usb://"):
        from tablectl.hal.usb_link import open_usb  # noqa: PLC0415

        return await open_usb(url)
    if url.startswith("rfc2217://"):
        from tablectl.hal.rfc2217_link import open_rfc2217  # noqa: PLC0415

        return await open_rfc2217(url, line)
    if url.startswith("socket://"):
        return await open_tcp(url, url.removeprefix("socket://"))
    path = url.removeprefix("pty:")
    if not path.startswith("/"):
        raise LinkNotOpened(f"{url} cannot be opened here: a link is {SCHEMES}")
    return await _open_port(url, path, lambda: _open_serial(path, line))


async def open_tcp(url: str, address: str) -> "PortLink":
    """Connect to HOST:PORT; `url` is what messages name. Raises LinkNotOpened and LinkTimeout."""
    return await _open_port(url, url, lambda: _connect(address))


async def _open_port(url: str, name: str, opened: Callable[[], serial.SerialBase]) -> "PortLink":
    try:
        port = await in_thread(opened, OPEN_S, _close_port)
    except TimeoutError:
        raise LinkTimeout(f"{url} did not open within {OPEN_S:.0f} s: check the network") from None
    except (OSError, ValueError) as error:  # SerialException is an OSError
        raise LinkNotOpened(_why_not(name, error)) from None
    return PortLink(url, port)


def _open_serial(path: str, line: Line) -> serial.SerialBase:
    """May block, so it runs in a thread."""
    return serial.Serial(
        path,
        timeout=0,
        write_timeout=0,
        baudrate=line.baud,
        bytesize=line.bits,
        parity=line.parity,
        exclusive=True,
    )


def _connect(address: str) -> serial.SerialBase:
    """May block, so it runs in a thread."""
    port = _TcpPort(f"socket://{address}", timeout=0, write_timeout=0)
    _set_up_tcp(port.fileno())
    return port


class _TcpPort(protocol_socket.Serial):
    """pyserial's TCP port, which keeps what comes while it is being opened.

    pyserial throws that away; a shoe that nobody may ask tells a card once.
    """

    def reset_input_buffer(self) -> None:
        """Keep it."""


def _why_not(path: str, error: Exception) -> str:
    text = str(error).lower()
    number = getattr(error, "errno", None)
    if "lock" in text or number in (errno.EBUSY, errno.EAGAIN):
        return f"{path} is in use by another program: stop that one first"
    if number == errno.ENOENT:
        return f"{path} is not there: check the cable and the path"
    if number == errno.EACCES:
        return f"{path} may not be opened: the daemon's user needs its group (udev: tablectl)"
    if "refused" in text:
        return f"nobody listens at {path}: check the device and its port server"
    return f"{path} cannot be opened ({str(error)[:100]}): check the cable and the address"


def _set_up_tcp(descriptor: int) -> None:
    """No delay for small frames; a dead peer is noticed even when nothing is sent."""
    with socket.socket(fileno=os.dup(descriptor)) as twin:
        twin.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        twin.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in KEEPALIVE.items():
            if hasattr(socket, name):  # not every system lets it be set
                twin.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def _close_port(port: serial.SerialBase) -> None:
    """Close, whatever state it is in. May block while a serial port drains: runs in a thread."""
    # pyserial leaves a socket open when its shutdown fails, and sleeps 0.3 s: close it ourselves.
    inner = getattr(port, "_socket", None)
    if isinstance(inner, socket.socket):
        with contextlib.suppress(OSError):
            inner.shutdown(socket.SHUT_WR)
        inner.close()
        vars(port).update(_socket=None, is_open=False)
        return
    with contextlib.suppress(OSError):
        port.close()


class PortLink:
    """A port that pyserial opened, read and written by its file descriptor."""

    def __init__(self, url: str, port: serial.SerialBase) -> None:
        self._url = url
        self._port = port
        self._loop = asyncio.get_running_loop()
        self._descriptor: int | None = port.fileno()
        self.plug = plug_of(self._descriptor)
        self._stream = isinstance(getattr(port, "_socket", None), socket.socket)
        self._waiting = bytearray()
        self._on_bytes: OnBytes | None = None
        self._on_lost: OnLost | None = None

    def attach(self, on_bytes: OnBytes, on_lost: OnLost) -> None:
        """Begin to read."""
        assert self._descriptor is not None, "the link is closed"
        self._on_bytes, self._on_lost = on_bytes, on_lost
        self._loop.add_reader(self._descriptor, self._readable)

    def _readable(self) -> None:
        if self._descriptor is None or self._on_bytes is None:
            return
        try:
            data = os.read(self._descriptor, READ_SIZE)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:  # EIO: the pty's other end closed, or the adapter was unplugged
            self._lost(f"the link broke ({os.strerror(error.errno or 0)})")
            return
        if data:
            self._on_bytes(data)
        elif self._stream or self._hung_up():
            self._lost("the other side closed the link")

    def _hung_up(self) -> bool:
        """A serial port gives no bytes when it was flushed, too: only a hang-up is the end."""
        assert self._descriptor is not None
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        ends = select.POLLHUP | select.POLLERR | select.POLLNVAL
        return any(flags & ends for _, flags in poll.poll(0))

    def write(self, data: bytes) -> None:
        """Send at once what the port takes; the rest as soon as it takes more."""
        if self._descriptor is None or not data:
            return
        if not self._waiting:
            try:
                data = data[os.write(self._descriptor, data) :]
            except (BlockingIOError, InterruptedError):
                pass
            except OSError as error:
                self._lost(f"nothing can be sent ({os.strerror(error.errno or 0)})")
                return
        if not data:
            return
        if len(self._waiting) + len(data) > WRITE_BUFFER_MAXIMUM:
            self._lost(f"it takes no bytes: {len(self._waiting)} wait to be sent")
            return
        if not self._waiting:
            self._loop.add_writer(self._descriptor, self._writable)
        self._waiting += data

    def _writable(self) -> None:
        if self._descriptor is None:
            return
        try:
            del self._waiting[: os.write(self._descriptor, self._waiting)]
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self._lost(f"nothing can be sent ({os.strerror(error.errno or 0)})")
            return
        if not self._waiting:
            self._loop.remove_writer(self._descriptor)

    def _lost(self, what: str) -> None:
        self._let_go()
        on_lost, self._on_lost = self._on_lost, None
        if on_lost is not None:
            on_lost(what)

    def _let_go(self) -> None:
        if self._descriptor is not None:
            self._loop.remove_reader(self._descriptor)
            self._loop.remove_writer(self._descriptor)
            self._descriptor = None

    async def close(self) -> None:
        """Let go of the loop, then of the port."""
        self._let_go()
        self._on_lost = None
        if self._stream:
            _close_port(self._port)
            return
        with contextlib.suppress(TimeoutError):  # it goes on draining in its thread
            await in_thread(lambda: _close_port(self._port), CLOSE_S, lambda _: None)


async def in_thread(work: Callable[[], T], limit_s: float, undo: Callable[[T], None]) -> T:
    """Run what may block in a thread of its own; what comes too late is undone. TimeoutError."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def deliver(result: T) -> None:
        if future.done():
            undo(result)
        else:
            future.set_result(result)

    def fail(error: BaseException) -> None:
        if not future.done():
            future.set_exception(error)

    def run() -> None:
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001 - handed over to whoever waits
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(fail, error)
            return
        try:
            loop.call_soon_threadsafe(deliver, result)
        except RuntimeError:  # the loop is closed: nobody will take it
            undo(result)

    # Not the default executor: its threads are joined at exit, and a dead port may take minutes.
    threading.Thread(target=run, name="tablectl-port", daemon=True).start()
    async with asyncio.timeout(limit_s):
        return await future
