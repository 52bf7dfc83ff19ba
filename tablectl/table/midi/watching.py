"""A table that only listens to its shoe (`tracking = "cards"`): the procedure follows from reports.

Nobody acts and no command leaves. What nobody reports is inferred, and marked so; nothing is
guessed. First four cards are shown with a third card or the result, third cards with the result.
"""

import re
from typing import Final

from tablectl.games import midi_third_cards as chapter_10
from tablectl.table import listening
from tablectl.table.devices import tell
from tablectl.table.inputs import DeviceEvent, ReadCard
from tablectl.table.midi import accounts, ending
from tablectl.table.midi.observed import flag
from tablectl.table.midi.shoe import (
    burn,
    burn_value,
    draw,
    filled,
    hand,
    hands_of,
    lay,
    new_shoe,
    shoe_of,
    told,
    too_many,
    turn_up,
    update_hands,
    update_shoe,
)
from tablectl.table.midi.state import FIRST_FOUR, HANDS, PLACES, MidiHands, MidiShoe
from tablectl.table.phases import ROUND
from tablectl.table.state import Round, TableCard
from tablectl.table.step import Step

_PLACE: Final = re.compile(r"(?:player|banker)/[1-3]|first|burn/[1-9]\d?")
_IN_PLAY: Final = ("dealing", "drawing")


# ── cards ──────────────────────────────────────────────────────────────────
def card(step: Step, event: DeviceEvent) -> str | None:
    """A card left the shoe. Returns what is wrong with the report, if anything."""
    if len(event.cards) != 1:
        return f"it tells {len(event.cards)} cards at once; a card report has one"
    [read] = event.cards
    listening.opens(step)
    if step.state.shoe is None:
        _new_decks(step)
    mode = event.args.get("mode", "game")
    if mode == "outside":
        return _outside(step, read)
    place = event.args.get("place")
    if place is None:
        place = _place(step, mode)
    if not isinstance(place, str) or not _PLACE.fullmatch(place):
        return "it names a place that no card of this game has"
    if place == "first":
        _first(step, read)
    elif place.startswith("burn/"):
        _burned(step, read)
    else:
        _dealt(step, read, place)
    return None


def _place(step: Step, mode: object) -> str:
    """Where a card goes that a reader without places saw (MIDI 5.F, 8.C, chapter 10)."""
    shoe = shoe_of(step)
    if mode == "burn":
        return "first" if shoe.drawn == 0 or step.state.round else f"burn/{shoe.burned + 1}"
    if step.state.phase not in _IN_PLAY:
        return PLACES[0]
    known = {c.place: c.card for c in step.round.cards}
    hands = [[known[p] for p in PLACES if p.startswith(side) and p in known] for side in HANDS]
    if len(filled(step)) < len(FIRST_FOUR):
        return FIRST_FOUR[len(filled(step))]
    player, banker = ([c for c in cards if c is not None] for cards in hands)
    if len(player) + len(banker) == len(filled(step)):
        due = chapter_10.next_due(player, banker)
        if due.side is not None:
            return f"{due.side}/3"
    _ends(step, None)  # both hands are complete: this card begins the next round
    return PLACES[0]


def _first(step: Step, read: ReadCard) -> None:
    """The exposed first card of a shoe says how many are burned: new decks (MIDI 5.F)."""
    if step.state.phase in _IN_PLAY:
        flag(step, "sequence_gap", "New decks were begun before the round had a result.")
        _ends(step, None)
    _clear(step)
    if shoe_of(step).drawn:
        _new_decks(step)
    taken = draw(step, read, "burn/1", up=True)
    sequence = burn(step, taken, "MIDI 5.F")
    due = burn_value(read.card) if read.card else None
    update_shoe(step, stage="burning", first=read.card, burn_due=due)
    if read.card is None:
        what = "The first card of the shoe could not be read: how many are burned is not known."
        flag(step, "unreadable_card", what, [sequence], stands=True)


