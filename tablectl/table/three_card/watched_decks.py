"""The deck of a three-card table that only listens: shuffles, counts, its clock, and which cards
belong to one round.

Nobody names the decks here: `deck-N` is what plays until somebody says that the decks were changed.
A shuffle alone ends no round: where two decks alternate it may be the other one's (TCP 3.B(3)).
"""

from dataclasses import replace
from typing import Any, Final

from tablectl.cards import DECK_SIZE
from tablectl.table import listening, method, stub
from tablectl.table.decks import LOADED, at_table, tell
from tablectl.table.devices import Handlers, failed
from tablectl.table.inputs import DeviceEvent
from tablectl.table.shuffling import compartment_of
from tablectl.table.state import Deck, State
from tablectl.table.step import HOUSE, Step
from tablectl.table.three_card.observed import doubt, flag
from tablectl.table.three_card.state import Watch

TWO_DECKS: Final = "two_decks"  # the alarm
_OVERLAP: Final = "A card left the shoe while a deck was being shuffled: two decks are in use."
_NOT_SAID: Final = "A deck was shuffled between two cards, and the shoe did not say it was loaded."
_NO_END: Final = "Nothing tells where this round ends: no shuffler is online."


def watch_of(step: Step) -> Watch:
    """What is known between reports."""
    return step.state.watch or Watch()


def update_watch(step: Step, **changes: Any) -> Watch:
    """Replace parts of it; returns it as it is now."""
    watch = replace(watch_of(step), **changes)
    step.update(watch=watch)
    return watch


# ── which cards belong to one round ────────────────────────────────────────
def of_another_round(state: State, told: int | None) -> bool:
    """Whether a card that leaves now cannot be of the round under way."""
    watch = state.watch or Watch()
    if told is not None and watch.counted is not None:
        return told <= watch.counted  # its own count began anew: other cards were loaded
    mixed = _two_decks(state) and watch.shuffle == "begun"
    return told == 1 or watch.renewed or mixed or (watch.shuffle == "whole" and not watch.tells)


def card_left(step: Step, told: int | None) -> None:
    """A card, or a stack, has left: what was known before it is used up."""
    watch = watch_of(step)
    tells = watch.tells or told is not None
    if watch.shuffle == "begun" and not tells and not _two_decks(step.state):
        flag(step, "sequence_gap", _OVERLAP)
        what = f"{_OVERLAP} This reader tells neither decks nor rounds: nothing is settled."
        step.raise_alarm(TWO_DECKS, "warning", what, "TCP 3.B", HOUSE, until_seen=True)
    if not tells and _two_decks(step.state):
        doubt(step, "sequence_gap", _OVERLAP)  # told once; not again a round
    if watch.shuffle == "whole" and tells and told is None and step.round.cards:
        flag(step, "sequence_gap", _NOT_SAID)
    shuffle = "running" if watch.shuffle in ("begun", "running") else ""
    update_watch(step, sure=False, renewed=False, tells=tells, counted=told, shuffle=shuffle)


def begins_unknown(step: Step) -> None:
    """A round whose first card nobody can name."""
    what = "Cards may have left the shoe before: where this round began is not known."
    if _two_decks(step.state):
        doubt(step, "sequence_gap", what)
    else:
        flag(step, "sequence_gap", what)


def _two_decks(state: State) -> bool:
    """Told, and nobody has seen to it since."""
    return any(alarm.kind == TWO_DECKS for alarm in state.alarms)


def _nothing_tells(state: State) -> bool:
    """A reader that says neither when it was loaded nor what it counted leans on a shuffler."""
    tells = state.watch is not None and state.watch.tells
    return not tells and all(d.health != "online" for d in state.devices_of("shuffler"))


# ── the deck ───────────────────────────────────────────────────────────────
def deck_in_play(step: Step) -> Deck:
    """The cards that the table plays with; its clock runs from the first that leaves (TCP 3.C)."""
    deck = _deck(step)
    dealing = method.dealing(step.state)
    by_hand = deck.by_hand or dealing == "hand"
    changes: dict[str, Any] = {"custody": "play", "preparation": "used", "by_hand": by_hand}
    if deck.loaded_ns is None:
        changes["loaded_ns"] = step.state.clock.elapsed_ns
        to = "hand" if dealing == "hand" else "shoe"
        data, subject = {"deck": deck.id, "to": to}, f"deck/{deck.id}"
        step.emit("deck.loaded", data, *LOADED[dealing], subject=subject, inferred=True)
    return step.update_deck(deck.id, **changes)


def _deck(step: Step) -> Deck:
    """The cards that are here; the first that are heard of get a name."""
    here = at_table(step.state)
    if here:
        return here[0]
    number = update_watch(step, decks=watch_of(step).decks + 1).decks
    deck = Deck(f"deck-{number}", "unknown")
    step.update(decks=(*step.state.decks, deck))
    return deck


def one_more_round(step: Step, deck: Deck) -> None:
    """Every fifth round without a proof of 52 the stub is due; nobody can report its count here."""
    if deck.latched:
        what = "The cards of this round are of a deck that counted wrong."
        flag(step, "stub_incorrect", what)
    stub.one_more_round(step, deck.id)
    if step.state.rounds_since_count % stub.EVERY == 0:
        step.update_round(stub="due")


