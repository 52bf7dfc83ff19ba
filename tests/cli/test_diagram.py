"""`tablectl diagram`: what runs is what is drawn, and what the docs show."""

import re

import pytest

from tablectl.daemon.diagram import GAMES, mermaid
from tablectl.table.machines import SAME
from tablectl.table.phases import PHASES, POKER
from tests.cli.diagram_page import PAGE, page
from tests.cli.test_commands import tablectl


def test_the_diagram_has_every_move_and_every_trigger():
    result = tablectl("diagram", "--game", "three_card_poker")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("stateDiagram-v2\n")
    drawn: dict[tuple[str, str], str] = {
        (source, dest): label
        for source, dest, label in re.findall(
            r"^    (\w+) --> (\w+) : (.+)$", result.stdout, re.MULTILINE
        )
    }
    notes = result.stdout.partition("note right of")[2]
    for row in POKER.rows:
        dest = row.source if row.dest == SAME else row.dest
        name = row.trigger.lstrip("-")
        label = drawn.get((row.source, dest), "")
        words = {part.split()[0] for part in label.split("<br/>") if part}
        assert name in words or (dest == row.source and f"        {name} " in notes), row
        if row.trigger.startswith("-"):
            assert f"{name} (automatic)" in label
        assert all(clause in label or clause in notes for clause in row.clauses)
    assert {source for source, _ in drawn} | {dest for _, dest in drawn} == set(PHASES)


def test_the_page_of_diagrams_shows_what_runs():
    assert PAGE.read_text(encoding="utf-8") == page(), (
        "write it anew: python -m tests.cli.diagram_page"
    )


def test_each_diagram_cites_its_own_text():
    told = {game: set(re.findall(r"\b(TCP|TCB|MIDI) \d", mermaid(game))) for game in GAMES}
    assert told == {
        "three_card_poker": {"TCP"}, "three_card_baccarat": {"TCB"}, "midi_baccarat": {"MIDI"},
    }  # fmt: skip


@pytest.mark.parametrize("game", GAMES)
def test_the_page_has_what_the_command_prints(game):
    assert tablectl("diagram", "--game", game).stdout in PAGE.read_text(encoding="utf-8")


def test_the_diagram_has_no_line_that_mermaid_would_misread():
    for line in tablectl("diagram").stdout.splitlines():
        assert line.count(" : ") <= 1
        assert not set(line) & set(';"#')
