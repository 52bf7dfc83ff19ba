"""A Midi round in doubt: a hand disputed, a card corrected, or the round void, found late.

House procedure, as at every table (table/disputes.py). A disputed seat waits, and so does every
later claim on its meter; the others are paid. A corrected card may entitle other hands to what was
dealt after the first four: those cards then go where chapters 10 and 13 want them.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from tablectl.cards import Card, UnknownCard, parse_card
from tablectl.games import midi_third_cards as chapter_10
from tablectl.games.midi_baccarat_checks import check_hands
from tablectl.games.settlement import SettleError
from tablectl.table import disputes, must_hit
from tablectl.table.irregularities import Row
from tablectl.table.midi import settling, vigorish
from tablectl.table.midi.guards import turn
from tablectl.table.midi.irregularities import RULINGS, carry, discard_shown, report
from tablectl.table.midi.shoe import hand, rules_of, seen, shoe_of, unseen, update_hands
from tablectl.table.outputs import Ruling
from tablectl.table.state import TableCard
from tablectl.table.step import HOUSE, Refused, Step, quoted

# What makes a round void although it is found only after the result, and its ruling.
CAUSES: Final[Mapping[str, str]] = {
    "disclosed_card": "shown_first",
    "face_up_card": "shown_first",
    "cards_run_out": "cards_run_out",
    "shoe_jam": "order_lost",
    "impossible_card": "impossible_card",
}
_LATE: Final = "wagers go back, what was paid is taken back"


# ── disputes ───────────────────────────────────────────────────────────────
def dispute(step: Step, args: Mapping[str, Any]) -> None:
    """A seat's hand is looked into at its turn; where its wagers have ended, until the cards go."""
    seat, round_ = args["seat"], step.round
    if seat in dict(round_.disputes):
        raise Refused(f"seat {seat} is in dispute already", HOUSE)
    if seat in round_.turns and seat != turn(round_):
        raise Refused(f"seat {seat}'s hand is disputed at its own turn", "MIDI 11.B(3)", HOUSE)
    if seat not in {wager.seat for wager in round_.wagers}:
        raise Refused(f"seat {seat} has no wager in this round", HOUSE)
    meters = [p.line.meter for p in round_.due if p.seat == seat and p.line.meter is not None]
    disputes.begin(step, args, tuple(meters))


# ── misread cards ──────────────────────────────────────────────────────────
def correct_card(step: Step, args: Mapping[str, Any]) -> None:
    """Floor and surveillance together: a card that lies face up was read or entered wrong."""
    try:
        value = parse_card(args["card"])
    except UnknownCard as error:
        raise Refused(str(error), malformed=True) from None
    card = next((c for c in step.round.cards if c.draw == args["draw"]), None)
    if card is None or not card.up or card.card in (None, value):
        raise Refused(f"draw {args['draw']} is no face-up card with another value", malformed=True)
    _put(step, card, value)
    if not step.round.revealed:
        _thirds_again(step)
    elif step.state.phase == "settling" and not step.round.paid and _complete(step):
        settling.reckon(step)  # no money has moved: the open seats are paid by the right cards
    elif step.round.wagers:
        disputes.settled_by_hand(step, sorted({payment.seat for payment in step.round.paid}))


def _put(step: Step, card: TableCard, value: Card) -> None:
    assert card.card is not None
    disputes.put_card(step, replace(card, card=value))
    unseen(step, card.card)
    seen(step, value)
    data = {"round": step.round.number, "draw": card.draw, "place": card.place, "card": value}
    step.emit("card.corrected", {**data, "was": card.card}, HOUSE)
    shoe, known = shoe_of(step), [c.card for c in step.round.cards if c.card is not None]
    if all(shoe.copies(each) <= shoe.decks for each in known):
        update_hands(step, doubts=())


def _complete(step: Step) -> bool:
    """Whether both hands have what chapter 10 gives them."""
    try:
        check_hands(hand(step, "player"), hand(step, "banker"))
    except SettleError:
        return False
    return True


