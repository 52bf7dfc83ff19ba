"""What a three-card table asks for: the next step in and between rounds, and whose it is."""

from typing import Any

from tablectl.table import method, stub
from tablectl.table.deck_clock import run_out
from tablectl.table.decks import READY, at_table, due_next, in_place
from tablectl.table.guards import wrong_hands
from tablectl.table.irregularities import FLOOR_ALARM
from tablectl.table.notices import about_devices, counting_words, unlocked_words, void_words
from tablectl.table.outputs import Prompt
from tablectl.table.phases import ROUND
from tablectl.table.service import OUT
from tablectl.table.state import Device, Payment, Round, State
from tablectl.table.three_card import wins
from tablectl.table.three_card.account import amount_is_known
from tablectl.table.three_card.game import is_poker
from tablectl.table.three_card.plan import dealer_is_inside, whose
from tablectl.table.words import next_for_deck, say

_UNTIL_REVEAL = ("dealing", "deciding", "examining")


def preparing(state: State) -> list[Prompt]:
    """Between rounds."""
    said = [prompt for deck in state.decks if (prompt := next_for_deck(state, deck))]
    if not at_table(state):
        said.append(say(state, "receive_decks", "receive_decks"))
    elif any(run_out(state, deck) for deck in at_table(state)):
        said.append(say(state, "change_decks", "change_decks"))
    elif stub.reached(state, in_place(state)):
        said.append(say(state, "count_overdue", "count_stub"))
    elif (device := _away(state)) and in_place(state) is not None:
        said.append(_before_bets(state, device))
    elif ROUND.can("open_bets", state.phase, state):
        said.append(say(state, "open_bets", "open_bets"))
    elif in_place(state) is None and (deck := due_next(state)):
        key = "load_hand" if method.dealing(state) == "hand" else "load_shoe"
        said.append(say(state, key, "load_shoe", values={"deck": deck.id}))
    elif not said and in_place(state) is None and ROUND.can("single_deck", state.phase, state):
        said.append(say(state, "single_deck", "single_deck", "floor"))
    if state.idle_told:
        said.append(say(state, "spread_idle", "spread_idle"))
    return said


def _away(state: State) -> Device | None:
    """A wagering device that is away or has a fault, or is out of order and seen to be so."""
    for device in state.devices_of("progressive"):
        if device.health in ("offline", "fault") or (device.health == OUT and device.confirmed):
            return device
    return None


def _before_bets(state: State, device: Device) -> Prompt:
    values = {"device": device.id, "health": device.health}
    if device.health == OUT:
        return say(state, "device_to_return", "return_to_service", "technician", values=values)
    return say(state, "device_before_bets", "online", "device", "TCP 2.C", values=values)


def in_round(state: State) -> list[Prompt]:
    """While a round is under way."""
    assert state.round is not None
    deck = state.deck(state.round.deck)
    if state.phase == "locked" and deck is not None and deck.preparation == "uncut":
        return []  # the cut is a duty, and asked for as one
    return [_stopped(state, state.round) or _next(state, state.round)]


def _stopped(state: State, round_: Round) -> Prompt | None:
    """What is decided or seen to before the round goes on."""
    if state.phase in ("locking", "locked", "dealing") and (prompt := unlocked_words(state)):
        return prompt
    if state.phase in _UNTIL_REVEAL and round_.doubt:
        return say(state, "card_read_twice", "correct_card", "floor")
    if state.phase in ("locked", "cancelling", *_UNTIL_REVEAL) and _floor_decides(state, round_):
        return say(state, "floor_decides", "void_round", "floor")
    if state.phase in ("locked", "cancelling", "dealing", "deciding"):
        waits = round_.stacks < len(round_.plan)
        ails = {d.id for d in state.devices_of("shoe") if d.health in ("offline", "fault")}
        told = (p for p in about_devices(state) if p.values["device"] in ails)
        return next(told, None) if waits else None
    return None


def _next(state: State, round_: Round) -> Prompt:
    match state.phase:
        case "betting" if _cannot_deal(state, round_):
            return _give_back(state, round_)
        case "betting":
            return say(state, "take_wagers", "no_more_bets")
        case "locking":
            return say(state, "wait_for_lock", "locked", "device", "TCP 10.A(2)")
        case "locked" if not round_.plan:
            return say(state, "nobody_wagers", "clear_round")
        case "locked" if round_.count in ("due", "mismatch"):
            return counting_words(state, round_)
        case "cancelling":
            return say(state, "wait_for_shoe", "held", "device")
        case "locked" | "dealing":
            return _dealing(state, round_)
        case "deciding" | "examining":
            return _before_reveal(state, round_)
        case "settling":
            return _settling(state, round_)
        case "clearing" if round_.disputes:
            seat = {"seat": round_.disputes[0][0]}
            return say(state, "paid_by_misread_card", "end_dispute", "floor", values=seat)
        case "clearing":
            return say(state, "clear_round", "clear_round")
    return void_words(state, round_)


