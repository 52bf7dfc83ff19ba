"""Plays a Midi table on by its prompts alone, as a dealer and a floorperson would who read them."""

from collections.abc import Iterator
from itertools import cycle
from typing import Any

from tablectl.table.midi import turning
from tablectl.table.prompts import prompts
from tests.table.midi.pit import Attended

MOST_STEPS = 400
_CARDS = "3C 8D 2H KS 9C 4D QH 5S 7C TD 6H AS JC 2D 8S 3H"


def play_on(pit: Attended) -> None:
    """Until a live round that begins from here on has settled; no step may be refused."""
    since, deck = pit.state.sequence, cycle(_CARDS.split())
    for _ in range(MOST_STEPS):
        opened = {e.data["round"] for e in pit.named("round.opened", since)}
        settled = {e.data["round"] for e in pit.named("round.settled", since)}
        if opened & settled:
            return
        _next(pit, deck)
        assert pit.state.halt is None or pit.state.halt.cause not in ("exception", "invariant")
    raise AssertionError(f"it leads nowhere: {pit.state.phase}, {prompts(pit.state)}")


def _next(pit: Attended, deck: Iterator[str]) -> None:
    state = pit.state
    silent = [device for device in state.devices if device.health != "online"]
    if silent:
        told = {"locked": True} if silent[0].kind == "progressive" else {}
        pit.device(silent[0].id, "online", **told)
    elif state.phase == "betting" and not state.round.live_wagers():
        if state.lock == "unlocked" or not state.devices_of("progressive"):
            pit.wager(1, player=1000).wager(4, banker=2000)
        if state.lock == "locked":
            pit.wager(1, player=1000)
        for device in state.devices_of("progressive"):
            pit.device(device.id, "unlocked")
    else:
        # Duties and chances come before the step of the round: what is asked first is done first.
        _follow(pit, prompts(state)[0].awaits, deck)


def _follow(pit: Attended, awaits: str, deck: Iterator[str]) -> None:
    if awaits == "card":
        pit.drawn(next(deck))
    elif awaits in ("locked", "held"):
        pit.device("bonus" if awaits == "locked" else "shoe", awaits)
    elif awaits == "receive_decks":
        pit.receive()
    else:
        pit.do(awaits, **_arguments(pit, awaits, deck))


def _arguments(pit: Attended, action: str, deck: Iterator[str]) -> dict[str, Any]:
    state = pit.state
    round_ = state.round
    hand = turning.next_hand(state) if round_ is not None else None
    match action:
        case "offer_cut":
            return {"seat": 9, "accepted": True}
        case "burn":
            return {} if state.shoe.discard or state.shoe.burn_due is not None else {"card": "3D"}
        case "hand_cards":
            hand = hand or "player"
            return {"seat": turning.entitled(state, hand), "hand": hand}
        case "reveal_dealer":
            return {"hand": hand}
        case "enter_card":
            return {"place": _place(pit, hand), "card": next(deck)}
        case "confirm_payment":
            return {"seat": pit.paying}
        case "collect_vigorish":
            return {"seat": state.shoe.owed[0][0]}
        case "settle_void_seat":
            return {"seat": round_.void_seats[0][0], "recovered": True}
        case "end_dispute":
            return {"seat": round_.disputes[0][0], "reason": "looked at"}
        case "correct_card":
            return {"draw": round_.cards[0].draw, "card": next(deck)}
        case "acknowledge_alarm":
            return {"id": state.alarms[0].id}
    return {}


def _place(pit: Attended, hand: str | None) -> str:
    """The place of the card that the prompt names, or the one that is due."""
    named = prompts(pit.state)[0].text.rstrip(".").rpartition(" ")[2]
    if "/" in named:
        return named.strip("()")
    round_ = pit.state.round
    unknown = [c.place for c in round_.cards if c.card is None and c.place.startswith(hand or "")]
    if unknown:
        return str(unknown[0])
    sizes = {name: len(round_.hand(name)) for name in ("player", "banker")}
    if sum(sizes.values()) < 4:
        return ("player/1", "banker/1", "player/2", "banker/2")[sum(sizes.values())]
    return "player/3" if "Player" in prompts(pit.state)[0].text else "banker/3"
