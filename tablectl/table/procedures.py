"""The games side by side: what each adds to the table beside its phases. One row a game, no rules.

A game's own modules live in a room of their own (`three_card/`, `midi/`); whatever serves all games
stands in this one and never asks which game it serves.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from tablectl.table import acceptance, idle, listening, wagering_devices
from tablectl.table.common_actions import COMMON
from tablectl.table.devices import Handlers
from tablectl.table.inputs import DeviceEvent
from tablectl.table.midi import actions as midi_actions
from tablectl.table.midi import procedure as midi
from tablectl.table.midi import prompts as midi_prompts
from tablectl.table.outputs import Prompt
from tablectl.table.spec import Spec
from tablectl.table.state import State
from tablectl.table.step import Step
from tablectl.table.three_card import actions as three_card_actions
from tablectl.table.three_card import betting, dealing, outcome, shoe, watching
from tablectl.table.three_card import listening_prompts as watched_prompts
from tablectl.table.three_card import prompts as three_card_prompts


@dataclass(frozen=True, slots=True)
class Procedure:
    """What a game brings along."""

    actions: Mapping[str, Spec]
    handlers: Handlers  # what its devices tell
    preparing: Callable[[State], list[Prompt]]  # the dealer's words between rounds
    in_round: Callable[[State], list[Prompt]]  # and in one
    after: tuple[Callable[[Step], None], ...]  # looked at after every input
    # Where the table only listens: whether a report is of another round, and the end of this one.
    over: Callable[[State, DeviceEvent], bool] = lambda _state, _event: False
    ends: Callable[[Step], None] = lambda _step: None


_CHIPS: Final = wagering_devices.Betting(betting.check_offer, betting.accept, betting.withdraw)
_POKER: Final = Procedure(
    {**COMMON, **three_card_actions.ACTIONS, **three_card_actions.POKER_ONLY},
    {**shoe.HANDLERS, **wagering_devices.handlers(_CHIPS)},
    three_card_prompts.preparing,
    three_card_prompts.in_round,
    (betting.recheck, shoe.fails_at_lock, dealing.call_dealer_stack, idle.follow, acceptance.light),
)
_BACCARAT: Final = replace(
    _POKER,
    actions={**COMMON, **three_card_actions.ACTIONS, **three_card_actions.BACCARAT_ONLY},
)
PROCEDURES: Final[dict[str, Procedure]] = {
    "three_card_poker": _POKER,
    "three_card_baccarat": _BACCARAT,
    "midi_baccarat": Procedure(
        midi_actions.ACTIONS,
        midi.HANDLERS,
        midi_prompts.preparing,
        midi_prompts.in_round,
        (midi.after,),
    ),
}
# Where the table only listens (`tracking = "cards"`): what the same games bring along there.
_WATCHED: Final = replace(
    _POKER,
    handlers=watching.HANDLERS,
    preparing=watched_prompts.preparing,
    in_round=watched_prompts.in_round,
    after=(watching.after,),
    over=watching.over,
    ends=outcome.ends,
)
LISTENING: Final[dict[str, Procedure]] = {
    "three_card_poker": _WATCHED,
    "three_card_baccarat": replace(_WATCHED, actions=_BACCARAT.actions),
    "midi_baccarat": replace(
        PROCEDURES["midi_baccarat"], handlers=midi.WATCHED, after=(listening.opens,)
    ),
}


def procedure(state: State) -> Procedure:
    """The procedure of the game that the table plays; the first before any start."""
    if state.setup is None:
        return next(iter(PROCEDURES.values()))
    return (LISTENING if state.listens else PROCEDURES)[state.setup.rules.game]
