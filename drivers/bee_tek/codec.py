"""Bee-Tek lines: bytes <-> what the shoe tells. No I/O, no time; damage is counted, never raised.

The protocol has no check of any kind, so a line is taken only if every character of it is right.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

LONGEST: Final = 80  # of a line; the longest known, an alarm, has some 40 characters
END: Final = b"\r\n"
GAME, BURN = "Game", "Manual Burn Cards"

# Spaces may stand around brackets; nothing else may be added, and nothing left out.
_LINE: Final = re.compile(
    rb" *(?:\[ *(?P<mode>Game|Manual Burn Cards|GameAlarm) *\])? *< *(?P<body>[^<>]*?) *> *"
)
_CARD: Final = re.compile(rb"Card:(?P<rank>10|[A2-9TJQK])(?P<suit>[CDHS])")
_ALARM: Final = re.compile(rb"Alarm:(?P<text>[ -~]{1,60})")
_WARNING: Final = re.compile(rb"W0x[0-9A-Fa-f]{1,4}")


@dataclass(frozen=True, slots=True)
class Drawn:
    """A card left the shoe; None: it could not be read. It is face down, and so never shown."""

    mode: str
    card: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Alarm:
    """Something is wrong with the shoe."""

    text: str


@dataclass(frozen=True, slots=True)
class Warned:
    """`<W0x01>`: what its numbers mean is not public."""


@dataclass(frozen=True, slots=True)
class Damaged:
    """A line that is none of the shoe's: it may have been a card."""


Item = Drawn | Alarm | Warned | Damaged


def decode(line: bytes) -> Item:
    """What a line says, its CR LF left out."""
    found = _LINE.fullmatch(line) if len(line) <= LONGEST else None
    if found is None:
        return Damaged()
    mode, body = (found["mode"] or b"").decode(), found["body"]
    if mode in (GAME, BURN) and (card := _CARD.fullmatch(body)):
        rank = card["rank"].decode().replace("10", "T")
        return Drawn(mode, rank + card["suit"].decode())
    if mode == GAME and body == b"Game":
        return Drawn(mode, None)
    if mode == "GameAlarm" and (alarm := _ALARM.fullmatch(body)):
        return Alarm(alarm["text"].decode())
    if not mode and _WARNING.fullmatch(body):
        return Warned()
    return Damaged()


class Framer:
    """Cuts a stream of bytes into lines.

     a card in play       [Game]<Card:4S>
     burned               [Manual Burn Cards]<Card:4S>
     a failed read        [Game]<Game>
     an alarm             [GameAlarm]<Alarm:E3 Card Not Read>
     a warning            <W0x01>

    Recovery: CR LF ends a line, so the next one begins behind it, whatever came before. What grows
    beyond the longest line is dropped up to there. Empty lines are nothing. The buffer is bounded.
    """

    def __init__(self) -> None:
        self.good = 0
        self.bad = 0
        self._line = bytearray()

    def feed(self, data: bytes) -> Iterator[Item]:
        """Take in bytes, cut anywhere; give what the lines that they complete say."""
        for byte in data:
            if byte != END[-1]:
                # One byte more than fits is kept: it makes the line too long for `decode`.
                if len(self._line) <= LONGEST + 1:
                    self._line.append(byte)
                continue
            line = bytes(self._line)
            self._line.clear()
            if line != END[:1]:
                yield self._counted(decode(line[:-1]) if line.endswith(END[:1]) else Damaged())

    def _counted(self, item: Item) -> Item:
        self.bad += isinstance(item, Damaged)
        self.good += not isinstance(item, Damaged)
        return item
