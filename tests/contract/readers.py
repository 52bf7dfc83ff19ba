"""Reading shoes at the other end of a link: the simulators' wires on real ports, worked by hand.

On a pty, on TCP, and on a pty behind a real ser2net, as a port server stands before a serial line.
"""

import asyncio
import contextlib
import socket
import subprocess
import time
from pathlib import Path
from typing import Any, ClassVar

from hwsim.angel_eye.wire import AngelEyeWire
from hwsim.baccarat import Happening
from hwsim.bee_tek.wire import BeeTekWire
from hwsim.ports import PtyPort, TcpPort
from tablectl.cards import parse_card

SER2NET = "/usr/sbin/ser2net"
BOOT_S = 10.0


class ReaderPeer:
    """A reading shoe with hands; the port hands its bytes over in `heard`."""

    driver: ClassVar[str]
    options: ClassVar[dict[str, Any]] = {}
    places: ClassVar[bool]  # whether it knows where a card goes
    numbered: ClassVar[bool]  # whether a lost report shows
    makes: ClassVar[Any]
    port_class: ClassVar[Any]

    def __init__(self, place: Path) -> None:
        self.place = place
        self.wire = self.makes()
        self.port = self.port_class(place / "shoe") if self.port_class is PtyPort else TcpPort()
        self.bytes_heard = b""
        self.arrived = 0

    # ── the port's ears ──
    def came(self) -> None:
        self.arrived += 1

    def went(self) -> None:
        pass

    def heard(self, data: bytes) -> None:
        self.bytes_heard += data
        if answer := self.wire.receive(data):
            self.port.send(answer)

    # ── hands ──
    @property
    def url(self) -> str:
        url = self.port.url
        return f"pty:{url}" if url.startswith("/") else url

    async def start(self) -> None:
        await self.port.open(self)

    async def stop(self) -> None:
        await self.port.close()

    async def drop(self) -> None:
        self.port.hang_up()

    def babble(self, data: bytes) -> None:
        self.port.send(data)

    def tell(self, name: str, **what: Any) -> bytes:
        """Something happens at the shoe; its report, sent once."""
        report = self.wire.report(Happening(name, **what))
        self.port.send(report)
        return report

    def card(self, target: str, index: int, card: str | None) -> bytes:
        read = None if card is None else parse_card(card)
        return self.tell("card", target=target, index=index, card=read)


class AngelEyePeer(ReaderPeer):
    driver = "angel_eye"
    places = numbered = True
    makes = AngelEyeWire


class BeeTekPeer(ReaderPeer):
    driver = "bee_tek"
    places = numbered = False
    makes = BeeTekWire


class BehindSer2net(ReaderPeer):
    """The shoe on a pty, and ser2net between it and the network: raw TCP, no delay."""

    port_class = PtyPort
    baud: ClassVar[int]
    server: subprocess.Popen[bytes] | None = None
    tcp_port = 0

    @property
    def url(self) -> str:
        return f"socket://127.0.0.1:{self.tcp_port}"

    async def start(self) -> None:
        await super().start()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.tcp_port = probe.getsockname()[1]
        await self._serve()

    async def _serve(self) -> None:
        self._start_server()
        end = time.monotonic() + BOOT_S
        while time.monotonic() < end:
            with (
                contextlib.suppress(OSError),
                socket.create_connection(("127.0.0.1", self.tcp_port)),
            ):
                return
            await asyncio.sleep(0.05)
        raise AssertionError("ser2net does not listen")

    def _start_server(self) -> None:
        file = self.place / "ser2net.yaml"
        file.write_text(
            "connection: &shoe\n"
            f"  accepter: tcp,127.0.0.1,{self.tcp_port}\n"
            f"  connector: serialdev,{self.place / 'shoe'},{self.baud}n81,local\n"
            "  options:\n    kickolduser: true\n    chardelay: false\n"
        )
        self.server = subprocess.Popen(
            [SER2NET, "-n", "-c", str(file)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def _end_server(self) -> None:
        if self.server is not None:
            self.server.terminate()
            self.server.wait(BOOT_S)
            self.server = None

    async def stop(self) -> None:
        self._end_server()
        await super().stop()

    async def drop(self) -> None:
        """The port server restarts."""
        self._end_server()
        await self._serve()


class AngelEyePty(AngelEyePeer):
    port_class = PtyPort


class AngelEyeTcp(AngelEyePeer):
    port_class = TcpPort


class AngelEyeSer2net(BehindSer2net, AngelEyePeer):
    baud = 4800


class BeeTekPty(BeeTekPeer):
    port_class = PtyPort


class BeeTekTcp(BeeTekPeer):
    port_class = TcpPort


class BeeTekSer2net(BehindSer2net, BeeTekPeer):
    baud = 9600


READERS = {
    "angel-eye-pty": AngelEyePty,
    "angel-eye-tcp": AngelEyeTcp,
    "angel-eye-ser2net": AngelEyeSer2net,
    "bee-tek-pty": BeeTekPty,
    "bee-tek-tcp": BeeTekTcp,
    "bee-tek-ser2net": BeeTekSer2net,
}
