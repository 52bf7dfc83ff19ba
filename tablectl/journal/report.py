"""What `verify` and `replay` say, and the anchor that they may be given."""

import re
from dataclasses import dataclass
from typing import Final

from tablectl.journal.proof import Broken
from tablectl.journal.shapes import BrokenAt, UsedKey, Verified

_ANCHOR: Final = re.compile(r"([1-9][0-9]{0,15}):([0-9a-fA-F]{64})")


@dataclass(slots=True)
class Report:
    """What came of it."""

    ok: bool = True
    records: int = 0
    events: int = 0
    first: int | None = None
    last: int | None = None
    head: str | None = None
    broken: Broken | None = None
    key: str | None = None
    key_from: str | None = None
    signed: int | None = None  # the last sequence that a checkpoint signs
    files: int = 0
    rederived: int | None = None  # `replay` only: the records whose events were derived again

    def as_dict(self) -> Verified:
        """As `--json` prints it."""
        broken: BrokenAt | None = None
        if self.broken:
            broken = {"sequence": self.broken.sequence, "what": self.broken.what}
        key: UsedKey | None = None
        if self.key:
            key = {"public": self.key, "from": self.key_from or ""}
        found: Verified = {
            "ok": self.ok,
            "records": self.records,
            "events": self.events,
            "first": self.first,
            "last": self.last,
            "head": self.head,
            "broken": broken,
            "signed": self.signed,
            "key": key,
        }
        if self.rederived is not None:
            found["rederived"] = self.rederived
        return found


@dataclass(frozen=True, slots=True)
class Anchor:
    """A sequence and its hash, known from somewhere else."""

    sequence: int
    hash: str

    @staticmethod
    def parse(text: str) -> "Anchor":
        """Read SEQ:HASH; raises ValueError."""
        match = _ANCHOR.fullmatch(text.strip())
        if match is None:
            raise ValueError(
                f"{text!r} is no anchor: write SEQUENCE:HASH, the hash as 64 hex digits"
            )
        return Anchor(int(match[1]), match[2].lower())
