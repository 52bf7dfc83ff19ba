"""Who turns the hands over (MIDI 8.D to 8.I), and the cards that are turned.

The right belongs to the highest wager on a hand, then to whoever sits closest to the dealer,
counterclockwise; given up, it goes round once, and then to the dealer. Amounts that the table does
not know decide nothing: there the dealer names the seat.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from tablectl.table.midi.shoe import (
    hand as known_hand,
)
from tablectl.table.midi.shoe import (
    hands_of,
    replace_card,
    rules_of,
    turn_up,
    update_hands,
)
from tablectl.table.midi.state import HANDS
from tablectl.table.state import Round, State, TableCard
from tablectl.table.step import HOUSE, Refused, Step, quoted

_HANDED = {"player": "MIDI 8.D(2)", "banker": "MIDI 8.D(4)"}
_TURNED = {
    "player": ("MIDI 8.D(3)", "MIDI 9.A"),
    "banker": ("MIDI 8.D(5)(a)", "MIDI 8.D(5)(b)", "MIDI 9.A"),
}
_THIRD = {"player": "MIDI 8.E(1)", "banker": "MIDI 8.F(1)"}
_TURNED_THIRD = {"player": "MIDI 8.E(2)", "banker": "MIDI 8.F(2)"}


def counterclockwise(state: State, seats: Iterable[int]) -> list[int]:
    """Seats from the dealer on, counterclockwise around the table (MIDI 8.G, 8.H)."""
    return sorted(seats, reverse=rules_of(state).seat_order == "from_dealers_left")


def entitled(state: State, hand: str) -> int | None:
    """The seat that may turn a hand over; None: the dealer does."""
    round_ = state.round
    assert round_ is not None
    passed = [seat for name, seat in _hands(round_).passed if name == hand]
    on_it = {w.seat: w.cents for w in round_.live_wagers() if w.wager == hand}
    if not on_it:
        return None  # nobody bet on that hand
    if not passed:
        highest = max(on_it.values())
        return counterclockwise(state, [s for s, cents in on_it.items() if cents == highest])[0]
    # Given up: to the next player on the right, once round everybody who has a wager (MIDI 8.I).
    order = counterclockwise(state, {w.seat for w in round_.live_wagers()})
    start = order.index(passed[0]) if passed[0] in order else 0
    rest = [seat for seat in (*order[start:], *order[:start]) if seat not in passed]
    return rest[0] if rest else None


def _hands(round_: Round) -> Any:
    assert round_.midi is not None
    return round_.midi


def amounts_known(state: State) -> bool:
    """Whether the table itself can say whose wager is the highest."""
    return state.setup is not None and state.setup.tracking == "wagers"


def next_hand(state: State) -> str | None:
    """The hand with a card that lies face down: the Player's first (MIDI 8.D)."""
    assert state.round is not None
    for hand in HANDS:
        if any(not card.up or card.card is None for card in state.round.hand(hand)):
            return hand
    return None


def _check_hand(hand: str) -> None:
    if hand not in HANDS:
        raise Refused(f"{quoted(hand)} is no hand: player or banker", malformed=True)


def hand_cards(step: Step, args: Mapping[str, Any]) -> None:
    """The dealer hands two cards, face down, to the player who may turn them (MIDI 8.D)."""
    seat, hand = args["seat"], args["hand"]
    _check_hand(hand)
    if hand != next_hand(step.state):
        raise Refused("the Player's hand comes first, then the Banker's", _HANDED[hand])
    due, holder = entitled(step.state, hand), hands_of(step).holder(hand)
    if holder is not None:
        clause = _THIRD[hand] if third_card_down(step, hand) else _HANDED[hand]
        raise Refused(f"seat {holder} was handed that hand: it turns it, or gives it up", clause)
    in_it = {w.seat for w in step.round.live_wagers()}
    if seat not in in_it:
        raise Refused(f"seat {seat} has no wager in this round", _HANDED[hand])
    passed = any(name == hand for name, _ in hands_of(step).passed)
    on_it = {w.seat for w in step.round.live_wagers() if w.wager == hand}
    if not amounts_known(step.state) and not passed and seat not in on_it:
        whom = "name a seat that did" if on_it else "turn it yourself"
        raise Refused(f"seat {seat} did not bet on the {hand.title()}: {whom}", _HANDED[hand])
    if amounts_known(step.state) and seat != due:
        whose = f"seat {due} has the right to it" if due else "nobody bet on it: turn it yourself"
        tie = "MIDI 8.G" if hand == "player" else "MIDI 8.H"
        raise Refused(f"the {hand.title()}'s hand: {whose}", _HANDED[hand], tie)
    handed = dict(hands_of(step).handed) | {hand: seat}
    update_hands(step, handed=tuple(sorted(handed.items())))
    data = {"round": step.round.number, "seat": seat, "hand": hand}
    step.emit("seat.handed", data, _THIRD[hand] if third_card_down(step, hand) else _HANDED[hand])


