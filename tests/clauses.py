"""The names of every clause of the four rule texts, as citations write them. No test here."""

from pathlib import Path
from typing import Final

_LIST: Final = Path(__file__).with_name("data") / "clauses.txt"
CLAUSES: Final = frozenset(
    line for line in _LIST.read_text(encoding="utf-8").splitlines() if not line.startswith("#")
)
