"""Pages that repeat what the code declares may not drift from it."""

import re
from pathlib import Path

from tablectl.table.irregularities import RULINGS
from tablectl.table.midi.irregularities import RULINGS as MIDI_RULINGS
from tablectl.table.midi.phases import PHASES as MIDI_PHASES
from tablectl.table.phases import BACCARAT_PHASES, PHASES

PROCEDURE = Path(__file__).parents[1] / "docs" / "operators" / "procedure.md"


def test_the_phases_stand_in_the_docs_as_they_are_declared() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \|$", PROCEDURE.read_text(), re.MULTILINE)
    assert dict(rows) == {**PHASES, **BACCARAT_PHASES}


def test_every_ruling_that_cites_a_clause_stands_in_the_docs() -> None:
    page = PROCEDURE.read_text()
    cited = {clause for row in RULINGS.values() for clause in row.clauses if clause[:3] == "TCP"}
    assert cited
    assert all(f"| {clause}" in page for clause in cited)


MIDI_PAGE = PROCEDURE.with_name("midi-baccarat.md")


def test_the_midi_phases_stand_in_the_docs_as_they_are_declared() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \|$", MIDI_PAGE.read_text(), re.MULTILINE)
    assert {name: what for name, what in rows if name in MIDI_PHASES} == MIDI_PHASES


def test_every_midi_ruling_stands_in_the_docs_with_its_clauses() -> None:
    page = MIDI_PAGE.read_text()
    clauses = {clause for row in MIDI_RULINGS.values() for clause in row.clauses}
    assert clauses
    assert all(clause in page for clause in clauses)
