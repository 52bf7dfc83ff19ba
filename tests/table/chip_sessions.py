"""Random sessions around the progressive: chips accepted, withdrawn and late, hits, lost words.

Rigged so that wins are common; the same `random.Random` gives the same session.
"""

from typing import Any

from tablectl.table.acceptance import accepted
from tablectl.table.actions import allowed
from tests.table.sessions import Session

ROYALS = [[rank + suit for rank in "AKQ"] for suit in "SHDC"]


class ChipSession(Session):
    """As a session, at a table whose progressive device tells of chips."""

    def in_betting(self) -> None:
        roll, seat = self.rng.random(), self.rng.randint(1, 4)
        if roll < 0.35:
            self.chip("accepted", seat, cents=self.rng.choice([100, 100, 500, 500, 300]))
        elif roll < 0.42:
            self.chip("withdrawn", seat)
        elif roll < 0.7:
            args: dict[str, Any] = {"seat": seat, "wager": "ante", "amount": 500}
            self.pit.act("place_wager", "dealer", **args)
        else:
            super().in_betting()

    def chip(self, name: str, seat: int, **more: Any) -> None:
        self.pit.device("bonus", name, seat=seat, wager="progressive", **more)

    def in_locking(self) -> None:
        roll = self.rng.random()
        if roll < 0.15:
            self.pit.tick(600)  # the acknowledgement is lost
        elif roll < 0.3:
            self.chip(self.rng.choice(["accepted", "late"]), self.rng.randint(1, 4))
        else:
            super().in_locking()

    def in_locked(self) -> None:
        round_ = self.pit.state.round
        if round_ is None or "count_progressive" not in allowed(self.pit.state):
            super().in_locked()
            return
        chips = len(accepted(round_))
        if "resolve_count" in allowed(self.pit.state) and self.rng.random() < 0.7:
            seat = self.rng.choice([w.seat for w in accepted(round_)])
            dark: dict[str, Any] = {} if (round_.chips or 0) > chips else {"seat": seat}
            self.pit.act("resolve_count", **dark)
        else:
            wrong = self.rng.choice([-1, 1]) if self.rng.random() < 0.3 else 0
            self.pit.act("count_progressive", "dealer", chips=max(0, chips + wrong))

    def in_dealing(self) -> None:
        royal = next((r for r in ROYALS if set(r) <= set(self.fresh)), None)
        if royal is None or self.rng.random() < 0.5:
            super().in_dealing()
            return
        self.fresh = [card for card in self.fresh if card not in royal]
        self.pit.device("shoe", "stack", royal)

    def in_settling(self) -> None:
        round_ = self.pit.state.round
        if round_ is not None and round_.due and self.rng.random() < 0.05:
            self.pit.act("dispute", seat=round_.turns[0], reason="the player asks")
        else:
            super().in_settling()

    def mischief(self) -> None:
        if self.rng.random() < 0.6:
            super().mischief()
            return
        name = self.rng.choice(["accepted", "withdrawn", "late"])
        cents = {"cents": 100} if name == "accepted" else {}
        self.chip(name, self.rng.randint(1, 4), **cents)
