"""`[rules]` and `[meters]`: what is refused, with which clause, and what is in force."""

from dataclasses import asdict
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from tablectl.games.rules import (
    RulesError,
    check_meters,
    parse_rules,
    rule_notes,
    rules_in_force,
)
from tests.clauses import CLAUSES

from .deals import rules

LEAST = {"game": "three_card_poker", "ante_bonus": "A", "pair_plus": "D"}


def faults(**changed: Any) -> dict[str, str | None]:
    raw = {**LEAST, **changed}
    with pytest.raises(RulesError) as refused:
        parse_rules({key: value for key, value in raw.items() if value is not None})
    assert all(fault.expected for fault in refused.value.faults)
    assert "\n" not in str(refused.value)
    return {fault.key: fault.clause for fault in refused.value.faults}


def test_defaults() -> None:
    assert asdict(parse_rules(LEAST)) == {
        "game": "three_card_poker",
        "jurisdiction": "MD",
        "dealing": "automated_shoe",
        "seats": 7,
        "ante_bonus": "A",
        "pair_plus": "D",
        "pair_plus_condition": "free",
        "six_card_bonus": None,
        "progressive": None,
        "five_card_progressive": None,
        "adjacent_boxes": 1,
        "dealer_cards": "delivered",
        "deck_change_lead_minutes": 3,
        "idle_minutes": 5,
    }
    assert parse_rules(LEAST).wagers == ("ante", "play", "pair_plus")
    assert parse_rules(LEAST).meters == ()


@pytest.mark.parametrize(
    ("key", "value", "clause"),
    [
        ("seats", 0, "TCP 2.A"),
        ("seats", 8, "TCP 2.A"),
        ("seats", True, "TCP 2.A"),
        ("seats", 5.0, "TCP 2.A"),
        ("seats", "5", "TCP 2.A"),
        ("ante_bonus", "D", "TCP 12.B"),
        ("ante_bonus", "a", "TCP 12.B"),
        ("pair_plus", "F", "TCP 12.D"),
        ("pair_plus", 1, "TCP 12.D"),
        ("pair_plus", ["A"], "TCP 12.D"),
        ("pair_plus_condition", "half", "TCP 7.G"),
        ("six_card_bonus", "G", "TCP 12.F"),
        ("six_card_bonus", False, "TCP 12.F"),
        ("progressive", "D", "TCP 12.E(1)"),
        ("five_card_progressive", "D", "TCP 12.G"),
        ("dealing", "by_hand", "TCP 11.A"),
        ("adjacent_boxes", 0, "TCP 7.H"),
        ("adjacent_boxes", 8, "TCP 7.H"),
        ("deck_change_lead_minutes", -1, "TCP 3.C"),
        ("idle_minutes", 0, "TCP 5.H"),
        ("jurisdiction", "WA", None),
    ],
)
def test_bad_value(key: str, value: object, clause: str | None) -> None:
    assert faults(**{key: value}) == {f"rules.{key}": clause}


@pytest.mark.parametrize("key", ["ante_bonus", "pair_plus", "game"])
def test_missing(key: str) -> None:
    assert list(faults(**{key: None})) == [f"rules.{key}"]


def test_null_is_not_absent() -> None:
    with pytest.raises(RulesError):
        parse_rules({**LEAST, "progressive": None})


def test_all_faults_at_once() -> None:
    found = faults(ante_bonus=None, pair_plus="Z", seats=9, tie_pays=8)
    assert set(found) == {"rules.ante_bonus", "rules.pair_plus", "rules.seats", "rules.tie_pays"}


def test_boxes_within_the_seats() -> None:
    assert faults(seats=3, adjacent_boxes=4) == {"rules.adjacent_boxes": "TCP 7.H"}
    assert rules(seats=3, adjacent_boxes=3).adjacent_boxes == 3


@pytest.mark.parametrize("game", ["whist", 7, ["three_card_poker"]])
def test_no_such_game(game: object) -> None:
    assert "rules.game" in faults(game=game)


