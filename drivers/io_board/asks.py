"""What is asked of a board and what it answers, whichever protocol it speaks. No I/O, no time."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

Sort = Literal["version", "serial", "notify", "inputs", "outputs", "write"]


@dataclass(frozen=True, slots=True)
class Ask:
    """One request: `pins` is what it is about, `levels` what a write sets them to."""

    sort: Sort
    pins: range = range(0)
    levels: tuple[bool, ...] = ()

    @property
    def what(self) -> str:
        """For people."""
        pins = " to ".join(str(pin) for pin in sorted({*self.pins[:1], *self.pins[-1:]}))
        return {
            "inputs": f"read inputs {pins}",
            "outputs": f"read outputs {pins}",
            "write": f"set output {pins}",
        }.get(self.sort, f"tell its {self.sort}")


@dataclass(frozen=True, slots=True)
class Answer:
    """The request was done. `levels` of a read, in the order of its pins; `text` of a question."""

    levels: tuple[bool, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The board understood and does not do it."""

    why: str


@dataclass(frozen=True, slots=True)
class Changed:
    """An input changed, the board says by itself: worth a look at once."""


Said = Answer | Refusal | Changed


class Wire(Protocol):
    """A protocol: one request under way at a time. It never raises on what comes."""

    good: int
    bad: int
    groups: bool  # one request writes several outputs
    reads_outputs: bool

    def greeting(self) -> tuple[Ask, ...]:
        """What is asked first, to know who answers."""

    def request(self, ask: Ask) -> bytes:
        """The bytes that ask; from now on its answer is expected, and nothing older."""

    def feed(self, data: bytes) -> Iterator[Said]:
        """Take in bytes, cut anywhere; give what they complete."""
