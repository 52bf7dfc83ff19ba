"""Random sessions at a Midi table: mostly sensible, sometimes illegal, with trouble all round.

A session is driven by one `random.Random`; the same one gives the same session.
"""

import random
from typing import Any

from tablectl.cards import DECK
from tablectl.table.actions import allowed
from tablectl.table.inputs import Action, Second
from tablectl.table.midi import turning
from tablectl.table.procedures import procedure
from tablectl.table.prompts import prompts
from tests.table.midi.pit import Attended

WAGERS = ("player", "banker", "tie", "dragon_bonus_player", "lucky_nines", "royal_9", "ante")


class Session:
    """Plays a table, one input at a time."""

    def __init__(self, rng: random.Random, **setup: Any) -> None:
        self.rng = rng
        self.pit = Attended(seed=rng.randrange(2**32), **setup)
        self.pit.start()
        self.shoe: list[str] = []
        self.decks = 0

    def run(self, steps: int) -> "Session":
        for _ in range(steps):
            self.one()
        return self

    def one(self) -> None:
        """One input: sensible in four of five cases."""
        roll = self.rng.random()
        if roll < 0.82:
            self.sensible()
        elif roll < 0.89:
            self.anything(self.rng.choice(allowed(self.pit.state)))
        elif roll < 0.93:
            self.anything(self.rng.choice([*procedure(self.pit.state).actions, "dance"]))
        elif roll < 0.985:
            self.mischief()
        elif roll < 0.993:
            self.pit.tick(self.rng.choice([1, 600, 2000]))
        else:
            self.pit.restart()

    # ── the sensible next thing: what the first prompt asks for ──
    def sensible(self) -> None:
        pit, state = self.pit, self.pit.state
        silent = [d for d in state.devices if d.health != "online"]
        if silent and self.rng.random() < 0.7:
            self.tell(self.rng.choice(silent))
        elif state.halt is not None:
            pit.act("resume_table")
        elif state.lock == "locking":
            pit.device("bonus", "locked")
        elif any(device.holding for device in state.devices):
            pit.device("shoe", "held")
        elif state.phase == "betting" and self.rng.random() < 0.75:
            self.bet()
        else:
            said = prompts(state)
            assert said, f"no prompt in phase {state.phase}"
            self.follow(self.rng.choice(said).awaits)

    def tell(self, device: Any) -> None:
        told = {"locked": True} if device.kind == "progressive" else {}
        self.pit.device(device.id, "online", **told)

    def bet(self) -> None:
        rng = self.rng
        amount = rng.choice([500, 2500, 1337])
        wager = rng.choice(WAGERS[:6])
        self.pit.act("place_wager", "dealer", seat=rng.randint(1, 4), wager=wager, amount=amount)

    def follow(self, awaits: str) -> None:
        pit, state, rng = self.pit, self.pit.state, self.rng
        if awaits == "card":
            self.draw()
        elif awaits == "receive_decks":
            self.decks += 1
            self.shoe = [str(card) for card in DECK] * state.setup.rules.decks
            random.Random(rng.randrange(2**32)).shuffle(self.shoe)
            named = [
                {"id": f"{self.decks}-{n}", "back": "red", "preshuffled": self.decks % 2 == 0}
                for n in range(state.setup.rules.decks)
            ]
            pit.act("receive_decks", "dealer", decks=named)
        elif awaits in ("locked", "held", "online"):
            pit.device("bonus" if awaits == "locked" else "shoe", awaits)
        else:
            pit.act(awaits, **self.arguments(awaits))

    def arguments(self, action: str) -> dict[str, Any]:
        """What the prompt's action needs, filled in properly."""
        state, rng = self.pit.state, self.rng
        round_ = state.round
        hand = turning.next_hand(state) if round_ is not None and round_.cards else "player"
        match action:
            case "player_inspected":
                return {"viewed": True}
            case "offer_cut":
                top = state.shoe.offered[-1] if state.shoe.offered else 10
                return {"seat": top - 1, "accepted": rng.random() < 0.5}
            case "burn":
                return {"card": self.shoe.pop()} if self.shoe and not state.shoe.discard else {}
            case "hand_cards":
                seat = turning.entitled(state, hand or "player")
                return {"seat": seat or 1, "hand": hand or "player"}
            case "reveal_dealer":
                return {"hand": hand}
            case "enter_card":
                return {"place": self.unknown(hand), "card": self.shoe.pop() if self.shoe else "2C"}
            case "confirm_payment":
                return {"seat": round_.turns[0]}
            case "validate_progressive":
                due = next(p for p in round_.due if p.line.meter)
                return {"seat": due.seat, "meter": due.line.meter}
            case "collect_vigorish":
                return {"seat": state.shoe.owed[0][0]}
            case "settle_by_hand":
                seats = sorted({w.seat for w in round_.live_wagers()})
                seat, meter = rng.choice(seats), state.meter("must_hit")
                args = {"seat": seat, "returned": 0, "reason": "by hand"}
                if meter is not None and seat == round_.midi.must_hit:
                    args |= {"returned": meter.cents, "meter": meter.name, "award": meter.cents}
                return args
        return {}

    def unknown(self, hand: str | None) -> str:
        """The place of the card to enter: an unknown one, or the third that is due."""
        round_ = self.pit.state.round
        if round_ is None:
            return "burn/1"
        for name in (hand, "player", "banker"):
            for card in round_.hand(name or "player"):
                if card.card is None:
                    return str(card.place)
        sizes = {name: len(round_.hand(name)) for name in ("player", "banker")}
        if sum(sizes.values()) < 4:
            return ("player/1", "banker/1", "player/2", "banker/2")[sum(sizes.values())]
        return self.rng.choice(["player/3", "banker/3"])

    def draw(self, **args: Any) -> None:
        unread = self.rng.random() < 0.01
        card = self.shoe.pop() if self.shoe else None
        self.pit.device("shoe", "card", [None if unread else card], **args)

    # ── and the rest ──
    def anything(self, action: str) -> None:
        rng, state = self.rng, self.pit.state
        places = [c.place for c in (*state.carried, *(state.round.cards if state.round else ()))]
        pool: dict[str, list[Any]] = {
            "seat": [1, 2, 3, 4, 0, 10],
            "wager": list(WAGERS),
            "amount": [500, 2500, 0, 10**7],
            "hand": ["player", "banker", "dealer"],
            "decks": [[{"id": "x", "back": "red"}], [], ["y"]],
            "reason": ["because"],
            "confirm": [True, False],
            "place": [*places, "player/3", "seat/1/1"],
            "card": ["AS", "9H", "ZZ"],
            "cards": [1, 1, 2],
            "draw": [1, *(c.draw for c in (state.round.cards if state.round else ()))],
            "id": [*(alarm.id for alarm in state.alarms), "none"],
            "device": ["shoe", "toaster"],
            "order_lost": [True, False],
            "meter": ["star", "moon", "must_hit"],
            "viewed": [True],
            "accepted": [True, False],
            "returned": [0, 500, -1],
            "award": [0, 500],
            "cents": [100_001],
            "lamps": [True],
            "lock": [True],
        }
        spec = procedure(state).actions.get(action)
        names = list(spec.wanted) if spec else []
        args = {name: rng.choice(pool.get(name, [True])) for name in names if rng.random() < 0.9}
        role = rng.choice(["floor", "floor", "dealer", "surveillance"])
        second = Second("watch-1", ("surveillance",), "pin") if rng.random() < 0.5 else None
        self.pit.feed(Action(self.pit.at(), action, f"{role}-1", (role,), args=args, second=second))

    def mischief(self) -> None:
        rng, pit = self.rng, self.pit
        match rng.randrange(9):
            case 0:
                pit.device("shoe", rng.choice(["jam", "fault", "cleared"]))
            case 1:
                pit.device(rng.choice([d.id for d in pit.state.devices] or ["shoe"]), "offline")
            case 2 | 3:
                self.draw()
            case 4:
                self.draw(mode="outside")
            case 5:
                pit.device("bonus", rng.choice(["locked", "unlocked", "fault", "cleared"]))
            case 6:
                pit.device("shoe", rng.choice(["held", "released", "gap", "started", "sing"]))
            case 7:
                pit.device("shoe", "cover_card")
            case 8:
                pit.device("shoe", "result", winner=rng.choice(["player", "banker", "forced"]))
