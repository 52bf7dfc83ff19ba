"""The names of every clause of the four rule texts, as citations write them. No test here."""

from typing import Final

from tablectl.trace.homes import clauses

CLAUSES: Final = frozenset(clauses())
