"""The journal with the real table: random sessions, restarts anywhere, replayed to the byte."""

import os
import random
import re
from pathlib import Path
from typing import Any

import pytest

from tablectl.journal.opening import open_journal
from tablectl.journal.recorder import Recorder
from tablectl.journal.replay import replay
from tablectl.journal.wiring import Limits, Outlets
from tablectl.table.inputs import DeviceEvent, Restart
from tests.journal.standalone_verifier import verify as standalone
from tests.journal.toy import rows
from tests.table.pit import Pit
from tests.table.sessions import Session

SEED = int(os.environ.get("TABLECTL_SEED", "2026"))


def opened(
    data: Path, published: list[Any], segment_bytes: int = 400_000, table: str = "tcp-12"
) -> Recorder:
    return open_journal(
        data,
        site="harbor",
        table=table,
        outlets=Outlets(publish=published.append),
        limits=Limits(segment_bytes=segment_bytes),
    )


def two_rounds(seed: int) -> Pit:
    pit = Pit(seed=seed).opened("red", "blue").play_round("red")
    pit.shuffle("red")
    return pit.play_round("blue")


def record(data: Path, pit: Pit, rng: random.Random, crashes: float = 0.01) -> list[Any]:
    """Feed a pit's inputs to a journal; a restart in them closes it or pulls the plug."""
    published: list[Any] = []
    recorder = opened(data, published, table=pit.setup.table)
    for number, given in enumerate(pit.inputs):
        if number and (isinstance(given, Restart) or rng.random() < crashes):
            recorder = reopened(recorder, data, published, rng)
            if not isinstance(given, Restart):
                recorder.submit(
                    Restart(given.at, pit.setup, "d" * 64, "0.1.0", recorder._core.version)
                )
        recorder.submit(given)
    assert recorder.close(), recorder.failure
    return published


def reopened(recorder: Recorder, data: Path, published: list[Any], rng: random.Random) -> Recorder:
    if rng.random() < 0.5:
        assert recorder.close(), recorder.failure
    else:  # what the plug leaves: no closing checkpoint, counted refusals not told
        assert recorder._writer.close()
        recorder.release()
        recorder._lock.release()
    again = opened(data, published, table=recorder.identity.table)
    assert again.restored.notes == ()
    assert again.state == recorder.state
    assert again.head == recorder.head
    return again


@pytest.mark.parametrize("n", range(4))
def test_random_sessions_replay_to_the_byte(data: Path, n: int) -> None:
    rng = random.Random(f"{SEED} {n}")
    session = Session(rng).run(500)
    published = record(data, session.pit, rng)
    told = f"TABLECTL_SEED={SEED}, session {n}"
    report = replay(data)
    assert report.ok, f"{told}: {report.broken}"
    assert report.rederived == report.records
    assert report.events == len(published), told
    files = sorted(data.glob("journal-*.db"), key=lambda path: int(path.stem[8:]))
    assert standalone([*files, data / "journal.db"], report.key) is None, told


def test_no_sealed_value_stands_anywhere_else(data: Path) -> None:
    """A folded hand's cards and salts are in the table of sealed values, and only there."""
    pit = Pit(seed=SEED).opened()
    pit.betting().wager(1, ante=1000).wager(2, ante=1000).lock().deal()
    pit.decide("play", seat_2="fold").settle().do("clear_round", "dealer")
    record(data, pit, random.Random(3))
    revealed = {event.data["salt"] for event in pit.events if event.type == "card.revealed"}
    read = [c for i in pit.inputs if isinstance(i, DeviceEvent) for c in i.cards]
    folded = [card for card in read if card.salt not in revealed]
    assert len(folded) == 3
    path = data / "journal.db"
    assert {card.salt for card in read} == {row[2] for row in rows(path, "sealed")}
    assert len(list(rows(path, "snapshots"))) >= 1
    for table in ("records", "events", "snapshots", "meta"):
        text = repr(list(rows(path, table)))
        for card in folded:
            assert card.salt not in text, table
    states = " ".join(row[2] for row in rows(path, "snapshots"))
    assert not re.search(r'"[A23456789TJQK][CDHS]"', states)


def test_a_round_ends_with_a_signed_checkpoint(data: Path) -> None:
    published = record(data, two_rounds(1), random.Random(0), crashes=0)
    types = [event.type for event in published]
    cleared = [n for n, kind in enumerate(types) if kind == "round.cleared"]
    assert len(cleared) == 2
    for place in cleared:
        assert "journal.checkpoint" in types[place : place + 8]
    report = replay(data)
    assert report.ok
    assert report.signed == (report.last or 0) - 1
