"""When the broker counts as away and as back: virtual time, no loop."""

import heapq
import itertools
from collections.abc import Callable

from tablectl.daemon.absence import Absence


class Clock:
    """Timers of a loop that the test moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers: list[tuple[float, int, Callable[[], None]]] = []
        self.cancelled: set[int] = set()
        self.told: list[tuple[float, str, str]] = []
        self._numbers = itertools.count()

    def later(self, seconds: float, call: Callable[[], None]) -> "Handle":
        handle = Handle(self, next(self._numbers))
        heapq.heappush(self.timers, (self.now + seconds, handle.number, call))
        return handle

    def run(self, seconds: float) -> None:
        end = self.now + seconds
        while self.timers and self.timers[0][0] <= end:
            self.now, number, call = heapq.heappop(self.timers)
            if number not in self.cancelled:
                call()
        self.now = end


class Handle:
    def __init__(self, clock: Clock, number: int) -> None:
        self.clock, self.number = clock, number

    def cancel(self) -> None:
        self.clock.cancelled.add(self.number)


def watched() -> tuple[Clock, Absence]:
    clock = Clock()
    absence = Absence(
        clock.later,
        30,
        away=lambda what: clock.told.append((clock.now, "away", what)),
        back=lambda what: clock.told.append((clock.now, "back", what)),
        steady_s=5,
    )
    return clock, absence


def test_a_short_absence_is_no_news() -> None:
    clock, absence = watched()
    for _ in range(24):  # a broker that is restarted every hour
        absence.lost("gone")
        clock.run(20)
        absence.found("connected")
        clock.run(3580)
    assert {word for _, word, _ in clock.told} == {"back"}


def test_a_long_one_is_told_once_with_the_latest_reason() -> None:
    clock, absence = watched()
    absence.lost("it hung up")
    clock.run(10)
    absence.lost("it cannot be reached")
    clock.run(3600)
    absence.found("connected")
    clock.run(4)
    assert clock.told == [(30, "away", "it cannot be reached")]
    clock.run(1)
    assert clock.told[1:] == [(3615, "back", "connected")]
    absence.lost("gone again")
    clock.run(29)
    assert len(clock.told) == 2


def test_one_that_is_let_in_and_thrown_out_is_away() -> None:
    """Two tables of one name throw each other out for ever."""
    clock, absence = watched()
    for _ in range(20):
        absence.lost("thrown out")
        clock.run(2)
        absence.found("connected")
        clock.run(1)
    absence.lost("thrown out")
    assert [word for _, word, _ in clock.told] == ["away"] * len(clock.told)
    assert 30 <= clock.told[0][0] <= 33


def test_nothing_is_told_after_the_end() -> None:
    clock, absence = watched()
    absence.lost("gone")
    absence.close()
    clock.run(100)
    assert clock.told == []
