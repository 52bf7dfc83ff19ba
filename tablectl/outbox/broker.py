"""Which broker, and how to be let in. Values only; the password is read when it is needed."""

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

PORTS: Final = {"mqtt": 1883, "mqtts": 8883}
_PASSWORD_MAXIMUM: Final = 1024


class BadBroker(ValueError):
    """The broker's settings cannot be used; a sentence that names no secret."""


class _TidySocket(ssl.SSLSocket):
    """Closes itself where the handshake fails; paho would leave it to the garbage collector."""

    def do_handshake(self, block: bool = False) -> None:
        """As in SSLSocket."""
        try:
            super().do_handshake(block)
        except BaseException:
            self.close()
            raise


@dataclass(frozen=True, slots=True)
class Broker:
    """The section [mqtt]."""

    host: str
    port: int
    tls: bool = False
    username: str | None = None
    password_file: Path | None = None
    ca_file: Path | None = None

    @staticmethod
    def at(
        url: str,
        *,
        username: str | None = None,
        password_file: str | Path | None = None,
        ca_file: str | Path | None = None,
    ) -> "Broker":
        """From mqtt://HOST:PORT or mqtts://HOST:PORT; raises BadBroker."""
        try:
            parts = urlsplit(url)
            port = PORTS[parts.scheme]
            host, port = parts.hostname, parts.port or port
        except (ValueError, KeyError):
            host, port = None, 0
        if host is None or parts.username is not None or parts.path.strip("/") or parts.query:
            raise BadBroker("a broker's address is mqtt://HOST:PORT or mqtts://HOST:PORT")
        return Broker(
            host,
            port,
            parts.scheme == "mqtts",
            username,
            Path(password_file) if password_file else None,
            Path(ca_file) if ca_file else None,
        )

    @property
    def name(self) -> str:
        """For people: host and port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    def password(self) -> str | None:
        """The first line of the password file, read anew each time; raises BadBroker."""
        if self.password_file is None:
            return None
        try:
            with self.password_file.open(encoding="utf-8") as file:
                return file.read(_PASSWORD_MAXIMUM).split("\n", 1)[0].rstrip("\r")
        except OSError as error:
            raise BadBroker(f"the password file cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise BadBroker("the password file is not UTF-8 text") from None

    def context(self) -> ssl.SSLContext | None:
        """How to prove who the broker is, None without TLS; raises BadBroker."""
        if not self.tls:
            return None
        try:
            context = ssl.create_default_context(cafile=self.ca_file)
        except (OSError, ValueError) as error:
            raise BadBroker(f"the CA file {self.ca_file} cannot be used: {error}") from None
        context.sslsocket_class = _TidySocket
        return context
