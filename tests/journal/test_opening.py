"""Opening: one daemon a journal, the state that was, and what a crash or a hand left behind."""

import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tablectl.journal import store
from tablectl.journal.chain import digest
from tablectl.journal.codec import StateCodec
from tablectl.journal.errors import (
    JournalDamaged,
    JournalInUse,
    JournalUnwritable,
    KeyProblem,
    WrongTable,
)
from tablectl.journal.keys import open_key, read_public
from tablectl.journal.opening import open_journal
from tablectl.journal.reading import events_after, read_record
from tablectl.journal.replay import replay
from tablectl.journal.verify import verify
from tablectl.table.inputs import Checkpoint, DeviceEvent, Segment
from tests.journal.toy import TOY, Bench, ToyState, rows, segmented_journal, small_journal, toy_step

ROOT = Path(__file__).parents[2]


def change(path: Path, sql: str, *values: Any) -> None:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(sql, values).rowcount > 0, sql
        connection.commit()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_files_are_for_the_owner_only(data: Path) -> None:
    previous = os.umask(0)
    try:
        bench = segmented_journal(data)
        bench.open()
        bench.start()
        bench.settle()
        for name in ("journal.db", "journal.db-wal", "journal-1.db", "journal.key", "reserve"):
            assert mode(data / name) == 0o600, name
        assert mode(data / "journal.pub") == 0o644
        assert mode(data) == 0o700
        bench.close()
    finally:
        os.umask(previous)


def test_one_daemon_a_journal(data: Path) -> None:
    bench = Bench(data)
    with pytest.raises(JournalInUse, match=f"process {os.getpid()}") as caught:
        Bench(data)
    assert caught.value.exit_code == 3
    code = (
        "import sys\nfrom pathlib import Path\nfrom tests.journal.toy import Bench\n"
        "from tablectl.journal.errors import JournalInUse\n"
        "try: Bench(Path(sys.argv[1]))\nexcept JournalInUse as e: sys.exit(e.exit_code)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(data)], cwd=ROOT, check=False)
    assert done.returncode == 3
    bench.start()
    bench.close()
    Bench(data).recorder.close()


def test_the_state_restored_is_the_state_that_was(data: Path) -> None:
    bench = Bench(data, seed=3)
    bench.start()
    for rounds in (0, 1, 2, 5):
        bench.play(rounds)
        bench.deal(2, unreadable=True)
        bench.act("say", wake=5)
        bench.settle()
        state, head = bench.recorder.state, bench.recorder.head
        bench.close()
        bench.open()
        if bench.recorder.head == head:  # cards are out: no checkpoint at the close
            assert bench.recorder.state == state
        assert list(bench.recorder.state.counts) == list(state.counts)
        assert bench.recorder.restored.notes == ()
        bench.start()
        bench.act("clear_round")
    bench.close()
    assert replay(data, core=TOY).ok


def test_only_the_records_after_the_snapshot_are_folded(data: Path) -> None:
    bench = Bench(data)
    bench.start()
    bench.play(40)
    bench.act("say")
    bench.deal(1)
    bench.close()
    bench.open()
    assert bench.recorder.restored.folded == 3  # the checkpoint itself, and the two after it
    assert bench.recorder.restored.record > 200
    bench.start()
    bench.close()


def test_epoch_and_sequence_go_on_across_restarts(data: Path) -> None:
    bench = small_journal(data)
    last = bench.recorder.head.sequence
    bench.seams["now_s"] = lambda: 1_900_000_000.0
    bench.open()
    receipt = bench.start()
    assert receipt.events[0].sequence == last + 1
    assert f'"id":"tcp-12/1800000000/{last + 1}"' in receipt.events[0].body
    bench.close()


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("UPDATE snapshots SET state = replace(state, '\"open', '\"shut') || ' '", "digest"),
        ("UPDATE snapshots SET salt = 'zz'", "digest"),
        (
            'UPDATE events SET body = replace(body, \'"signature":"\', \'"signature":"00\')',
            "signed",
        ),
        ("UPDATE events SET body = '{' WHERE body LIKE '%checkpoint%'", "readable"),
    ],
)
def test_a_snapshot_that_proves_wrong_is_reported_and_ignored(
    data: Path, sql: str, why: str
) -> None:
    bench = small_journal(data)
    state = bench.recorder.state
    change(data / "journal.db", sql)
    if "events" in sql:  # the fold then finds the same damage, and says so
        with pytest.raises(JournalDamaged, match="verify"):
            bench.open()
        return
    bench.open()
    assert bench.recorder.state == state
    assert len(bench.recorder.restored.notes) == 4
    assert all(why in note for note in bench.recorder.restored.notes)
    assert bench.recorder.restored.folded == bench.recorder.restored.record
    bench.start()
    bench.close()


