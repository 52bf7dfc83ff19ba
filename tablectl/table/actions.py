"""A person's action, done or refused: is it known, whose is it, does it fit, may it be done now.

The floor may do what the dealer may. What the actions are stands with the procedures.
"""

from tablectl.table.inputs import Action
from tablectl.table.people import check_dealer
from tablectl.table.phases import ROUND
from tablectl.table.procedures import procedure
from tablectl.table.spec import Spec, check_args
from tablectl.table.state import State
from tablectl.table.step import HOUSE, Refused, Step, quoted


def spec_of(state: State, name: str) -> Spec | None:
    """The action of that name at this table, if there is one."""
    return procedure(state).actions.get(name)


def refused_outside(action: Action) -> str | None:
    """Why the edge refused a command from the network: it is recorded here, and never done."""
    why = action.args.get("why")
    outside = action.method == "mqtt-key" and action.action.startswith("cmd/")
    return why[:200] if outside and isinstance(why, str) and why else None


def allowed(state: State) -> tuple[str, ...]:
    """The actions that are possible now, for whoever has the role."""
    return tuple(
        name
        for name, spec in procedure(state).actions.items()
        if (state.halt is None or spec.halted) and ROUND.can(name, state.phase, state)
    )


def act(step: Step, action: Action) -> None:
    """Do it. Raises Refused with why, by which clause."""
    spec = spec_of(step.state, action.action)
    if why := refused_outside(action):
        raise Refused(why, HOUSE, malformed=True)
    if spec is None:
        raise Refused(f"there is no action {quoted(action.action)}", malformed=True)
    role = next((role for role in spec.role if role in action.roles), None)
    if role is None:
        raise Refused(f"{action.action} is for {' or '.join(spec.role)}", HOUSE, role=True)
    check_dealer(step.state, action.action, action.actor, role)
    _check_second(action, spec)
    check_args(action.action, spec, action.args)
    if step.state.halt is not None and not spec.halted:
        raise Refused(f"the table is halted: {step.state.halt.why}", HOUSE)
    phase = ROUND.fire(action.action, step.state.phase, step.state)
    row = ROUND.row(action.action, step.state.phase, step.state)
    clauses = row.clauses if row else ()
    step.update(phase=phase)
    reported = {"action": action.action, "actor": action.actor, "role": role}
    if action.second is not None and (spec.second or spec.witness):
        reported["second"] = action.second.actor
    if isinstance(action.args.get("reason"), str):
        reported["reason"] = action.args["reason"]
    number = step.state.round.number if step.state.round else None
    step.emit("action.done", {**reported, "round": number}, *clauses)
    spec.effect(step, action.args)


def _check_second(action: Action, spec: Spec) -> None:
    """Where two people act together, the second is somebody else, with the second role."""
    second = action.second
    wanted = spec.second or (spec.witness if second is not None else None)
    if wanted is None:
        return
    if second is None or second.actor == action.actor or wanted not in second.roles:
        raise Refused(
            f"{action.action} takes two people: {spec.role[0]}, and another as {wanted}",
            HOUSE,
            role=True,
        )
