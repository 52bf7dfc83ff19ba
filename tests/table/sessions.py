"""Random sessions at a table: mostly sensible, sometimes illegal, with trouble from every side.

A session is driven by one `random.Random`; the same one gives the same session.
"""

import random
from typing import Any

from tablectl.cards import DECK
from tablectl.table import method, stub
from tablectl.table.actions import allowed
from tablectl.table.procedures import procedure
from tests.table.pit import Pit

WAGERS = ("ante", "pair_plus", "progressive", "six_card_bonus", "tie", "play", "dragon")
DECKS = ("red", "blue")


class Session:
    """Plays a pit, one input at a time."""

    def __init__(self, rng: random.Random, **pit: Any) -> None:
        self.rng = rng
        self.pit = Pit(seed=rng.randrange(2**32), **pit)
        self.pit.start()
        self.fresh: list[str] = []  # the shuffled deck in the shoe
        self.names = 0

    def run(self, steps: int) -> "Session":
        for _ in range(steps):
            self.one()
        return self

    def one(self) -> None:
        """One input: sensible in four of five cases."""
        roll = self.rng.random()
        if roll < 0.80:
            self.sensible()
        elif roll < 0.88:
            self.anything(self.rng.choice(allowed(self.pit.state)))
        elif roll < 0.93:
            self.anything(
                self.rng.choice([*procedure(self.pit.state).actions, "shuffle_done", "dance"])
            )
        elif roll < 0.98:
            self.mischief()
        elif roll < 0.99:
            self.pit.tick(self.rng.choice([1, 600, 2000]))
        else:
            self.pit.restart()

    # ── the sensible next thing ──
    def sensible(self) -> None:
        pit, state, rng = self.pit, self.pit.state, self.rng
        silent = [d for d in state.devices if d.health != "online"]
        if silent:
            self.tell(rng.choice(silent).id)
        elif state.halt is not None:
            pit.act("resume_table")
        elif state.lock == "locking" and state.phase != "locking":
            pit.device("bonus", "locked")
        elif state.round is not None and state.round.doubt:
            pit.act("void_round", reason="one card is there twice")
        elif any(device.holding for device in state.devices):
            pit.device("shoe", "held")
        elif state.duties:
            self.do_duty()
        else:
            getattr(self, f"in_{state.phase}")()

    def tell(self, device: str) -> None:
        found = self.pit.state.device(device)
        assert found is not None
        args: dict[str, Any] = {}
        if found.kind == "shoe":
            args = {"dispensed": found.dispensed}
        if found.kind == "progressive":
            args = {"locked": True}
        self.pit.device(device, "online", **args)

    def do_duty(self) -> None:
        duty = self.rng.choice(self.pit.state.duties)
        if self.pit.state.phase == "voided" and self.rng.random() < 0.5:
            self.pit.act("clear_round", "dealer")
        elif duty.duty == "reshuffle" and duty.deck:
            self.shuffle(duty.deck)
        elif duty.duty == "cut_again":
            self.pit.act("cut_cards", "dealer", deck=duty.deck)
        elif duty.duty == "opening_test":
            self.pit.act("opening_test", lamps=True, lock=True)
        else:
            named: dict[str, Any] = {"deck": duty.deck} if duty.deck else {}
            self.pit.act(duty.duty, **named)

    def shuffle(self, deck: str) -> None:
        found = self.pit.state.deck(deck)
        if method.usable_shuffler(self.pit.state) is None:
            self.pit.act("shuffle_done", "dealer", deck=deck)
        elif found is not None and found.preparation == "shuffling":
            count = 52 if self.rng.random() < 0.95 else self.rng.choice([51, 53, None])
            self.pit.device("shuffler", "shuffle_done", deck=deck, count=count)
        else:
            self.pit.device("shuffler", "shuffle_started", deck=deck)

    def in_closed(self) -> None:
        self.pit.act("open_table")

    def in_preparing(self) -> None:
        pit, rng = self.pit, self.rng
        here = [deck for deck in pit.state.decks if deck.custody != "removed"]
        if rng.random() < 0.01:  # the end of a day
            for deck in here:
                pit.act("remove_deck", "dealer", deck=deck.id)
            pit.act("close_table")
            return
        if len(here) < 2 and (not here or rng.random() < 0.2):
            self.names += 1
            back = next(b for b in DECKS if b not in {deck.back for deck in here})
            one = {"id": f"{back}-{self.names}", "back": back, "preshuffled": rng.random() < 0.5}
            pit.act("receive_decks", "dealer", decks=[one])
            return
        following = {
            "received": "inspect_cards",
            "inspected": "verify_inspection",
            "verified": "spread_cards",
            "spread": "player_inspected",
            "viewed": "wash_cards",
        }
        for deck in here:
            if deck.preparation in following:
                action = following[deck.preparation]
                args: dict[str, Any] = {"viewed": True} if action == "player_inspected" else {}
                pit.act(action, deck=deck.id, **args)
                return
            if deck.preparation in ("stacked", "used", "shuffling"):
                self.shuffle(deck.id)
                return
            if deck.preparation == "uncut":
                pit.act("cut_cards", "dealer", deck=deck.id)
                return
        if any(deck.custody in ("shoe", "hand") for deck in here):
            if pit.act("open_bets", "dealer").refusal is not None:
                pit.act("count_stub", "dealer", cards=rng.choice([52, 52, 52, 51]))
        elif pit.act("load_shoe", "dealer").refusal is None:
            self.fresh = list(DECK)
            random.Random(rng.randrange(2**32)).shuffle(self.fresh)
        else:
            pit.act("single_deck")

    def in_betting(self) -> None:
        rng = self.rng
        if rng.random() < 0.75:
            wager = rng.choice(WAGERS[:5])
            amount = rng.choice([100, 500]) if wager == "progressive" else rng.choice([500, 2500])
            seat = rng.randint(1, 7)
            self.pit.act("place_wager", "dealer", seat=seat, wager=wager, amount=amount)
        elif rng.random() < 0.3:
            self.pit.device("button", "pressed")
        else:
            self.pit.act("no_more_bets", "dealer")

    def in_locking(self) -> None:
        round_ = self.pit.state.round
        if round_ is not None and round_.wagers and self.rng.random() < 0.2:
            wager = self.rng.choice(round_.wagers)
            args: dict[str, Any] = {
                "seat": wager.seat,
                "wager": wager.wager,
                "reason": "keyed wrong",
            }
            self.pit.act("amend_wager", amount=self.rng.choice([500, 2500]), **args)
        else:
            self.pit.device("bonus", "locked")

    def in_locked(self) -> None:
        if not self.pit.state.round or not self.pit.state.round.plan:
            self.pit.act("clear_round", "dealer")
        else:
            self.in_dealing()

    def in_cancelling(self) -> None:
        if self.rng.random() < 0.5:
            self.pit.device("shoe", "held")
        else:
            self.in_dealing()

    def in_dealing(self) -> None:
        state = self.pit.state
        if method.deals_unseen(state):
            if stub.reached_by_next(state):
                self.count()
            else:
                self.in_deciding()
        elif method.dealing(state) == "automated_shoe":
            self.pit.device("shoe", "stack", [self.draw() for _ in range(3)])
        else:
            self.pit.device("shoe", "card", [self.draw()])

    def count(self) -> None:
        round_ = self.pit.state.round
        assert round_ is not None
        if round_.stub == "judge":
            self.pit.act("judge_stub", "dealer", misdealt=self.rng.random() < 0.5)
            return
        cards = stub.expected(round_) - (0 if round_.cards else len(round_.plan))
        self.pit.act("count_stub", "dealer", cards=cards - (self.rng.random() < 0.4))

    def draw(self) -> str | None:
        if self.rng.random() < 0.01:
            return None
        return self.fresh.pop() if self.fresh else None

    def in_deciding(self) -> None:
        state, round_ = self.pit.state, self.pit.state.round
        assert round_ is not None
        asked = round_.asked or next(iter(round_.ante_seats()), None)
        asks = state.setup.rules.game == "three_card_poker" and asked is not None
        if stub.due(state) and (round_.hand("dealer") or round_.stub):
            self.count()
        elif asks and round_.decision(asked) is None:
            self.pit.act(self.rng.choice(["play", "play", "fold"]), "dealer", seat=asked)
        elif round_.cards and round_.stacks < len(round_.plan):
            self.in_dealing()
        else:
            self.pit.act("reveal_dealer", "dealer")

    in_examining = in_deciding

    def in_settling(self) -> None:
        round_ = self.pit.state.round
        assert round_ is not None
        unknown = next((c for c in round_.cards if c.up and c.card is None), None)
        if round_.by_hand:
            seat = self.rng.choice(sorted({w.seat for w in round_.live_wagers()}))
            self.pit.act("settle_by_hand", seat=seat, returned=0, reason="by hand")
        elif "end_dispute" in allowed(self.pit.state):
            self.pit.act("end_dispute", seat=round_.disputes[0][0], reason="looked at")
        elif "validate_progressive" in allowed(self.pit.state):
            self.pit.act("validate_progressive", seat=round_.due[0].seat)
        elif unknown is not None:
            card = self.rng.choice(DECK)
            sure = {"confirm": True} if self.rng.random() < 0.1 else {}
            self.pit.act("enter_card", "dealer", place=unknown.place, card=card, **sure)
        else:
            self.pit.act("confirm_payment", "dealer", seat=round_.turns[0])

    def in_clearing(self) -> None:
        self.pit.act("clear_round", "dealer")

    def in_voided(self) -> None:
        round_ = self.pit.state.round
        if round_ is not None and round_.void_seats:
            seat = round_.void_seats[0][0]
            self.pit.act("settle_void_seat", seat=seat, recovered=self.rng.random() < 0.5)
            return
        self.pit.act("clear_round", "dealer")

    # ── and the rest ──
    def anything(self, action: str) -> None:
        rng = self.rng
        pool: dict[str, list[Any]] = {
            "seat": [1, 3, 7, 0, 8],
            "wager": list(WAGERS),
            "amount": [100, 500, 2500, 0, 10**7],
            "deck": [*(deck.id for deck in self.pit.state.decks), "green"],
            "decks": [[{"id": "x", "back": "red"}], [], ["y"]],
            "reason": ["because"],
            "confirm": [True, False],
            "place": ["dealer/1", "seat/1/1"],
            "card": ["AS", "ZZ"],
            "id": [*(alarm.id for alarm in self.pit.state.alarms), "none"],
            "device": ["shoe", "shuffler", "toaster"],
            "viewed": [True],
            "returned": [0, 500, -1],
            "chips": [0, 1, 2, 3],
            "cents": [100, 500, 10**9],
            "meter": ["main", "minor"],
            "award": [100],
            "lamps": [True],
            "lock": [True, True, False],
            "misdealt": [True, False],
            "draw": [1, 2, 5, 9],
            "cause": ["incorrect_number_of_cards", "stub_incorrect", "rain"],
            "recovered": [True, False],
            "decision": ["play", "fold", "sleep"],
            "player": ["ann", "bob"],
            "cards": [0, 1, 2, 40, 52],
            "to": ["seat/1/2", "dealer/2", "moon"],
        }
        spec = procedure(self.pit.state).actions.get(action)
        names = list(spec.wanted) if spec else []
        args = {name: rng.choice(pool.get(name, [True])) for name in names if rng.random() < 0.95}
        self.pit.act(action, rng.choice(["floor", "floor", "dealer", "surveillance"]), **args)

    def mischief(self) -> None:
        rng, pit = self.rng, self.pit
        match rng.randrange(9):
            case 0:
                pit.device(rng.choice(["shoe", "shuffler"]), "jam")
            case 1:
                pit.device(rng.choice(["shoe", "shuffler", "bonus", "button"]), "offline")
            case 2:
                count = rng.choice([0, 1, 2, 4])
                pit.device(
                    "shoe", rng.choice(["stack", "card"]), [self.draw() for _ in range(count)]
                )
            case 3:
                pit.device("shoe", "stack", [self.draw() for _ in range(3)])
            case 4:
                pit.device("shoe", "stack", rng.choices(DECK, k=3))
            case 5:
                pit.device("bonus", rng.choice(["locked", "unlocked", "fault", "cleared"]))
            case 6:
                pit.device("shoe", rng.choice(["held", "cleared", "fault", "sing"]))
            case 7:
                pit.device("toaster", "online")
            case 8:
                told = rng.choice([None, 0, 1, 3])
                pit.device("shoe", "online", dispensed=told)
