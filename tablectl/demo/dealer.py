"""The simulated dealer and floorperson: they read the state, and do what it prompts.

What a hand does to cards and devices happens at the simulated table; everything else goes through
the daemon's HTTP API, as a real page would do it.
"""

import asyncio
import random
import time
from collections.abc import Callable
from typing import Any

from hwsim.physical import NotPossible, PhysicalTable
from tablectl.demo import luck
from tablectl.demo.chips import Chips, accepted
from tablectl.demo.client import Api, Reply
from tablectl.demo.house import HOUSES, Person
from tablectl.demo.mishaps import Mishaps

State = dict[str, Any]
BACKS = ("red", "blue")
STUCK_S = 60.0  # with nothing new for so long something is wrong
IDLE_S = 0.02
LOOK = 8  # pauses for which a progressive win stands on the screen, at each of its steps
LOOK_LONGEST_S = 5.0
PATIENCE = 20  # turns until a deck that is not reported is put into the shuffler again, and so on
_CAN_WAIT = ("clear_round", "mark_out_of_order", "confirm_out_of_order", "log_on", "opening_test")
_OPENING = {
    "inspect_cards": "dealer",
    "verify_inspection": "floor",
    "spread_cards": "dealer",
    "player_inspected": "dealer",
    "wash_cards": "dealer",
}


def _next_step(state: State) -> State:
    """The prompt of the round itself: after the duties, before what can wait."""
    steps = [p for p in state["prompts"] if p["awaits"] not in _CAN_WAIT]
    return steps[-1] if steps else {"text": "", "awaits": "", "role": ""}


class Stuck(Exception):
    """The dealer does not know what to do; it would be a fault of ours."""