def test_a_snapshot_at_a_checkpoint_that_our_key_did_not_sign_is_ignored(data: Path) -> None:
    bench = Bench(data)
    bench.start()
    bench.act("say")
    head, text = bench.recorder.head, StateCodec(ToyState).encode(ToyState(2, phase="forged"))
    state = digest("5" * 64, text)
    forged = Checkpoint(bench.at(), head.sequence, head.hash, "ab" * 32, "ab" * 64, state)
    record = bench.recorder.submit(forged).record
    bench.deal(1)
    bench.close()
    wanted = bench.recorder.state
    change(data / "journal.db", "INSERT INTO snapshots VALUES (?, ?, ?)", record, "5" * 64, text)
    bench.open()
    assert "not signed" in bench.recorder.restored.notes[0]
    assert bench.recorder.state == wanted
    bench.close()


def test_an_earlier_segment_helps_where_no_snapshot_of_the_last_one_is_good(data: Path) -> None:
    bench = segmented_journal(data)
    state = bench.recorder.state
    for name in ("journal.db", "journal-27.db"):
        change(data / name, "UPDATE snapshots SET state = '{}'")
    bench.open()
    assert bench.recorder.state == state
    assert bench.recorder.restored.folded > 30
    bench.start()
    bench.close()
    (data / "journal-27.db").rename(data / "gone")
    change(data / "journal.db", "UPDATE snapshots SET state = '{}'")
    with pytest.raises(JournalDamaged, match=r"journal-27.db is not here"):
        bench.open()


def test_records_that_fold_otherwise_are_refused(data: Path) -> None:
    bench = Bench(data)
    bench.start()
    bench.deal(1)
    bench.close()

    def other(state: Any, given: Any) -> Any:
        outcome = toy_step(state, given)
        if isinstance(given, DeviceEvent):
            return replace(outcome, events=outcome.events[:1])
        return outcome

    bench.core = replace(TOY, step=other)
    with pytest.raises(JournalDamaged, match="record 2 does not give the events"):
        bench.open()
    bench.core = replace(TOY, step=other, version=8)
    with pytest.raises(JournalDamaged, match="core version 7"):
        bench.open()


def test_a_journal_belongs_to_one_table(data: Path) -> None:
    small_journal(data)
    with pytest.raises(WrongTable, match="tcp-12 at harbor"):
        open_journal(data, site="harbor", table="tcp-13", core=TOY)
    Bench(data).recorder.close()  # and the lock was given back


def test_a_half_made_journal_is_begun_again(data: Path) -> None:
    data.mkdir()
    (data / "journal.db.new").write_bytes(b"SQLite format 3\0 half")
    (data / "journal.db.new-journal").write_bytes(b"junk")
    (data / "journal.key.part").write_bytes(b"-----BEGIN")
    bench = Bench(data)
    bench.start()
    bench.close()
    assert verify(data).ok
    assert not list(data.glob("*.new*")) + list(data.glob("*.part"))


