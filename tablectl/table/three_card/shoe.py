"""What an automated shoe and the lock-out button mean at a three-card table (TCP 10, 13.G).

A dispense whose outcome nobody knows is a shoe failure. Card by card and by hand: see dealing.py.
"""

from typing import Any, Final

from tablectl.table import method
from tablectl.table.decks import IN_PLACE
from tablectl.table.devices import Handlers, failed, online, shuffler_jam, tell
from tablectl.table.inputs import DeviceEvent
from tablectl.table.irregularities import FLOOR_ALARM, report, ruling_of
from tablectl.table.lockout import hold
from tablectl.table.phases import ROUND
from tablectl.table.service import OUT
from tablectl.table.shuffling import compartment_of, inside
from tablectl.table.state import Device, State
from tablectl.table.step import Step
from tablectl.table.three_card import betting
from tablectl.table.three_card.dealing import card, left_between, stack, strayed
from tablectl.table.three_card.plan import dealer_is_inside

LOCKED_UNTIL_DEALT: Final = ("locking", "locked", "cancelling", "dealing")


def stops_the_deal(state: State) -> bool:
    """Whether a shoe that fails now fails to deal all cards (TCP 13.G). It is about automated
    shoes: of another only the reader can fail."""
    if method.dealing(state) != "automated_shoe":
        return False
    inside = state.phase == "deciding" and dealer_is_inside(state)
    return state.phase in LOCKED_UNTIL_DEALT or inside


def fails_as(state: State, device: Device) -> str:
    """The kind by whose clause a device fails. Of one that shuffles and deals the phase decides:
    shuffling (TCP 13.F) or dealing (TCP 13.G)."""
    if state.setup is None or state.setup.other_half(device.id) is None:
        return device.kind
    if stops_the_deal(state):
        return "shoe"
    return "shuffler" if any(deck.custody == "shuffler" for deck in state.decks) else device.kind


def jam(step: Step, shoe: Device, what: str, *, order_lost: bool = False) -> None:
    """The shoe jammed or stopped, told by itself or by the dealer."""
    evidence = [failed(step, shoe, what)]
    if method.dealing(step.state) != "automated_shoe":
        return
    if order_lost or stops_the_deal(step.state):
        report(step, "shoe_jam", what, evidence=evidence)
        return
    # With every stack out only the stub is inside; before the lock nothing is void.
    report(step, "shoe_jam", what, evidence=evidence, stands=True)
    waiting = next((d.id for d in step.state.decks if d.custody in IN_PLACE), None)
    if waiting:
        custody = "discard" if step.state.round is None else "shoe"
        step.update_deck(waiting, preparation="used", custody=custody)
        step.open_duty("reshuffle", "TCP 13.G", deck=waiting)


def fails_at_lock(step: Step) -> None:
    """A jam known when the lock is on, with no card out, voids too (TCP 13.G)."""
    automated = method.dealing(step.state) == "automated_shoe"
    if automated and step.state.phase == "locked" and step.round.plan:
        deck = step.state.deck(step.round.deck)
        shoes = {shoe.id for shoe in step.state.devices_of("shoe")}
        halves = {step.setup.other_half(shoe) for shoe in shoes}
        ails = {d.id for d in step.state.devices if d.health in ("fault", OUT)}
        jammed = bool(ails & (shoes | halves))
        if not jammed and (deck is None or deck.preparation != "used"):
            return
        what = "The shoe failed before the deal and cannot deal this round."
        if ruling_of(step.state, "shoe_jam").void:
            report(step, "shoe_jam", what)
        else:  # told until the floor has decided
            step.raise_alarm(FLOOR_ALARM, "critical", f"{what} The floor decides.", until_seen=True)


def _online(step: Step, event: DeviceEvent) -> str | None:
    shoe = step.state.device(event.device)
    assert shoe is not None
    online(step, event)
    _told(step, shoe, event.args.get("dispensed"), shoe.permitted)
    return None


