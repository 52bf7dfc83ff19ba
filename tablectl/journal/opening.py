"""Opening a journal for the table: lock, recover, key, state, writer; in that order.

What is read is bounded by the last snapshot, however long the journal is.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

from tablectl.journal import segments, store
from tablectl.journal.chain import Identity
from tablectl.journal.codec import StateCodec
from tablectl.journal.core import Core, table_core
from tablectl.journal.errors import JournalDamaged, JournalError, JournalUnwritable, WrongTable
from tablectl.journal.files import CURRENT, FolderLock, prepare_folder, reserve_space
from tablectl.journal.keys import open_key
from tablectl.journal.recorder import Opened, Recorder
from tablectl.journal.restore import restore
from tablectl.journal.wiring import Limits, Outlets, Seams
from tablectl.journal.writer import JournalFile, Writer


def open_journal(
    data: Path,
    *,
    site: str,
    table: str,
    core: Core | None = None,
    outlets: Outlets | None = None,
    limits: Limits | None = None,
    seams: Seams | None = None,
) -> Recorder:
    """Open DATA's journal, or begin one; the caller then submits a Restart.

    Raises JournalInUse, JournalDamaged, WrongTable, JournalUnwritable, KeyProblem.
    """
    core = core or table_core()
    outlets, limits, seams = outlets or Outlets(), limits or Limits(), seams or Seams()
    prepare_folder(data)
    lock = FolderLock(data)
    file: JournalFile | None = None
    try:
        segments.recover(data)
        reserve_space(data)
        key = open_key(data, create=_is_unsigned(data))
        if not (data / CURRENT).exists():
            identity = Identity(site, table, int(seams.now_s()))
            store.create(data / CURRENT, store.Meta(identity))
        (data / CURRENT).chmod(0o600)
        file = JournalFile(data, seams.connect, seams.between)
        meta = store.read_meta(file.connection)
        _check_owner(data, meta.identity, site, table)
        codec = StateCodec(core.state_type)
        restored = restore(file.connection, data, core, codec, key.public)
    except BaseException as error:
        if file is not None:
            file.close()
        lock.release()
        _explain(data, error)
        raise
    writer = Writer(
        file,
        restored.head.sequence,
        on_durable=lambda _sequence: outlets.on_change(),
        on_failed=lambda _why: outlets.on_change(),
        capacity=limits.capacity,
        patience_s=limits.patience_s,
    )
    size = (data / CURRENT).stat().st_size
    opened = Opened(data, lock, meta, restored, size, key, core, codec, writer)
    return Recorder(opened, outlets, limits, seams.draw)


def _check_owner(data: Path, owner: Identity, site: str, table: str) -> None:
    if (owner.site, owner.table) != (site, table):
        raise WrongTable(
            f"the journal in {data} belongs to table {owner.table} at {owner.site}, not to "
            f"{table} at {site}: give each table its own data folder"
        )


def _explain(data: Path, error: BaseException) -> None:
    """Say in a sentence what SQLite or the disk said; other errors are sentences already."""
    if isinstance(error, sqlite3.Error):
        raise JournalDamaged(
            f"SQLite cannot read {data / CURRENT} ({error}): run tablectl verify, and put the "
            "file back from the archive"
        ) from error
    if isinstance(error, OSError) and not isinstance(error, JournalError):
        raise JournalUnwritable(f"cannot open the journal in {data}: {error}") from error


def _is_unsigned(data: Path) -> bool:
    """Whether there is no journal yet, or one that no record ever got into: a key may be made."""
    path = data / CURRENT
    if not path.exists():
        return True
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        return store.last_record(connection) is None
