"""The dealer's words at a Midi Baccarat table: what comes next in and between rounds.

Made from what lies face up; a face-down card changes no word.
"""

from typing import Final

from tablectl.cards import dollars
from tablectl.games import midi_third_cards as chapter_10
from tablectl.games.settlement import Line
from tablectl.table.midi import turning
from tablectl.table.midi.accounts import called
from tablectl.table.midi.guards import by_hand, turn
from tablectl.table.midi.shoe import rules_of
from tablectl.table.midi.state import FIRST_FOUR, HANDS, MidiShoe
from tablectl.table.notices import counting_words, unlocked_words, void_words
from tablectl.table.outputs import Prompt
from tablectl.table.phases import ROUND
from tablectl.table.state import Round, State
from tablectl.table.step import Refused
from tablectl.table.words import say

_LOAD: Final = (
    "Put the cut cards and the cover card below, the second cover card at least 14 cards above the "
    "bottom, and load the shoe."
)
_STAGES: Final = {
    "received": ("Inspect the decks for defects.", "inspect_cards", "dealer"),
    "inspected": ("Verify the inspection of the decks.", "verify_inspection", "floor"),
    "verified": (
        "Spread the cards face up, deck by deck, for the first player.", "spread_cards", "dealer",
    ),
    "spread": ("Let the first player look at the cards.", "player_inspected", "dealer"),
    "viewed": ("Turn the cards down, wash them and stack them.", "wash_cards", "dealer"),
    "stacked": ("Shuffle the cards; leave the stack unsquared.", "shuffle_done", "dealer"),
    "mixed": ("See that the shuffle left no uneven distribution.", "verify_shuffle", "floor"),
    "cut": (_LOAD, "load_shoe", "dealer"),
    "removed": ("Bring the decks to the table.", "receive_decks", "dealer"),
}  # fmt: skip


def preparing(state: State) -> list[Prompt]:
    """Between rounds."""
    shoe = state.shoe
    if state.listens:
        return []
    if shoe is None:
        return [say(state, *_STAGES["removed"])]
    owed = [
        say(state, f"Collect {dollars(cents)} vigorish from seat {seat}.", "collect_vigorish")
        for seat, cents in shoe.owed
        if shoe.stage == "cut" or shoe.ending == "over"
    ]
    if shoe.stage in _STAGES:
        return owed or [say(state, *_STAGES[shoe.stage])]
    if shoe.stage == "shuffled":
        return [_cut(state, shoe)]
    if shoe.stage in ("loaded", "burning"):
        return [_burn(state, shoe)]
    return [*owed, *_ready(state, shoe)]


def _cut(state: State, shoe: MidiShoe) -> Prompt:
    seat = (shoe.offered[-1] if shoe.offered else rules_of(state).seats + 1) - 1
    if seat < 1:
        text = "Nobody took the cut: cut the cards, at least ten from top and bottom."
        return say(state, text, "cut_cards")
    text = f"Offer the cut from seat {seat} down, at least ten cards from top and bottom; "
    text += "if nobody takes it, cut the cards yourself."
    return say(state, text, "offer_cut")


def _burn(state: State, shoe: MidiShoe) -> Prompt:
    if by_hand(state) and shoe.burn_due is not None:
        return say(state, "Burn the cards that are still due, face down.", "burn")
    if by_hand(state):
        text = "Show the first card, burn its number face down, and name it."
        return say(state, text, "burn")
    if shoe.stage == "loaded":
        return say(state, "Draw and show the first card.", "card", "device", "MIDI 5.F")
    if shoe.burn_due is None:
        return say(state, "The first card could not be read: enter it (burn/1).", "enter_card")
    left = shoe.burn_due - shoe.burned
    return say(state, f"Burn {left} more cards face down.", "card", "device", "MIDI 5.F")


def _ready(state: State, shoe: MidiShoe) -> list[Prompt]:
    if state.duties or shoe.ending == "over":
        return []
    if shoe.discard:
        return [_bucket(state)]
    if any(card.up for card in state.carried):
        text = "A disclosed card waits: play a simulated round, without wagers."
        return [_if_possible(state, text, "begin_simulated_round")]
    text = "Last hand: open the bets." if shoe.ending == "last_hand" else "Open the bets."
    return [_if_possible(state, text, "open_bets")]


