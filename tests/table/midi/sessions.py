"""Random sessions at a Midi table: mostly sensible, sometimes illegal, with trouble all round.

A session is driven by one `random.Random`; the same one gives the same session.
"""

import random
from typing import Any

from tablectl.cards import DECK
from tablectl.table.acceptance import accepted
from tablectl.table.actions import allowed
from tablectl.table.inputs import Action, Second
from tablectl.table.midi import turning
from tablectl.table.midi.disputes import CAUSES
from tablectl.table.midi.state import PLACES
from tablectl.table.procedures import procedure
from tablectl.table.prompts import prompts
from tests.table.midi.pit import Attended

MAIN = ("player", "banker", "tie")
WAGERS = ("player", "banker", "tie", "dragon_bonus_player", "lucky_nines", "royal_9", "ante")


class Session:
    """Plays a table, one input at a time."""

    def __init__(self, rng: random.Random, **setup: Any) -> None:
        self.rng = rng
        self.pit = Attended(seed=rng.randrange(2**32), **setup)
        self.pit.start()
        self.chips = rng.random() < 0.6  # the progressive device tells of chips by itself
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
            costly = ("remove_deck", "close_table") if self.rng.random() < 0.9 else ()
            possible = [action for action in allowed(self.pit.state) if action not in costly]
            self.anything(self.rng.choice(possible))
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
        told: dict[str, Any] = {}
        if device.kind == "progressive":
            told = {"locked": self.rng.random() < 0.9, "accepts": self.chips}
        self.pit.device(device.id, "online", **told)

    def bet(self) -> None:
        rng, pit = self.rng, self.pit
        amount = rng.choice([500, 2500, 1337])
        royal = bool(pit.state.devices_of("progressive")) and rng.random() < 0.4
        seat = rng.randint(1, 4)
        wager = "royal_9" if royal else rng.choice([*MAIN, *MAIN, *WAGERS[:6]])
        if royal and self.chips:
            pit.accept(seat, rng.choice([100, 500]))
            return
        given = {} if pit.setup.tracking == "seats" and rng.random() < 0.8 else {"amount": amount}
        if wager == "royal_9":
            given = {"amount": amount}
        pit.act("place_wager", "dealer", seat=seat, wager=wager, **given)

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
        elif state.phase == "settling" and rng.random() < 0.06:
            self.doubt()
        else:
            pit.act(awaits, **self.arguments(awaits))

    def doubt(self) -> None:
        """Somebody disputes a hand, a card was misread, or a cause of a void is found late."""
        pit, rng, round_ = self.pit, self.rng, self.pit.state.round
        match rng.randrange(4):
            case 0 | 1:
                seat = pit.paying or rng.randint(1, 4)
                pit.act("dispute", seat=seat, reason="the player asks")
            case 2:
                card = rng.choice(round_.cards) if round_.cards else None
                pit.act("correct_card", draw=card.draw if card else 1, card=rng.choice(DECK))
            case 3:
                pit.act("void_found_late", cause=rng.choice(list(CAUSES)), reason="seen late",
                        confirm=True)  # fmt: skip

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
            case "enter_card" if (named := self.named()) is not None:
                return {"place": named, "card": self.shoe.pop() if self.shoe else "2C"}
            case "enter_card":
                return {"place": self.unknown(hand), "card": self.shoe.pop() if self.shoe else "2C"}
            case "confirm_payment":
                return {"seat": self.pit.paying}
            case "validate_progressive":
                mine = [p for p in round_.due if p.seat == self.pit.paying and p.line.meter]
                due = next(p for p in mine if (p.seat, p.line.wager) not in round_.validated)
                return {"seat": due.seat, "meter": due.line.meter}
            case "count_progressive":
                wrong = rng.choice([-1, 1]) if rng.random() < 0.15 else 0
                return {"chips": max(0, len(accepted(round_)) + wrong)}
            case "resolve_count":
                chips = accepted(round_)
                if (round_.chips or 0) < len(chips):
                    return {"seat": chips[0].seat}
                return {}
            case "settle_void_seat":
                return {"seat": round_.void_seats[0][0], "recovered": rng.random() < 0.5}
            case "end_dispute":
                return {"seat": rng.choice(round_.disputes)[0], "reason": "looked at"}
            case "correct_card":
                return {"draw": rng.choice(round_.cards).draw, "card": rng.choice(DECK)}
            case "void_round":
                return {"reason": "the device is dead"}
            case "acknowledge_alarm":
                return {"id": next(a.id for a in state.alarms if not a.acknowledged)}
            case "mark_out_of_order" | "confirm_out_of_order" | "return_to_service":
                ill = [d.id for d in state.devices if d.health != "online"]
                return {"device": ill[0] if ill else "shoe"}
            case "opening_test":
                return {"lamps": rng.random() < 0.9, "lock": True}
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

    def named(self) -> str | None:
        """The place that a prompt asks for."""
        said = [p.text for p in prompts(self.pit.state) if p.awaits == "enter_card"]
        place = said[0].rstrip(".").rpartition(" ")[2] if said else ""
        return place if "/" in place and "(" not in place else None

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
        if self.pit.state.phase == "locked" and self.rng.random() < 0.1:
            self.shoe += self.royal()  # else a meter would be won once in a thousand rounds
        card = self.shoe.pop() if self.shoe else None
        self.pit.device("shoe", "card", [None if unread else card], **args)

    # ── and the rest ──
    def royal(self) -> list[str]:
        """Four cards, the next one last, in which both hands are kings and nines."""
        suits = [self.rng.choice("SHDC") for _ in range(4)]
        return [rank + suit for rank, suit in zip("99KK", suits, strict=True)]

    def disclose(self) -> None:
        """A card that lies face down, or is about to, was disclosed."""
        pit, rng, round_ = self.pit, self.rng, self.pit.state.round
        cards = (*pit.state.carried, *(round_.cards if round_ else ()))
        places = [card.place for card in cards if not card.up]
        place = rng.choice([*places, *PLACES])
        args = {"card": rng.choice(DECK)} if rng.random() < 0.7 else {}
        if rng.random() < 0.3:
            pit.act("report_face_up", "dealer", cards=1, confirm=True, **args)
        else:
            pit.act("report_exposed", "dealer", place=place, confirm=True, **args)

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
            "chips": [0, 1, 2],
            "recovered": [True, False],
            "cause": [*CAUSES, "a_spilt_drink"],
        }
        spec = procedure(state).actions.get(action)
        names = list(spec.wanted) if spec else []
        args = {name: rng.choice(pool.get(name, [True])) for name in names if rng.random() < 0.9}
        role = rng.choice(["floor", "floor", "dealer", "surveillance"])
        second = Second("watch-1", ("surveillance",), "pin") if rng.random() < 0.5 else None
        self.pit.feed(Action(self.pit.at(), action, f"{role}-1", (role,), args=args, second=second))

    def mischief(self) -> None:
        rng, pit = self.rng, self.pit
        match rng.randrange(14):
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
            case 9 | 10 if self.chips:  # a chip comes, goes, or comes late, whenever
                name = rng.choice(["accepted", "withdrawn", "late"])
                cents = {"cents": rng.choice([100, 0])} if name == "accepted" else {}
                wager = rng.choice(["royal_9", "royal_9", "progressive"])
                pit.device("bonus", name, seat=rng.randint(1, 5), wager=wager, **cents)
            case 12 | 13:
                self.disclose()
            case _:
                pit.act("report_late_bet", "dealer", seat=rng.randint(1, 4), wager="player")
