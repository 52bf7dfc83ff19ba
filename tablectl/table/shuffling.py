"""Shuffles, cuts and what a wrong count leads to (TCP chapter 5), by a device or by hand.

A cycle that a device counted proves 52 cards; one without a count exempts nothing. A deck shuffled
by hand, or received preshuffled, is cut before it is dealt.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from tablectl.cards import DECK_SIZE
from tablectl.table.decks import find, move, tell
from tablectl.table.inputs import DeviceEvent
from tablectl.table.state import Deck, State
from tablectl.table.step import HOUSE, Refused, Step
from tablectl.table.stub import proved

_RECUTS_TOLD: Final = 2  # a deck recut so often: suggest a reshuffle, and tell surveillance


# ── by hand ────────────────────────────────────────────────────────────────
def by_hand(step: Step, args: Mapping[str, Any]) -> None:
    """The dealer shuffled (TCP 5.A); only where no automated shuffler does."""
    deck = move(step, find(step.state, args, "shuffle_done"), "shuffle_done")
    tell(step, "deck.shuffled", deck, "TCP 5.A", "TCP 5.B", count=None, by="dealer")
    _reshuffled(step, deck)


def _reshuffled(step: Step, deck: Deck) -> None:
    """What a void or a jam asks for is done, but for the 52 where no device has counted them."""
    step.done_duty("reshuffle", deck.id)
    if deck.to_count:
        step.open_duty("count_deck", HOUSE, deck=deck.id)


def cut(step: Step, args: Mapping[str, Any]) -> None:
    """The cover card goes in at least ten from the top; what is above it goes below (TCP 5.F)."""
    deck = move(step, find(step.state, args, "cut_cards"), "cut_cards")
    tell(step, "deck.cut", deck, "TCP 5.E(2)", "TCP 5.F", "TCP 5.F(1)")
    step.done_duty("cut_again", deck.id)


def recut(step: Step, args: Mapping[str, Any]) -> None:
    """The floor requires another cut; possible until the first card, even after the lock (5.G)."""
    deck = move(step, find(step.state, args, "recut"), "recut")
    deck = step.update_deck(deck.id, recuts=deck.recuts + 1)
    tell(step, "deck.recut", deck, "TCP 5.G", reason=args["reason"], recuts=deck.recuts)
    step.open_duty("cut_again", "TCP 5.G", deck=deck.id)
    if deck.recuts >= _RECUTS_TOLD:
        what = f"Deck {deck.id} was recut {deck.recuts} times: consider a reshuffle."
        step.raise_alarm("recut_again", "notice", what, HOUSE, about=deck.id)


def order(step: Step, args: Mapping[str, Any]) -> None:
    """A floorperson directs a shuffle between rounds (TCP 5.A(3))."""
    deck = move(step, find(step.state, args, "order_shuffle"), "order_shuffle")
    tell(step, "deck.shuffle_ordered", deck, "TCP 5.A(3)", reason=args.get("reason"))
    step.done_duty("cut_again", deck.id)
    step.open_duty("reshuffle", "TCP 5.A(3)", deck=deck.id)


def spread_idle(step: Step, _args: Mapping[str, Any]) -> None:
    """Nobody plays: the cards leave shoe and rack and lie spread on the table (TCP 5.H)."""
    for deck in step.state.decks:
        if deck.custody == "removed" or deck.latched or deck.preparation in _NOT_YET_SPREAD:
            continue
        moved = move(step, deck, "spread_idle")
        tell(step, "deck.spread", moved, "TCP 5.H(1)", "TCP 5.H(2)", idle=True)
        for duty in ("reshuffle", "cut_again"):
            step.done_duty(duty, deck.id)
    step.update(idle_since_ns=None)


_NOT_YET_SPREAD: Final = ("received", "inspected", "verified", "spread", "viewed", "shuffling")


# ── by a device ────────────────────────────────────────────────────────────
def compartment_of(event: DeviceEvent) -> int:
    """The compartment that a shuffler with two speaks of; 0 where it names none."""
    place = event.args.get("compartment")
    return place if type(place) is int and place > 0 else 0


def inside(state: State, compartment: int) -> Deck | None:
    """The deck that lies in a shuffler's compartment, as far as the table knows."""
    if not compartment:
        return None
    return next((deck for deck in state.decks if _place(deck) == compartment), None)


def _place(deck: Deck) -> int:
    return deck.compartment if deck.custody == "shuffler" else 0


