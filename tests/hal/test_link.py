"""Real ports: a pty and TCP on loopback. Exclusive, never blocking, lost once, closed for good."""

import asyncio
import os
import socket
import time
import tty

import pytest

from tablectl.hal.errors import LinkNotOpened
from tablectl.hal.kinds import Line
from tablectl.hal.link import WRITE_BUFFER_MAXIMUM, PortLink, open_link
from tests.pace import within

LINE = Line()


class Heard:
    """What a link told."""

    def __init__(self):
        self.data, self.lost, self.event = b"", [], asyncio.Event()

    def on_bytes(self, data):
        self.data += data
        self.event.set()

    def on_lost(self, what):
        self.lost.append(what)
        self.event.set()

    async def until(self, condition):
        async with asyncio.timeout(5):
            while not condition():
                self.event.clear()
                await self.event.wait()


def pty():
    master, slave = os.openpty()
    tty.setraw(slave)
    return master, slave, os.ttyname(slave)


def descriptors():
    return set(os.listdir("/proc/self/fd"))


@pytest.mark.parametrize("form", ["{}", "pty:{}"])
def test_a_pty_reads_and_writes(form):
    async def scenario():
        master, slave, name = pty()
        heard = Heard()
        link = await open_link(form.format(name), LINE)
        link.attach(heard.on_bytes, heard.on_lost)
        os.write(master, b"\x00hello\xff")
        await heard.until(lambda: heard.data == b"\x00hello\xff")
        link.write(b"\x00\x11\x13\xff")  # XON and XOFF are bytes like any other
        await asyncio.sleep(0.02)
        assert os.read(master, 100) == b"\x00\x11\x13\xff"
        await link.close()
        os.close(slave)
        os.close(master)
        assert heard.lost == []

    asyncio.run(scenario())


def test_a_closed_master_is_a_lost_link_told_once():
    async def scenario():
        before = descriptors()
        master, slave, name = pty()
        heard = Heard()
        link = await open_link(name, LINE)
        link.attach(heard.on_bytes, heard.on_lost)
        os.close(slave)
        os.close(master)
        await heard.until(lambda: heard.lost)
        link.write(b"more")
        await asyncio.sleep(0.02)
        assert len(heard.lost) == 1
        await link.close()
        await link.close()
        assert descriptors() == before  # a port left open would come back under another name

    asyncio.run(scenario())


def test_a_port_is_opened_once_and_is_free_after_closing():
    async def scenario():
        master, slave, name = pty()
        first = await open_link(name, LINE)
        with pytest.raises(LinkNotOpened, match="in use by another program"):
            await open_link(name, LINE)
        await first.close()
        second = await open_link(name, LINE)
        await second.close()
        os.close(slave)
        os.close(master)

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("/dev/nothing-here", "is not there: check the cable"),
        ("loop://", "a link is a serial port's path"),
        ("rfc2217://127.0.0.1:1", "nobody listens at rfc2217://127.0.0.1:1"),
        ("usb:1d34:000d", "a link is a serial port's path"),
        ("usb://1d34", "is no USB address"),
        ("socket://127.0.0.1:1", "nobody listens at"),
        ("pty:/dev/null", "cannot be opened"),
    ],
)
def test_what_cannot_be_opened_says_what_to_do(url, what):
    async def scenario():
        with pytest.raises(LinkNotOpened, match=what):
            await open_link(url, LINE)

    asyncio.run(scenario())


