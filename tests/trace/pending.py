"""Clauses whose procedure is not written yet. It shrinks, and must be empty in the end."""

from typing import Final


def _named(text: str, names: str) -> set[str]:
    return {f"{text} {name}" for name in names.split()}


PENDING: Final[frozenset[str]] = frozenset(
    _named(
        "MIDI",
        """
        7.A(9)(a) 12.N 12.N(1) 12.N(1)(a)
        """,
    )
)
