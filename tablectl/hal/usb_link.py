"""A USB device as a link: two threads block on it and hand over to the loop.

One reads reports, one does the transfers that the session asks for, in order. Neither outlives the
link, neither dies unseen: whatever ends one is a lost link, told once, with a sentence.
"""

import asyncio
import contextlib
import queue
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from tablectl.hal.errors import LinkLost, LinkTimeout
from tablectl.hal.link import CLOSE_S, OPEN_S, OnBytes, OnLost, in_thread
from tablectl.hal.usb_packets import Packet, Packets

if TYPE_CHECKING:
    from tablectl.hal.usb_port import UsbPort

WAITING_MAXIMUM: Final = 64  # packets each way: beyond that somebody does not listen
LAST_WORDS_S: Final = 1.0  # what may still be sent while it closes


async def open_usb(url: str, backend: Any = None) -> "UsbLink":
    """Open `usb://VID:PID…`, exclusively. Raises LinkNotOpened and LinkTimeout."""
    try:
        port = await in_thread(lambda: _open(url, backend), OPEN_S, lambda port: port.close())
    except TimeoutError:
        raise LinkTimeout(f"{url} did not open within {OPEN_S:.0f} s: unplug it") from None
    return UsbLink(port)


def _open(url: str, backend: Any) -> "UsbPort":
    # Loaded in the thread: libusb takes a moment, and a table without USB devices never needs it.
    from tablectl.hal.usb_port import open_port  # noqa: PLC0415

    return open_port(url, backend)


class UsbLink:
    """A claimed USB interface that speaks packets. See usb_packets.py."""

    def __init__(self, port: "UsbPort") -> None:
        self._port = port
        self.plug = port.plug
        self._loop = asyncio.get_running_loop()
        self._on_bytes: OnBytes | None = None
        self._on_lost: OnLost | None = None
        self._packets = Packets()
        self._out: queue.SimpleQueue[Packet | None] = queue.SimpleQueue()  # bounded by `write`
        self._room = threading.Semaphore(WAITING_MAXIMUM)  # reports that the loop has not taken
        self._ending = threading.Event()
        self._last_s = 0.0
        self._threads: list[threading.Thread] = []
        self._closed = False

    def attach(self, on_bytes: OnBytes, on_lost: OnLost) -> None:
        """Begin to read."""
        self._on_bytes, self._on_lost = on_bytes, on_lost
        works = [("tablectl-usb-write", self._write_all)]
        if self._port.reports:
            works.append(("tablectl-usb-read", self._read_all))
        for name, work in works:
            thread = threading.Thread(target=self._guarded, args=(work,), name=name, daemon=True)
            self._threads.append(thread)
            thread.start()

    def write(self, data: bytes) -> None:
        """Queue the transfers; a queue that is full is a lost link."""
        if self._ending.is_set():
            return
        for packet in self._packets.feed(data):
            if self._out.qsize() >= WAITING_MAXIMUM:
                self._lost(f"it takes nothing: {WAITING_MAXIMUM} transfers wait to be sent")
                return
            self._out.put(packet)

    async def close(self) -> None:
        """End both threads, then let go of the device."""
        if self._closed:
            return
        self._closed = True
        self._on_bytes = self._on_lost = None
        if not self._ending.is_set():
            self._last_s = time.monotonic() + LAST_WORDS_S
            self._ending.set()
        self._out.put(None)
        with contextlib.suppress(TimeoutError):  # it goes on closing in its thread
            await in_thread(self._end, CLOSE_S, lambda _: None)

    def _end(self) -> None:
        for thread in self._threads:
            thread.join()
        self._port.close()

    # ── in the threads ─────────────────────────────────────────────────────
    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except LinkLost as lost:
            self._hand_over(self._lost, str(lost))
        except Exception as error:  # noqa: BLE001 - told as a lost link, never a silent thread
            what = f"the link broke ({type(error).__name__}): report this"
            self._hand_over(self._lost, what)

    def _read_all(self) -> None:
        while not self._ending.is_set():
            if not self._room.acquire(timeout=0.1):
                continue  # the loop is busy; meanwhile the device keeps its report
            packet = self._port.read()
            if packet is None:
                self._room.release()
            else:
                self._hand_over(self._report, packet)

    def _write_all(self) -> None:
        while (packet := self._out.get()) is not None:
            if self._ending.is_set() and time.monotonic() >= self._last_s:
                return
            self._hand_over(self._answer, self._port.write(packet))

    def _hand_over(self, to: Callable[[Any], None], what: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
            self._loop.call_soon_threadsafe(to, what)

    # ── on the loop ────────────────────────────────────────────────────────
    def _report(self, packet: Packet) -> None:
        self._room.release()
        self._answer(packet)

    def _answer(self, packet: Packet) -> None:
        if self._on_bytes is not None:
            self._on_bytes(packet.to_bytes())

    def _lost(self, what: str) -> None:
        self._ending.set()
        self._out.put(None)
        on_lost, self._on_lost, self._on_bytes = self._on_lost, None, None
        if on_lost is not None:
            on_lost(what)
