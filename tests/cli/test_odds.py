"""`tablectl odds` as a person and a program run it."""

import contextlib
import json
import os
import resource
import subprocess

import pytest

from tablectl.games import paytables
from tablectl.games.midi_baccarat_rules import WAGERS as MIDI_WAGERS
from tests.clauses import CLAUSES
from tests.cli.test_commands import COMMAND, one_line, tablectl

GAMES = ("three_card_poker", "three_card_baccarat", "midi_baccarat")
DRAGON_BONUS = ("dragon_bonus_player", "dragon_bonus_banker")


@pytest.fixture(scope="module")
def whole():
    """What the command says of each whole game, and the seconds of a processor that all took."""
    began = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = {}
    for game in GAMES:
        result = tablectl("odds", "--game", game, "--json")
        assert (result.returncode, result.stderr) == (0, "")
        told[game] = json.loads(result.stdout)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return told, ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime


@pytest.mark.parametrize("game", GAMES)
def test_json_has_what_programs_rely_on(whole, game):
    answers = whole[0][game]
    assert answers
    for one in answers:
        assert one["game"] == game
        assert {"wager", "paytable", "decks", "total", "edge", "outcomes"} <= one.keys()
        assert one["decks"] == (8 if game == "midi_baccarat" else 1)
        ends = one["outcomes"].values()
        assert sum(end["count"] for end in ends) == one["total"]
        cost = -sum(end["count"] / one["total"] * end["pays"] for end in ends)
        assert one["edge"] == pytest.approx(cost, abs=1e-12)
        above, below = map(int, f"{one['edge_exact']}/1".split("/")[:2])
        assert one["edge"] == above / below
        if any("award" in end for end in ends):
            assert any("counted as 0" in note for note in one["notes"])


def test_all_three_games_take_under_a_minute(whole):
    assert whole[1] < 60


@pytest.mark.parametrize(
    ("game", "figures"),
    [
        ("three_card_poker", paytables.three_card_poker()),
        ("three_card_baccarat", paytables.three_card_baccarat("MD")),
        ("midi_baccarat", paytables.midi_baccarat()),
    ],
)
def test_a_reader_finds_the_clause_of_every_payout(whole, game, figures):
    answers = whole[0][game]
    cited = {
        clause
        for one in answers
        for end in one["outcomes"].values()
        for clause in end["clause"].split(", ")
    }
    notes = " ".join(note for one in answers for note in one["notes"])
    for table in figures.tables.values():
        for row in table.rows:
            assert row.clause in cited or f"({row.clause})" in notes
    assert cited <= CLAUSES


def test_every_wager_and_paytable_is_there(whole):
    """Whatever a table may offer, under the letter or else the variant or commission in force."""
    counted = {
        game: {(one["wager"], one["paytable"]) for one in answers}
        for game, answers in whole[0].items()
    }
    assert {w for w, _ in counted["three_card_poker"]} == {
        "ante_play", "pair_plus", "progressive", "six_card_bonus", "five_card_progressive",
    }  # fmt: skip
    assert {w for w, _ in counted["three_card_baccarat"]} == {
        "ante", "three_kings", "tie", "dragon",
    }  # fmt: skip
    assert {w for w, _ in counted["midi_baccarat"]} == set(MIDI_WAGERS)
    figures = {
        "three_card_poker": paytables.three_card_poker(),
        "three_card_baccarat": paytables.three_card_baccarat("MD"),
        "midi_baccarat": paytables.midi_baccarat(),
    }
    apart = {"ante_bonus": ("ante_play",), "dragon_bonus": DRAGON_BONUS}
    for game, printed in figures.items():
        for wager, letter in printed.tables:
            if letter and wager != "envy_bonus":
                for name in apart.get(wager, (wager,)):
                    assert (name, letter) in counted[game]


def test_a_published_figure_on_paper():
    setting = ("--set", "pair_plus=D")
    result = tablectl("odds", "--game", "three_card_poker", *setting)
    assert (result.returncode, result.stderr) == (0, "")
    assert "pair plus D: edge 2.317%" in result.stdout
    assert "pair plus A" not in result.stdout
    assert "TCP 12.D(4)(a)" in result.stdout


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("columns", [80, 120])
def test_the_page_keeps_within_the_width(game, columns):
    result = tablectl("odds", "--game", game, columns=columns)
    assert result.returncode == 0
    assert max(map(len, result.stdout.splitlines())) <= columns
    assert "House edge" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--game", "roulette"), "'roulette' is not here; known: three_card_poker,"),
        (("--game", "midi_baccarat", "--set", "decks=9"), "decks: expected an integer from 6 to 8"),
        (("--game", "midi_baccarat", "--set", "decks"), "write KEY=VALUE"),
        (("--game", "midi_baccarat", "--set", "x=1"), "x: no such key"),
        (("--game", "midi_baccarat", "--set", f"decks={'9' * 5000}"), "from 6 to 8"),
        (("--game", "three_card_baccarat", "--set", "jurisdiction=NV"), "one of MD, WA, not 'NV'"),
        (
            ("--game", "midi_baccarat", "--set", "decks=6", "--set", "decks=7"),
            "decks is set twice",
        ),
        (
            ("--game", "midi_baccarat", "--set", "variant=ez", "--set", "blazing_7s=A"),
            "blazing_7s: no such key at a table of the variant ez",
        ),
        (
            ("--game", "three_card_poker", "--set", "seats=2", "--set", "adjacent_boxes=3"),
            "adjacent_boxes: expected no more boxes than the table's 2 seats",
        ),
        (("--game", "midi_baccarat", "--set", f"{'x' * 5000}=1"), f"{'x' * 40}: no such key"),
        (("--game", "midi_baccarat", "--set", "y" * 5000), "is no setting"),
        ((), "--game"),
    ],
)
def test_wrong_usage_is_one_line(arguments, said):
    result = tablectl("odds", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert said in one_line(result)
    assert len(result.stderr) < 700


def test_a_terminal_sees_how_far_it_has_come():
    """The bar is on stderr, so that what is piped stays clean."""
    watching, shown = os.openpty()
    command = [str(COMMAND), "odds", "--game", "three_card_poker", "--json"]
    environment = {**os.environ, "TERM": "xterm"}
    result = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=shown, env=environment, timeout=60, check=True
    )
    os.close(shown)
    seen = b""
    with contextlib.suppress(OSError):  # so ends a terminal whose other end is closed
        while part := os.read(watching, 65536):
            seen += part
    os.close(watching)
    assert b"five card progressive C" in seen
    assert b"100%" in seen
    assert json.loads(result.stdout)
