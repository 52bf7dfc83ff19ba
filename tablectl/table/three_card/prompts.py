"""The dealer's words at a three-card table: what comes next in and between rounds."""

from tablectl.cards import dollars
from tablectl.table import method, stub
from tablectl.table.deck_clock import run_out
from tablectl.table.decks import at_table, due_next, in_place
from tablectl.table.guards import wrong_hands
from tablectl.table.irregularities import FLOOR_ALARM
from tablectl.table.notices import ailing, counting_words, unlocked_words, void_words
from tablectl.table.outputs import Prompt
from tablectl.table.state import Round, State
from tablectl.table.three_card import wins
from tablectl.table.three_card.account import amount_is_known
from tablectl.table.three_card.game import is_poker
from tablectl.table.three_card.plan import whose
from tablectl.table.words import next_for_deck, say


def preparing(state: State) -> list[Prompt]:
    """Between rounds."""
    said = [prompt for deck in state.decks if (prompt := next_for_deck(state, deck))]
    if not at_table(state):
        said.append(say(state, "Bring decks to the table.", "receive_decks"))
    elif any(run_out(state, deck) for deck in at_table(state)):
        said.append(say(state, "The time of the decks is up: change them.", "change_decks"))
    elif stub.reached(state, in_place(state)):
        said.append(say(state, "Count the whole deck: a count is overdue.", "count_stub"))
    elif (device := ailing(state)) and in_place(state) is not None:
        text = f"{device.id} is {device.health.replace('_', ' ')}: see to it before bets open."
        said.append(say(state, text, "online", "device", "TCP 2.C"))
    elif in_place(state) is not None and not state.duties:
        said.append(say(state, "Open the bets.", "open_bets"))
    elif deck := due_next(state):
        to = "your hand" if method.dealing(state) == "hand" else "the shoe"
        said.append(say(state, f"Take deck {deck.id} into {to}.", "load_shoe"))
    if state.idle_told:
        said.append(say(state, "Nobody plays: spread the cards out.", "spread_idle"))
    return said


def in_round(state: State) -> list[Prompt]:
    """While a round is under way."""
    assert state.round is not None
    return [_stopped(state, state.round) or _next(state, state.round)]


def _stopped(state: State, round_: Round) -> Prompt | None:
    """What the floor decides before the round goes on."""
    match state.phase:
        case "locking" | "locked" | "dealing" if prompt := unlocked_words(state):
            return prompt
        case "dealing" | "deciding" | "examining" if round_.doubt:
            text = "One card was read twice: look at the cards, then correct the one misread "
            text += "(correct_card, its draw alone) or void the round (void_round)."
            return say(state, text, "correct_card", "floor")
        case "dealing" | "deciding" | "examining" if _floor_decides(state, round_):
            text = "A hand is wrong, and no rule of this table decides: void the round, or let it "
            text += "stand where every hand has three cards (acknowledge_alarm)."
            return say(state, text, "void_round", "floor")
    return None


def _next(state: State, round_: Round) -> Prompt:
    match state.phase:
        case "betting":
            text = 'Take wagers; then announce "no more bets".'
            return say(state, text, "no_more_bets")
        case "locking":
            text = "Wait: wagering is being locked."
            return say(state, text, "locked", "device", "TCP 10.A(2)")
        case "locked" if not round_.plan:
            return say(state, "Nobody has a wager: clear the round.", "clear_round")
        case "locked" if round_.count in ("due", "mismatch"):
            return counting_words(state, round_)
        case "cancelling":
            return Prompt("Wait: the shoe is being held.", "held", "device", ())
        case "locked" | "dealing":
            return _dealing(state, round_)
        case "deciding" | "examining":
            return _before_reveal(state, round_)
        case "settling":
            return _settling(state, round_)
        case "clearing" if round_.disputes:
            seat = round_.disputes[0][0]
            text = f"Seat {seat} was paid by a misread card: see to it, and end the dispute."
            return say(state, text, "end_dispute", "floor")
        case "clearing":
            return say(state, "Put the cards into the discard rack.", "clear_round")
    return void_words(state, round_)