def _if_possible(state: State, text: str, action: str) -> Prompt:
    """What begins a round, or what stands in its way."""
    try:
        ROUND.fire(action, state.phase, state)
    except Refused as refused:
        if ROUND.can("change_decks", state.phase, state):
            return say(state, "Too few cards are left: change the decks.", "change_decks")
        return say(state, f"Wait: {refused.why}.", "online", "device", *refused.clauses)
    return say(state, text, action)


def _bucket(state: State) -> Prompt:
    text = "Draw one card face down into the discard bucket."
    if by_hand(state):
        return say(state, text, "burn", "dealer", "MIDI 13.C(2)(a)")
    return say(state, text, "card", "device", "MIDI 13.C(2)(a)")


def in_round(state: State) -> list[Prompt]:
    """While a round is under way."""
    if state.listens:
        return []
    assert state.round is not None
    said = [_next(state, state.round)]
    if state.shoe is not None and state.shoe.discard:
        said.insert(0, _bucket(state))
    return said


def _next(state: State, round_: Round) -> Prompt:
    match state.phase:
        case "betting":
            return say(state, 'Take wagers; then announce "no more bets".', "no_more_bets")
        case "locking":
            text = "Wait: wagering is being locked."
            waits = say(state, text, "locked", "device", "MIDI 2.C(2)")
            return unlocked_words(state) or waits
        case "cancelling":
            return say(state, "Wait: the shoe is being held.", "held", "device")
        case "locked" if round_.count in ("due", "mismatch"):
            return counting_words(state, round_)
        case "locked" | "dealing":
            return _dealing(state, round_)
        case "turning":
            return _turning(state, round_)
        case "drawing" | "simulating":
            return _drawing(state, round_)
        case "settling":
            return _settling(state, round_)
        case "clearing":
            return _clearing(state, round_)
    return void_words(state, round_)


def _clearing(state: State, round_: Round) -> Prompt:
    if round_.disputes:
        return _dispute(state, round_)
    return say(state, "Put the cards into the discard bucket.", "clear_round")


def _dispute(state: State, round_: Round) -> Prompt:
    seat = round_.disputes[0][0]
    if round_.by_hand:
        text = f"Seat {seat} was settled by a misread card: see to it, and end the dispute."
    else:
        text = f"Seat {seat} is in dispute: look at the cards, correct or confirm, and end it."
    return say(state, text, "end_dispute", "floor")


def _dealing(state: State, round_: Round) -> Prompt:
    down = {card.place for card in round_.cards}
    place = next(each for each in FIRST_FOUR if each not in down)
    hand = place.partition("/")[0].title()
    if not by_hand(state):
        text = f"Deal a card face down to the {hand}'s hand."
        return say(state, text, "card", "device", "MIDI 8.C")
    text = "Deal four cards face down, Player and Banker in turn; then hand the Player's cards on."
    if turning.entitled(state, "player") is not None:
        return say(state, text, "hand_cards")
    text = "Deal four cards face down, Player and Banker in turn; "
    known = {card.place for card in round_.hand("player") if card.card is not None}
    unknown = next((p for p in FIRST_FOUR[::2] if p not in known), None)
    if unknown is not None:  # nobody bet on the Player: the dealer turns the hand over
        return say(state, f"{text}then turn the Player's over; enter the card at {unknown}.",
                   "enter_card")  # fmt: skip
    return say(state, f"{text}then turn the Player's cards over.", "reveal_dealer")


def _turning(state: State, round_: Round) -> Prompt:
    hand = turning.next_hand(state) or "player"
    seat, name = turning.entitled(state, hand), f"the {hand.title()}'s cards"
    holder = round_.midi.holder(hand) if round_.midi else None
    unread = next((c.place for c in round_.hand(hand) if c.up and c.card is None), None)
    if unread is not None:
        return say(state, f"Enter the card at {unread}.", "enter_card")
    if seat is not None and holder is None and any(not c.up for c in round_.hand(hand)):
        whom = f"seat {seat}" if turning.amounts_known(state) else "the highest wager on them"
        return say(state, f"Hand {name}, face down, to {whom}.", "hand_cards")
    back = f"Take {name} back from seat {holder}" if holder else f"Turn {name} over yourself"
    return _face_up(state, round_, hand, back)


