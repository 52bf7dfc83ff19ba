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
from tablectl.table.midi.shoe import draw, hands_of, lay, rules_of, turn_up, update_hands
from tablectl.table.midi.state import PLACES, MidiHands
from tablectl.table.outputs import Ruling
from tablectl.table.phases import ROUND
from tablectl.table.state import Round, TableCard
from tablectl.table.step import HOUSE, Refused, Step, quoted

_BEFORE_A_CARD = ("betting", "locking", "locked", "cancelling")


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
        return ReadCard(None, "")
    try:
        return ReadCard(parse_card(args["card"]), "")
    except UnknownCard as error:
        raise Refused(str(error), malformed=True) from None


# ── drawn in error, not disclosed (MIDI 13.A, 13.B) ────────────────────────
def drawn_in_error(step: Step, args: Mapping[str, Any]) -> None:
    """Without a reader the dealer says that a card came out for no hand."""
    third = args.get("place") == "player/3"
    two_each = step.state.phase in ("drawing", "settling", "clearing")
    if third and not two_each:
        raise Refused("the hands are not up: no third card can be due yet", "MIDI 9.B(1)")
    if third and dealing.place_due(step) == "player/3":
        raise Refused("a third card is due to the Player's hand", "MIDI 10.B(1)")
    to_banker = third and dealing.place_due(step) == "banker/3"
    case = "third_to_banker" if to_banker else "third_kept" if third else "drawn_in_error"
    if _shown_first(step, case, args):
        return
    read = ReadCard(None, "")
    if to_banker:
        evidence = lay(step, draw(step, read, "banker/3"), "MIDI 13.B(1)", inferred=True)
    else:
        taken, evidence = carry_new(step, read)
        if third and step.state.round is not None:
            update_hands(step, stray=taken.draw)
    report(step, case, "The dealer drew a card that was not due.", [evidence])


# ── disclosed (MIDI 13.C, 13.D) ────────────────────────────────────────────
def exposed(step: Step, args: Mapping[str, Any], kind: str = "disclosed_card") -> None:
    """A card was disclosed as it was dealt, or while it waits."""
    place = args["place"]
    card = dealing.on_layout(step, place)
    if card is None and place == "player/3" and by_hand(step.state):
        _exposed_third(step, args, kind)
        return
    if card is None or card.up:
        raise Refused(f"{quoted(place)} is no card that lies face down", malformed=True)
    case = _case(step, card)
    if _shown_first(step, case, args):
        return
    if card.card is None and args.get("card") is not None:
        card = _named(step, card, _value(args))
    _carry_out(step, case, card)
    report(step, case, "A card was disclosed.", [step.state.sequence], kind=kind)


def _case(step: Step, card: TableCard) -> str:
    """Which ruling a disclosed card falls under."""
    rules, round_ = rules_of(step), step.state.round
    stray = round_ is not None and hands_of(step).stray == card.draw
    if card.place.startswith("carried/"):
        if stray:
            both = {"discard_with_next": "shown_third_discarded"}
            return both.get(rules.disclosed_card, "shown_third_simulated")
        before = round_ is not None and step.state.phase in _BEFORE_A_CARD
        return "shown_first" if before else "shown_between"
    if stray:
        return "shown_third_to_banker"
    if card.place == PLACES[0] or rules.exposed_due_card == "simulated_round":
        return "shown_first"
    return "shown_later"


def _carry_out(step: Step, case: str, card: TableCard) -> None:
    waiting = card.place.startswith("carried/")
    if case == "shown_third_discarded":
        discard_shown(step, card)
    elif waiting:
        disclose_carried(step, card)
    elif case == "shown_third_to_banker":
        turn_up(step, (card.place,), "MIDI 13.C(1)")
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
    return known


def _exposed_third(step: Step, args: Mapping[str, Any], kind: str) -> None:
    """Without a reader: a third card that nothing authorised lies open at the Player's hand."""
    if step.state.phase not in ("drawing", "settling", "clearing"):
        raise Refused("the hands are not up: no third card can be there", "MIDI 9.B(1)")
    due = dealing.place_due(step)
    if due == "player/3":
        raise Refused("a third card is due to the Player's hand: enter it", "MIDI 10.B(1)")
    if due == "banker/3":
        case = "shown_third_to_banker"
    elif rules_of(step).disclosed_card == "discard_with_next":
        case = "shown_third_discarded"
    else:
        case = "shown_third_simulated"
    if _shown_first(step, case, args):
        return
    read = _value(args)
    if due == "banker/3":
        evidence = lay(step, draw(step, read, "banker/3"), "MIDI 13.C(1)", inferred=True)
        turn_up(step, ("banker/3",), "MIDI 13.C(1)")
    else:
        taken, evidence = carry_new(step, read)
        _carry_out(step, case, taken)
    report(step, case, "A third card that was not due was disclosed.", [evidence], kind=kind)


def face_up(step: Step, args: Mapping[str, Any]) -> None:
    """A card was found face up in the shoe (MIDI 13.C, 13.D)."""
    if args.get("cards", 1) != 1:
        raise Refused("report one card at a time, as it is found", malformed=True)
    if args.get("place") is not None:
        exposed(step, args, "face_up_card")
        return
    if not by_hand(step.state):
        raise Refused("draw it, and name the place where it lies (place)", malformed=True)
    before = step.state.phase in _BEFORE_A_CARD
    due = dealing.place_due(step)
    whole = rules_of(step).exposed_due_card == "simulated_round" and due is not None
    first = before or (step.state.round is not None and (due == PLACES[0] or whole))
    case = "shown_first" if first else "shown_later" if due else "shown_between"
    if _shown_first(step, case, args):
        return
    if first and not before:
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
        report(step, "cards_run_out", "The cards in the shoe did not suffice for the round.")


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
    if _shown_first(step, case, args):
        return
    what = "The dealer reports that the shoe jammed."
    evidence = [failed(step, device, what)] if device is not None else []
    report(step, case, what, evidence)


def void_round(step: Step, args: Mapping[str, Any]) -> None:
    """The floor's discretion: no clause, a reason; cards that nobody trusts are replaced."""
    doubtful = bool(hands_of(step).doubts)
    void(step, "floor", (HOUSE,), deck_duty=None, why=args["reason"])
    if doubtful:
        step.open_duty("change_decks", "MIDI 3.A")