def test_a_journal_that_never_got_its_first_record(data: Path) -> None:
    Bench(data).recorder.close()
    report = verify(data)
    assert report.ok
    assert report.records == 0
    (data / "journal.key").unlink()
    (data / "journal.pub").unlink()
    bench = Bench(data)
    bench.start()
    bench.close()
    assert verify(data).records == 2


def test_damage_is_a_sentence(data: Path) -> None:
    small_journal(data)
    (data / "journal.db").write_bytes(b"SQLite format 3\0" + bytes(8000))
    with pytest.raises(JournalDamaged, match="verify"):
        Bench(data)
    (data / "journal.db").write_bytes(b"")
    with pytest.raises(JournalDamaged, match="verify"):
        Bench(data)


def test_closed_segments_without_a_current_one(data: Path) -> None:
    segmented_journal(data)
    (data / "journal.db").unlink()
    with pytest.raises(JournalDamaged, match="archive"):
        Bench(data)


def test_the_key_is_made_once_and_watched(data: Path) -> None:
    bench = small_journal(data)
    key = open_key(data, create=False)
    assert read_public(str(data / "journal.pub")) == key.public == read_public(key.public)
    (data / "journal.pub").unlink()
    bench.open().close()
    assert read_public(str(data / "journal.pub")) == key.public
    (data / "journal.key").rename(data / "kept")
    with pytest.raises(KeyProblem, match="put the key back"):
        bench.open()
    open_key(data / "..", create=True)  # another key
    (data / ".." / "journal.key").rename(data / "journal.key")
    with pytest.raises(KeyProblem, match="replaced"):
        bench.open()
    (data / "journal.key").write_text("nonsense")
    with pytest.raises(KeyProblem, match="no usable private key"):
        bench.open()


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(JournalUnwritable):
        Bench(tmp_path / "data")


def test_a_newer_core_takes_over_where_the_fold_agrees(data: Path) -> None:
    bench = Bench(data)
    bench.start()
    bench.play(2)
    bench.act("say")
    bench.close()
    newer = replace(TOY, version=8)
    bench.core = newer
    bench.open()
    bench.start()
    bench.play(8)
    bench.close()
    old, new = replay(data, core=TOY), replay(data, core=newer)
    assert old.ok
    assert new.ok
    assert old.rederived is not None
    assert new.rederived is not None
    assert old.rederived + new.rederived == new.records

    def changed(state: Any, given: Any) -> Any:
        outcome = toy_step(state, given)
        if isinstance(given, Segment | DeviceEvent):
            return outcome
        return replace(
            outcome,
            events=tuple(replace(e, data={**e.data, "new": True}) for e in outcome.events),
        )

    # A version that derives something else has nothing to say about what others wrote.
    assert replay(data, core=replace(TOY, version=9, step=changed)).rederived == 0
    assert not replay(data, core=replace(TOY, version=8, step=changed)).ok


def test_reading_back(data: Path) -> None:
    bench = segmented_journal(data)
    last = bench.recorder.head.sequence
    bodies = [event.body for event in bench.published]
    assert [event.body for event in events_after(data, 0, 10_000)] == bodies
    assert [event.sequence for event in events_after(data, 20, 40)] == list(range(21, 61))
    assert events_after(data, last, 5) == []
    assert [event.sequence for event in events_after(data, last - 2, 5)] == [last - 1, last]
    total = sum(len(list(rows(path, "records"))) for path in data.glob("journal*.db"))
    records = [read_record(data, number) for number in range(1, total + 2)]
    assert records[-1] is None
    texts = [event.body for record in records if record for event in record.events]
    assert texts == bodies
    dealt = [r.input for r in records if r and isinstance(r.input, DeviceEvent)]
    assert all(card.card for event in dealt for card in event.cards[:3])


def test_every_commit_is_synced(data: Path) -> None:
    bench = Bench(data)
    bench.recorder.close()
    with closing(store.connect(data / "journal.db")) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
