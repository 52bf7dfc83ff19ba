"""`tablectl settle` on full rounds, against only parsing and printing the same JSON Lines.

The baseline reads each input line with json.loads, throws it away, and writes the answer that
belongs to it, kept as an object, with json.dumps. It checks and settles nothing. Both write to
/dev/null. Of the whole command its start-up is taken off, measured with one line.
"""

import json
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final

from tablectl.settle import settle_lines
from tests.bench.measure import BUILD, SEED, Row, Tell, Topic, best, typical
from tests.bench.rounds import full_rounds

LINES: Final = 500
TURNS: Final = 14
COMMAND_LINES: Final = 20_000
COMMAND_TURNS: Final = 3


def settle(lines: list[bytes], out: BinaryIO) -> None:
    out.writelines(answer.encode("ascii") + b"\n" for answer in settle_lines(lines))


def parse_and_print(lines: list[bytes], answers: list[Any], out: BinaryIO) -> None:
    for line, answer in zip(lines, answers, strict=True):
        json.loads(line)
        out.write(json.dumps(answer).encode("ascii") + b"\n")


def command(path: Path) -> None:
    """The whole command, as a person runs it."""
    program = Path(sys.executable).with_name("tablectl")
    with path.open("rb") as given:
        subprocess.run([program, "settle"], stdin=given, stdout=subprocess.DEVNULL, check=True)


def prepared(game: str) -> tuple[list[bytes], list[Any]]:
    """Lines of one game, and the answers that belong to them."""
    lines = [json.dumps(round_).encode() + b"\n" for round_ in full_rounds(SEED, LINES, game)]
    answers = [json.loads(answer) for answer in settle_lines(lines)]
    assert all("error" not in answer for answer in answers)
    return lines, answers


def measure(tell: Tell) -> Topic:
    tell("dealing")
    lines, answers = prepared("three_card_poker")
    others = [prepared(game) for game in ("three_card_baccarat", "midi_baccarat")]
    times = COMMAND_LINES // LINES
    with Path("/dev/null").open("wb") as out, tempfile.TemporaryDirectory(dir=BUILD) as folder:
        contenders = [
            contender
            for asked, told in ((lines, answers), *others)
            for contender in (
                partial(settle, asked, out),
                partial(parse_and_print, asked, told, out),
            )
        ]
        ours, baseline, *rest = best(contenders, TURNS, tell)
        one, many = Path(folder, "one.jsonl"), Path(folder, "many.jsonl")
        one.write_bytes(lines[0])
        many.write_bytes(b"".join(lines) * times)
        start, whole, same, python = typical(
            [
                lambda: command(one),
                lambda: command(many),
                lambda: parse_and_print(lines * times, answers * times, out),
                lambda: subprocess.run([sys.executable, "-c", "pass"], check=True),
            ],
            COMMAND_TURNS,
            lambda what: tell(f"the whole command, {what}"),
        )
    each, each_command = 1e6 / LINES, 1e6 / COMMAND_LINES
    return Topic(
        [
            Row(
                "settle_lines / parsing and printing, us/line", ours * each, baseline * each, "<= 3"
            ),
            Row(
                "tablectl settle less its start / parsing and printing, us/line",
                (whole - start) * each_command,
                same * each_command,
                "<= 3",
            ),
            Row("the same, Three Card Baccarat, us/line", rest[0] * each, rest[1] * each, "<= 3"),
            Row("the same, Midi Baccarat, us/line", rest[2] * each, rest[3] * each, "<= 3"),
            Row("start-up with one line / of bare Python, ms", start * 1e3, python * 1e3),
        ],
        f"{LINES:,} lines of {len(lines[0]):,} bytes, best of {TURNS} turns; the command on "
        f"{COMMAND_LINES:,} lines, median of {COMMAND_TURNS}",
    )
