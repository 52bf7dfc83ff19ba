"""The real command in a process of its own: exit codes, one line on stderr, never a traceback."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tablectl import __version__
from tests.daemon.files import EXAMPLE, ROOT, edited
from tests.journal.test_real_core import record, two_rounds

COMMAND = Path(sys.executable).parent / "tablectl"
ROUND_LINE = json.dumps(
    {
        "id": 1,
        "game": "three_card_poker",
        "rules": {"ante_bonus": "A", "pair_plus": "A"},
        "dealer": ["QS", "9H", "4D"],
        "seats": [
            {
                "seat": 1,
                "wagers": {"ante": 1000, "pair_plus": 500},
                "cards": ["5H", "6H", "7H"],
                "decision": "play",
            }
        ],
    }
)


def tablectl(*arguments: str | Path, stdin: str = "", columns: int = 80, **more):
    environment = {**os.environ, "COLUMNS": str(columns), "PYTHONUTF8": "1"}
    return subprocess.run(
        [str(COMMAND), *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
        check=False,
        **more,
    )


def one_line(result: subprocess.CompletedProcess[str]) -> str:
    assert result.stderr.count("\n") == 1, result.stderr
    assert result.stderr.endswith("\n")
    return result.stderr.rstrip("\n")


@pytest.fixture
def bad(tmp_path):
    def written(content: str | bytes) -> Path:
        file = tmp_path / "bad.toml"
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    return written


# ---------------------------------------------------------------- the command itself


def test_version():
    result = tablectl("--version")
    assert (result.returncode, result.stdout) == (0, f"tablectl {__version__}\n")


def test_the_module_runs_as_well():
    result = subprocess.run(
        [sys.executable, "-m", "tablectl.cli", "--version"],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (result.returncode, result.stdout) == (0, f"tablectl {__version__}\n")


COMMANDS = [
    "check",
    "settle",
    "verify",
    "odds",
    "replay",
    "diagram",
    "run",
    "demo",
    "trace",
    "meters",
    "doctor",
    "listen",
]


def test_help_lists_what_is_there_and_nothing_that_comes_later():
    result = tablectl("--help")
    assert result.returncode == 0
    listed = re.findall(r"^  ([a-z]+)  ", result.stdout.partition("Commands:")[2], re.MULTILINE)
    assert sorted(listed) == sorted(COMMANDS)
    assert "..." not in result.stdout.partition("Commands:")[2]


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)])
def test_help_is_good_in_80_columns(command):
    result = tablectl(*command, "--help")
    assert result.returncode == 0
    assert result.stderr == ""
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_without_arguments_the_help_is_shown_as_wrong_usage():
    result = tablectl()
    assert result.returncode == 2
    assert result.stdout == ""
    assert "Commands:" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("bogus",),
        ("--bogus",),
        ("check",),
        ("check", "a", "b"),
        ("check", "--bogus", "a"),
        ("settle", "extra"),
        ("verify",),
        ("verify", "x", "--anchor", "bad"),
        ("replay",),
        ("diagram", "--game", "snap"),
        ("trace", "--game", "snap"),
        ("run",),
        ("doctor",),
        ("doctor", "--config"),
        ("listen", "--config", "x"),
        ("listen", "shoe"),
        ("demo", "--game", "snap"),
        ("demo", "--rounds", "0"),
        ("demo", "--speed", "fast"),
        ("odds",),
    ],
)
def test_wrong_usage_is_2_and_one_line(arguments):
    result = tablectl(*arguments)
    assert result.returncode == 2
    assert result.stdout == ""
    assert one_line(result).startswith("tablectl: ")


def test_control_characters_in_arguments_do_not_reach_the_terminal():
    for arguments in (("check", "no\x1b[31m\nfile"), ("bo\x1bgus",)):
        assert "\x1b" not in tablectl(*arguments).stderr


# ---------------------------------------------------------------- check


def test_check_of_the_example_in_80_columns():
    result = tablectl("check", EXAMPLE)
    assert result.returncode == 0
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0] == f"{EXAMPLE}: valid"
    assert max(map(len, lines[1:])) <= 80  # the file's own name may be as long as it is
    assert "\x1b" not in result.stdout
    assert "\u2026" not in result.stdout  # nothing was cut off
    for word in ("Rules", "Wagers", "Meters", "Devices", "People", "TCP 12.E(1)(a)", "$1,000"):
        assert word in result.stdout


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_check_keeps_to_the_width_it_has(bad, columns):
    file = bad(edited({"limits": None, "people": None, "devices.bonus.read_only": "true"}))
    result = tablectl("check", file, columns=columns)
    assert result.returncode == 0
    assert "Warnings" in result.stdout
    assert max(map(len, result.stdout.splitlines()[1:])) <= columns


def test_check_prints_the_digest_and_rules_as_json():
    result = tablectl("check", EXAMPLE, "--json")
    assert (result.returncode, result.stderr) == (0, "")
    answer = json.loads(result.stdout)
    assert answer.keys() == {"valid", "errors", "warnings", "rules", "wagers", "digest"}
    assert answer["valid"] is True
    assert answer["errors"] == answer["warnings"] == []
    assert answer["rules"]["seats"] == {"value": 7, "default": 7, "clause": "TCP 2.A"}
    assert answer["rules"]["five_card_progressive"]["value"] is None
    edges = {one["wager"]: one.pop("edge") for one in answer["wagers"]}
    assert answer["wagers"] == [
        {"wager": "ante", "paytable": "A"},
        {"wager": "play", "paytable": None},
        {"wager": "pair_plus", "paytable": "A"},
        {"wager": "progressive", "paytable": "A"},
        {"wager": "six_card_bonus", "paytable": "A"},
    ]
    assert edges["play"] is None
    assert f"{edges['ante']:.3%}" == "3.373%"
    assert all(0 < edges[wager] < 1 for wager in edges if wager != "play")
    assert re.fullmatch(r"[0-9a-f]{64}", answer["digest"])
    assert answer["digest"] in tablectl("check", EXAMPLE).stdout


def test_check_tells_each_error_on_a_line(bad):
    file = bad(edited({"rules.seats": "8", "meters.main.rate": "0.10", "table.colour": "1"}))
    result = tablectl("check", file)
    assert (result.returncode, result.stdout) == (1, "")
    colour, seats, rate = result.stderr.splitlines()
    assert colour.startswith(f"{file}: table.colour: no such key; [table] has site, id,")
    assert seats == f"{file}: rules.seats: expected an integer from 1 to 7, not 8 (TCP 2.A)"
    share = "a share of each wager, at least 0.14 and at most 1, not 0.10 (TCP 12.E(3)(a))"
    assert rate == f"{file}: meters.main.rate: expected {share}"


def test_check_gives_errors_as_json_and_nothing_on_stderr(bad):
    file = bad(edited({"meters.main.reset": "5"}))
    result = tablectl("check", file, "--json")
    assert (result.returncode, result.stderr) == (1, "")
    answer = json.loads(result.stdout)
    assert answer["valid"] is False
    assert answer["digest"] is None
    assert answer["errors"] == [
        {
            "file": str(file),
            "key": "meters.main.reset",
            "expected": "at least 100000 cents ($1,000), not 5",
            "clause": "TCP 12.E(3)(b)",
        }
    ]
    assert answer["rules"]["seats"]["value"] == 7  # the rules themselves are right


def test_check_of_wrong_rules_shows_no_rules(bad):
    answer = json.loads(tablectl("check", bad(edited({"rules.seats": "8"})), "--json").stdout)
    assert (answer["rules"], answer["wagers"]) == ({}, [])


@pytest.mark.parametrize("content", [b"", b"\xff", b"a = ", b"a = " + b"[" * 5000])
def test_check_of_a_file_that_is_none_is_1_without_a_traceback(bad, content):
    result = tablectl("check", bad(content))
    assert (result.returncode, result.stdout) == (1, "")
    assert "Traceback" not in result.stderr
    assert all(line.startswith("/") for line in result.stderr.splitlines())


def test_check_of_a_missing_file_and_a_folder_is_1(tmp_path):
    for path in (tmp_path / "no.toml", tmp_path, tmp_path / "no" / "no.toml"):
        result = tablectl("check", path)
        assert result.returncode == 1
        assert one_line(result).startswith(f"{path}: expected a file")
        assert json.loads(tablectl("check", path, "--json").stdout)["errors"][0]["key"] == ""


def test_check_of_a_file_that_cannot_be_opened_is_3(tmp_path):
    loop = tmp_path / "loop.toml"
    loop.symlink_to(loop)
    result = tablectl("check", loop)
    assert result.returncode == 3
    assert one_line(result) == f"tablectl: {loop}: Too many levels of symbolic links"


def test_check_of_a_name_that_is_too_long_is_3():
    result = tablectl("check", "x" * 5000)
    assert result.returncode == 3
    assert "File name too long" in one_line(result)


def test_check_never_shows_a_hash():
    assert "argon2" not in tablectl("check", EXAMPLE).stdout
    assert "argon2" not in tablectl("check", EXAMPLE, "--json").stdout


def test_names_are_printed_as_they_are_and_not_as_markup(bad):
    file = bad(edited({"people.ana.name": '"[red]Zoë[/red] :smile:"'}))
    assert "[red]Zoë[/red] :smile:" in tablectl("check", file).stdout


# ---------------------------------------------------------------- settle


def test_settle_answers_line_by_line():
    result = tablectl("settle", stdin=ROUND_LINE + "\n")
    assert (result.returncode, result.stderr) == (0, "")
    assert json.loads(result.stdout)["seats"][0]["returned"] == 27000


def test_settle_goes_on_after_a_bad_line_and_ends_with_1():
    result = tablectl("settle", stdin=f"no JSON\n{ROUND_LINE}\n")
    assert (result.returncode, result.stderr) == (1, "")
    first, second = map(json.loads, result.stdout.splitlines())
    assert "error" in first
    assert second["id"] == 1


def test_settle_of_nothing_is_fine():
    assert tablectl("settle").returncode == 0


def test_ctrl_c_ends_settle_quietly_with_130():
    process = subprocess.Popen(
        [str(COMMAND), "settle"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(ROUND_LINE.encode() + b"\n")
    process.stdin.flush()
    process.stdout.readline()  # it has started
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=30)
    assert (process.returncode, stderr) == (130, b"")


@pytest.mark.parametrize("arguments", [("check", str(EXAMPLE)), ("diagram",), ("settle",)])
def test_a_full_disk_is_3_and_one_line(arguments):
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [str(COMMAND), *arguments],
            input=ROUND_LINE + "\n", stdout=full, stderr=subprocess.PIPE, text=True, check=False,
            timeout=60,
        )  # fmt: skip
    assert result.returncode == 3
    assert result.stderr == "tablectl: No space left on device\n"


@pytest.mark.parametrize("arguments", [("check", str(EXAMPLE)), ("diagram",), ("settle",)])
def test_a_reader_that_goes_away_is_no_failure(arguments):
    reading, writing = os.pipe()
    os.close(reading)
    result = subprocess.run(
        [str(COMMAND), *arguments],
        input=ROUND_LINE + "\n", stdout=writing, stderr=subprocess.PIPE, text=True, check=False,
        timeout=60,
    )  # fmt: skip
    os.close(writing)
    assert (result.returncode, result.stderr) == (0, "")


def test_settle_starts_without_the_libraries_of_the_others():
    probe = (
        "import sys; from tablectl import cli; sys.argv = ['tablectl', 'settle']\n"
        "try: cli.main()\nexcept SystemExit: pass\n"
        "heavy = {'rich', 'cryptography', 'sqlite3', 'transitions', 'tablectl.daemon.config'}\n"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    result = subprocess.run(
        [sys.executable, "-c", probe],
        cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert result.stdout == "[]\n"


def test_settle_starts_quickly():
    """A generous bound, for a loaded machine: it is about a tenth of a second."""
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        tablectl("settle")
        times.append(time.perf_counter() - begin)
    assert min(times) < 2


# ---------------------------------------------------------------- verify and replay


@pytest.mark.parametrize("command", ["verify", "replay"])
def test_a_journal_that_is_none_is_1_and_one_line(tmp_path, command):
    text = tmp_path / "journal.db"
    text.write_text("no journal at all")
    for path in (tmp_path / "no.db", text):
        result = tablectl(command, path)
        assert (result.returncode, result.stdout) == (1, "")
        assert one_line(result)
        answer = json.loads(tablectl(command, path, "--json").stdout)
        assert answer["ok"] is False


@pytest.mark.parametrize("command", ["verify", "replay"])
def test_a_sound_journal_is_0(tmp_path, command):
    events = record(tmp_path / "data", two_rounds(4), random.Random(0))
    result = tablectl(command, tmp_path / "data")
    assert (result.returncode, result.stderr) == (0, "")
    answer = json.loads(tablectl(command, tmp_path / "data", "--json").stdout)
    assert answer["ok"] is True
    assert answer["last"] == len(events)
    anchor = f"{answer['last']}:{answer['head']}"
    assert tablectl(command, tmp_path / "data", "--anchor", anchor).returncode == 0
    result = tablectl(command, tmp_path / "data", "--anchor", f"1:{'a' * 64}")
    assert result.returncode == 1
    assert one_line(result)
