"""Logs: JSON lines under a service manager, coloured on a terminal; always to stderr.

What is logged is about the daemon. The table's own account is the journal; no card, salt or
credential is ever given to a logger.
"""

import logging
import sys

import structlog

_format_error = structlog.processors.format_exc_info


def configure(level: str = "info") -> None:
    """Set up structlog, and the standard library's loggers of the packages that we use."""
    terminal = sys.stderr.isatty()
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer()
        if terminal
        else structlog.processors.JSONRenderer(ensure_ascii=True)
    )
    plain: list[structlog.typing.Processor] = [] if terminal else [_format_error]
    structlog.configure(
        processors=[*shared, *plain, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(name)s: %(message)s")