def _thirds_again(step: Step) -> None:
    """By the corrected cards, to whom do the third cards belong? In the order of their draws."""
    hands = {name: list(hand(step, name)[:2]) for name in ("player", "banker")}
    if any(len(two) < 2 for two in hands.values()):
        return
    thirds = [c for c in step.round.cards if c.place.endswith("/3")]
    places = {}
    for card in thirds:
        side = chapter_10.next_due(hands["player"], hands["banker"]).side
        places[card.draw] = f"{side}/3" if side else None
        if side and card.card is not None:
            hands[side].append(card.card)
    for card in thirds:
        if places[card.draw] is None:
            _not_due(step, card)
    moved = {draw: to for draw, to in places.items() if to is not None}
    cards = tuple(replace(c, place=moved.get(c.draw, c.place)) for c in step.round.cards)
    step.update_round(cards=cards)
    for card in thirds:
        to = moved.get(card.draw, card.place)
        if to != card.place:
            _goes_over(step, card, to)


def _goes_over(step: Step, card: TableCard, to: str) -> None:
    """A third card that belongs to the other hand (13.B(1), 13.C(1)), or to the Player first."""
    case = "third_to_player"
    if to == "banker/3":
        case = "shown_third_to_banker" if card.up else "third_to_banker"
    data = {"round": step.round.number, "draw": card.draw, "from": card.place, "to": to}
    sequence = step.emit("card.moved", data, *RULINGS[case].clauses)
    what = "By the corrected cards this third card belongs to the other hand."
    report(step, case, what, [sequence])


def _not_due(step: Step, card: TableCard) -> None:
    """No hand is due it: unseen it begins the next hand, disclosed as 13.C(2) and 13.D have it."""
    case = "third_kept" if card.place == "player/3" else "drawn_in_error"
    if card.up:
        case = "shown_between"
        if card.place == "player/3":
            both = {"discard_with_next": "shown_third_discarded"}
            case = both.get(rules_of(step).disclosed_card, "shown_third_simulated")
    if case == "shown_third_discarded":
        step.update_round(cards=tuple(c for c in step.round.cards if c.draw != card.draw))
        discard_shown(step, card)
    else:
        carry(step, card, *RULINGS[case].clauses)
    what = "By the corrected cards no hand was due this third card."
    report(step, case, what, [step.state.sequence])


# ── void, found late ───────────────────────────────────────────────────────
def void_found_late(step: Step, args: Mapping[str, Any]) -> None:
    """The ruling is shown first; confirmed, the list says what each seat is to get or give."""
    cause = args["cause"]
    if cause not in CAUSES:
        known = ", ".join(CAUSES)
        raise Refused(f"{quoted(cause)} voids no round here; known are {known}", malformed=True)
    found = RULINGS[CAUSES[cause]]
    new_decks = found.new_decks or cause == "impossible_card"
    ruling = f"the round is void: {_LATE}" + (", all the cards are replaced" if new_decks else "")
    if not args.get("confirm"):
        step.ruling = Ruling(ruling, tuple(c for c in found.clauses if c != HOUSE))
        return
    if new_decks:
        step.open_duty("change_decks", *found.clauses)
    row = Row(cause, found.clauses, ruling, void=True)
    disputes.void_late(step, row, args["reason"], _owed_back(step), deck_duty=None)
    must_hit.void_hit(step)


def _owed_back(step: Step) -> list[tuple[int, int]]:
    """What is to be given or taken back; the round's vigorish marks come off (MIDI 12.D(2)(b))."""
    owed = disputes.owed_back(step, ())
    unknown = {w.seat for w in step.round.wagers if not w.known}
    marked: dict[int, int] = {}
    if rules_of(step).vigorish_collection == "marked":
        for payment in step.round.paid:
            if payment.line.vigorish and payment.seat not in unknown:
                marked[payment.seat] = marked.get(payment.seat, 0) + payment.line.vigorish
    for seat, cents in marked.items():
        collected = vigorish.unmark(step, seat, cents)
        owed[seat] = owed.get(seat, 0) + collected
    return sorted((seat, cents) for seat, cents in owed.items() if cents or seat in unknown)