def _burned(step: Step, read: ReadCard) -> None:
    shoe = update_shoe(step, burned=shoe_of(step).burned + 1)
    taken = draw(step, read, f"burn/{shoe.burned + 1}")
    sequence = burn(step, taken, "MIDI 5.F")
    _count(step, taken, sequence)
    if shoe.burn_due is not None and shoe.burned > shoe.burn_due:
        what = f"A card was burned beyond the {shoe.burn_due} that the first card asks for."
        flag(step, "drawn_in_error", what, [sequence])
    elif step.state.phase in _IN_PLAY:
        flag(step, "wrong_order", "A card was burned in the middle of a round.", [sequence])


def _burn_is_over(step: Step) -> None:
    """Whether the burn had its number of cards, asked once, when play begins."""
    shoe = shoe_of(step)
    if shoe.stage != "burning":
        return
    update_shoe(step, stage="loaded")
    if shoe.burn_due is not None and shoe.burned < shoe.burn_due:
        what = f"{shoe.burned} cards were burned; the first card asks for {shoe.burn_due}."
        flag(step, "incorrect_number_of_cards", what, stands=True)


def _outside(step: Step, read: ReadCard) -> str | None:
    """Drawn while the shoe is locked, in error or being set: it belongs to no hand."""
    taken = draw(step, read, f"aside/{shoe_of(step).drawn + 1}")
    sequence = told(step, taken, "MIDI 13.A")
    flag(step, "drawn_in_error", "A card was drawn while the shoe was not in play.", [sequence])
    _count(step, taken, sequence)
    return None


def _dealt(step: Step, read: ReadCard, place: str) -> None:
    """A card of a round; the first one opens the round and closes the bets (MIDI 8.B, 8.C)."""
    _burn_is_over(step)
    if step.state.phase in _IN_PLAY and hands_of(step).gap and _begins_anew(step, place):
        _ends(step, None)  # the end of that round is among what was lost
        update_shoe(step, gap=True)
    if step.state.phase not in _IN_PLAY:
        _clear(step)
        if shoe_of(step).ending == "over":
            _after_the_last_hand(step, read)
            return
        _open(step, place)
    if place.endswith("/3"):
        _show_first_four(step)
    twice = place in filled(step)
    before = _out_of_order(step, place)
    # The same card may have been told twice: it must not be missed among the copies later.
    where = f"aside/{shoe_of(step).drawn + 1}" if twice else place
    taken = draw(step, read, where, counted=not twice)
    clause = {"player/3": "MIDI 8.E", "banker/3": "MIDI 8.F"}.get(place, "MIDI 8.C")
    sequence = lay(step, taken, clause)
    if twice:
        flag(step, "duplicate_card", f"A second card was told for {place}.", [sequence])
    elif before:
        flag(step, "wrong_order", f"A card went to {place} before {before}.", [sequence])
    if read.card is None:
        flag(step, "unreadable_card", f"The card at {taken.place} could not be read.", [sequence])
    if not twice:
        _count(step, taken, sequence)
    _third_card(step, place, sequence)
    if filled(step) == set(FIRST_FOUR):
        step.emit("round.dealt", {"round": step.round.number}, "MIDI 8.C", inferred=True)


def _begins_anew(step: Step, place: str) -> bool:
    """Whether, after a gap, a card can only belong to another round."""
    return any(PLACES.index(place) <= PLACES.index(other) for other in filled(step))


def _out_of_order(step: Step, place: str) -> str | None:
    """The place among the first four that should have had its card before this one."""
    ahead = FIRST_FOUR[: PLACES.index(place)]
    return next((each for each in ahead if each not in filled(step)), None)


def _open(step: Step, place: str) -> None:
    """Nobody opens a round here: its first card shows that it is open, and that bets are closed."""
    number, shoe = step.state.rounds + 1, shoe_of(step)
    phase = ROUND.fire("-card_seen", step.state.phase, step.state)
    step.update(rounds=number, phase=phase, round=Round(number, shoe.id, midi=MidiHands()))
    opened = {"round": number, "kind": "live", "deck": shoe.id}
    step.emit("round.opened", opened, "MIDI 7.A", inferred=True)
    step.emit("round.bets_locked", {"round": number}, "MIDI 8.B", inferred=True)
    step.emit("round.dealing", {"round": number}, "MIDI 8.C", inferred=True)
    if shoe.gap and place != PLACES[0]:
        update_hands(step, gap=True)
        flag(step, "sequence_gap", "Reports were lost as this round began.")
    update_shoe(step, gap=False)


