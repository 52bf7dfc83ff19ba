"""What the dealer reports by hand (TCP 13.A to 13.E): a card face up, exposed, drawn in error.

A report that voids shows its ruling first, and acts when it is confirmed. Nothing is guessed.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tablectl.table.decks import at_table, in_place
from tablectl.table.devices import shuffler_jam
from tablectl.table.irregularities import report, ruling_of
from tablectl.table.outputs import Ruling
from tablectl.table.state import TableCard
from tablectl.table.step import HOUSE, Refused, Step, quoted
from tablectl.table.three_card.dealing import infer_deal
from tablectl.table.three_card.game import is_poker
from tablectl.table.three_card.plan import dealer_is_inside
from tablectl.table.three_card.shoe import LOCKED_UNTIL_DEALT, jam


def confirmed(step: Step, key: str, args: Mapping[str, Any], *, voids: bool = True) -> bool:
    """Whether to act; a void that is not confirmed yet answers with its ruling instead."""
    row = ruling_of(step.state, key)
    if args.get("confirm") or not (row.void and voids):
        return True
    step.ruling = Ruling(row.ruling, step.cite(row.clauses))
    return False


def misdeal(step: Step, args: Mapping[str, Any]) -> None:
    """A player or the dealer has an incorrect number of cards (TCP 13.D)."""
    if confirmed(step, "incorrect_number_of_cards", args):
        infer_deal(step)
        what = args.get("reason") or "The dealer reports a hand with an incorrect number of cards."
        report(step, "incorrect_number_of_cards", what, evidence=[step.state.sequence])


def jammed(step: Step, args: Mapping[str, Any]) -> None:
    """The dealer reports a jam; the device's kind decides the clause (TCP 13.F, 13.G)."""
    device = step.state.device(args["device"])
    if device is None or device.kind not in ("shoe", "shuffler"):
        raise Refused(
            f"{quoted(args['device'])} is no shoe or shuffler of this table", malformed=True
        )
    inside = step.state.phase in LOCKED_UNTIL_DEALT or dealer_is_inside(step.state)
    voids = device.kind == "shoe" and inside
    if confirmed(step, "shoe_jam", args, voids=voids):
        stops = shuffler_jam if device.kind == "shuffler" else jam
        stops(step, device, f"The dealer reports that {device.kind} {device.id} jammed.")


def face_up(step: Step, args: Mapping[str, Any]) -> None:
    """Cards lay face up in the shoe or the deck: one is replaced, more void (TCP 13.A, 13.B)."""
    cards, place = args["cards"], args.get("place")
    if not 1 <= cards <= 52:
        raise Refused("cards is how many lay face up", malformed=True)
    found = _card_at(step, place) if place is not None else None
    if step.state.phase == "preparing":
        _face_up_between(step, cards)
        return
    more = step.round.face_up + cards > 1
    key = "more_face_up_cards" if more and is_poker(step) else "face_up_card"
    if not confirmed(step, key, args):
        return
    infer_deal(step)
    step.update_round(face_up=step.round.face_up + cards)
    many = "A card was" if cards == 1 else f"{cards} cards were"
    evidence = [step.state.sequence]
    report(step, key, f"{many} found face up while the cards were dealt.", evidence=evidence)
    if step.state.phase != "voided":
        _replace_card(step, found)


def _face_up_between(step: Step, cards: int) -> None:
    """No cards are being dealt: only a reshuffle."""
    resting = [deck for deck in at_table(step.state) if deck.preparation in ("shuffled", "cut")]
    deck = in_place(step.state) or next(iter(resting), None)
    if deck is None:
        raise Refused("no deck is here in which a card could lie face up", "TCP 13.A")
    data = {"deck": deck.id, "cards": cards}
    step.emit("deck.face_up", data, HOUSE, subject=f"deck/{deck.id}")
    custody = "shuffler" if deck.custody == "shuffler" else "rack"
    step.update_deck(deck.id, preparation="used", custody=custody)
    step.open_duty("reshuffle", HOUSE, deck=deck.id)


