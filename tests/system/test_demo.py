"""`tablectl demo` as a newcomer starts it: it ends by itself, by Ctrl-C, and leaves nothing."""

import io
import json
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest
from rich.console import Console

from tablectl.demo.screen import picture
from tablectl.outbox.view import snapshot
from tests.outbox.mosquitto import Mosquitto, Watcher, until
from tests.pace import within
from tests.system.processes import CLI, ROOT, children, command, gone, runs, sound
from tests.system.stage import stored_events
from tests.table.pit import Pit
from tests.table.test_progressive_wins import at_turn

FAULTS = "jam,misread,wrong_count,overdraw,loss,garbage,split,repeat,reboot,disconnect"


def kinds(data: Path) -> Counter[str]:
    return Counter(json.loads(body)["type"] for _, body in stored_events(data))


def test_it_plays_and_ends(tmp_path: Path) -> None:
    arguments = ("--rounds", "5", "--seed", "7", "--speed", "max", "--data", str(tmp_path))
    done = command("demo", *arguments)
    assert done.returncode == 0, f"seed 7: {done.stderr}"
    assert done.stderr == ""
    assert "5 rounds: 5 settled, 0 void; seed 7" in done.stdout
    sound(tmp_path, "seed 7")
    told = kinds(tmp_path)
    assert told["tablectl.round.settled"] == told["tablectl.round.cleared"] == 5
    a_progressive_is_won(tmp_path)


def a_progressive_is_won(data: Path) -> None:
    """In the second round: hit, PENDING, validated, paid, and the meter starts again."""
    won = [json.loads(body) for _, body in stored_events(data)]
    steps = [e for e in won if e["data"].get("meter") == "main" and e["data"].get("seat")]
    names = [e["type"].removeprefix("tablectl.progressive.") for e in steps]
    assert names == ["hit", "validated", "paid", "reset"]
    hit, validated, paid, reset = (e["data"] for e in steps)
    assert (hit["round"], hit["status"]) == (2, "PENDING")
    assert hit["cents"] == validated["cents"] == paid["cents"] > 100_000
    assert reset["cents"] == 100_000
    proved = command("meters", str(data), "--json")
    main = json.loads(proved.stdout)["meters"]["main"]
    assert (main["hits"], main["awarded"]) == (1, paid["cents"])


def test_the_screen_shows_each_step_of_a_win() -> None:
    """In 80 columns, whole and one after the other."""
    pit = at_turn({"seat_2": "AS KS QS", "seat_1": "2C 7D 9H"}, {1: 100, 2: 100})
    told = "★ seat 2 wins $1,000.40 from meter main  "
    assert told + "PENDING" in screen(pit)
    pit.do("validate_progressive", seat=2, meter="main")
    assert told + "VALIDATED" in screen(pit)
    assert "PENDING" not in screen(pit)
    pit.do("confirm_payment", "dealer", seat=2)
    assert told + "PAID" in screen(pit)
    assert "VALIDATED" not in screen(pit)
    pit.do("confirm_payment", "dealer", seat=1)
    pit.do("clear_round")
    assert "★" not in screen(pit)


def screen(pit: Pit) -> str:
    events = [
        {"sequence": e.sequence, "type": f"tablectl.{e.type}", "data": e.data} for e in pit.events
    ]
    written = io.StringIO()
    console = Console(width=80, file=written, color_system=None)
    console.print(picture(snapshot(pit.state, unconfirmed=0), events[-64:], "", ""))
    shown = written.getvalue()
    assert max(map(len, shown.splitlines())) <= 80
    return shown


def test_a_broker_of_ones_own_hears_every_event(tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path)
    watcher = Watcher(broker.port)
    url = f"mqtt://127.0.0.1:{broker.port}"
    data = tmp_path / "data"
    done = command(
        "demo",
        "--rounds",
        "2",
        "--seed",
        "5",
        "--speed",
        "max",
        "--data",
        str(data),
        "--broker",
        url,
    )
    assert done.returncode == 0, f"seed 5: {done.stderr}"
    assert url in done.stdout
    stored = dict(stored_events(data))
    until(lambda: len(watcher.heard("/event/")) >= len(stored), "every event came")
    assert [heard.payload.decode() for heard in watcher.heard("/event/")] == list(stored.values())
    watcher.close()
    broker.stop()


@pytest.mark.parametrize("seed", [2])
def test_it_goes_on_whatever_fails(tmp_path: Path, seed: int) -> None:
    plays_through_faults(tmp_path, seed, 30)


def test_the_dealers_slips_and_what_befalls_the_box_end_by_themselves(tmp_path: Path) -> None:
    faults = "misdeal#1,exposed_dealer_card#2,power_cut#3,slow_disk#3,broker_down#4"
    arguments = ("--rounds", "4", "--seed", "4", "--speed", "max", "--data", str(tmp_path))
    done = command("demo", *arguments, "--json", "--faults", faults, seconds=within(60))
    assert done.returncode == 0, f"seed 4: {done.stderr}"
    begun, ended = map(json.loads, done.stdout.splitlines())
    assert begun.keys() == {"http", "mqtt", "seed"}
    assert (ended["rounds"], ended["settled"], ended["voided"]) == (4, 2, 2)
    sound(tmp_path, "seed 4")
    happened = kinds(tmp_path)
    assert happened["tablectl.irregularity.dealer_card_exposed"] == 1
    assert happened["tablectl.table.restarted"] == 2


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 108))
def test_it_goes_on_whatever_fails_for_long(tmp_path: Path, seed: int) -> None:
    plays_through_faults(tmp_path, seed, 100)


def plays_through_faults(data: Path, seed: int, rounds: int) -> None:
    told = f"seed {seed}"
    arguments = ("--rounds", str(rounds), "--seed", str(seed), "--speed", "max")
    done = command("demo", *arguments, "--data", str(data), "--faults", FAULTS, seconds=600)
    assert done.returncode == 0, f"{told}: {done.stderr}"
    assert f"{rounds} rounds: " in done.stdout, told
    sound(data, told)
    happened = kinds(data)
    assert happened["tablectl.round.voided"] >= 1, told
    assert happened["tablectl.round.settled"] >= rounds // 3, told
    assert happened["tablectl.device.offline"] >= 1, told


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_it_cleanly(tmp_path: Path, number: int) -> None:
    process, family = started(tmp_path)
    process.send_signal(number)
    began = time.monotonic()
    said, wrong = process.communicate(timeout=within(20))
    assert time.monotonic() - began < within(8)
    assert (process.returncode, wrong) == (0, "")
    assert "ended" in said
    assert not gone(family), "a child is left"
    sound(tmp_path, "seed 3")


def test_nothing_is_left_where_it_is_killed_hard(tmp_path: Path) -> None:
    process, family = started(tmp_path)
    process.kill()
    process.communicate(timeout=within(5))
    assert not gone(family, 8), "a daemon without its demonstration would take others' devices"
    sound(tmp_path, "seed 3")


def started(data: Path) -> tuple[subprocess.Popen[str], list[int]]:
    """A demonstration in the middle of play, and the processes that it has started."""
    arguments = [*CLI, "demo", "--seed", "3", "--speed", "20", "--data", str(data)]
    process = subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    )
    try:
        until(lambda: played(data) > 60, "it plays")
    except AssertionError:
        process.kill()
        raise
    family = children(process.pid)
    assert family
    assert all(runs(pid) for pid in family)
    return process, family


def played(data: Path) -> int:
    return sum(1 for _ in stored_events(data)) if (data / "journal.db").exists() else 0
