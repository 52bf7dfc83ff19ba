"""The real daemon for tests: on a thread of its own, over real sockets, with a real journal."""

import asyncio
import http.client
import json
import socket
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Self

from argon2 import PasswordHasher

from hwsim.rack import Rack
from tablectl.daemon.config import load
from tablectl.daemon.desk import Desk
from tablectl.daemon.front import Front
from tablectl.daemon.service import Service
from tablectl.web.app import make_app

WITHIN_S = 10.0
_CHEAP = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
KINDS = {"shuffler": "shuffler", "shoe": "shoe", "bonus": "progressive", "button": "button"}
ROLES = {"dana": "dealer", "flo": "floor", "sue": "surveillance", "tess": "technician"}
PINS = {name: f"pin-of-{name}-73519" for name in ROLES}
BADGE = "badge-of-flo-8646201"


@cache
def hashed(secret: str) -> str:
    """An argon2 hash that costs nothing: these secrets live as long as a test."""
    return _CHEAP.hash(secret)


def free_port() -> int:
    """A loopback port that nobody uses at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def configuration(
    data: Path,
    port: int,
    urls: Mapping[str, str] | None = None,
    *,
    people: bool = True,
    simulated: bool = True,
    more: str = "",
) -> str:
    """A table's file. `more`: further lines of TOML."""
    lines = [
        "config_version = 1",
        "[table]",
        'site = "harbor"',
        'id = "tcp-12"',
        f'data = "{data}"',
        f"simulated = {str(simulated).lower()}",
        "[rules]",
        'game = "three_card_poker"',
        'ante_bonus = "A"',
        'pair_plus = "D"',
        'progressive = "A"',
        "[meters.main]",
        "reset = 100000",
        "rate = 0.20",
        "[limits]",
        "ante = {minimum = 500, maximum = 10000}",
        "[http]",
        f'listen = "127.0.0.1:{port}"',
    ]
    for name, kind in KINDS.items():
        # Without a simulator nobody listens there: port 9 discards, where it does anything.
        url = (urls or {}).get(name, "socket://127.0.0.1:9")
        lines += [f"[devices.{name}]", f'kind = "{kind}"', 'driver = "tablelink"', f'url = "{url}"']
    for name, role in ROLES.items() if people else ():
        lines += [f"[people.{name}]", f'name = "{name.title()}"', f'roles = ["{role}"]']
        lines += [f'pin_hash = "{hashed(PINS[name])}"']
        lines += [f'badge_hash = "{hashed(BADGE)}"'] if name == "flo" else []
    return "\n".join(lines) + "\n" + more