def _replace_card(step: Step, found: TableCard | None) -> None:
    """It goes to the rack; what comes next takes its place (TCP 13.A)."""
    number = 1 + len(step.round.hand("aside"))
    aside = f"aside/{number}"
    if found is None:  # drawn and racked before it had a place: it only counts for the 52
        unseen = TableCard(len(step.round.cards) + 1, aside, None, None, None)
        step.update_round(cards=(*step.round.cards, unseen))
        return
    data = {"round": step.round.number, "draw": found.draw, "from": found.place, "to": aside}
    step.emit("card.moved", data, "TCP 13.A")
    moved = replace(found, place=aside)
    step.update_round(cards=tuple(moved if card is found else card for card in step.round.cards))
    plan, done = step.round.plan, step.round.stacks
    if step.state.phase == "dealing" and "/" in plan[-1]:  # card by card: the next one fills it
        step.update_round(plan=(*plan[:done], found.place, *plan[done:]))
    else:  # a stack: it is completed from the stub after the last one, before anyone looks
        step.update_round(by_stub=(*step.round.by_stub, found.place))
        if step.state.phase != "dealing":
            _from_stub(step, found.place)


def _from_stub(step: Step, place: str) -> None:
    from_stub = TableCard(len(step.round.cards) + 1, place, None, None, None)
    step.update_round(cards=(*step.round.cards, from_stub))
    data = {"round": step.round.number, "deck": step.round.deck, "draw": from_stub.draw}
    step.emit("card.dealt", {**data, "place": place, "commitment": None}, HOUSE, inferred=True)


def exposed(step: Step, args: Mapping[str, Any]) -> None:
    """A card was exposed before its time: the dealer's voids (TCP 13.E), a player's plays."""
    owner = args["place"].partition("/")[0]
    if owner not in ("dealer", "seat", "community"):
        raise Refused("place is dealer/1, seat/3/2 or community/1", malformed=True)
    if owner == "community":
        _community_exposed(step, args)
        return
    key = "dealer_card_exposed" if owner == "dealer" else "disclosed_card"
    if not confirmed(step, key, args):
        return
    infer_deal(step)
    _card_at(step, args["place"])
    whose = "the dealer's cards" if owner == "dealer" else "a player's cards"
    what = f"One of {whose} was exposed before the reveal."
    report(step, key, what, evidence=[step.state.sequence])


def _community_exposed(step: Step, args: Mapping[str, Any]) -> None:
    """Before the last decision as a card found face up; later it harms nobody."""
    decided = all(step.round.decision(seat) for seat in step.round.ante_seats())
    if decided:
        what = "A community card was exposed after the last decision."
        report(step, "disclosed_card", what, evidence=[step.state.sequence])
    else:
        face_up(step, {**args, "cards": 1})


def drawn_in_error(step: Step, _args: Mapping[str, Any]) -> None:
    """A card was drawn without being exposed: it is the next card (TCP 13.C)."""
    infer_deal(step)
    what = "The dealer drew a card in error; its face was not exposed."
    report(step, "drawn_in_error", what, evidence=[step.state.sequence])


def move_card(step: Step, args: Mapping[str, Any]) -> None:
    """Untouched face-down cards in the wrong order go to their places on the floor's word."""
    card = next((c for c in step.round.cards if c.draw == args["draw"]), None)
    if card is None or card.up:
        raise Refused(f"draw {args['draw']} is no card that lies face down", malformed=True)
    other = next((c for c in step.round.cards if c.place == args["to"]), None)
    if other is None or other.up:
        raise Refused(
            f"{quoted(args['to'])} is no place with a face-down card: the two change places",
            malformed=True,
        )
    places = {card.draw: other.place, other.draw: card.place}
    step.update_round(
        cards=tuple(
            replace(c, place=places[c.draw]) if c.draw in places else c for c in step.round.cards
        )
    )
    for each in (card, other):
        data = {"round": step.round.number, "draw": each.draw, "from": each.place}
        step.emit("card.moved", {**data, "to": places[each.draw]}, HOUSE)
    what = "Cards were dealt in the wrong order and put right before anybody touched them."
    report(step, "wrong_order", what, evidence=[step.state.sequence])


def _card_at(step: Step, place: str) -> TableCard:
    cards = step.state.round.cards if step.state.round else ()
    found = next((card for card in cards if card.place == place), None)
    if found is None:
        raise Refused(f"no card lies at {quoted(place)}", malformed=True)
    return found
