"""Words to systemd (READY, WATCHDOG, STOPPING) by its datagram socket; silent without systemd."""

import os
import socket
from typing import Final

_PATIENCE_S: Final = 0.5


class Notifier:
    """Speaks to the service manager that started this process, if one did."""

    def __init__(self, environment: dict[str, str] | None = None) -> None:
        found = os.environ if environment is None else environment
        self._address = found.get("NOTIFY_SOCKET", "")
        usec, pid = found.get("WATCHDOG_USEC", ""), found.get("WATCHDOG_PID", "")
        ours = not pid or pid == str(os.getpid())  # sd_watchdog_enabled(3)
        known = ours and usec.isascii() and usec.isdigit() and int(usec) > 0
        self.watchdog_s = int(usec) / 1_000_000 / 2 if known else None

    def say(self, *words: str) -> None:
        """Send e.g. "READY=1"; a manager that does not listen is nobody's trouble."""
        if not self._address:
            return
        address = "\0" + self._address[1:] if self._address[0] == "@" else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sock:
                # A manager that does not read must not stop the table; a beat may be left out.
                sock.settimeout(0 if words == ("WATCHDOG=1",) else _PATIENCE_S)
                sock.sendto("\n".join(words).encode(), address)
        except OSError:
            return