class Dealer:
    """Plays rounds until it is told to stop."""

    def __init__(
        self,
        api: Api,
        table: PhysicalTable,
        staff: tuple[Person, Person],
        rng: random.Random,
        pause_s: float,
        game: str = "three_card_poker",
        mishaps: Mishaps | None = None,
    ) -> None:
        self.house = HOUSES[game]
        self.mishaps = mishaps or Mishaps()
        self.api = api
        self.table = table
        self.chips = Chips(table)
        self.dealer, self.floor = staff
        self.rng = rng
        self.pause_s = pause_s
        self.rounds = 0
        self.settled = 0
        self.voided = 0
        self.decks = 0
        self._bets_left = 0
        self._lucky: int | None = None  # the seat that will win a progressive in this round
        self._patience = 0  # turns for which chips on dark sensors are waited for
        self._seen = -1  # the last sequence, and when it changed
        self._moved_s = 0.0
        self._waits: dict[str, int] = {}
        self.said = ""

    async def play(self, rounds: int | None) -> None:
        """Play so many rounds, or until cancelled. Raises Stuck, OSError."""
        await self._sign_on()
        while rounds is None or self.rounds < rounds:
            state = await self.api.state()
            if state["sequence"] != self._seen:
                self._seen, self._moved_s = state["sequence"], time.monotonic()
            elif time.monotonic() - self._moved_s > STUCK_S:
                raise Stuck(f"nothing happens in phase {state['phase']}: {state['prompts']}")
            else:
                await asyncio.sleep(IDLE_S)  # a device takes its time, also at top speed
            await self.turn(state)
            await asyncio.sleep(self.pause_s)

    async def _sign_on(self) -> None:
        for person in (self.dealer, self.floor):
            await self.api.sign_on(person)

    async def _goes_wrong(self, state: State) -> bool:
        """What the plan has for a round with its cards out; True where that was this turn."""
        struck = self.mishaps.struck(state["round"]["number"])
        if await self.mishaps.befall(struck):
            await self._sign_on()  # sessions do not outlive the daemon
            return True
        slip = self.mishaps.slip(struck)
        if slip is None:
            return False
        action, args = slip
        await self._do(self.dealer, action, **args)
        return True

    async def turn(self, state: State) -> None:
        """Do the next thing."""
        alarm = next((a for a in state["alarms"] if not a["acknowledged"]), None)
        jammed = [name for name, d in state["devices"].items() if d["health"] == "fault"]
        if alarm is not None:
            await self._do(self.floor, "acknowledge_alarm", id=alarm["id"])
        elif jammed:
            self._try(lambda: self.table.clear_jam(jammed[0]))
        elif "confirm_clock" in state["allowed"]:
            await self._do(self.floor, "confirm_clock")
        elif state["halted"]:
            await self._do(self.floor, "resume_table")
        elif state["duties"] and state["phase"] in ("preparing", "voided"):
            await self._duty(state)
        else:
            await getattr(self, f"_{state['phase']}")(state)

    # ── phases ─────────────────────────────────────────────────────────────
    async def _closed(self, _state: State) -> None:
        await self._do(self.floor, "open_table")

    async def _preparing(self, state: State) -> None:
        here = [deck for deck in state["decks"] if deck["custody"] != "removed"]
        following = next((a for a in _OPENING if a in state["allowed"]), None)
        if following is not None:
            person = self.floor if _OPENING[following] == "floor" else self.dealer
            args = {"viewed": True} if following == "player_inspected" else {}
            await self._do(person, following, **args)
            return
        if not here or (len(here) < 2 and any(d["custody"] == "shoe" for d in here)):
            await self._receive(here)
            return
        if "load_shoe" in state["allowed"]:
            await self._load(state)
            return
        waits = (p for p in state["prompts"] if p["awaits"] == "shuffle_done")
        if (unheard := next(waits, None)) is not None:
            self._shuffle(unheard["text"].split()[1])  # its count may never come: once more
            return
        waiting = next((d["id"] for d in here if d["custody"] in ("rack", "discard")), None)
        if waiting is not None:
            self._shuffle(waiting)
        elif "open_bets" in state["allowed"]:
            await self._do(self.dealer, "open_bets")
            self._bets_left = self.rng.randint(3, 8)
            self._lucky, self._patience = None, PATIENCE

    async def _load(self, state: State) -> None:
        prompt = next(p for p in state["prompts"] if p["awaits"] == "load_shoe")
        deck = prompt["text"].split()[2]
        if (inside := self.table.shoe().deck) is not None:
            self._try(lambda: self.table.gather(inside.id))
        if self._try(lambda: self.table.load_shoe(deck)):
            await self._do(self.dealer, "load_shoe", deck=deck)

    async def _receive(self, here: list[State]) -> None:
        back = next(back for back in BACKS if back not in {deck["back"] for deck in here})
        self.decks += 1
        name = f"{back}-{self.decks}"
        self.table.receive(name, back=back)
        await self._do(self.dealer, "receive_decks", decks=[{"id": name, "back": back}])

    async def _betting(self, state: State) -> None:
        if self._bets_left > 0:
            self._bets_left -= 1
            await self._wager(self.rng.randint(1, self.house.seats))
        elif self._lamps_are_due(state):
            self._patience -= 1
            self.said = "waits for the lamps"
        elif self._lucky is None and self._luck_is_due(state):
            await self._try_luck(state)
        elif self.rng.random() < 0.5:
            self.table.press_button()
            self.said = "presses the lock-out button"
        else:
            await self._do(self.dealer, "no_more_bets")

    def _lamps_are_due(self, state: State) -> bool:
        """A player looks whether the chip was accepted, but not for ever (TCP 7.F(4)(b))."""
        told = self._patience > 0 and self.chips.told
        return told and not self.chips.lying <= accepted(state, luck.WAGER)

    def _luck_is_due(self, state: State) -> bool:
        offered = any(wager == luck.WAGER for wager, _, _ in self.house.wagers)
        return offered and bool(state["seats"]) and luck.due(state["round"]["number"])

    async def _try_luck(self, state: State) -> None:
        """Somebody has a progressive wager, and will win it: nobody would wait for chance."""
        seats = [seat["seat"] for seat in state["seats"]]
        self._lucky = max(accepted(state, luck.WAGER) or seats)
        if self._lucky not in accepted(state, luck.WAGER):
            await self._put(self._lucky, luck.WAGER, 100)
        luck.stack(self.table, seats, self._lucky)
        self.said = "this round's deck is stacked, so that a progressive is won"

    async def _wager(self, seat: int) -> None:
        ante = self.rng.choice([500, 1000, 1500, 2500])
        await self._do(self.dealer, "place_wager", seat=seat, wager="ante", amount=ante)
        for wager, amount, chance in self.house.wagers:
            if self.rng.random() < chance:
                await self._put(seat, wager, amount)

    async def _put(self, seat: int, wager: str, amount: int) -> None:
        """A wager beside the ante: a chip on the sensor, or keyed."""
        if wager == luck.WAGER and self.chips.told:
            self.chips.lay(seat)
            self.said = f"seat {seat} lays a chip on its sensor"
        else:
            await self._do(self.dealer, "place_wager", seat=seat, wager=wager, amount=amount)

    async def _wait(self, _state: State) -> None:
        self.said = "waits for the devices"

    _locking = _dealing = _cancelling = _wait

    async def _locked(self, state: State) -> None:
        if _next_step(state)["awaits"] == "count_progressive":
            await self._count_chips(state)
        elif _next_step(state)["awaits"] == "resolve_count":
            await self._resolve_count(state)
        elif "clear_round" in state["allowed"]:
            await self._end_round("clear_round")

    async def _count_chips(self, state: State) -> None:
        """TCP 10.A(3): what lies at a dark sensor goes back, the rest is counted and racked."""
        number = state["round"]["number"]
        self.chips.take(self.chips.lying - accepted(state, luck.WAGER))
        chips = len(self.chips.of(number))
        reply = await self._do(self.dealer, "count_progressive", chips=chips, cents=100 * chips)
        if any(e["type"].endswith("count_verified") for e in reply.body.get("events", ())):
            self.chips.rack(number)

    async def _resolve_count(self, state: State) -> None:
        """The floor looks which wager has no chip."""
        missing = accepted(state, luck.WAGER) - self.chips.of(state["round"]["number"])
        args = {"seat": min(missing)} if missing else {}
        await self._do(self.floor, "resolve_count", **args)

    async def _deciding(self, state: State) -> None:
        if await self._goes_wrong(state):
            return
        prompt = _next_step(state)
        if prompt["role"] == "device":
            await self._wait(state)
        elif prompt["awaits"] == "count_stub":
            out = sum(len(seat["cards"]) for seat in state["seats"]) + len(state["dealer"]["cards"])
            await self._do(self.dealer, "count_stub", cards=52 - out)
        elif prompt["awaits"] == "judge_stub":
            await self._do(self.dealer, "judge_stub", misdealt=False)
        elif prompt["awaits"] == "void_round":
            await self._do(self.floor, "void_round", reason="the cards cannot be trusted")
        elif prompt["awaits"] == "play":
            seat = int(prompt["text"].split("seat ")[1].split(":")[0])
            plays = self.rng.random() < 0.7 or seat == self._lucky
            await self._do(self.dealer, "play" if plays else "fold", seat=seat)
        else:
            await self._do(self.dealer, "reveal_dealer")

    _examining = _deciding

    async def _settling(self, state: State) -> None:
        prompt = _next_step(state)
        if prompt["awaits"] == "validate_progressive":
            won = next(win for win in state["wins"] if win["status"] == "PENDING")
            named = {"meter": won["meter"]} if won["meter"] else {}
            await self._look()
            await self._do(self.floor, "validate_progressive", seat=won["seat"], **named)
        elif prompt["awaits"] == "enter_card":
            place = prompt["text"].removeprefix("Enter the card at ").rstrip(".")
            card = self.rng.choice("23456789") + self.rng.choice("CDHS")
            await self._do(self.dealer, "enter_card", place=place, card=card)
        elif prompt["awaits"] in ("settle_by_hand", "void_found_late"):  # a card entered twice
            for seat in state["seats"]:
                args = {"seat": seat["seat"], "returned": 0, "reason": "demonstration"}
                await self._do(self.floor, "settle_by_hand", **args)
        else:
            if state["wins"]:
                await self._look()
            seat = int(prompt["text"].split()[1])
            await self._do(self.dealer, "confirm_payment", seat=seat)

    async def _look(self) -> None:
        """Time to see what stands on the screen."""
        await asyncio.sleep(min(LOOK_LONGEST_S, self.pause_s * LOOK))

    async def _clearing(self, state: State) -> None:
        if self._lucky is not None:
            await self._look()
        self.settled += await self._gather(state)

    async def _voided(self, state: State) -> None:
        self.voided += await self._gather(state)

    async def _gather(self, state: State) -> bool:
        deck = state["round"]["deck"]
        self._try(lambda: self.table.gather(deck))
        if self.chips.told:
            self.chips.take(self.chips.lying)
        return await self._end_round("clear_round")

    async def _end_round(self, action: str) -> bool:
        done = (await self._do(self.dealer, action)).done
        self.rounds += done
        return done

    # ── duties ─────────────────────────────────────────────────────────────
    async def _duty(self, state: State) -> None:
        if state["phase"] == "voided":
            await self._voided(state)
            return
        leaves = (due for due in state["duties"] if due["duty"] == "remove_deck")
        duty = next(leaves, state["duties"][0])  # what leaves makes room in the shuffler
        deck = duty["deck"]
        if duty["duty"] == "reshuffle":
            await self._reshuffle(state, deck)
        elif duty["duty"] == "remove_deck":
            self._try(lambda: self.table.remove(deck))
            await self._do(self.dealer, "remove_deck", deck=deck)
        else:
            args = {"deck": deck} if deck else {}
            await self._do(self.floor, duty["duty"], **args)

    async def _reshuffle(self, state: State, deck: str) -> None:
        """Where the shuffler is full, the deck that is ready comes out into the shoe first."""
        if "load_shoe" in state["allowed"]:
            await self._load(state)
        elif "single_deck" in state["allowed"] and self._occupied(deck):
            await self._do(self.floor, "single_deck")  # it dealt last, and is due all the same
        else:
            self._shuffle(deck)

    def _occupied(self, deck: str) -> bool:
        inside = [pack.id for pack in self.table.shuffler().compartments if pack is not None]
        return bool(inside) and deck not in inside and not self.table.shuffler().shuffling

    def _shuffle(self, deck: str) -> None:
        """Into the shuffler with it, once: its report takes a moment to reach the table."""
        if self.table.shuffler().shuffling or self._waits.get(deck, 0) > 0:
            self._waits[deck] = self._waits.get(deck, 1) - 1
            return
        self._waits[deck] = PATIENCE
        self._try(lambda: self.table.gather(deck))
        self._try(lambda: self.table.put_into_shuffler(deck))
        self.said = f"puts deck {deck} into the shuffler"

    # ── parts ──────────────────────────────────────────────────────────────
    async def _do(self, person: Person, action: str, **args: Any) -> Reply:
        reply = await self.api.act(person, action, **args)
        detail = " ".join(f"{key} {value}" for key, value in args.items() if key != "decks")
        self.said = f"{person.role}: {action.replace('_', ' ')} {detail}".strip()
        if not reply.done:
            self.said += f" (refused: {reply.body.get('refused') or reply.body.get('error')})"
        return reply

    def _try(self, do: Callable[[], object]) -> bool:
        """A hand reaches for something; where it is not possible now, the next turn tries again."""
        try:
            do()
        except NotPossible as error:
            self.said = str(error)
            return False
        return True
