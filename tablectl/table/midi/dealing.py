"""Dealing at a table with a dealer (MIDI 8, 9, 13): where the next card goes, and what then.

The table says where a card goes, by the procedure; a shoe's own idea of places is only compared.
Nothing that follows from a face-down card is decided here.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tablectl.cards import UnknownCard, parse_card
from tablectl.games import midi_third_cards as chapter_10
from tablectl.table.inputs import ReadCard
from tablectl.table.midi import cards, settling, turning
from tablectl.table.midi.guards import by_hand
from tablectl.table.midi.irregularities import count_copies, report, stray
from tablectl.table.midi.shoe import (
    draw,
    filled,
    hand,
    hands_of,
    lay,
    seen,
    turn_up,
    update_hands,
)
from tablectl.table.midi.state import FIRST_FOUR, PLACES
from tablectl.table.phases import ROUND
from tablectl.table.state import TableCard
from tablectl.table.step import Refused, Step, quoted

_NOBODY = ReadCard(None, "")  # a card that no reader saw
_CLAUSE = {"player/3": "MIDI 8.E", "banker/3": "MIDI 8.F"}


def place_due(step: Step) -> str | None:
    """Where the next card goes; None where none is due, or where face-down cards decide it."""
    phase, round_ = step.state.phase, step.state.round
    if round_ is not None and round_.count in ("due", "mismatch"):
        return None  # the progressive chips are counted first
    if phase in ("locked", "cancelling", "dealing"):
        return next((place for place in FIRST_FOUR if place not in filled(step)), None)
    if phase not in ("drawing", "simulating"):
        return None
    if len(filled(step)) < len(FIRST_FOUR):
        return next(place for place in PLACES if place not in filled(step))
    # After lost reports the Banker's third card may be known, and the Player's not.
    down = turning.next_hand(step.state)
    if down is not None and (down == "player" or not hands_of(step).gap):
        return None
    side = chapter_10.next_due(hand(step, "player"), hand(step, "banker")).side
    return f"{side}/3" if side and f"{side}/3" not in filled(step) else None


def arrive(step: Step, read: ReadCard, said: object) -> TableCard:
    """A card left the shoe: it goes where one is due, else it is kept for the next round."""
    place = place_due(step)
    if place is None:
        round_ = step.state.round
        two = round_ is not None and len(round_.hand("player")) == 2
        ended = step.state.phase in ("settling", "clearing") and two and said != "banker/3"
        live = round_ is not None and round_.kind == "live" and hands_of(step).stray is None
        return stray(step, read, third=ended and live)
    lost = hands_of(step).gap
    if lost and said in PLACES and said not in filled(step):
        place = str(said)  # what was lost lay before it: the shoe knows better than we
    elif lost:
        read = _NOBODY  # where it lies nobody can say: told as another, a card would be given away
    _begin(step)
    evidence, taken = _lay(step, read, place)
    if said == "player/3" and place == "banker/3":
        update_hands(step, stray=taken.draw)
        report(step, "third_to_banker", "A third card went to the Player's hand.", [evidence])
    elif said != place and isinstance(said, str) and not _carried_before(step):
        report(step, "wrong_order", f"The shoe takes the card at {place} for {said}.", [evidence])
    if read.card is None and not lost:
        report(step, "unreadable_card", f"The card at {place} could not be read.", [evidence])
    return taken


def _begin(step: Step) -> None:
    if step.state.phase in ("locked", "cancelling"):
        step.update(phase=ROUND.fire("-first_card", step.state.phase, step.state))
        step.emit("round.dealing", {"round": step.round.number}, "MIDI 8.C")


def _lay(step: Step, read: ReadCard, place: str, inferred: bool = False) -> tuple[int, TableCard]:
    taken = draw(step, read, place)
    evidence = lay(step, taken, _CLAUSE.get(place, "MIDI 8.C"), inferred=inferred)
    _turn_simulated(step)
    return evidence, taken


def _turn_simulated(step: Step) -> None:
    """In a simulated round the dealer turns every card (MIDI 13.D(2))."""
    if step.state.phase == "simulating":
        turn_up(step, PLACES, "MIDI 13.D(2)")


def _carried_before(step: Step) -> bool:
    """Whether cards kept from earlier made the shoe lose count of the places."""
    draws = [card.draw for card in step.round.cards]
    return draws != list(range(draws[0], draws[0] + len(draws)))


# ── what follows by itself ─────────────────────────────────────────────────
def go_on(step: Step) -> None:
    """After every input: carried cards are used, and phases follow one another."""
    for _ in range(4 * len(PLACES)):  # far more than a round has steps
        if not (_use_carried(step) or _advance(step)):
            return


def _use_carried(step: Step) -> bool:
    """A card that was kept is the first card of the next hand (MIDI 13.A, 13.D(1))."""
    if step.state.phase not in ("locked", "dealing", "drawing", "simulating"):
        return False
    if step.state.lock != "locked" or step.state.halt is not None:
        return False
    simulated, later = step.state.phase == "simulating", hands_of(step).kept
    usable = (c for c in step.state.carried if simulated or not (c.up or c.draw in later))
    kept = next(usable, None)
    place = place_due(step) if kept is not None else None
    if kept is None or place is None:
        return False
    _begin(step)
    step.update(carried=tuple(c for c in step.state.carried if c is not kept))
    placed = replace(kept, place=place)
    cards_ = sorted((*step.round.cards, placed), key=lambda card: card.draw)
    step.update_round(cards=tuple(cards_))
    data = {"round": step.round.number, "draw": kept.draw, "from": kept.place, "to": place}
    step.emit("card.moved", data, "MIDI 13.D(1)" if simulated else "MIDI 13.A")
    _turn_simulated(step)
    return True


def _advance(step: Step) -> bool:
    phase, before = step.state.phase, step.state.sequence
    number = step.state.round.number if step.state.round else 0
    if phase == "dealing" and filled(step).issuperset(FIRST_FOUR):
        step.update(phase=ROUND.fire("-all_dealt", phase, step.state))
        step.emit("round.dealt", {"round": number}, "MIDI 8.C")
    elif phase == "turning" and turning.both_up(step):
        step.update(phase=ROUND.fire("-hands_up", phase, step.state))
        return True
    elif phase == "drawing" and turning.both_up(step) and place_due(step) is None:
        if not hands_of(step).doubts:
            settling.begin(step)
    elif phase == "simulating" and _simulated_is_over(step):
        step.update(phase=ROUND.fire("-complete", phase, step.state))
        step.emit("round.dealt", {"round": number}, "MIDI 13.D(2)")
    return step.state.sequence > before


def _simulated_is_over(step: Step) -> bool:
    four = filled(step).issuperset(FIRST_FOUR)
    return four and turning.next_hand(step.state) is None and place_due(step) is None


# ── cards that people tell ─────────────────────────────────────────────────
def infer_first_four(step: Step) -> None:
    """No reader: the first cards are known to be out when the dealer hands them on."""
    while step.state.phase in ("locked", "dealing"):
        if _use_carried(step):
            continue
        place = place_due(step)
        if place is None:
            step.update(phase=ROUND.fire("-all_dealt", step.state.phase, step.state))
            step.emit("round.dealt", {"round": step.round.number}, "MIDI 8.C", inferred=True)
            return
        infer(step, place, _NOBODY)


def infer(step: Step, place: str, read: ReadCard) -> TableCard:
    """A card that nobody saw leave the shoe lies at its place, by what is told of it or of the
    next."""
    _begin(step)
    return _lay(step, read, place, inferred=True)[1]


def hand_cards(step: Step, args: Mapping[str, Any]) -> None:
    """Hand a hand on; without a reader this shows that the four cards are out."""
    infer_first_four(step)
    turning.hand_cards(step, args)


def reveal(step: Step, args: Mapping[str, Any]) -> None:
    """A hand is turned over; without a reader this too shows that the four cards are out."""
    infer_first_four(step)
    turning.reveal(step, args)


def enter_card(step: Step, args: Mapping[str, Any]) -> None:
    """The dealer says which card lies at a place, where no reader could."""
    try:
        value = parse_card(args["card"])
    except UnknownCard as error:
        raise Refused(str(error), malformed=True) from None
    place = args["place"]
    if step.state.phase == "preparing":
        if place != "burn/1":
            raise Refused("only the first card of the shoe can be entered now", "MIDI 5.F")
        cards.name_first(step, args)
        return
    infer_first_four(step)
    here = any(card.place == place for card in step.round.cards)
    if not here and place == place_due(step) and by_hand(step.state):
        infer(step, place, _NOBODY)
    elif not here:
        raise Refused(f"no card is due at {quoted(place)}", "MIDI 8.C", "MIDI 9.B(1)")
    side = place.partition("/")[0]
    shown = any(card.place == place and card.up for card in step.round.cards)
    if step.state.phase == "turning" and not shown:
        if side != turning.next_hand(step.state):
            raise Refused("the Player's hand is turned first", "MIDI 8.D(3)", "MIDI 8.D(4)")
        turning.check_handed(step, side)
    entered = turning.enter(step, place, value)
    seen(step, value)
    count_copies(step, entered)


def on_layout(step: Step, place: str) -> TableCard | None:
    """The card at a place of the round, or among those that are kept."""
    found = [*step.state.carried, *(step.state.round.cards if step.state.round else ())]
    return next((card for card in found if card.place == place), None)
