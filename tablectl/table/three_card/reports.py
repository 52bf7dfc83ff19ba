"""What the dealer reports by hand (TCP 13.A to 13.E): a card face up, exposed, drawn in error.

A report that voids shows its ruling first, and acts when it is confirmed. Nothing is guessed.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tablectl.table import method, service
from tablectl.table.decks import at_table, in_place
from tablectl.table.devices import shuffler_jam
from tablectl.table.irregularities import report, ruling_of
from tablectl.table.outputs import Ruling
from tablectl.table.state import TableCard
from tablectl.table.step import HOUSE, Refused, Step, quoted, split_basis
from tablectl.table.three_card import betting, plan
from tablectl.table.three_card.dealing import infer_deal
from tablectl.table.three_card.game import is_poker
from tablectl.table.three_card.shoe import fails_as, jam, stops_the_deal


def confirmed(step: Step, key: str, args: Mapping[str, Any], *, voids: bool = True) -> bool:
    """Whether to act; a void that is not confirmed yet answers with its ruling instead."""
    row = ruling_of(step.state, key)
    if args.get("confirm") or not (row.void and voids):
        return True
    step.ruling = Ruling(row.ruling, split_basis(step.cite(row.clauses))[0])
    return False


def misdeal(step: Step, args: Mapping[str, Any]) -> None:
    """A player or the dealer has an incorrect number of cards (TCP 13.D)."""
    if confirmed(step, "incorrect_number_of_cards", args):
        infer_deal(step)
        what = args.get("reason") or "The dealer reports a hand with an incorrect number of cards."
        report(step, "incorrect_number_of_cards", what, evidence=[step.state.sequence])


def jammed(step: Step, args: Mapping[str, Any]) -> None:
    """The dealer reports a jam; the device's kind decides the clause (TCP 13.F, 13.G).

    With every stack out only the stub is inside. Where community cards come from it, and its order
    is lost or one of its cards is exposed, the round is void all the same.
    """
    device = step.state.device(args["device"])
    if device is None or device.kind not in ("shoe", "shuffler"):
        raise Refused(
            f"{quoted(args['device'])} is no shoe or shuffler of this table", malformed=True
        )
    lost = args.get("order_lost") is True
    if lost and not plan.community_is_from_stub(step.state):
        raise Refused("no card is due from a stub that jammed", "TCP 13.G")
    kind = fails_as(step.state, device)
    voids = kind == "shoe" and (stops_the_deal(step.state) or lost)
    if not confirmed(step, "shoe_jam", args, voids=voids):
        return
    what = f"The dealer reports that {device.kind} {device.id} jammed."
    if kind == "shuffler":
        shuffler_jam(step, device, what)
    else:
        jam(step, device, what, order_lost=lost)


def marked(step: Step, args: Mapping[str, Any]) -> None:
    """A shoe that is covered or marked before every stack is out has failed to deal (TCP 13.G)."""
    device = step.state.device(args["device"])
    shoe = device is not None and fails_as(step.state, device) == "shoe"
    fails = shoe and stops_the_deal(step.state)
    if confirmed(step, "shoe_jam", args, voids=fails):
        service.mark(step, args["device"])
        betting.held_by_hand(step)
        if fails:
            what = f"Shoe {args['device']} is out of order before every stack is out."
            report(step, "shoe_jam", what, evidence=[step.state.sequence])


def face_up(step: Step, args: Mapping[str, Any]) -> None:
    """Cards lay face up in the shoe or the deck: one is replaced, more void (TCP 13.A, 13.B)."""
    cards, place = args["cards"], args.get("place")
    if not 1 <= cards <= 52:
        raise Refused("cards is how many lay face up", malformed=True)
    if step.state.phase == "preparing":
        _face_up_between(step, cards)
        return
    _touched(step, place)
    if place is not None:
        _check_place(step, place)
    key = _face_up_key(step, cards, place)
    if not confirmed(step, key, args):
        return
    infer_deal(step)
    found = _card_at(step, place) if place is not None else None
    step.update_round(face_up=step.round.face_up + cards)
    many = "A card was" if cards == 1 else f"{cards} cards were"
    evidence = [step.state.sequence]
    report(step, key, f"{many} found face up while the cards were dealt.", evidence=evidence)
    if step.state.phase != "voided":
        _replace_card(step, found)


def _touched(step: Step, place: str | None) -> None:
    """Once a seat has decided nothing is dealt any more but a dealer's stack that waited inside."""
    late = (place or "").startswith(("dealer/", "community/"))
    if step.round.decisions and not late:
        raise Refused(
            "a seat has decided: only a card of the dealer's stack that comes out now is replaced",
            "TCP 13.A",
        )


def _face_up_key(step: Step, cards: int, place: str | None) -> str:
    """The ruling: one card is replaced from the stub, where that is within reach; more void."""
    if not is_poker(step):
        return "face_up_card"
    if step.round.face_up + cards > 1:
        return "more_face_up_cards"
    player = (place or "").startswith("seat/")
    return "stub_out_of_reach" if player and plan.dealer_is_inside(step.state) else "face_up_card"


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
    due, done = step.round.plan, step.round.stacks
    if step.state.phase != "dealing":  # the stub is at hand
        _from_stub(step, found.place)
    elif method.dealing(step.state) != "automated_shoe":
        step.update_round(plan=(*due[:done], found.place, *due[done:]))  # the next card fills it
    else:  # a stack: it is completed from the stub after the last one, before anyone looks
        step.update_round(by_stub=(*step.round.by_stub, found.place))


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
    _check_place(step, args["place"])
    if owner == "community":
        _community_exposed(step, args)
        return
    key = "dealer_card_exposed" if owner == "dealer" else "disclosed_card"
    if owner == "dealer" and is_poker(step) and _everybody_has_decided(step):
        why = "every seat has decided: reveal your cards (reveal_dealer)"
        raise Refused(why, "TCP 11.D(2)")
    if not confirmed(step, key, args):
        return
    infer_deal(step)
    whose = "the dealer's cards" if owner == "dealer" else "a player's cards"
    what = f"One of {whose} was exposed before the reveal."
    report(step, key, what, evidence=[step.state.sequence])


def _everybody_has_decided(step: Step) -> bool:
    """TCP 13.E holds from the first card until the last decision; afterwards it is the reveal."""
    decided = all(step.round.decision(seat) for seat in step.round.ante_seats())
    return decided and step.state.phase == "deciding"


def _community_exposed(step: Step, args: Mapping[str, Any]) -> None:
    """Before the last decision as a card found face up; later it harms nobody."""
    if _everybody_has_decided(step):
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


def _check_place(step: Step, place: str) -> None:
    """A card lies there, or is dealt there while nobody reports the cards. Raises Refused."""
    if not method.deals_unseen(step.state) or place not in step.round.plan:
        _card_at(step, place)


def _card_at(step: Step, place: str) -> TableCard:
    cards = step.state.round.cards if step.state.round else ()
    found = next((card for card in cards if card.place == place), None)
    if found is None:
        raise Refused(f"no card lies at {quoted(place)}", malformed=True)
    return found
