"""Clauses whose procedure is not written yet. It shrinks, and must be empty in the end."""

from typing import Final


def _named(text: str, names: str) -> set[str]:
    return {f"{text} {name}" for name in names.split()}


PENDING: Final[frozenset[str]] = frozenset(
    _named(
        "MIDI",
        """
        2.C 2.C(1) 2.C(2) 3.A 3.A(1) 3.B 4.A 4.B 4.C 4.C(1) 4.C(2) 4.C(3) 4.D 5.A 5.B 5.B(1)
        5.B(2) 5.B(3) 5.B(4) 5.C 5.C(1) 5.C(2) 5.D 5.E 5.E(1) 5.E(2) 5.F 5.G 5.G(1) 5.G(2)
        7.B 7.C 7.D 8.A 8.A(1) 8.A(2) 8.B 8.C 8.C(1) 8.C(2) 8.D 8.D(1) 8.D(2) 8.D(3) 8.D(4)
        8.D(5) 8.D(5)(a) 8.D(5)(b) 8.E 8.E(1) 8.E(2) 8.F 8.F(1) 8.F(2) 8.G 8.H 8.I 8.I(1)
        8.I(2) 8.I(3) 8.I(3)(a) 8.I(3)(b) 9.A 9.B 9.B(1) 9.B(2) 9.C 9.D 9.D(1) 9.D(2) 9.D(3)
        11.A 11.A(1) 11.A(2) 11.A(3) 11.A(4) 11.A(5) 11.B 11.B(1) 11.B(2) 11.B(3) 11.C 13.A
        13.B 13.B(1) 13.B(2) 13.C 13.C(1) 13.C(2) 13.C(2)(a) 13.C(2)(b) 13.C(2)(b)(i)
        13.C(2)(b)(ii) 13.D 13.D(1) 13.D(2) 13.D(3) 13.E 13.E(1) 13.E(2)
        """,
    )
)
