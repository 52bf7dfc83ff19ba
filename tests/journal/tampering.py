"""Ways to change a journal behind its back: any cell, any row, any byte of the file."""

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

COLUMNS = {
    "meta": ("key", "value"),
    "records": ("n", "sequence", "salt", "input"),
    "events": ("sequence", "record", "body"),
    "sealed": ("record", "commitment", "salt", "card"),
    "snapshots": ("record", "salt", "state"),
}
KEYS = {
    "meta": ("key",),
    "records": ("n",),
    "events": ("sequence",),
    "sealed": ("record", "commitment"),
    "snapshots": ("record",),
}
CELLS = [(table, column) for table, columns in COLUMNS.items() for column in columns]


def copy(source: Path, target: Path) -> Path:
    """A folder like it, to be spoilt."""
    shutil.rmtree(target, ignore_errors=True)
    return Path(shutil.copytree(source, target))


def dump(path: Path) -> dict[str, list[Any]]:
    """Everything that a journal file says."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return {
            table: connection.execute(f"SELECT {', '.join(columns)} FROM {table}").fetchall()
            for table, columns in COLUMNS.items()
        }


def execute(path: Path, sql: str, values: tuple[Any, ...] = ()) -> int:
    """Change it with a tool that everybody has."""
    with closing(sqlite3.connect(path)) as connection:
        count = connection.execute(sql, values).rowcount
        connection.commit()
        return count


def flip_cell(path: Path, table: str, column: str, rng: random.Random) -> str | None:
    """Change one byte (or number) of one cell; says what, None where the file will not have it."""
    names = KEYS[table]
    row = rng.choice(dump(path)[table])
    old = row[COLUMNS[table].index(column)]
    key = tuple(row[COLUMNS[table].index(name)] for name in names)
    new: Any
    if isinstance(old, int):
        new = old + rng.choice([-2, -1, 1, 2])
    else:
        raw = bytearray(old.encode())
        at = rng.randrange(len(raw))
        raw[at] ^= 1 << rng.randrange(8)
        new = bytes(raw)
    where = " AND ".join(f"{name} = ?" for name in names)
    cast = "?" if isinstance(new, int) else "CAST(? AS TEXT)"
    try:
        count = execute(path, f"UPDATE {table} SET {column} = {cast} WHERE {where}", (new, *key))
    except sqlite3.IntegrityError:
        return None  # another row has that key: SQLite itself refuses
    assert count == 1
    return f"{table}.{column} of {key}: {old!r} -> {new!r}"


def flip_byte(path: Path, rng: random.Random) -> str:
    """Change one bit of the file."""
    raw = bytearray(path.read_bytes())
    at = rng.randrange(len(raw))
    bit = rng.randrange(8)
    raw[at] ^= 1 << bit
    path.write_bytes(raw)
    return f"byte {at} bit {bit}"
