"""Restrict first, permit last: what leaves when, what is recorded, and what is only counted."""

import json
import os
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from tablectl.journal import writer
from tablectl.journal.errors import JournalError, Unrecordable, WrongTable
from tablectl.journal.store import connect
from tablectl.journal.verify import verify
from tablectl.journal.wiring import Limits, Salts
from tablectl.table.inputs import Action, DeviceEvent, Restart, Tick
from tests.journal.toy import SETUP, TOY, Bench, Clock, rows

GATE = threading.Event()


class Gated(sqlite3.Connection):
    """A disk that takes its time: COMMIT waits for the gate."""

    def execute(self, sql: str, *more: Any) -> sqlite3.Cursor:
        if sql == "COMMIT":
            assert GATE.wait(20)
        return super().execute(sql, *more)


def gated(path: Path) -> sqlite3.Connection:
    connect(path).close()
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, factory=Gated)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    return connection


@pytest.fixture
def slow(data: Path) -> Bench:
    GATE.set()
    bench = Bench(data, seams={"connect": gated})
    bench.start()
    bench.settle()
    bench.sent.clear()
    bench.published.clear()
    return bench


def events(bench: Bench, kind: str) -> list[dict[str, Any]]:
    return [json.loads(e.body)["data"] for e in bench.published if e.type == kind]


def test_what_permits_waits_until_it_is_durable_and_what_restricts_does_not(slow: Bench) -> None:
    GATE.clear()
    opened = slow.act("open_gate")
    slow.act("lock")
    slow.recorder.release()
    assert [command.name for command in slow.sent] == ["lock"]
    assert slow.published == []
    assert slow.recorder.durable < opened.sequence
    GATE.set()
    slow.settle()
    assert [command.name for command in slow.sent] == ["lock", "open_gate"]
    assert [event.sequence for event in slow.published] == [2, 3]
    slow.close()


def test_a_restriction_withdraws_a_permission_to_the_same_device_that_still_waits(
    slow: Bench,
) -> None:
    GATE.clear()
    slow.act("unlock")
    slow.act("open_gate")
    slow.act("lock")  # the same device as unlock: it must end locked
    GATE.set()
    slow.settle()
    assert [command.name for command in slow.sent] == ["lock", "open_gate"]
    assert [command.name for command in slow.withdrawn] == ["unlock"]
    slow.close()


@pytest.mark.parametrize("name", ["offline", "online"])
def test_what_permits_never_leaves_on_another_link_than_it_was_given_on(
    slow: Bench, name: str
) -> None:
    """The shoe came back while its leave waited for the disk, and is given leave anew: once."""
    GATE.clear()
    slow.act("open_gate")
    slow.act("lamp")
    slow.recorder.submit(DeviceEvent(slow.at(), "shoe", name))
    slow.act("open_gate")
    GATE.set()
    slow.settle()
    assert [command.n for command in slow.withdrawn] == [2]
    assert [(c.device, c.name, c.n) for c in slow.sent] == [
        ("bonus", "lamp", 3), ("shoe", "open_gate", 4),
    ]  # fmt: skip
    slow.close()


def test_a_restriction_overtakes_no_lamp(slow: Bench) -> None:
    """TCP 2.C(1): a chip accepted in the moment before the lock stands, and its light shows it."""
    GATE.clear()
    slow.act("unlock")
    slow.act("lamp")
    slow.act("lock")
    GATE.set()
    slow.settle()
    assert [command.name for command in slow.sent] == ["lock", "lamp"]
    assert [command.name for command in slow.withdrawn] == ["unlock"]
    slow.close()


def test_on_change_pokes_from_the_writers_thread(data: Path) -> None:
    poked = threading.Event()
    threads = []

    def poke() -> None:
        threads.append(threading.current_thread().name)
        poked.set()

    bench = Bench(data, on_change=poke)
    bench.start()
    assert poked.wait(20)
    assert set(threads) == {"journal-writer"}
    bench.recorder.release()
    assert [event.type for event in bench.published] == ["table.restarted"]
    bench.close()


def test_commits_are_grouped(slow: Bench) -> None:
    GATE.clear()
    for _ in range(50):
        slow.act("say")
    GATE.set()
    slow.settle()
    assert len(slow.published) == 50
    assert [event.sequence for event in slow.published] == list(range(2, 52))
    slow.close()
    assert verify(slow.data).ok


