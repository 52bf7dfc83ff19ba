"""Dealing from an automated shoe (TCP 10.B): stacks of three, seat by seat, the dealer last.

A value that the shoe reads is sealed here: what leaves is the place and the commitment. Dealing by
hand and from a manual shoe, and the community cards, come with their modes.
"""

from tablectl.cards import DECK_SIZE
from tablectl.table import decks
from tablectl.table.halts import halt
from tablectl.table.inputs import DeviceEvent, ReadCard
from tablectl.table.irregularities import report
from tablectl.table.phases import ROUND
from tablectl.table.seal import commitment
from tablectl.table.state import TableCard
from tablectl.table.step import Step
from tablectl.table.three_card.deciding import ask_next

STACK = 3


def stack(step: Step, event: DeviceEvent) -> str | None:
    """A stack left the shoe. Returns what is wrong with the report, if anything."""
    deck = next((d for d in step.state.decks if d.custody in ("shoe", "play")), None)
    if deck is None:
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
    if step.state.phase in ("locked", "cancelling") and step.round.plan:
        _first_stack(step)
    if step.state.phase != "dealing":
        return _unasked(step, event, deck.id)
    owner = step.round.plan[step.round.stacks]
    step.update_round(stacks=step.round.stacks + 1)
    evidence = lay(step, owner, event.cards)
    if len(event.cards) != STACK:
        whom = "The dealer" if owner == "dealer" else f"Seat {owner.removeprefix('seat/')}"
        what = f"{whom} was given {len(event.cards)} cards, not {STACK}."
        report(step, "incorrect_number_of_cards", what, evidence=evidence)
    elif _same_card_twice(step):
        # Neither the place nor the card is named while they lie face down.
        what = "A card was read twice in one deck; the floor looks at the cards."
        report(step, "duplicate_card", what, evidence=())
        halt(step, "duplicate_card", what)
    elif step.round.stacks == len(step.round.plan):
        _dealt(step)
    return None


def lay(step: Step, owner: str, cards: tuple[ReadCard, ...]) -> list[int]:
    """Put cards face down at a place; returns the events' sequences, as evidence."""
    evidence = []
    start = len(step.round.hand(owner))
    for position, read in enumerate(cards, start + 1):
        laid = TableCard(
            draw=len(step.round.cards) + 1,
            place=f"{owner}/{position}",
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
        evidence.append(step.emit("card.dealt", data, "TCP 10.B"))
        if read.card is None:
            where = {"round": step.round.number, "draw": laid.draw, "place": laid.place}
            step.emit("card.unreadable", where)
    return evidence


def _first_stack(step: Step) -> None:
    deck = step.state.deck(step.round.deck)
    assert deck is not None
    step.update(phase=ROUND.fire("-first_stack", step.state.phase, step.state), last_deck=deck.id)
    step.update_deck(deck.id, rounds_since_count=deck.rounds_since_count + 1)
    moved = step.state.deck(deck.id)
    assert moved is not None
    decks.move(step, moved, "dealt_from")
    step.emit("round.dealing", {"round": step.round.number}, "TCP 10.B(1)")


def _unasked(step: Step, event: DeviceEvent, deck_id: str) -> str | None:
    """Cards that nobody asked for: before the lock a matter for the floor, later set aside."""
    count = len(event.cards)
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
        step.update_deck(deck_id, custody="discard")
    return None


def strayed(step: Step, deck_id: str) -> None:
    """Cards left in spite of a void: the deck that is still in the shoe is not whole any more."""
    deck = step.state.deck(deck_id)
    if deck is not None and deck.custody == "shoe":
        step.update_deck(deck_id, custody="play", preparation="used")
        step.update(last_deck=deck_id)
        step.open_duty("reshuffle", "TCP 5.A(2)", deck=deck_id)


def _same_card_twice(step: Step) -> bool:
    known = [card.card for card in step.round.cards if card.card is not None]
    return len(known) != len(set(known))


def _dealt(step: Step) -> None:
    """Every hand is out; the stub goes to the rack unseen, and is not counted: the shuffler did."""
    for shoe in step.state.devices_of("shoe"):
        step.update_device(shoe.id, permitted=False)
    step.update(phase=ROUND.fire("-all_dealt", step.state.phase, step.state))
    step.emit("round.dealt", {"round": step.round.number}, "TCP 10.B(3)", "TCP 10.B(5)")
    ask_next(step)
