"""What people may do: each action with its role, its arguments and its effect.

The floor may do what the dealer may. When it may be done stands in phases.py; here stands who, with
what, and to what effect. Actions that are not in the table come with their procedures.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tablectl.table import betting, deciding, decks, halts, settling
from tablectl.table.devices import LOCKED_UNTIL_DEALT, jam, return_to_service
from tablectl.table.inputs import Action
from tablectl.table.irregularities import RULINGS, report, void
from tablectl.table.outputs import Ruling
from tablectl.table.phases import ROUND
from tablectl.table.state import State
from tablectl.table.step import HOUSE, Refused, Step, quoted

Effect = Callable[[Step, Mapping[str, Any]], None]
_TYPES: Final = {"int": int, "str": str, "bool": bool, "list": list}
_TEXT_MAXIMUM: Final = 200


@dataclass(frozen=True, slots=True)
class Spec:
    """An action: who may do it, the arguments (a "?" marks an optional one), what it does."""

    effect: Effect
    role: tuple[str, ...] = ("dealer", "floor")
    args: str = ""
    halted: bool = False  # may be done while the table stands still
    wanted: dict[str, tuple[type, bool]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for word in self.args.split():
            name, type_ = word.removesuffix("?").split(":")
            self.wanted[name] = (_TYPES[type_], not word.endswith("?"))


_FLOOR: Final = ("floor",)
_ANYBODY: Final = ("dealer", "floor", "surveillance", "technician", "auditor")
_WATCH: Final = ("floor", "surveillance")


def _prepare(trigger: str) -> Effect:
    return lambda step, args: decks.prepare(step, trigger, args)


def _open_table(step: Step, _args: Mapping[str, Any]) -> None:
    step.emit("table.opened", {}, HOUSE)


def _close_table(step: Step, _args: Mapping[str, Any]) -> None:
    step.update(decks=(), last_deck=None, single_deck=False)
    step.emit("table.closed", {"meters": {m.name: m.cents for m in step.state.meters}}, HOUSE)


def _confirm_clock(step: Step, _args: Mapping[str, Any]) -> None:
    step.update(clock_confirmed=True)
    step.clear_alarm("clock_unsynchronised")


def _declare_misdeal(step: Step, args: Mapping[str, Any]) -> None:
    row = RULINGS["incorrect_number_of_cards"]
    if not args.get("confirm"):
        step.ruling = Ruling(row.ruling, row.clauses)
        return
    what = args.get("reason") or "The dealer reports a hand with an incorrect number of cards."
    report(step, row.kind, what, evidence=[step.state.sequence])


def _report_jam(step: Step, args: Mapping[str, Any]) -> None:
    device = step.state.device(args["device"])
    if device is None or device.kind not in ("shoe", "shuffler"):
        raise Refused(
            f"{quoted(args['device'])} is no shoe or shuffler of this table", malformed=True
        )
    voids = device.kind == "shoe" and step.state.phase in LOCKED_UNTIL_DEALT
    if voids and not args.get("confirm"):
        row = RULINGS["shoe_jam"]
        step.ruling = Ruling(row.ruling, row.clauses)
        return
    jam(step, device, f"The dealer reports that {device.kind} {device.id} jammed.")


def _void_round(step: Step, args: Mapping[str, Any]) -> None:
    """Discretionary: no clause, a reason, and surveillance is told."""
    duty = "reshuffle" if step.state.cards_on_table else None
    void(step, "floor", (HOUSE,), deck_duty=duty, why=args["reason"])


def _acknowledge_void(step: Step, _args: Mapping[str, Any]) -> None:
    step.done_duty("acknowledge_void")


def _acknowledge_alarm(step: Step, args: Mapping[str, Any]) -> None:
    alarm = next((a for a in step.state.alarms if a.id == args["id"] and not a.acknowledged), None)
    if alarm is None:
        raise Refused(f"no alarm {quoted(args['id'])} waits to be acknowledged", malformed=True)
    changed = replace(alarm, acknowledged=True)
    step.update(alarms=tuple(changed if a is alarm else a for a in step.state.alarms))
    step.emit("alarm.acknowledged", {"id": alarm.id, "kind": alarm.kind})
    if alarm.kind == "repeated_refusals":  # it has no end of its own: seen is over
        step.clear_alarm(alarm.kind, alarm.about)


def _signed(type_: str) -> Effect:
    """Sign-on and sign-off: who it was stands in the action's own event."""

    def effect(step: Step, _args: Mapping[str, Any]) -> None:
        done = step.events[-1].data
        step.emit(type_, {name: done[name] for name in ("actor", "role", "round")}, HOUSE)

    return effect


def _halt_table(step: Step, args: Mapping[str, Any]) -> None:
    halts.halt(step, "person", args["reason"])


def _seat(step: Step, args: Mapping[str, Any], decision: str) -> None:
    deciding.decide(step, args["seat"], decision)