def rests(step: Step) -> None:
    """The round is over: the cards lie in the discard rack (TCP 11.E)."""
    for deck in at_table(step.state):
        if deck.custody == "play":
            step.update_deck(deck.id, custody="discard")


# ── a shuffler ─────────────────────────────────────────────────────────────
def shuffle_started(step: Step, event: DeviceEvent) -> str | None:
    """A cycle began: of this deck, or of the other one."""
    update_watch(step, shuffle="begun")
    deck = _deck(step)
    _at_rest(step, deck, custody="shuffler", preparation="shuffling")
    tell(step, "deck.shuffling", deck, "TCP 5.A", **_compartment(event))
    return None


def shuffle_done(step: Step, event: DeviceEvent) -> str | None:
    """A cycle ended, with the device's own count if it counts (TCP 5.D)."""
    watch, count, distinct = watch_of(step), event.args.get("count"), event.args.get("distinct")
    whole = watch.shuffle in ("begun", "whole")  # no card since it began
    update_watch(step, shuffle="whole" if whole else "", sure=watch.sure or whole)
    deck = _deck(step)
    _at_rest(step, deck, custody="shuffler", preparation="shuffled")
    seen: dict[str, Any] = {"count": count} | ({} if distinct is None else {"distinct": distinct})
    where = _compartment(event)
    tell(step, "deck.shuffled", deck, "TCP 5.B", "TCP 5.D", by=event.device, **seen, **where)
    if count not in (None, DECK_SIZE) or distinct not in (None, DECK_SIZE):
        _counted_wrong(step, deck, seen)
    elif count is not None:
        _proved(step, deck)
    return None


def _compartment(event: DeviceEvent) -> dict[str, Any]:
    place = compartment_of(event)
    return {"compartment": place} if place else {}


def _at_rest(step: Step, deck: Deck, **changes: Any) -> None:
    """What a cycle does to the deck, where no round is under way that may be dealt from it."""
    if step.state.round is None:
        step.update_deck(deck.id, **changes)


def _counted_wrong(step: Step, deck: Deck, seen: dict[str, Any]) -> None:
    """The deck must leave (TCP 5.D): nobody can be stopped, but no round from it is settled."""
    step.update_deck(deck.id, latched=True)
    clauses = ("TCP 5.D(1)", "TCP 5.D(2)")
    tell(step, "deck.latched", deck, *clauses, expected=DECK_SIZE, **seen)
    twice = seen["count"] in (None, DECK_SIZE)
    found = f"{seen.get('distinct')} different cards" if twice else f"{seen['count']} cards"
    what = f"The shuffler finds {found}, not {DECK_SIZE}: this deck must leave the table."
    listening.alarm(step, "deck_latched", what, *clauses, severity="critical")


def _proved(step: Step, deck: Deck) -> None:
    if deck.latched:
        step.update_deck(deck.id, latched=False)
        data, subject = {"deck": deck.id}, f"deck/{deck.id}"
        step.emit("deck.latch_cleared", data, "TCP 5.D", subject=subject, inferred=True)
    stub.proved(step, deck.id)


def jam(step: Step, event: DeviceEvent) -> str | None:
    """The shuffler jammed (TCP 13.F): no round is void, the cards are reshuffled."""
    return _stopped(step, event, "jammed")


def fault(step: Step, event: DeviceEvent) -> str | None:
    return _stopped(step, event, f"stopped: {str(event.args.get('what', 'fault'))[:200]}")


def _stopped(step: Step, event: DeviceEvent, how: str) -> str | None:
    shuffler = step.state.device(event.device)
    assert shuffler is not None
    evidence = [failed(step, shuffler, f"{shuffler.kind} {shuffler.id} {how}.")]
    if watch_of(step).shuffle != "whole":
        update_watch(step, shuffle="")
    flag(step, "shuffler_jam", f"The shuffler {how}.", evidence)
    return None


# ── after every input ──────────────────────────────────────────────────────
def look(step: Step) -> None:
    """What hangs on the state alone: a round whose end nothing would tell, decks changed."""
    round_ = step.state.round
    certain = round_ is not None and not round_.doubts and round_.void_reason is None
    if certain and _nothing_tells(step.state):
        flag(step, "sequence_gap", _NO_END)
    told = [alarm for alarm in step.state.alarms if alarm.kind == "deck_change_due"]
    for deck in at_table(step.state):
        if deck.overdue and round_ is None and all(alarm.acknowledged for alarm in told):
            _changed(step, deck)


def _changed(step: Step, deck: Deck) -> None:
    """Whoever acknowledged the alarm has seen to it: other cards come, with their own clock."""
    step.clear_alarm("deck_change_due", deck.id)
    step.update(decks=tuple(d for d in step.state.decks if d is not deck))
    step.emit("deck.changed", {"was": deck.id}, "TCP 3.C", subject="table")


HANDLERS: Final[Handlers] = {
    ("shuffler", "shuffle_started"): shuffle_started,
    ("shuffler", "shuffle_done"): shuffle_done,
    ("shuffler", "jam"): jam,
    ("shuffler", "fault"): fault,
}
