"""RFC 2217: byte vectors and nonsense for the codec, a server of our own, and a real ser2net."""

import asyncio
import contextlib
import os
import tty
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablectl.hal import rfc2217_link
from tablectl.hal.errors import LinkNotOpened, LinkTimeout
from tablectl.hal.kinds import Line
from tablectl.hal.link import WRITE_BUFFER_MAXIMUM, Link, open_link
from tablectl.hal.rfc2217 import Rfc2217, escaped
from tests.hal.test_link import Heard, descriptors
from tests.ser2net import Ser2net

LINE = Line(4800)
OFFERS = bytes.fromhex("fffb2c fffb00 fffb03 fffd00 fffd03")
# After DO COM-PORT-OPTION: 4800 baud, 8 bits, no parity, 1 stop bit; no flow control, DTR, RTS.
SETTINGS = bytes.fromhex(
    "fffa2c01000012c0fff0 fffa2c0208fff0 fffa2c0301fff0 fffa2c0401fff0"
    "fffa2c0501fff0 fffa2c0508fff0 fffa2c050bfff0"
)
DO_COM_PORT = bytes.fromhex("fffd2c")
ANSWERS = bytes.fromhex("fffa2c65000012c0fff0 fffa2c6608fff0 fffa2c6701fff0 fffa2c6801fff0")
# What ser2net 4.3 says to whoever connects.
GREETING = bytes.fromhex("fffb03 fffd03 fffb01 fffe01 fffd00 fffb00")


# ── the codec ──────────────────────────────────────────────────────────────
def opened(line=LINE):
    telnet = Rfc2217(line)
    assert telnet.to_send() == OFFERS
    return telnet


def test_the_line_is_set_as_soon_as_the_server_takes_settings():
    telnet = opened()
    assert telnet.feed(GREETING) == b""
    assert telnet.to_send() == bytes.fromhex("fffe01")  # no echo; the rest was asked for already
    assert telnet.feed(DO_COM_PORT) == b""
    assert telnet.to_send() == SETTINGS
    assert not telnet.settled
    assert telnet.feed(ANSWERS) == b""
    assert telnet.settled
    assert telnet.feed(GREETING + DO_COM_PORT) == b""  # once more: nothing new
    assert telnet.to_send() == bytes.fromhex("fffe01")
    assert telnet.refused is None


def test_a_speed_with_an_ff_in_it_is_escaped():
    telnet = opened(Line(0xFF00, bits=7, parity="E"))
    telnet.feed(DO_COM_PORT)
    sent = telnet.to_send()
    assert sent.startswith(bytes.fromhex("fffa2c010000ffff00fff0 fffa2c0207fff0 fffa2c0303fff0"))


def test_the_devices_bytes_come_out_as_they_went_in():
    telnet = opened()
    every = bytes(range(256)) * 2
    assert telnet.feed(escaped(every)) == every
    parts = [telnet.feed(escaped(every)[at : at + 1]) for at in range(len(escaped(every)))]
    assert b"".join(parts) == every
    mixed = b"ab" + DO_COM_PORT + b"cd" + bytes.fromhex("fffa2c6b30fff0") + b"\xff\xffe"
    assert telnet.feed(mixed) == b"abcd\xffe"


def test_what_is_not_known_is_declined():
    telnet = opened()
    assert telnet.feed(bytes.fromhex("fffd18 fffb18 fffc18 fffe18 fff1")) == b""
    assert telnet.to_send() == bytes.fromhex("fffc18 fffe18")


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("fffe2c", "it does not speak RFC 2217: use socket://"),
        ("fffe00", "it does not pass all bytes as they are"),
        ("fffc00", "it does not pass all bytes as they are"),
        ("fffd2c fffa2c6500002580fff0", "it sets the speed to 9600, not to 4800"),
        ("fffd2c fffa2c6602fff0", "it sets the data bits to 2, not to 8"),
    ],
)
def test_a_server_that_cannot_be_used(said, why):
    telnet = opened()
    telnet.feed(bytes.fromhex(said))
    assert telnet.refused is not None
    assert telnet.refused.startswith(why)


