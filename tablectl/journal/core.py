"""The pure core as the journal sees it: a step function, a blank state, a version.

The journal drives whatever fits this shape, so that its own tests need no game.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tablectl.table.inputs import Input
from tablectl.table.outputs import Command, Event, Prompt, Refusal, Ruling


class StateLike(Protocol):
    """What the journal asks of a state."""

    @property
    def sequence(self) -> int:
        """The last event's sequence, 0 at first."""

    @property
    def cards_on_table(self) -> bool:
        """True while any card of a round is out."""


class OutcomeLike(Protocol):
    """What a step gives."""

    @property
    def state(self) -> Any: ...
    @property
    def events(self) -> Sequence[Event]: ...
    @property
    def commands(self) -> Sequence[Command]: ...
    @property
    def prompts(self) -> Sequence[Prompt]: ...
    @property
    def wake_ns(self) -> int | None: ...
    @property
    def refusal(self) -> Refusal | None: ...
    @property
    def ruling(self) -> Ruling | None: ...


@dataclass(frozen=True, slots=True)
class Core:
    """A core: `step` never raises and asks nobody for time or chance. `before` gives an input that
    is to be recorded ahead of another, if there is one."""

    step: Callable[[Any, Input], OutcomeLike]
    blank: Callable[[], Any]
    state_type: Any
    version: int
    before: Callable[[Any, Input], Input | None] = lambda _state, _given: None


def table_core() -> Core:
    """The core of tablectl.table."""
    from tablectl.table.state import State  # noqa: PLC0415  the games load only where needed
    from tablectl.table.table import CORE_VERSION, before, step  # noqa: PLC0415

    return Core(step, State, State, CORE_VERSION, before)
