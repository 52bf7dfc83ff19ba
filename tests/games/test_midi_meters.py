"""The meters of Midi Baccarat: the least reset and maximum of each (MIDI 12.L, 12.O)."""

import pytest

from tablectl.games.rules import check_meters, parse_rules

ROYAL = {"game": "midi_baccarat", "royal_9": "A", "royal_9_reading": "printed_per_seat"}
STAR = {"A": (5_000_000, "a"), "B": (2_500_000, "b"), "C": (5_000_000, "c")}
SPADE_HEART = {"A": (35_000, "a"), "B": (35_000, "b"), "C": (45_000, "c")}
MUST_HIT = {"a": (25_000, 100_000), "b": (10_000, 50_000), "c": (10_000, 20_000)}


def faults(meters, **rules) -> dict[str, str | None]:
    in_force = parse_rules({**ROYAL, **rules})
    return {fault.key: fault.clause for fault in check_meters(in_force, meters)}


def royal(letter: str, **resets: int):
    least = {"star": STAR[letter][0]} | dict.fromkeys(("spade", "heart"), SPADE_HEART[letter][0])
    return {name: {"reset": resets.get(name, least[name]), "rate": "0.1"} for name in least}


@pytest.mark.parametrize("letter", "ABC")
def test_12l_each_meter_resets_to_its_least_at_the_least(letter):
    assert faults(royal(letter), royal_9=letter) == {}
    for name, figures, clause in (
        ("star", STAR, "MIDI 12.L(2)"), ("spade", SPADE_HEART, "MIDI 12.L(4)"),
        ("heart", SPADE_HEART, "MIDI 12.L(4)"),
    ):  # fmt: skip
        least, mark = figures[letter]
        found = faults(royal(letter, **{name: least - 1}), royal_9=letter)
        assert found == {f"meters.{name}.reset": f"{clause}({mark})"}


@pytest.mark.parametrize("name", ["star", "spade", "heart"])
def test_12l_each_meter_has_a_rate(name):
    meters = royal("A")
    meters[name] = {"reset": meters[name]["reset"]}
    assert list(faults(meters)) == [f"meters.{name}.rate"]
    assert list(faults({other: meters[other] for other in meters if other != name})) == [
        f"meters.{name}"
    ]


@pytest.mark.parametrize("letter", "abc")
def test_12o_must_hit_has_a_reset_and_a_maximum(letter):
    reset, maximum = MUST_HIT[letter]
    good = {"reset": reset, "rate": "0.1", "maximum": maximum}
    for wrong, key in (
        ({}, None), ({"reset": reset - 1}, "reset"), ({"maximum": maximum - 1}, "maximum"),
        ({"reset": maximum, "maximum": maximum}, "maximum"), ({"rate": "0"}, "rate"),
    ):  # fmt: skip
        found = faults({**royal("A"), "must_hit": {**good, **wrong}}, must_hit=letter)
        assert list(found) == ([f"meters.must_hit.{key}"] if key else [])
        if key in ("reset", "maximum"):
            assert list(found.values()) == [f"MIDI 12.O(2)({letter})"]
