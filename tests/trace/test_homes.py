"""Every clause has a home; every home is real; every test that it names exists."""

from collections.abc import Iterator

import pytest

from tablectl.trace.homes import (
    GAMES,
    HOMES,
    LEVELS,
    STRENGTHS,
    Home,
    clauses,
    covering,
    homes,
    trace,
)
from tests.trace.named import TEXTS, collected, entries, every_entry, files_of, found, rows_of

PROVED = {"guard", "ruling", "state", "check", "settlement", "action"}
STRONG = {"guard", "ruling"}
texts = pytest.mark.parametrize("text", TEXTS)


def test_the_list_has_every_clause_of_the_four_texts():
    assert {text: len(clauses(text)) for text in TEXTS} == {
        "TCP": 402, "TCB": 198, "WA-TCB": 20, "MIDI": 486,
    }  # fmt: skip
    assert len(set(clauses())) == len(clauses()) == 1106


def test_every_clause_has_a_home():
    assert [one.clause for one in trace() if one.home is None] == []


@texts
def test_no_entry_names_a_clause_that_the_text_does_not_have(text):
    own = [clause.removeprefix(f"{text} ") for clause in clauses(text)]
    known = {name for clause in own for name in covering(clause)}
    assert homes(text).keys() <= known


@texts
def test_every_entry_is_the_home_of_some_clause(text):
    used = {one.home.key for one in trace() if one.home and one.clause.startswith(f"{text} ")}
    assert [entry.key for entry in entries(text) if entry.key not in used] == []


def faults(entry: Home) -> Iterator[str]:
    """What an entry does not say that its home asks for."""
    if entry.home not in HOMES:
        yield "no such home"
    if entry.home in PROVED and not entry.where:
        yield "say where it lives"
    if entry.home in PROVED and not entry.tests:
        yield "name the tests that prove it"
    if entry.home == "furniture" and (not entry.reason or entry.where):
        yield "furniture has a reason, and no place"
    if entry.home == "definition" and not (entry.where or entry.reason):
        yield "a definition has a place or a reason"
    if (entry.levels is not None) != (entry.home in STRONG):
        yield "guards and rulings have levels, and nothing else has"
    if entry.row is not None and entry.where is None:
        yield "a row of what?"
    if len(set(entry.tests)) != len(entry.tests):
        yield "a test is named twice"


def test_every_entry_says_what_its_home_asks_for():
    assert [f"{e.key}: {fault}" for e in every_entry() for fault in faults(e)] == []


@pytest.mark.parametrize(
    "entry",
    [
        Home("1.A", "cellar"),
        Home("1.A", "state", tests=("t",)),
        Home("1.A", "settlement", "tablectl.games.hands:five_card"),
        Home("1.A", "furniture"),
        Home("1.A", "definition"),
        Home("1.A", "guard", "tablectl.table.guards:no_duty_is_open", tests=("t",)),
        Home("1.A", "state", "tablectl.table.decks:load", tests=("t", "t")),
    ],
)
def test_a_poor_entry_is_seen(entry):
    assert list(faults(entry))


def misplaced(entry: Home) -> Iterator[str]:
    """What an entry names and the program does not have."""
    if entry.where is None:
        return
    try:
        rows = rows_of(found(entry.where))
    except (ImportError, AttributeError) as error:
        yield str(error)
        return
    if entry.row is not None and entry.row not in rows:
        yield f"{entry.where} has no row {entry.row}: {sorted(rows)}"
    if entry.row is None and entry.home in STRONG and rows:
        yield f"which row of {entry.where}: {sorted(rows)}?"


def test_what_the_entries_name_is_there():
    assert [f"{e.key}: {what}" for e in every_entry() for what in misplaced(e)] == []


@pytest.mark.parametrize(
    ("where", "row"),
    [
        ("tablectl.table.guards:there_is_no_such_guard", None),
        ("tablectl.table.there_is_no_such_room:guard", None),
        ("tablectl.table.phases:POKER", "no_such_trigger"),
        ("tablectl.table.phases:POKER", None),
        ("tablectl.table.guards:no_duty_is_open", "a row of a function"),
    ],
)
def test_a_place_that_is_not_there_is_seen(where, row):
    assert list(misplaced(Home("1.A", "guard", where, row)))


def test_every_test_that_the_entries_name_exists():
    """As pytest collects them."""
    named = sorted({test for entry in every_entry() for test in entry.tests})
    there = collected(files_of(named))
    assert "tests/trace/test_homes.py::test_a_poor_entry_is_seen" not in there
    assert [test for test in named if test not in there] == []


def test_levels_are_words_that_programs_know():
    for entry in every_entry():
        if entry.levels is not None:
            assert tuple(entry.levels) == LEVELS
            assert {*entry.levels.values()} <= {*STRENGTHS, None}
            assert entry.levels["wagers"] is not None, entry.key


@pytest.mark.parametrize("game", GAMES)
def test_every_level_has_its_guards_and_rulings(game):
    """A table of each game can be followed by its cards alone, by its seats, by its wagers."""
    claimed = {
        level
        for one in trace(game)
        if one.home and one.home.levels
        for level, strength in one.home.levels.items()
        if strength
    }
    assert claimed == set(LEVELS)


def test_the_closest_name_wins():
    assert list(covering("3.B(4)")) == ["3.B(4)", "3.B", "3"]
    assert list(covering("12.B-1(1)(a)(1)"))[-2:] == ["12.B-1", "12"]
    assert list(covering("three-kings")) == ["three-kings"]
    by_clause = {one.clause: one.home for one in trace()}
    assert by_clause["TCP 3.A"] is by_clause["TCP 3.A(1)"]
    assert by_clause["TCP 3.A"] is not by_clause["TCP 3.A(2)"]