def test_it_holds_back_when_it_is_asked_to():
    telnet = opened()
    telnet.feed(bytes.fromhex("fffa2c6c00fff0"))
    assert telnet.suspended
    telnet.feed(bytes.fromhex("fffa2c6d00fff0"))
    assert not telnet.suspended


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300), st.lists(st.integers(1, 20), max_size=20))
def test_nonsense_raises_nothing_and_grows_nothing(noise, cuts):
    telnet = opened()
    at = 0
    for cut in [*cuts, len(noise)]:
        telnet.feed(noise[at : at + cut])
        at += cut
    assert len(telnet._suboption) <= 64
    assert len(telnet.to_send()) <= 3 * len(noise) + len(SETTINGS)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200), st.lists(st.integers(1, 9), max_size=60))
def test_any_bytes_pass_however_they_are_cut(data, cuts):
    telnet, wire, found, at = opened(), escaped(data), b"", 0
    for cut in [*cuts, len(wire)]:
        found += telnet.feed(wire[at : at + cut])
        at += cut
    assert found == data


# ── the link, against a server that does as it is told ─────────────────────
class Server:
    """Says `script` to whoever comes, and keeps what it hears."""

    def __init__(self, *script: bytes) -> None:
        self.script, self.heard = script, b""
        self.writer: asyncio.StreamWriter | None = None

    async def __aenter__(self):
        self.server = await asyncio.start_server(self.served, "127.0.0.1", 0)
        self.url = f"rfc2217://127.0.0.1:{self.server.sockets[0].getsockname()[1]}"
        return self

    async def served(self, reader, writer):
        self.writer = writer
        for part in self.script:
            writer.write(part)
            await asyncio.sleep(0)
        with contextlib.suppress(OSError):
            while data := await reader.read(4096):
                self.heard += data
        writer.close()

    async def __aexit__(self, *error):
        if self.writer is not None:
            self.writer.transport.abort()
        await asyncio.sleep(0.02)
        self.server.close()
        await self.server.wait_closed()


def against(scenario, *script):
    async def whole():
        async with Server(*script) as server:
            await scenario(server)

    asyncio.run(whole())


def test_what_comes_while_the_line_is_set_is_heard_first():
    async def scenario(server):
        heard = Heard()
        link = await open_link(server.url, LINE)
        await asyncio.sleep(0.02)
        assert server.writer is not None
        server.writer.write(b" and then")
        await asyncio.sleep(0.02)
        link.attach(heard.on_bytes, heard.on_lost)
        server.writer.write(b" this")
        await heard.until(lambda: heard.data == b"early\xff and then this")
        await link.close()

    against(scenario, b"ear", DO_COM_PORT, b"ly\xff\xff", ANSWERS)


def test_a_server_that_goes_before_anybody_listens_is_a_lost_link():
    async def scenario(server):
        heard = Heard()
        link = await open_link(server.url, LINE)
        server.writer.transport.abort()
        await asyncio.sleep(0.05)
        link.attach(heard.on_bytes, heard.on_lost)
        await heard.until(lambda: heard.lost)
        assert len(heard.lost) == 1
        await link.close()

    against(scenario, DO_COM_PORT, ANSWERS)


@pytest.mark.parametrize("script", [(b"hello, this is a raw port\r\n",), (DO_COM_PORT,), ()])
def test_a_raw_port_is_told_from_a_port_server(script, monkeypatch):
    monkeypatch.setattr(rfc2217_link, "OPEN_S", 0.2)
    before = descriptors()

    async def scenario(server):
        with pytest.raises(LinkTimeout, match="use socket:// if its port is a raw one"):
            await open_link(server.url, LINE)

    against(scenario, *script)
    assert descriptors() == before


def test_a_refusal_is_a_sentence_and_leaves_nothing_open():
    before = descriptors()

    async def scenario(server):
        with pytest.raises(LinkNotOpened, match="was not opened, it does not speak RFC 2217"):
            await open_link(server.url, LINE)

    against(scenario, bytes.fromhex("fffe2c"))
    assert descriptors() == before


