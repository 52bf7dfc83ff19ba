"""What people report (MIDI 13): the ruling is shown first, and done with `confirm`."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tablectl.cards import UnknownCard, parse_card
from tablectl.table.devices import failed
from tablectl.table.inputs import ReadCard
from tablectl.table.irregularities import void
from tablectl.table.midi import dealing
from tablectl.table.midi.guards import by_hand
from tablectl.table.midi.irregularities import (
    RULINGS,
    carry,
    carry_new,
    discard_shown,
    disclose_carried,
    report,
)
from tablectl.table.midi.shoe import (
    draw,
    filled,
    hands_of,
    lay,
    rules_of,
    seen,
    shoe_of,
    turn_up,
    update_hands,
)
from tablectl.table.midi.state import BEFORE_A_CARD, FIRST_FOUR, PLACES, MidiHands
from tablectl.table.outputs import Ruling
from tablectl.table.phases import ROUND
from tablectl.table.state import Round, TableCard
from tablectl.table.step import HOUSE, Refused, Step, quoted

_UNREAD = ReadCard(None, "")  # a card that no reader saw


def _shown_first(step: Step, case: str, args: Mapping[str, Any]) -> bool:
    """Whether the ruling is only shown so far; it is done with `confirm`."""
    if args.get("confirm"):
        return False
    row = RULINGS[case]
    step.ruling = Ruling(row.ruling, tuple(c for c in row.clauses if c != HOUSE))
    return True


def _value(args: Mapping[str, Any]) -> ReadCard:
    """A card that no reader saw, named or not."""
    if args.get("card") is None:
        return _UNREAD
    try:
        return ReadCard(parse_card(args["card"]), "")
    except UnknownCard as error:
        raise Refused(str(error), malformed=True) from None


# ── drawn in error, not disclosed (MIDI 13.A, 13.B) ────────────────────────
def drawn_in_error(step: Step, args: Mapping[str, Any]) -> None:
    """Without a reader the dealer says that a card came out for no hand."""
    third = args.get("place") == "player/3"
    if third:
        _third_could_be_dealt(step, "player/3")
    due = dealing.place_due(step)
    if third and due == "player/3":
        raise Refused("a third card is due to the Player's hand", "MIDI 10.B(1)")
    to_banker = third and due == "banker/3"
    case = "third_to_banker" if to_banker else "third_kept" if third else "drawn_in_error"
    if _shown_first(step, case, args):
        return
    if to_banker:
        evidence = lay(step, draw(step, _UNREAD, "banker/3"), "MIDI 13.B(1)", inferred=True)
        update_hands(step, stray=step.round.cards[-1].draw)
    else:
        taken, evidence = carry_new(step, _UNREAD)
        if third and step.state.round is not None:
            update_hands(step, stray=taken.draw)
    report(step, case, "The dealer drew a card that was not due.", [evidence])


def _third_could_be_dealt(step: Step, place: str) -> None:
    if step.state.phase not in ("drawing", "settling", "clearing"):
        raise Refused(f"the hands are not up: no card can be at {place}", "MIDI 9.B(1)")
    if step.round.kind != "live":
        raise Refused("in a simulated round every card is turned up", "MIDI 13.D(2)")


# ── disclosed (MIDI 13.C, 13.D) ────────────────────────────────────────────
def exposed(step: Step, args: Mapping[str, Any], kind: str = "disclosed_card") -> None:
    """A card was disclosed as it was dealt, or while it waits. `place` is where it was dealt to."""
    place = args["place"]
    card = _face_down(step, place)
    if step.state.phase == "voided" and card is not None and card not in step.state.carried:
        raise Refused("the round is void: its cards are gathered, shown or not", HOUSE)
    if card is not None:
        case = _case(step, card, place)
    elif place in PLACES and by_hand(step.state):
        case = _case_unseen(step, place)
    else:
        raise Refused(f"{quoted(place)} is no card that lies face down", malformed=True)
    if _shown_first(step, case, args):
        return
    if card is None:
        card = _comes_out(step, place, _value(args))
    elif card.card is None and args.get("card") is not None:
        card = _named(step, card, _value(args))
    _carry_out(step, case, card)
    report(step, case, "A card was disclosed.", [step.state.sequence], kind=kind)


def _face_down(step: Step, place: str) -> TableCard | None:
    """The card that is meant. A third card may lie elsewhere than it was dealt to: where it was due
    (MIDI 13.B(1)), or among the cards that are kept (13.A, 13.B(2))."""
    found = dealing.on_layout(step, place)
    if found is not None and not found.up:
        return found
    round_ = step.state.round
    if round_ is None or not place.endswith("/3"):
        return None
    kept = [c for c in (*round_.cards, *step.state.carried) if not c.up]
    other = {"player/3": "banker/3", "banker/3": "player/3"}.get(place)
    stray = hands_of(step).stray
    return next((c for c in kept if c.place == other or c.draw == stray), None)


def _case(step: Step, card: TableCard, place: str) -> str:
    """Which ruling a disclosed card falls under."""
    if card.place.startswith("carried/"):
        return _case_carried(step, card, place)
    dealt_to_player = place == "player/3" or hands_of(step).stray == card.draw
    if card.place == "banker/3" and dealt_to_player:
        return "shown_third_to_banker"
    if card.place in FIRST_FOUR and _is_being_turned(step):
        return "shown_plays"
    return _case_due(step, card.place)


def _case_due(step: Step, place: str) -> str:
    """A card that was due: the first of its round, or a later one (MIDI 13.D)."""
    whole = rules_of(step).exposed_due_card == "simulated_round"
    return "shown_first" if whole or place == PLACES[0] else "shown_later"


def _is_being_turned(step: Step) -> bool:
    """Once a hand was handed on, a card that shows was not disclosed as it was dealt."""
    hands = hands_of(step)
    up = any(card.up for card in step.round.cards)
    return bool(hands.handed or hands.passed or up)


def _case_carried(step: Step, card: TableCard, place: str) -> str:
    rules, round_ = rules_of(step), step.state.round
    if round_ is not None and hands_of(step).stray == card.draw and place != "banker/3":
        both = {"discard_with_next": "shown_third_discarded"}
        return both.get(rules.disclosed_card, "shown_third_simulated")
    if round_ is None or step.state.phase not in BEFORE_A_CARD:
        return "shown_between"
    # It would be a card of this round; another that is kept unseen may go before it.
    first = next(c for c in step.state.carried if not c.up)
    whole = rules.exposed_due_card == "simulated_round"
    return "shown_first" if whole or first is card else "shown_between"


def _case_unseen(step: Step, place: str) -> str:
    """From a plain shoe the report itself says that the card has come out."""
    due, phase = dealing.place_due(step), step.state.phase
    if place in FIRST_FOUR:
        if phase not in ("locked", "cancelling", "dealing") or place in filled(step) or not due:
            raise Refused(f"no card is due at {place}", "MIDI 8.C")
        return _case_due(step, place)
    _third_could_be_dealt(step, place)
    if due == "banker/3" and place == "player/3":
        return "shown_third_to_banker"
    if due is not None:  # the Banker served before a due Player's card: it is the Player's
        return _case_due(step, due)
    if place == "banker/3":
        return "shown_between"
    both = {"discard_with_next": "shown_third_discarded"}
    return both.get(rules_of(step).disclosed_card, "shown_third_simulated")


def _comes_out(step: Step, place: str, read: ReadCard) -> TableCard:
    """It is laid where it is due, after those of the first four that came before; else kept."""
    while (due := dealing.place_due(step)) is not None and place in FIRST_FOUR and due != place:
        dealing.infer(step, due, _UNREAD)
    if due is None:
        return carry_new(step, read)[0]
    return dealing.infer(step, due, read)


def _carry_out(step: Step, case: str, card: TableCard) -> None:
    waiting = card.place.startswith("carried/")
    if case == "shown_third_discarded":
        discard_shown(step, card)
    elif waiting:
        disclose_carried(step, card)
    elif case == "shown_third_to_banker":
        turn_up(step, (card.place,), "MIDI 13.C(1)")
    elif case == "shown_plays":
        turn_up(step, (card.place,), HOUSE)
    elif case == "shown_first":
        # All that was dealt goes into the simulated round, in its order.
        for each in step.round.cards:
            carry(step, each, "MIDI 13.D(1)", up=True if each.draw == card.draw else None)
    else:
        carry(step, card, "MIDI 13.D(1)", up=True)
        if step.state.phase == "turning":
            step.update(phase=ROUND.fire("-replaces", "turning", step.state))


def _named(step: Step, card: TableCard, read: ReadCard) -> TableCard:
    """The dealer says what the disclosed card is, where no reader did."""
    known = replace(card, card=read.card)
    step.update(carried=tuple(known if c.draw == card.draw else c for c in step.state.carried))
    if step.state.round is not None:
        cards = tuple(known if c.draw == card.draw else c for c in step.round.cards)
        step.update_round(cards=cards)
    if read.card is not None:
        seen(step, read.card)
    return known


def face_up(step: Step, args: Mapping[str, Any]) -> None:
    """A card was found face up in the shoe (MIDI 13.C, 13.D)."""
    if args.get("cards", 1) != 1:
        raise Refused("report one card at a time, as it is found", malformed=True)
    if args.get("place") is not None:
        exposed(step, args, "face_up_card")
        return
    if not by_hand(step.state):
        raise Refused("draw it, and name the place where it lies (place)", malformed=True)
    before = step.state.phase in BEFORE_A_CARD
    due = dealing.place_due(step)
    case = "shown_between"
    if before and not any(not card.up for card in step.state.carried):
        case = "shown_first"
    elif due is not None and step.state.phase != "simulating":
        case = _case_due(step, due)
    if _shown_first(step, case, args):
        return
    if case == "shown_first":
        for each in step.round.cards:
            carry(step, each, "MIDI 13.D(1)")
    _, evidence = carry_new(step, _value(args), up=True)
    report(step, case, "A card was found face up in the shoe.", [evidence], kind="face_up_card")


def begin_simulated_round(step: Step, _args: Mapping[str, Any]) -> None:
    """A round without wagers begins with the disclosed card (MIDI 13.D(1))."""
    number = step.state.rounds + 1
    assert step.state.shoe is not None
    deck = step.state.shoe.id
    step.update(rounds=number, round=Round(number, deck, kind="simulated", midi=MidiHands()))
    data = {"round": number, "kind": "simulated", "deck": deck}
    step.emit("round.opened", data, "MIDI 13.D(1)")


# ── voids ──────────────────────────────────────────────────────────────────
def cards_run_out(step: Step, args: Mapping[str, Any]) -> None:
    """The shoe cannot complete the round (MIDI 13.E)."""
    if not _shown_first(step, "cards_run_out", args):
        left = shoe_of(step).size - shoe_of(step).drawn
        what = f"The cards in the shoe did not suffice for the round; by the count it holds {left}."
        report(step, "cards_run_out", what)


def jam(step: Step, args: Mapping[str, Any]) -> None:
    """The shoe jammed: the cards go on in their order, or the order is lost."""
    device = step.state.device(args["device"]) if args.get("device") is not None else None
    if args.get("device") is not None and (device is None or device.kind != "shoe"):
        raise Refused(f"{quoted(args['device'])} is no shoe of this table", malformed=True)
    case = "order_lost" if args.get("order_lost") else "shoe_jam"
    open_round = step.state.round is not None
    voidable = ROUND.row("-void", step.state.phase, step.state) is not None
    if case == "order_lost" and open_round and not voidable:
        raise Refused("the round is decided: settle it, then change the decks", HOUSE)
    if case == "order_lost" and step.events[-1].data["role"] != "floor":
        raise Refused("the floor says that the order is lost", HOUSE, role=True)
    if _shown_first(step, case, args):
        return
    what = "The dealer reports that the shoe jammed."
    evidence = [failed(step, device, what)] if device is not None else []
    report(step, case, what, evidence)


def void_round(step: Step, args: Mapping[str, Any]) -> None:
    """The floor's discretion: no clause, a reason; cards that nobody trusts are replaced."""
    if hands_of(step).doubts:
        step.open_duty("change_decks", "MIDI 3.A")
    void(step, "floor", (HOUSE,), deck_duty=None, why=args["reason"])
