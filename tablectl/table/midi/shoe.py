"""The shoe as the table counts it: every card that leaves it has a draw, a place and a seal.

A value that is read is sealed here; what leaves is the place and the commitment. How many copies of
a card a shoe can hold is known, so one too many is seen at once (MIDI 3.A).
"""

from dataclasses import replace
from typing import Any

from tablectl.cards import DECK, Card
from tablectl.games.rules import MidiBaccaratRules
from tablectl.table.inputs import ReadCard
from tablectl.table.midi.state import HANDS, MidiHands, MidiShoe
from tablectl.table.seal import commitment
from tablectl.table.state import State, TableCard
from tablectl.table.step import Step


def rules_of(of: State | Step) -> MidiBaccaratRules:
    """The rules of the Midi Baccarat game that the table plays."""
    setup = of.setup
    assert setup is not None
    assert isinstance(setup.rules, MidiBaccaratRules)
    return setup.rules


def shoe_of(step: Step) -> MidiShoe:
    """The shoe in use."""
    assert step.state.shoe is not None, "no shoe is in use"
    return step.state.shoe


def update_shoe(step: Step, **changes: Any) -> MidiShoe:
    """Replace parts of the shoe; returns it as it is now."""
    shoe = replace(shoe_of(step), **changes)
    step.update(shoe=shoe)
    return shoe


def hands_of(step: Step) -> MidiHands:
    """What the round has beside its cards."""
    return step.round.midi or MidiHands()


def update_hands(step: Step, **changes: Any) -> MidiHands:
    """Replace parts of it; returns it as it is now."""
    hands = replace(hands_of(step), **changes)
    step.update_round(midi=hands)
    return hands


def new_shoe(step: Step, stage: str) -> MidiShoe:
    """Another set of decks takes the place of the last one (MIDI 3.B)."""
    before = step.state.shoe
    number = before.number + 1 if before else 1
    # What is owed outlives the shoe: nobody is forgiven by new decks (MIDI 12.D(2)(b)).
    owed = before.owed if before else ()
    shoe = MidiShoe(number, rules_of(step).decks, stage, owed=owed)
    step.update(shoe=shoe)
    return shoe


def hand(step: Step, name: str) -> tuple[Card, ...]:
    """The known cards of a hand that lie face up, in their order."""
    cards = sorted(step.round.hand(name), key=lambda card: card.place)
    return tuple(card.card for card in cards if card.up and card.card is not None)


def burn_value(card: Card) -> int:
    """How many cards follow the first one into the bucket (MIDI 5.F, 5.G)."""
    return 10 if card[0] in "TJQK" else 1 if card[0] == "A" else int(card[0])


# ── cards that leave it ────────────────────────────────────────────────────
def draw(
    step: Step, read: ReadCard, place: str, *, up: bool = False, counted: bool = True
) -> TableCard:
    """The next card leaves the shoe; where it is put, the caller says with `lay` or `burn`.

    `counted`: it is one copy more of its card; not where it may be a card that was told before.
    """
    shoe = update_shoe(step, drawn=shoe_of(step).drawn + 1)
    sealed = None
    if read.card is not None:
        if counted:
            seen(step, read.card)
        sealed = commitment(read.card, read.salt) if read.salt else None
    salt = read.salt if sealed else None
    return TableCard(shoe.drawn, place, read.card, salt, sealed, up)


def seen(step: Step, card: Card) -> None:
    """One copy more of a card is known to have left the shoe."""
    counts, at = shoe_of(step).seen, DECK.index(card)
    update_shoe(step, seen=(*counts[:at], counts[at] + 1, *counts[at + 1 :]))


def unseen(step: Step, card: Card) -> None:
    """It was another card: that copy is still in the shoe."""
    counts, at = shoe_of(step).seen, DECK.index(card)
    update_shoe(step, seen=(*counts[:at], max(0, counts[at] - 1), *counts[at + 1 :]))


def lay(step: Step, card: TableCard, *clauses: str, inferred: bool = False) -> int:
    """Put a card of the round at its place, face down; returns the event, as evidence."""
    step.update_round(cards=(*step.round.cards, card))
    evidence = told(step, card, *clauses, inferred=inferred)
    if card.card is None and not inferred:
        data = {"round": step.round.number, "draw": card.draw, "place": card.place}
        step.emit("card.unreadable", data)
    return evidence


def told(step: Step, card: TableCard, *clauses: str, inferred: bool = False) -> int:
    """The event of a card that was dealt: its place and its seal, and nothing else."""
    data = {
        "round": step.state.round.number if step.state.round else None,
        "deck": shoe_of(step).id,
        "draw": card.draw,
        "place": card.place,
        "commitment": card.commitment,
    }
    return step.emit("card.dealt", data, *clauses, inferred=inferred)


def burn(step: Step, card: TableCard, *clauses: str) -> int:
    """A card goes to the discard bucket; a face is told only where it is shown (MIDI 5.F)."""
    data: dict[str, Any] = {"deck": shoe_of(step).id, "draw": card.draw, "place": card.place}
    if card.up and card.card is not None:
        data |= {"card": card.card, "salt": card.salt}
    data["commitment"] = card.commitment
    return step.emit("card.burned", data, *clauses)


def turn_up(step: Step, places: tuple[str, ...], *clauses: str, inferred: bool = False) -> None:
    """Turn cards face up: card and salt are published, anybody can check the commitment."""
    for card in step.round.cards:
        if card.up or card.place not in places:
            continue
        replace_card(step, replace(card, up=True))
        if card.card is not None:
            data = {"round": step.round.number, "draw": card.draw, "place": card.place}
            data |= {"card": card.card, "salt": card.salt}
            step.emit("card.revealed", data, *clauses, inferred=inferred)


def replace_card(step: Step, card: TableCard) -> None:
    """A card of the round changes; its draw says which."""
    step.update_round(cards=tuple(card if c.draw == card.draw else c for c in step.round.cards))


def filled(step: Step) -> set[str]:
    """The places of the two hands at which a card lies."""
    return {c.place for c in step.round.cards if c.place.partition("/")[0] in HANDS}


def too_many(step: Step, card: TableCard) -> bool:
    """More copies of a card than the shoe has decks, or more cards than it can hold."""
    shoe = shoe_of(step)
    return shoe.drawn > shoe.size or (card.card is not None and shoe.copies(card.card) > shoe.decks)
