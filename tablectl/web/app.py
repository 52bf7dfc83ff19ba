"""The HTTP API: JSON in and out, server-sent events, metrics. A thin coat over daemon.front.

Host and Origin are checked, bodies are bounded, and there is no CORS: pages of other sites get
nothing.
"""

import json
from collections.abc import AsyncIterator, Callable
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from tablectl.daemon.front import Answer, Credential, Front

BODY_MAXIMUM: Final = 64 * 1024
STREAMS_MAXIMUM: Final = 32
_KEEP_ALIVE_S: Final = 10.0
M = TypeVar("M", bound=BaseModel)
Health = Callable[[], tuple[bool, dict[str, Any]]]


class BadRequest(Exception):
    """What was sent makes no sense; one sentence."""


class _Sent(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)


class _Who(_Sent):
    actor: str = Field(min_length=1, max_length=64)
    credential: str = Field(min_length=1, max_length=256)

    def proof(self) -> Credential:
        return Credential(self.actor, self.credential)


class _Act(_Who):
    action: str = Field(min_length=1, max_length=64)
    args: dict[str, Any] = Field(default_factory=dict)
    second: _Who | None = None


class _Leave(_Sent):
    session: str = Field(min_length=1, max_length=256)


class OwnHostOnly:
    """Refuses a request for another host (DNS rebinding) and one from another site's page."""

    def __init__(self, app: ASGIApp, hosts: Callable[[], set[str]]) -> None:
        self.app = app
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let through what speaks to this box itself."""
        if scope["type"] == "http":
            headers = {k.lower(): v for k, v in scope["headers"]}
            host = headers.get(b"host", b"").decode("latin-1")
            origin = headers.get(b"origin", b"").decode("latin-1")
            own = self.hosts()
            if host not in own or (origin and origin.partition("://")[2] not in own):
                said = "this daemon answers only under its own address"
                await JSONResponse({"error": said}, 403)(scope, receive, send)
                return
        await self.app(scope, receive, send)


class Api:
    """The routes' handlers: each reads, asks the front, answers."""

    def __init__(self, front: Front, health: Health, metrics: Callable[[], str]) -> None:
        self.front = front
        self.health = health
        self.page = metrics
        self.streams = 0

    async def state(self, _request: Request) -> Response:
        """GET /api/state."""
        return JSONResponse(self.front.state())

    async def act(self, request: Request) -> Response:
        """POST /api/act."""
        sent = await _read(request, _Act)
        second = sent.second.proof() if sent.second else None
        return _answer(await self.front.act(sent.proof(), sent.action, sent.args, second))

    async def sign_on(self, request: Request) -> Response:
        """POST /api/session."""
        return _answer(await self.front.sign_on((await _read(request, _Who)).proof()))

    async def sign_off(self, request: Request) -> Response:
        """DELETE /api/session."""
        return _answer(await self.front.sign_off((await _read(request, _Leave)).session))

    async def events(self, request: Request) -> Response:
        """GET /api/events: server-sent events, `id` is the sequence."""
        after = _after(request)
        if self.streams >= STREAMS_MAXIMUM:
            return JSONResponse({"error": "too many listeners: close one and try again"}, 503)
        headers = {"Cache-Control": "no-store"}
        return StreamingResponse(
            self._counted(after), media_type="text/event-stream", headers=headers
        )

    async def _counted(self, after: int) -> AsyncIterator[str]:
        self.streams += 1
        try:
            async for piece in _stream(self.front, after):
                yield piece
        finally:
            self.streams -= 1

    async def healthz(self, _request: Request) -> Response:
        """GET /healthz."""
        well, body = self.health()
        return JSONResponse(body, 200 if well else 503)

    async def metrics(self, _request: Request) -> Response:
        """GET /metrics, in Prometheus' text format."""
        return PlainTextResponse(self.page(), media_type="text/plain; version=0.0.4")


async def _bad(_request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 400)


async def _gone(_request: Request, _error: Exception) -> Response:
    return Response(status_code=499)  # nobody reads it any more


def make_app(
    front: Front, health: Health, metrics: Callable[[], str], hosts: Callable[[], set[str]]
) -> Starlette:
    """The application. `hosts`: the Host headers that mean this daemon, with their ports."""
    api = Api(front, health, metrics)
    return Starlette(
        routes=[
            Route("/api/state", api.state),
            Route("/api/events", api.events),
            Route("/api/act", api.act, methods=["POST"]),
            Route("/api/session", api.sign_on, methods=["POST"]),
            Route("/api/session", api.sign_off, methods=["DELETE"]),
            Route("/healthz", api.healthz),
            Route("/metrics", api.metrics),
        ],
        middleware=[Middleware(OwnHostOnly, hosts=hosts)],
        exception_handlers={BadRequest: _bad, ClientDisconnect: _gone},
    )


async def _stream(front: Front, after: int) -> AsyncIterator[str]:
    """Every durable event after a sequence, then each as it comes; a comment while it is quiet."""
    yield ": the table's events\n\n"
    while True:
        page = await front.events_after(after)
        for sequence, body in page:
            after = sequence
            yield f"id: {sequence}\ndata: {body}\n\n"
        if not page and not await front.desk.changed(_KEEP_ALIVE_S):
            yield ": nothing new\n\n"


def _after(request: Request) -> int:
    text = request.query_params.get("after") or request.headers.get("last-event-id") or "0"
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        raise BadRequest("after is a sequence number: a whole number, 0 for everything")
    return int(text)


def _answer(answer: Answer) -> Response:
    return JSONResponse(dict(answer.body), answer.status)


async def _read(request: Request, model: type[M]) -> M:
    """The body as `model`. Raises BadRequest with a sentence that repeats no value."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise BadRequest("send JSON: Content-Type: application/json")
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > BODY_MAXIMUM:
            raise BadRequest(f"a request has at most {BODY_MAXIMUM} bytes")
    try:
        sent = json.loads(bytes(body), parse_constant=_no_constant)
        return model.model_validate(sent)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"])) or "the object"
        raise BadRequest(f"{where}: {first['msg']}") from None
    except (ValueError, RecursionError):
        raise BadRequest("the body is not valid JSON") from None


def _no_constant(name: str) -> None:
    raise ValueError(name)