def _cannot_deal(state: State, round_: Round) -> bool:
    """Before the lock nothing is void: a shoe that failed deals nothing, and the wagers go back."""
    deck = state.deck(round_.deck)
    return deck is not None and deck.preparation not in (*READY, "uncut")


def _give_back(state: State, round_: Round) -> Prompt:
    """A chip that a device accepted comes off that device."""
    if any(not wager.device for wager in round_.live_wagers()):
        return say(state, "shoe_cannot_deal", "remove_wager")
    if round_.live_wagers():
        return say(state, "shoe_cannot_deal", "withdrawn", "device", "TCP 7.E")
    return say(state, "shoe_cannot_deal", "clear_round")


def _floor_decides(state: State, round_: Round) -> bool:
    told = any(alarm.kind == FLOOR_ALARM for alarm in state.alarms)
    dealt = state.phase != "dealing" or round_.stacks == len(round_.plan)
    return told or (dealt and bool(wrong_hands(round_)))


def _dealing(state: State, round_: Round) -> Prompt:
    if method.deals_unseen(state):
        asked = round_.ante_seats()
        if stub.reached_by_next(state):
            return say(state, "deal_then_count", "count_stub")
        if is_poker(state) and asked:
            return say(state, "deal_then_ask", "play", values={"seat": asked[0]})
        return say(state, "deal_then_reveal", "reveal_dealer")
    automated = method.dealing(state) == "automated_shoe"
    what, clause = ("stack", "TCP 10.B") if automated else ("card", "TCP 8.E")
    whom, seat = whose(round_.plan[round_.stacks])
    values = {"seat": seat} if seat is not None else {}
    return say(state, f"{what}_to_{whom}", what, "device", clause, values=values)


def _before_reveal(state: State, round_: Round) -> Prompt:
    if round_.stub == "judge":
        return say(state, "judge_stub", "judge_stub")
    if dealer_is_inside(state):  # the stub and its count come after the dealer's stack
        return _ask(state, round_) or _take_dealer_stack(state)
    if stub.due(state):
        return say(state, "count_stub_again" if round_.stub else "count_stub", "count_stub")
    return _ask(state, round_) or say(state, "reveal_dealer", "reveal_dealer")


def _ask(state: State, round_: Round) -> Prompt | None:
    if round_.asked is None or round_.decision(round_.asked) is not None:
        return None
    return say(state, "ask_seat", "play", values={"seat": round_.asked})


def _take_dealer_stack(state: State) -> Prompt:
    return say(state, "take_dealer_stack", "stack", "device", "TCP 10.B(4)")


# ── settlement ─────────────────────────────────────────────────────────────
def _settling(state: State, round_: Round) -> Prompt:
    unknown = next((c for c in round_.cards if c.up and c.card is None), None)
    if round_.doubt:
        return say(state, "card_up_twice", "void_found_late", "floor")
    if round_.by_hand:
        return say(state, "settle_by_hand", "settle_by_hand", "floor")
    if unknown is not None:
        return say(state, "enter_card", "enter_card", values={"place": unknown.place})
    if not round_.due and round_.disputes:
        values = {"seat": round_.disputes[0][0]}
        return say(state, "end_dispute", "end_dispute", "floor", values=values)
    if won := wins.pending(round_):
        return _validating(state, won[0])
    return _paying(state, round_)


def _validating(state: State, won: Payment) -> Prompt:
    values: dict[str, Any] = {"seat": won.seat, "cents": won.line.returned}
    awaits = "validate_progressive"
    if won.line.meter is None:
        return say(state, "validate_win", awaits, "floor", values=values)
    values |= {"meter": won.line.meter}
    return say(state, "validate_meter", awaits, "floor", values=values)


def _paying(state: State, round_: Round) -> Prompt:
    seat, awaits = round_.turns[0], "confirm_payment"
    if not all(amount_is_known(round_, payment) for payment in round_.due):
        results = [_result(payment, seat) for payment in round_.due]
        return say(state, "by_odds", awaits, values={"seat": seat, "results": results})
    owed = sum(p.line.returned for p in round_.due if p.seat == seat)
    envy = [
        {"key": "envy_bonus", "values": {"seat": p.seat, "cents": p.line.returned}}
        for p in round_.due
        if p.seat != seat
    ]
    values: dict[str, Any] = {"seat": seat, "cents": owed, "others": envy}
    if owed:
        return say(state, "pay_seat_and_envy" if envy else "pay_seat", awaits, values=values)
    return say(state, "collect_seat_pay_envy" if envy else "collect_seat", awaits, values=values)


def _result(payment: Payment, turn: int) -> dict[str, Any]:
    """What becomes of a wager, where the amounts are the dealer's to know."""
    line = payment.line
    key = "result" if payment.seat == turn else "result_at_seat"
    values = {"seat": payment.seat, "wager": line.wager, "outcome": line.outcome}
    if line.odds:
        return {"key": f"{key}_with_odds", "values": {**values, "odds": line.odds}}
    return {"key": key, "values": values}
