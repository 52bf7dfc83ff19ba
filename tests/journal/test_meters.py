"""`tablectl meters`: every meter proved to the cent from the journal, and what does not add up."""

import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tablectl.journal.canonical import canonical
from tablectl.journal.codec import StateCodec
from tablectl.journal.commands import meters_command
from tablectl.journal.meters import Ledger, prove_meters
from tablectl.journal.proof import Broken, EventRow, RecordRow
from tablectl.outbox import payloads
from tablectl.table.state import MeterState, State
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


@pytest.mark.parametrize("what", ["contributed", "paid", "validated", "corrected", "reset"])
def test_a_journal_that_lacks_an_event_of_a_meter_proves_none(
    day: Path, tmp_path: Path, capsys: Any, what: str
) -> None:
    spoilt = copy(day, tmp_path / "spoilt")
    files = sorted(spoilt.glob("journal*.db"))
    named = f"%progressive.{what}%"
    assert sum(execute(f, "DELETE FROM events WHERE body LIKE ?", (named,)) for f in files)
    assert meters_command(spoilt, json_out=False) == 1
    assert "broken at sequence" in capsys.readouterr().err


@pytest.mark.parametrize("digits", [10, 15])
def test_the_totals_have_as_many_digits_as_they_need(digits: int) -> None:
    """Ten at least, never cleared; canonical JSON carries integers up to 2**53."""
    big = 10**digits - 1
    meter = MeterState(
        "main", 100_000, "0.2", cents=100_000 + big // 5, base=100_000, wagered=big, seeded=big,
        contributed_numerator=big, contributed_denominator=5, awarded=big, hand_paid=big,
    )  # fmt: skip
    codec, state = StateCodec(State), State(meters=(meter,))
    assert codec.decode(codec.encode(state)) == state
    shown = json.loads(canonical(payloads.meter(meter)))
    assert [shown[total] for total in ("wagered", "awarded", "hand_paid")] == [big] * 3


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
Told = list[list[tuple[str, dict[str, Any]]]]  # records, each with its events


@cache
def a_day_told() -> tuple[tuple[tuple[str, dict[str, Any]], ...], ...]:
    return tuple(tuple((e.type, dict(e.data)) for e in made) for made in a_day().made)


def events() -> Told:
    return [list(made) for made in a_day_told()]


def follow(told: Told) -> Ledger:
    """Raises Broken where anything does not add up."""
    ledger = Ledger()
    for number, made in enumerate(told, 1):
        rows = [EventRow(number, "", {"type": f"tablectl.{t}", "data": d}) for t, d in made]
        ledger.record(RecordRow(number, 1, "", "", {}, ()), rows)
    return ledger


def spoil(type_: str, **changes: Any) -> Told:
    """Each event of that type says something else."""
    return [[(t, d | changes if t == type_ else d) for t, d in made] for made in events()]


def without(type_: str, **where: Any) -> Told:
    """Such events are not there."""

    def stays(kind: str, data: dict[str, Any]) -> bool:
        return kind != type_ or any(data.get(name) != value for name, value in where.items())

    return [[(t, d) for t, d in made if stays(t, d)] for made in events()]


def twice(type_: str) -> Told:
    return [[e for e in made for _ in range(1 + (e[0] == type_))] for made in events()]


def moved(type_: str, behind: str) -> Told:
    """The first such event comes as a record of its own, behind the first of another type."""
    told = events()
    source = next(made for made in told if any(t == type_ for t, _ in made))
    event = next(e for e in source if e[0] == type_)
    source.remove(event)
    place = next(n for n, made in enumerate(told) if any(t == behind for t, _ in made))
    return [*told[: place + 1], [event], *told[place + 1 :]]


def test_what_the_table_tells_adds_up() -> None:
    follow(events())


@pytest.mark.parametrize(
    ("told", "what"),
    [
        (spoil("progressive.contributed", shows=99), "add up"),
        (spoil("progressive.contributed", cents=121), "posted"),
        (spoil("progressive.contributed", exact="121/1"), "of 600 cents"),
        (spoil("progressive.contributed", wagered=5, exact="1/1", cents=1), "600 were locked"),
        (spoil("wager.accepted", cents=500), "1000 were locked"),
        (without("wager.accepted", seat=2), "100 were locked"),
        (without("progressive.contributed"), "settled before it fed main"),
        (twice("progressive.contributed"), "fed twice"),
        (without("round.bets_locked"), "before the lock"),
        (moved("wager.accepted", "progressive.locked"), "accepted after the lock"),
        (spoil("progressive.contributed", meter="other"), "never set up"),
        (spoil("progressive.contributed", exact="x"), "incomplete"),
        (spoil("progressive.paid", cents=1), "1 paid"),
        (spoil("progressive.paid", shows=1), "add up"),
        (spoil("progressive.hit", cents=1), "not told"),
        (spoil("progressive.validated", cents=1), "not told"),
        (without("action.done", action="validate_progressive"), "nobody did"),
        (without("action.done", action="correct_meter"), "nobody did"),
        (spoil("action.done", second=None), "one person alone"),
        (spoil("action.done", second="floor-1"), "one person alone"),
        (spoil("progressive.paid", seat=7), "nobody validated"),
        (spoil("progressive.reset", cents=5), "not at 100000"),
        (spoil("progressive.corrected", was=5), "corrected"),
        (spoil("progressive.corrected", by=5), "corrected"),
        (without("progressive.validated"), "nobody validated"),
        (without("progressive.hit"), "not told"),
        (twice("progressive.paid"), "twice"),
        (without("progressive.reset"), "corrected"),
        (without("progressive.corrected"), "add up"),
    ],
)  # fmt: skip
def test_what_does_not_add_up_is_found_and_said(told: Any, what: str) -> None:
    with pytest.raises(Broken, match=what):
        follow(told)
