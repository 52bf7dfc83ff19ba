"""`[rules]` and `[meters]` of both baccarats: what is refused, with which clause."""

from collections.abc import Mapping
from dataclasses import asdict
from decimal import Decimal
from typing import Any

import pytest

from tablectl.games import paytables
from tablectl.games.rules import (
    GAMES,
    RulesError,
    check_meters,
    parse_rules,
    rule_notes,
    rules_in_force,
)
from tests.clauses import CLAUSES

from .baccarat_deals import midi_rules, three_card_rules

THREE, MIDI = "three_card_baccarat", "midi_baccarat"
ROYAL_9 = {"royal_9": "A", "royal_9_reading": "printed_per_seat"}


def faults(game: str, **given: Any) -> dict[str, str | None]:
    with pytest.raises(RulesError) as refused:
        parse_rules({"game": game, **given})
    assert "\n" not in str(refused.value)
    return {fault.key: fault.clause for fault in refused.value.faults}


def test_defaults() -> None:
    assert asdict(parse_rules({"game": THREE})) == {
        "game": THREE, "jurisdiction": "MD", "dealing": "automated_shoe", "seats": 6,
        "commission": "five_percent", "vigorish_rounding": "up_to_quarter", "three_kings": None,
        "tie": None, "dragon": False, "dragon_three_face": "ten", "house_rulings": None,
        "deck_change_lead_minutes": 3, "idle_minutes": 5,
    }  # fmt: skip
    washington = parse_rules({"game": THREE, "jurisdiction": "WA"})
    assert (washington.seats, asdict(washington)["house_rulings"]) == (7, True)
    plain = parse_rules({"game": MIDI})
    assert asdict(plain) == {
        "game": MIDI, "jurisdiction": "MD", "seats": 9, "decks": 8, "variant": "standard",
        "tie_pays": 8, "vigorish_rounding": "up_to_quarter", "vigorish_collection": "at_payout",
        "dragon_bonus": None, "blazing_7s": None, "any_pair": None, "lucky_nines": None,
        "lucky_6": False, "super_6": False, "jackpot": None, "royal_9": None,
        "royal_9_reading": None, "must_hit": None, "disclosed_card": "discard_with_next",
        "exposed_due_card": "set_aside", "seat_order": "from_dealers_right",
        "deck_change_lead_minutes": 3, "idle_minutes": 5,
    }  # fmt: skip
    assert plain.wagers == ("player", "banker", "tie")
    assert (plain.meters, plain.metered_wagers) == ((), ())


