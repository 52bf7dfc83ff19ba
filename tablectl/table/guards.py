"""Guards: may this happen now? Plain functions over the state; each raises Refused with its clause.

They look at the moment only. What an action's own arguments must satisfy stands with the action.
"""

from tablectl.table import method, stub
from tablectl.table.decks import (
    READY,
    TWO_DECKS,
    at_table,
    due_next,
    in_place,
    ready_to_load,
)
from tablectl.table.service import OUT, every_cover_is_confirmed
from tablectl.table.state import Round, State
from tablectl.table.step import HOUSE, Refused
from tablectl.table.three_card.plan import left_in_shuffler
from tablectl.table.wager_guards import chips_are_counted


def people_lead(state: State) -> None:
    """Where the table only listens, everything follows from its devices."""
    if state.listens:
        raise Refused("this table only listens to its shoe: nobody acts here", HOUSE)


def clock_is_confirmed(state: State) -> None:
    """An unsynchronised clock is confirmed by the floor before the table opens."""
    if not state.clock_confirmed:
        raise Refused(
            "the clock of this box is not synchronised: the floor looks at the time shown and "
            "confirms it (confirm_clock)",
            HOUSE,
        )


def clock_awaits_confirmation(state: State) -> None:
    if state.clock_confirmed:
        raise Refused("the clock needs no confirmation", HOUSE)


def no_duty_is_open(state: State) -> None:
    """What a void or a wrong count asks for blocks the next round until it is done."""
    if state.duties:
        duty = state.duties[0]
        about = f" ({duty.deck})" if duty.deck else ""
        raise Refused(f"first: {duty.duty.replace('_', ' ')}{about}", *(duty.clauses or (HOUSE,)))


def shoe_is_loaded(state: State) -> None:
    """TCP 10.A(1): the cards are in the shoe before anything else of a round."""
    deck = in_place(state)
    if deck is None:
        raise Refused("no deck is in the shoe: shuffle one and load it", "TCP 10.A(1)", "TCP 5.A")
    if deck.preparation not in READY:
        raise Refused(f"deck {deck.id} must be cut again first (cut_cards)", "TCP 5.G", "TCP 5.F")


def discard_rack_is_clear(state: State) -> None:
    """TCP 3.B(5): the cards of one deck only in the discard rack, so it is empty before a deal."""
    for deck in state.decks:
        if deck.custody == "discard":
            raise Refused(
                f"deck {deck.id} is in the discard rack: put it into the shuffler first",
                "TCP 3.B(5)",
            )


def devices_are_fit(state: State) -> None:
    """Every device that a round leans on is there and well."""
    every_cover_is_confirmed(state)
    for device in state.devices:
        replaced = device.kind == "shoe" and device.health == OUT  # TCP 13.H: another method
        if device.kind in ("shoe", "progressive") and device.health != "online" and not replaced:
            raise Refused(
                f"{device.kind} {device.id} is {device.health.replace('_', ' ')}: see to it first",
                "TCP 13.H" if device.kind == "shoe" else "TCP 2.C",
            )


def a_deck_can_be_loaded(state: State) -> None:
    if in_place(state) is not None:
        raise Refused("a deck is in the shoe already", "TCP 3.A(1)", "TCP 3.B(3)")
    if not any(ready_to_load(state, deck) for deck in state.decks):
        raise Refused(
            "no deck is ready: shuffle one; one that was shuffled by hand is cut as well",
            "TCP 5.A",
            "TCP 10.A(1)",
        )
    if due_next(state) is None and not state.single_deck and method.usable_shuffler(state) is None:
        raise Refused(TWO_DECKS, "TCP 3.B")
    if due_next(state) is None:
        raise Refused(
            "the decks alternate, and the other one is not ready: wait for it, or the floor "
            "declares single-deck play (single_deck)",
            "TCP 3.B(4)",
        )


def every_wagering_device_is_locked(state: State) -> None:
    """TCP 2.C(2), 10.A(2): the lock is acknowledged, not only sent."""
    for device in state.devices_of("progressive"):
        if not device.locked:
            raise Refused(f"{device.id} has not acknowledged the lock", "TCP 2.C(2)", "TCP 10.A(2)")


def no_card_is_out(state: State) -> None:
    if state.cards_on_table:
        raise Refused("a card is out: wagering stays closed in this round", "TCP 7.E")


def a_wager_is_down(state: State) -> None:
    if state.round is None or not state.round.live_wagers():
        raise Refused("no wager is on the layout", "TCP 7.A")


def no_wager_is_down(state: State) -> None:
    """A round in which nobody wagers ends without a card."""
    if state.round is not None and state.round.live_wagers():
        raise Refused("wagers are on the layout: play the round, or return them first", "TCP 11.E")


def everybody_has_decided(state: State) -> None:
    """TCP 11.D: the dealer's cards come after the last decision."""
    assert state.round is not None
    for seat in state.round.ante_seats() if asks(state) else ():
        if state.round.decision(seat) is None:
            raise Refused(f"seat {seat} has not decided yet: play or fold", "TCP 11.B", "TCP 11.D")