def _floor_decides(state: State, round_: Round) -> bool:
    told = any(alarm.kind == FLOOR_ALARM for alarm in state.alarms)
    dealt = state.phase != "dealing" or round_.stacks == len(round_.plan)
    return told or (dealt and bool(wrong_hands(round_)))


def _by_odds(round_: Round) -> str:
    """What becomes of each wager, where the amounts are the dealer's to know."""
    said = []
    for payment in round_.due:
        line = payment.line
        at = "" if payment.seat == round_.turns[0] else f"seat {payment.seat} "
        odds = f" {line.odds}" if line.odds else ""
        said.append(f"{at}{line.wager.replace('_', ' ')} {line.outcome}{odds}")
    return ", ".join(said)


def _dealing(state: State, round_: Round) -> Prompt:
    if method.deals_unseen(state):
        text = "Deal three cards to every seat and yourself, one at a time"
        if stub.reached_by_next(state):
            return say(state, f"{text}; then count the stub.", "count_stub")
        asked = round_.ante_seats()
        if is_poker(state) and asked:
            return say(state, f"{text}; then ask seat {asked[0]}: play or fold?", "play")
        return say(state, f"{text}; then reveal your cards.", "reveal_dealer")
    whom = whose(round_.plan[round_.stacks])
    if method.dealing(state) == "automated_shoe":
        return say(state, f"Deliver the next stack to {whom}.", "stack", "device", "TCP 10.B")
    return say(state, f"Deal the next card to {whom}.", "card", "device", "TCP 8.E")


def _before_reveal(state: State, round_: Round) -> Prompt:
    if round_.stub == "judge":
        text = "The stub is wrong: count the hands. Were they misdealt, with 52 cards present?"
        return say(state, text, "judge_stub")
    if round_.asked is not None and not round_.hand("dealer"):
        return _dealer_inside(state, round_, round_.asked)
    if stub.due(state):
        again = " again, watched by the floor" if round_.stub else ""
        return say(state, f"Count the stub{again}.", "count_stub")
    if round_.asked is not None and round_.decision(round_.asked) is None:
        return say(state, f"Ask seat {round_.asked}: play or fold?", "play")
    return say(state, "Reveal your cards.", "reveal_dealer")


def _dealer_inside(state: State, round_: Round, asked: int) -> Prompt:
    """The dealer's stack waits in the shuffler: the seats first, then it comes out."""
    if round_.decision(asked) is None:
        return say(state, f"Ask seat {asked}: play or fold?", "play")
    return say(state, "Take your cards out of the shuffler.", "stack", "device", "TCP 10.B(4)")


def _settling(state: State, round_: Round) -> Prompt:
    unknown = next((c for c in round_.cards if c.up and c.card is None), None)
    if round_.doubt:
        text = "One card lies face up twice: correct what was entered wrong (correct_card), void "
        text += "the round (void_found_late), or settle the open seats by hand."
        return say(state, text, "void_found_late", "floor")
    if round_.by_hand:
        return say(state, "Settle the open seats by hand.", "settle_by_hand", "floor")
    if unknown is not None:
        return say(state, f"Enter the card at {unknown.place}.", "enter_card")
    if not round_.due and round_.disputes:
        seat = round_.disputes[0][0]
        text = f"Seat {seat} is in dispute: look at the cards, correct or confirm, and end it."
        return say(state, text, "end_dispute", "floor")
    won = wins.pending(round_)
    if won:
        seat, line = won[0].seat, won[0].line
        meter = f" from meter {line.meter}" if line.meter else ""
        text = f"Seat {seat} has won {dollars(line.returned)}{meter}, PENDING: look at the hand "
        text += "and the light, and validate it."
        return say(state, text, "validate_progressive", "floor")
    seat = round_.turns[0]
    if not all(amount_is_known(round_, payment) for payment in round_.due):
        return say(state, f"Seat {seat}: {_by_odds(round_)}; confirm.", "confirm_payment")
    owed = sum(p.line.returned for p in round_.due if p.seat == seat)
    others = [
        f"seat {p.seat} {dollars(p.line.returned)} envy bonus" for p in round_.due if p.seat != seat
    ]
    text = f"Seat {seat} gets {dollars(owed)} back" if owed else f"Seat {seat} loses: collect"
    text += "".join(f", {other}" for other in others)
    return say(state, text + "; confirm.", "confirm_payment")
