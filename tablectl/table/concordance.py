"""The same rule in each text: what is cited at a table that plays another game.

Code that serves every game cites the poker text; here stands where the other texts say the same. A
rule that a text does not have is the house's own there, and never cited as a clause of it.
"""

from collections.abc import Iterable, Mapping
from typing import Final

HOUSE: Final = "house procedure"  # the texts are silent: our own judgement, never cited as a clause
_OWN: Final = "TCP "

# Filled with each game's procedure: a poker clause, and the clauses of another text that say so.
CONCORDANCE: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "TCB": {},
    "WA-TCB": {},
    "MIDI": {
        "TCP 2.C": ("MIDI 2.C",),
        "TCP 2.C(1)": ("MIDI 2.C(1)",),
        "TCP 2.C(2)": ("MIDI 2.C(2)",),
        "TCP 7.A": ("MIDI 7.A",),
        "TCP 7.D": ("MIDI 7.B",),
        "TCP 7.E": ("MIDI 7.D",),
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
    found = [
        each
        for clause in clauses
        for each in (same.get(clause, (HOUSE,)) if clause.startswith(_OWN) else (clause,))
    ]
    return tuple(dict.fromkeys(found))
