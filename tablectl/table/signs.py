"""What the lights of a table show: one sign, made from the state, and again after a link was lost.

Lights only tell; no decision waits for them, and nothing sealed is ever shown.
"""

from tablectl.table.service import OUT
from tablectl.table.state import State
from tablectl.table.step import Step


def sign_of(state: State) -> str:
    """The most pressing sign of the moment."""
    if state.halt is not None:
        return "halted"
    if any(device.health == OUT for device in state.devices):
        return "out_of_order"
    if any(alarm.severity == "critical" and not alarm.acknowledged for alarm in state.alarms):
        return "attention"
    if state.round is not None and any(due.line.meter for due in state.round.due):
        return "winner"
    if state.phase == "betting":
        return "open"
    return "off" if state.round is None else "no_more_bets"


def show(step: Step) -> None:
    """Send the sign to every light that shows another one; comes last in a step."""
    sign = sign_of(step.state)
    for light in step.state.devices_of("indicator"):
        if light.health == "online" and light.sign != sign:
            step.update_device(light.id, sign=sign)
            step.command(light.id, "show", restrictive=False, sign=sign)