@pytest.mark.parametrize(
    ("game", "key", "value", "clause"),
    [
        (THREE, "seats", 7, "TCB 2.A(1)"),
        (THREE, "seats", 0, "TCB 2.A(1)"),
        (THREE, "seats", True, "TCB 2.A(1)"),
        (THREE, "commission", "none", "TCB 12.A"),
        (THREE, "vigorish_rounding", "down", "TCB 12.A(1)"),
        (THREE, "three_kings", "C", "TCB 12.B-1"),
        (THREE, "three_kings", True, "TCB 12.B-1"),
        (THREE, "tie", "C", "TCB 12.B-2"),
        (THREE, "dragon", "A", "TCB 12.E(1)"),
        (THREE, "dragon", 1, "TCB 12.E(1)"),
        (THREE, "dragon_three_face", "zero", "TCB 12.E(1)"),
        (THREE, "dealing", "by_hand", "TCB 11.A"),
        (THREE, "jurisdiction", "NV", None),
        (THREE, "house_rulings", True, "TCB 13.A"),  # Washington's key in Maryland
        (THREE, "decks", 8, None),
        (THREE, "deck_change_lead_minutes", 61, "TCB 3.C"),
        (THREE, "idle_minutes", 0, "TCB 5.F"),
        (MIDI, "seats", 10, "MIDI 2.A(1)"),
        (MIDI, "decks", 5, "MIDI 3.A"),
        (MIDI, "decks", 9, "MIDI 3.A"),
        (MIDI, "decks", 8.0, "MIDI 3.A"),
        (MIDI, "variant", "mini", "MIDI 12.C"),
        (MIDI, "tie_pays", 7, "MIDI 12.B"),  # below the least that the rules allow
        (MIDI, "tie_pays", "8", "MIDI 12.B"),
        (MIDI, "vigorish_rounding", "down", "MIDI 12.D(1)"),
        (MIDI, "vigorish_collection", "later", "MIDI 12.D(2)"),
        (MIDI, "dragon_bonus", "D", "MIDI 12.F"),
        (MIDI, "any_pair", True, "MIDI 7.A(16)"),  # the house must say how it is played
        (MIDI, "any_pair", "A", "MIDI 7.A(16)"),
        (MIDI, "lucky_nines", "E", "MIDI 12.R"),
        (MIDI, "lucky_6", "A", "MIDI 12.T"),
        (MIDI, "super_6", 1, "MIDI 12.U"),
        (MIDI, "jackpot", "F", "MIDI 12.M"),
        (MIDI, "must_hit", "a", "MIDI 7.A(9)(a)"),  # goes with royal_9
        (MIDI, "royal_9_reading", "printed_per_seat", "MIDI 7.A(9)(a)"),
        (MIDI, "disclosed_card", "burn", "MIDI 13.C(2)"),
        (MIDI, "exposed_due_card", "burn", "MIDI 13.D"),
        (MIDI, "seat_order", "from_the_left", "MIDI 5.B(2)"),
        (MIDI, "jurisdiction", "WA", None),
        (MIDI, "dealing", "hand", None),
        (MIDI, "dragon_7", True, None),  # a variant brings its wagers: there is no key
        (MIDI, "blazing_7s", "A", "MIDI 7.A(14)"),  # five_treasures' wager
    ],
)
def test_bad_value(game: str, key: str, value: object, clause: str | None) -> None:
    assert faults(game, **{key: value}) == {f"rules.{key}": clause}
    assert clause is None or clause in CLAUSES


@pytest.mark.parametrize(
    ("key", "value", "clause"),
    [
        ("three_kings", "B", "WA-TCB paytable"),
        ("tie", "B", "WA-TCB paytable"),
        ("commission", "free", "WA-TCB D7"),
        ("seats", 8, None),
    ],
)
def test_washington_does_not_print_it(key: str, value: object, clause: str | None) -> None:
    """A paytable of another jurisdiction is refused with the clause of this one."""
    assert faults(THREE, jurisdiction="WA", **{key: value}) == {f"rules.{key}": clause}
    if key != "seats":
        parse_rules({"game": THREE, key: value})  # as Maryland has it
        with pytest.raises(RulesError, match="Maryland's, not Washington's"):
            parse_rules({"game": THREE, "jurisdiction": "WA", key: value})


@pytest.mark.parametrize("variant", ["standard", "ez", "fortune_7", "no_commission"])
def test_a_variant_s_wager_elsewhere(variant: str) -> None:
    assert faults(MIDI, variant=variant, blazing_7s="B") == {"rules.blazing_7s": "MIDI 7.A(14)"}
    at_home = parse_rules({"game": MIDI, "variant": "five_treasures", "blazing_7s": "B"})
    assert "blazing_7s" in at_home.wagers


def test_royal_9_needs_its_reading() -> None:
    assert faults(MIDI, royal_9="A") == {"rules.royal_9_reading": "MIDI 12.K"}
    with pytest.raises(RulesError, match="cannot be offered without it"):
        parse_rules({"game": MIDI, "royal_9": "A"})
    assert faults(MIDI, royal_9="A", royal_9_reading="any") == {
        "rules.royal_9_reading": "MIDI 12.K"
    }


def test_any_pair_says_that_the_house_must_choose() -> None:
    with pytest.raises(
        RulesError, match="nominated_hand or either_hand, since the rules contradict"
    ):
        parse_rules({"game": MIDI, "any_pair": "A"})


@pytest.mark.parametrize(
    ("variant", "own"),
    [
        ("standard", set()),
        ("ez", {"dragon_7", "panda_8"}),
        ("fortune_7", {"fortune_7", "one_up"}),
        ("no_commission", set()),
        ("five_treasures", {"treasure_fortune_7", "golden_8", "heavenly_9", "cover_all"}),
    ],
)
def test_a_variant_brings_its_wagers(variant: str, own: set[str]) -> None:
    assert set(parse_rules({"game": MIDI, "variant": variant}).wagers) == {
        "player", "banker", "tie", *own,
    }  # fmt: skip


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("state", ["MD", "WA"])
def test_every_clause_of_the_notes_exists(game: str, state: str) -> None:
    for note in rule_notes(game, state).values():
        assert {note.clause, *(note.choices or {}).values()} - {None} <= CLAUSES