def no_shuffler_is_in_order(state: State) -> None:
    """Where an automated shuffler is in order, it is used; one that fails is marked first."""
    device = method.usable_shuffler(state)
    if device is not None:
        raise Refused(
            f"{device.id} shuffles here: put the deck into it, or mark it out of order first",
            "TCP 5.A",
            "TCP 13.H",
        )


def the_dealer_has_cards(state: State) -> None:
    """The dealer's stack may wait in the shuffler until all have acted, and then comes out."""
    if state.round is not None and state.round.cards and not state.round.hand("dealer"):
        why = "your cards are still in the shuffler: take them out first"
        raise Refused(why, "TCP 10.B(4)", "TCP 11.D(2)")


def the_stub_is_counted_in_time(state: State) -> None:
    """Before the first decision, unless the dealer's stack, and so the stub, is still inside."""
    if state.round is not None and not state.round.hand("dealer"):
        return
    the_stub_is_counted(state)


def the_stub_is_counted(state: State) -> None:
    """Compulsory in the fifth round, before the first decision or the reveal; then the hands."""
    if not stub.due(state) or state.round is None:
        return
    duty, _, wrong, *_ = stub.clauses(state)
    if state.round.stub == "judge":
        why = "the stub is wrong: count the hands, and say whether they were misdealt (judge_stub)"
        raise Refused(why, wrong)
    again = " again, watched by the floor" if state.round.stub else ""
    raise Refused(f"the stub must be counted{again} first (count_stub)", duty)


def a_stub_can_be_counted(state: State) -> None:
    """In a round once every hand is out; between rounds a whole deck."""
    if state.round is None and not at_table(state):
        raise Refused("no deck is here to count", stub.clauses(state)[0])
    if state.round is not None and state.round.cards and not state.round.hand("dealer"):
        why = "the stub is still in the shuffler: it is counted after your cards have come out"
        raise Refused(why, "TCP 10.B(4)", "TCP 10.B(5)")
    if state.round is not None and state.round.stub == "judge":
        raise Refused("it was counted twice: judge it now (judge_stub)", stub.clauses(state)[2])


def a_stub_awaits_judgement(state: State) -> None:
    if state.round is None or state.round.stub != "judge":
        raise Refused("no wrong stub waits to be judged", stub.clauses(state)[2])


def no_count_is_overdue(state: State) -> None:
    """A guard of open_bets: the fifth round went by without a count (it was void, say)."""
    if stub.reached(state, in_place(state)):
        raise Refused(
            "five rounds went by without a proof of 52 cards: count the whole deck (count_stub)",
            stub.clauses(state)[0],
        )


def no_card_is_in_doubt(state: State) -> None:
    """One card was seen twice: it is corrected, or the round is void, before anything goes on."""
    if state.round is not None and state.round.doubt:
        raise Refused(
            "one card was read twice: the floor looks, then corrects the card that was misread "
            "(correct_card), or voids the round (void_round)",
            HOUSE,
        )


def every_hand_has_three(state: State) -> None:
    """Where no text rules on it, the floor decides about a wrong hand before the reveal."""
    if any(alarm.kind == "floor_decides" for alarm in state.alarms):
        raise Refused(
            "the floor decides first: void_round, or acknowledge_alarm and play on", HOUSE
        )
    if state.round is not None and wrong_hands(state.round):
        raise Refused("a hand has not three cards: the floor voids the round (void_round)", HOUSE)


def wrong_hands(round_: Round) -> list[str]:
    """The hands that lie on the table with another number of cards than three."""
    owners = {card.place.rpartition("/")[0] for card in round_.cards}
    played = (o for o in owners if o == "dealer" or o.startswith("seat/"))
    return sorted(owner for owner in played if len(round_.hand(owner)) != 3)


def a_card_is_in_doubt(state: State) -> None:
    """Before the reveal only a card that was read twice is corrected."""
    if state.round is None or not state.round.doubt:
        raise Refused("no card is in doubt: it is corrected when it lies face up", HOUSE)


def dealt_unseen(state: State) -> None:
    """Where nobody reports the cards, what comes after the deal says that they are dealt."""
    if not method.deals_unseen(state):
        raise Refused("the cards are not dealt yet", "TCP 11.B", "TCP 11.D", "TCP 13.D")
    somebody_is_dealt_to(state)
    chips_are_counted(state)


def dealt_behind_the_lock(state: State) -> None:
    """Nothing tells that the cards were dealt while a wagering device may be open."""
    dealt_unseen(state)
    if state.lock != "locked":
        raise Refused(
            "a wagering device has not acknowledged the lock: wait", "TCP 2.C(2)", "TCP 10.A(2)"
        )


def the_count_is_not_due_next(state: State) -> None:
    """The round that is about to be inferred would be the one in which the stub is counted."""
    if stub.reached_by_next(state):
        raise Refused("the stub must be counted first (count_stub)", stub.clauses(state)[0])


