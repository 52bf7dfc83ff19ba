"""What a shoe and a button mean at a table with a dealer (`tracking` "seats" or "wagers").

The dealer leads; the shoe tells which cards leave it, and is compared, never believed.
"""

from collections.abc import Mapping
from typing import Any

from tablectl.games import midi_third_cards as chapter_10
from tablectl.table import devices
from tablectl.table.devices import failed, tell
from tablectl.table.inputs import DeviceEvent
from tablectl.table.lockout import hold
from tablectl.table.midi import betting, cards, dealing, ending
from tablectl.table.midi.guards import IN_SHOE
from tablectl.table.midi.irregularities import count_copies, report, stray
from tablectl.table.midi.shoe import hand, hands_of, shoe_of, update_hands, update_shoe
from tablectl.table.phases import ROUND
from tablectl.table.state import State
from tablectl.table.step import Step

# From "no more bets" on a card may have left unseen.
_CARDS_WANTED = ("locked", "dealing", "turning", "drawing", "simulating")


def card(step: Step, event: DeviceEvent) -> str | None:
    """A card left the shoe. Returns what is wrong with the report, if anything."""
    if len(event.cards) != 1:
        return f"it tells {len(event.cards)} cards at once; a card report has one"
    [read] = event.cards
    shoe = step.state.shoe
    if shoe is None or shoe.stage not in IN_SHOE:
        return "a card left it while the table knows of no cards in it"
    if shoe.stage != "ready":
        taken = cards.burned(step, read, event.args.get("place"))
        if taken.up and read.card is None:
            report(step, "unreadable_card", "The first card of the shoe could not be read.")
    elif shoe.discard and dealing.place_due(step) is None:
        taken = cards.discarded(step, read)
    elif event.args.get("mode") == "outside":
        taken = stray(step, read, third=False)
    else:
        taken = dealing.arrive(step, read, event.args.get("place"))
    count_copies(step, taken)
    return None


def compare_result(step: Step) -> None:
    """Once the result is announced: does the shoe's own agree?"""
    round_ = step.state.round
    if round_ is None or not round_.revealed or hands_of(step).told is None:
        return
    theirs, ours = (
        hands_of(step).told,
        chapter_10.winner(hand(step, "player"), hand(step, "banker")),
    )
    update_hands(step, told=None)
    if theirs != ours:
        what = f"The shoe says winner {theirs}; by the cards it is {ours}."
        report(step, "result_mismatch", what)
        step.raise_alarm(
            "result_mismatch", "warning", what, about=str(round_.number), until_seen=True
        )


def result(step: Step, event: DeviceEvent) -> str | None:
    """The shoe's own result, kept until the cards lie open."""
    tell(step, "device.result", event, "shoe", "told its result")  # what it was stays sealed
    if step.state.round is not None and step.state.round.kind == "live":
        winner = event.args.get("winner")
        update_hands(step, told=winner if isinstance(winner, str) else None)
    return None


def cover_card(step: Step, event: DeviceEvent) -> str | None:
    """The shoe saw the cover card (MIDI 9.D)."""
    if step.state.shoe is None or step.state.shoe.stage not in IN_SHOE:
        return "it saw a cover card while the table knows of no cards in it"
    tell(step, "device.cover_card", event, "shoe", "cover card")
    covered(step, {})
    return None


def covered(step: Step, _args: Mapping[str, Any]) -> None:
    """The cover card came out: put aside; in the burn the cards are cut again."""
    shoe = shoe_of(step)
    if shoe.stage in ("loaded", "burning"):
        report(step, "cover_in_burn", "The cover card came out during the burn.")
        cards.cover_in_burn(step)
        return
    ending.cover_card(step)
    data = {"deck": shoe.id, "round": step.state.round.number if step.state.round else None}
    step.emit("deck.cover_card", data, "MIDI 9.D(1)")


def gap(step: Step, event: DeviceEvent) -> str | None:
    """Reports may be missing: the dealer enters the cards that lie there."""
    what = str(event.args.get("what", "reports may be missing"))[:200]
    tell(step, "device.gap", event, "shoe", what)
    evidence = [step.state.sequence]
    if step.state.phase in _CARDS_WANTED:
        update_hands(step, gap=True)
        sentence = "Reports of the shoe were lost while a round was under way."
        report(step, "sequence_gap", sentence, evidence)
    elif step.state.shoe is not None and step.state.shoe.stage in ("loaded", "burning"):
        update_shoe(step, gap=True)
        report(step, "sequence_gap", "Reports of the shoe were lost in the burn.", evidence)
    return None


def jam(step: Step, event: DeviceEvent) -> str | None:
    """The shoe jammed: nothing is void, as long as the order of the cards is kept."""
    shoe = step.state.device(event.device)
    assert shoe is not None
    what = f"shoe {shoe.id} jammed."
    report(step, "shoe_jam", what, [failed(step, shoe, what)])
    return None


def noted(step: Step, event: DeviceEvent) -> str | None:
    """Standby and the like: recorded, the dealer leads."""
    device = step.state.device(event.device)
    tell(step, f"device.{event.name}", event, device.kind if device else "shoe", event.name)
    return None


def held(step: Step, event: DeviceEvent) -> str | None:
    """The shoe holds; a cancelled lock takes effect."""
    shoe = step.state.device(event.device)
    tell(step, "device.held", event, "shoe", "holds")
    if shoe is not None and shoe.holding:
        step.update_device(event.device, permitted=False, holding=False)
        betting.shoe_holds(step)
    return None


def online(step: Step, event: DeviceEvent) -> str | None:
    """The shoe is back; in doubt it is told to hold."""
    devices.online(step, event)
    if step.state.phase == "cancelling":
        hold(step)
        if not step.setup.controls(event.device):
            betting.shoe_holds(step)
    return None


def pressed(step: Step, event: DeviceEvent) -> str | None:
    """The lock-out button says "no more bets" where bets are open; elsewhere all is locked."""
    tell(step, "device.pressed", event, "button", "lock-out button")
    phase = step.state.phase
    if phase in ("betting", "cancelling"):
        step.update(phase=ROUND.fire("no_more_bets", phase, step.state))
        betting.announce(step)
    return None


# ── a shoe that can be held ────────────────────────────────────────────────
def _wanted(state: State) -> bool:
    """Whether cards may leave the shoe now."""
    shoe = state.shoe
    if shoe is None or shoe.stage not in IN_SHOE:
        return False
    burning = state.phase == "preparing" and shoe.stage != "ready"
    burning |= shoe.discard and state.phase in ("preparing", "settling", "clearing")
    uncounted = state.round is not None and state.round.count in ("due", "mismatch")
    return burning or (state.phase in _CARDS_WANTED and not uncounted)


def give_leave(step: Step) -> None:
    """A shoe that the table controls is released while cards are wanted, and held otherwise."""
    state = step.state
    if state.halt is not None or state.untold:
        return
    for shoe in state.devices_of("shoe"):
        if not step.setup.controls(shoe.id):
            continue
        if not _wanted(state):
            if shoe.permitted and not shoe.holding:
                hold(step)
        elif state.lock == "locked" and shoe.health == "online" and not shoe.holding:
            if shoe.permitted:
                continue
            step.update_device(shoe.id, permitted=True)
            step.command(shoe.id, "release", restrictive=False)