ACTIONS: Final[Mapping[str, Spec]] = {
    "log_on": Spec(_signed("person.logged_on"), _ANYBODY, halted=True),
    "log_off": Spec(_signed("person.logged_off"), _ANYBODY, halted=True),
    "open_table": Spec(_open_table, _FLOOR),
    "close_table": Spec(_close_table, _FLOOR),
    "confirm_clock": Spec(_confirm_clock, _FLOOR, halted=True),
    "receive_decks": Spec(decks.receive, args="decks:list"),
    "inspect_cards": Spec(_prepare("inspect_cards"), args="deck:str?"),
    "verify_inspection": Spec(_prepare("verify_inspection"), _FLOOR, args="deck:str?"),
    "spread_cards": Spec(_prepare("spread_cards"), args="deck:str?"),
    "player_inspected": Spec(_prepare("player_inspected"), args="deck:str? viewed:bool"),
    "wash_cards": Spec(_prepare("wash_cards"), args="deck:str?"),
    "load_shoe": Spec(decks.load, args="deck:str?"),
    "remove_deck": Spec(decks.remove, args="deck:str?"),
    "clear_deck_latch": Spec(decks.clear_latch, _FLOOR, args="deck:str?"),
    "single_deck": Spec(lambda step, _args: decks.declare_single(step), _FLOOR),
    "open_bets": Spec(lambda step, _args: betting.open_bets(step)),
    "place_wager": Spec(betting.place, args="seat:int wager:str amount:int"),
    "remove_wager": Spec(betting.withdraw, args="seat:int wager:str"),
    "no_more_bets": Spec(lambda step, _args: betting.announce(step), halted=True),
    "cancel_lock": Spec(
        lambda step, _args: betting.cancel_lock(step, step.state.phase), _FLOOR, args="reason:str"
    ),
    "amend_wager": Spec(betting.amend, _FLOOR, args="seat:int wager:str amount:int reason:str"),
    "play": Spec(lambda step, args: _seat(step, args, "play"), args="seat:int"),
    "fold": Spec(lambda step, args: _seat(step, args, "fold"), args="seat:int"),
    "reveal_dealer": Spec(lambda step, _args: settling.reveal(step)),
    "enter_card": Spec(settling.enter_card, args="place:str card:str confirm:bool?"),
    "confirm_payment": Spec(
        lambda step, args: settling.confirm(step, args["seat"]), args="seat:int"
    ),
    "settle_by_hand": Spec(
        settling.settle_by_hand, _FLOOR, args="seat:int returned:int reason:str"
    ),
    "clear_round": Spec(lambda step, _args: settling.clear(step)),
    "declare_misdeal": Spec(_declare_misdeal, args="confirm:bool? reason:str?"),
    "report_jam": Spec(_report_jam, args="device:str confirm:bool?"),
    "void_round": Spec(_void_round, _FLOOR, args="reason:str"),
    "acknowledge_void": Spec(_acknowledge_void, _FLOOR),
    "acknowledge_alarm": Spec(_acknowledge_alarm, _WATCH, args="id:str", halted=True),
    "return_to_service": Spec(
        lambda step, args: return_to_service(step, args["device"]),
        ("technician",),
        args="device:str",
        halted=True,
    ),
    "halt_table": Spec(_halt_table, ("dealer", "floor", "surveillance"), args="reason:str"),
    "resume_table": Spec(lambda step, _args: halts.resume(step), _FLOOR, halted=True),
}


def allowed(state: State) -> tuple[str, ...]:
    """The actions that are possible now, for whoever has the role."""
    return tuple(
        name
        for name, spec in ACTIONS.items()
        if (state.halt is None or spec.halted) and ROUND.can(name, state.phase, state)
    )


def act(step: Step, action: Action) -> None:
    """Do it. Raises Refused with why, by which clause."""
    spec = ACTIONS.get(action.action)
    if spec is None:
        raise Refused(f"there is no action {quoted(action.action)}", malformed=True)
    role = next((role for role in spec.role if role in action.roles), None)
    if role is None:
        raise Refused(f"{action.action} is for {' or '.join(spec.role)}", HOUSE, role=True)
    _check_args(action.action, spec, action.args)
    if step.state.halt is not None and not spec.halted:
        raise Refused(f"the table is halted: {step.state.halt.why}", HOUSE)
    phase = ROUND.fire(action.action, step.state.phase, step.state)
    row = ROUND.row(action.action, step.state.phase)
    clauses = row.clauses if row else ()
    step.update(phase=phase)
    reported = {"action": action.action, "actor": action.actor, "role": role}
    if isinstance(action.args.get("reason"), str):
        reported["reason"] = action.args["reason"]
    number = step.state.round.number if step.state.round else None
    step.emit("action.done", {**reported, "round": number}, *clauses)
    spec.effect(step, action.args)


def _check_args(name: str, spec: Spec, args: Mapping[str, Any]) -> None:
    for key in args:
        if key not in spec.wanted:
            raise Refused(
                f"{name} takes no {quoted(key)}; it takes {spec.args or 'nothing'}", malformed=True
            )
    for key, (type_, required) in spec.wanted.items():
        if key not in args:
            if required:
                raise Refused(f"{name} needs {key!r} ({type_.__name__})", malformed=True)
        elif type(args[key]) is not type_:
            raise Refused(f"{name}: {key!r} must be of type {type_.__name__}", malformed=True)
        elif type_ is str and not 0 < len(args[key]) <= _TEXT_MAXIMUM:
            raise Refused(f"{name}: {key!r} has 1 to {_TEXT_MAXIMUM} letters", malformed=True)
        elif type_ is str and not (args[key].isprintable() and args[key].strip()):
            raise Refused(
                f"{name}: {key!r} must have letters, and only such as print", malformed=True
            )
        elif type_ is int and abs(args[key]) > 10**12:
            raise Refused(f"{name}: {key!r} is out of range", malformed=True)
        elif type_ is list and len(args[key]) > 8:
            raise Refused(f"{name}: {key!r} has at most 8 entries", malformed=True)
