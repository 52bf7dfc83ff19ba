"""Decks: reception, inspection, the way into the shoe and out (TCP chapters 3, 4 and 10.A).

Two flat machines a deck, side by side: how far it is made ready, and where it is. Shuffles and cuts
stand in shuffling.py, the clock of a deck in deck_clock.py, the count of its stub in stub.py.
"""

from collections.abc import Mapping
from typing import Any, Final

from tablectl.table import method
from tablectl.table.machines import FlatMachine, Guard, rows
from tablectl.table.state import Deck, State
from tablectl.table.step import HOUSE, Refused, Step, quoted

READY: Final = ("shuffled", "cut")  # it may be dealt from: shuffled by a device, or cut by hand
REMEMBERED: Final = 64  # decks that have left, and do not come back before the table closes
IN_PLACE: Final = ("shoe", "hand")  # where a round is dealt from
TWO_DECKS: Final = (
    "two decks are played only while an automated shuffler is used: remove one (remove_deck), or "
    "the floor declares single-deck play (single_deck)"
)

PREPARATION = FlatMachine(
    "the deck",
    (
        "received", "inspected", "verified", "spread", "viewed", "stacked", "shuffling", "shuffled",
        "uncut", "cut", "used",
    ),
    (
        *rows("inspect_cards", "received", "inspected", "TCP 4.A"),
        *rows("verify_inspection", "inspected", "verified", "TCP 4.A"),
        *rows("spread_cards", "verified", "spread", "TCP 4.B"),
        *rows("player_inspected", "spread", "viewed", "TCP 4.C"),
        *rows("wash_cards", "viewed", "stacked", "TCP 4.C(1)", "TCP 4.C(2)", "TCP 4.C(3)"),
        *rows(
            "shuffle_started", "stacked used shuffling uncut cut shuffled", "shuffling",
            "TCP 4.D", "TCP 5.A",
        ),
        *rows("device_shuffled", "shuffling", "shuffled", "TCP 5.B", "TCP 5.D"),
        *rows("shuffle_failed", "shuffling", "stacked", "TCP 13.F"),
        *rows("shuffle_done", "stacked used", "uncut", "TCP 4.D", "TCP 5.A", "TCP 5.B"),
        *rows("cut_cards", "uncut", "cut", "TCP 5.E(2)", "TCP 5.F", "TCP 5.F(1)"),
        *rows("recut", "cut", "uncut", "TCP 5.G"),
        *rows("dealt_from", "shuffled cut", "used", "TCP 5.A(2)"),
        *rows("order_shuffle", "shuffled uncut cut", "used", "TCP 5.A(3)"),
        *rows("spread_idle", "stacked shuffled uncut cut used", "spread", "TCP 5.H", "TCP 5.H(2)"),
        *rows("spoilt", "shuffled uncut cut used", "used", "TCP 13.G"),
    ),
)  # fmt: skip

CUSTODY = FlatMachine(
    "the deck",
    ("rack", "shuffler", "shoe", "hand", "play", "discard", "removed"),
    (
        *rows("shuffle_started", "rack discard shuffler", "shuffler", "TCP 5.A"),
        *rows("shuffle_done", "rack discard shuffler", "rack", "TCP 5.A", "TCP 5.B"),
        *rows("load_shoe", "rack shuffler", "shoe", "TCP 5.F(2)", "TCP 8.B", "TCP 10.A(1)"),
        *rows("take_in_hand", "shuffler", "hand", "TCP 9.A(1)", "TCP 9.A(2)"),
        *rows("dealt_from", "shoe hand", "play", "TCP 10.B"),
        *rows("order_shuffle", "rack shuffler shoe hand", "rack", "TCP 5.A(3)"),
        *rows("spread_idle", "rack shuffler shoe hand discard", "rack", "TCP 5.H(1)"),
        *rows("clear_round", "play shoe hand", "discard", "TCP 11.E", "TCP 13.G"),
        *rows("remove_deck", "rack shuffler shoe hand play discard", "removed", "TCP 5.D"),
    ),
)  # fmt: skip

