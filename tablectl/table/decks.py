"""Decks: reception, inspection, shuffle, count, shoe (TCP chapters 3, 4 and 5), for one mode.

Two flat machines a deck, side by side: how far it is made ready, and where it is. The cut, manual
shuffles, deck clocks and stub counts come with their dealing modes.
"""

from collections.abc import Mapping
from typing import Any

from tablectl.cards import DECK_SIZE
from tablectl.table.inputs import DeviceEvent
from tablectl.table.machines import FlatMachine, Guard, rows
from tablectl.table.state import Deck, State
from tablectl.table.step import HOUSE, Refused, Step, quoted

PREPARATION = FlatMachine(
    "the deck",
    (
        "received",
        "inspected",
        "verified",
        "spread",
        "viewed",
        "stacked",
        "shuffling",
        "shuffled",
        "used",
    ),
    (
        *rows("inspect_cards", "received", "inspected", "TCP 4.A"),
        *rows("verify_inspection", "inspected", "verified", "TCP 4.A"),
        *rows("spread_cards", "verified", "spread", "TCP 4.B"),
        *rows("player_inspected", "spread", "viewed", "TCP 4.C"),
        *rows("wash_cards", "viewed", "stacked", "TCP 4.C(1)", "TCP 4.C(2)", "TCP 4.C(3)"),
        *rows("shuffle_started", "stacked used shuffling", "shuffling", "TCP 4.D", "TCP 5.A"),
        *rows("shuffle_done", "shuffling", "shuffled", "TCP 5.B", "TCP 5.D"),
        *rows("shuffle_failed", "shuffling", "stacked", "TCP 13.F"),
        *rows("dealt_from", "shuffled", "used", "TCP 5.A(2)"),
        *rows("spoilt", "shuffled used", "used", "TCP 13.G"),
    ),
)

CUSTODY = FlatMachine(
    "the deck",
    ("rack", "shuffler", "shoe", "play", "discard", "removed"),
    (
        *rows("shuffle_started", "rack discard shuffler", "shuffler", "TCP 5.A"),
        *rows("load_shoe", "shuffler", "shoe", "TCP 5.C", "TCP 10.A(1)"),
        *rows("dealt_from", "shoe", "play", "TCP 10.B"),
        *rows("clear_round", "play shoe", "discard", "TCP 11.E", "TCP 13.G"),
        *rows("remove_deck", "rack shuffler shoe play discard", "removed", "TCP 5.D"),
    ),
)

# The steps of chapter 4 that people do, each with the event that it makes and its fixed data.
OPENING: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "inspect_cards": ("deck.inspected", {"verified": False}),
    "verify_inspection": ("deck.inspected", {"verified": True}),
    "spread_cards": ("deck.spread", {}),
    "player_inspected": ("deck.viewed", {}),
    "wash_cards": ("deck.washed", {}),
}


def ready_to_load(deck: Deck) -> bool:
    """Shuffled and proved to hold 52 since its last use, and not latched."""
    return deck.preparation == "shuffled" and deck.custody == "shuffler" and not deck.latched


def may_deal_next(state: State, deck: Deck) -> bool:
    """Ready, and not the deck of the last round where two alternate (TCP 3.B(4))."""
    two = sum(d.custody != "removed" for d in state.decks) > 1
    alternate = two and not state.single_deck
    return ready_to_load(deck) and not (alternate and deck.id == state.last_deck)


def due_next(state: State) -> Deck | None:
    """A deck that may deal next; None where it must be waited for."""
    return next((deck for deck in state.decks if may_deal_next(state, deck)), None)


def move(step: Step, deck: Deck, trigger: str) -> Deck:
    """Fire a trigger at both machines of a deck, as far as they know it."""
    changes = {
        name: machine.fire(trigger, getattr(deck, name), step.state)
        for name, machine in (("preparation", PREPARATION), ("custody", CUSTODY))
        if machine.clauses(trigger)
    }
    return step.update_deck(deck.id, **changes)


def _awaiting(state: State, trigger: str) -> tuple[list[Deck], tuple[str, ...]]:
    """The decks for which `trigger` comes next, and the clauses that it rests on."""
    machine, place = (
        (PREPARATION, "preparation") if PREPARATION.clauses(trigger) else (CUSTODY, "custody")
    )
    decks = [
        deck
        for deck in state.decks
        if deck.custody != "removed" and machine.can(trigger, getattr(deck, place), state)
    ]
    return decks, machine.clauses(trigger)


def find(state: State, args: Mapping[str, Any], trigger: str) -> Deck:
    """The deck that an action means: the one named, or the only one for which it makes sense."""
    named = args.get("deck")
    if named is not None:
        deck = state.deck(named)
        if deck is None:
            raise Refused(f"there is no deck {quoted(named)} at this table", malformed=True)
        return deck
    decks, clauses = _awaiting(state, trigger)
    if not decks:
        raise Refused(f"no deck is ready for {trigger}", *clauses)
    if len(decks) > 1:
        raise Refused("which deck? Name it", malformed=True)
    return decks[0]


