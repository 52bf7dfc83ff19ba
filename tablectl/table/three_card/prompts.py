"""The dealer's words at a three-card table: what comes next in and between rounds."""

from tablectl.cards import dollars
from tablectl.table.decks import due_next
from tablectl.table.outputs import Prompt
from tablectl.table.state import Round, State
from tablectl.table.wager_guards import RECOUNT
from tablectl.table.words import next_for_deck, say


def preparing(state: State) -> list[Prompt]:
    """Between rounds."""
    said = [prompt for deck in state.decks if (prompt := next_for_deck(state, deck))]
    if not any(deck.custody != "removed" for deck in state.decks):
        said.append(say(state, "Bring decks to the table.", "receive_decks"))
    elif any(deck.custody == "shoe" for deck in state.decks):
        said.append(say(state, "Open the bets.", "open_bets"))
    elif deck := due_next(state):
        said.append(say(state, f"Load deck {deck.id} into the shoe.", "load_shoe"))
    return said


def in_round(state: State) -> list[Prompt]:
    """While a round is under way."""
    assert state.round is not None
    return [_next(state, state.round)]


def _next(state: State, round_: Round) -> Prompt:
    match state.phase:
        case "betting":
            text = 'Take wagers; then announce "no more bets".'
            return say(state, text, "no_more_bets")
        case "locking":
            return Prompt("Wait: wagering is being locked.", "locked", "device", ("TCP 10.A(2)",))
        case "locked" if not round_.plan:
            return say(state, "Nobody has a wager: clear the round.", "clear_round")
        case "locked" if round_.count in ("due", "mismatch"):
            return _counting(state, round_)
        case "cancelling":
            return Prompt("Wait: the shoe is being held.", "held", "device", ())
        case "locked" | "dealing":
            return _dealing(state, round_)
        case "deciding":
            return _deciding(state, round_)
        case "settling":
            return _settling(state, round_)
        case "clearing":
            return say(state, "Put the cards into the discard rack.", "clear_round")
    text = "The round is void: return every wager, gather the cards."
    racked = [str(w.seat) for w in round_.wagers if w.device and w.status == "returned"]
    if racked and round_.count == "verified":
        text += f" Progressive chips come from the inventory: seat {', '.join(racked)}."
    return say(state, text, "clear_round")


def _counting(state: State, round_: Round) -> Prompt:
    """TCP 10.A(3): collect the chips, count them in front of the inventory, place them in it."""
    if round_.count == "mismatch" and round_.counts >= RECOUNT:
        text = "The progressive chips differ from the accepted wagers: decide (resolve_count)."
        return say(state, text, "resolve_count", "floor")
    again = " again" if round_.count == "mismatch" else ""
    text = f"Collect the progressive chips and count them{again}."
    return say(state, text, "count_progressive")


def _dealing(state: State, round_: Round) -> Prompt:
    owner = round_.plan[round_.stacks]
    whom = "yourself" if owner == "dealer" else owner.replace("/", " ")
    return say(state, f"Deliver the next stack to {whom}.", "stack", "device", "TCP 10.B")


def _deciding(state: State, round_: Round) -> Prompt:
    if round_.asked is not None and round_.decision(round_.asked) is None:
        return say(state, f"Ask seat {round_.asked}: play or fold?", "play")
    return say(state, "Reveal your cards.", "reveal_dealer")


def _settling(state: State, round_: Round) -> Prompt:
    unknown = next((c for c in round_.cards if c.up and c.card is None), None)
    if round_.by_hand:
        return say(state, "Settle the open seats by hand.", "settle_by_hand", "floor")
    if unknown is not None:
        return say(state, f"Enter the card at {unknown.place}.", "enter_card")
    seat = round_.turns[0]
    owed = sum(p.line.returned for p in round_.due if p.seat == seat)
    others = [
        f"seat {p.seat} {dollars(p.line.returned)} envy bonus" for p in round_.due if p.seat != seat
    ]
    text = f"Seat {seat} gets {dollars(owed)} back" if owed else f"Seat {seat} loses: collect"
    text += "".join(f", {other}" for other in others)
    return say(state, text + "; confirm.", "confirm_payment")
