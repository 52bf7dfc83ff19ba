"""A table and its devices with time between them: orders under way, answers lost, kill -9.

The devices hold the truth: which chips lie accepted, what left the shoe, who was open then. The
record becomes durable in pieces; what permits leaves only then, and a kill loses the rest of it.
"""

import random
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from tablectl.table.acceptance import accepted
from tablectl.table.actions import allowed
from tablectl.table.inputs import DeviceEvent, Input
from tablectl.table.outputs import LIGHTS, Command
from tablectl.table.setup import DeviceSetup
from tablectl.table.table import Outcome
from tests.table.chip_sessions import ROYALS, ChipSession
from tests.table.pit import DEVICES, Pit, setup

TWO = (*DEVICES, DeviceSetup("bonus-2", "progressive"))
LOST = 0.08  # of the orders and the answers
SEATS = {"bonus": (1, 2, 3, 4), "bonus-2": (5, 6, 7)}


@dataclass
class Link:
    """A device's end: what is on its way to it, and from it."""

    id: str
    up: bool = False
    orders: deque[Command] = field(default_factory=deque)
    reports: deque[tuple[str, dict[str, Any], list[str]]] = field(default_factory=deque)
    owed: dict[str, Command] = field(default_factory=dict)  # restrictive, while it is away

    def tell(self, name: str, cards: list[str] | None = None, **args: Any) -> None:
        self.reports.append((name, args, cards or []))


@dataclass
class Bonus(Link):
    """Takes chips while it is open; a key at the device opens it by hand."""

    locked: bool = True
    by_key: bool = False
    chips: dict[int, int] = field(default_factory=dict)  # accepted, and not collected yet

    def obey(self, order: Command) -> None:
        if order.name in ("lock", "unlock"):
            self.locked, self.by_key = order.name == "lock", False
            answered: dict[str, Any] = {"n": order.n} if order.name == "lock" else {}
            self.tell(f"{order.name}ed", **answered)

    def condition(self) -> dict[str, Any]:
        return {"locked": self.locked, "accepts": True}

    def restrict(self) -> None:
        self.locked, self.by_key = True, False


@dataclass
class Shoe(Link):
    """Deals stacks while it has leave."""

    leave: int = 0
    dispensed: int = 0

    def obey(self, order: Command) -> None:
        if order.name == "hold":
            self.leave = 0
            self.tell("held")
        else:
            self.leave = order.args["stacks"]

    def condition(self) -> dict[str, Any]:
        return {"dispensed": self.dispensed}

    def restrict(self) -> None:
        self.leave = 0


class WorldPit(Pit):
    """A pit whose outcomes go out into the world, and whose last records a kill may lose."""

    world: "LockWorld"

    def feed(self, input_: Input) -> Outcome:
        outcome = super().feed(input_)
        self.world.took(input_, outcome)
        return outcome


