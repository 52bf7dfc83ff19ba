"""The embedded broker of the demonstration: amqtt on loopback, with one user. Never in production:
it hands retained messages to clients that should not have them.
"""

import asyncio
import logging
import secrets
from pathlib import Path
from typing import Any, Final

from argon2 import PasswordHasher

USER = "demo"
AWAY_S: Final = 2.0


class EmbeddedBroker:
    """A broker in this process. `folder` gets the user's password, for the daemon to read."""

    def __init__(self, port: int, folder: Path) -> None:
        self.url = f"mqtt://127.0.0.1:{port}"
        password = secrets.token_hex(16)
        self.password_file = folder / "broker-password"
        self.password_file.write_text(password + "\n")
        self.password_file.chmod(0o600)
        users = folder / "broker-users"
        users.write_text(f"{USER}:{PasswordHasher(1, 8192, 1).hash(password)}\n")
        self._config: dict[str, Any] = {
            "listeners": {"default": {"type": "tcp", "bind": f"127.0.0.1:{port}"}},
            "plugins": {
                "amqtt.plugins.authentication.FileAuthPlugin": {"password_file": str(users)}
            },
        }
        self._broker: Any = None

    async def start(self) -> None:
        """Listen. Raises OSError; ImportError where the extra `demo` is not installed."""
        from amqtt.broker import Broker  # noqa: PLC0415 - only the demonstration needs it

        for name in ("amqtt", "transitions"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        self._broker = Broker(self._config)
        await self._broker.start()

    async def stop(self) -> None:
        """End."""
        broker, self._broker = self._broker, None
        if broker is not None:
            await broker.shutdown()

    async def go_down(self) -> None:
        """Be away for a while; what was kept here is forgotten."""
        await self.stop()
        await asyncio.sleep(AWAY_S)
        await self.start()
