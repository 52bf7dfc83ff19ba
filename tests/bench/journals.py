"""Journals to measure with: full rounds played at the real table through the real Recorder.

The long one takes a while to play, so it stays in build/ and is used again for as long as the code
that wrote it is the same.
"""

import shutil
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final, cast

from tablectl.journal.opening import open_journal
from tablectl.journal.recorder import Recorder
from tablectl.journal.wiring import Limits
from tablectl.table.inputs import Input
from tablectl.table.table import CORE_VERSION, Outcome
from tests.bench.measure import BUILD, ROOT, SEED, Tell
from tests.table.pit import Pit

# All records in one file, and a disk that pauses holds the players up instead of failing.
LIMITS: Final = Limits(segment_bytes=1 << 40, patience_s=60.0)
DECKS: Final = ("red", "blue")
_WRITTEN_BY: Final = ("tablectl/cards.py", "tablectl/games", "tablectl/table", "tablectl/journal")
_PLAYED_BY: Final = ("tests/bench/journals.py", "tests/table/pit.py")


def opened(data: Path) -> Recorder:
    """The table's journal in `data`."""
    return open_journal(data, site="harbor", table="tcp-12", limits=LIMITS)


@dataclass
class RecordedPit(Pit):
    """A pit whose table steps inside a Recorder; it keeps nothing to look back at."""

    recorder: Recorder = field(kw_only=True)
    records: int = 0  # the number of the last one

    def __post_init__(self) -> None:
        super().__post_init__()
        self.table.state = self.recorder.state
        self.utc_ns = max(self.utc_ns, self.state.clock.utc_ns)

    def feed(self, input_: Input) -> Outcome:
        receipt = self.recorder.submit(input_)
        self.recorder.release()
        self.records = receipt.record
        self.table.state = self.recorder.state
        return cast("Outcome", receipt.outcome)

    # ── a day at the table ──
    def begin(self) -> "RecordedPit":
        self.opened(*DECKS)
        return self

    def until_clearing(self) -> None:
        """A round of seven seats and four wagers each, all but the clearing."""
        last = self.state.last_deck  # the other one is due
        self.betting(next(deck.id for deck in self.state.decks if deck.id != last))
        for seat in range(1, 8):
            self.wager(seat, ante=1000, pair_plus=500, progressive=100, six_card_bonus=500)
        self.lock().deal().decide().settle()

    def clear(self) -> None:
        self.do("clear_round", "dealer")
        self.shuffle(next(deck.id for deck in self.state.decks if deck.preparation == "used"))

    def resume(self) -> None:
        """After a restart in the middle of a round."""
        self.devices_tell()
        self.acknowledge()
        self.do("resume_table")


def _digest() -> str:
    """Of the code that writes a journal and of what is played."""
    whole = sha256(f"{CORE_VERSION} {SEED}".encode())
    for name in (*_WRITTEN_BY, *_PLAYED_BY):
        place = ROOT / name
        files = [place] if place.is_file() else sorted(place.rglob("*.*"))
        for path in files:
            if path.suffix in {".py", ".toml"}:
                whole.update(path.read_bytes())
    return whole.hexdigest()[:16]


def long_journal(records: int, tell: Tell) -> tuple[Path, bool]:
    """A closed journal of so many records and a few more; True where it was there already."""
    folder = BUILD / "bench-journals"
    kept = folder / f"{records}-{_digest()}"
    if kept.exists():
        return kept, True
    shutil.rmtree(folder, ignore_errors=True)
    part = folder / "part"
    recorder = opened(part)
    pit = RecordedPit(SEED, recorder=recorder).begin()
    while pit.records < records:
        pit.until_clearing()
        pit.clear()
        tell(f"playing, {pit.records:,} of {records:,} records")
    assert recorder.close(60), recorder.failure
    part.rename(kept)
    return kept, False