# The steps of chapter 4 that people do, each with the event that it makes and its fixed data.
OPENING: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "inspect_cards": ("deck.inspected", {"verified": False}),
    "verify_inspection": ("deck.inspected", {"verified": True}),
    "spread_cards": ("deck.spread", {}),
    "player_inspected": ("deck.viewed", {}),
    "wash_cards": ("deck.washed", {}),
}


def at_table(state: State) -> tuple[Deck, ...]:
    """The decks that have not left."""
    return tuple(deck for deck in state.decks if deck.custody != "removed")


def in_place(state: State) -> Deck | None:
    """The deck that the next round is dealt from."""
    return next((deck for deck in state.decks if deck.custody in IN_PLACE), None)


def ready_to_load(state: State, deck: Deck) -> bool:
    """Shuffled by a device, or shuffled by hand and cut; at rest, and not latched.

    What is dealt from the hand was shuffled by a device (TCP 9.A(1)).
    """
    by_hand = method.dealing(state) == "hand"
    resting = ("shuffler",) if by_hand else ("rack", "shuffler")
    return deck.preparation in READY and deck.custody in resting and not deck.latched


def may_deal_next(state: State, deck: Deck) -> bool:
    """Ready, and its turn: two decks alternate (TCP 3.B(4)), and only with a shuffler (3.B)."""
    if not ready_to_load(state, deck):
        return False
    dealt_last = deck.id == state.last_deck
    if len(at_table(state)) < 2 or state.last_deck is None:
        return True
    if state.single_deck:
        return dealt_last
    return not dealt_last and method.usable_shuffler(state) is not None


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
        here = at_table(step.state)
        if len(here) >= 2:
            raise Refused("two decks are at the table already", "TCP 3.A(1)", "TCP 3.B")
        if here and method.usable_shuffler(step.state) is None:
            raise Refused("two decks need an automated shuffler", "TCP 3.B")
        if here and here[0].back == deck.back:
            raise Refused(
                f"both decks have {deck.back} backs: the second must differ in colour", "TCP 3.B(2)"
            )
        clauses = ("TCP 4.F",) if deck.preshuffled else ("TCP 4.A",)
        step.update(decks=(*step.state.decks, deck))
        if not here:  # a new deck is a proof of 52, as a count is
            step.update(rounds_since_count=0)
        tell(step, "deck.received", deck, *clauses, back=deck.back, preshuffled=deck.preshuffled)


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
    if name in state.gone_decks:
        raise Refused(f"deck {name} has left this table: bring another one", HOUSE)
    if state.deck(name) is not None:
        raise Refused(f"deck {name} is known already: give the new one another id", HOUSE)
    return Deck(name, back, preshuffled, preparation="uncut" if preshuffled else "received")


def prepare(step: Step, trigger: str, args: Mapping[str, Any]) -> None:
    """One of the steps of chapter 4 was done with a deck."""
    deck = move(step, find(step.state, args, trigger), trigger)
    type_, data = OPENING[trigger]
    if trigger == "player_inspected":
        data = {"viewed": args["viewed"]}
    tell(step, type_, deck, *PREPARATION.clauses(trigger), **data)


