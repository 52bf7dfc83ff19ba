"""The HTTP API: JSON in and out, server-sent events, metrics. A thin coat over daemon.front.

Host and Origin are checked, bodies are bounded, and there is no CORS: pages of other sites get
nothing.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any, Final, TypeVar

import structlog
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tablectl.daemon.front import Answer, Credential, Front
from tablectl.daemon.shapes import Health

log = structlog.get_logger("tablectl.web")

BODY_MAXIMUM: Final = 64 * 1024
BODY_WITHIN_S = 10.0
DEPTH_MAXIMUM: Final = 8  # of what lies inside `args`
STREAMS_MAXIMUM = 32
STALLED_S = 30.0  # a listener that takes nothing for so long has gone
KEEP_ALIVE_S = 10.0
RETRY_S: Final = 0.5
_NO_STORE: Final = {"Cache-Control": "no-store"}
M = TypeVar("M", bound=BaseModel)
HealthOf = Callable[[], tuple[bool, Health]]


class BadRequest(Exception):
    """What was sent makes no sense; one sentence."""


class TooSlow(Exception):
    """The body did not come in time."""


class Sent(BaseModel):
    """What comes in as JSON: no unknown key, no conversion, and no value in a message."""

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)


class Who(Sent):
    """Somebody, and what shall prove it: a PIN, a badge's number, or a session."""

    actor: str = Field(min_length=1, max_length=64)
    credential: str = Field(min_length=1, max_length=256)

    def proof(self) -> Credential:
        """For the front."""
        return Credential(self.actor, self.credential)


class Act(Who):
    """What somebody wants done, with a second person where it takes two."""

    action: str = Field(min_length=1, max_length=64)
    args: dict[str, Any] = Field(default_factory=dict)
    second: Who | None = None


class Leave(Sent):
    """A session that ends."""

    session: str = Field(min_length=1, max_length=256)


class OwnHostOnly:
    """Refuses a request for another host (DNS rebinding) and one from another site's page."""

    def __init__(self, app: ASGIApp, hosts: Callable[[], set[str]]) -> None:
        self.app = app
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let through what speaks to this box itself."""
        if scope["type"] == "http":
            told = [(k.lower(), v.decode("latin-1").lower()) for k, v in scope["headers"]]
            hosts = [value for name, value in told if name == b"host"]
            pages = [value.partition("://")[2] for name, value in told if name == b"origin"]
            own = self.hosts()
            if not hosts or not own.issuperset([*hosts, *pages]):
                said = "this daemon answers only under its own address"
                await JSONResponse({"error": said}, 403)(scope, receive, send)
                return
        await self.app(scope, receive, send)


class Api:
    """The routes' handlers: each reads, asks the front, answers."""

    def __init__(self, front: Front, health: HealthOf, metrics: Callable[[], str]) -> None:
        self.front = front
        self.health = health
        self.page = metrics
        self.streams = 0

    async def state(self, _request: Request) -> Response:
        """GET /api/state."""
        return JSONResponse(await self.front.state(), headers=_NO_STORE)

    async def act(self, request: Request) -> Response:
        """POST /api/act."""
        sent = await _read(request, Act)
        second = sent.second.proof() if sent.second else None
        return _answer(await self.front.act(sent.proof(), sent.action, sent.args, second))

    async def session(self, request: Request) -> Response:
        """POST and DELETE /api/session."""
        if request.method == "POST":
            return _answer(await self.front.sign_on((await _read(request, Who)).proof()))
        return _answer(await self.front.sign_off((await _read(request, Leave)).session))

    async def events(self, request: Request) -> Response:
        """GET /api/events: server-sent events, `id` is the sequence."""
        after, last = _after(request), self.front.desk.recorder.durable
        if after > last:
            raise BadRequest(f"the journal ends at {last}: it is not the one that you know")
        if request.method == "HEAD":
            return Response(media_type="text/event-stream", headers=_NO_STORE)
        return _Listening(self, after)

    async def healthz(self, _request: Request) -> Response:
        """GET /healthz."""
        well, body = self.health()
        return JSONResponse(body, 200 if well else 503)

    async def metrics(self, _request: Request) -> Response:
        """GET /metrics, in Prometheus' text format."""
        return PlainTextResponse(self.page(), media_type="text/plain; version=0.0.4")


