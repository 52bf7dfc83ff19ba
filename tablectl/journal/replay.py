"""`replay`: steps through a journal again and compares every derived event with the stored one.

Only what this core version wrote must agree; what another version wrote is verified, not derived.
"""

from pathlib import Path
from typing import Any

from tablectl.journal.chain import Head, digest, publish
from tablectl.journal.codec import StateCodec, decode
from tablectl.journal.core import Core, table_core
from tablectl.journal.errors import JournalDamaged, Unrecordable
from tablectl.journal.proof import Broken, EventRow, RecordRow
from tablectl.journal.report import Report
from tablectl.journal.store import Meta
from tablectl.journal.verify import Progress, Visitor, verify


def replay(
    path: Path,
    key: str | None = None,
    anchor: str | None = None,
    progress: Progress | None = None,
    core: Core | None = None,
) -> Report:
    """Verify a journal and derive it again. Raises what `verify` raises."""
    again = _Again(core or table_core())
    report = verify(path, key, anchor, progress, again)
    report.rederived = again.rederived
    return report


class _Again(Visitor):
    """The fold beside the walk. The state is None while nobody can know it."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._codec = StateCodec(core.state_type)
        self._state: Any = None
        self._meta: Meta | None = None
        self._version: int | None = None
        self.rederived = 0

    @property
    def _ours(self) -> bool:
        """Whether this version wrote what comes next; a lone later segment does not say."""
        return self._version in (None, self._core.version)

    def segment(self, meta: Meta, first: bool) -> None:
        """The blank state comes before a journal's first record."""
        self._meta = meta
        if first and meta.first_sequence == 1:
            self._state = self._core.blank()

    def snapshot(self, record: int, text: str) -> None:
        """Our own snapshot must be our state; another version's is where a later one began."""
        if self._state is not None and self._ours:
            if self._codec.encode(self._state) != text:
                raise Broken(
                    self._state.sequence,
                    f"the snapshot at record {record} is not the derived state",
                )
            return
        try:
            self._state = self._codec.decode(text)
        except JournalDamaged:
            self._state = None

    def record(self, record: RecordRow, events: list[EventRow]) -> None:
        """Step, and compare byte for byte."""
        if record.kind in ("restart", "segment") and "core_version" in record.body:
            self._version = record.body["core_version"]
        if self._state is None:
            return
        derived = self._derive(record, events)
        stored = [row.text for row in events]
        if derived != stored:
            if self._ours:
                raise _difference(record, events, derived)
            self._state = None
        elif self._ours:
            self.rederived += 1

    def _derive(self, record: RecordRow, events: list[EventRow]) -> list[str]:
        assert self._meta is not None
        before = Head(events[0].sequence - 1, events[0].event["prevhash"])
        try:
            given = decode(record.text, record.sealed)
            outcome = self._core.step(self._state, given)
            salted = digest(record.salt, record.text)
            derived = publish(self._meta.identity, before, outcome.events, salted)
        except (JournalDamaged, Unrecordable) as error:
            if self._ours:
                raise Broken(record.sequence, f"record {record.number}: {error}") from None
            return []
        self._state = outcome.state
        return [event.body for event in derived]


def _difference(record: RecordRow, events: list[EventRow], derived: list[str]) -> Broken:
    """The first event that differs, and how."""
    for row, body in zip(events, derived, strict=False):
        if row.text != body:
            return Broken(
                row.sequence, f"record {record.number} now gives another {row.event['type']}"
            )
    if len(derived) < len(events):
        missing = events[len(derived)]
        what = f"record {record.number} no longer gives {missing.event['type']}"
        return Broken(missing.sequence, what)
    what = f"record {record.number} now gives {len(derived)} events, {len(events)} are stored"
    return Broken(events[-1].sequence + 1, what)
