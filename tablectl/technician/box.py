"""The box under the table: clock, disk, the data folder, files that hold secrets, the HTTP port.

It looks, and writes nothing that stays: one file without a name, to see how long the disk takes.
"""

import os
import pwd
import shutil
import socket
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from tablectl.daemon.clock import synchronised
from tablectl.daemon.config import Config
from tablectl.daemon.named_files import looked_at
from tablectl.technician.findings import Finding
from tablectl.technician.shapes import How

GB: Final = 1 << 30
SPACE_LEAST: Final = GB // 2  # two segments of the journal
FSYNC_SLOW_MS: Final = 100  # what permits waits for it
_IN_MEMORY: Final = ("tmpfs", "ramfs")
_OTHERS: Final = 0o007
_ANYBODY_ELSE: Final = 0o077
_LOCAL: Final = ("/dev/", "usb://")
_RULES: Final = "70-tablectl.rules"
_RULES_FOLDERS: Final = tuple(
    Path(root) / "udev/rules.d" for root in ("/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib")
)
_PRIVATE: Final = ("journal.db", "journal.key")


def at_play(config: Config) -> bool:
    """Whether real wagers are made here: what is a fault then, is a note at a simulated table."""
    return not (config.table.simulated or config.table.training)


def user(config: Config) -> Finding:
    """Who looks: what root may, the daemon's user may not."""
    me = _user_name(os.geteuid())
    with suppress(OSError):
        owner = Path(config.table.data).stat().st_uid
        if owner != os.geteuid():
            what = f"looked at as {me}; the data folder belongs to {_user_name(owner)}"
            do = f"look as the daemon's user: sudo -u {_user_name(owner)} tablectl doctor …"
            return Finding("user", "note", what, do)
    if os.geteuid() == 0:
        what = "looked at as root, who may open everything"
        return Finding("user", "note", what, "look as the daemon's user: sudo -u tablectl …")
    return Finding("user", "fine", f"looked at as {me}")


def _user_name(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"


def clock(config: Config) -> Finding:
    """Whether a time service keeps the clock."""
    if synchronised():
        return Finding("clock", "fine", "synchronised by a time service")
    return Finding(
        "clock",
        "wrong" if at_play(config) else "note",
        "not synchronised: the floor must confirm the time before the table opens",
        "start chrony or systemd-timesyncd, and wait until it has the time",
    )


def disk(config: Config) -> Iterator[Finding]:
    """Whether the journal has room, and how long it takes to be durable."""
    data = Path(config.table.data)
    place = next(each for each in (data, *data.parents) if each.exists())
    free = shutil.disk_usage(place).free
    found = f"{free / GB:.1f} GB free for {data}"
    if free < SPACE_LEAST:
        do = f"free some space: the journal needs {SPACE_LEAST / GB:.1f} GB at the least"
        yield Finding("disk", "wrong", found, do)
    elif _filesystem(place) in _IN_MEMORY:
        how: How = "wrong" if at_play(config) else "note"
        do = "put table.data on a disk that survives a loss of power"
        yield Finding("disk", how, f"{found}, in memory: it is gone with the power", do)
    else:
        yield Finding("disk", "fine", found)
    if place != data:
        yield _not_there(data, place)
    elif not data.is_dir():
        yield Finding("data", "wrong", f"{data} is no folder", "name a folder as table.data")
    else:
        yield _written(data)
        yield from _modes(data)


def _filesystem(place: Path) -> str:
    """The type of the file system that a place is on; empty where nobody says."""
    best, type_ = "", ""
    with suppress(OSError):
        for line in Path("/proc/self/mounts").read_text("utf-8", "replace").splitlines():
            _, mounted, kind, *_ = line.split(" ")
            if place.resolve().is_relative_to(mounted) and len(mounted) >= len(best):
                best, type_ = mounted, kind
    return type_


def _not_there(data: Path, place: Path) -> Finding:
    what = f"{data} is not there yet; the daemon makes it when it first starts"
    if place.is_dir() and _may(place, os.W_OK | os.X_OK):
        return Finding("data", "note", what)
    what = f"{data} is not there, and {_user_name(os.geteuid())} cannot make it in {place}"
    return Finding("data", "note", what, "systemd makes it for the service (StateDirectory)")


def _may(path: Path, how: int) -> bool:
    return os.access(path, how, effective_ids=os.access in os.supports_effective_ids)


def _written(data: Path) -> Finding:
    try:
        took_ms = _durable_ms(data)
    except PermissionError:
        what = f"{_user_name(os.geteuid())} may not write in {data}"
        owner = _user_name(data.stat().st_uid)
        return Finding("data", "wrong", what, f"look, and run the daemon, as its owner {owner}")
    except OSError as error:
        what = f"nothing can be written in {data}: {error.strerror}"
        return Finding("data", "wrong", what, "see to the disk")
    found = f"{data} can be written; durable in {took_ms:.1f} ms"
    if took_ms > FSYNC_SLOW_MS:
        do = "a slow disk holds up everything that is permitted: see to it, or take a faster one"
        return Finding("data", "note", found, do)
    return Finding("data", "fine", found)


def _durable_ms(folder: Path) -> float:
    """How long 4 KiB take to the disk, in a file that has no name and is gone when it is closed."""
    descriptor = os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o600)
    try:
        begun = time.monotonic()
        os.write(descriptor, bytes(4096))
        os.fsync(descriptor)
        return (time.monotonic() - begun) * 1000
    finally:
        os.close(descriptor)