@dataclass(frozen=True)
class Reply:
    """A status, headers and a body."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def body(self) -> dict[str, Any]:
        """The JSON object."""
        found = json.loads(self.text)
        assert isinstance(found, dict)
        return found

    @property
    def keys(self) -> set[str]:
        """The keys of the JSON object."""
        return set(self.body)


@dataclass
class Stream:
    """Server-sent events, read one after the other."""

    answer: http.client.HTTPResponse
    seen: list[str]
    comments: int = 0

    def __post_init__(self) -> None:
        assert self.answer.status == 200, self.answer.read()
        assert self.answer.headers["Content-Type"].startswith("text/event-stream")

    def next(self) -> dict[str, Any]:
        """The next event; comments are counted on the way."""
        fields: dict[str, str] = {}
        for _ in range(1000):
            line = self.answer.readline().decode()
            self.seen.append(line)
            assert line, "the stream ended"
            if line.startswith(":"):
                self.comments += 1
            elif line == "\n" and fields:
                event = json.loads(fields["data"])
                assert fields.keys() == {"id", "data"}
                assert fields["id"] == str(event["sequence"])
                assert isinstance(event, dict)
                return event
            elif line != "\n":
                name, _, value = line.rstrip("\n").partition(": ")
                fields[name] = value
        raise AssertionError("nothing but comments")

    def upto(self, sequence: int) -> list[dict[str, Any]]:
        """Every event up to a sequence."""
        events = [self.next()]
        while events[-1]["sequence"] < sequence:
            events.append(self.next())
        return events


@dataclass
class Daemon:
    """As a context it runs; everything but `on_loop` is called on the test's thread."""

    folder: Path
    people: bool = True
    rack: Rack | None = None  # simulated devices, to be started on the daemon's loop
    port: int = 0
    seen: list[str] = field(default_factory=list)  # every body that it ever answered

    def __enter__(self) -> Self:
        self.port = free_port()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="daemon")
        self._thread.start()
        try:
            self.service = self.on_loop(self._start())
        except BaseException:
            self._end()
            raise
        return self

    def text(self, urls: Mapping[str, str] | None) -> str:
        """The configuration file; `urls` of the simulated devices."""
        return configuration(self.data, self.port, urls, people=self.people)

    async def _start(self) -> Service:
        urls = await self.rack.start() if self.rack else None
        file = self.folder / "table.toml"
        file.write_text(self.text(urls))
        file.chmod(0o600)
        service = Service(load(str(file)), make_app)
        await service.start()
        return service

    def __exit__(self, *_: object) -> None:
        try:
            self.written = self.on_loop(self.service.finish())
        finally:
            self._end()

    def _end(self) -> None:
        try:
            self.on_loop(self._rest())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(WITHIN_S)
            self._loop.close()

    async def _rest(self) -> None:
        if self.rack is not None:
            await self.rack.stop()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self._loop.shutdown_default_executor()

    def on_loop(self, work: Coroutine[Any, Any, Any], within_s: float = WITHIN_S) -> Any:
        """Run a coroutine on the daemon's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(within_s)

    def call(self, work: Callable[[], Any]) -> Any:
        """Call a plain function on the daemon's loop."""

        async def run() -> Any:
            return work()

        return self.on_loop(run())

    @property
    def data(self) -> Path:
        """The folder of the journal."""
        return self.folder / "data"

    @property
    def desk(self) -> Desk:
        """The daemon's desk."""
        assert self.service.desk is not None
        return self.service.desk

    @property
    def front(self) -> Front:
        """The daemon's front."""
        assert self.service.front is not None
        return self.service.front

    # ── as a client ────────────────────────────────────────────────────────
    @contextmanager
    def connected(self) -> Iterator[http.client.HTTPConnection]:
        """A connection that is closed afterwards."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WITHIN_S)
        try:
            yield connection
        finally:
            connection.close()

    def ask(
        self,
        method: str,
        path: str,
        sent: Any = None,
        headers: Mapping[str, str] | None = None,
        *,
        raw: bytes | None = None,
    ) -> Reply:
        """One request on a connection of its own. `sent` becomes JSON, `raw` goes as it is."""
        body = json.dumps(sent).encode() if sent is not None else raw
        kind = {"Content-Type": "application/json"} if body is not None else {}
        with self.connected() as connection:
            connection.request(method, path, body, {**kind, **(headers or {})})
            answer = connection.getresponse()
            told = {name.lower(): value for name, value in answer.getheaders()}
            reply = Reply(answer.status, told, answer.read().decode())
        self.seen.append(reply.text)
        return reply

    def act(self, who: str, action: str, credential: str | None = None, **args: Any) -> Reply:
        """POST /api/act."""
        sent = {"action": action, "actor": who, "credential": credential or PINS[who]}
        return self.ask("POST", "/api/act", {**sent, "args": args})

    def sign_on(self, who: str, credential: str | None = None) -> Reply:
        """POST /api/session."""
        sent = {"actor": who, "credential": credential or PINS[who]}
        return self.ask("POST", "/api/session", sent)

    def state(self) -> dict[str, Any]:
        """GET /api/state."""
        return self.ask("GET", "/api/state").body

    def events(self, prefix: str = "tablectl.") -> list[dict[str, Any]]:
        """Every durable event so far whose type begins so."""
        found: list[dict[str, Any]] = []
        while page := self.on_loop(self.front.events_after(found[-1]["sequence"] if found else 0)):
            found += [json.loads(body) for _, body in page]
        return [event for event in found if event["type"].startswith(prefix)]

    @contextmanager
    def listening(
        self, after: int | str | None = None, headers: Mapping[str, str] | None = None
    ) -> Iterator["Stream"]:
        """GET /api/events."""
        query = "" if after is None else f"?after={after}"
        with self.connected() as connection:
            connection.request("GET", f"/api/events{query}", headers=dict(headers or {}))
            yield Stream(connection.getresponse(), self.seen)

    def socket(self) -> socket.socket:
        """A plain connection."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=WITHIN_S)


def until(true: Callable[[], Any], what: str, within_s: float = WITHIN_S) -> None:
    """Wait until `true`; fails with `what`."""
    end = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < end, what
        time.sleep(0.01)
