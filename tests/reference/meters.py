"""The progressive meters of a round in the reference settlements, for tests only."""

from typing import Any


class Meters:
    """What the progressive meters show, in cents, while the round is settled.

    A meter given as a bare number resets to the least that the rules allow for it.
    """

    def __init__(self, given: dict[str, Any], least_resets: dict[str, int]) -> None:
        self.cents: dict[str, int] = {}
        self.resets: dict[str, int] = {}
        for name, meter in given.items():
            if isinstance(meter, int):
                self.cents[name] = meter
                self.resets[name] = least_resets[name]
            else:
                self.cents[name] = meter["cents"]
                self.resets[name] = meter["reset"]

    def take(self, name: str, percent: int) -> int:
        """Pay a share of a meter at what it shows now. TCP 12.E(4).

        The whole meter won sets it back; a share is only taken off.
        """
        if percent == 100:
            award = self.cents[name]
            self.cents[name] = self.resets[name]
            return award
        award = (self.cents[name] * percent + 50) // 100  # half a cent goes up
        self.cents[name] -= award
        return award
