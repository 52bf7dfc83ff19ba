"""A daemon that listens to an Angel Eye shoe of the tests' own, over TCP: a `Line` for that shoe.

The port server stands here: it takes one connection at a time, and notes every byte that comes.
"""

import json
import select
import socket
import struct
import time
from pathlib import Path
from typing import Any, Self

from tests.outbox.mosquitto import Mosquitto, free_port, until
from tests.pace import within
from tests.system.processes import Daemon
from tests.system.subscriber import CONFIG, Subscriber

RETRIED_S = 20.0  # a lost link is retried within so long
STOPPED_S = 5.0


def configuration(data: Path, url: str, broker: int) -> str:
    """The ready configuration, with this test's addresses."""
    text = (Path(__file__).parents[2] / "config/midi-baccarat-angel-eye.toml").read_text()
    for ours, theirs in (
        ('id = "midi-2"', 'id = "demo"\nsimulated = true'),
        ('"/var/lib/tablectl/midi-2"', f'"{data}"'),
        ("socket://127.0.0.1:4001", url),
        ("127.0.0.1:1883", f"127.0.0.1:{broker}"),
        ('username = "midi-2"\n', ""),
        ('password_file = "/etc/tablectl/mqtt-password"\n', ""),
        ("127.0.0.1:8080", f"127.0.0.1:{free_port()}"),
    ):
        assert ours in text, ours
        text = text.replace(ours, theirs)
    head, _, _ = text.partition("# Whose signed commands")
    return head + CONFIG


class PortServer:
    """One shoe's TCP port. `wrong` keeps what a host must not do."""

    def __init__(self) -> None:
        self.wrong: list[str] = []
        self.slowest_s = 0.0  # from the moment it listened again to the next connection
        self.connections = 0
        self.port = free_port()
        self._listener: socket.socket | None = None
        self._peer: socket.socket | None = None

    @property
    def url(self) -> str:
        return f"socket://127.0.0.1:{self.port}"

    def accept(self, seconds: float = 60) -> None:
        """Wait for the host."""
        begun = time.monotonic()
        if self._listener is None:
            self._listener = socket.create_server(("127.0.0.1", self.port), backlog=5)
        self._listener.settimeout(seconds)
        self._peer, _ = self._listener.accept()
        self._peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.slowest_s = max(self.slowest_s, time.monotonic() - begun)
        self.connections += 1

    def say(self, data: bytes) -> None:
        assert self._peer is not None
        self._peer.sendall(data)
        self.look()

    def look(self) -> None:
        """Nothing may come: neither a byte nor a second connection."""
        assert self._peer is not None
        assert self._listener is not None
        ready, _, _ = select.select([self._peer, self._listener], [], [], 0)
        if self._listener in ready:
            self.wrong.append("a second connection while one was open")
        if self._peer in ready:
            self.wrong.append(f"it sent {self._peer.recv(4096)!r}")

    def hang_up(self, *, hard: bool = False) -> None:
        """End the connection, in order or not; the host closes its end too."""
        assert self._peer is not None
        self.look()
        if hard:  # what was told, and is not read by then, would be lost
            until(self._all_read, "the host has read what was told")
            self._peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        else:
            self._peer.shutdown(socket.SHUT_WR)
            self._peer.settimeout(within(10))
            if said := self._peer.recv(4096):
                self.wrong.append(f"it sent {said!r}")
        self._peer.close()
        self._peer = None

    def _all_read(self) -> bool:
        """Whether nothing waits at the host's end of the connection, as the kernel has it."""
        assert self._peer is not None
        ours, theirs = (f":{port:04X}" for port in (self.port, self._peer.getpeername()[1]))
        lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
        queues = {
            (local[8:], remote[8:]): queue
            for _, local, remote, _, queue, *_ in (line.split() for line in lines)
        }
        out, _, _ = queues.get((ours, theirs), "0:0").partition(":")
        _, _, waiting = queues.get((theirs, ours), "0:0").partition(":")
        return int(out, 16) == 0 and int(waiting, 16) == 0

    def away(self) -> None:
        """Nobody listens any more."""
        if self._listener is not None:
            self._listener.close()
            self._listener = None

    def close(self) -> None:
        if self._peer is not None:
            self._peer.close()
            self._peer = None
        self.away()


class ListeningTable:
    """A daemon with nothing but the shoe, a broker, and somebody who reads everything."""

    def __init__(self, folder: Path, told: str) -> None:
        self.told = told
        self.server = PortServer()
        self.broker = Mosquitto(folder)
        self.subscriber = Subscriber(self.broker.port)
        config = folder / "table.toml"
        config.write_text(configuration(folder / "data", self.server.url, self.broker.port))
        config.chmod(0o600)
        self.data = folder / "data"
        self.daemon = Daemon(config, folder / "daemon.log")
        self.drops = 0

    def __enter__(self) -> Self:
        self.daemon.start()
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.server.close()
            self.daemon.stop()
        finally:
            self.subscriber.close()
            self.broker.stop()

    # ── a shoe's line ──────────────────────────────────────────────────────
    def say(self, data: bytes) -> None:
        self.server.say(data)

    def drop(self) -> None:
        """Every third time the port server is away for a moment, every fourth it breaks hard."""
        self.drops += 1
        self.server.hang_up(hard=self.drops % 4 == 0)
        if self.drops % 3 == 0:
            self.server.away()
            time.sleep(0.3)
        self.server.accept()

    def kill(self) -> None:
        """kill -9, once what was told is in the record."""
        self.rest()
        self.daemon.kill()
        self.server.close()
        self.daemon.start()
        self.server.accept()

    # ── looking ────────────────────────────────────────────────────────────
    def rest(self) -> None:
        """Until nothing more is told."""
        last, since = -1, time.monotonic()
        while time.monotonic() - since < 0.4:
            assert self.daemon.lives, f"{self.told}: it ended: {self.daemon.tail()}"
            if (now := len(self.subscriber.bodies)) != last:
                last, since = now, time.monotonic()
            time.sleep(0.01)

    def wait_for(self, told: int) -> None:
        """Until so many things of `heard` are told, and a moment longer."""
        until(lambda: len(self.subscriber.bodies) >= told, f"{self.told}: it is told")
        self.rest()

    def said(self) -> list[tuple[str, Any]]:
        """Name and data of every event, in the order of their numbers."""
        found = [json.loads(body) for _, body in sorted(self.subscriber.bodies.items())]
        return [(event["type"].removeprefix("tablectl."), event["data"]) for event in found]

    def stop(self) -> None:
        """SIGTERM: exit 0 in time, and the table is told to be offline."""
        begun = time.monotonic()
        assert self.daemon.stop() == 0, self.told
        took = time.monotonic() - begun
        assert took < within(STOPPED_S), f"{self.told}: {took:.1f} s"
        until(lambda: (self.subscriber.latest("status") or {}).get("state") == "offline", "offline")

    def nothing_was_wrong(self) -> None:
        """Neither on the wire nor in the stream."""
        assert not self.server.wrong, f"{self.told}: {self.server.wrong}"
        assert self.server.slowest_s < within(RETRIED_S), self.told
        assert not self.subscriber.broken, f"{self.told}: {self.subscriber.broken}"
        assert not self.subscriber.changed, self.told
        assert not self.subscriber.reader.gap(), self.told
        assert self.subscriber.latest("device/shoe")["counters"]["bytes_out"] == 0, self.told