def test_what_the_server_does_not_want_now_is_held_back_and_bounded():
    async def scenario(server):
        heard = Heard()
        link = await open_link(server.url, LINE)
        link.attach(heard.on_bytes, heard.on_lost)
        server.writer.write(bytes.fromhex("fffa2c6c00fff0"))
        await asyncio.sleep(0.05)
        before = server.heard
        link.write(b"held\xff")
        await asyncio.sleep(0.05)
        assert server.heard == before
        server.writer.write(bytes.fromhex("fffa2c6d00fff0"))
        await asyncio.sleep(0.05)
        assert server.heard == before + b"held\xff\xff"
        server.writer.write(bytes.fromhex("fffa2c6c00fff0"))
        await asyncio.sleep(0.05)
        for _ in range(3):
            link.write(bytes(WRITE_BUFFER_MAXIMUM // 2))
        await heard.until(lambda: heard.lost)
        assert "takes no bytes" in heard.lost[0]
        await link.close()

    against(scenario, DO_COM_PORT, ANSWERS)


# ── and against a real ser2net ─────────────────────────────────────────────
class Pty:
    """A device's line behind the port server."""

    def __init__(self, name: Path) -> None:
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        name.unlink(missing_ok=True)
        name.symlink_to(os.ttyname(self.slave))

    def close(self) -> None:
        os.close(self.slave)
        os.close(self.master)


async def heard_at(master: int, count: int) -> bytes:
    """What the device gets, until it is so much."""
    os.set_blocking(master, False)
    got = b""
    async with asyncio.timeout(5):
        while len(got) < count:
            with contextlib.suppress(BlockingIOError):
                got += os.read(master, 4096)
            await asyncio.sleep(0.005)
    return got


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Ser2net(tmp_path_factory.mktemp("ser2net"), 1, kick=False) as ser2net:
        yield ser2net


async def opened_again(url: str) -> Link:
    """The server takes a moment to let go of the one before."""
    async with asyncio.timeout(5):
        while True:
            try:
                return await open_link(url, LINE)
            except LinkNotOpened:
                await asyncio.sleep(0.05)


@pytest.mark.parametrize("option", ["", "?ign_set_control"])
def test_every_byte_passes_both_ways_through_ser2net(server, option):
    async def scenario():
        pty, heard = Pty(server.line()), Heard()
        link = await opened_again(server.url("rfc2217") + option)
        link.attach(heard.on_bytes, heard.on_lost)
        every = bytes(range(256)) * 4
        os.write(pty.master, every)
        await heard.until(lambda: heard.data == every)
        link.write(every)
        assert await heard_at(pty.master, len(every)) == every
        assert heard.lost == []
        await link.close()
        pty.close()

    asyncio.run(scenario())


def test_a_line_behind_ser2net_is_one_hosts_and_free_after_closing(server):
    async def scenario():
        pty = Pty(server.line())
        first = await opened_again(server.url("rfc2217"))
        with pytest.raises(LinkNotOpened, match="in use by another program"):
            await open_link(server.url("rfc2217"), LINE)
        await first.close()
        second = await opened_again(server.url("rfc2217"))
        await second.close()
        pty.close()

    asyncio.run(scenario())


@pytest.mark.parametrize("scheme", ["socket", "rfc2217"])
def test_a_device_unplugged_behind_ser2net_is_a_lost_link_and_comes_back(server, scheme):
    async def scenario():
        before = descriptors()
        pty, heard = Pty(server.line()), Heard()
        link = await opened_again(server.url(scheme))
        link.attach(heard.on_bytes, heard.on_lost)
        await asyncio.sleep(0.05)
        pty.close()
        await heard.until(lambda: heard.lost)
        assert len(heard.lost) == 1
        await link.close()
        pty, heard = Pty(server.line()), Heard()
        link = await opened_again(server.url(scheme))
        link.attach(heard.on_bytes, heard.on_lost)
        await asyncio.sleep(0.05)
        os.write(pty.master, b"here again")
        await heard.until(lambda: heard.data.endswith(b"here again"))
        await link.close()
        pty.close()
        assert len(descriptors() - before) <= 1  # the loop's own

    asyncio.run(scenario())


@pytest.mark.parametrize("scheme", ["socket", "rfc2217"])
def test_a_port_server_that_restarts_is_a_lost_link_and_comes_back(server, scheme):
    async def scenario():
        pty, heard = Pty(server.line()), Heard()
        link = await opened_again(server.url(scheme))
        link.attach(heard.on_bytes, heard.on_lost)
        server.stop()
        await heard.until(lambda: heard.lost)
        await link.close()
        server.start()
        heard = Heard()
        link = await opened_again(server.url(scheme))
        link.attach(heard.on_bytes, heard.on_lost)
        await asyncio.sleep(0.05)
        os.write(pty.master, b"here again")
        await heard.until(lambda: heard.data.endswith(b"here again"))
        await link.close()
        pty.close()

    asyncio.run(scenario())
