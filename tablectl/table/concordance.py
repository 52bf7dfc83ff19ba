"""The same rule in each text: what is cited at a table that plays another game.

Code that serves every game cites the poker text; here stands where the other texts say the same. A
rule that a text does not have is the house's own there, and never cited as a clause of it.
"""

from collections.abc import Iterable, Mapping
from typing import Final

HOUSE: Final = "house procedure"  # the texts are silent: our own judgement, never cited as a clause
_OWN: Final = "TCP "

# A poker clause, and where Maryland's Three Card Baccarat says the same. A bare list of clauses
# stands where both texts number them alike.
_ALIKE: Final = (
    "3.A 3.B 3.B(1) 3.B(2) 3.B(3) 3.B(4) 3.B(5) 3.C 3.C(1) 3.C(2) 4.A 4.B 4.C 4.C(1) 4.C(2) "
    "4.C(3) 4.D 4.E 4.F 5.A 5.A(1) 5.A(2) 5.A(3) 7.A 8.A 8.B 8.C 9.A 9.A(1) 9.A(2) 10.A 10.A(1) "
    "10.A(2) 11.A 12.A 13.A"
)
_BACCARAT: Final = {
    "2.A": "2.A(1)", "3.A(1)": "3.A", "3.A(2)": "3.A(1)", "3.A(3)": "3.A(2)",
    "5.B": "5.C", "5.C": "5.B", "5.D": "5.B", "5.D(1)": "5.B(1)", "5.D(2)": "5.B(2)",
    "5.E(1)": "5.C(1)", "5.E(2)": "5.C(2)", "5.F": "5.D", "5.F(1)": "5.D(1)", "5.F(2)": "5.D(2)",
    "5.G": "5.E", "5.H": "5.F", "5.H(1)": "5.F(1)", "5.H(2)": "5.F(2)", "5.H(3)": "5.F(3)",
    "5.I": "5.G", "5.J": "5.H",
    "7.C": "7.B(1)", "7.C(1)": "7.B(2)", "7.C(2)": "7.B(3)", "7.D": "7.C", "7.E": "7.D",
    "7.F": "7.E", "7.F(1)": "7.E(1)",
    "8.D": "8.D(1)", "8.E": "8.D(2)", "8.E(1)": "8.D(2)", "8.E(3)": "8.D(3)",
    "8.F": "8.E", "8.G": "8.F(2)", "8.H": "8.F(3)", "8.H(1)": "8.F(4)", "8.H(2)": "8.F(5)",
    "9.B": "9.A(5)", "9.C": "9.B(1)", "9.C(2)": "9.B(1)", "9.C(5)": "9.B(2)",
    "9.D": "9.C", "9.E": "9.D(2)", "9.F": "9.D(3)", "9.G": "9.D(4)", "9.H": "9.D(5)",
    "10.B": "10.B(1)", "10.B(1)": "10.B(1)", "10.B(2)": "10.B(1)", "10.B(3)": "10.B(1)",
    "10.B(5)": "10.B(2)", "10.C": "8.E",  # chapter 10 has no five-round duty of its own
    "10.D": "10.C(1)", "10.E": "10.C(2)", "10.F": "10.C(3)", "10.G": "10.C(4)",
    "11.D": "11.B", "11.D(2)": "11.B", "11.D(3)": "11.B(2)", "11.D(3)(a)": "11.B(2)",
    "11.E": "11.C",
    "13.B": "13.A", "13.C": "13.B", "13.D": "13.C", "13.G": "13.D",
    "13.H": "13.E", "13.H(1)": "13.E(1)", "13.H(2)": "13.E(2)",
}  # fmt: skip
# The Washington letter says little; what it does not say is house procedure there.
_WASHINGTON: Final = {
    "7.A": "D2", "7.F": "D3", "10.B": "D4", "10.B(1)": "D4", "10.B(2)": "D4",
    "10.B(3)": "D4", "11.D(2)": "D6", "11.D(3)": "D10", "11.D(3)(a)": "D10", "12.A": "D7",
}  # fmt: skip


def _cited(text: str, same: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    return {f"{_OWN}{clause}": (f"{text} {there}",) for clause, there in same.items()}


CONCORDANCE: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "TCB": _cited("TCB", {**{clause: clause for clause in _ALIKE.split()}, **_BACCARAT}),
    "WA-TCB": _cited("WA-TCB", _WASHINGTON),
    "MIDI": {
        "TCP 2.A": ("MIDI 2.A(1)",),
        "TCP 2.C": ("MIDI 2.C",),
        "TCP 2.C(1)": ("MIDI 2.C(1)",),
        "TCP 2.C(2)": ("MIDI 2.C(2)",),
        "TCP 7.A": ("MIDI 7.A",),
        "TCP 7.D": ("MIDI 7.B",),
        "TCP 7.E": ("MIDI 7.D",),
        "TCP 7.F": ("MIDI 7.A",),
        "TCP 7.F(4)": ("MIDI 7.A(9)",),
        "TCP 7.F(4)(a)": ("MIDI 7.A(9)",),
        "TCP 7.F(4)(b)": ("MIDI 2.C(1)",),
        "TCP 10.A(2)": ("MIDI 8.B",),
        "TCP 11.E": ("MIDI 11.C",),
        "TCP 12.E(3)(a)": ("MIDI 12.L(1)",),
        "TCP 12.E(3)(b)": ("MIDI 12.L(2)",),
    },
}


def text_of(game: str, jurisdiction: str) -> str:
    """The short name of the rule text that a table plays by."""
    if game == "three_card_baccarat":
        return "WA-TCB" if jurisdiction == "WA" else "TCB"
    return "MIDI" if game == "midi_baccarat" else "TCP"


def cited_in(text: str, clauses: Iterable[str]) -> tuple[str, ...]:
    """The clauses as the table's own text has them."""
    if text == "TCP":
        return tuple(clauses)
    same = CONCORDANCE[text]
    # A clause of Maryland's baccarat text is none of Washington's: the house adopted it there.
    foreign = (_OWN, "TCB ") if text == "WA-TCB" else (_OWN,)
    found = [
        each
        for clause in clauses
        for each in (same.get(clause, (HOUSE,)) if clause.startswith(foreign) else (clause,))
    ]
    return tuple(dict.fromkeys(found))