def load(step: Step, args: Mapping[str, Any]) -> None:
    """The deck goes into the shoe, or into the dealer's hand (TCP 8.B, 9.A(2), 10.A(1))."""
    deck = step.state.deck(args["deck"]) if args.get("deck") is not None else due_next(step.state)
    if deck is None:
        raise Refused(f"there is no deck {quoted(args['deck'])} at this table", malformed=True)
    if not ready_to_load(step.state, deck):
        raise Refused(f"deck {deck.id} is not shuffled and ready", "TCP 5.A", "TCP 10.A(1)")
    if not may_deal_next(step.state, deck):
        if step.state.single_deck:
            raise Refused(f"one deck is in use, deck {step.state.last_deck}", "TCP 3.A(1)")
        if deck.id != step.state.last_deck:
            raise Refused(TWO_DECKS, "TCP 3.B")
        raise Refused(f"deck {deck.id} dealt the last round: the other is due", "TCP 3.B(4)")
    by_hand = method.dealing(step.state) == "hand"
    custody = CUSTODY.fire("take_in_hand" if by_hand else "load_shoe", deck.custody, step.state)
    first = deck.loaded_ns is None
    step.update_deck(
        deck.id,
        custody=custody,
        loaded_ns=step.state.clock.elapsed_ns if first else deck.loaded_ns,
        by_hand=deck.by_hand or by_hand,  # where the method changes, the stricter clock holds
    )
    for shoe in step.state.devices_of("shoe"):
        step.update_device(shoe.id, dispensed=0)
    tell(step, "deck.loaded", deck, *LOADED[method.dealing(step.state)], to=custody)


LOADED: Final = {
    "automated_shoe": ("TCP 5.C", "TCP 10.A(1)"),
    "manual_shoe": ("TCP 5.F(2)", "TCP 8.B"),
    "hand": ("TCP 9.A(2)",),
}


def remove(step: Step, args: Mapping[str, Any]) -> None:
    """A deck leaves the table (TCP 5.D, or for good between rounds)."""
    deck = find(step.state, args, "remove_deck")
    in_round = step.state.round is not None and step.state.round.deck == deck.id
    if in_round:
        raise Refused(f"deck {deck.id} is in play: finish the round first", "TCP 11.E")
    custody = CUSTODY.fire("remove_deck", deck.custody, step.state)
    step.update_deck(deck.id, custody=custody)
    tell(step, "deck.removed", deck, "TCP 5.D" if deck.latched else HOUSE)
    step.done_duty("reshuffle", deck.id)
    step.done_duty("remove_deck", deck.id)
    step.done_duty("cut_again", deck.id)
    step.done_duty("count_deck", deck.id)
    for alarm in ("deck_change_due", "deck_incorrect", "recut_again"):
        step.clear_alarm(alarm, deck.id)
    if not deck.latched:
        forget(step, deck)


def change(step: Step, _args: Mapping[str, Any]) -> None:
    """Every deck leaves, so that new ones can be brought (TCP 3.C)."""
    for deck in at_table(step.state):
        remove(step, {"deck": deck.id})
    step.emit("deck.changed", {}, "TCP 3.C", subject="table")


def clear_latch(step: Step, args: Mapping[str, Any]) -> None:
    """A supervisor has seen to the wrong count; the deck itself stays away."""
    latched = [d for d in step.state.decks if d.latched and d.custody == "removed"]
    deck = next((d for d in latched if args.get("deck") in (None, d.id)), None)
    if deck is None:
        raise Refused(f"deck {quoted(args.get('deck'))} is not latched and removed", "TCP 5.D")
    tell(step, "deck.latch_cleared", deck, "COMAR 36.05.03.27C")
    step.clear_alarm("deck_latched", deck.id)
    step.done_duty("clear_deck_latch", deck.id)
    forget(step, deck)


def forget(step: Step, deck: Deck) -> None:
    """It has left for good."""
    gone = (*step.state.gone_decks, deck.id)[-REMEMBERED:]
    step.update(decks=tuple(d for d in step.state.decks if d.id != deck.id), gone_decks=gone)
    if step.state.last_deck == deck.id:
        step.update(last_deck=None)


def declare_single(step: Step) -> None:
    """The floor goes on with one deck (TCP 3.A) until the other is shuffled again."""
    step.update(single_deck=True)


def tell(step: Step, type_: str, deck: Deck, *clauses: str, **data: Any) -> None:
    """An event about a deck."""
    step.emit(type_, {"deck": deck.id, **data}, *clauses, subject=f"deck/{deck.id}")
