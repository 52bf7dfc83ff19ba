"""Where hosts reach a device: a pty or a TCP port on loopback, on the asyncio loop.

A port moves bytes and says when a connection comes and goes; it survives both, and knows nothing of
frames.
"""

import asyncio
import contextlib
import os
import tty
from pathlib import Path
from typing import Final, Protocol, cast

READ: Final = 65536
MOST_UNSENT: Final = 65536  # bytes for a host that does not read: then it is hung up
PTY_AWAY_S: Final = 0.3  # how long an unplugged port is gone
LOOPBACK: Final = "127.0.0.1"


class Ears(Protocol):
    """What a port needs of whoever listens behind it."""

    def came(self) -> None: ...
    def heard(self, data: bytes) -> None: ...
    def went(self) -> None: ...


class Port(Protocol):
    """What a rack needs of a port."""

    sees_connections: bool

    @property
    def url(self) -> str: ...
    async def open(self, ears: Ears) -> None: ...
    def send(self, data: bytes) -> None: ...
    def hang_up(self, gently: bool = False) -> None: ...
    async def close(self) -> None: ...


class PtyPort:
    """A pseudo terminal under a lasting name. Like a serial line it cannot see who listens."""

    sees_connections = False

    def __init__(self, link: Path) -> None:
        """`link` becomes a symbolic link to the terminal, also when that changes."""
        self.link = link
        self._ears: Ears | None = None
        self._fds: tuple[int, int] | None = None
        self._back: asyncio.TimerHandle | None = None
        self.unsent = 0  # bytes that a full line lost

    @property
    def url(self) -> str:
        return str(self.link)

    async def open(self, ears: Ears) -> None:
        self._ears = ears
        self._plug_in()

    def _plug_in(self) -> None:
        self._back = None
        # The other end stays open here too: without any opener reading would fail, not wait.
        master, slave = os.openpty()
        self._fds = master, slave
        tty.setraw(slave)
        os.set_blocking(master, False)
        new = self.link.with_name(self.link.name + ".new")
        new.unlink(missing_ok=True)
        new.symlink_to(os.ttyname(slave))
        new.replace(self.link)
        asyncio.get_running_loop().add_reader(master, self._readable)

    def _readable(self) -> None:
        if self._fds is None or self._ears is None:
            return
        with contextlib.suppress(BlockingIOError, OSError):
            self._ears.heard(os.read(self._fds[0], READ))

    def send(self, data: bytes) -> None:
        if self._fds is None:
            return
        sent = 0
        with contextlib.suppress(BlockingIOError, OSError):
            sent = os.write(self._fds[0], data)
        self.unsent += len(data) - sent

    def hang_up(self, gently: bool = False) -> None:  # noqa: ARG002
        """Pull the plug; it is put in again after a moment."""
        if self._fds is None:
            return
        self._pull_out()
        loop = asyncio.get_running_loop()
        self._back = loop.call_later(PTY_AWAY_S, self._plug_in)

    def _pull_out(self) -> None:
        # First the name: the number behind it may be somebody else's terminal a moment later.
        self.link.unlink(missing_ok=True)
        if self._fds is not None:
            asyncio.get_running_loop().remove_reader(self._fds[0])
            for fd in self._fds:
                os.close(fd)
            self._fds = None

    async def close(self) -> None:
        if self._back is not None:
            self._back.cancel()
        self._pull_out()


class TcpPort:
    """A TCP port on loopback: one connection at a time, a new one replaces the old."""

    sees_connections = True

    def __init__(self, port: int = 0) -> None:
        """`port` 0: a free one."""
        self.port = port
        self._ears: Ears | None = None
        self._server: asyncio.Server | None = None
        self._now: _Connection | None = None

    @property
    def url(self) -> str:
        return f"socket://{LOOPBACK}:{self.port}"

    async def open(self, ears: Ears) -> None:
        self._ears = ears
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Connection(self), LOOPBACK, self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    def came(self, connection: "_Connection") -> None:
        self.hang_up()
        self._now = connection
        if self._ears:
            self._ears.came()

    def heard(self, connection: "_Connection", data: bytes) -> None:
        if connection is self._now and self._ears:
            self._ears.heard(data)

    def went(self, connection: "_Connection") -> None:
        if connection is self._now:
            self._now = None
            if self._ears:
                self._ears.went()

    def send(self, data: bytes) -> None:
        if self._now is None or self._now.transport is None:
            return
        self._now.transport.write(data)
        if self._now.transport.get_write_buffer_size() > MOST_UNSENT:
            self.hang_up()

    def hang_up(self, gently: bool = False) -> None:
        """Close; `gently`: what was sent still arrives."""
        connection = self._now
        if connection is not None and connection.transport is not None:
            self.went(connection)
            if gently:
                connection.transport.close()
            else:
                connection.transport.abort()

    async def close(self) -> None:
        self.hang_up()
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()


class _Connection(asyncio.Protocol):
    def __init__(self, port: TcpPort) -> None:
        self.port = port
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)  # TCP_NODELAY is asyncio's own
        self.port.came(self)

    def data_received(self, data: bytes) -> None:
        self.port.heard(self, data)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self.port.went(self)
        self.transport = None