def somebody_is_dealt_to(state: State) -> None:
    """A deal can be under way: somebody has a wager, and no cut is due before the first card."""
    if state.round is None or not state.round.plan:
        raise Refused("nobody has a wager: clear the round", "TCP 7.A")
    deck = state.deck(state.round.deck)
    if deck is not None and deck.preparation == "uncut":
        raise Refused(f"deck {deck.id} must be cut again first (cut_cards)", "TCP 5.G", "TCP 5.F")


def somebody_is_asked(state: State) -> None:
    if state.round is None or not state.round.ante_seats():
        raise Refused("no seat has an ante: reveal your cards (reveal_dealer)", "TCP 11.B")


def nobody_has_decided(state: State) -> None:
    """Cards change places only while nobody has touched them."""
    if state.round is None or state.round.decisions:
        raise Refused("a seat has looked at its cards: they stay where they are", HOUSE)


def a_card_is_still_dealt(state: State) -> None:
    """TCP 13.A: cards are replaced until a seat has decided; of a dealer's stack that waited in the
    shuffler, when it comes out."""
    if not left_in_shuffler(state):
        nobody_has_decided(state)


def a_card_can_be_exposed(state: State) -> None:
    if not state.cards_on_table:
        raise Refused("no card is out", "TCP 13.E")


def nobody_decides(state: State) -> None:
    """A table at which no seat with an ante is asked goes straight to the reveal."""
    if state.round is not None and state.round.ante_seats() and asks(state):
        raise Refused("the seats are asked first: play or fold", "TCP 11.B", "TCP 11.D")


def asks(state: State) -> bool:
    """Whether seats decide at all: in poker they do."""
    return state.setup is not None and state.setup.rules.game == "three_card_poker"


def somebody_may_play(state: State) -> None:
    _somebody_may("play", state)


def somebody_may_fold(state: State) -> None:
    _somebody_may("fold", state)


def _somebody_may(decision: str, state: State) -> None:
    """A decision can change until the next seat is asked; said once is enough."""
    asked = state.round.asked if state.round else None
    if state.round is None or asked is None:
        raise Refused("nobody is to decide: no seat has an ante", "TCP 11.B")
    if state.round.decision(asked) == decision:
        raise Refused(f"seat {asked} has said so already", "TCP 11.B")


def a_card_awaits_entry(state: State) -> None:
    """An unreadable card is entered when it lies face up."""
    if state.round is None or not any(c.up and c.card is None for c in state.round.cards):
        raise Refused("no card that lies face up is unknown", HOUSE)


def a_payment_is_due(state: State) -> None:
    round_ = state.round
    if round_ is not None and round_.by_hand:
        raise Refused("this round is settled by hand: the floor does it (settle_by_hand)", HOUSE)
    if round_ is None or not round_.turns:
        raise Refused("no seat is left to pay", "TCP 11.D(3)")
    if any(card.up and card.card is None for card in round_.cards):
        raise Refused("a card is unknown: enter it first (enter_card)", HOUSE)


def round_is_settled_by_hand(state: State) -> None:
    if state.round is None or not state.round.by_hand:
        raise Refused("the table settles this round itself", HOUSE)


def cards_are_out(state: State) -> None:
    if not state.cards_on_table:
        raise Refused("no card has been dealt", "TCP 13.D")


def a_void_awaits_acknowledgement(state: State) -> None:
    if not any(duty.duty == "acknowledge_void" for duty in state.duties):
        raise Refused("no void round waits for the floor", HOUSE)


def there_is_room_for_a_deck(state: State) -> None:
    if len(at_table(state)) >= 2:
        raise Refused("two decks are at the table already", "TCP 3.A(1)", "TCP 3.B")


def a_deck_can_be_removed(state: State) -> None:
    playing = state.round.deck if state.round else None
    if all(deck.custody == "removed" or deck.id == playing for deck in state.decks):
        raise Refused("no deck is out of play at the table", "TCP 5.D", "TCP 11.E")


def a_deck_is_latched_and_removed(state: State) -> None:
    if not any(deck.latched for deck in state.decks):
        raise Refused("no deck is latched", "COMAR 36.05.03.27C")
    if not any(deck.latched and deck.custody == "removed" for deck in state.decks):
        raise Refused("the deck that counted wrong is still here: remove it first", "TCP 5.D")


def two_decks_are_in_use(state: State) -> None:
    if state.single_deck or len(at_table(state)) < 2:
        raise Refused("one deck is in use already", "TCP 3.A(1)")


def an_alarm_is_unacknowledged(state: State) -> None:
    if all(alarm.acknowledged for alarm in state.alarms):
        raise Refused("every alarm is acknowledged", HOUSE)


def table_is_halted(state: State) -> None:
    if state.halt is None:
        raise Refused("the table is not halted", HOUSE)


def table_is_running(state: State) -> None:
    if state.halt is not None:
        raise Refused(f"the table is halted already: {state.halt.why}", HOUSE)
