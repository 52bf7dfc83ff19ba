"""Dealing (TCP 8.E, 9.C, 10.B): stacks from an automated shoe, else card by card.

A value that a shoe reads is sealed here: what leaves is the place and the commitment. Where nobody
reports the cards, that they were dealt is inferred from what the dealer does next, and marked so.
"""

from typing import Final

from tablectl.cards import DECK_SIZE
from tablectl.table import decks, method, stub
from tablectl.table.halts import halt
from tablectl.table.inputs import DeviceEvent, ReadCard
from tablectl.table.irregularities import report
from tablectl.table.phases import ROUND
from tablectl.table.seal import commitment
from tablectl.table.state import TableCard
from tablectl.table.step import Step, quoted
from tablectl.table.three_card import plan
from tablectl.table.three_card.deciding import ask_next

STACK: Final = 3
_DEALT_BY: Final = {
    "automated_shoe": ("TCP 10.B",),
    "manual_shoe": ("TCP 8.E", "TCP 8.E(1)"),
    "hand": ("TCP 9.C", "TCP 9.C(2)", "TCP 9.C(3)"),
}
_STUB_RACKED: Final = {
    "automated_shoe": ("TCP 10.B(3)", "TCP 10.B(5)"),
    "manual_shoe": ("TCP 8.E(3)",),
    "hand": ("TCP 9.C(5)",),
}


# ── what a shoe reports ────────────────────────────────────────────────────
def stack(step: Step, event: DeviceEvent) -> str | None:
    """A stack left an automated shoe. Returns what is wrong with the report, if anything."""
    if method.dealing(step.state) != "automated_shoe":
        return "it reports a stack; this table is dealt card by card"
    wrong = _cannot_be(step, event)
    if wrong is not None:
        return wrong
    if not _due(step, has_leave=shoe_has_leave(step, event.device)):
        return _unasked(step, event)
    owner = step.round.plan[step.round.stacks]
    step.update_round(stacks=step.round.stacks + 1)
    evidence = lay(step, owner, event.cards)
    if len(event.cards) != STACK:
        whom = "The dealer" if owner == "dealer" else f"Seat {owner.removeprefix('seat/')}"
        what = f"{whom} was given {len(event.cards)} cards, not {STACK}."
        report(step, "incorrect_number_of_cards", what, evidence=evidence)
        return None
    _go_on(step)
    return None


def card(step: Step, event: DeviceEvent) -> str | None:
    """One card left a manual shoe that reads: it goes to the next place (TCP 8.E).

    Where the shoe takes it for another one's, that is told; the dealer's order stands until the
    floor says otherwise.
    """
    if method.dealing(step.state) == "automated_shoe":
        return "it reports a single card; this table is dealt in stacks of three"
    if len(event.cards) != 1:
        return f"it reports {len(event.cards)} cards at once"
    wrong = _cannot_be(step, event)
    if wrong is not None:
        return wrong
    if not _due(step, has_leave=step.state.lock == "locked"):
        return _unasked(step, event)
    place = step.round.plan[step.round.stacks]
    step.update_round(stacks=step.round.stacks + 1)
    evidence = _lay_at(step, place, event.cards[0])
    said = event.args.get("place")
    if isinstance(said, str) and said != place:
        what = f"The shoe takes the card at {place} for {quoted(said)}."
        report(step, "wrong_order", what, evidence=[evidence])
    _go_on(step)
    return None


def infer_deal(step: Step) -> None:
    """What is done now comes after the deal; where nobody reports the cards, they are dealt."""
    left = step.round.plan[step.round.stacks :]
    if not left or not method.deals_unseen(step.state):
        return
    going_to = step.state.phase
    step.update(phase="dealing" if step.round.stacks else "locked")
    if not step.round.stacks:
        _first_card(step, inferred=True)
    for place in left:  # all of it, or what the reader did not see any more
        _lay_at(step, place, UNKNOWN, inferred=True)
    step.update_round(stacks=len(step.round.plan))
    _go_on(step)
    if going_to == "settling":  # the reveal itself told that the cards are dealt
        step.update(phase=going_to)