def _modes(data: Path) -> Iterator[Finding]:
    """Sealed cards and the signing key are the daemon's alone."""
    for path, mode in ((data, "700"), *((data / name, "600") for name in _PRIVATE)):
        with suppress(FileNotFoundError):
            if path.stat().st_mode & _ANYBODY_ELSE:
                what = f"others may look into {path}"
                yield Finding("files", "wrong", what, f"chmod {mode} {path}")


def files(config: Config) -> Iterator[Finding]:
    """Keys, certificates and passwords: there, of use, and nobody else's."""
    before = [
        *(Finding("files", "wrong", str(fault), "") for fault in looked_at(config)[1]),
        *_password(config),
        *_readable(config),
    ]
    yield from before
    if not before:
        yield Finding("files", "fine", "what holds secrets is of use, and closed to others")


def _password(config: Config) -> Iterator[Finding]:
    if config.mqtt is None or config.mqtt.password_file is None:
        return
    path = Path(config.mqtt.password_file)
    try:
        with path.open("rb") as file:
            if not file.read(1):
                what = f"mqtt.password_file {path} is empty"
                yield Finding("files", "wrong", what, "write the password into it")
    except OSError as error:
        what = f"mqtt.password_file {path} cannot be read: {error.strerror}"
        yield Finding("files", "wrong", what, f"make it, for root and the daemon: chmod 640 {path}")


def _readable(config: Config) -> Iterator[Finding]:
    """Files that others can read, and should not."""
    secrets: list[tuple[str, How]] = []
    if config.mqtt is not None and config.mqtt.password_file is not None:
        secrets.append((config.mqtt.password_file, "wrong"))
    if config.http.key_file is not None:
        secrets.append((config.http.key_file, "wrong"))
    if config.people:  # short PINs can be found from their hashes
        secrets.append((config.file, "wrong" if at_play(config) else "note"))
    for name, how in secrets:
        with suppress(OSError):
            mode = stat.S_IMODE(Path(name).stat().st_mode)
            if mode & _OTHERS:
                do = f"chmod {mode & ~_OTHERS:o} {name}"
                yield Finding("files", how, f"{name} can be read by everybody", do)


def udev(config: Config) -> Iterator[Finding]:
    """Whether the rules are there that give ports and USB devices to the daemon's group."""
    local = [name for name, one in config.devices.items() if one.url.startswith(_LOCAL)]
    if local and not any((folder / _RULES).exists() for folder in _RULES_FOLDERS):
        what = f"{_RULES} is not installed; {', '.join(local)} may be closed to the daemon's user"
        do = f"install -m 644 systemd/{_RULES} /etc/udev/rules.d/, then udevadm trigger"
        yield Finding("udev", "note", what, do)


def http_port(config: Config) -> Finding:
    """Whether the daemon could listen; only while it does not run."""
    listen = config.http.listen
    host, _, port = listen.rpartition(":")
    try:
        [(family, type_, proto, _, address), *_] = socket.getaddrinfo(
            host.strip("[]"), int(port), type=socket.SOCK_STREAM
        )
        with socket.socket(family, type_, proto) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen(1)
    except PermissionError:
        what = f"{_user_name(os.geteuid())} may not listen on {listen}"
        return Finding("http", "wrong", what, "choose a port above 1023 for http.listen")
    except OSError as error:
        why = f"{listen} is not free: {error.strerror}"
        do = f"stop what listens there (ss -ltnp sport = :{port}), or choose another http.listen"
        return Finding("http", "wrong", why, do)
    return Finding("http", "fine", f"{listen} is free")