def in_shuffler(step: Step, event: DeviceEvent, *preparations: str) -> Deck | None:
    """The deck that a shuffler speaks of: the one it names, the one in the compartment that it
    names, or the first that it can mean."""
    named, compartment = event.args.get("deck"), compartment_of(event)
    if named is not None:
        return step.state.deck(named)
    fitting = [
        deck
        for deck in step.state.decks
        if deck.preparation in preparations and deck.custody in ("rack", "discard", "shuffler")
    ]
    if compartment:
        there = [deck for deck in fitting if _place(deck) == compartment]
        fitting = there or [deck for deck in fitting if not _place(deck)]
    # The prompts name the duties first, in their order: so does what is taken for meant.
    due = [duty.deck for duty in step.state.duties if duty.duty == "reshuffle"]
    fitting.sort(key=lambda deck: due.index(deck.id) if deck.id in due else len(due))
    return fitting[0] if fitting else None


def shuffle_started(step: Step, event: DeviceEvent) -> str | None:
    """A cycle began. Returns what is wrong with it, if anything."""
    deck = in_shuffler(step, event, "stacked", "used", "shuffling", "uncut")
    deck = deck or in_shuffler(step, event, "cut", "shuffled")
    if deck is None:
        return "it shuffles a deck that the table does not know"
    if deck.latched:
        return f"it shuffles deck {deck.id}, which counted wrong and must leave the table"
    try:
        move(step, deck, "shuffle_started")
    except Refused:
        return f"it shuffles deck {deck.id}, which is {deck.preparation} ({deck.custody})"
    compartment = compartment_of(event)
    taken_out = inside(step.state, compartment)
    if taken_out is not None and taken_out.id != deck.id:  # nobody said so; two do not fit
        step.update_deck(taken_out.id, compartment=0)
    step.update_deck(deck.id, compartment=compartment)
    where = {"compartment": compartment} if compartment else {}
    tell(step, "deck.shuffling", deck, "TCP 5.A", **where)
    return None


def shuffle_done(step: Step, event: DeviceEvent) -> str | None:
    """A cycle ended, with the device's own count if it counts (TCP 5.D). Returns what is wrong."""
    deck = in_shuffler(step, event, "shuffling") or inside(step.state, compartment_of(event))
    count = event.args.get("count")
    distinct = event.args.get("distinct")
    wrong = count not in (None, DECK_SIZE) or distinct not in (None, DECK_SIZE)
    if deck is None or deck.preparation != "shuffling":
        away = deck is None or deck.latched or deck.custody not in ("rack", "shuffler", "discard")
        if deck is not None and not away and wrong:
            latch(step, deck, count, distinct)
        return "it finished a shuffle that the table did not see begin"
    deck = move(step, deck, "device_shuffled")
    told = {} if distinct is None else {"distinct": distinct}
    told |= {"compartment": compartment_of(event)} if compartment_of(event) else {}
    tell(step, "deck.shuffled", deck, "TCP 5.B", "TCP 5.D", count=count, by=event.device, **told)
    if wrong:
        latch(step, deck, count, distinct)
        return None
    if count is not None:
        proved(step, deck.id)
        deck = replace(deck, to_count=False)
    step.done_duty("cut_again", deck.id)  # what is shuffled anew needs no other cut
    _reshuffled(step, deck)
    if step.state.single_deck and deck.id != step.state.last_deck:
        step.update(single_deck=False)
    return None


def latch(step: Step, deck: Deck, count: int | None, distinct: int | None = None) -> None:
    """A wrong count puts the deck out of play until a supervisor clears it (TCP 5.D).

    So does a card that is there twice, by analogy with a deck that is not whole (TCP 8.H(2)).
    """
    step.update_deck(deck.id, latched=True)
    twice = count in (None, DECK_SIZE)
    clauses = ["TCP 5.D(1)", "TCP 5.D(2)", "COMAR 36.05.03.27C", *(["TCP 8.H(2)"] * twice)]
    seen = {} if distinct is None else {"distinct": distinct}
    tell(step, "deck.latched", deck, *clauses, count=count, expected=DECK_SIZE, **seen)
    step.done_duty("reshuffle", deck.id)
    step.open_duty("remove_deck", "TCP 5.D", deck=deck.id)
    step.open_duty("clear_deck_latch", "COMAR 36.05.03.27C", deck=deck.id)
    found = f"{distinct} different cards" if twice else f"{count} cards"
    hint = " (a card is there twice, and another is missing)" if twice and count else ""
    what = f"Deck {deck.id} has {found}, not {DECK_SIZE}{hint}: remove it; a supervisor clears it."
    step.raise_alarm("deck_latched", "critical", what, *clauses, about=deck.id)
