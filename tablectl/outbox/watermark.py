"""How far the broker has the events: a watermark over the journal, not a second copy of it.

`Window` is pure: which sequence goes out next, and how far the acknowledgements reach without a
hole. `Memory` keeps that figure in DATA/outbox.json; losing the file only means repeats.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tablectl.journal.canonical import canonical_bytes
from tablectl.journal.chain import ZERO_HASH
from tablectl.journal.files import write_whole

WINDOW: Final = 64  # events in flight: enough to hide the network, little to send again
FILE: Final = "outbox.json"
_FILE_MAXIMUM: Final = 1 << 20


class Window:
    """Sequences in flight, in order; acknowledged as far as there is no hole.

    After a lost connection everything behind the first hole goes out again: a broker that comes
    back empty would otherwise give 4, 6, 5 to somebody who drops repeats.
    """

    def __init__(self, acknowledged: int, size: int = WINDOW) -> None:
        self._size = size
        self._acknowledged = acknowledged
        self._following = acknowledged + 1
        self._flying: dict[int, int] = {}  # the message's number on this connection -> sequence
        self._ahead: set[int] = set()  # acknowledged beyond a hole

    @property
    def acknowledged(self) -> int:
        """Everything up to here is the broker's."""
        return self._acknowledged

    @property
    def following(self) -> int:
        """The sequence to send next."""
        return self._following

    @property
    def room(self) -> int:
        """How many more may be sent now."""
        return self._size - (self._following - 1 - self._acknowledged)

    def sent(self, token: int) -> None:
        """`following` went out as message `token`."""
        assert self.room > 0, "the window is full"
        self._flying[token] = self._following
        self._following += 1

    def __contains__(self, token: int) -> bool:
        """Whether message `token` is one of these, and on its way."""
        return token in self._flying

    def acked(self, token: int) -> bool:
        """Message `token` was acknowledged; True where the watermark moved."""
        sequence = self._flying.pop(token, None)
        if sequence is None:
            return False
        self._ahead.add(sequence)
        before = self._acknowledged
        while self._acknowledged + 1 in self._ahead:
            self._acknowledged += 1
            self._ahead.remove(self._acknowledged)
        return self._acknowledged > before

    def lost(self) -> None:
        """The connection is gone: begin again at the first that was not acknowledged."""
        self._flying.clear()
        self._ahead.clear()
        self._following = self._acknowledged + 1

    def skip(self, acknowledged: int) -> None:
        """What lies before is no longer on this box: go on after it."""
        assert acknowledged >= self._acknowledged, "a watermark never falls"
        self._acknowledged = acknowledged
        self.lost()


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in the chain."""

    sequence: int = 0
    hash: str = ZERO_HASH


@dataclass(frozen=True, slots=True)
class Remembered:
    """What outlives the process: two places in the chain, and command ids not to heed again."""

    acknowledged: Mark = field(default_factory=Mark)  # by the broker
    confirmed: Mark = field(default_factory=Mark)  # by the archive
    seen: Mapping[str, int] = field(default_factory=dict)  # "key/id" -> UTC second of its expiry


class Memory:
    """DATA/outbox.json. It belongs to one epoch: another journal begins with nothing."""

    def __init__(self, data: Path, epoch: int) -> None:
        self._path = data / FILE
        self._epoch = epoch

    def load(self) -> tuple[Remembered, str | None]:
        """What is remembered; nothing, and a sentence, where the file cannot be used."""
        try:
            with self._path.open("rb") as file:
                content = file.read(_FILE_MAXIMUM + 1)
            body = json.loads(content)
            if body["epoch"] != self._epoch:
                return Remembered(), None
            seen = {str(name): int(expires) for name, expires in body["seen"].items()}
            return Remembered(_mark(body["acknowledged"]), _mark(body["confirmed"]), seen), None
        except FileNotFoundError:
            return Remembered(), None
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            what = f"{self._path} cannot be used: every event of the journal is sent again"
            return Remembered(), what

    def save(self, remembered: Remembered) -> None:
        """Write it whole or not at all; raises OSError."""
        body = {
            "epoch": self._epoch,
            "acknowledged": _body(remembered.acknowledged),
            "confirmed": _body(remembered.confirmed),
            "seen": dict(remembered.seen),
        }
        write_whole(self._path, canonical_bytes(body), mode=0o600)


def _mark(body: Mapping[str, Any]) -> Mark:
    mark = Mark(int(body["sequence"]), str(body["hash"]))
    if mark.sequence < 0 or len(bytes.fromhex(mark.hash)) != 32:
        raise ValueError("no place in a chain")
    return mark


def _body(mark: Mark) -> dict[str, Any]:
    return {"sequence": mark.sequence, "hash": mark.hash}
