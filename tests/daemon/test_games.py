"""`check` on tables of every game: what it refuses with its clause, and the edges that it shows."""

import json
import re
from pathlib import Path

import pytest

from tablectl.daemon.check import check
from tablectl.daemon.config import read, to_setup
from tablectl.games.odds.catalogue import questions
from tests.clauses import CLAUSES
from tests.daemon.files import ROOT

CONFIGS = sorted((ROOT / "config").glob("*.toml"))


def edited(name: str, edits: dict[str, str | None]) -> str:
    """A shipped file with `section.key` set to a TOML literal, added, or taken away (None)."""
    text = (ROOT / "config" / name).read_text()
    for dotted, literal in edits.items():
        section, _, key = dotted.rpartition(".")
        head, found, body = text.partition(f"[{section}]\n")
        assert found, section
        body, more, rest = body.partition("\n[")
        body = re.sub(rf"^{key} = .*\n", "", body, flags=re.MULTILINE)
        line = "" if literal is None else f"{key} = {literal}\n"
        text = f"{head}{found}{line}{body}{more}{rest}"
    return text


REFUSED = [
    ("three-card-baccarat-wa.toml", "rules.three_kings", '"B"', "WA-TCB paytable"),
    ("three-card-baccarat-wa.toml", "rules.tie", '"B"', "WA-TCB paytable"),
    ("three-card-baccarat-wa.toml", "rules.commission", '"free"', "WA-TCB D7"),
    ("three-card-baccarat.toml", "rules.seats", "7", "TCB 2.A(1)"),
    ("three-card-baccarat.toml", "rules.house_rulings", "true", "TCB 13.A"),
    ("three-card-baccarat.toml", "rules.three_kings", '"C"', "TCB 12.B-1"),
    ("midi-baccarat.toml", "rules.blazing_7s", '"A"', "MIDI 7.A(14)"),
    ("midi-baccarat.toml", "rules.any_pair", "true", "MIDI 7.A(16)"),
    ("midi-baccarat.toml", "rules.royal_9_reading", None, "MIDI 12.K"),
    ("midi-baccarat.toml", "rules.tie_pays", "7", "MIDI 12.B"),
    ("midi-baccarat.toml", "rules.decks", "5", "MIDI 3.A"),
    ("midi-baccarat.toml", "meters.star.reset", "4999999", "MIDI 12.L(2)(a)"),
    ("midi-baccarat.toml", "meters.spade.reset", "34999", "MIDI 12.L(4)(a)"),
    ("midi-baccarat.toml", "meters.heart.reset", "34999", "MIDI 12.L(4)(a)"),
    ("midi-baccarat.toml", "meters.must_hit.reset", "24999", "MIDI 12.O(2)(a)"),
    ("midi-baccarat.toml", "meters.must_hit.maximum", "99999", "MIDI 12.O(2)(a)"),
    ("midi-baccarat.toml", "seats.4", None, "MIDI 12.K"),
    ("midi-baccarat.toml", "limits.dragon_7", "{minimum = 1, maximum = 2}", "MIDI 7.A(5)"),
    ("midi-baccarat-ez.toml", "limits.one_up", "{minimum = 1, maximum = 2}", "MIDI 7.A(8)"),
    ("three-card-poker.toml", "meters.main.reset", "99999", "TCP 12.E(3)(b)"),
    ("three-card-poker.toml", "meters.main.rate", "0.1399", "TCP 12.E(3)(a)"),
    ("three-card-poker.toml", "rules.jurisdiction", '"WA"', None),
]


@pytest.mark.parametrize(("name", "key", "literal", "clause"), REFUSED)
def test_refused_with_its_clause(
    tmp_path: Path, name: str, key: str, literal: str | None, clause: str | None
) -> None:
    file = tmp_path / name
    file.write_text(edited(name, {key: literal}))
    [fault] = read(file).faults
    assert (fault.key, fault.clause) == (key, clause)
    assert clause is None or clause in CLAUSES
    answer = check(str(file), as_json=False)
    assert answer.exit_code == 1
    [line] = answer.stderr
    assert line.startswith(f"{file}: {key}: ")
    assert clause is None or f"({clause})" in line


def test_wa_r5_from_a_dealing_shoe_no_shuffler_is_asked_for(tmp_path: Path) -> None:
    """The dealers shuffle by the house's procedure; an automated shoe deals its own stacks."""
    text = edited("three-card-baccarat-wa.toml", {"rules.dealing": '"manual_shoe"'})
    file = tmp_path / "table.toml"
    file.write_text(text[: text.index("[devices.shuffler]")] + text[text.index("[limits") :])
    assert read(file).faults == ()


@pytest.mark.parametrize("half", ['"button"', '"shoes"', '"shuffler"'])
def test_a_machine_that_shuffles_and_deals_names_its_shoe(tmp_path: Path, half: str) -> None:
    file = tmp_path / "table.toml"
    name = "three-card-baccarat-wa.toml"
    file.write_text(edited(name, {"devices.shuffler.combined_with": half}))
    [fault] = read(file).faults
    assert fault.key == "devices.shuffler.combined_with"
    file.write_text(edited(name, {}))
    config = read(file).config
    assert config is not None
    assert [d.combined_with for d in to_setup(config).devices if d.kind == "shuffler"] == ["shoe"]


def test_a_higher_paytable_asks_for_more_of_its_meters(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(edited("midi-baccarat.toml", {"rules.royal_9": '"C"'}))
    assert {fault.key: fault.clause for fault in read(file).faults} == {
        "meters.spade.reset": "MIDI 12.L(4)(c)",
        "meters.heart.reset": "MIDI 12.L(4)(c)",
    }
    file.write_text(edited("three-card-poker.toml", {"rules.progressive": '"B"',
                                                     "meters.main.rate": "0.14"}))  # fmt: skip
    assert {fault.key for fault in read(file).faults} == {"meters.main.rate"}


@pytest.mark.parametrize("file", CONFIGS, ids=lambda file: file.name)
def test_every_edge_is_that_of_odds(file: Path) -> None:
    answer = json.loads(check(str(file), as_json=True).stdout)
    rules = {key: rule["value"] for key, rule in answer["rules"].items()}
    settings = {key: value for key, value in rules.items() if value is not None and key != "game"}
    counted = {
        (one.wager.removesuffix("_play"), one.paytable): one
        for one in questions(rules["game"], settings)
    }
    assert answer["wagers"]
    page = check(str(file), as_json=False).stdout
    for offered in answer["wagers"]:
        if offered["wager"] == "play":
            assert offered["edge"] is None
            continue
        odds = counted[offered["wager"], offered["paytable"]].answer()
        assert offered["edge"] == float(odds.edge)
        _, _, table = page.partition("\nWagers\n")
        row = next(line for line in table.splitlines() if line.startswith(f"{offered['wager']} "))
        assert f"{offered['edge']:.3%}" in row
