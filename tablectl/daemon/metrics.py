"""What a monitoring system reads at /metrics, in Prometheus' text format. Figures only."""

from collections.abc import Iterator

from tablectl.daemon.desk import Desk
from tablectl.daemon.devices import Devices
from tablectl.daemon.front import Front
from tablectl.hal.kinds import Counters
from tablectl.table.phases import ROUND


def page(desk: Desk, front: Front, devices: Devices, broker: tuple[bool, int] | None) -> str:
    """The whole page. `broker`: connected?, and how many events wait for it."""
    return "\n".join(_lines(desk, front, devices, broker)) + "\n"


def _lines(
    desk: Desk, front: Front, devices: Devices, broker: tuple[bool, int] | None
) -> Iterator[str]:
    # What restricts is told at once, the rest when it is durable.
    now, state, recorder = desk.state, front.shown(), desk.recorder
    yield from _one("sequence", "counter", "last event's sequence", now.sequence)
    yield from _one("durable_sequence", "counter", "last sequence on disk", recorder.durable)
    yield from _one(
        "journal_failed", "gauge", "1: no record is written", int(bool(recorder.failure))
    )
    yield from _one("rounds_total", "counter", "rounds opened", state.rounds)
    yield from _one("halted", "gauge", "1: the table stands still", int(now.halt is not None))
    yield from _one("locked", "gauge", "1: wagering is locked", int(now.lock == "locked"))
    yield from _one("alarms", "gauge", "alarms raised now", len(state.alarms))
    yield from _one("actions_done_total", "counter", "actions done over HTTP", front.done)
    yield from _one("actions_refused_total", "counter", "actions refused over HTTP", front.refused)
    yield from _one(
        "unconfirmed_events", "gauge", "not confirmed by the archive", front.unconfirmed
    )
    if broker is not None:
        yield from _one("broker_connected", "gauge", "1: MQTT is up", int(broker[0]))
        yield from _one("outbox_backlog", "gauge", "events that wait for the broker", broker[1])
    yield from _head("phase", "gauge", "1 for the phase that the table is in")
    for phase in ROUND.of(state).states:
        yield f'tablectl_phase{{phase="{phase}"}} {int(phase == state.phase)}'
    yield from _head("meter_cents", "gauge", "what a progressive meter shows")
    for meter in state.meters:
        yield f'tablectl_meter_cents{{meter="{meter.name}"}} {meter.cents}'
    yield from _devices(devices)


def _devices(devices: Devices) -> Iterator[str]:
    yield from _head("device_online", "gauge", "1: the link is up and the device well known")
    for name, status in devices.statuses().items():
        yield f'tablectl_device_online{{device="{name}"}} {int(status.state == "online")}'
    counted = {name: each.counters.figures() for name, each in devices.supervisors.items()}
    for figure in Counters().figures() if counted else ():
        yield from _head(f"device_{figure}_total", "counter", figure.replace("_", " "))
        for name, figures in counted.items():
            yield f'tablectl_device_{figure}_total{{device="{name}"}} {figures[figure]}'


def _head(name: str, type_: str, help_: str) -> Iterator[str]:
    yield f"# HELP tablectl_{name} {help_}"
    yield f"# TYPE tablectl_{name} {type_}"


def _one(name: str, type_: str, help_: str, value: int) -> Iterator[str]:
    yield from _head(name, type_, help_)
    yield f"tablectl_{name} {value}"