def test_tcp_reads_writes_and_is_lost():
    async def scenario():
        before = descriptors()
        served = asyncio.get_running_loop().create_future()
        server = await asyncio.start_server(lambda *pair: served.set_result(pair), "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        heard = Heard()
        link = await open_link(f"socket://127.0.0.1:{port}", LINE)
        link.attach(heard.on_bytes, heard.on_lost)
        link.write(b"\x00abc")
        async with asyncio.timeout(5):
            reader, writer = await served
            assert await reader.readexactly(4) == b"\x00abc"
        writer.write(b"xyz")
        await heard.until(lambda: heard.data == b"xyz")
        writer.transport.abort()
        await heard.until(lambda: heard.lost)
        loop = asyncio.get_running_loop()
        begun = loop.time()
        await link.close()
        assert loop.time() - begun < within(0.2)  # pyserial would sleep 0.3 s here
        server.close()
        await server.wait_closed()
        writer.close()
        await asyncio.sleep(0.02)
        assert len(descriptors() - before) <= 1  # the loop's own

    asyncio.run(scenario())


def test_a_device_that_takes_no_bytes_is_lost_and_the_buffer_is_bounded():
    async def scenario():
        master, slave, name = pty()
        heard = Heard()
        link = await open_link(name, LINE)
        link.attach(heard.on_bytes, heard.on_lost)
        for _ in range(WRITE_BUFFER_MAXIMUM):
            link.write(b"x" * 100)
            if heard.lost:
                break
        assert len(heard.lost) == 1
        assert "takes no bytes" in heard.lost[0]
        await link.close()
        os.close(slave)
        os.close(master)

    asyncio.run(scenario())


def test_a_slow_reader_gets_everything_in_order():
    async def scenario():
        master, slave, name = pty()
        os.set_blocking(master, False)
        heard = Heard()
        link = await open_link(name, LINE)
        link.attach(heard.on_bytes, heard.on_lost)
        sent = bytes(range(256)) * 40
        for at in range(0, len(sent), 64):
            link.write(sent[at : at + 64])
        got = b""
        async with asyncio.timeout(5):
            while len(got) < len(sent):
                try:
                    got += os.read(master, 500)
                except BlockingIOError:
                    await asyncio.sleep(0.001)
                await asyncio.sleep(0)
        assert got == sent
        assert heard.lost == []
        await link.close()
        os.close(slave)
        os.close(master)

    asyncio.run(scenario())


def test_opening_never_blocks_the_loop():
    """A listener with a full backlog lets a connection hang; the loop goes on beating."""

    async def scenario():
        with socket.socket() as server:
            server.bind(("127.0.0.1", 0))
            server.listen(0)
            url = f"socket://127.0.0.1:{server.getsockname()[1]}"
            fillers = [socket.socket() for _ in range(3)]
            for filler in fillers:
                filler.setblocking(False)
                filler.connect_ex(server.getsockname())
            opening = asyncio.create_task(open_link(url, LINE))
            beats, worst = 0, 0.0
            loop = asyncio.get_running_loop()
            last = loop.time()
            while beats < 20:
                await asyncio.sleep(0.01)
                worst, last, beats = max(worst, loop.time() - last), loop.time(), beats + 1
            assert worst < within(0.2)
            opening.cancel()
            await asyncio.gather(opening, return_exceptions=True)
            for filler in fillers:
                filler.close()

    asyncio.run(scenario())


def test_a_dead_peer_is_noticed_within_half_a_minute():
    async def scenario():
        served = asyncio.get_running_loop().create_future()
        server = await asyncio.start_server(lambda *pair: served.set_result(pair), "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        link = await open_link(f"socket://127.0.0.1:{port}", LINE)
        assert isinstance(link, PortLink)
        assert link._descriptor is not None
        with socket.socket(fileno=os.dup(link._descriptor)) as twin:
            assert twin.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
            idle, every, count = (
                twin.getsockopt(socket.IPPROTO_TCP, option)
                for option in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT)
            )
        assert idle + every * count <= 30
        await link.close()
        _reader, writer = await served
        writer.close()
        await writer.wait_closed()
        server.close()
        await server.wait_closed()

    asyncio.run(scenario())


def test_what_comes_while_a_tcp_link_opens_is_heard(monkeypatch):
    """A shoe behind a port server speaks as soon as somebody is there, and once."""

    async def greet(reader, writer):
        writer.write(b"at once")
        await reader.read()  # until the link is closed
        writer.close()

    connect = socket.create_connection

    def slowly(*args, **more):
        connected = connect(*args, **more)
        time.sleep(0.1)  # the bytes are here before pyserial has opened its port
        return connected

    monkeypatch.setattr(socket, "create_connection", slowly)

    async def scenario():
        server = await asyncio.start_server(greet, "127.0.0.1", 0)
        link = await open_link(f"socket://127.0.0.1:{server.sockets[0].getsockname()[1]}", LINE)
        heard = Heard()
        link.attach(heard.on_bytes, heard.on_lost)
        await heard.until(lambda: heard.data == b"at once")
        await link.close()
        await asyncio.sleep(0.05)
        server.close()
        await server.wait_closed()

    asyncio.run(scenario())
