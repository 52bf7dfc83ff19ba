"""How the table shuffles and deals now: what the rules choose, less what is out of order.

A device that is out of order is covered or marked first (TCP 13.H); until then nothing replaces it.
"""

from typing import Literal, cast

from tablectl.table.state import Device, State

Dealing = Literal["automated_shoe", "manual_shoe", "hand"]


def dealing(state: State) -> Dealing:
    """The method in force; without its shoe or shuffler, a manual shoe (TCP 9.A(1), 13.H).

    A round is dealt as it began: what fails in it is ruled on, and another method comes after it.
    """
    if state.round is not None and state.round.dealing:
        return cast("Dealing", state.round.dealing)
    rules = state.setup.rules if state.setup else None
    chosen: Dealing = getattr(rules, "dealing", "manual_shoe")
    needs = {"automated_shoe": "shoe", "hand": "shuffler"}.get(chosen)
    if needs == "shoe" and all(is_out(state, shoe) for shoe in state.devices_of("shoe")):
        return "manual_shoe"
    if needs == "shuffler" and usable_shuffler(state) is None:
        return "manual_shoe"
    return chosen


def usable_shuffler(state: State) -> Device | None:
    """The automated shuffler, unless there is none or it is out of order."""
    return next((d for d in state.devices_of("shuffler") if not is_out(state, d)), None)


def is_out(state: State, device: Device) -> bool:
    """Out of order, itself or the other half of the machine that it is."""
    half = state.setup.other_half(device.id) if state.setup else None
    return any(d.health == "out_of_order" for d in state.devices if d.id in (device.id, half))


def reporting_shoe(state: State) -> Device | None:
    """The shoe that tells which cards leave it, if the table has one in order. Where only the
    reader of a manual shoe failed, the cards are dealt on, and entered."""
    found = (d for d in state.devices_of("shoe") if d.health not in ("fault", "out_of_order"))
    return next(found, None)


def deals_unseen(state: State) -> bool:
    """Nobody reports the cards: that they were dealt is inferred from what comes after."""
    return dealing(state) != "automated_shoe" and reporting_shoe(state) is None


def counts_itself(state: State) -> bool:
    """The cards are shuffled, counted and dealt by devices alone (TCP 5.I, 5.J)."""
    return dealing(state) == "automated_shoe" and usable_shuffler(state) is not None
