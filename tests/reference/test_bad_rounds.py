"""A round that cannot be settled is refused in one sentence, and its neighbours are still settled.

Random bad rounds stand between random good ones; the good ones must come out as the references
settle them. A failure prints the seed; TABLECTL_SEED repeats it.
"""

import json
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from .games import GAMES
from .random_bad_rounds import SPOILERS, not_an_object, spoiled
from .test_agreement import comparable, seed

TABLECTL = Path(sys.executable).parent / "tablectl"


def mixed_lines(rng: random.Random, count: int) -> list[tuple[str, str, dict[str, Any]]]:
    """Lines for `settle`: "good", "no object" or what is wrong, the line, the round in it."""
    lines = []
    for number in range(count):
        game = rng.choice(list(GAMES))
        round_ = {"id": f"round {number}", **GAMES[game].random_round(rng)}
        kind = "good"
        if rng.random() < 0.7:
            kind, round_ = spoiled(rng, round_)
        line = json.dumps(round_)
        if rng.random() < 0.1:
            kind, line = "no object", not_an_object(rng, line)
        lines.append((kind, line, round_))
    return lines


def check_answer(kind: str, round_: dict[str, Any], answer: str) -> None:
    real = json.loads(answer)
    if kind == "good":
        game = round_["game"]
        assert real["id"] == round_["id"]
        assert comparable(game, real) == comparable(game, GAMES[game].settle(round_))
        return
    assert set(real) == {"id", "error"}
    assert real["id"] == (None if kind == "no object" else round_["id"])
    assert isinstance(real["error"], str)
    assert real["error"].strip()
    assert "\n" not in real["error"]
    assert "Traceback" not in real["error"]


def check_lines(count: int, seed: int) -> None:
    from tablectl.settle import settle_lines  # noqa: PLC0415  the reference must stand without it

    given = mixed_lines(random.Random(f"{seed} bad"), count)
    answers = list(settle_lines(line for _, line, _ in given))
    assert len(answers) == len(given), f"TABLECTL_SEED={seed}: a line without an answer"
    for (kind, line, round_), answer in zip(given, answers, strict=True):
        try:
            check_answer(kind, round_, answer)
        except (AssertionError, KeyError) as wrong:
            raise AssertionError(f"TABLECTL_SEED={seed}, {kind}: {line}\n{answer}") from wrong


def test_bad_rounds_are_refused_and_good_ones_settled() -> None:
    check_lines(3000, seed())


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_many_bad_rounds_are_refused_and_good_ones_settled() -> None:
    check_lines(50_000, seed())


def run(lines: list[str]) -> subprocess.CompletedProcess[str]:
    given = "".join(line + "\n" for line in lines)
    return subprocess.run(
        [TABLECTL, "settle"], input=given, capture_output=True, text=True, timeout=60, check=False
    )


def test_the_command_goes_on_after_bad_rounds_and_says_so() -> None:
    this_seed = seed()
    given = mixed_lines(random.Random(f"{this_seed} command"), 200)
    said = run([line for _, line, _ in given])
    where = f"TABLECTL_SEED={this_seed}\n{said.stderr}"
    assert said.returncode == 1, where
    assert "Traceback" not in said.stderr, where
    answers = said.stdout.splitlines()
    assert len(answers) == len(given), where
    for (kind, line, round_), answer in zip(given, answers, strict=True):
        try:
            check_answer(kind, round_, answer)
        except (AssertionError, KeyError) as wrong:
            raise AssertionError(f"{where}{kind}: {line}\n{answer}") from wrong


def test_the_command_ends_well_when_every_round_is_settled() -> None:
    rng = random.Random(20240607)
    rounds = [{"id": game, **GAMES[game].random_round(rng)} for game in GAMES]
    said = run([json.dumps(round_) for round_ in rounds])
    assert (said.returncode, said.stderr) == (0, "")
    for round_, answer in zip(rounds, said.stdout.splitlines(), strict=True):
        check_answer("good", round_, answer)


def test_every_way_of_spoiling_a_round_comes_up() -> None:
    kinds = Counter(kind for kind, _, _ in mixed_lines(random.Random(20240608), 3000))
    assert set(kinds) == {"good", "no object", *(spoiler.__name__ for spoiler in SPOILERS)}
