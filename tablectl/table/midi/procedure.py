"""What the devices of a Midi Baccarat table mean, and what follows after every input.

A table that only listens (`tracking = "cards"`) and one with a dealer hear the same reports and do
different things with them.
"""

from typing import Final

from tablectl.table import acceptance, listening, wagering_devices
from tablectl.table.devices import Handlers
from tablectl.table.midi import attending, betting, cards, dealing, watching
from tablectl.table.step import Step

_CHIPS: Final = wagering_devices.Betting(betting.check_offer, betting.accept, betting.withdraw)
HANDLERS: Final[Handlers] = {
    **wagering_devices.handlers(_CHIPS),
    ("shoe", "card"): attending.card,
    ("shoe", "cover_card"): attending.cover_card,
    ("shoe", "standby"): attending.noted,
    ("shoe", "started"): attending.noted,
    ("shoe", "gap"): attending.gap,
    ("shoe", "result"): attending.result,
    ("shoe", "jam"): attending.jam,
    ("shoe", "held"): attending.held,
    ("shoe", "released"): attending.noted,
    ("shoe", "online"): attending.online,
    ("shuffler", "shuffle_started"): attending.noted,
    ("shuffler", "shuffle_done"): cards.shuffled_by_device,
    ("button", "pressed"): attending.pressed,
}
WATCHED: Final[Handlers] = {
    **HANDLERS,
    **listening.HANDLERS,
    ("shoe", "card"): watching.card,
    ("shoe", "cover_card"): watching.cover_card,
    ("shoe", "standby"): watching.standby,
    ("shoe", "started"): watching.started,
    ("shoe", "gap"): watching.gap,
    ("shoe", "result"): watching.result,
}


def after(step: Step) -> None:
    """What follows by itself, once an input is taken in."""
    dealing.go_on(step)
    attending.compare_result(step)
    attending.give_leave(step)
    acceptance.light(step)
