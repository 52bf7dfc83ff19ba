"""`tablectl odds` as a person and a program run it."""

import contextlib
import json
import os
import subprocess

import pytest

from tests.cli.test_commands import COMMAND, one_line, tablectl

GAMES = ("three_card_poker", "three_card_baccarat", "midi_baccarat")


@pytest.mark.parametrize("game", GAMES)
def test_json_has_what_programs_rely_on(game):
    result = tablectl("odds", "--game", game, "--json")
    assert (result.returncode, result.stderr) == (0, "")
    answers = json.loads(result.stdout)
    assert answers
    for one in answers:
        assert one["game"] == game
        assert {"wager", "paytable", "decks", "total", "edge", "outcomes"} <= one.keys()
        assert one["decks"] == (8 if game == "midi_baccarat" else 1)
        ends = one["outcomes"].values()
        assert sum(end["count"] for end in ends) == one["total"]
        assert all(end["clause"].startswith(("TCP ", "TCB ", "MIDI ")) for end in ends)
        cost = -sum(end["count"] / one["total"] * end["pays"] for end in ends)
        assert one["edge"] == pytest.approx(cost, abs=1e-12)
        above, below = map(int, f"{one['edge_exact']}/1".split("/")[:2])
        assert one["edge"] == above / below
        if any("award" in end for end in ends):
            assert any("counted as 0" in note for note in one["notes"])


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
