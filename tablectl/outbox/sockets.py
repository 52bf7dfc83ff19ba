"""Two sockets for the outbox's thread: one to the broker, read and written in bulk, and a bell.

Every call to the system lets another thread of this process run, and getting the turn back takes
its time. paho asks for one byte and writes one packet at a time; here both meet memory instead.
"""

import contextlib
import socket
import ssl
from typing import Final

CHUNK: Final = 65_536
# Nobody has a reason to send us more at once: a command has 4 KiB, our own topics are small.
PACKET_MAXIMUM: Final = 2 << 20
FLUSH_S: Final = 1.0  # for the last words


class BulkSocket:
    """A connected socket for paho: what it sends waits for `flush`, what comes is read ahead."""

    def __init__(self, opened: socket.socket) -> None:
        self._opened = opened
        self._out = bytearray()
        self._in = b""
        self._at = 0

    def fileno(self) -> int:
        """To wait for it."""
        return self._opened.fileno()

    def setblocking(self, flag: bool) -> None:
        """As a socket's."""
        self._opened.setblocking(flag)

    def send(self, data: bytes | bytearray) -> int:
        """Keep it for `flush`. What may wait is bounded by the engine's windows."""
        self._out += data
        return len(data)

    def recv(self, size: int) -> bytes:
        """What came, at most `size` bytes. Raises OSError, on a huge packet too."""
        if size > PACKET_MAXIMUM:
            raise ConnectionError(f"a packet of {size} bytes")
        if self._at >= len(self._in):
            try:
                self._in = self._opened.recv(CHUNK)
            except ssl.SSLWantReadError:
                raise BlockingIOError from None
            self._at = 0
        found = self._in[self._at : self._at + size]
        self._at += len(found)
        return found

    @property
    def unread(self) -> bool:
        """Whether something came that nobody has asked for yet: no system call would tell."""
        if self._at < len(self._in):
            return True
        return isinstance(self._opened, ssl.SSLSocket) and self._opened.pending() > 0

    @property
    def unsent(self) -> bool:
        """Whether something waits for `flush`."""
        return bool(self._out)

    def flush(self) -> None:
        """Write as much as goes without waiting. Raises OSError."""
        if self._out:
            with contextlib.suppress(BlockingIOError, ssl.SSLWantWriteError, ssl.SSLWantReadError):
                del self._out[: self._opened.send(self._out)]

    def finish(self) -> None:
        """Write everything, waiting a little, and close."""
        with contextlib.suppress(OSError):
            self._opened.settimeout(FLUSH_S)
            self._opened.sendall(self._out)
        self.close()

    def close(self) -> None:
        """Close it; what was not written is lost."""
        self._out.clear()
        self._opened.close()


class Bell:
    """Wakes the thread that waits for it. `ring` is anybody's, and costs little when repeated."""

    def __init__(self) -> None:
        self._ear, self._knob = socket.socketpair()
        self._ear.setblocking(False)
        self._knob.setblocking(False)
        self._rung = False

    def fileno(self) -> int:
        """To wait for it."""
        return self._ear.fileno()

    def ring(self) -> None:
        """Something is new; look after `hush`."""
        if not self._rung:
            self._rung = True
            with contextlib.suppress(OSError):  # full, or closed: nobody waits any more
                self._knob.send(b"\0")

    def hush(self) -> None:
        """Heard, once it rang. Whatever was new before `ring` is there to be seen from here on."""
        self._ear.recv(64)
        self._rung = False

    def close(self) -> None:
        """Nobody listens any more."""
        self._ear.close()
        self._knob.close()
