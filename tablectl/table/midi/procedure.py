"""What Midi Baccarat brings to the table: actions, what devices mean, the dealer's words."""

from typing import Final

from tablectl.table.common_actions import COMMON
from tablectl.table.devices import Handlers
from tablectl.table.midi import watching
from tablectl.table.outputs import Prompt
from tablectl.table.state import State

_OF_ALL: Final = (
    "log_on", "log_off", "confirm_clock", "acknowledge_alarm", "return_to_service", "halt_table",
    "resume_table",
)  # fmt: skip
ACTIONS: Final = {name: COMMON[name] for name in _OF_ALL}
HANDLERS: Final[Handlers] = {
    ("shoe", "card"): watching.card,
    ("shoe", "cover_card"): watching.cover_card,
    ("shoe", "standby"): watching.standby,
    ("shoe", "started"): watching.started,
    ("shoe", "gap"): watching.gap,
    ("shoe", "result"): watching.result,
}
AFTER: Final = (watching.keep,)


def preparing(_state: State) -> list[Prompt]:
    """Between rounds."""
    return []


def in_round(_state: State) -> list[Prompt]:
    """While a round is under way."""
    return []