UNKNOWN: Final = ReadCard(None, "")


# ── parts ──────────────────────────────────────────────────────────────────
def _cannot_be(step: Step, event: DeviceEvent) -> str | None:
    """What makes a report of cards impossible to believe."""
    if _dealt_from(step) is None:
        return "it dispensed cards while the table knows of no deck in it"
    out = len(step.state.round.cards) if step.state.round else 0
    if out + len(event.cards) > DECK_SIZE:
        what = f"it claims to have dispensed {out + len(event.cards)} cards of {DECK_SIZE}"
        if step.state.phase in ("locked", "cancelling", "dealing"):
            report(step, "shoe_jam", f"The shoe cannot be believed: {what}.")
        return what
    shoe = step.state.device(event.device)
    assert shoe is not None
    step.update_device(shoe.id, dispensed=shoe.dispensed + 1)
    return None


def _dealt_from(step: Step) -> str | None:
    found = (d.id for d in step.state.decks if d.custody in (*decks.IN_PLACE, "play"))
    return next(found, None)


def shoe_has_leave(step: Step, device_id: str) -> bool:
    """Whether it was told to dispense, and has not said since that it holds."""
    shoe = step.state.device(device_id)
    return shoe is not None and shoe.permitted


def _due(step: Step, *, has_leave: bool) -> bool:
    """Whether the round waits for this card; its first one begins the deal.

    Not without leave (TCP 10.A(2)), nor before the chips are verified (TCP 10.A(3)), nor while a
    cut is ordered (TCP 5.G).
    """
    if step.state.phase in ("locked", "cancelling") and step.round.plan:
        deck = step.state.deck(step.round.deck)
        uncut = deck is not None and deck.preparation == "uncut"
        if not has_leave or uncut or step.round.count in ("due", "mismatch"):
            return False
        _first_card(step)
    waits = step.state.phase in ("dealing", "deciding")
    return waits and step.round.stacks < len(step.round.plan)


def _go_on(step: Step) -> None:
    if _same_card_twice(step):
        # Neither the place nor the card is named while they lie face down.
        what = "A card was read twice in one deck; the floor looks at the cards."
        step.update_round(doubt=True)
        report(step, "duplicate_card", what, evidence=())
        halt(step, "duplicate_card", what)
    if step.round.stacks == len(step.round.plan):
        _dealt(step) if step.state.phase == "dealing" else _dealer_came_out(step)


def lay(
    step: Step, owner: str, cards: tuple[ReadCard, ...], *, inferred: bool = False
) -> list[int]:
    """Put cards face down before a seat or the dealer; returns the events, as evidence."""
    start = len(step.round.hand(owner)) + 1
    return [
        _lay_at(step, f"{owner}/{position}", read, inferred=inferred)
        for position, read in enumerate(cards, start)
    ]


def _lay_at(step: Step, place: str, read: ReadCard, *, inferred: bool = False) -> int:
    laid = TableCard(
        draw=len(step.round.cards) + 1,
        place=place,
        card=read.card,
        salt=read.salt if read.card else None,
        commitment=commitment(read.card, read.salt) if read.card else None,
    )
    step.update_round(cards=(*step.round.cards, laid))
    data = {
        "round": step.round.number,
        "deck": step.round.deck,
        "draw": laid.draw,
        "place": laid.place,
        "commitment": laid.commitment,
    }
    by = _dealt_clauses(step, place)
    sequence = step.emit("card.dealt", data, *by, inferred=inferred)
    if read.card is None and not inferred:
        where = {"round": step.round.number, "draw": laid.draw, "place": laid.place}
        step.emit("card.unreadable", where)
    return sequence


def _dealt_clauses(step: Step, place: str) -> tuple[str, ...]:
    dealing = method.dealing(step.state)
    if place.startswith("community/"):
        community = {"automated_shoe": "TCP 10.B(6)", "manual_shoe": "TCP 8.E(2)"}
        return (community.get(dealing, "TCP 9.C(4)"),)
    return _DEALT_BY[dealing]


