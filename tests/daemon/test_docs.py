"""docs/operators/configuration.md against the models: the page cannot drift from what is read."""

import re

import pytest

from tablectl.cards import dollars
from tablectl.daemon.sections import NAMED, SINGLE, TOP_LEVEL
from tablectl.games import paytables
from tablectl.games.rules import GAMES, rule_notes
from tests.daemon.files import ROOT

PAGE = (ROOT / "docs/operators/configuration.md").read_text()
ROW = re.compile(r"^\| `([\w.]+)` \| (.+?) \| (.*?) \| (.*?) \|$", re.MULTILINE)
NAMES = {
    "meters": "NAME", "devices": "ID", "limits": "WAGER", "seats": "NUMBER", "people": "NAME",
    "keys": "NAME",
}  # fmt: skip


def rows(text: str) -> dict[str, tuple[str, str]]:
    return {key: (default.strip(), clause.strip()) for key, _, default, clause in ROW.findall(text)}


def section(game: str) -> str:
    """The part of the page about one game's rules."""
    return re.split(r"^##+ ", PAGE.partition(f"### {game}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]


ROWS = {key: row for key, row in rows(PAGE).items() if not key.startswith("rules.")} | {
    key.replace("rules.", f"rules.{game}."): row
    for game in GAMES
    for key, row in rows(section(game)).items()
}


def literal(value: object) -> str:
    """A default as the page writes it."""
    if value is None or value in ({}, ()):
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f'`"{value}"`' if isinstance(value, str) else f"`{value}`"


def expected() -> dict[str, tuple[str, str | None]]:
    """Key, with its default and its clause, as the models have them."""
    found: dict[str, tuple[str, str | None]] = {"config_version": ("required", "")}
    for section, model in (SINGLE | NAMED).items():
        prefix = f"{section}.{NAMES[section]}" if section in NAMES else section
        for name, field in model.model_fields.items():
            extra = field.json_schema_extra
            assert isinstance(extra, dict)
            default = "required" if field.is_required() else literal(field.default)
            found[f"{prefix}.{name}"] = (default, str(extra["clause"] or ""))
    for game in GAMES:
        for name, note in rule_notes(game).items():
            default = "required" if note.required else literal(note.default)
            found[f"rules.{game}.{name}"] = (default, note.clause or "")
    return found


def test_the_page_has_every_key_and_no_other():
    assert ROWS.keys() == expected().keys()


@pytest.mark.parametrize("key", sorted(expected()))
def test_the_page_gives_the_default_and_the_clause(key):
    default, clause = expected()[key]
    assert ROWS[key] == (default, clause)


def test_the_page_has_a_heading_for_every_section():
    headings = set(re.findall(r"^## `\[(\w+)", PAGE, re.MULTILINE))
    assert headings == set(TOP_LEVEL) - {"config_version"}


@pytest.mark.parametrize("game", GAMES)
def test_the_page_names_the_choices_of_every_rule(game):
    for name, note in rule_notes(game).items():
        line = re.search(rf"^\| `rules\.{name}` \|.*$", section(game), re.MULTILINE)
        assert line is not None
        missing = [choice for choice in note.choices or () if f"`{choice}`" not in line[0]]
        assert not missing, (name, missing)


@pytest.mark.parametrize("game", GAMES)
def test_the_page_gives_the_bounds_of_every_number(game):
    for name, note in rule_notes(game).items():
        if note.bounds is not None:
            low, high = note.bounds
            line = re.search(rf"^\| `rules\.{name}` \|.*$", section(game), re.MULTILINE)
            assert line is not None
            assert re.search(rf"\b{low} to {high}\b|\bat least {low}\b", line[0]), line[0]


def test_the_page_names_the_stakes_of_a_progressive_wager():
    stakes = " or ".join(map(dollars, paytables.three_card_poker().progressive_stakes))
    assert f"A progressive wager is {stakes}\n" in PAGE
