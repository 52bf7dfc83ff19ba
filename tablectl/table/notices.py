"""What people are told beside the next step of the round: devices out of order, and the like.

Words only, made from the state; a sentence never names a card that lies face down.
"""

from tablectl.table.outputs import Prompt
from tablectl.table.phases import ROUND
from tablectl.table.service import OUT
from tablectl.table.state import State
from tablectl.table.words import say


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
