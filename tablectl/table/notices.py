"""What people are told at every table alike: chips, voids, late bets, devices out of order, people.

Words only, made from the state; a sentence never names a card that lies face down.
"""

from tablectl.cards import dollars
from tablectl.table.outputs import Prompt
from tablectl.table.phases import ROUND
from tablectl.table.service import OUT
from tablectl.table.state import Device, Round, State
from tablectl.table.wager_guards import RECOUNT
from tablectl.table.words import say


def ailing(state: State) -> Device | None:
    """A wagering device that is away or has a fault."""
    found = state.devices_of("progressive")
    return next((d for d in found if d.health in ("offline", "fault")), None)


def unlocked_words(state: State) -> Prompt | None:
    """Wagering is being locked, and a device cannot acknowledge it as it is: the floor decides."""
    if state.lock == "locked":
        return None
    found = state.devices_of("progressive")
    device = next((d for d in found if not d.locked and d.health != "online"), None)
    if device is not None:
        text = f"{device.id} is {device.health.replace('_', ' ')} and has not locked: bring it "
        text += "back, or void the round (void_round)"
        text += ", or cancel the lock (cancel_lock)." if state.phase == "locking" else "."
        return say(state, text, "void_round", "floor")
    if state.phase == "locking":
        return None
    text = "Stop dealing: wagering is being locked again."
    return say(state, text, "locked", "device", "TCP 2.C(2)", "TCP 10.A(2)")


def void_words(state: State, round_: Round) -> Prompt:
    """A void round: wagers go back, seat by seat where money has moved."""
    if round_.void_seats:
        seat, cents = round_.void_seats[0]
        what = f"give seat {seat} {dollars(cents)}"
        if cents <= 0:
            amount = dollars(-cents) if cents else "what it won, and give what it lost"
            what = f"take back from seat {seat} {amount}"
        text = f"The round is void: {what}, and tick it off."
        return say(state, text, "settle_void_seat", "floor")
    text = "The round is void: return every wager, gather the cards."
    racked = [str(w.seat) for w in round_.wagers if w.device and w.status == "returned"]
    if racked and round_.count == "verified":
        text += f" Progressive chips come from the inventory: seat {', '.join(racked)}."
    return say(state, text, "clear_round")


def counting_words(state: State, round_: Round) -> Prompt:
    """TCP 10.A(3): collect the chips, count them in front of the inventory, place them in it."""
    if round_.count == "mismatch" and round_.counts >= RECOUNT:
        text = "The progressive chips differ from the accepted wagers: decide (resolve_count)."
        return say(state, text, "resolve_count", "floor")
    again = " again" if round_.count == "mismatch" else ""
    text = f"Collect the progressive chips and count them{again}."
    return say(state, text, "count_progressive")


def about_devices(state: State) -> list[Prompt]:
    """TCP 13.H: what is to be covered or marked, and what the floor has not seen yet."""
    said = []
    for device in state.devices:
        if device.kind in ("shoe", "shuffler") and device.health == "fault":
            text = f"{device.id} has a fault: mend it, or cover it and mark it out of order."
            said.append(say(state, text, "mark_out_of_order"))
        elif device.health == OUT and not device.confirmed:
            text = f"See that {device.id} is covered or marked, and confirm it."
            said.append(say(state, text, "confirm_out_of_order", "floor"))
    return said


def about_late_bets(state: State) -> list[Prompt]:
    """What is no wager goes back, whatever the result (TCP 7.E)."""
    if state.round is None:
        return []
    clearing = ROUND.can("clear_round", state.phase, state)
    unseen = {a.about for a in state.alarms if a.kind == "late_bet" and not a.acknowledged}
    said = []
    for seat, wager in state.round.late:
        text = f"Give seat {seat} its late {wager.replace('_', ' ')} back."
        if clearing:
            said.append(say(state, text, "clear_round", "dealer", "TCP 7.E"))
        elif f"{seat}/{wager}" in unseen:
            said.append(say(state, text, "acknowledge_alarm", "floor", "TCP 7.E"))
    return said


def about_people(state: State) -> list[Prompt]:
    """Between rounds: who deals, and whether the lamps and the lock were tested since opening."""
    if state.phase != "preparing" or state.listens:
        return []
    said = []
    if not state.tested and not any(duty.duty == "opening_test" for duty in state.duties):
        said.append(say(state, "Test the lamps and the lock.", "opening_test"))
    if state.dealer is None:
        said.append(say(state, "Sign on: nobody is on the table.", "log_on"))
    return said