def test_only_a_rush_of_records_waits_to_be_gathered(
    slow: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(writer, "sleep", pauses.append)
    for _ in range(5):
        slow.act("say")
        slow.settle()
    assert pauses == [], "one after the other: each is written at once"
    GATE.clear()
    for _ in range(5):
        slow.act("say")
    GATE.set()
    slow.settle()
    slow.act("say")
    slow.settle()
    assert pauses
    assert all(0 <= pause <= writer.PACE_S for pause in pauses)
    slow.close()


def test_a_salt_is_used_once() -> None:
    fetched: list[bytes] = []

    def fetch(size: int) -> bytes:
        fetched.append(os.urandom(size))
        return fetched[-1]

    salts = Salts(fetch)
    drawn = [salts(32) for _ in range(200)]
    assert b"".join(drawn) == b"".join(fetched)[: 200 * 32]
    assert len(set(drawn)) == 200
    assert len(fetched) < 10
    assert len(salts(100_000)) == 100_000


def test_the_first_input_is_a_restart_of_this_table(data: Path) -> None:
    bench = Bench(data)
    with pytest.raises(JournalError, match="Restart"):
        bench.act("say")
    other = type(SETUP)("harbor", "tcp-13", SETUP.rules)
    with pytest.raises(WrongTable, match="tcp-13"):
        bench.recorder.submit(Restart(bench.at(), other, "d", "0", 1))
    bench.start()
    bench.close()


def test_a_tick_that_changes_nothing_is_no_record(data: Path) -> None:
    bench = Bench(data)
    bench.start()
    before = bench.recorder.head
    receipt = bench.recorder.submit(Tick(bench.at()))
    assert not receipt.recorded
    assert bench.recorder.head == before
    bench.close()


def test_an_input_that_cannot_be_recorded_changes_nothing(data: Path) -> None:
    bench = Bench(data)
    bench.start()
    before = bench.recorder.state
    with pytest.raises(Unrecordable):
        bench.act("say", rate=0.5)
    assert bench.recorder.state is before
    bench.close()
    assert verify(data).ok


@pytest.mark.parametrize("fault", ["float", "silent"])
def test_an_outcome_that_cannot_be_recorded_is_a_recorded_halt(data: Path, fault: str) -> None:
    bench = Bench(data)
    bench.start()
    receipt = bench.act(fault)
    assert [event.type for event in receipt.events] == ["table.halted"]
    assert bench.sent[-1].name == "halt"
    assert bench.recorder.state.halted
    bench.act("say")
    bench.close()
    assert verify(data).ok


def test_checkpoint_and_snapshot_after_each_round(data: Path) -> None:
    bench = Bench(data)
    bench.start()
    bench.play(6)
    bench.settle()
    signed = events(bench, "journal.checkpoint")
    assert len(signed) == 6
    assert all(len(c["signature"]) == 128 and len(c["key"]) == 64 for c in signed)
    bench.close()  # nothing since the last checkpoint: none is added
    kept = [row[0] for row in rows(data / "journal.db", "snapshots")]
    assert len(kept) == 4
    assert verify(data).ok


def test_no_card_value_leaves_the_table_of_sealed_values(data: Path) -> None:
    bench = Bench(data)
    bench.start()
    bench.deal(5)
    bench.close()  # cards are out: the end is not signed, and no snapshot holds them
    cards = [(row[2], row[3]) for row in rows(data / "journal.db", "sealed")]
    assert len(cards) == 5
    assert list(rows(data / "journal.db", "snapshots")) == []
    for table in ("records", "events", "meta"):
        text = repr(list(rows(data / "journal.db", table)))
        for salt, card in cards:
            assert salt not in text
            assert f'"{card}"' not in text
    bench.open()
    assert len(bench.recorder.state.cards) == 5
    bench.start()
    bench.close()


# ── repeated refusals ──────────────────────────────────────────────────────────────────────────
def refused(bench: Bench) -> list[int]:
    bench.settle()
    return [data["count"] for data in events(bench, "action.refused")]


def test_repeats_are_answered_counted_and_told_once_when_something_else_happens(data: Path) -> None:
    bench = Bench(data)
    bench.start()
    first = bench.act("forbidden")
    repeats = [bench.act("forbidden", n=n) for n in range(20)]
    assert first.recorded
    assert all(r.refusal and not r.recorded for r in repeats)
    assert refused(bench) == [1]
    done = bench.act("say")
    assert refused(bench) == [1, 20]
    assert done.sequence == bench.recorder.state.sequence
    bench.act("forbidden")  # a new story after the other input
    assert refused(bench) == [1, 20, 1]
    bench.close()
    assert verify(data).ok


def test_repeats_are_told_when_the_window_ends(data: Path) -> None:
    bench = Bench(data)
    bench.start()
    began = bench.act("forbidden").outcome.state.time_ns - bench.at.utc_ns + bench.at.mono_ns
    assert bench.recorder.wake_ns is None
    bench.act("forbidden")
    assert bench.recorder.wake_ns == began + 10_000_000_000
    bench.recorder.submit(Tick(bench.at(5_000)))
    assert refused(bench) == [1]
    bench.recorder.submit(Tick(bench.at(5_000)))
    assert refused(bench) == [1, 1]
    bench.act("forbidden")  # beyond the window: a record of its own
    assert refused(bench) == [1, 1, 1]
    bench.close()


def test_repeats_are_told_at_the_close(data: Path) -> None:
    bench = Bench(data)
    bench.start()
    for _ in range(4):
        bench.act("forbidden")
    bench.close()
    assert [d["count"] for d in events(bench, "action.refused")] == [1, 3]


def test_two_who_take_turns_are_both_counted(data: Path) -> None:
    bench = Bench(data)
    bench.start()
    for _ in range(30):
        bench.act("forbidden", "ana")
        bench.act("forbidden", "ben")
        bench.act("forbidden", "ana", why="otherwise")
    bench.close()
    assert sorted(d["count"] for d in events(bench, "action.refused")) == [1, 1, 1, 29, 29, 29]


def test_many_sources_lose_no_count(data: Path) -> None:
    bench = Bench(data)
    bench.start()
    for n in range(200):
        bench.act("forbidden", f"actor-{n % 11}")
    bench.close()
    assert sum(d["count"] for d in events(bench, "action.refused")) == 200


def test_what_restricts_is_never_counted(data: Path) -> None:
    bench = Bench(data)
    bench.start()
    receipts = [bench.act("halt_table") for _ in range(5)]
    receipts += [bench.deal(0) for _ in range(5)]
    assert all(receipt.recorded for receipt in receipts)
    bench.close()


def test_a_new_boot_begins_a_new_window(data: Path) -> None:
    bench = Bench(data)
    bench.start()
    bench.act("forbidden")
    bench.act("forbidden")
    bench.at = Clock(bench.at.utc_ns, bench.at.mono_ns, "boot-2")
    assert bench.act("forbidden").recorded
    assert refused(bench) == [1, 1, 1]
    bench.close()


def test_a_repeat_steps_nothing(data: Path) -> None:
    bench = Bench(data)
    bench.start()
    bench.act("forbidden")
    before = bench.recorder.state
    bench.act("forbidden")
    assert bench.recorder.state is before
    bench.close()


def test_a_full_queue_fails_the_journal_and_loses_nothing(data: Path) -> None:
    GATE.set()
    bench = Bench(data, seams={"connect": gated}, limits=Limits(capacity=3, patience_s=0.05))
    bench.start()
    bench.settle()
    GATE.clear()
    while bench.recorder.failure is None:
        bench.act("unlock")
    assert "slow" in (bench.recorder.failure or "")
    assert bench.sent[-1].name == "halt"
    bench.recorder.release()
    GATE.set()
    assert not bench.recorder.close()
    assert "unlock" not in [command.name for command in bench.sent]
    report = verify(data)
    assert report.ok
    assert report.last == bench.recorder.head.sequence  # the halt record is the last one


def test_action_fields_reach_the_core(data: Path) -> None:
    bench = Bench(data)
    bench.start()
    receipt = bench.recorder.submit(Action(bench.at(), "say", "ana", (), args={"wake": 77}))
    assert receipt.wake_ns == 77
    assert TOY.version == 7
    bench.close()