def relinquish(step: Step, args: Mapping[str, Any]) -> None:
    """A player gives the right up, or must; it goes to the next on the right (MIDI 8.I)."""
    seat, hand = args["seat"], next_hand(step.state)
    if hand is None:
        raise Refused("no hand is left to turn over", "MIDI 8.I")
    holder = hands_of(step).holder(hand)
    if holder is None:
        holder = entitled(step.state, hand)
        if _dealer_names(step, hand) and seat in _bet_on(step.round, hand):
            holder = seat  # whose wager is the highest, the dealer knows
    if seat != holder:
        whose = f"seat {holder}" if holder else "the dealer"
        raise Refused(f"{whose} has the right to the {hand.title()}'s hand", "MIDI 8.I")
    handed = tuple(h for h in hands_of(step).handed if h[0] != hand)
    update_hands(step, handed=handed, passed=(*hands_of(step).passed, (hand, seat)))
    to = entitled(step.state, hand)
    data = {"round": step.round.number, "seat": seat, "hand": hand, "to": to}
    clause = "MIDI 8.I(2)" if to else "MIDI 8.I(3)(b)"
    step.emit("seat.relinquished", data, "MIDI 8.I(1)", clause)


def _dealer_names(step: Step, hand: str) -> bool:
    """Amounts are not known, and nobody gave the hand up yet: the table asserts nothing."""
    passed = any(name == hand for name, _ in hands_of(step).passed)
    return not amounts_known(step.state) and not passed


def _bet_on(round_: Round, hand: str) -> set[int]:
    return {w.seat for w in round_.live_wagers() if w.wager == hand}


def reveal(step: Step, args: Mapping[str, Any]) -> None:
    """A hand, or its third card, came back and lies face up (MIDI 8.D(3), 8.D(5), 8.E, 8.F)."""
    hand = args.get("hand") or next_hand(step.state) or "player"
    _check_hand(hand)
    down = [c for c in step.round.hand(hand) if not c.up]
    if not down:
        raise Refused(f"no card of the {hand.title()}'s hand lies face down", _HANDED[hand])
    if hand != next_hand(step.state):
        raise Refused("the Player's hand is turned first", "MIDI 8.D(3)", "MIDI 8.D(4)")
    check_handed(step, hand)
    third = [c.place for c in down if c.place.endswith("/3")]
    clauses = (_TURNED_THIRD[hand],) if third else _TURNED[hand]
    turn_up(step, tuple(c.place for c in down), *clauses)


def check_handed(step: Step, hand: str) -> None:
    """The cards go through the hands of whoever has the right to them, first."""
    due = entitled(step.state, hand)
    if due is None or hands_of(step).holder(hand) is not None:
        return
    # A third card goes to whoever turned the hand; only where that was given up, to the next.
    passed = any(name == hand for name, _ in hands_of(step).passed)
    if third_card_down(step, hand) and not passed:
        return
    if all(card.up for card in step.round.hand(hand)):
        return  # what is missing is a card that nobody could read
    whom = f"seat {due}" if amounts_known(step.state) else "the highest wager on it"
    raise Refused(
        f"hand the {hand.title()}'s cards to {whom} first (hand_cards), or take the right "
        "away (relinquish)",
        _HANDED[hand],
    )


def third_card_down(step: Step, hand: str) -> bool:
    """Whether the hand's third card lies face down."""
    return any(c.place == f"{hand}/3" and not c.up for c in step.round.cards)


def enter(step: Step, place: str, card: Any) -> TableCard:
    """A card that no reader told lies face up: the dealer says what it is."""
    found = next((c for c in step.round.cards if c.place == place), None)
    if found is None or found.card is not None:
        raise Refused(f"{quoted(place)} is no card that is unknown", malformed=True)
    entered = replace(found, card=card, up=True)
    replace_card(step, entered)
    data = {"round": step.round.number, "draw": found.draw, "place": place, "card": card}
    step.emit("card.revealed", {**data, "salt": None, "entered": True}, HOUSE)
    return entered


def both_up(step: Step) -> bool:
    """Whether every card on the layout lies face up and is known."""
    return next_hand(step.state) is None and all(len(known_hand(step, h)) >= 2 for h in HANDS)
