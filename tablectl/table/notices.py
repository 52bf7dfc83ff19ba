"""What people are told at every table alike: chips, voids, late bets, devices out of order, people.

Made from the state alone; a sentence never names a card that lies face down.
"""

from tablectl.table.outputs import Prompt
from tablectl.table.phases import ROUND
from tablectl.table.service import OUT
from tablectl.table.state import Round, State
from tablectl.table.wager_guards import RECOUNT
from tablectl.table.words import say


def unlocked_words(state: State) -> Prompt | None:
    """Wagering is being locked, and a device cannot acknowledge it as it is: the floor decides."""
    if state.lock == "locked":
        return None
    found = state.devices_of("progressive")
    device = next((d for d in found if not d.locked and d.health != "online"), None)
    if device is not None:
        values = {"device": device.id, "health": device.health}
        early = state.phase == "locking"
        key = "device_has_not_locked" if early else "device_is_not_locked_again"
        return say(state, key, "void_round", "floor", values=values)
    if state.phase == "locking":
        return None
    return say(state, "stop_dealing", "locked", "device", "TCP 2.C(2)", "TCP 10.A(2)")


def void_words(state: State, round_: Round) -> Prompt:
    """A void round: wagers go back, seat by seat where money has moved."""
    if round_.void_seats:
        seat, cents = round_.void_seats[0]
        key = "void_give" if cents > 0 else "void_take" if cents else "void_take_unknown"
        values = {"seat": seat, "cents": abs(cents)}
        return say(state, key, "settle_void_seat", "floor", values=values)
    racked = [str(w.seat) for w in round_.wagers if w.device and w.status == "returned"]
    if racked and round_.count == "verified":
        return say(state, "void_with_chips", "clear_round", values={"seats": ", ".join(racked)})
    return say(state, "void", "clear_round")


def counting_words(state: State, round_: Round) -> Prompt:
    """TCP 10.A(3): collect the chips, count them in front of the inventory, place them in it."""
    if round_.count == "mismatch" and round_.counts >= RECOUNT:
        return say(state, "chips_differ", "resolve_count", "floor")
    key = "count_chips_again" if round_.count == "mismatch" else "count_chips"
    return say(state, key, "count_progressive")


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
    if state.phase != "preparing" or state.listens:
        return []
    said = []
    if not state.tested and not any(duty.duty == "opening_test" for duty in state.duties):
        said.append(say(state, "test_lamps_and_lock", "opening_test"))
    if state.dealer is None:
        said.append(say(state, "sign_on", "log_on"))
    return said
