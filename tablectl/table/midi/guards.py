"""May this happen now at a Midi Baccarat table? Each guard raises Refused with its clause.

They look at the moment only. What an action's own arguments must satisfy stands with the action.
"""

from tablectl.cards import dollars
from tablectl.table.machines import Guard
from tablectl.table.state import Round, State
from tablectl.table.step import HOUSE, Refused

MOST_CARDS = 6  # of a round: three for each hand (MIDI 9.C)
IN_SHOE = ("loaded", "burning", "ready")  # stages of cards that can be drawn


# ── the shoe ───────────────────────────────────────────────────────────────
def stage_is(clause: str, *stages: str) -> Guard:
    """A guard: the cards are made ready so far, and no further."""

    def guard(state: State) -> None:
        if state.shoe is None or state.shoe.stage not in stages:
            at = state.shoe.stage if state.shoe else "not here"
            raise Refused(f"the cards are {at}; this is for cards that are {stages[0]}", clause)

    guard.__name__ = f"stage_is_{'_or_'.join(stages)}"
    return guard


def there_are_no_cards(state: State) -> None:
    """One set of decks at a time, changed as a whole (MIDI 3.B)."""
    if state.shoe is not None and state.shoe.stage != "removed":
        raise Refused("cards are at the table already: they are changed together", "MIDI 3.B")


def there_are_cards(state: State) -> None:
    if state.shoe is None or state.shoe.stage == "removed":
        raise Refused("no cards are at the table: bring the decks first", "MIDI 4.A")


def cards_are_in_the_shoe(state: State) -> None:
    """Loaded, in the burn or in play (MIDI 5.C(2), 5.F)."""
    if state.shoe is None or state.shoe.stage not in IN_SHOE:
        raise Refused("no cards are in the shoe", "MIDI 5.C(2)")


def the_cards_may_be_changed(state: State) -> None:
    """Decks are changed after each shoe (MIDI 3.B), or when a duty asks for it."""
    there_are_cards(state)
    due = any(duty.duty == "change_decks" for duty in state.duties)
    if not due and _cards_left(state) >= MOST_CARDS:
        raise Refused(
            "the shoe is not at its end: the floor may take the cards out (remove_deck)",
            "MIDI 3.B", "MIDI 9.D(3)",
        )  # fmt: skip


def no_vigorish_is_owed(state: State) -> None:
    """Marked vigorish is collected before a new shoe begins (MIDI 12.D(2)(b)(i))."""
    for seat, cents in _owed(state):
        raise Refused(f"seat {seat} owes {dollars(cents)} vigorish", "MIDI 12.D(2)(b)(i)")


def nothing_is_missing(state: State) -> None:
    """The closing checklist, whole: no duty open, cards out, no vigorish owed."""
    missing = [(duty.duty.replace("_", " "), duty.clauses) for duty in state.duties]
    if state.shoe is not None and state.shoe.stage != "removed":
        missing.append(("take the cards out", (HOUSE,)))
    missing += [
        (f"seat {seat} owes {dollars(cents)} vigorish", ("MIDI 12.D(2)(b)(i)",))
        for seat, cents in _owed(state)
    ]
    if missing:
        clauses = dict.fromkeys(clause for _, cited in missing for clause in cited)
        raise Refused(f"before closing: {'; '.join(what for what, _ in missing)}", *clauses)


def vigorish_is_owed(state: State) -> None:
    if not _owed(state):
        raise Refused("no vigorish is marked", "MIDI 12.D(2)(b)")


def _owed(state: State) -> tuple[tuple[int, int], ...]:
    return state.shoe.owed if state.shoe else ()


def the_shoe_is_ready(state: State) -> None:
    """Loaded and burned (MIDI 5.C(2), 5.F), with another hand in it (MIDI 9.D)."""
    shoe = state.shoe
    if shoe is None or shoe.stage != "ready":
        raise Refused("the shoe is not ready: load it and burn first", "MIDI 5.C(2)", "MIDI 5.F")
    if shoe.ending == "over":
        raise Refused("the last hand was played: change the decks", "MIDI 9.D(3)")
    if shoe.discard:
        raise Refused("a card must go to the bucket first: draw it", "MIDI 13.C(2)(a)")


def cards_suffice(state: State) -> None:
    """A round that the shoe could not complete is not begun (MIDI 13.E, foreseen)."""
    if _cards_left(state) < MOST_CARDS:
        raise Refused("too few cards are left for a round: change the decks", "MIDI 13.E", HOUSE)


def _cards_left(state: State) -> int:
    return state.shoe.size - state.shoe.drawn + len(state.carried) if state.shoe else 0


def no_disclosed_card_waits(state: State) -> None:
    if any(card.up for card in state.carried):
        raise Refused(
            "a disclosed card waits: play the simulated round first (begin_simulated_round)",
            "MIDI 13.D(1)",
        )


