"""Nobody acts at a table that only listens: the demonstration looks on while its shoe is dealt."""

import asyncio

from tablectl.demo.client import Api, Events
from tablectl.demo.mishaps import Mishaps

_LOOK_S = 0.1
_SETTLED, _OTHER = "tablectl.round.settled", "tablectl.round.voided"


class Watcher:
    """Counts the rounds that the table follows by itself."""

    def __init__(self, api: Api, events: Events, mishaps: Mishaps | None = None) -> None:
        self.api = api
        self.events = events
        self.mishaps = mishaps or Mishaps()
        self.said = "the shoe deals; the table listens"

    @property
    def settled(self) -> int:
        """Rounds with a result."""
        return self.events.counts.get(_SETTLED, 0)

    @property
    def voided(self) -> int:
        """Rounds that ended without one."""
        return self.events.counts.get(_OTHER, 0)

    @property
    def rounds(self) -> int:
        """Rounds that have ended."""
        return self.settled + self.voided

    async def play(self, rounds: int | None) -> None:
        """Look on until so many rounds have ended, or until cancelled."""
        while rounds is None or self.rounds < rounds:
            await self.mishaps.befall(self.mishaps.struck(self.rounds))
            await asyncio.sleep(_LOOK_S)