def _after_the_last_hand(step: Step, read: ReadCard) -> None:
    taken = draw(step, read, f"aside/{shoe_of(step).drawn + 1}")
    sequence = told(step, taken, "MIDI 9.D(3)")
    what = "A card left the shoe after its last hand: the decks had to be replaced first."
    flag(step, "drawn_in_error", what, [sequence])


def _count(step: Step, taken: TableCard, sequence: int) -> None:
    if too_many(step, taken):
        # Neither the card nor its place is named while it lies face down.
        what = "A card was read more often than the shoe can hold it."
        flag(step, "impossible_card", what, [sequence] if taken.up else ())


# ── third cards, where it shows whether they were due ──────────────────────
def _show_first_four(step: Step) -> None:
    """A third card comes after both hands are up (MIDI 8.D, 9.A)."""
    if step.state.phase == "dealing":
        step.update(phase=ROUND.fire("-third_seen", step.state.phase, step.state))
        turn_up(step, FIRST_FOUR, "MIDI 8.D(3)", "MIDI 8.D(5)(a)", inferred=True)


def _third_card(step: Step, place: str, sequence: int) -> None:
    """Whether a third card was due, said as soon as only shown cards decide it (MIDI 10)."""
    decided = place == "player/3" or (place == "banker/3" and "player/3" not in filled(step))
    player, banker = hand(step, "player"), hand(step, "banker")
    if not decided or len(player) != 2 or len(banker) != 2:
        return
    side = place.partition("/")[0]
    due = chapter_10.next_due(player, banker)
    if due.side == side:
        return
    _not_due(step, side, due.clause, sequence)


def _not_due(step: Step, side: str, clause: str, *evidence: int) -> None:
    what = f"A third card was dealt to the {side.title()}'s hand, against {clause}."
    flag(step, "unauthorised_third_card", what, evidence)


def _check_thirds(step: Step) -> None:
    """With every card up: was each third card due, and is none missing?"""
    missing = [place for place in FIRST_FOUR if place not in filled(step)]
    if missing:
        what = f"The round ended without a card at {', '.join(missing)}."
        flag(step, "incorrect_number_of_cards", what)
        return
    if hands_of(step).doubts:
        return
    shown = [event.sequence for event in step.events if event.type == "card.revealed"]
    player, banker = hand(step, "player"), hand(step, "banker")
    thirds = {
        "player": (player, chapter_10.player_draws(player, banker)),
        "banker": (banker, chapter_10.banker_draws(player, banker)),
    }
    for side, (cards, third) in thirds.items():
        if third.draws and len(cards) == 2:
            what = f"The {side.title()}'s hand was due a third card and got none."
            flag(step, "incorrect_number_of_cards", what, shown)
        elif not third.draws and len(cards) == 3:
            _not_due(step, side, third.clause, *shown)


# ── the end of a round ─────────────────────────────────────────────────────
def result(step: Step, event: DeviceEvent) -> str | None:
    """The shoe has its own view of the result: the cards decide, and its view is compared."""
    if step.state.phase not in _IN_PLAY:
        return "it tells a result while no round is under way"
    _ends(step, event)
    return None


def _ends(step: Step, event: DeviceEvent | None) -> None:
    """Everything is turned up; the round is settled from its cards unless they are in doubt."""
    told_at = step.state.sequence
    inferred = event is None
    turn_up(step, FIRST_FOUR, "MIDI 8.D(3)", "MIDI 8.D(5)(a)", inferred=True)
    turn_up(step, PLACES[4:], "MIDI 8.E(2)", "MIDI 8.F(2)", inferred=True)
    step.update(phase=ROUND.fire("-round_ends", step.state.phase, step.state))
    winner = event.args.get("winner") if event is not None else None
    if winner == "forced":
        what = "The shoe ended the round by force; what became of it is not known."
        flag(step, "result_mismatch", what)
        update_hands(step, doubts=(*hands_of(step).doubts, what))
    _check_thirds(step)
    if not hands_of(step).doubts:
        accounts.settle_by_odds(step, inferred=inferred)
        if event is not None:
            _compare(step, event, told_at)
    ending.hand_completed(step)
    ending.shoe_is_over(step)


