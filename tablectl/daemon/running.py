"""`tablectl run`: read the configuration, run the daemon, turn trouble into an exit code."""

import asyncio
import gc
import sys
from typing import Any, Final

import structlog

from tablectl.daemon import logs
from tablectl.daemon.config import ConfigError, load
from tablectl.daemon.service import Service
from tablectl.hal.errors import HalError
from tablectl.journal.errors import JournalError
from tablectl.outbox.broker import BadBroker

log = structlog.get_logger("tablectl.running")
OK: Final = 0
NO: Final = 1
FAILED: Final = 3


def run_table(file: str, make_app: Any) -> int:
    """Run one table until it is told to stop; the exit code. Errors go to stderr, a line each."""
    try:
        config = load(file)
        logs.configure()
        return OK if asyncio.run(_run(config, make_app)) else FAILED
    except ConfigError as error:
        for fault in error.faults:
            _complain(f"{error.file}: {fault}")
        return NO
    except JournalError as error:
        _complain(f"tablectl: {error}")
        return error.exit_code
    except (HalError, BadBroker) as error:
        _complain(f"tablectl: {error}")
        return NO
    except OSError as error:
        _complain(f"tablectl: {error}")
        return FAILED
    except Exception as error:  # a mistake of ours; its traceback holds names and lines, no values
        log.error("daemon_failed", what=type(error).__name__, exc_info=error)
        _complain(f"tablectl: the daemon made a mistake ({type(error).__name__}): report this")
        return FAILED


async def _run(config: Any, make_app: Any) -> bool:
    return await Service(config, make_app).run(_settled)


def _settled(_service: Service) -> None:
    """What was loaded at the start stays for good: no collection looks at it again. It would hold
    up the lock path for tens of milliseconds each time."""
    gc.collect()
    gc.freeze()


def _complain(text: str) -> None:
    sys.stderr.write(f"{text}\n")
