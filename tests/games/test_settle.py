"""`tablectl settle`: the JSON that other people's programs rely on, and lines that are wrong."""

import io
import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tablectl.games.settlement import Line
from tablectl.games.three_card_poker import settle_round
from tablectl.settle import LINE_BYTES_MAXIMUM, Settler, main, settle_lines

from .deals import METERS, rounds

ROOT = Path(__file__).parents[2]
GOOD: dict[str, Any] = {
    "id": 1,
    "game": "three_card_poker",
    "rules": {"ante_bonus": "A", "pair_plus": "D", "progressive": "A"},
    "meters": {"main": {"cents": 1_000_000, "reset": 100_000}},
    "dealer": ["QC", "3D", "2H"],
    "seats": [
        {"seat": 1, "wagers": {"ante": 1000, "pair_plus": 500}, "cards": ["5C", "6D", "7H"],
         "decision": "play"},
        {"seat": 3, "wagers": {"ante": 1000, "progressive": 100}, "cards": ["JC", "9D", "8H"],
         "decision": "fold"},
    ],
}  # fmt: skip


def changed(**keys: Any) -> dict[str, Any]:
    return {**GOOD, **keys}


def seat(**keys: Any) -> dict[str, Any]:
    return changed(seats=[{**GOOD["seats"][0], **keys}])


def answer(line: Any) -> dict[str, Any]:
    text = line if isinstance(line, bytes | str) else json.dumps(line)
    [told] = settle_lines([text])
    parsed = json.loads(told)
    assert isinstance(parsed, dict)
    return parsed


def error(line: Any, identity: object = 1) -> str:
    told = answer(line)
    assert set(told) == {"id", "error"}, told
    assert told["id"] == identity
    assert "\n" not in told["error"]
    assert len(told["error"]) < 600
    return str(told["error"])


def run(data: bytes) -> tuple[int, list[dict[str, Any]]]:
    out = io.BytesIO()
    code = main(io.BytesIO(data), out)
    return code, [json.loads(line) for line in out.getvalue().splitlines()]


def test_exactly_what_is_promised() -> None:
    [told] = settle_lines([json.dumps(GOOD)])
    assert told == (
        '{"id": 1, "seats": [{"seat": 1, "returned": 8500, "lines": ['
        '{"wager": "ante", "stake": 1000, "outcome": "win", "returned": 2000, "vigorish": 0, '
        '"odds": "1 to 1", "clause": "TCP 12.A"}, '
        '{"wager": "play", "stake": 1000, "outcome": "win", "returned": 2000, "vigorish": 0, '
        '"odds": "1 to 1", "clause": "TCP 12.A"}, '
        '{"wager": "ante_bonus", "stake": 0, "outcome": "win", "returned": 1000, "vigorish": 0, '
        '"odds": "1 to 1", "clause": "TCP 12.B(1)(c)"}, '
        '{"wager": "pair_plus", "stake": 500, "outcome": "win", "returned": 3500, "vigorish": 0, '
        '"odds": "6 to 1", "clause": "TCP 12.D(4)(c)"}]}, '
        '{"seat": 3, "returned": 0, "lines": ['
        '{"wager": "ante", "stake": 1000, "outcome": "forfeit", "returned": 0, "vigorish": 0, '
        '"odds": null, "clause": "TCP 11.B"}, '
        '{"wager": "progressive", "stake": 100, "outcome": "forfeit", "returned": 0, '
        '"vigorish": 0, "odds": null, "clause": "TCP 11.C(2)"}]}], '
        '"order": [3, 1], "meters": {"main": 1000000}}'
    )


@given(rounds())
def test_the_json_is_the_lines(dealt: Any) -> None:
    rules, dealer, hands, community = dealt
    raw = {key: value for key, value in asdict(rules).items() if value is not None}
    line = {
        "id": "x",
        "game": raw.pop("game"),
        "rules": raw,
        "meters": {name: meter._asdict() for name, meter in METERS.items()},
        "dealer": dealer,
        "community": community,
        "seats": [hand._asdict() for hand in hands],
    }
    settled = settle_round(rules, dealer, hands, METERS, community)
    fields = Line._fields[:7]
    assert answer(line) == {
        "id": "x",
        "seats": [
            {
                "seat": result.seat,
                "returned": result.returned,
                "lines": [dict(zip(fields, line, strict=False)) for line in result.lines],
            }
            for result in settled.seats
        ],
        "order": list(settled.order),
        "meters": settled.meters,
    }


