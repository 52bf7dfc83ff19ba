"""When somebody who comes and goes counts as away, and when as back. No clock and no alarm here.

A short absence is no news: it is told after a while. A short return is none either, so that a
connection that breaks as soon as it is made is not told as two hundred returns, nor never.
"""

from collections.abc import Callable
from typing import Final, Protocol

STEADY_S: Final = 5.0  # a return that lasts so long is one


class Timer(Protocol):
    """What `later` gives."""

    def cancel(self) -> None:
        """Forget it."""


Later = Callable[[float, Callable[[], None]], Timer]  # as an event loop's call_later


class Absence:
    """`lost` and `found` in, `away` and `back` out, each with the latest sentence."""

    def __init__(
        self,
        later: Later,
        away_s: float,
        away: Callable[[str], None],
        back: Callable[[str], None],
        steady_s: float = STEADY_S,
    ) -> None:
        self._later = later
        self._away_s = away_s
        self._away = away
        self._back = back
        self._steady_s = steady_s
        self._what = ""
        self._here = False
        self._long = False  # it has been away long enough, short returns not counted
        self._leaving: Timer | None = None
        self._returning: Timer | None = None

    def lost(self, what: str) -> None:
        """It is gone; perhaps only for another reason than before."""
        self._what, self._here = what, False
        self._returning = _cancelled(self._returning)
        if self._long:
            self._away(what)
        elif self._leaving is None:
            self._leaving = self._later(self._away_s, self._gone_long)

    def found(self, what: str) -> None:
        """It is there again."""
        self._what, self._here = what, True
        if self._returning is None:
            self._returning = self._later(self._steady_s, self._stayed)

    def close(self) -> None:
        """Tell nothing any more."""
        self._leaving = _cancelled(self._leaving)
        self._returning = _cancelled(self._returning)

    def _gone_long(self) -> None:
        self._leaving, self._long = None, True
        if not self._here:
            self._away(self._what)

    def _stayed(self) -> None:
        self._returning, self._long = None, False
        self._leaving = _cancelled(self._leaving)
        self._back(self._what)


def _cancelled(timer: Timer | None) -> Timer | None:
    """What is left of a timer: nothing."""
    if timer is not None:
        timer.cancel()
    return None
