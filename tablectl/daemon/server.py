"""The HTTP server around the API: its bounds, and no patience with requests that never come whole.

Which requests are heeded is decided in web/; here only how many, how large and how slow.
"""

import asyncio
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from tablectl.daemon.sections import HttpSection

CONNECTIONS: Final = 256
HEAD_BYTES: Final = 16_384
HEAD_WITHIN_S = 10.0  # from the first byte of a request, or the connection, to the end of its head


class Impatient(H11Protocol):
    """uvicorn's connection; one that keeps us waiting for a request's head is closed.

    uvicorn would wait for ever, and a few hundred such connections would keep everybody else out.
    """

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody is there; a request must follow."""
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        """Bytes: perhaps the rest of a head, perhaps only one more byte of it."""
        super().data_received(data)
        if self._answering:
            self._be_content()  # a body has limits of its own
        elif not self.transport.is_closing():
            self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """Gone."""
        self._be_content()
        super().connection_lost(exc)

    def _expect(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(HEAD_WITHIN_S, self._give_up)

    def _be_content(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if not self._answering:
            self.transport.abort()

    @property
    def _answering(self) -> bool:
        """Whether a request's head is here and its answer is not yet given."""
        return not getattr(self.cycle, "response_complete", True)  # None before the first request


def make_server(app: Any, http: HttpSection) -> uvicorn.Server:
    """A server that is loaded and not started."""
    host, _, port = http.listen.rpartition(":")
    config = uvicorn.Config(
        app,
        host=host.strip("[]"),
        port=int(port),
        ssl_certfile=http.cert_file,
        ssl_keyfile=http.key_file,
        http=Impatient,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        timeout_graceful_shutdown=1,
        limit_concurrency=CONNECTIONS,
        h11_max_incomplete_event_size=HEAD_BYTES,
    )
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    return server
