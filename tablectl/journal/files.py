"""The journal's folder: names, the lock, the reserved space, writes that survive a power cut."""

import fcntl
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from tablectl.journal.errors import JournalInUse, JournalUnwritable

CURRENT: Final = "journal.db"
RESERVE: Final = "reserve"
RESERVE_BYTES: Final = 1 << 20
_LOCK: Final = "journal.lock"
_CLOSED: Final = re.compile(r"journal-([1-9][0-9]*)\.db")


def closed_name(first_sequence: int) -> str:
    """What a closed segment is called."""
    return f"journal-{first_sequence}.db"


def closed_segments(folder: Path) -> dict[int, Path]:
    """The closed segments of a folder by their first sequence, in order."""
    found = {}
    for path in folder.iterdir():
        if match := _CLOSED.fullmatch(path.name):
            found[int(match[1])] = path
    return dict(sorted(found.items()))


def sync_folder(folder: Path) -> None:
    """Make renames and removals in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_whole(path: Path, content: bytes, *, mode: int) -> None:
    """Write a file so that after a crash it is there whole or not at all."""
    part = path.with_name(path.name + ".part")
    part.unlink(missing_ok=True)
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        os.fchmod(descriptor, mode)
        left = memoryview(content)
        while left:
            left = left[os.write(descriptor, left) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    part.rename(path)
    sync_folder(path.parent)


def remove_database(path: Path) -> None:
    """Remove a SQLite file and what SQLite keeps beside it, the log first."""
    for suffix in ("-wal", "-shm", "-journal", ""):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def prepare_folder(data: Path) -> None:
    """Make the data folder if it is missing; raises JournalUnwritable."""
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise JournalUnwritable(f"cannot make the data folder {data}: {error.strerror}") from None
    if not os.access(data, os.R_OK | os.W_OK | os.X_OK):
        raise JournalUnwritable(f"the data folder {data} is not writable for this user")


def reserve_space(data: Path) -> None:
    """Hold 1 MiB of the disk for the halt record; raises JournalUnwritable where there is none."""
    path = data / RESERVE
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            os.posix_fallocate(descriptor, 0, RESERVE_BYTES)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise JournalUnwritable(
            f"cannot reserve 1 MiB in {data} ({error.strerror}): free some disk space"
        ) from None


def release_space(data: Path) -> None:
    """Give the reserved space back to the disk, for the halt record."""
    with suppress(OSError):
        (data / RESERVE).unlink()


class FolderLock:
    """One daemon per journal: an flock that ends with the process, however it ends."""

    def __init__(self, data: Path) -> None:
        """Take the lock; raises JournalInUse or JournalUnwritable."""
        path = data / _LOCK
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise JournalUnwritable(f"cannot open {path}: {error.strerror}") from None
        _lock(data, self._descriptor, fcntl.LOCK_EX)
        os.ftruncate(self._descriptor, 0)
        os.write(self._descriptor, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        """Let the next one in."""
        os.ftruncate(self._descriptor, 0)
        os.close(self._descriptor)


class GuestLock:
    """Keeps daemons out while a technician works with their devices, and writes nothing.

    Guests keep out no other guest. Where no daemon ever was there is nothing to lock.
    """

    def __init__(self, data: Path) -> None:
        """Raises JournalInUse where a daemon runs, JournalUnwritable where nobody may look."""
        path = data / _LOCK
        self._descriptor: int | None = None
        try:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            raise JournalUnwritable(
                f"cannot open {path}: {error.strerror}; ask as root or as the daemon's user"
            ) from None
        _lock(data, self._descriptor, fcntl.LOCK_SH)

    def release(self) -> None:
        """Let a daemon in."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _lock(data: Path, descriptor: int, sort: int) -> None:
    """Lock an open file, or close it and say who has it."""
    try:
        fcntl.flock(descriptor, sort | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
        os.close(descriptor)
        by = f"process {holder}" if holder else "another program (tablectl doctor, or listen?)"
        raise JournalInUse(
            f"the journal in {data} is in use by {by}: "
            "stop it first, or give this table its own data folder"
        ) from None
