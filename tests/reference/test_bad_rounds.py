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

import pytest

from tablectl.settle import settle_lines

from .games import GAMES, Round
from .random_bad_rounds import SPOILERS, not_an_object, spoiled
from .test_agreement import comparable, seed

TABLECTL = Path(sys.executable).parent / "tablectl"


# "good", "no object" or what is wrong; the line for `settle`; the round in it.
Line = tuple[str, str, Round]


def mixed_lines(rng: random.Random, count: int) -> list[Line]:
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


def check_answer(kind: str, round_: Round, answer: str) -> None:
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


def check_answers(given: list[Line], answers: list[str], seed: int) -> None:
    assert len(answers) == len(given), f"TABLECTL_SEED={seed}: a line without an answer"
    for (kind, line, round_), answer in zip(given, answers, strict=True):
        try:
            check_answer(kind, round_, answer)
        except (AssertionError, KeyError) as wrong:
            raise AssertionError(f"TABLECTL_SEED={seed}, {kind}: {line}\n{answer}") from wrong


def check_lines(count: int, seed: int) -> None:
    given = mixed_lines(random.Random(f"{seed} bad"), count)
    check_answers(given, list(settle_lines(line for _, line, _ in given)), seed)


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
    assert said.returncode == 1, f"TABLECTL_SEED={this_seed}\n{said.stderr}"
    assert "Traceback" not in said.stderr, f"TABLECTL_SEED={this_seed}\n{said.stderr}"
    check_answers(given, said.stdout.splitlines(), this_seed)


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
