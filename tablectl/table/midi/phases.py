"""The procedure of a Midi Baccarat table: every move, with its clauses.

Triggers are the people's actions, and, marked with a dash in front, what follows by itself from
devices and rules. At a table that only listens nobody acts, and everything follows by itself.
"""

from typing import Final

from tablectl.table import guards as g
from tablectl.table import service
from tablectl.table.machines import SAME, FlatMachine, rows
from tablectl.table.step import HOUSE

PHASES: Final = {
    "closed": "no gaming; opens by the floor, or by itself where the table only listens",
    "preparing": "open, between rounds: decks made ready, shoe loaded, cards burned, duties done",
    "dealing": "the first four cards leave the shoe, two for each hand",
    "drawing": "both hands are up; third cards are dealt where they are due",
    "clearing": "everything is settled; the cards go to the discard bucket",
    "voided": "the round is void, wagers went back; the cards are gathered",
}
ALWAYS: Final = " ".join(PHASES)
OPEN: Final = " ".join(phase for phase in PHASES if phase != "closed")

MIDI: Final = FlatMachine(
    "the table",
    PHASES,
    (
        # ── what a listening table follows by itself ──
        *rows("-opens", "closed", "preparing", HOUSE),
        *rows("-card_seen", "preparing", "dealing", "MIDI 8.B", "MIDI 8.C"),
        *rows("-third_seen", "dealing", "drawing", "MIDI 8.E", "MIDI 8.F"),
        *rows("-round_ends", "dealing drawing", "clearing", "MIDI 11.A"),
        *rows("-cleared", "clearing voided", "preparing", "MIDI 11.C"),
        # ── irregularities (chapter 13) ──
        *rows("-void", "dealing drawing", "voided", "MIDI 13.E"),
        # ── always ──
        *rows("confirm_clock", ALWAYS, SAME, HOUSE, guards=(g.clock_awaits_confirmation,)),
        *rows("log_on", ALWAYS, SAME, HOUSE),
        *rows("log_off", ALWAYS, SAME, HOUSE),
        *rows("acknowledge_alarm", ALWAYS, SAME, HOUSE, guards=(g.an_alarm_is_unacknowledged,)),
        *rows("return_to_service", ALWAYS, SAME, HOUSE, guards=(service.a_device_can_return,)),
        *rows("halt_table", ALWAYS, SAME, HOUSE, guards=(g.table_is_running,)),
        *rows("resume_table", ALWAYS, SAME, HOUSE, guards=(g.table_is_halted,)),
    ),
)  # fmt: skip
