"""The wagers that feed the meters, followed round by round beside them, from their events alone.

Proves that what a meter was given is its rate of the wagers that stood at the lock: none came
later, none was left out, none was counted twice. It knows no game: a meter's events name its wager.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_ENDED = ("wager.settled", "wager.forfeited")
_CANCELLED = "no chip"  # an acceptance that the floor took back (TCP 8.C(2)(b))


class Wrong(Exception):
    """The events do not add up; the sentence says how."""


@dataclass(slots=True)
class Stakes:
    """The wagers of the round under way that a device accepted, and which meters have had them."""

    standing: dict[tuple[int, str], int] = field(default_factory=dict)
    fed: dict[str, set[str]] = field(default_factory=dict)  # wager -> the meters that had it
    locked: int | None = None  # the record in which "no more bets" was said

    def from_state(self, state: Mapping[str, Any]) -> None:
        """As the state that a segment begins with has the round under way."""
        round_ = state.get("round") or {}
        self.locked = 0 if round_.get("was_locked") else None
        self.standing = {
            (wager["seat"], wager["wager"]): wager["cents"]
            for wager in round_.get("wagers", ())
            if wager["device"] or (self.locked is not None and wager["status"] == "locked")
        }

    def take(self, record: int, kind: str, data: Mapping[str, Any]) -> None:
        """An event of a round or of a wager. Raises Wrong."""
        match kind:
            case "round.opened":
                self.standing, self.fed, self.locked = {}, {}, None
            case "round.bets_locked" if self.locked is None:
                self.locked = record
            case "wager.accepted":
                self._accepted(record, data)
            case "wager.returned":
                self.standing.pop((data["seat"], data["wager"]), None)
            case "wager.refused" if data["reason"] == _CANCELLED:
                self.standing.pop((data["seat"], data["wager"]), None)

    def contributed(self, data: Mapping[str, Any]) -> None:
        """A meter was given its share. Raises Wrong."""
        wager, meter = data["wager"], data["meter"]
        if self.locked is None:
            raise Wrong(f"meter {meter} was fed before the lock")
        stood = sum(cents for (_, name), cents in self.standing.items() if name == wager)
        if stood != data["wagered"]:
            raise Wrong(f"meter {meter} was fed by {data['wagered']} cents; {stood} were locked")
        had = self.fed.setdefault(wager, set())
        if meter in had:
            raise Wrong(f"meter {meter} was fed twice in round {data['round']}")
        had.add(meter)

    def ended(self, kind: str, data: Mapping[str, Any], meters: set[str]) -> None:
        """A wager was settled: the meters that it feeds have had it by then (TCP 12.E(4)). Raises
        Wrong."""
        seat, wager = data["seat"], data["wager"]
        missing = sorted(meters - self.fed.get(wager, set()))
        if kind in _ENDED and self.standing.get((seat, wager)) and missing:
            raise Wrong(f"seat {seat}'s {wager} was settled before it fed {missing[0]}")

    def _accepted(self, record: int, data: Mapping[str, Any]) -> None:
        if self.locked not in (None, record):
            raise Wrong(f"seat {data['seat']}'s {data['wager']} was accepted after the lock")
        self.standing[data["seat"], data["wager"]] = data["cents"] or 0
