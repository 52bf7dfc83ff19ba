"""How much a device may say: a burst at any time, and so much a second in the long run.

Far above what a device at a card table has to say, and far below what would keep the table busy.
"""

from typing import Final

NS: Final = 1_000_000_000
# Burst, a second: each one is a step of the table and a record. A reading shoe tells some 600 in
# eight decks, and a port server may hand over at once what it kept.
READINGS: Final = (3000, 100)
BYTES: Final = (262_144, 65_536)  # 115200 baud carry 11,520 a second; noise counts like the rest


class Allowance:
    """Spent by `spend`, earned by time. It may be overdrawn: what was said is not unsaid."""

    def __init__(self, burst: int, per_s: int, now_ns: int) -> None:
        self._burst = burst
        self._per_s = per_s
        self._left = float(burst)
        self._at_ns = now_ns

    def spend(self, amount: int, now_ns: int) -> bool:
        """Whether that was within the bounds."""
        earned = (now_ns - self._at_ns) * self._per_s / NS
        self._left = min(self._burst, self._left + earned) - amount
        self._at_ns = now_ns
        return self._left >= 0