def a_deck_awaits(trigger: str) -> Guard:
    """A guard: some deck at the table is at the point where `trigger` comes next."""

    def guard(state: State) -> None:
        decks, clauses = _awaiting(state, trigger)
        if not decks:
            raise Refused(f"no deck is ready for {trigger}", *clauses)

    guard.__name__ = f"a_deck_awaits_{trigger}"
    return guard


def receive(step: Step, args: Mapping[str, Any]) -> None:
    """Decks come to the table (TCP 3.A, 3.B, 4.A); 4.F spares preshuffled ones 4.A to 4.E."""
    if not args["decks"]:
        raise Refused("name at least one deck", malformed=True)
    for item in args["decks"]:
        deck = received(step.state, item)
        here = [d for d in step.state.decks if d.custody != "removed"]
        if len(here) >= 2:
            raise Refused("two decks are at the table already", "TCP 3.A(1)", "TCP 3.B")
        if here and not step.state.devices_of("shuffler"):
            raise Refused("two decks need an automated shuffler", "TCP 3.B")
        if here and here[0].back == deck.back:
            raise Refused(
                f"both decks have {deck.back} backs: the second must differ in colour", "TCP 3.B(2)"
            )
        clauses = ("TCP 4.F",) if deck.preshuffled else ("TCP 4.A",)
        step.update(decks=(*step.state.decks, deck))
        _emit(step, "deck.received", deck, *clauses, back=deck.back, preshuffled=deck.preshuffled)


def received(state: State, item: Any) -> Deck:
    """A deck as somebody names it; raises Refused where that is none, or is here already."""
    known = {"id", "back", "preshuffled"}
    if not isinstance(item, Mapping) or not {"id", "back"} <= item.keys() <= known:
        raise Refused("a deck is given as {id, back, preshuffled}", malformed=True)
    name, back, preshuffled = item["id"], item["back"], item.get("preshuffled", False)
    if not all(isinstance(v, str) and 0 < len(v) <= 32 and v.isprintable() for v in (name, back)):
        raise Refused("a deck's id and back are texts of at most 32 letters", malformed=True)
    if not isinstance(preshuffled, bool):
        raise Refused("preshuffled is true or false", malformed=True)
    if state.deck(name) is not None:
        raise Refused(f"deck {name} is known already: give the new one another id", HOUSE)
    return Deck(name, back, preshuffled, preparation="stacked" if preshuffled else "received")


def prepare(step: Step, trigger: str, args: Mapping[str, Any]) -> None:
    """One of the steps of chapter 4 was done with a deck."""
    deck = move(step, find(step.state, args, trigger), trigger)
    type_, data = OPENING[trigger]
    if trigger == "player_inspected":
        data = {"viewed": args["viewed"]}
    _emit(step, type_, deck, *PREPARATION.clauses(trigger), **data)


def load(step: Step, args: Mapping[str, Any]) -> None:
    """The shuffled deck goes into the shoe (TCP 10.A(1))."""
    deck = step.state.deck(args["deck"]) if args.get("deck") is not None else due_next(step.state)
    if deck is None:
        raise Refused(f"there is no deck {quoted(args['deck'])} at this table", malformed=True)
    if not ready_to_load(deck):
        raise Refused(f"deck {deck.id} is not shuffled and counted", "TCP 5.A", "TCP 10.A(1)")
    if not may_deal_next(step.state, deck):
        raise Refused(f"deck {deck.id} dealt the last round: the other is due", "TCP 3.B(4)")
    step.update_deck(
        deck.id,
        custody=CUSTODY.fire("load_shoe", deck.custody, step.state),
        loaded_ns=step.state.clock.elapsed_ns if deck.loaded_ns is None else deck.loaded_ns,
    )
    for shoe in step.state.devices_of("shoe"):
        step.update_device(shoe.id, dispensed=0)
    _emit(step, "deck.loaded", deck, "TCP 5.C", "TCP 10.A(1)")


def remove(step: Step, args: Mapping[str, Any]) -> None:
    """A deck leaves the table (TCP 5.D, or for good between rounds)."""
    deck = find(step.state, args, "remove_deck")
    in_round = step.state.round is not None and step.state.round.deck == deck.id
    if in_round:
        raise Refused(f"deck {deck.id} is in play: finish the round first", "TCP 11.E")
    custody = CUSTODY.fire("remove_deck", deck.custody, step.state)
    step.update_deck(deck.id, custody=custody)
    _emit(step, "deck.removed", deck, "TCP 5.D" if deck.latched else HOUSE)
    step.done_duty("reshuffle", deck.id)
    step.done_duty("remove_deck", deck.id)
    if not deck.latched:
        _forget(step, deck)


