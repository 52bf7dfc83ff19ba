"""What the devices of a Midi Baccarat table mean, and what follows after every input.

A table that only listens (`tracking = "cards"`) and one with a dealer hear the same reports and do
different things with them.
"""

from typing import Final

from tablectl.table import acceptance, wagering_devices
from tablectl.table.devices import Handler, Handlers
from tablectl.table.inputs import DeviceEvent
from tablectl.table.midi import attending, betting, cards, dealing, watching
from tablectl.table.step import Step


def _by_tracking(watched: Handler, attended: Handler) -> Handler:
    def handler(step: Step, event: DeviceEvent) -> str | None:
        return (watched if watching.watches(step.state) else attended)(step, event)

    return handler


_CHIPS: Final = wagering_devices.Betting(betting.check_offer, betting.accept, betting.withdraw)
HANDLERS: Final[Handlers] = {
    **wagering_devices.handlers(_CHIPS),
    ("shoe", "card"): _by_tracking(watching.card, attending.card),
    ("shoe", "cover_card"): _by_tracking(watching.cover_card, attending.cover_card),
    ("shoe", "standby"): _by_tracking(watching.standby, attending.noted),
    ("shoe", "started"): _by_tracking(watching.started, attending.noted),
    ("shoe", "gap"): _by_tracking(watching.gap, attending.gap),
    ("shoe", "result"): _by_tracking(watching.result, attending.result),
    ("shoe", "jam"): attending.jam,
    ("shoe", "held"): attending.held,
    ("shoe", "released"): attending.noted,
    ("shoe", "online"): attending.online,
    ("shuffler", "shuffle_started"): attending.noted,
    ("shuffler", "shuffle_done"): cards.shuffled_by_device,
    ("button", "pressed"): attending.pressed,
}


def after(step: Step) -> None:
    """What follows by itself, once an input is taken in."""
    if watching.watches(step.state):
        watching.opens(step)
        return
    dealing.go_on(step)
    attending.compare_result(step)
    attending.give_leave(step)
    acceptance.light(step)
