"""The rows that every table has, whatever it plays: people, alarms, devices, halts."""

from dataclasses import replace

from tablectl.table import guards as g
from tablectl.table import people_guards as n
from tablectl.table import service
from tablectl.table import wager_guards as w
from tablectl.table.machines import SAME, Row, rows
from tablectl.table.step import HOUSE


def house_rows(phases: dict[str, str]) -> tuple[Row, ...]:
    """What any table has: people, alarms, devices, halts."""
    always = " ".join(phases)
    return (
        *rows("log_on", always, SAME, HOUSE),
        *rows("log_off", always, SAME, HOUSE),
        *rows("confirm_clock", always, SAME, HOUSE, guards=(g.clock_awaits_confirmation,)),
        *rows("acknowledge_alarm", always, SAME, HOUSE, guards=(g.an_alarm_is_unacknowledged,)),
        *rows("mark_out_of_order", always, SAME, "TCP 13.H", guards=(service.a_device_ails,)),
        *rows(
            "confirm_out_of_order",
            always,
            SAME,
            "TCP 13.H",
            guards=(service.a_cover_awaits_confirmation,),
        ),
        *rows("return_to_service", always, SAME, HOUSE, guards=(service.a_device_can_return,)),
        *rows("correct_meter", "closed preparing", SAME, HOUSE, guards=(w.a_meter_is_kept,)),
        *rows("halt_table", always, SAME, HOUSE, guards=(g.table_is_running,)),
        *rows("suspend_table", always, SAME, HOUSE, guards=(n.is_not_suspended,)),
        *rows("opening_test", "preparing", SAME, HOUSE),
        *rows("resume_table", always, SAME, HOUSE, guards=(g.table_is_halted, n.training_is_apart)),
    )


def led_by_people(table: tuple[Row, ...]) -> tuple[Row, ...]:
    """Nobody leads a table that only listens; what follows by itself (a dash) follows there too."""
    return tuple(
        row if row.trigger.startswith("-") else replace(row, guards=(g.people_lead, *row.guards))
        for row in table
    )
