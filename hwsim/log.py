"""What happened in the simulation, in order, with the seed that makes it happen again.

It holds face-down cards, as the room itself does: it is for tests and never printed as it is.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

LONGEST: Final = 100_000  # entries; a rack that runs for days forgets its first ones


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened. `at_ns` is the device's own time, wire entries the line's."""

    at_ns: int
    device: str
    what: str
    data: tuple[tuple[str, Any], ...] = ()

    def get(self, name: str) -> Any:
        """One value of `data`, None where it is not there."""
        return dict(self.data).get(name)


class Log:
    """A bounded list of entries. `forgotten` counts those that fell off its beginning."""

    def __init__(self, seed: int = 0, longest: int = LONGEST) -> None:
        self.seed = seed
        self.entries: deque[Entry] = deque(maxlen=longest)
        self.written = 0

    @property
    def forgotten(self) -> int:
        return self.written - len(self.entries)

    def add(self, at_ns: int, device: str, what: str, /, **data: Any) -> None:
        self.entries.append(Entry(at_ns, device, what, tuple(sorted(data.items()))))
        self.written += 1

    def of(self, what: str, device: str | None = None) -> list[Entry]:
        """Every entry of that name, of one device or of all."""
        return [e for e in self.entries if e.what == what and device in (None, e.device)]

    def faults(self, kind: str | None = None) -> list[Entry]:
        """Every fault that struck, of one kind or of all."""
        return [e for e in self.of("fault struck") if kind in (None, e.get("kind"))]

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)
