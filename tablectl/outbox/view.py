"""The table as everybody may see it: one JSON object, on MQTT and at /api/state alike. Pure.

A face-down card is a place and a commitment; its value and its salt never get in here.
"""

from collections.abc import Iterable

from tablectl.journal.chain import rfc3339
from tablectl.outbox.shapes import (
    AlarmView,
    CardView,
    HandView,
    HeldView,
    RoundView,
    SeatView,
    StateView,
    WinView,
)
from tablectl.table.actions import allowed
from tablectl.table.prompts import prompts
from tablectl.table.state import Alarm, Round, State, TableCard
from tablectl.table.step import split_basis


def snapshot(state: State, *, unconfirmed: int) -> StateView:
    """The state for dashboards and pages. `unconfirmed`: events that no archive has confirmed."""
    round_ = state.round
    view: StateView = {
        "sequence": state.sequence,
        "time": rfc3339(state.clock.utc_ns),
        "phase": state.phase,
        "locked": state.lock == "locked",
        "halted": state.halt is not None,
        "round": _round(round_) if round_ else None,
        "seats": _seats(round_) if round_ else [],
        "prompts": [
            {
                "text": prompt.text,
                "awaits": prompt.awaits,
                "role": prompt.role,
                "clauses": list(prompt.clauses),
            }
            for prompt in prompts(state)
        ],
        "allowed": list(allowed(state)),
        "duties": [
            {
                "duty": duty.duty,
                "round": duty.round,
                "deck": duty.deck,
                "clauses": list(split_basis(duty.clauses)[0]),
            }
            for duty in state.duties
        ],
        "decks": [
            {
                "id": deck.id,
                "back": deck.back,
                "custody": deck.custody,
                "rounds_since_count": deck.rounds_since_count,
                "change_due": deck.overdue,
                "latched": deck.latched,
            }
            for deck in state.decks
        ],
        "devices": {
            device.id: {"kind": device.kind, "health": device.health} for device in state.devices
        },
        "alarms": [alarm_view(alarm) for alarm in state.alarms],
        "meters": {meter.name: meter.cents for meter in state.meters},
        "wins": _wins(round_) if round_ else [],
        "unconfirmed": unconfirmed,
        "last_hand": state.shoe is not None and state.shoe.ending == "last_hand",
    }
    # The hands that are no seat's: the dealer's, or the Player's and the Banker's.
    if state.shoe is None:
        view["dealer"] = _hand(round_, "dealer")
        if state.listens:
            view["hands"] = _seatless(round_) if round_ else []
    else:
        view["player"], view["banker"] = _hand(round_, "player"), _hand(round_, "banker")
    return view


def alarm_view(alarm: Alarm) -> AlarmView:
    """An alarm, as it stands in the state and on its own topic."""
    return {
        "id": alarm.id,
        "kind": alarm.kind,
        "severity": alarm.severity,
        "what": alarm.what,
        "since": rfc3339(alarm.since_ns),
        "acknowledged": alarm.acknowledged,
    }


def cards(hand: Iterable[TableCard]) -> list[CardView]:
    """Cards as they lie: the value only of those that lie face up."""
    return [
        {
            "place": card.place,
            "card": card.card if card.up else None,
            "commitment": card.commitment,
        }
        for card in hand
    ]


def _hand(round_: Round | None, name: str) -> HandView:
    return {"cards": cards(round_.hand(name)) if round_ else []}


def _seatless(round_: Round) -> list[HeldView]:
    """Hands whose seat is not known, in order; 0 are cards of which not even the hand is known."""
    dealt = [c for c in round_.cards if c.place.startswith(("hand/", "deal/"))]
    of = [int(c.place.split("/")[1]) if c.place.startswith("hand/") else 0 for c in dealt]
    return [
        {"hand": number, "cards": cards(c for c, n in zip(dealt, of, strict=True) if n == number)}
        for number in sorted(set(of))
    ]


def _round(round_: Round) -> RoundView:
    return {"number": round_.number, "kind": round_.kind, "deck": round_.deck}


def _wins(round_: Round) -> list[WinView]:
    """Progressive wins of the seat that is settled: PENDING until the floor has validated them."""
    return [
        {
            "seat": won.seat,
            "wager": won.line.wager,
            "meter": won.line.meter,
            "cents": won.line.returned,
            "status": "VALIDATED" if (won.seat, won.line.wager) in round_.validated else "PENDING",
        }
        for won in round_.due
        if (won.line.meter or won.line.wager.endswith("progressive")) and won.line.returned
    ]


def _seats(round_: Round) -> list[SeatView]:
    """Every seat that has a part in the round, in order."""
    holding = {int(c.place.split("/")[1]) for c in round_.cards if c.place.startswith("seat/")}
    taking_part = {wager.seat for wager in round_.wagers} | holding
    return [
        {
            "seat": seat,
            "wagers": {wager.wager: wager.shown for wager in round_.live_wagers(seat)},
            "decision": round_.decision(seat),
            "cards": cards(round_.hand(f"seat/{seat}")),
        }
        for seat in sorted(taking_part)
    ]
