"""`tablectl meters`: every meter proved to the cent from the journal, and what does not add up."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tablectl.journal.commands import meters_command
from tablectl.journal.meters import Ledger, prove_meters
from tablectl.journal.proof import Broken, EventRow, RecordRow
from tests.journal.tampering import copy, execute
from tests.journal.test_real_core import record
from tests.table.pit import Pit
from tests.table.sessions import Session


def a_day() -> Pit:
    """A hit, a correction, rounds that only contribute, and the journal begun anew in between."""
    pit = Pit(seed=3).opened().betting()
    pit.wager(1, ante=1000, progressive=100).wager(2, ante=1000, progressive=500).lock()
    pit.deal(seat_1="AS KS QS", seat_2="2C 7D 9H", dealer="3C 8D TH").decide().settle()
    pit.do("clear_round")
    pit.do("correct_meter", meter="main", cents=100_777, reason="display repaired")
    pit.do("remove_deck", deck="red")
    pit.do("close_table")
    pit.restart()
    pit.devices_tell()
    pit.do("open_table")
    pit.do("receive_decks", decks=[{"id": "blue", "back": "blue"}])
    pit.ready("blue")
    pit.betting("blue").wager(3, ante=1000, progressive=500).lock()
    pit.deal(seat_3="2C 7D 9H", dealer="3C 8D TH").decide().settle().do("clear_round")
    return pit


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("day") / "data"
    record(data, a_day(), random.Random(1), crashes=0)
    return data


def test_every_meter_is_proved_from_the_journal(day: Path, capsys: Any) -> None:
    assert meters_command(day, json_out=False) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out == (
        "main: 100877 = base 100000 + contributions 220 + seeds 100000 - awards 100120 "
        "+ corrections 777 (wagered 1100, 1 hits)\n"
    )
    assert meters_command(day, json_out=True) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["ok"] is True
    main = found["meters"]["main"]
    assert (main["cents"], main["corrected"], main["carried"]) == (100_877, 777, "0/1")


def test_a_later_segment_alone_begins_with_its_state(day: Path) -> None:
    assert len(list(day.glob("journal-*.db"))) >= 1
    report, ledger = prove_meters(day / "journal.db")
    assert report.ok, report.broken
    assert ledger.accounts["main"].cents == 100_877


def test_a_journal_that_was_changed_proves_no_meter(day: Path, tmp_path: Path, capsys: Any) -> None:
    spoilt = copy(day, tmp_path / "spoilt")
    execute(spoilt / "journal.db", "UPDATE events SET body = replace(body, '100877', '100878')")
    assert meters_command(spoilt, json_out=False) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "broken at sequence" in err
    assert meters_command(tmp_path / "none", json_out=False) == 1


@pytest.mark.parametrize("seed", range(3))
def test_random_sessions_add_up(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    session = Session(rng).run(400)
    record(tmp_path / "data", session.pit, rng, crashes=0)
    report, ledger = prove_meters(tmp_path / "data")
    assert report.ok, (seed, report.broken)
    for meter in session.pit.state.meters:
        account = ledger.accounts[meter.name]
        told = (account.cents, account.wagered, account.awarded, account.hits, account.seeded)
        assert told == (meter.cents, meter.wagered, meter.awarded, meter.hits, meter.seeded)


# ── what does not add up ──
def events(pit: Pit) -> list[tuple[str, dict[str, Any]]]:
    return [(e.type, dict(e.data)) for e in pit.events if e.type.startswith(("prog", "config."))]


def follow(told: list[tuple[str, dict[str, Any]]]) -> None:
    nothing = RecordRow(1, 1, "", "", {}, ())
    rows = [EventRow(n, "", {"type": f"tablectl.{t}", "data": d}) for n, (t, d) in enumerate(told)]
    Ledger().record(nothing, rows)


def spoil(type_: str, **changes: Any) -> list[tuple[str, dict[str, Any]]]:
    return [(t, d | changes if t == type_ else d) for t, d in events(a_day())]


def test_what_the_table_tells_adds_up() -> None:
    follow(events(a_day()))


@pytest.mark.parametrize(
    ("told", "what"),
    [
        (spoil("progressive.contributed", shows=99), "add up"),
        (spoil("progressive.contributed", cents=121), "posted"),
        (spoil("progressive.contributed", exact="121/1"), "of 600 cents"),
        (spoil("progressive.contributed", meter="other"), "never set up"),
        (spoil("progressive.contributed", exact="x"), "incomplete"),
        (spoil("progressive.paid", cents=1), "add up"),
        (spoil("progressive.paid", seat=7), "nobody validated"),
        (spoil("progressive.reset", cents=5), "not at 100000"),
        (spoil("progressive.corrected", was=5), "corrected"),
        (spoil("progressive.corrected", by=5), "corrected"),
        ([e for e in events(a_day()) if e[0] != "progressive.validated"], "nobody validated"),
        ([e for e in events(a_day()) for _ in range(1 + (e[0] == "progressive.paid"))], "twice"),
        ([e for e in events(a_day()) if e[0] != "progressive.reset"], "corrected"),
    ],
)  # fmt: skip
def test_what_does_not_add_up_is_found_and_said(told: Any, what: str) -> None:
    with pytest.raises(Broken, match=what):
        follow(told)
