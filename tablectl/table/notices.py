"""What people are told beside the next step of the round: devices out of order, and the like.

Made from the state alone; a sentence never names a card that lies face down.
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
        values = {"device": device.id, "health": device.health}
        if device.health == OUT and not device.confirmed:
            said.append(
                say(state, "device_to_confirm", "confirm_out_of_order", "floor", values=values)
            )
        elif device.kind in ("shoe", "shuffler") and device.health == "fault":
            said.append(say(state, "device_has_fault", "mark_out_of_order", values=values))
        elif device.kind in ("shoe", "shuffler") and device.health == "offline":
            said.append(say(state, "device_is_away", "online", "device", "TCP 13.H", values=values))
    return said


def about_late_bets(state: State) -> list[Prompt]:
    """What is no wager goes back, whatever the result (TCP 7.E)."""
    if state.round is None:
        return []
    clearing = ROUND.can("clear_round", state.phase, state)
    unseen = {a.about for a in state.alarms if a.kind == "late_bet" and not a.acknowledged}
    said = []
    for seat, wager in state.round.late:
        values = {"seat": seat, "wager": wager}
        if clearing:
            said.append(say(state, "late_bet", "clear_round", "dealer", "TCP 7.E", values=values))
        elif f"{seat}/{wager}" in unseen:
            awaits = "acknowledge_alarm"
            said.append(say(state, "late_bet", awaits, "floor", "TCP 7.E", values=values))
    return said


def about_people(state: State) -> list[Prompt]:
    """Between rounds: who deals, and whether the lamps and the lock were tested since opening."""
    if state.phase != "preparing":
        return []
    said = []
    if not state.tested and not any(duty.duty == "opening_test" for duty in state.duties):
        said.append(say(state, "test_lamps_and_lock", "opening_test"))
    if state.dealer is None:
        said.append(say(state, "sign_on", "log_on"))
    return said
