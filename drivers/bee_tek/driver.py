"""The Bee-Tek driver: a shoe that tells its cards, and neither places nor numbers.

It sends no byte, opens nothing, sleeps never and repairs nothing: the supervisor does.
"""

from collections.abc import Mapping
from typing import ClassVar

from drivers.bee_tek.codec import BURN, Alarm, Damaged, Drawn, Framer, Item
from tablectl.hal.kinds import Card, Counters, DevicePlan, Heard, Line, RandomBytes, Reading
from tablectl.hal.listening import ListeningSession
from tablectl.hal.options import Option, whole


class BeeTek:
    """Drives a Bee-Tek shoe, on a serial line or behind a port server."""

    kinds: ClassVar[frozenset[str]] = frozenset({"shoe"})
    speaks: ClassVar[str] = "never"
    anonymous: ClassVar[bool] = True
    tells_rounds: ClassVar[bool] = False
    options: ClassVar[Mapping[str, Option]] = {
        "baud": whole("the speed of its serial line", 300, 115_200, 9600),
    }

    def __init__(self, plan: DevicePlan, counters: Counters, _random_bytes: RandomBytes) -> None:
        self.line = Line(baud=plan.options["baud"])
        self._plan = plan
        self._counters = counters

    def session(self) -> "BeeTekSession":
        """A new time of listening to the same shoe."""
        return BeeTekSession(self._plan, self._counters)


class BeeTekSession(ListeningSession[Item]):
    """One link's listening. Nothing outlives it: nothing is numbered."""

    def __init__(self, plan: DevicePlan, counters: Counters) -> None:
        super().__init__(plan, counters, Framer())
        self._alarmed = False
        self._gap_told = False  # once: a babbling line must not fill the journal

    def first_words(self) -> list[Heard]:
        """What was dealt while nobody listened is not known, and no number would tell."""
        return self._gap("it numbers nothing: what it told while nobody listened is not known")

    def meaning(self, item: Item, now_ns: int) -> list[Heard]:  # noqa: ARG002
        """A line, in the words of a shoe."""
        match item:
            case Drawn(mode, card):
                args = {"mode": "burn"} if mode == BURN else {}
                self._gap_told = False
                read = None if card is None else Card(card)
                return [*self._alarm_over(), Reading("card", args, (read,))]
            case Alarm(text):
                self._alarmed = True
                return [Reading("fault", {"what": f"it raises the alarm {text!r}"})]
            case Damaged():
                return self._gap("a line came damaged, and may have been a card")
        return []  # a warning, whose meaning is not public

    def _gap(self, what: str) -> list[Heard]:
        told, self._gap_told = self._gap_told, True
        return [] if told else [Reading("gap", {"what": what})]

    def _alarm_over(self) -> list[Heard]:
        """It never says that an alarm is over; that it deals again does."""
        stood, self._alarmed = self._alarmed, False
        return [Reading("cleared")] if stood else []
