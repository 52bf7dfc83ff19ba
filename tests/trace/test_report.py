"""`tablectl trace`: what programs and people read, and the pages for regulators."""

import json

import pytest

from tablectl.trace.homes import GAMES, Traced, clauses, trace
from tablectl.trace.report import as_json, counted, page, span
from tests.cli.test_commands import tablectl
from tests.trace.page import pages

GUARD = {
    "clause": "TCP 3.B(5)",
    "home": "guard",
    "where": "tablectl.table.guards:discard_rack_is_clear",
    "row": None,
    "tests": [
        "tests/table/test_opening.py::test_3b5_the_rack_is_empty_before_the_other_deck_deals"
    ],
    "reason": None,
    "levels": {"cards": None, "seats": "enforced", "wagers": "enforced"},
}


def test_the_command_prints_an_object_a_clause():
    result = tablectl("trace", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    told = json.loads(result.stdout)
    assert [one["clause"] for one in told] == [one.clause for one in trace()]
    assert {one["clause"] for one in told} == set(clauses())
    assert all(one.keys() == GUARD.keys() for one in told)
    assert GUARD in told


@pytest.mark.parametrize("game", GAMES)
def test_one_game_in_80_columns(game):
    result = tablectl("trace", "--game", game)
    assert (result.returncode, result.stderr) == (0, "")
    assert max(map(len, result.stdout.splitlines())) <= 80
    told = json.loads(as_json(trace(game)))
    assert {one["clause"].rpartition(" ")[0] for one in told} == set(GAMES[game])


def test_every_clause_is_counted_once():
    assert sum(counted(trace()).values()) == len(clauses())


def test_a_run_is_told_by_its_ends():
    assert span(["TCP 2.B", "TCP 2.B(1)", "TCP 2.B(2)"]) == "TCP 2.B to 2.B(2)"
    assert span(["TCP 2.A"]) == "TCP 2.A"


def test_a_clause_without_a_home_is_told():
    homeless = (*trace("three_card_poker"), Traced("TCP 14.A", None))
    assert counted(homeless)["none yet"] == 1
    [told] = [one for one in json.loads(as_json(homeless)) if one["home"] is None]
    assert (told["clause"], told["where"], told["tests"]) == ("TCP 14.A", None, [])
    assert "no home yet" in page(homeless)


def test_narrow_paper_is_filled_and_not_passed():
    assert max(map(len, page(trace(), 60).splitlines())) <= 60


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.name)
def test_the_pages_say_what_the_lists_say(path):
    assert path.read_text(encoding="utf-8") == pages()[path], (
        "write them anew: python -m tests.trace.page"
    )
