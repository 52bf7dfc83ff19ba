"""Reading shoes at the other end of a link: the simulators' wires on real ports, worked by hand.

On a pty and on TCP; test_behind_ser2net.py puts a port server before the pty.
"""

from pathlib import Path
from typing import Any, ClassVar

from hwsim.angel_eye.wire import AngelEyeWire
from hwsim.baccarat import Happening
from hwsim.bee_tek.wire import BeeTekWire
from hwsim.ports import PtyPort, TcpPort
from tablectl.cards import parse_card


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


class AngelEyePty(AngelEyePeer):
    port_class = PtyPort


class AngelEyeTcp(AngelEyePeer):
    port_class = TcpPort


class BeeTekPty(BeeTekPeer):
    port_class = PtyPort


class BeeTekTcp(BeeTekPeer):
    port_class = TcpPort


READERS = {
    "angel-eye-pty": AngelEyePty,
    "angel-eye-tcp": AngelEyeTcp,
    "bee-tek-pty": BeeTekPty,
    "bee-tek-tcp": BeeTekTcp,
}