class LockWorld(ChipSession):
    """A session whose wagering devices and shoe are real, as far as a test can have them."""

    def __init__(self, rng: random.Random) -> None:
        self.links: dict[str, Bonus | Shoe] = {n: Bonus(n) for n in ("bonus", "bonus-2")}
        self.shoe = Shoe("shoe")
        self.links["shoe"] = self.shoe
        self.waiting: deque[tuple[tuple[int, ...], Any, list[Command]]] = deque()
        self.safe: tuple[tuple[int, ...], Any] = ((0, 0, 0), None)  # lengths and state on the disk
        self.racked: dict[int, dict[int, int]] = {}  # by round: the chips in the inventory
        self.kills = self.stacks = 0
        self.rng = rng
        self.pit = WorldPit(seed=rng.randrange(2**32), setup=setup(devices=TWO))
        self.pit.world = self
        self.fresh: list[str] = []
        self.names = 0
        self.pit.start()

    @property
    def bonuses(self) -> list[Bonus]:
        return [link for link in self.links.values() if isinstance(link, Bonus)]

    # ── the recorder ──
    def took(self, input_: Input, outcome: Outcome) -> None:
        """Restrict at once; hold what permits until its record is durable."""
        if isinstance(input_, DeviceEvent) and input_.name in ("offline", "online"):
            self.withdraw(input_.device)
        for order in outcome.commands:
            if order.restrictive:
                self.withdraw(order.device, but=LIGHTS)
                self.send(order)
        if outcome.events:
            held = [order for order in outcome.commands if not order.restrictive]
            self.waiting.append((self.lengths(), self.pit.state, held))
        if self.rng.random() < 0.7:
            self.commit()

    def withdraw(self, device: str, but: frozenset[str] = frozenset()) -> None:
        for _, _, held in self.waiting:
            held[:] = [c for c in held if c.device != device or c.name in but]

    def lengths(self) -> tuple[int, ...]:
        return len(self.pit.inputs), len(self.pit.events), len(self.pit.made)

    def commit(self) -> None:
        """Some of what waits is on the disk now; what it permits leaves."""
        for _ in range(self.rng.randint(1, len(self.waiting)) if self.waiting else 0):
            lengths, state, held = self.waiting.popleft()
            self.safe = (lengths, state)
            for order in held:
                if order.name == "dispense":
                    self.nobody_can_wager("leave is given")
                self.send(order)

    def send(self, order: Command) -> None:
        link = self.links.get(order.device)
        if link is None:
            return
        if link.up:
            link.orders.append(order)
        elif order.restrictive:
            link.owed[order.name] = order

    # ── what must hold, whatever happens ──
    def nobody_can_wager(self, when: str) -> None:
        """Only a key at the device itself may have opened it, and the table has not heard yet."""
        for bonus in self.bonuses:
            heard = not any(name == "unlocked" for name, _, _ in bonus.reports)
            assert bonus.locked or (bonus.by_key and not heard), f"{bonus.id} is open as {when}"

    # ── what happens around the table ──
    def one(self) -> None:
        roll = self.rng.random()
        if roll < 0.40:
            self.move()
        elif roll < 0.44:
            self.player()
        elif roll < 0.455:
            self.trouble()
        elif roll < 0.49:
            self.pit.tick(self.rng.choice([1, 200, 600]))
        elif roll < 0.94:
            self.sensible()
        else:
            super().one()

    def move(self) -> None:
        """Something that is on its way arrives."""
        link = self.rng.choice(list(self.links.values()))
        if not link.up:
            if self.rng.random() < 0.5:
                self.come_back(link)
        elif link.orders and self.rng.random() < 0.5:
            self.arrives(link, link.orders.popleft())
        elif link.reports:
            name, args, cards = link.reports.popleft()
            self.pit.device(link.id, name, cards, **args)
        elif isinstance(link, Shoe) and link.leave:
            self.stack_leaves(link)

    def arrives(self, link: Bonus | Shoe, order: Command) -> None:
        """An order reaches its device, or it or its answer is lost. The table itself asks again
        for a lock; for any other the link sees to it, and ends where it cannot."""
        order_lost, answer_lost = self.rng.random() < LOST, self.rng.random() < LOST
        if not order_lost:
            told = len(link.reports)
            link.obey(order)
            if answer_lost and len(link.reports) > told:
                link.reports.pop()
        if (order_lost or answer_lost) and order.name in ("hold", "unlock", "dispense"):
            self.go_away(link)
            self.pit.device(link.id, "offline", what="it did not answer")

    def come_back(self, link: Bonus | Shoe) -> None:
        link.up = True
        self.pit.device(link.id, "online", **link.condition())
        link.orders.extend(link.owed.values())
        link.owed.clear()

    def go_away(self, link: Bonus | Shoe) -> None:
        """Power or cable: it restricts itself, and what was on its way is gone."""
        link.restrict()
        link.up = False
        for order in link.orders:
            if order.restrictive:
                link.owed[order.name] = order
        link.orders.clear()
        if isinstance(link, Bonus):
            link.reports.clear()

    def stack_leaves(self, shoe: Shoe) -> None:
        self.nobody_can_wager("a stack leaves") if not self.opened_by_key() else None
        shoe.leave -= 1
        shoe.dispensed += 1
        self.stacks += 1
        royal = next((r for r in ROYALS if set(r) <= set(self.fresh)), None)
        if royal is None or self.rng.random() < 0.5:
            cards = [self.fresh.pop() for _ in range(3)] if len(self.fresh) >= 3 else [None] * 3
        else:
            cards = list(royal)
            self.fresh = [card for card in self.fresh if card not in royal]
        shoe.tell("stack", cards)  # type: ignore[arg-type]

    def opened_by_key(self) -> bool:
        return any(bonus.by_key for bonus in self.bonuses)

    def player(self) -> None:
        """A chip is laid on a sensor, or taken back."""
        bonus = self.rng.choice(self.bonuses)
        seats, round_ = SEATS[bonus.id], self.pit.state.round
        antes = [s for s in seats if round_ is not None and round_.stake(s, "ante")]
        seat = self.rng.choice(antes if antes and self.rng.random() < 0.9 else seats)
        cents = self.rng.choice([100, 100, 500, 500, 500, 300])
        if seat in bonus.chips:
            if not bonus.locked and self.rng.random() < 0.3:
                del bonus.chips[seat]
                bonus.tell("withdrawn", seat=seat, wager="progressive")
        elif not bonus.locked:
            bonus.chips[seat] = cents
            bonus.tell("accepted", seat=seat, wager="progressive", cents=cents)
        elif self.rng.random() < 0.1:
            bonus.tell("late", seat=seat, wager="progressive")

    def trouble(self) -> None:
        link = self.rng.choice(list(self.links.values()))
        match self.rng.randrange(4):
            case 0:
                self.kill()
            case 1 if link.up:
                self.go_away(link)
                self.pit.device(link.id, "offline", what="power")
            case 2 if isinstance(link, Bonus):
                link.locked, link.by_key = not link.locked, link.locked
                link.tell("locked" if link.locked else "unlocked")
            case 3:
                self.pit.device("button", "pressed")

    def kill(self) -> None:
        """kill -9: what is not on the disk never was; every device has lost its host."""
        lengths, state = self.safe
        if state is None:
            return
        inputs, events, made = lengths
        del self.pit.inputs[inputs:], self.pit.events[events:], self.pit.made[made:]
        self.pit.table.state = state
        self.waiting.clear()
        self.kills += 1
        for link in self.links.values():
            self.go_away(link)
            link.owed.clear()
        self.pit.restart()
        while self.waiting:
            self.commit()

    # ── the dealer and the floor ──
    def sensible(self) -> None:
        state = self.pit.state
        silent = [d for d in state.devices if d.health != "online" and d.id not in self.links]
        if silent:
            self.tell(silent[0].id)
        elif any(d.health != "online" for d in state.devices):
            self.move()
        elif state.halt is not None:
            self.pit.act("resume_table")
        elif state.lock == "locking" or any(device.holding for device in state.devices):
            self.move()
        elif state.round is not None and state.round.doubt:
            self.pit.act("void_round", reason="one card is there twice")
        elif state.duties:
            self.do_duty()
        else:
            getattr(self, f"in_{state.phase}")()

    def in_preparing(self) -> None:
        before = {d.id for d in self.pit.state.decks if d.custody == "shoe"}
        super().in_preparing()
        if {d.id for d in self.pit.state.decks if d.custody == "shoe"} - before:
            self.shoe.dispensed = 0

    def in_betting(self) -> None:
        roll = self.rng.random()
        if any(link.orders or link.reports for link in self.links.values()) and roll < 0.5:
            self.move()
        elif roll < 0.6:
            self.player()
        elif roll < 0.93:
            seat = self.rng.randint(1, 7)
            self.pit.act("place_wager", "dealer", seat=seat, wager="ante", amount=500)
        else:
            self.pit.act("no_more_bets", "dealer")

    def in_locking(self) -> None:
        self.move()

    in_cancelling = in_locking

    def in_dealing(self) -> None:
        self.move()

    def in_locked(self) -> None:
        round_ = self.pit.state.round
        if round_ is None or not round_.plan:
            self.pit.act("clear_round", "dealer")
        elif "resolve_count" in allowed(self.pit.state):
            self.resolve()
        elif "count_progressive" in allowed(self.pit.state):
            self.count_chips(round_.number)
        elif self.rng.random() < 0.05:
            self.pit.act("cancel_lock", reason="pressed by mistake")
        else:
            self.move()

    def lying(self) -> dict[int, int]:
        """The chips of the round by seat: on the sensors, or in the inventory already."""
        chips = dict(self.racked.get(self.pit.state.round.number, {}))
        return chips | {s: cents for bonus in self.bonuses for s, cents in bonus.chips.items()}

    def count_chips(self, number: int) -> None:
        """What lies there, and its value; now and then the dealer miscounts."""
        lying = self.lying()
        wrong = self.rng.random() < 0.1
        chips, cents = len(lying) + wrong, sum(lying.values())
        self.pit.act("count_progressive", "dealer", chips=chips, cents=cents)
        if self.pit.state.round.count == "verified":
            self.racked[number] = lying
            self.collect()

    def collect(self) -> None:
        for bonus in self.bonuses:
            bonus.chips.clear()

    def resolve(self) -> None:
        """The floor looks which chip is no wager, and which wager has no chip."""
        lying = self.lying()
        known = {wager.seat: wager.cents for wager in accepted(self.pit.state.round)}
        extra = sorted(lying.keys() - known.keys())
        missing = sorted(s for s in known if lying.get(s) != known[s])
        told = self.pit.state.round.chips or 0
        if told > len(known):
            seat = extra[0] if extra else None
            dark: dict[str, Any] = {"seat": seat} if seat else {}
            self.pit.act("resolve_count", **dark)
            self.give_back(seat)
        elif missing:
            self.pit.act("resolve_count", seat=missing[0])
            self.give_back(missing[0])
        else:
            self.pit.act("void_round", reason="the chips cannot be told apart")

    def give_back(self, seat: int | None) -> None:
        racked = self.racked.get(self.pit.state.round.number, {})
        for chips in (*(bonus.chips for bonus in self.bonuses), racked):
            chips.pop(seat or 0, None)

    def in_voided(self) -> None:
        self.collect()
        super().in_voided()

    def in_clearing(self) -> None:
        self.collect()
        super().in_clearing()

    def anything(self, action: str) -> None:
        """Whatever people try; but nobody says another number of chips than there are, unseen."""
        if action not in ("count_progressive", "resolve_count"):
            super().anything(action)

    def mischief(self) -> None:
        """Other devices only: what the wagering devices and the shoe do, this world does."""
        self.pit.device(
            self.rng.choice(["shuffler", "button"]), self.rng.choice(["jam", "offline"])
        )
