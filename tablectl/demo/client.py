"""A small client of the daemon's HTTP API, as anybody could write one; for the demonstration."""

import asyncio
import http.client
import json
import threading
from collections import deque
from dataclasses import dataclass
from typing import Any

from tablectl.demo.house import Person

TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class Reply:
    """A status and its JSON."""

    status: int
    body: dict[str, Any]

    @property
    def done(self) -> bool:
        """Whether it was done."""
        return self.status == 200


class Api:
    """The API of one daemon, on loopback."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._sessions: dict[str, str] = {}

    async def state(self) -> dict[str, Any]:
        """GET /api/state; raises OSError."""
        return (await self._ask("GET", "/api/state")).body

    async def sign_on(self, person: Person) -> Reply:
        """Open a session; raises OSError."""
        who = {"actor": person.name, "credential": person.pin}
        reply = await self._ask("POST", "/api/session", who)
        if reply.done:
            self._sessions[person.name] = reply.body["session"]
        return reply

    async def act(self, person: Person, action: str, **args: Any) -> Reply:
        """POST /api/act; raises OSError."""
        credential = self._sessions.get(person.name, person.pin)
        body = {"action": action, "actor": person.name, "credential": credential, "args": args}
        return await self._ask("POST", "/api/act", body)

    async def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Reply:
        return await asyncio.to_thread(self._ask_now, method, path, body)

    def _ask_now(self, method: str, path: str, body: dict[str, Any] | None) -> Reply:
        connection = http.client.HTTPConnection(self.address, timeout=TIMEOUT_S)
        try:
            sent = json.dumps(body) if body is not None else None
            connection.request(method, path, sent, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return Reply(answer.status, json.loads(answer.read()))
        except http.client.HTTPException as error:
            raise OSError(f"the daemon gave no answer ({type(error).__name__})") from error
        finally:
            connection.close()


class Events:
    """The daemon's event stream, read on a thread of its own; the newest are kept."""

    def __init__(self, address: str, keep: int = 64) -> None:
        self.latest: deque[dict[str, Any]] = deque(maxlen=keep)
        self.counts: dict[str, int] = {}
        self._address = address
        self._last = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="events", daemon=True)

    def start(self) -> None:
        """Begin to listen."""
        self._thread.start()

    def stop(self) -> None:
        """End; the thread goes with the next line or the time limit."""
        self._stop.set()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._read()
            except (OSError, http.client.HTTPException, ValueError):
                self._stop.wait(0.5)

    def _read(self) -> None:
        connection = http.client.HTTPConnection(self._address, timeout=30)
        try:
            connection.request("GET", f"/api/events?after={self._last}")
            answer = connection.getresponse()
            while not self._stop.is_set() and (line := answer.readline()):
                if line.startswith(b"data: "):
                    self._take(json.loads(line[6:]))
        finally:
            connection.close()

    def _take(self, event: dict[str, Any]) -> None:
        self._last = event["sequence"]
        self.latest.append(event)
        type_ = event["type"]
        self.counts[type_] = self.counts.get(type_, 0) + 1