def test_rules_in_force_cite_what_was_chosen() -> None:
    shown = rules_in_force(midi_rules(variant="five_treasures", blazing_7s="B", jackpot="E"))
    assert set(shown) == set(rule_notes(MIDI))
    assert shown["blazing_7s"].clause == "MIDI 12.P(4)(b)"
    assert shown["jackpot"].clause == "MIDI 12.M(5)"
    shown = rules_in_force(three_card_rules(jurisdiction="WA"))
    assert shown["three_kings"].clause == "WA-TCB paytable"
    assert shown["house_rulings"].value is True
    assert "house_rulings" not in rules_in_force(three_card_rules())


# ---------------------------------------------------------------- meters


def good_meters(letter: str, must_hit: str | None) -> dict[str, dict[str, object]]:
    """Every meter at its minimum."""
    figures = paytables.midi_baccarat()
    found: dict[str, dict[str, object]] = {
        name: {"reset": int(least.value), "rate": Decimal("0.01")}
        for (name, of), least in figures.reset_minimums.items()
        if of in (letter, must_hit)
    }
    if must_hit:
        least = figures.maximum_minimums["must_hit", must_hit]
        found["must_hit"]["maximum"] = int(least.value)
    return found


def meter_faults(
    letter: str, must_hit: str | None, meters: Mapping[str, Mapping[str, object]]
) -> dict[str, str | None]:
    rules = midi_rules(royal_9=letter, must_hit=must_hit)
    return {fault.key: fault.clause for fault in check_meters(rules, meters)}


@pytest.mark.parametrize("letter", "ABC")
@pytest.mark.parametrize("must_hit", [None, "a", "b", "c"])
def test_meters_at_and_below_their_minimum(letter: str, must_hit: str | None) -> None:
    good = good_meters(letter, must_hit)
    assert midi_rules(royal_9=letter, must_hit=must_hit).meters == tuple(good)
    assert meter_faults(letter, must_hit, good) == {}
    figures = paytables.midi_baccarat()
    for name, meter in good.items():
        of = must_hit if name == "must_hit" else letter
        assert of is not None
        for key, minimums in (
            ("reset", figures.reset_minimums),
            ("maximum", figures.maximum_minimums),
        ):
            if key in meter:
                low = {**good, name: {**meter, key: int(minimums[name, of].value) - 1}}
                found = meter_faults(letter, must_hit, low)
                assert found == {f"meters.{name}.{key}": minimums[name, of].clause}
        for rate in (0, Decimal("1.01"), 0.1, None, True):
            found = meter_faults(letter, must_hit, {**good, name: {**meter, "rate": rate}})
            assert list(found) == [f"meters.{name}.rate"]
            assert set(found.values()) <= CLAUSES
        gone = {other: terms for other, terms in good.items() if other != name}
        found = meter_faults(letter, must_hit, gone)
        assert list(found) == [f"meters.{name}"]
        assert set(found.values()) <= CLAUSES


def test_a_maximum_is_more_than_the_reset() -> None:
    good = good_meters("A", "a")
    same = {**good, "must_hit": {**good["must_hit"], "reset": 200_000, "maximum": 200_000}}
    assert meter_faults("A", "a", same) == {"meters.must_hit.maximum": "MIDI 12.O(2)(a)"}


def test_meters_that_nothing_pays_from() -> None:
    [fault] = check_meters(three_card_rules(), {"main": {"reset": 100_000, "rate": "0.2"}})
    assert (fault.key, "these rules use: none" in fault.expected) == ("meters.main", True)
    assert meter_faults("A", None, {**good_meters("A", None), "must_hit": {}}) == {
        "meters.must_hit": None
    }
    plain = parse_rules({"game": MIDI})
    assert [fault.key for fault in check_meters(plain, {"star": {}})] == ["meters.star"]
