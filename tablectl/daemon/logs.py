"""Logs: JSON lines under a service manager, coloured on a terminal; always to stderr.

What is logged is about the daemon. The table's own account is the journal; no card, salt or
credential is ever given to a logger.
"""

import logging
import sys
from contextlib import suppress
from typing import Final

import structlog

# asyncio warns of sockets that anybody who reaches the port can break, as often as they like.
# What uvicorn would tell (a port in use, a handler that failed) is told by us, once.
_QUIET: Final = {"uvicorn.error": logging.CRITICAL, "asyncio": logging.ERROR}


class _Stderr:
    """stderr as it is at the moment. A log that nobody takes must not end the daemon."""

    def write(self, text: str) -> int:
        """As a file's."""
        with suppress(OSError, ValueError):
            sys.stderr.write(text)
        return len(text)

    def flush(self) -> None:
        """As a file's."""
        with suppress(OSError, ValueError):
            sys.stderr.flush()


def configure(level: str = "info") -> None:
    """Set up structlog, and the standard library's loggers of the packages that we use."""
    terminal = sys.stderr.isatty()
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    renderer: structlog.typing.Processor = (
        # Its own way of showing an exception prints every variable: cards, salts and PINs.
        structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
        if terminal
        else structlog.processors.JSONRenderer(ensure_ascii=True)
    )
    if not terminal:
        shared.append(structlog.processors.format_exc_info)
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(_Stderr()),  # type: ignore[arg-type]
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(_Stderr())
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
            foreign_pre_chain=[structlog.stdlib.add_logger_name, *shared],
        )
    )
    root = logging.getLogger()
    root.setLevel(logging.WARNING)
    root.handlers = [handler]
    for name, least in _QUIET.items():
        logging.getLogger(name).setLevel(least)