@pytest.mark.parametrize("identity", [None, "a\u2028\ud800", 1.5, [1, {"a": None}], True, 10**30])
def test_any_id(identity: object) -> None:
    assert answer(changed(id=identity))["id"] == identity
    assert error(changed(id=identity, dealer=[]), identity)


def test_no_id_is_null() -> None:
    assert answer({k: v for k, v in GOOD.items() if k != "id"})["id"] is None


def test_no_seats_is_a_round() -> None:
    told = answer(changed(seats=[]))
    assert (told["seats"], told["order"]) == ([], [])


ROYAL = {"seat": 2, "wagers": {"ante": 100, "progressive": 100}, "cards": ["AS", "KS", "QS"],
         "decision": "play"}  # fmt: skip


@pytest.mark.parametrize(
    ("meters", "won", "after"),
    [
        ({"main": 250_000}, 250_000, 100_000),
        ({"main": {"cents": 250_000, "reset": 150_000}}, 250_000, 150_000),
        ({"main": {"cents": 250_000}}, 250_000, 100_000),
    ],
)
def test_meters(meters: dict[str, Any], won: int, after: int) -> None:
    told = answer(changed(meters=meters, seats=[ROYAL]))
    assert told["seats"][0]["lines"][3]["returned"] == won
    assert told["meters"] == {"main": after}


def test_meter_won_but_not_given() -> None:
    assert "the meter main is won but was not given" in error(changed(meters={}, seats=[ROYAL]))
    bare = {key: value for key, value in GOOD.items() if key != "meters"}
    assert "meters" in answer(bare)  # not won, not needed


BAD = {
    "not an object": ([1, 2], "a round must be an object"),
    "game missing": ({"id": 1}, "game is missing"),
    "another game": (changed(game="whist"), "give one of three_card_poker, three_card_baccarat"),
    "a round of another game": (changed(game="midi_baccarat"), "unknown key 'dealer'"),
    "game of a wrong type": (changed(game=["three_card_poker"]), "give one of"),
    "rules missing": (changed(rules=None), "rules must be an object"),
    "rules a list": (changed(rules=[]), "rules must be an object"),
    "rules empty": (changed(rules={}), "rules.ante_bonus"),
    "another game in the rules": (changed(rules={"game": "midi_baccarat"}), "give one game"),
    "unknown rule": (changed(rules={**GOOD["rules"], "tie": "A"}), "rules.tie"),
    "bad letter": (changed(rules={**GOOD["rules"], "pair_plus": "Z"}), "TCP 12.D"),
    "unknown key": (changed(player=["2C"]), "'player'"),
    "unknown seat key": (seat(printed_king_9=["KS"]), "'printed_king_9'"),
    "unknown meter": (changed(meters={"star": 1}), "'star'"),
    "unknown meter key": (changed(meters={"main": {"cents": 1, "x": 2}}), "'x'"),
    "meter without cents": (changed(meters={"main": {"reset": 1}}), "no cents"),
    "meter a float": (changed(meters={"main": 1.0}), "the meter main has 1.0"),
    "meter true": (changed(meters={"main": True}), "the meter main has true"),
    "meter null": (changed(meters={"main": None}), "the meter main has null"),
    "meters a list": (changed(meters=[1]), "meters must be an object"),
    "meters null": (changed(meters=None), "meters must be an object"),
    "dealer missing": (changed(dealer=None), "dealer must be a list"),
    "dealer a string": (changed(dealer="QC3D2H"), "dealer must be a list"),
    "dealer short": (changed(dealer=["QC"]), "the dealer has 1 card:"),
    "community an object": (changed(community={}), "community must be a list"),
    "community a string": (changed(community="AS"), "community must be a list"),
    "community null": (changed(community=None), "community must be a list"),
    "seats missing": (changed(seats=None), "seats must be a list"),
    "seats an object": (changed(seats={"1": {}}), "seats must be a list"),
    "a seat a number": (changed(seats=[1]), "a seat must be an object"),
    "seat number missing": (seat(seat=None), "a seat's number must be an integer"),
    "seat number a float": (seat(seat=1.0), "a seat's number must be an integer"),
    "seat number true": (seat(seat=True), "a seat's number must be an integer"),
    "seat out of range": (seat(seat=8), "seats are numbered 1 to 7"),
    "seat twice": (changed(seats=[GOOD["seats"][0], {**GOOD["seats"][1], "seat": 1}]), "twice"),
    "wagers missing": (seat(wagers=None), "wagers must be an object"),
    "wagers a list": (seat(wagers=["ante"]), "wagers must be an object"),
    "wager not offered": (seat(wagers={"ante": 1, "six_card_bonus": 1}), "do not offer"),
    "unknown wager": (seat(wagers={"ante": 1, "dragon": 1}), "'dragon'"),
    "stake zero": (seat(wagers={"ante": 0}), "ante of 0"),
    "stake negative": (seat(wagers={"ante": -5}), "ante of -5"),
    "stake a float": (seat(wagers={"ante": 10.0}), "ante of 10.0"),
    "stake true": (seat(wagers={"ante": True}), "ante of true"),
    "stake null": (seat(wagers={"ante": None}), "ante of null"),
    "stake a string": (seat(wagers={"ante": "10"}), "ante of '10'"),
    "stake huge": (seat(wagers={"ante": 10**400}), "integer of cents"),
    "progressive stake": (seat(wagers={"ante": 1, "progressive": 200}), "100 or 500"),
    "unknown card": (seat(cards=["5C", "6D", "1H"]), "'1H', which is not a card"),
    "card of a wrong type": (seat(cards=["5C", "6D", ["7H"]]), "is not a card"),
    "card null": (seat(cards=["5C", "6D", None]), "is not a card"),
    "cards missing": (seat(cards=[]), "seat 1 has 0 cards"),
    "cards a string": (seat(cards="5C6D7H"), "cards must be a list"),
    "cards null": (seat(cards=None), "cards must be a list"),
    "card twice": (seat(cards=["5C", "6D", "QC"]), "QC appears twice"),
    "decision missing": (seat(decision=None), "decision"),
    "decision unknown": (seat(decision="raise"), "'raise'"),
    "decision an object": (seat(decision={"a": 1}), "cannot decide"),
    "decision without ante": (seat(wagers={"pair_plus": 100}), "nothing to decide"),
}