def _told(step: Step, shoe: Device, dispensed: Any, was_out: bool) -> None:
    """A dispense whose outcome nobody knows is a shoe failure: the round is void."""
    waiting = next((d.id for d in step.state.decks if d.custody in IN_PLACE), None)
    if step.state.phase == "preparing" and waiting and dispensed not in (None, shoe.dispensed):
        what = f"{shoe.id} says that cards have left it between rounds."
        report(step, "card_before_lock", what, deck=waiting)
        left_between(step, waiting)
    if step.state.phase == "voided" and waiting and dispensed not in (None, shoe.dispensed):
        what = f"{shoe.id} says that cards have left it in spite of the void."
        report(step, "drawn_in_error", what)
        strayed(step, waiting)
    if step.state.phase not in ("betting", *LOCKED_UNTIL_DEALT) and not stops_the_deal(step.state):
        return
    unknown = dispensed is None and was_out
    if unknown or (dispensed is not None and dispensed != shoe.dispensed):
        told = "it cannot say how many" if dispensed is None else f"it says {dispensed}"
        what = f"The table saw {shoe.dispensed} stacks leave {shoe.id}; {told}."
        automated = method.dealing(step.state) == "automated_shoe"
        early = ("betting", "locking") if automated else ("betting", "locking", "cancelling")
        if step.state.phase in early:
            report(step, "card_before_lock", what)
        elif automated:
            report(step, "shoe_jam", what)
        else:
            _count_first(step, f"{what} Count the stub.")
        if step.state.phase == "cancelling":  # the floor decides, and the cancellation goes on
            hold(step)
    else:
        betting.shoe_holds(step)


def _gap(step: Step, event: DeviceEvent) -> str | None:
    """Reports may be missing: in a deal the stub tells, before anything is decided."""
    tell(
        step,
        "device.gap",
        event,
        "shoe",
        str(event.args.get("what", "reports may be missing"))[:200],
    )
    if step.state.phase == "dealing":
        what = "The shoe may have dealt cards that it did not report: count the stub."
        _count_first(step, what)
    return None


def _count_first(step: Step, what: str) -> None:
    """A reader missed cards that the dealer drew: the stub tells, before anything is decided."""
    report(step, "sequence_gap", what, evidence=[step.state.sequence])
    step.update_round(stub=step.round.stub or "recount")


def _fault(step: Step, event: DeviceEvent) -> str | None:
    return _failed(step, event, f"stopped: {str(event.args.get('what', 'fault'))[:200]}")


def _jam(step: Step, event: DeviceEvent) -> str | None:
    return _failed(step, event, "jammed")


def _failed(step: Step, event: DeviceEvent, how: str) -> str | None:
    """A shoe or a shuffler jammed or stopped."""
    device = step.state.device(event.device)
    assert device is not None
    what = f"{device.kind} {device.id} {how}."
    if fails_as(step.state, device) == "shoe":
        jam(step, device, what)
    else:
        there = inside(step.state, compartment_of(event))
        deck = event.args.get("deck") or (there.id if there is not None else None)
        shuffler_jam(step, device, what, deck)
    return None


def _held(step: Step, event: DeviceEvent) -> str | None:
    shoe = step.state.device(event.device)
    tell(step, "device.held", event, "shoe", "holds")
    if shoe is not None and shoe.holding:  # else it answers a hold that another answer settled
        step.update_device(event.device, permitted=False, holding=False)
        betting.shoe_holds(step)
    return None


def _pressed(step: Step, event: DeviceEvent) -> str | None:
    """The lock-out button says "no more bets" where bets are open; elsewhere all is locked."""
    tell(step, "device.pressed", event, "button", "lock-out button")
    phase = step.state.phase
    if phase in ("betting", "cancelling"):
        step.update(phase=ROUND.fire("no_more_bets", phase, step.state))
        betting.announce(step)
    return None


HANDLERS: Final[Handlers] = {
    ("shoe", "online"): _online,
    ("shoe", "fault"): _fault,
    ("shoe", "stack"): stack,
    ("shoe", "card"): card,
    ("shoe", "gap"): _gap,
    ("shoe", "held"): _held,
    ("shoe", "jam"): _jam,
    ("shuffler", "fault"): _fault,
    ("shuffler", "jam"): _jam,
    ("button", "pressed"): _pressed,
}
