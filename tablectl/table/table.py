"""The table: one input in, one outcome out. Pure: same state and input, same outcome, always.

`step` never raises. What a person may not do is a refusal; what must not happen (a violated
invariant, an exception) is a halt, recorded, that replays as the same halt.
"""

from dataclasses import dataclass, replace
from typing import Final

from tablectl.table import (
    deck_clock,
    devices,
    halts,
    idle,
    must_hit,
    progressive,
    service,
    signs,
    unsealing,
)
from tablectl.table.actions import act, allowed, refused_outside, spec_of
from tablectl.table.inputs import (
    Action,
    Checkpoint,
    DeviceEvent,
    Drawn,
    Input,
    JournalFailed,
    Notice,
    Restart,
    RoundOver,
    Segment,
    Stamp,
    Tick,
    Unsealed,
)
from tablectl.table.invariants import Made, violations
from tablectl.table.lockout import give_leave, restrict_all
from tablectl.table.outputs import Command, Event, Prompt, Refusal, Ruling
from tablectl.table.procedures import procedure
from tablectl.table.prompts import prompts
from tablectl.table.setup import MeterSetup, Setup
from tablectl.table.state import Device, Halt, State
from tablectl.table.step import HOUSE, Refused, Step, begin, cite, quoted, split_basis

