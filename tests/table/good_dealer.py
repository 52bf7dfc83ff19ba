"""A dealer, a floor and devices that do what the prompts ask for, and nothing else.

They know nothing of the procedure: the first prompt says what is awaited and from whom. So a table
that asks for what it refuses, for the wrong thing or for nothing, is found out.
"""

from collections.abc import Callable
from typing import Any

from tablectl.cards import DECK
from tablectl.table import stub
from tablectl.table.outputs import Prompt
from tablectl.table.state import Device
from tests.table.pit import Pit

_FROM_DEVICE = {"locked": "progressive", "held": "shoe", "stack": "shoe", "card": "shoe"}


class Stuck(AssertionError):
    """The prompts lead nowhere."""


class GoodDealer:
    """Plays a pit by its prompts. `mends`: devices with a fault are mended, else covered."""

    def __init__(self, pit: Pit, *, mends: bool = True) -> None:
        self.pit, self.mends = pit, mends
        self.wagers: tuple[tuple[int, dict[str, int | None]], ...] = ()

    def until(self, wanted: Callable[[Pit], bool], most: int = 150) -> None:
        """Do what is asked until `wanted`. Raises Stuck."""
        for _ in range(most):
            if wanted(self.pit):
                return
            self.one()
        raise Stuck(f"{self.pit.state.phase}: {self.said()}")

    def to_next_bets(self) -> None:
        """To the next round's betting, whatever is in the way."""
        number = self.pit.state.rounds
        self.until(lambda pit: pit.state.rounds > number and pit.state.halt is None)

    def said(self) -> list[str]:
        return [prompt.text for prompt in self.pit.tick(0).prompts]

    def one(self) -> None:
        """The first prompt is done, by whom it is for."""
        if self.devices():
            return
        prompts = self.pit.tick(0).prompts
        if not prompts:
            raise Stuck(f"nothing is asked for in {self.pit.state.phase}")
        self.follow(prompts[0])

    def devices(self) -> bool:
        """What devices do by themselves: they come up, and answer what they were ordered."""
        for device in self.pit.state.devices:
            told = self._tells(device)
            if told is not None:
                name, args = told
                self.pit.device(device.id, name, **args)
                return True
        return False

    def _tells(self, device: Device) -> tuple[str, dict[str, Any]] | None:
        mends = self.mends or device.kind in ("progressive", "button")
        if device.health == "unknown" or (device.health == "offline" and mends):
            of_kind: dict[str, dict[str, Any]] = {
                "progressive": {"locked": True}, "shoe": {"dispensed": device.dispensed},
            }  # fmt: skip
            return "online", of_kind.get(device.kind, {})
        if device.health == "fault" and mends:
            return "cleared", {}
        if device.health != "online":
            return None
        if device.holding:
            return "held", {}
        if device.opening:
            return "unlocked", {}
        locks = device.kind == "progressive" and self.pit.state.lock == "locking"
        return ("locked", {}) if locks and not device.locked else None

    def follow(self, prompt: Prompt) -> None:
        """Do what a prompt asks for; a refusal is a fault of the prompt."""
        pit, before = self.pit, self.pit.state
        awaits = prompt.awaits
        if awaits in ("shuffle_started", "shuffle_done") and (
            prompt.role == "device" or awaits == "shuffle_started"
        ):
            count = None if getattr(self, "uncounted", False) else 52
            named = {"deck": self._deck(prompt)}
            given = {"count": count} if awaits == "shuffle_done" else {}
            pit.device("shuffler", awaits, **named, **given)
        elif prompt.role == "device" or awaits in _FROM_DEVICE:
            self._device(prompt)
        else:
            args = self._args(prompt)
            outcome = pit.act(awaits, prompt.role, **args)
            if outcome.ruling is not None:
                outcome = pit.act(awaits, prompt.role, **args, confirm=True)
            if outcome.refusal is not None:
                raise Stuck(f"asked for {awaits} ({prompt.text}), and refused: {outcome.refusal}")
        if pit.state.sequence == before.sequence:
            raise Stuck(f"{prompt} changed nothing")
        if pit.types(before.sequence)[0] == "device.refused":
            raise Stuck(f"asked for {awaits} ({prompt.text}): {pit.events[-1].data['what']}")

    def _device(self, prompt: Prompt) -> None:
        pit, state = self.pit, self.pit.state
        kind = _FROM_DEVICE.get(prompt.awaits)
        if prompt.awaits == "online":  # it does not come back: the other way that is offered
            away = next(d.id for d in state.devices if d.id in prompt.text)
            pit.do("mark_out_of_order", "dealer", device=away, confirm=True)
            return
        if prompt.awaits == "withdrawn":
            chip = state.round.live_wagers()[0]
            pit.device(chip.device, "withdrawn", seat=chip.seat, wager=chip.wager)
            return
        if kind is None:
            raise Stuck(f"waits for {prompt}, and no device says it")
        device = state.devices_of(kind)[0]
        known = {card.card for card in state.round.cards} if state.round else set()
        fresh = [card for card in DECK if card not in known]
        if prompt.awaits == "card":
            pit.device(device.id, "card", [fresh[0]])
        elif prompt.awaits == "stack":
            pit.device(device.id, "stack", fresh[:3])
        else:
            pit.device(device.id, prompt.awaits)

    def _deck(self, prompt: Prompt) -> str:
        return next(d.id for d in self.pit.state.decks if f"deck {d.id}" in prompt.text.lower())

    def _args(self, prompt: Prompt) -> dict[str, Any]:
        state = self.pit.state
        round_ = state.round
        match prompt.awaits:
            case "receive_decks":
                name = f"deck-{state.sequence}"
                return {"decks": [{"id": name, "back": name}]}
            case "player_inspected":
                return {"deck": self._deck(prompt), "viewed": True}
            case ("inspect_cards" | "verify_inspection" | "spread_cards" | "wash_cards"
                  | "shuffle_done" | "cut_cards" | "load_shoe" | "remove_deck"
                  | "clear_deck_latch"):  # fmt: skip
                return {"deck": self._deck(prompt)}
            case "count_stub" if round_ is None:
                named = [d.id for d in state.decks if f"deck {d.id}" in prompt.text.lower()]
                return {"cards": 52, **({"deck": named[0]} if named else {})}
            case "count_stub":
                out = stub.expected(round_)
                return {"cards": out if round_.cards else out - len(round_.plan)}
            case "judge_stub":
                return {"misdealt": True}
            case "count_progressive":
                return {"chips": sum(bool(w.device) for w in round_.live_wagers())}
            case "resolve_count":
                return {"seat": next((w.seat for w in round_.live_wagers() if w.device), 1)}
            case "play":
                return {"seat": round_.asked or round_.ante_seats()[0]}
            case "confirm_payment":
                return {"seat": round_.turns[0]}
            case "validate_progressive":
                return {"seat": round_.due[0].seat}
            case "settle_by_hand":
                seat = round_.live_wagers()[0].seat
                return {"seat": seat, "returned": 0, "reason": "looked at"}
            case "end_dispute":
                return {"seat": round_.disputes[0][0], "reason": "looked at"}
            case "settle_void_seat":
                return {"seat": round_.void_seats[0][0], "recovered": True}
            case "enter_card":
                unknown = next(c.place for c in round_.cards if c.up and c.card is None)
                known = {c.card for c in round_.cards if c.card}
                return {"place": unknown, "card": next(c for c in DECK if c not in known)}
            case "void_round":
                return {"reason": "asked for"}
            case "void_found_late":
                return {"cause": "duplicate_card", "reason": "asked for", "confirm": True}
            case "correct_card":
                cards = [c for c in round_.cards if c.card]
                twice = [c for c in cards if sum(o.card == c.card for o in cards) > 1]
                return {"draw": twice[0].draw}
            case "remove_wager":
                wager = next(w for w in round_.live_wagers() if not w.device)
                return {"seat": wager.seat, "wager": wager.wager}
            case "opening_test":
                return {"lamps": True, "lock": True}
            case "acknowledge_alarm":
                return {"id": next(a.id for a in state.alarms if not a.acknowledged)}
            case "mark_out_of_order" | "confirm_out_of_order" | "return_to_service":
                return {"device": next(d.id for d in state.devices if d.id in prompt.text)}
        return {}
