"""Every kind of three-card table, and every moment of a round at it, each as a pit of its own.

A moment is reached by a dealer who follows the prompts, so that what is looked at is what happens.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from tablectl.games.rules import parse_rules
from tablectl.table import method
from tablectl.table.setup import DeviceSetup, Setup
from tablectl.table.state import State
from tablectl.table.table import Table
from tests.table.by_hand import BACCARAT, POKER, READER, SHUFFLER
from tests.table.good_dealer import GoodDealer
from tests.table.pit import Pit, setup

BONUS = DeviceSetup("bonus", "progressive")
BUTTON = DeviceSetup("button", "button")
AUTOMATED = (SHUFFLER, READER)
WASHINGTON = {**BACCARAT, "jurisdiction": "WA"}
MANUAL, HAND = {"dealing": "manual_shoe"}, {"dealing": "hand"}


def _setup(rules: dict[str, Any], *devices: DeviceSetup, **more: Any) -> Setup:
    return setup(parse_rules(rules), devices=devices, limits=(), **more)


TABLES: dict[str, Setup] = {
    "poker, automated shoe": _setup({**POKER, "six_card_bonus": "A"}, *AUTOMATED),
    "poker, automated shoe, progressives": _setup(
        {**POKER, "progressive": "A", "five_card_progressive": "B"}, *AUTOMATED, BONUS, BUTTON
    ),
    "poker, the dealer's stack inside": _setup(
        {**POKER, "dealer_cards": "left_in_shuffler", "five_card_progressive": "A"},
        *AUTOMATED, BONUS,
    ),
    "poker, manual shoe that reads": _setup(
        {**POKER, **MANUAL, "five_card_progressive": "A"}, READER, BONUS
    ),
    "poker, manual shoe": _setup({**POKER, **MANUAL}),
    "poker, from the hand": _setup({**POKER, **HAND}, SHUFFLER),
    "poker, seats": _setup(POKER, *AUTOMATED, tracking="seats"),
    "poker, manual shoe, seats": _setup({**POKER, **MANUAL}, SHUFFLER, tracking="seats"),
    "baccarat, automated shoe": _setup(BACCARAT, *AUTOMATED),
    "baccarat, manual shoe that reads": _setup({**BACCARAT, **MANUAL}, READER),
    "baccarat, manual shoe": _setup({**BACCARAT, **MANUAL, "commission": "free"}),
    "baccarat, from the hand, seats": _setup({**BACCARAT, **HAND}, SHUFFLER, tracking="seats"),
    "Washington, automated shoe": _setup(WASHINGTON, *AUTOMATED),
    "Washington, manual shoe": _setup({**WASHINGTON, **MANUAL}),
    "Washington, the floor decides": _setup({**WASHINGTON, "house_rulings": False}, *AUTOMATED),
}  # fmt: skip


@dataclass(frozen=True)
class Moment:
    """A table at a moment of its round; `pit` makes a fresh one to be played on."""

    table: str
    name: str
    state: State

    def pit(self) -> Pit:
        pit = Pit(table=Table(self.state), setup=TABLES[self.table])
        clock = self.state.clock
        pit.boot, pit.mono_ns, pit.utc_ns = 1, clock.mono_ns, clock.utc_ns
        return pit

    @property
    def poker(self) -> bool:
        return TABLES[self.table].rules.game == "three_card_poker"

    @property
    def text(self) -> str:
        return "TCP" if self.poker else "WA" if self.table.startswith("Washington") else "TCB"

    @property
    def automated(self) -> bool:
        return method.dealing(self.state) == "automated_shoe"

    @property
    def unseen(self) -> bool:
        return method.deals_unseen(self.state)

    @property
    def left_inside(self) -> bool:
        return "stack inside" in self.table

    @property
    def five_cards(self) -> bool:
        return "five_card_progressive" in TABLES[self.table].rules.wagers


class _Player(GoodDealer):
    """Fills seats 1 and 3 as the bets are opened."""

    def follow(self, prompt: Any) -> None:
        if prompt.awaits == "no_more_bets" and not self.pit.state.round.wagers:
            place_wagers(self.pit)
        super().follow(prompt)


def place_wagers(pit: Pit) -> None:
    """Seat 1 with an ante, seat 3 with whatever the table offers."""
    known = {} if pit.state.setup.tracking == "seats" else {"amount": 1000}
    pit.do("place_wager", "dealer", seat=1, wager="ante", **known)
    for wager in pit.state.setup.rules.wagers:
        if wager != "play":
            money = {"amount": 100} if wager.endswith("progressive") else known
            pit.do("place_wager", "dealer", seat=3, wager=wager, **money)


def _in(phase: str, **more: Any) -> Callable[[Pit], bool]:
    def there(pit: Pit) -> bool:
        round_ = pit.state.round
        if pit.state.phase != phase or pit.state.lock == "locking" != phase:
            return False
        return all(getattr(round_, name) == value for name, value in more.items())

    return there


def _all_out(pit: Pit) -> bool:
    """Every hand is out. Where nobody sees the cards, the first thing done after the deal tells."""
    if pit.state.phase == "locked" and method.deals_unseen(pit.state):
        pit.do("report_drawn_in_error", "dealer")
    return pit.state.phase in ("deciding", "examining")


def _decided(seats: int) -> Callable[[Pit], bool]:
    return lambda pit: pit.state.phase == "deciding" and len(pit.state.round.decisions) == seats


def _dealer_out(pit: Pit) -> bool:
    return _decided(2)(pit) and bool(pit.state.round.hand("dealer"))


def _moments(table: str) -> Iterator[Moment]:
    pit = Pit(setup=TABLES[table])
    dealer = _Player(pit)
    pit.start()

    def reached(name: str, there: Callable[[Pit], bool]) -> Moment:
        dealer.until(there)
        return Moment(table, name, pit.state)

    yield reached("closed", lambda pit: not pit.state.untold)
    yield reached("no deck", _in("preparing"))
    yield reached("ready", lambda pit: any(d.preparation in ("shuffled", "cut")
                                           for d in pit.state.decks))  # fmt: skip
    yield reached("loaded", lambda pit: any(d.custody in ("shoe", "hand") for d in pit.state.decks))
    dealer.until(_in("betting"))
    yield Moment(table, "no wager", pit.state)
    dealer.devices()  # the wagering device says that it is open
    place_wagers(pit)
    yield Moment(table, "betting", pit.state)
    if pit.state.devices_of("progressive"):
        yield reached("locking", _in("locking"))
    yield reached("locked", _in("locked"))
    if not method.deals_unseen(pit.state):
        cancelled = Moment(table, "locked", pit.state).pit()
        cancelled.do("cancel_lock", reason="pressed by mistake")
        yield Moment(table, "cancelling", cancelled.state)
        yield reached("dealing", _in("dealing"))
    yield reached("all out", _all_out)
    if TABLES[table].rules.game == "three_card_poker":
        yield reached("one decided", _decided(1))
        yield reached("all decided", _decided(2))
        if "stack inside" in table:
            yield reached("stack out", _dealer_out)
    yield reached("settling", lambda pit: pit.state.phase == "settling" and pit.state.round.due)
    yield reached("one paid", lambda pit: pit.state.phase == "settling" and pit.state.round.paid
                  and pit.state.round.due and len(pit.state.round.turns) == 1)  # fmt: skip
    yield reached("clearing", _in("clearing"))
    yield reached("after", _in("preparing"))


@cache
def moments(table: str) -> dict[str, Moment]:
    """Every moment of a round at a table, by name; the last ones those of a void round."""
    found = {moment.name: moment for moment in _moments(table)}
    void = found["all out"].pit()
    void.do("void_round", reason="two players quarrel")
    found["voided"] = Moment(table, "voided", void.state)
    return found
