"""What a device told, as a line for people and as JSON. Cards are sealed unless they were opened.

Only words that are known to tell nothing of a card are shown; whatever is new is sealed too.
"""

from collections.abc import Mapping
from typing import Any, Final

from tablectl.hal.kinds import Counters, Identity, Reading
from tablectl.paper import printable
from tablectl.technician.shapes import Told

SEALED: Final = "sealed"
UNREADABLE: Final = "unreadable"
# Arguments that follow from no face-down card. A result does, until the cards are turned.
_PLAIN: Final = frozenset({
    "accepts", "age_ms", "button", "cents", "compartment", "count", "dispensed", "distinct",
    "executed", "locked", "mode", "place", "refused", "seat", "wager", "what",
})  # fmt: skip
_NEVER: Final = frozenset({"token"})  # a badge's: it would let whoever reads it in
# Frames that came and were no reading, by counter.
_FRAMES: Final = {
    "frames_bad": "damaged",
    "frames_repeated": "repeated",
    "frames_lost": "lost",
    "frames_unknown": "unknown",
}


class Speech:
    """Puts what was heard into words; `shown` counts the values that left."""

    def __init__(self, opened: bool) -> None:
        self._opened = opened
        self.shown = 0

    def reading(self, reading: Reading) -> Told:
        """A reading: its name, its arguments, its cards."""
        told: Told = {"event": reading.name}
        args = {name: self._argument(name, value) for name, value in reading.args.items()}
        if args:
            told["args"] = args
        if reading.cards:
            told["cards"] = [self._card(card) for card in reading.cards]
        return told

    def _argument(self, name: str, value: Any) -> Any:
        if name in _PLAIN:
            return value
        if name in _NEVER or not self._opened:
            return SEALED
        self.shown += 1
        return value

    def _card(self, card: str | None) -> str:
        if card is None:
            return UNREADABLE
        if not self._opened:
            return SEALED
        self.shown += 1
        return str(card)


def who(identity: Identity) -> Told:
    """Who answers."""
    args = {"serial": identity.serial, "model": identity.model, **identity.versions}
    return {"event": "identity", "args": {name: value for name, value in args.items() if value}}


def frames(before: Mapping[str, int], now: Counters) -> Told | None:
    """What came beside readings since `before`; None where nothing did."""
    figures = now.figures()
    grown = {word: figures[name] - before[name] for name, word in _FRAMES.items()}
    args = {word: count for word, count in grown.items() if count > 0}
    return {"event": "frames", "args": args} if args else None


def line(told: Told) -> str:
    """For people: the name in its column, then the rest."""
    words = [f"{name}={_word(value)}" for name, value in told.get("args", {}).items()]
    if cards := told.get("cards"):
        words.append(" ".join(cards))
    return printable(f"{told['event']:<16} {'  '.join(words)}".rstrip())


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ",".join(f"{name}:{_word(each)}" for name, each in value.items())
    return "unknown" if value is None else str(value)