def test_rules_in_force_cite_the_paytable_chosen() -> None:
    shown = rules_in_force(rules(pair_plus="D", pair_plus_condition="ante_at_least_half"))
    assert set(shown) == set(rule_notes())
    assert (shown["pair_plus"].value, shown["pair_plus"].clause) == ("D", "TCP 12.D(4)")
    assert shown["pair_plus_condition"].clause == "TCP 7.G(2)"
    assert shown["seats"].default == 7
    assert {rule.clause for rule in shown.values() if rule.clause} <= CLAUSES


def test_every_clause_of_the_notes_exists() -> None:
    for note in rule_notes().values():
        cited = {note.clause, *(note.choices or {}).values()} - {None}
        assert cited <= CLAUSES


@pytest.mark.parametrize(
    ("three", "five", "meters"),
    [
        ("A", None, {"main"}),
        ("B", None, {"main"}),
        ("C", None, {"major", "minor"}),
        (None, "A", {"main5"}),
        (None, "B", {"major5", "minor5"}),
        ("C", "C", {"major", "minor", "mega5", "major5", "minor5"}),
    ],
)
def test_meters_needed(three: str | None, five: str | None, meters: set[str]) -> None:
    in_force = rules(progressive=three, five_card_progressive=five)
    assert set(in_force.meters) == meters
    good = {name: {"reset": 100_000, "rate": Decimal("0.2")} for name in meters}
    assert check_meters(in_force, good) == ()
    missing = check_meters(in_force, {})
    assert {fault.key for fault in missing} == {f"meters.{name}" for name in meters}
    assert all(fault.clause in CLAUSES for fault in missing)


def meter_faults(letter: str, **meter: object) -> dict[str, str | None]:
    in_force = rules(progressive=letter, five_card_progressive=None)
    found = check_meters(in_force, {"main": {"reset": 100_000, "rate": "0.5", **meter}})
    return {fault.key: fault.clause for fault in found}


@pytest.mark.parametrize("rate", [Decimal("0.14"), "0.14", Fraction(14, 100), 1])
def test_rate_at_its_minimum(rate: object) -> None:
    assert meter_faults("A", rate=rate) == {}


@pytest.mark.parametrize(
    ("letter", "rate"),
    [
        ("A", Decimal("0.1399999")),
        ("B", Decimal("0.19999")),
        ("B", "0.14"),
        ("A", 0.14),
        ("A", "x"),
        ("A", "nan"),
        ("A", "inf"),
        ("A", True),
        ("A", None),
        ("A", Decimal("1.01")),
    ],
)
def test_rate_refused(letter: str, rate: object) -> None:
    assert meter_faults(letter, rate=rate) == {"meters.main.rate": "TCP 12.E(3)(a)"}


@pytest.mark.parametrize("reset", [99_999, 0, -1, 100_000.0, "100000", True, None])
def test_reset_refused(reset: object) -> None:
    assert meter_faults("A", reset=reset) == {"meters.main.reset": "TCP 12.E(3)(b)"}


def test_five_card_meters_have_the_reset_but_no_printed_rate() -> None:
    in_force = rules(progressive=None, five_card_progressive="A")
    assert check_meters(in_force, {"main5": {"reset": 100_000, "rate": "0.01"}}) == ()
    [fault] = check_meters(in_force, {"main5": {"reset": 99_999, "rate": "0.01"}})
    assert fault.clause == "TCP 12.E(3)(b)"
    [fault] = check_meters(in_force, {"main5": {"reset": 100_000, "rate": "0"}})
    assert fault.key == "meters.main5.rate"


def test_unknown_meters_and_keys() -> None:
    in_force = rules(progressive=None, five_card_progressive=None)
    [fault] = check_meters(in_force, {"main": {"reset": 100_000, "rate": "0.2"}})
    assert fault.key == "meters.main"
    assert meter_faults("A", maximum=5) == {"meters.main.maximum": None}