def _first_card(step: Step, *, inferred: bool = False) -> None:
    deck = step.state.deck(step.round.deck)
    assert deck is not None
    step.update(phase=ROUND.fire("-first_card", step.state.phase, step.state), last_deck=deck.id)
    stub.one_more_round(step, deck.id)
    moved = step.state.deck(deck.id)
    assert moved is not None
    decks.move(step, moved, "dealt_from")
    step.update_round(by_stub=plan.from_stub(step.state, step.round))
    by = _DEALT_BY[method.dealing(step.state)]
    step.emit("round.dealing", {"round": step.round.number}, *by, inferred=inferred)


def _unasked(step: Step, event: DeviceEvent) -> str | None:
    """Cards that nobody asked for: before the lock a matter for the floor, later set aside."""
    count, deck_id = len(event.cards), _dealt_from(step)
    assert deck_id is not None
    if step.state.phase in ("betting", "locking", "locked"):
        evidence = lay(step, "aside", event.cards)
        what = f"{count} cards left the shoe before it had leave."
        report(step, "card_before_lock", what, evidence=evidence)
        if step.state.deck(deck_id):
            step.update_deck(deck_id, custody="play")
        step.update(last_deck=deck_id)
    elif step.state.round is not None:
        evidence = lay(step, "stub", event.cards)
        what = f"{count} cards left the shoe that no hand was due."
        report(step, "drawn_in_error", what, evidence=evidence)
        strayed(step, deck_id)
    else:
        what = f"{count} cards left the shoe between rounds."
        report(step, "card_before_lock", what, deck=deck_id)
        left_between(step, deck_id)
    return None


def left_between(step: Step, deck_id: str) -> None:
    """Cards left the shoe between rounds: whoever rules on it, that deck is not whole any more."""
    step.update_deck(deck_id, custody="discard", preparation="used")
    step.open_duty("reshuffle", "TCP 5.A(2)", deck=deck_id)


def strayed(step: Step, deck_id: str) -> None:
    """Cards left in spite of a void: the deck that is still in the shoe is not whole any more."""
    deck = step.state.deck(deck_id)
    if deck is not None and deck.custody in decks.IN_PLACE:
        step.update_deck(deck_id, custody="play", preparation="used")
        step.update(last_deck=deck_id)
        step.open_duty("reshuffle", "TCP 5.A(2)", deck=deck_id)


def _same_card_twice(step: Step) -> bool:
    known = [card.card for card in step.round.cards if card.card is not None]
    return len(known) != len(set(known)) and not step.round.doubt


def _dealt(step: Step) -> None:
    """Every hand is out. What comes from the stub comes now; then the stub goes to the rack."""
    for shoe in step.state.devices_of("shoe"):
        step.update_device(shoe.id, permitted=False)
    if not plan.dealer_is_inside(step.state):
        _from_stub(step)
    step.update(phase=ROUND.fire("-all_dealt", step.state.phase, step.state))
    racked = _STUB_RACKED[method.dealing(step.state)]
    step.emit("round.dealt", {"round": step.round.number}, *racked)
    ask_next(step)


def _from_stub(step: Step) -> None:
    for place in step.round.by_stub:
        _lay_at(step, place, UNKNOWN, inferred=True)


def call_dealer_stack(step: Step) -> None:
    """Everybody has acted: the dealer's stack is due from the shuffler (TCP 10.B(4), 11.D(2))."""
    if step.state.phase != "deciding" or not plan.dealer_is_inside(step.state):
        return
    undecided = any(step.round.decision(seat) is None for seat in step.round.ante_seats())
    if not undecided and "dealer" not in step.round.plan:
        step.update_round(plan=(*step.round.plan, "dealer"))


def _dealer_came_out(step: Step) -> None:
    """The stub, its count and the community cards follow the dealer's stack (TCP 10.B(5), (6))."""
    for shoe in step.state.devices_of("shoe"):
        step.update_device(shoe.id, permitted=False)
    _from_stub(step)
    step.emit("round.dealer_stack", {"round": step.round.number}, "TCP 10.B(4)", "TCP 10.B(5)")