@pytest.mark.parametrize(("line", "why"), BAD.values(), ids=BAD)
def test_bad_line(line: Any, why: str) -> None:
    assert why in error(line, None if isinstance(line, list) else 1)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "not JSON"),
        ("nonsense", "not JSON"),
        ('{"id": 1} {"id": 2}', "not JSON"),
        ('{"id": NaN}', "NaN is not a JSON number"),
        ('{"id": -Infinity}', "-Infinity is not a JSON number"),
        ('{"id": 1e999}', "too large a number"),
        ('{"id": ' + "9" * 5000 + "}", "a number that is too long"),
        ("[" * 200_000, "nested too deeply"),
        ('{"id": ' + '{"a": ' * 100_000 + "1" + "}" * 100_001, "nested too deeply"),
        (b'{"id": "\xff"}', "not UTF-8"),
        ("\ufeff{}", "game is missing"),
        ("\ufeff\ufeff{}", "not JSON"),
        ("{}\ufeff", "not JSON"),
        ("\x00", "not JSON"),
    ],
)
def test_malformed_line(text: str | bytes, why: str) -> None:
    assert why in error(text, None)


@pytest.mark.parametrize("key", ["ante", "seat", "cents", "main", "pair_plus", "dealer", "id"])
def test_a_key_given_twice(key: str) -> None:
    text = json.dumps(GOOD)
    assert f"the key '{key}' is given twice" in error(
        text.replace(f'"{key}":', f'"{key}": 9, "{key}" :', 1)
    )


def test_an_answer_stays_short() -> None:
    assert len(error(changed(**{f"{n}" * 300: n for n in range(50)}))) == 500
    assert len(error(changed(rules={f"{n}" * 300: n for n in range(50)}))) == 500


def test_a_colon_in_the_id_is_only_a_colon() -> None:
    for identity in ("table:12", {"table": {"round": 7}}, ":::"):
        assert answer(changed(id=identity))["id"] == identity


