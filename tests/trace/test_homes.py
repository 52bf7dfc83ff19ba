"""Every clause has a home; every home is real; every test that it names exists."""

import pytest

from tablectl.trace.homes import HOMES, LEVELS, STRENGTHS, Home, clauses, covering, homes, trace
from tests.trace.named import ROOT, TEXTS, entries, every_entry, files_of, found, rows_of
from tests.trace.named import collected as collected_from
from tests.trace.pending import PENDING

PROVED = {"guard", "ruling", "state", "check", "settlement", "action"}
STRONG = {"guard", "ruling"}


def keys(entry: Home) -> str:
    return entry.key


every = pytest.mark.parametrize("entry", every_entry(), ids=keys)
texts = pytest.mark.parametrize("text", TEXTS)


def test_the_list_has_every_clause_of_the_four_texts():
    assert {text: len(clauses(text)) for text in TEXTS} == {
        "TCP": 402, "TCB": 198, "WA-TCB": 20, "MIDI": 486,
    }  # fmt: skip
    assert len(set(clauses())) == len(clauses()) == 1106
    assert {"TCP 11.D(3)(d)(iii)", "TCB 12.B-1(1)(a)(1)", "MIDI 12.R(1)(c-2)", "WA-TCB R1"} <= set(
        clauses()
    )


def test_every_clause_has_a_home():
    """PENDING says what has none yet; what has one meanwhile must leave it."""
    homeless = {one.clause for one in trace() if one.home is None}
    assert homeless == PENDING


@texts
def test_no_entry_names_a_clause_that_the_text_does_not_have(text):
    own = [clause.removeprefix(f"{text} ") for clause in clauses(text)]
    known = {name for clause in own for name in covering(clause)}
    assert homes(text).keys() <= known


@texts
def test_every_entry_is_the_home_of_some_clause(text):
    used = {one.home.key for one in trace() if one.home and one.clause.startswith(f"{text} ")}
    assert [entry.key for entry in entries(text) if entry.key not in used] == []


@every
def test_an_entry_says_what_its_home_asks_for(entry):
    assert entry.home in HOMES
    if entry.home in PROVED:
        assert entry.where, "say where it lives"
        assert entry.tests, "name the tests that prove it"
    if entry.home == "furniture":
        assert entry.reason, "furniture needs a reason"
        assert not entry.where
    if entry.home == "definition":
        assert entry.where or entry.reason
    assert (entry.levels is not None) == (entry.home in STRONG)
    assert len(set(entry.tests)) == len(entry.tests)


@every
def test_what_an_entry_names_is_there(entry):
    if entry.where is None:
        assert entry.row is None
        return
    rows = rows_of(found(entry.where))
    if entry.row is not None:
        assert entry.row in rows
    elif entry.home in STRONG:
        assert not rows, f"which row of {entry.where}: {sorted(rows)}?"


def test_a_place_that_is_not_there_is_noticed():
    with pytest.raises(AttributeError):
        found("tablectl.table.guards:there_is_no_such_guard")
    with pytest.raises(ImportError):
        found("tablectl.table.there_is_no_such_room:guard")


@pytest.fixture(scope="module")
def collected():
    named = [test for entry in every_entry() for test in entry.tests]
    return collected_from(files_of(named))


@every
def test_every_test_that_an_entry_names_exists(entry, collected):
    assert [test for test in entry.tests if test not in collected] == []


def test_a_test_that_does_not_exist_is_noticed(collected):
    assert "tests/table/test_wagers.py::test_there_is_no_such_test" not in collected
    assert "tests/table/test_wagers.py::test_7a_a_wager_needs_open_bets" in collected
    assert (ROOT / "tests/table/test_wagers.py").is_file()


@every
def test_levels_are_words_that_dashboards_know(entry):
    if entry.levels is not None:
        assert tuple(entry.levels) == LEVELS
        assert {*entry.levels.values()} <= {*STRENGTHS, None}
        assert entry.levels["wagers"] is not None


def test_the_closest_name_wins_and_alone_covers_nothing_below():
    assert list(covering("3.B(4)")) == ["3.B(4)", "3.B", "3"]
    assert list(covering("12.B-1(1)(a)(1)"))[-2:] == ["12.B-1", "12"]
    assert list(covering("three-kings")) == ["three-kings"]