# Counts up whenever the same inputs would give other events; replay re-derives only its own.
CORE_VERSION: Final = 2
_MIXED: Final = (
    "Training and real play never share a journal: start with the data folder of the right one."
)
# Ten reports, after which a reading shoe's numbers are the same again, take a dealer longer: they
# cannot all lie within one round.
_MARK_LASTS_NS: Final = 15_000_000_000
_REPEATS_ALARM: Final = 1  # a record that stands for more refusals than this raises an alarm


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a step came to. A tick that changed nothing has no events, and the state as it was."""

    state: State
    events: tuple[Event, ...] = ()
    commands: tuple[Command, ...] = ()
    refusal: Refusal | None = None
    ruling: Ruling | None = None

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """What comes next, for people."""
        return prompts(self.state)

    @property
    def allowed(self) -> tuple[str, ...]:
        """The actions that are possible now."""
        return allowed(self.state)

    @property
    def wake_ns(self) -> int | None:
        """The monotonic moment at which the table wants a Tick."""
        clock = self.state.clock
        later = [*deck_clock.wakes(self.state), *idle.wakes(self.state)]
        wanted = [clock.mono_ns + max(0, at - clock.elapsed_ns) for at in later]
        if self.state.lock_deadline_ns is not None:
            wanted.append(self.state.lock_deadline_ns)
        return min(wanted, default=None)


class Table:
    """A table and its state. Owns nothing else, so any number of them live side by side."""

    __slots__ = ("state",)

    def __init__(self, state: State | None = None) -> None:
        self.state = state if state is not None else State()

    def step(self, input_: Input) -> Outcome:
        """Take one input in; the table's state is then the outcome's."""
        outcome = step(self.state, input_)
        self.state = outcome.state
        return outcome


def step(state: State, input_: Input) -> Outcome:
    """The outcome of one input. Never raises."""
    try:
        outcome = _refusable(state, input_)
        broken = violations(Made(state, outcome.state, outcome.events, outcome.commands))
    except Exception as error:  # noqa: BLE001 - any failure whatever becomes a recorded halt
        return _fail(state, input_, "exception", f"{type(error).__name__} in {_what(input_)}.")
    if broken:
        return _fail(state, input_, "invariant", f"{broken[0]} (at {_what(input_)}).")
    return outcome


def before(state: State, input_: Input) -> Input | None:
    """The input that is to be recorded ahead of this one; see RoundOver. Never raises."""
    if not isinstance(input_, DeviceEvent) or not state.listens or state.round is None:
        return None
    try:
        over = procedure(state).over(state, input_)
    except Exception:  # noqa: BLE001 - the step meets it too, and makes a recorded halt of it
        return None
    return RoundOver(input_.at, input_.device) if over else None


def _refusable(state: State, input_: Input) -> Outcome:
    working = begin(state, input_.at)
    try:
        _take(working, input_)
    except Refused as refused:
        return _refuse(state, input_, refused)
    if isinstance(input_, Tick) and not working.events:
        return Outcome(state)
    if working.state.setup is not None:
        for look in procedure(working.state).after:
            look(working)
        give_leave(working)
        signs.show(working)
    return Outcome(
        working.state, tuple(working.events), tuple(working.commands), ruling=working.ruling
    )


def _take(working: Step, input_: Input) -> None:
    if working.state.setup is None and not isinstance(input_, Restart):
        raise Refused("the first record of a journal is a start", malformed=True)
    match input_:
        case Action():
            act(working, input_)
        case DeviceEvent():
            devices.handle(working, input_, procedure(working.state).handlers)
        case RoundOver():
            _round_over(working)
        case Drawn():
            must_hit.arm(working, input_)
        case Tick():
            halts.overdue(working)
            deck_clock.look(working)
            idle.look(working)
        case Restart():
            _restart(working, input_)
        case Notice():
            _notice(working, input_)
        case _:
            _about_the_journal(working, input_)
    if input_.kind in ("action", "device", "round_over") and working.state.round is None:
        _apply_next_setup(working)


def _about_the_journal(
    working: Step, input_: Checkpoint | Segment | Unsealed | JournalFailed
) -> None:
    match input_:
        case Checkpoint():
            data = {"sequence": input_.sequence, "hash": input_.hash, "key": input_.key}
            working.emit(
                "journal.checkpoint", {**data, "signature": input_.signature, "state": input_.state}
            )
        case Segment():
            data = {"previous": input_.previous, "sequence": input_.sequence}
            working.emit("journal.segment", {**data, "hash": input_.hash, "state": input_.state})
        case Unsealed():
            unsealing.take(working, input_)
        case JournalFailed():
            halts.halt(working, "journal", f"The journal could not be written: {input_.what}")


def _round_over(working: Step) -> None:
    if not working.state.listens or working.state.round is None:
        raise Refused("no round is under way that ends by itself", malformed=True)
    procedure(working.state).ends(working)


def _refuse(state: State, input_: Input, refused: Refused) -> Outcome:
    """Record the refusal: who wanted what, why not, by which clause, and what is possible."""
    working = begin(state, input_.at)
    possible = allowed(state)
    cited, _ = split_basis(cite(state, refused.clauses))
    refusal = Refusal(refused.why, cited, possible, refused.malformed, refused.role)
    round_ = {"round": state.round.number if state.round else None}
    if not isinstance(input_, Action):
        nobody = {"action": _what(input_), "actor": None, "role": None, "why": refused.why}
        working.emit("action.refused", {**nobody, "allowed": list(possible), "count": 1, **round_})
        return Outcome(working.state, tuple(working.events), refusal=refusal)
    spec = spec_of(state, input_.action)
    named = input_.action if spec or refused_outside(input_) else quoted(input_.action)
    role = next((r for r in spec.role if r in input_.roles), None) if spec else None
    data = {
        "action": named,
        "actor": input_.actor,
        "role": role or (input_.roles[0] if input_.roles else None),
        "why": refused.why,
        "allowed": list(possible),
        "count": input_.count,
        **round_,
    }
    working.emit("action.refused", data, *refused.clauses)
    if input_.count > _REPEATS_ALARM:
        what = f"{input_.actor} tried {named} {input_.count} times in vain."
        working.raise_alarm(
            "repeated_refusals", "warning", what, about=input_.actor, until_seen=True
        )
    return Outcome(working.state, tuple(working.events), refusal=refusal)


def _fail(state: State, input_: Input, cause: str, why: str) -> Outcome:
    """Throw the step away and halt instead. If even that fails, stand still with nothing else."""
    try:
        working = begin(state, input_.at)
        halts.halt(working, cause, why)
        outcome = Outcome(working.state, tuple(working.events), tuple(working.commands))
        if not violations(Made(state, outcome.state, outcome.events, outcome.commands)):
            return outcome
    except Exception as error:  # noqa: BLE001 - the last resort below does nothing that could fail
        why = f"{why} The halt failed too: {type(error).__name__}."
    sequence = state.sequence + 1
    data = {"cause": cause, "why": why, "clauses": [], "inferred": False, "basis": [HOUSE]}
    event = Event(sequence, "table.halted", "table", state.clock.utc_ns, data)
    orders = {"progressive": "lock", "shoe": "hold"}
    commands = tuple(
        Command(device.id, orders[device.kind], True, state.clock.boot, state.commands + n)
        for n, device in enumerate(state.devices, 1)
        if device.kind in orders and state.setup is not None and state.setup.controls(device.id)
    )
    stopped = replace(
        state,
        sequence=sequence,
        halt=Halt(cause, why),
        lock="locking",
        commands=state.commands + len(state.devices),
    )
    return Outcome(stopped, (event,), commands)


def _what(input_: Input) -> str:
    """The input in a word, without anything it holds."""
    match input_:
        case Action():
            return f"action {quoted(input_.action)}"
        case DeviceEvent():
            return f"device report {quoted(input_.name)}"
    return input_.kind


def _notice(working: Step, notice: Notice) -> None:
    """Trouble around the table becomes an alarm; what cannot be trusted any more, a halt."""
    known = any(alarm.kind == notice.alarm for alarm in working.state.alarms)
    if notice.over and known:
        working.clear_alarm(notice.alarm)
    elif not notice.over and not known:
        working.raise_alarm(notice.alarm, notice.severity, notice.what)
    else:
        data = {"kind": notice.alarm, "what": notice.what, "over": notice.over}
        working.emit("alarm.noted", data)  # nothing new, but every record yields an event
    if notice.halts:
        halts.halt(working, notice.alarm, notice.what)


# ── start and change of setup ──────────────────────────────────────────────
def _restart(working: Step, start: Restart) -> None:
    """Everything controllable is locked; a person resumes once each device has told its state."""
    first = working.state.setup is None
    mixed = _mixes_training(working, start.setup)
    if not mixed and (first or working.state.round is None):
        _apply_setup(working, start.setup, start.setup_digest)
    elif not mixed:  # else neither becomes the other: what it is set up with stays
        working.update(next_setup=start.setup, next_setup_digest=start.setup_digest)
    working.update(
        devices=tuple(_silent(device, start.at) for device in working.state.devices),
        clock_confirmed=start.clock_synchronised,
        lock_attempts=0,
    )
    data = {
        "first": first,
        "software": start.software,
        "core_version": start.core_version,
        "setup": start.setup_digest,
        "simulated": start.setup.simulated,
        "training": start.setup.training,
        "boot": start.at.boot,
        "round": working.state.round.number if working.state.round else None,
    }
    working.emit("table.restarted", data)
    if not start.clock_synchronised:
        what = "The clock of this box is not synchronised: the floor confirms the time shown."
        working.raise_alarm("clock_unsynchronised", "warning", what)
    else:
        working.clear_alarm("clock_unsynchronised")
    restrict_all(working)
    controlled = any(working.setup.controls(device.id) for device in working.state.devices)
    if controlled and not first and working.state.phase != "closed":
        why = "The controller was restarted."
        working.update(halt=working.state.halt or Halt("restart", why))
    if mixed:
        working.update(halt=None)  # this cause stands above every other
        halts.halt(working, "training", _MIXED)


def _mixes_training(working: Step, setup: Setup) -> bool:
    """Whether a training start meets the journal of a real table, or the other way round."""
    halt, known = working.state.halt, working.state.setup
    if known is not None and known.training != setup.training:
        return True
    if halt is not None and halt.cause == "training":
        working.update(halt=Halt("restart", "The controller was restarted."))
        working.clear_alarm("table_halted")
    return False


def _silent(device: Device, at: Stamp) -> Device:
    """What a device told before a start counts no more; a sign on it stays (TCP 13.H).

    Its mark counts for a moment: in a longer absence its numbers could have gone round unheard.
    That it restarted meanwhile is no news: the power was out for both.
    """
    if device.known is not None:
        device = replace(device, known=replace(device.known, boot=""))
    mark = device.mark
    if mark and (mark.boot != at.boot or at.mono_ns - mark.mono_ns > _MARK_LASTS_NS):
        device = replace(device, mark=None)
    if device.health == service.OUT:
        return replace(device, behind="unknown")
    return replace(device, health="unknown")


def _apply_setup(working: Step, setup: Setup, digest: str) -> None:
    """Rules, meters and devices take effect, between rounds only, by an event."""
    known = {device.id: device for device in working.state.devices}
    table_devices = tuple(
        replace(known[d.id], kind=d.kind) if d.id in known else Device(d.id, d.kind)
        for d in setup.devices
    )
    meters = []
    for terms in setup.meters:
        meter = working.state.meter(terms.name) or progressive.new_meter(terms)
        meters.append(replace(meter, reset=terms.reset, rate=terms.rate, maximum=terms.maximum))
    gone = [m for m in working.state.meters if m.name not in {t.name for t in setup.meters}]
    changed = digest != working.state.setup_digest
    working.update(
        setup=setup,
        setup_digest=digest,
        next_setup=None,
        next_setup_digest="",
        devices=table_devices,
        meters=(*meters, *gone),  # a meter that is not offered keeps what it holds
    )
    if changed:
        rules = setup.rules
        data = {
            "digest": digest,
            "game": rules.game,
            "simulated": setup.simulated,
            "training": setup.training,
            "meters": {m.name: _terms(setup, m) for m in setup.meters},
        }
        working.emit("config.loaded", data)


def _terms(setup: Setup, meter: MeterSetup) -> dict[str, object]:
    """A meter's terms as its event tells them; a maximum only where there is one."""
    terms: dict[str, object] = {"reset": meter.reset, "rate": meter.rate}
    terms["wager"] = progressive.wager_of(setup, meter.name)
    return {**terms, "maximum": meter.maximum} if meter.maximum else terms


def _apply_next_setup(working: Step) -> None:
    if working.state.next_setup is not None:
        _apply_setup(working, working.state.next_setup, working.state.next_setup_digest)