def a_disclosed_card_waits(state: State) -> None:
    if not any(card.up for card in state.carried):
        raise Refused("no disclosed card waits for a simulated round", "MIDI 13.D(1)")


def wagering_devices_are_fit(state: State) -> None:
    """A shoe may fail and be dealt from all the same; a device that takes wagers may not."""
    for device in state.devices_of("progressive"):
        if device.health != "online":
            raise Refused(f"progressive {device.id} is {device.health}: see to it", "MIDI 2.C")


# ── a round ────────────────────────────────────────────────────────────────
def cards_are_entered(state: State) -> None:
    """No reader sees the cards: the dealer says what lies there."""
    if not by_hand(state):
        raise Refused("the shoe reads the cards: deal them", "MIDI 8.C")


def by_hand(state: State) -> bool:
    """Whether the dealer says what lies there: no reader, one that is not well, or lost reports."""
    if state.round is not None and state.round.midi is not None and state.round.midi.gap:
        return True
    if state.shoe is not None and state.shoe.gap and state.round is None:
        return True  # the burn
    return not any(shoe.health == "online" for shoe in state.devices_of("shoe"))


def no_hand_is_up(state: State) -> None:
    """A round whose cards are shown is not void by anybody's choice."""
    if state.round is not None and any(card.up for card in state.round.cards):
        raise Refused("a hand lies face up: the round is played to its end", HOUSE)


def a_card_awaits_entry(state: State) -> None:
    round_ = state.round
    unknown = round_ is not None and any(card.card is None for card in round_.cards)
    if not (unknown or by_hand(state)):
        raise Refused("no card is unknown", HOUSE)


def turn(round_: Round) -> int | None:
    """The seat that is paid now: the highest open one that does not wait for a dispute."""
    held = dict(round_.disputes)
    contested = {meter for meters in held.values() for meter in meters}
    held |= {p.seat: () for p in round_.due if p.line.meter in contested}
    return next((seat for seat in round_.turns if seat not in held), None)


def a_payment_is_due(state: State) -> None:
    round_ = state.round
    if round_ is not None and round_.by_hand:
        raise Refused("this round is settled by hand: the floor does it (settle_by_hand)", HOUSE)
    if round_ is None or not round_.turns:
        raise Refused("no seat is left to pay", "MIDI 11.B(3)")
    if turn(round_) is None:
        raise Refused("the open seats are in dispute: end that first (end_dispute)", HOUSE)


def an_award_awaits_validation(state: State) -> None:
    round_ = state.round
    if round_ is None or all(
        p.line.meter is None or (p.seat, p.line.wager) in round_.validated
        for p in round_.due
        if p.seat == turn(round_)
    ):
        raise Refused("no meter award waits for validation", "MIDI 12.K")


def a_burn_is_due(state: State) -> None:
    """The first card of a shoe (MIDI 5.F), or the one that follows a disclosed third card."""
    if state.shoe is None or not (state.shoe.stage in ("loaded", "burning") or state.shoe.discard):
        raise Refused("no card is to be burned", "MIDI 5.F")


def the_bucket_waits(state: State) -> None:
    if state.shoe is None or not state.shoe.discard:
        raise Refused("no card must go to the bucket", "MIDI 13.C(2)(a)")


def the_shoe_is_loaded(state: State) -> None:
    """Only a card out of a loaded and burned shoe can be drawn in error or disclosed."""
    if state.shoe is None or state.shoe.stage != "ready":
        raise Refused("no shoe is in play", "MIDI 5.C(2)")


def no_trusted_hand_is_up(state: State) -> None:
    """As `no_hand_is_up`, but cards that nobody can trust may still be void."""
    hands = state.round.midi if state.round else None
    if hands is None or not hands.doubts:
        no_hand_is_up(state)


def a_third_card_is_down(state: State) -> None:
    thirds = [card for card in state.round.cards if card.place[-1] == "3"] if state.round else []
    if all(card.up for card in thirds):
        raise Refused("no third card lies face down", "MIDI 8.E(1)", "MIDI 8.F(1)")


def a_card_is_up(state: State) -> None:
    if state.round is None or not any(c.up and c.card is not None for c in state.round.cards):
        raise Refused("no known card lies face up", HOUSE)


def wagers_were_taken(state: State) -> None:
    """A simulated round has nothing to give back."""
    if state.round is None or state.round.kind != "live":
        raise Refused("a simulated round has no wagers", "MIDI 13.D(1)")


def a_seat_has_wagered(state: State) -> None:
    if state.round is None or not state.round.wagers:
        raise Refused("nobody has a wager in this round", HOUSE)


def the_table_settles(state: State) -> None:
    """What the floor settles by hand is in its hands already."""
    if state.round is not None and state.round.by_hand:
        raise Refused("this round is settled by hand: the floor sees to every seat", HOUSE)