def _face_up(state: State, round_: Round, hand: str, text: str) -> Prompt:
    """Put a hand face up; without a reader its cards are named."""
    unknown = next((c.place for c in round_.hand(hand) if c.card is None), None)
    if by_hand(state) and unknown is not None:
        return say(state, f"{text}; enter the card at {unknown}.", "enter_card")
    return say(state, f"{text}, face up; announce its points.", "reveal_dealer")


def _drawing(state: State, round_: Round) -> Prompt:
    unread = next((c.place for c in round_.cards if c.up and c.card is None), None)
    if unread is not None:
        return say(state, f"Enter the card at {unread}.", "enter_card")
    down = turning.next_hand(state)
    if down is not None:
        holder = round_.midi.holder(down) if round_.midi else None
        seat = turning.entitled(state, down)
        passed = any(name == down for name, _ in round_.midi.passed) if round_.midi else False
        if holder is None and passed and seat is not None:
            text = f"Offer the {down.title()}'s third card to seat {seat}."
            return say(state, text, "hand_cards")
        by = f"Seat {holder} turns" if holder else "Turn"
        return _face_up(state, round_, down, f"{by} the {down.title()}'s third card")
    if round_.midi is not None and round_.midi.doubts:
        text = "The cards are in doubt: correct the card, or have the round void."
        return say(state, text, "correct_card", "floor")
    cards = [[c.card for c in round_.hand(h) if c.card is not None] for h in HANDS]
    due = chapter_10.next_due(cards[0], cards[1])
    if due.side is None:
        return say(state, "Wait.", "card", "device")
    third = "a third card" if len(round_.cards) >= 4 else "the next card"
    text = f"Deal {third} to the {due.side.title()}'s hand."
    if by_hand(state):
        return say(state, f"{text[:-1]}, and enter it.", "enter_card", "dealer", due.clause)
    return say(state, text, "card", "device", due.clause)


def _settling(state: State, round_: Round) -> Prompt:
    if round_.by_hand:
        return say(state, "Settle the open seats by hand.", "settle_by_hand", "floor")
    seat = turn(round_)
    if seat is None:
        return _dispute(state, round_)
    due = [p.line for p in round_.due if p.seat == seat]
    for line in due:
        if line.meter is not None and (seat, line.wager) not in round_.validated:
            text = f"Validate seat {seat}'s award from the {line.meter} meter."
            return say(state, text, "validate_progressive", "floor", line.clause)
    if any(not wager.known for wager in round_.live_wagers(seat)):
        text = f"losing wagers first; then seat {seat}: {_by_odds(due)}; confirm."
        return say(state, _announce(state, round_) + text, "confirm_payment")
    owed, vigorish = sum(line.returned for line in due), sum(line.vigorish for line in due)
    text = _announce(state, round_)
    text += f"losing wagers first; then seat {seat} gets {dollars(owed)} back"
    if vigorish:
        marked = rules_of(state).vigorish_collection == "marked"
        text += f" ({dollars(vigorish)} vigorish {'to mark' if marked else 'taken'})"
    return say(state, text + "; confirm.", "confirm_payment")


def _by_odds(due: list[Line]) -> str:
    """What becomes of each wager, where the amounts are the dealer's to know."""
    said = [f"{line.wager.replace('_', ' ')} {line.outcome} {line.odds or ''}" for line in due]
    return ", ".join(each.strip() for each in said)


def _announce(state: State, round_: Round) -> str:
    """The result, as the dealer calls it out (MIDI 11.A)."""
    player, banker = ([c.card for c in round_.hand(h) if c.card is not None] for h in HANDS)
    call = called(rules_of(state), player, banker)
    won = chapter_10.winner(player, banker).title()
    return f"Announce {call[0] if call else f'that the {won} wins'}; "
