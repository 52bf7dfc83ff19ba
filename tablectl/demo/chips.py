"""The players' progressive chips, as hands move them: onto the sensors, and into the inventory.

Only where the system tells wagers seat by seat; at another table they are keyed on the page.
"""

from collections.abc import Iterable
from typing import Any

from hwsim.physical import NotPossible, PhysicalTable

State = dict[str, Any]


class Chips:
    """What lies on the sensors of a table's progressive, and what was racked of each round."""

    def __init__(self, table: PhysicalTable) -> None:
        self._table = table
        self.racked: dict[int, set[int]] = {}  # by round: the seats

    @property
    def told(self) -> bool:
        """Whether the table hears of each chip."""
        try:
            return bool(getattr(self._table.progressive(), "tells_wagers", False))
        except NotPossible:
            return False

    @property
    def lying(self) -> set[int]:
        """The seats with a chip on their sensor."""
        return set(self._table.progressive().chips)

    def lay(self, seat: int) -> None:
        """A player puts a chip down; one is enough."""
        if seat not in self.lying:
            self._table.place_chip(seat)

    def take(self, seats: Iterable[int]) -> None:
        """Chips come off the sensors: given back, or collected."""
        for seat in self.lying.intersection(seats):
            self._table.place_chip(seat)

    def of(self, round_number: int) -> set[int]:
        """A round's chips: on the sensors, or in the inventory already."""
        return self.lying | self.racked.get(round_number, set())

    def rack(self, round_number: int) -> None:
        """They were counted in front of the inventory, and go into it."""
        self.racked = {round_number: self.of(round_number)}
        self.take(self.lying)


def accepted(state: State, wager: str) -> set[int]:
    """The seats whose chip the table has taken for a wager."""
    return {seat["seat"] for seat in state["seats"] if wager in seat["wagers"]}
