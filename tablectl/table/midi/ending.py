"""The end of a shoe (MIDI 3.B, 9.D): cover card, "last hand", one more hand, new decks."""

from tablectl.games import midi_third_cards as chapter_10
from tablectl.table.midi.shoe import filled, shoe_of, update_shoe
from tablectl.table.midi.state import FIRST_FOUR, PLACES
from tablectl.table.step import HOUSE, Step


def cover_card(step: Step) -> None:
    """It is put aside. Which hand it belongs to is kept in silence: sealed cards may decide it."""
    shoe = shoe_of(step)
    if shoe.ending:
        return  # the other cover card, at the bottom of the stack
    in_play = step.state.phase in ("dealing", "turning", "drawing")
    over = step.state.phase == "voided" and step.state.cards_on_table
    late = over or (in_play and _complete(step))
    update_shoe(step, ending="cover_next" if late else "cover")


def _complete(step: Step) -> bool:
    """Whether the hand has all its cards: a cover card seen then is the next round's."""
    if not filled(step).issuperset(FIRST_FOUR):
        return False
    known = {c.place: c.card for c in step.round.cards if c.card is not None}
    if len(known) < len(filled(step)):
        return False
    player = [known[p] for p in PLACES if p.startswith("player") and p in known]
    banker = [known[p] for p in PLACES if p.startswith("banker") and p in known]
    return chapter_10.next_due(player, banker).side is None


def hand_completed(step: Step) -> None:
    """A hand is complete: the one with the cover card, then one more (MIDI 9.D(2), 9.D(3))."""
    shoe = shoe_of(step)
    following = {"cover_next": "cover", "cover": "last_hand", "last_hand": "over"}
    if step.round.kind != "live" or shoe.ending not in following:
        return
    shoe = update_shoe(step, ending=following[shoe.ending])
    if shoe.ending == "last_hand":
        step.emit("round.last_hand", {"round": step.round.number}, "MIDI 9.D(2)")


def shoe_is_over(step: Step) -> None:
    """After the last hand the decks are changed; a carried card has no next round, and goes."""
    if shoe_of(step).ending == "over":
        step.open_duty("change_decks", "MIDI 3.B", "MIDI 9.D(3)")
        discard_carried(step)


def discard_carried(step: Step) -> None:
    """What was kept for a next round goes to the bucket; a sealed card stays sealed for good."""
    for card in step.state.carried:
        data = {"deck": shoe_of(step).id, "draw": card.draw, "place": card.place}
        step.emit("card.burned", data, HOUSE)
    step.update(carried=())
