"""What comes next, in the dealer's words: prompts made from the state, never from a sealed card."""

from tablectl.cards import dollars
from tablectl.table.decks import due_next
from tablectl.table.outputs import Prompt
from tablectl.table.phases import ROUND
from tablectl.table.state import Deck, Round, State
from tablectl.table.step import split_basis

_NEXT_FOR_DECK = {
    "received": ("Inspect deck {0} for defects.", "inspect_cards", "dealer", "TCP 4.A"),
    "inspected": ("Verify the inspection of deck {0}.", "verify_inspection", "floor", "TCP 4.A"),
    "verified": (
        "Spread deck {0} face up for the first player.",
        "spread_cards",
        "dealer",
        "TCP 4.B",
    ),
    "spread": ("Let the first player look at deck {0}.", "player_inspected", "dealer", "TCP 4.C"),
    "viewed": ("Turn deck {0} down, wash it and stack it.", "wash_cards", "dealer", "TCP 4.C"),
    "stacked": ("Put deck {0} into the shuffler.", "shuffle_started", "dealer", "TCP 4.D"),
    "shuffling": (
        "Deck {0} is being shuffled: wait for its count.",
        "shuffle_done",
        "device",
        "TCP 5.D",
    ),
    "used": ("Put deck {0} into the shuffler.", "shuffle_started", "dealer", "TCP 5.A(2)"),
}
_DUTIES = {
    "acknowledge_void": ("The round was void: acknowledge it.", "acknowledge_void", "floor"),
    "reshuffle": ("Reshuffle deck {0} and have it counted.", "shuffle_started", "dealer"),
    "remove_deck": ("Remove deck {0} from the table.", "remove_deck", "dealer"),
    "clear_deck_latch": (
        "Deck {0} counted wrong: see to it, then clear it.",
        "clear_deck_latch",
        "floor",
    ),
}


def prompts(state: State) -> tuple[Prompt, ...]:
    """Every prompt of the moment, the most pressing first."""
    if state.halt is not None:
        text = f"The table is halted: {state.halt.why} Make sure, then resume."
        return (Prompt(text, "resume_table", "floor", ()),)
    said = [_duty(duty.duty, duty.deck, duty.clauses) for duty in state.duties]
    unknown = [device.id for device in state.devices if device.health == "unknown"]
    if unknown and state.round is not None:
        text = f"Wait: {', '.join(unknown)} has not told its state yet."
        return (*said, Prompt(text, "online", "device", ()))
    if state.phase == "preparing":
        said += _preparing(state)
    elif state.phase == "closed":
        said.append(_say("closed", "Open the table.", "open_table", "floor"))
    elif state.round is not None:
        said.append(_in_round(state, state.round))
    return tuple(said)


def _duty(duty: str, deck: str | None, clauses: tuple[str, ...]) -> Prompt:
    text, awaits, role = _DUTIES[duty]
    return Prompt(text.format(deck), awaits, role, split_basis(clauses)[0])


def _say(phase: str, text: str, awaits: str, role: str = "dealer") -> Prompt:
    row = ROUND.row(awaits, phase)
    return Prompt(text, awaits, role, split_basis(row.clauses)[0] if row else ())


def _deck(deck: Deck) -> Prompt | None:
    if deck.custody in ("removed", "shoe", "play") or deck.latched:
        return None
    words = _NEXT_FOR_DECK.get(deck.preparation)
    if words is None:
        return None
    text, awaits, role, clause = words
    return Prompt(text.format(deck.id), awaits, role, (clause,))


def _preparing(state: State) -> list[Prompt]:
    said = [prompt for deck in state.decks if (prompt := _deck(deck))]
    if not any(deck.custody != "removed" for deck in state.decks):
        said.append(_say("preparing", "Bring decks to the table.", "receive_decks"))
    elif any(deck.custody == "shoe" for deck in state.decks):
        said.append(_say("preparing", "Open the bets.", "open_bets"))
    elif deck := due_next(state):
        said.append(_say("preparing", f"Load deck {deck.id} into the shoe.", "load_shoe"))
    return said


def _in_round(state: State, round_: Round) -> Prompt:
    match state.phase:
        case "betting":
            text = 'Take wagers; then announce "no more bets".'
            return _say("betting", text, "no_more_bets")
        case "locking":
            return Prompt("Wait: wagering is being locked.", "locked", "device", ("TCP 10.A(2)",))
        case "locked" if not round_.plan:
            return _say("locked", "Nobody has a wager: clear the round.", "clear_round")
        case "cancelling":
            return Prompt("Wait: the shoe is being held.", "held", "device", ())
        case "locked" | "dealing":
            owner = round_.plan[round_.stacks]
            whom = "yourself" if owner == "dealer" else owner.replace("/", " ")
            return Prompt(f"Deliver the next stack to {whom}.", "stack", "device", ("TCP 10.B",))
        case "deciding":
            return _deciding(round_)
        case "settling":
            return _settling(round_)
        case "clearing":
            return _say("clearing", "Put the cards into the discard rack.", "clear_round")
    return _say("voided", "The round is void: return every wager, gather the cards.", "clear_round")


def _deciding(round_: Round) -> Prompt:
    if round_.asked is not None and round_.decision(round_.asked) is None:
        return _say("deciding", f"Ask seat {round_.asked}: play or fold?", "play")
    return _say("deciding", "Reveal your cards.", "reveal_dealer")


def _settling(round_: Round) -> Prompt:
    unknown = next((c for c in round_.cards if c.up and c.card is None), None)
    if round_.by_hand:
        return _say("settling", "Settle the open seats by hand.", "settle_by_hand", "floor")
    if unknown is not None:
        return _say("settling", f"Enter the card at {unknown.place}.", "enter_card")
    seat = round_.turns[0]
    owed = sum(p.line.returned for p in round_.due if p.seat == seat)
    others = [
        f"seat {p.seat} {dollars(p.line.returned)} envy bonus" for p in round_.due if p.seat != seat
    ]
    text = f"Seat {seat} gets {dollars(owed)} back" if owed else f"Seat {seat} loses: collect"
    text += "".join(f", {other}" for other in others)
    return _say("settling", text + "; confirm.", "confirm_payment")
