"""What people may do at any table, whatever it plays: opening, decks, alarms, devices, halts.

When it may be done stands in the game's phases; here stands who, with what, and to what effect.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from tablectl.table import decks, halts, method, people, progressive, service, shuffling, stub
from tablectl.table.irregularities import void
from tablectl.table.spec import ANYBODY, FLOOR, WATCH, Effect, Spec
from tablectl.table.step import HOUSE, Refused, Step, quoted


def _prepare(trigger: str) -> Effect:
    return lambda step, args: decks.prepare(step, trigger, args)


def _confirm_clock(step: Step, _args: Mapping[str, Any]) -> None:
    step.update(clock_confirmed=True)
    step.clear_alarm("clock_unsynchronised")


def _void_round(step: Step, args: Mapping[str, Any]) -> None:
    """Discretionary: no clause, a reason, and surveillance is told."""
    unseen = step.state.phase == "locked" and step.round.plan and method.deals_unseen(step.state)
    duty = "reshuffle" if step.state.cards_on_table or unseen else None
    clauses: tuple[str, ...] = (HOUSE,)
    if step.round.doubt:  # one card is there twice: the deck goes, as after a wrong stub
        duty, clauses = "remove_deck", (stub.clauses(step.state)[4], HOUSE)
    void(step, "floor", clauses, deck_duty=duty, why=args["reason"])


def _acknowledge_void(step: Step, _args: Mapping[str, Any]) -> None:
    step.done_duty("acknowledge_void")


def _acknowledge_alarm(step: Step, args: Mapping[str, Any]) -> None:
    alarm = next((a for a in step.state.alarms if a.id == args["id"] and not a.acknowledged), None)
    if alarm is None:
        raise Refused(f"no alarm {quoted(args['id'])} waits to be acknowledged", malformed=True)
    changed = replace(alarm, acknowledged=True)
    step.update(alarms=tuple(changed if a is alarm else a for a in step.state.alarms))
    step.emit("alarm.acknowledged", {"id": alarm.id, "kind": alarm.kind})
    if alarm.until_seen:
        step.clear_alarm(alarm.kind, alarm.about)


def _halt_table(step: Step, args: Mapping[str, Any]) -> None:
    halts.halt(step, "person", args.get("reason", people.UNTOLD))


COMMON: Final[Mapping[str, Spec]] = {
    # ── people ──
    "log_on": Spec(people.sign_on, ANYBODY, halted=True, witness="floor"),
    "log_off": Spec(people.sign_off, ANYBODY, halted=True),
    "open_table": Spec(people.opened, FLOOR),
    "close_table": Spec(people.closed, FLOOR),
    "opening_test": Spec(people.opening_test, args="lamps:bool? lock:bool?"),
    "suspend_table": Spec(
        people.suspend, ("dealer", "floor", "surveillance"), args="reason:str?", halted=True
    ),
    # ── the table ──
    "confirm_clock": Spec(_confirm_clock, FLOOR, halted=True),
    "receive_decks": Spec(decks.receive, args="decks:list"),
    "inspect_cards": Spec(_prepare("inspect_cards"), args="deck:str?"),
    "verify_inspection": Spec(_prepare("verify_inspection"), FLOOR, args="deck:str?"),
    "spread_cards": Spec(_prepare("spread_cards"), args="deck:str?"),
    "player_inspected": Spec(_prepare("player_inspected"), args="deck:str? viewed:bool"),
    "wash_cards": Spec(_prepare("wash_cards"), args="deck:str?"),
    "shuffle_done": Spec(shuffling.by_hand, args="deck:str?"),
    "cut_cards": Spec(shuffling.cut, args="deck:str?"),
    "recut": Spec(shuffling.recut, FLOOR, args="deck:str? reason:str"),
    "order_shuffle": Spec(shuffling.order, FLOOR, args="deck:str? reason:str?"),
    "spread_idle": Spec(shuffling.spread_idle),
    "remove_deck": Spec(decks.remove, args="deck:str?"),
    "change_decks": Spec(decks.change),
    "clear_deck_latch": Spec(decks.clear_latch, FLOOR, args="deck:str?"),
    "correct_meter": Spec(
        progressive.correct, FLOOR, args="meter:str cents:int reason:str", second="technician"
    ),
    "void_round": Spec(_void_round, FLOOR, args="reason:str"),
    "acknowledge_void": Spec(_acknowledge_void, FLOOR),
    "acknowledge_alarm": Spec(_acknowledge_alarm, WATCH, args="id:str", halted=True),
    "return_to_service": Spec(
        lambda step, args: service.give_back(step, args["device"]),
        ("technician",),
        args="device:str",
        halted=True,
    ),
    "mark_out_of_order": Spec(
        lambda step, args: service.mark(step, args["device"]), args="device:str", halted=True
    ),
    "confirm_out_of_order": Spec(
        lambda step, args: service.confirm(step, args["device"]),
        FLOOR,
        args="device:str",
        halted=True,
    ),
    "halt_table": Spec(_halt_table, ("dealer", "floor", "surveillance"), args="reason:str?"),
    "resume_table": Spec(lambda step, _args: halts.resume(step), FLOOR, halted=True),
}