class _Listening(StreamingResponse):
    """A stream, counted for as long as somebody takes what it gives."""

    def __init__(self, api: Api, after: int) -> None:
        pieces = _stream(api.front, after)
        super().__init__(pieces, media_type="text/event-stream", headers=_NO_STORE)
        self._api = api

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream until the listener goes or stalls."""
        if self._api.streams >= STREAMS_MAXIMUM:
            said = {"error": "too many listeners: close one and try again"}
            await JSONResponse(said, 503)(scope, receive, send)
            return

        async def send_soon(message: Message) -> None:
            async with asyncio.timeout(STALLED_S):
                await send(message)

        self._api.streams += 1
        try:
            await super().__call__(scope, receive, send_soon)
        except TimeoutError:
            return  # the server closes a connection whose answer was not finished
        finally:
            self._api.streams -= 1


async def _bad(_request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 400)


async def _slow(_request: Request, _error: Exception) -> Response:
    said = {"error": "the body did not come in time"}
    return JSONResponse(said, 408, {"Connection": "close"})


async def _no(_request: Request, error: Exception) -> Response:
    """No such path, or not with this method."""
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail.lower()}, error.status_code, error.headers)


async def _failed(_request: Request, error: Exception) -> Response:
    """A mistake of ours. A traceback holds names and lines, no values."""
    log.error("request_failed", what=type(error).__name__, exc_info=error)
    return JSONResponse({"error": "the daemon made a mistake: see its log"}, 500)


async def _gone(_request: Request, _error: Exception) -> Response:
    return Response(status_code=499)  # nobody reads it any more


def make_app(
    front: Front, health: HealthOf, metrics: Callable[[], str], hosts: Callable[[], set[str]]
) -> Starlette:
    """The application. `hosts`: the Host headers that mean this daemon, with their ports."""
    api = Api(front, health, metrics)
    app = Starlette(
        routes=[
            Route("/api/state", api.state),
            Route("/api/events", api.events),
            Route("/api/act", api.act, methods=["POST"]),
            Route("/api/session", api.session, methods=["POST", "DELETE"]),
            Route("/healthz", api.healthz),
            Route("/metrics", api.metrics),
        ],
        middleware=[Middleware(OwnHostOnly, hosts=hosts)],
        exception_handlers={
            BadRequest: _bad,
            TooSlow: _slow,
            ClientDisconnect: _gone,
            HTTPException: _no,
            Exception: _failed,
        },
    )
    app.router.redirect_slashes = False
    return app


async def _stream(front: Front, after: int) -> AsyncIterator[str]:
    """Every durable event after a sequence, then each as it comes; a comment while it is quiet."""
    yield ": the table's events\n\n"
    while True:
        page = await front.events_after(after)
        if page:
            after = page[-1][0]
            yield "".join(f"id: {sequence}\ndata: {body}\n\n" for sequence, body in page)
        unread = after < front.desk.recorder.durable  # a page that could not be read just now
        if not page and not await front.desk.changed(RETRY_S if unread else KEEP_ALIVE_S):
            yield ": nothing new\n\n"


def _after(request: Request) -> int:
    """Where to begin. A browser that comes back repeats its address, and says how far it got."""
    text = request.headers.get("last-event-id") or request.query_params.get("after") or "0"
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        raise BadRequest("after is a sequence number: a whole number, 0 for everything")
    return int(text)


def _answer(answer: Answer) -> Response:
    return JSONResponse(dict(answer.body), answer.status, _NO_STORE)


async def _read(request: Request, model: type[M]) -> M:
    """The body as `model`. Raises TooSlow, BadRequest with a sentence that repeats no value."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if kind.lower() != "application/json":
        raise BadRequest("send JSON: Content-Type: application/json")
    try:
        async with asyncio.timeout(BODY_WITHIN_S):
            body = await _body(request)
    except TimeoutError:
        raise TooSlow from None
    try:
        sent = json.loads(body, parse_constant=_no_constant)
        read = model.model_validate(sent)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise BadRequest(f"{_where(model, first['loc'])}: {first['msg']}") from None
    except (ValueError, RecursionError):
        raise BadRequest("the body is not valid JSON") from None
    if _deeper(sent, DEPTH_MAXIMUM + 1):
        raise BadRequest(f"args: at most {DEPTH_MAXIMUM} levels")
    return read


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > BODY_MAXIMUM:
            raise BadRequest(f"a request has at most {BODY_MAXIMUM} bytes")
    return bytes(body)


def _where(model: type[BaseModel], loc: tuple[int | str, ...]) -> str:
    """Which key is wrong; one that was made up is not repeated."""
    names = [str(part) for part in loc]
    if not names:
        return "the object"
    known = {*model.model_fields, *Who.model_fields}
    return ".".join(names) if known.issuperset(names) else f"an unknown key beside {_keys(model)}"


def _keys(model: type[BaseModel]) -> str:
    return ", ".join(model.model_fields)


def _deeper(value: object, levels: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    inside = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_deeper(item, levels - 1) for item in inside)


def _no_constant(name: str) -> None:
    raise ValueError(name)