def test_a_value_that_equals_another_type_is_still_wrong() -> None:
    """Rules are remembered; 3 and 3.0 must not be taken for each other."""
    settler = Settler()
    for seats, answered in ((3, '"order"'), (3.0, "rules.seats"), (3, '"order"')):
        line = changed(rules={**GOOD["rules"], "seats": seats})
        assert answered in settler.answer(json.dumps(line))


def test_the_rest_goes_on() -> None:
    good, bad = json.dumps(GOOD).encode(), b'{"id": 7, "game": "whist"}'
    code, told = run(b"\n".join([good, b"", bad, b"  \t\r", b"\xff\xfe", good]))
    assert code == 1
    assert [line["id"] for line in told] == [1, 7, None, 1]
    assert ["error" in line for line in told] == [False, True, True, False]
    assert run(good + b"\r\n" + good + b"\n")[0] == 0
    assert run(b"") == (0, [])


class Trickle(io.RawIOBase):
    """A pipe that gives a few bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        self._data, self._size = io.BytesIO(data), size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        chunk = self._data.read(min(self._size, len(buffer)))
        buffer[: len(chunk)] = chunk
        return len(chunk)


@pytest.mark.parametrize("size", [1, 7, 997, 65_536])
def test_lines_come_in_pieces(size: int) -> None:
    line = json.dumps(GOOD).encode()
    out = io.BytesIO()
    stdin = io.BufferedReader(Trickle(line + b"\n\n" + line + b"\nx\n" + line, size))
    assert main(stdin, out) == 1
    assert ["error" in json.loads(told) for told in out.getvalue().splitlines()] == [
        False, False, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize("size", [10_000, 1 << 22])
def test_a_line_without_end_is_not_kept(size: int) -> None:
    line = json.dumps(GOOD).encode()
    data = line + b"\n" + b"9" * (3 * LINE_BYTES_MAXIMUM) + b"\n" + line + b"\n"
    out = io.BytesIO()
    assert main(io.BufferedReader(Trickle(data, size)), out) == 1
    told = [json.loads(text) for text in out.getvalue().splitlines()]
    assert [line["id"] for line in told] == [1, None, 1]
    assert "longer than" in told[1]["error"]
    assert run(b"9" * (2 * LINE_BYTES_MAXIMUM))[1][0]["id"] is None


PROGRAM = """
import sys
from tablectl.settle import main
sys.exit(main(sys.stdin.buffer, sys.stdout.buffer))
"""


def start() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_an_answer_comes_before_the_next_line() -> None:
    with start() as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for identity in (1, 2):
            process.stdin.write(json.dumps(changed(id=identity)).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == identity
        out, err = process.communicate()
    assert (process.returncode, out, err) == (0, b"", b"")


def test_a_reader_that_leaves(tmp_path: Path) -> None:
    source = tmp_path / "rounds.jsonl"
    source.write_text((json.dumps(GOOD) + "\n") * 2_000)
    with source.open("rb") as stdin:
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            cwd=ROOT,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(100)
        process.stdout.close()
        err = process.stderr.read()
        process.stderr.close()
        assert (process.wait(timeout=20), err) == (0, b"")


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["ante", "play", "fold", "AS", "TD", "main", 100, 500]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=8,
)


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path]
    if isinstance(value, dict):
        for key, inner in value.items():
            found += paths(inner, (*path, key))
    if isinstance(value, list):
        for index, inner in enumerate(value):
            found += paths(inner, (*path, index))
    return found


@given(st.sampled_from(paths(GOOD)[1:]), JSON)
@example(("seats", 0, "wagers", "ante"), float("nan"))
def test_whatever_stands_in_a_place_it_answers(path: tuple[Any, ...], value: Any) -> None:
    line = json.loads(json.dumps(GOOD))
    place = line
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    told = answer(line)
    assert ("error" in told) != ("seats" in told)


@given(st.binary(max_size=80) | st.text(max_size=80))
def test_whatever_comes_it_answers(text: bytes | str) -> None:
    for told in settle_lines([text]):
        assert json.loads(told)["id"] is None


def test_nothing_outside_the_project_is_needed() -> None:
    """The packaged paytables are found wherever the work is done."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd="/",
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        input=json.dumps(GOOD).encode(),
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["seats"][0]["returned"] == 8500
