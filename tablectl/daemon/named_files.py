"""The files that a configuration names, looked at when the daemon starts: keys and certificates.

What cannot be used is a fault of the configuration, told with its key. No content is ever shown.
"""

import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tablectl.daemon.config import Config, ConfigError
from tablectl.games.rules import Fault

KEY_BYTES: Final = 32
_KEY_EXPECTED: Final = f"a file with {2 * KEY_BYTES} hex digits, the key that the device has too"
_READ_MAXIMUM: Final = 1024


class _Unfit(Exception):
    """A file that cannot be used; what was expected of it."""


def device_keys(config: Config) -> dict[str, bytes]:
    """The key of every device that has one. Raises ConfigError, with all the others' faults too."""
    found, faults = looked_at(config)
    if faults:
        raise ConfigError(config.file, faults)
    return found


def looked_at(config: Config) -> tuple[dict[str, bytes], tuple[Fault, ...]]:
    """The keys that can be used, and every fault of the files that are named."""
    found: dict[str, bytes] = {}
    faults: list[Fault] = []
    for name, device in config.devices.items():
        if device.key_file is not None:
            try:
                found[name] = _key(Path(device.key_file))
            except _Unfit as unfit:
                faults.append(Fault(f"devices.{name}.key_file", str(unfit), None))
    return found, (*faults, *_certificate(config))


def _key(path: Path) -> bytes:
    try:
        mode = path.stat().st_mode
        with path.open("rb") as file:
            text = file.read(_READ_MAXIMUM + 1)
    except OSError as error:
        raise _Unfit(f"{_KEY_EXPECTED}; it cannot be read: {error.strerror}") from None
    if mode & 0o007:
        raise _Unfit("a file that only the daemon's user and group can read: chmod 640")
    try:
        key = bytes.fromhex(text.decode("ascii"))
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise _Unfit(_KEY_EXPECTED)
    return key


def _certificate(config: Config) -> Iterator[Fault]:
    http = config.http
    if http.cert_file is None or http.key_file is None:
        return
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(http.cert_file, http.key_file, password=_no_password)
    except OSError as error:  # ssl.SSLError is one
        why = error.strerror or type(error).__name__
        expected = f"a certificate with its unencrypted key in key_file; they do not load: {why}"
        yield Fault("http.cert_file", expected, None)


def _no_password() -> bytes:
    """A key that asks for a password would stop the start for somebody to type one."""
    return b""