def clear_latch(step: Step, args: Mapping[str, Any]) -> None:
    """A supervisor has seen to the wrong count; the deck itself stays away."""
    latched = [d for d in step.state.decks if d.latched and d.custody == "removed"]
    deck = next((d for d in latched if args.get("deck") in (None, d.id)), None)
    if deck is None:
        raise Refused(f"deck {quoted(args.get('deck'))} is not latched and removed", "TCP 5.D")
    _emit(step, "deck.latch_cleared", deck, "COMAR 36.05.03.27C")
    step.clear_alarm("deck_latched", deck.id)
    step.done_duty("clear_deck_latch", deck.id)
    _forget(step, deck)


def _forget(step: Step, deck: Deck) -> None:
    step.update(decks=tuple(d for d in step.state.decks if d.id != deck.id))
    if step.state.last_deck == deck.id:
        step.update(last_deck=None)


def declare_single(step: Step) -> None:
    """The floor goes on with one deck (TCP 3.A) until the other is shuffled again."""
    step.update(single_deck=True)


def in_shuffler(step: Step, event: DeviceEvent, *preparations: str) -> Deck | None:
    """The deck that a shuffler speaks of: the one it names, or the first that it can mean."""
    named = event.args.get("deck")
    if named is not None:
        return step.state.deck(named)
    fitting = [
        deck
        for deck in step.state.decks
        if deck.preparation in preparations and deck.custody in ("rack", "discard", "shuffler")
    ]
    # The prompts name the duties first, in their order: so does what is taken for meant.
    due = [duty.deck for duty in step.state.duties if duty.duty == "reshuffle"]
    fitting.sort(key=lambda deck: due.index(deck.id) if deck.id in due else len(due))
    return fitting[0] if fitting else None


def shuffle_started(step: Step, event: DeviceEvent) -> str | None:
    """A cycle began. Returns what is wrong with it, if anything."""
    deck = in_shuffler(step, event, "stacked", "used", "shuffling")
    if deck is None:
        return "it shuffles a deck that the table does not know"
    if deck.latched:
        return f"it shuffles deck {deck.id}, which counted wrong and must leave the table"
    try:
        move(step, deck, "shuffle_started")
    except Refused:
        return f"it shuffles deck {deck.id}, which is {deck.preparation} ({deck.custody})"
    _emit(step, "deck.shuffling", deck, "TCP 5.A")
    return None


def shuffle_done(step: Step, event: DeviceEvent) -> str | None:
    """A cycle ended, with the device's own count (TCP 5.D). Returns what is wrong, if anything."""
    deck = in_shuffler(step, event, "shuffling")
    count = event.args.get("count")
    if deck is None or deck.preparation != "shuffling":
        away = deck is None or deck.latched or deck.custody in ("shoe", "play", "removed")
        if deck is not None and not away and count not in (None, DECK_SIZE):
            latch(step, deck, count)
        return "it finished a shuffle that the table did not see begin"
    if count is None:
        move(step, deck, "shuffle_failed")
        step.open_duty("reshuffle", "TCP 5.D", deck=deck.id)
        return f"it gave no count for deck {deck.id}: run the cycle again"
    deck = move(step, deck, "shuffle_done")
    _emit(step, "deck.shuffled", deck, "TCP 5.B", "TCP 5.D", count=count)
    if count != DECK_SIZE:
        latch(step, deck, count)
        return None
    step.update_deck(deck.id, rounds_since_count=0)
    step.done_duty("reshuffle", deck.id)
    if step.state.single_deck and deck.id != step.state.last_deck:
        step.update(single_deck=False)
    return None


def latch(step: Step, deck: Deck, count: int) -> None:
    """A wrong count puts the deck out of play until a supervisor clears it (TCP 5.D)."""
    step.update_deck(deck.id, latched=True)
    clauses = ("TCP 5.D(1)", "TCP 5.D(2)", "COMAR 36.05.03.27C")
    _emit(step, "deck.latched", deck, *clauses, count=count, expected=DECK_SIZE)
    step.done_duty("reshuffle", deck.id)
    step.open_duty("remove_deck", "TCP 5.D", deck=deck.id)
    step.open_duty("clear_deck_latch", "COMAR 36.05.03.27C", deck=deck.id)
    what = f"Deck {deck.id} counts {count}, not {DECK_SIZE}: remove it; a supervisor clears it."
    step.raise_alarm("deck_latched", "critical", what, "TCP 5.D", about=deck.id)


def _emit(step: Step, type_: str, deck: Deck, *clauses: str, **data: Any) -> None:
    step.emit(type_, {"deck": deck.id, **data}, *clauses, subject=f"deck/{deck.id}")