def _compare(step: Step, event: DeviceEvent, told_at: int) -> None:
    """The shoe's own result against the cards (its claim is in the record of this input)."""
    player, banker = hand(step, "player"), hand(step, "banker")
    computed: dict[str, object] = {
        "winner": chapter_10.winner(player, banker),
        "player_pair": player[0][0] == player[1][0],
        "banker_pair": banker[0][0] == banker[1][0],
    }
    settled = [e.sequence for e in step.events if e.type == "round.settled"]
    for name, ours in computed.items():
        theirs = event.args.get(name)
        if theirs is not None and theirs != ours:
            claim = f"The shoe says {name.replace('_', ' ')} {_word(theirs)}"
            what = f"{claim}; by the cards it is {_word(ours)}."
            flag(step, "result_mismatch", what, [s for s in settled if s > told_at])


def _word(value: object) -> str:
    return {True: "yes", False: "no"}.get(value, str(value)) if type(value) is bool else str(value)


def standby(step: Step, event: DeviceEvent) -> str | None:
    """Between rounds: what is still open ends here."""
    tell(step, "device.standby", event, "shoe", "between rounds")
    if step.state.shoe is not None:
        _burn_is_over(step)
    if step.state.phase in _IN_PLAY:
        what = "The shoe went on without telling a result."
        flag(step, "sequence_gap", what, [step.state.sequence])
        _ends(step, None)
    _clear(step)
    return None


def _clear(step: Step) -> None:
    """The cards of a round that is over have left the table (MIDI 11.C)."""
    if step.state.phase not in ("clearing", "voided"):
        return
    listening.cleared(step, hands_of(step).doubts, "MIDI 11.C")


# ── the shoe ───────────────────────────────────────────────────────────────
def cover_card(step: Step, event: DeviceEvent) -> str | None:
    """The cover card came out: this hand or the next, then one more (MIDI 9.D)."""
    listening.opens(step)
    if step.state.shoe is None:
        _new_decks(step)
    tell(step, "device.cover_card", event, "shoe", "cover card")
    if shoe_of(step).stage == "burning":
        what = "The cover card came out during the burn: the cut was not as MIDI 5.C(1) has it."
        flag(step, "wrong_order", what, [step.state.sequence])
    ending.cover_card(step)
    return None


def gap(step: Step, event: DeviceEvent) -> str | None:
    """Reports may be missing: a round with cards out is in doubt, the next one may be too."""
    listening.opens(step)
    what = str(event.args.get("what", "reports may be missing"))[:200]
    tell(step, "device.gap", event, "shoe", what)
    _lost(step, "Reports of the shoe were lost")
    return None


def started(step: Step, event: DeviceEvent) -> str | None:
    """The shoe booted or was reset; new decks show by their first card, and not by this."""
    listening.opens(step)
    tell(step, "device.started", event, "shoe", "started")
    if step.state.phase in _IN_PLAY:
        _lost(step, "The shoe was started anew")
        _ends(step, None)
    _clear(step)
    if step.state.shoe is None:
        _new_decks(step)
    return None


def _lost(step: Step, what: str) -> None:
    evidence = [step.state.sequence]
    if step.state.phase in _IN_PLAY:
        update_hands(step, gap=True)
        flag(step, "sequence_gap", f"{what} while a round was under way.", evidence)
    else:
        flag(step, "sequence_gap", f"{what} between rounds.", evidence, between=True)
        if step.state.shoe is None or step.state.shoe.ending == "over":
            _new_decks(step)  # their first card may be among what was lost
        update_shoe(step, gap=True)


def _new_decks(step: Step) -> MidiShoe:
    """Another shoe, as its own reports show (MIDI 3.B)."""
    before = step.state.shoe
    shoe = new_shoe(step, "loaded")
    data = {"deck": shoe.id, "decks": shoe.decks}
    if before is not None:
        step.emit("deck.changed", {**data, "was": before.id}, "MIDI 3.B", inferred=True)
        step.done_duty("change_decks")
    step.emit("deck.loaded", data, "MIDI 5.C(2)", inferred=True)
    return shoe
