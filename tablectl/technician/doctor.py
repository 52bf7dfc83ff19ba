"""`tablectl doctor`: looks at everything that a table needs, and says what to do in one sentence.

A running daemon keeps its devices: they are not touched, and what it tells of them is shown.
"""

import asyncio
from pathlib import Path

from tablectl.daemon.config import Config
from tablectl.daemon.devices import plan_of
from tablectl.daemon.named_files import looked_at
from tablectl.hal import places
from tablectl.hal.kinds import DevicePlan
from tablectl.hal.usb_address import Address
from tablectl.journal.errors import JournalInUse, JournalUnwritable
from tablectl.journal.files import GuestLock
from tablectl.outbox.broker import BadBroker, Broker
from tablectl.outbox.link import LinkLost
from tablectl.outbox.probe import round_trip_s
from tablectl.technician import box, daemon_view
from tablectl.technician.findings import Examined, Finding, Report
from tablectl.technician.trial import Progress, examine_all


def examine_table(config: Config, progress: Progress) -> Report:
    """Look at everything. Nothing is changed; it takes as long as the slowest device."""
    plans, keyless = _plans(config)
    checks = [box.user(config), box.clock(config), *box.disk(config)]
    try:
        guest = GuestLock(Path(config.table.data))
    except JournalInUse as used:
        what = str(used).partition(": ")[0]
        checks.append(Finding("journal", "fine", f"{what}; its devices are left to it"))
        http, devices = daemon_view.seen(config, plans)
        broker = broker_of(config)
    except JournalUnwritable as error:
        what, _, do = str(error).partition("; ")
        checks.append(Finding("journal", "unknown", what, do))
        http, broker = box.http_port(config), broker_of(config)
        devices = [_untried(plan) for plan in plans]
    else:
        try:
            checks.append(Finding("journal", "fine", "no daemon has it"))
            http = box.http_port(config)
            broker, devices = asyncio.run(_tried(config, plans, progress))
        finally:
            guest.release()
    checks += [
        *box.files(config),
        *box.udev(config),
        http,
        *([broker] if broker is not None else []),
    ]
    return Report(
        file=config.file,
        site=config.table.site,
        table=config.table.id,
        checks=tuple(checks),
        ports=tuple(ports := places.serial_ports()),
        usb=tuple(usb := places.usb_devices()),
        devices=(*devices, *keyless),
        users=_users(plans, ports, usb),
    )


async def _tried(
    config: Config, plans: list[DevicePlan], progress: Progress
) -> tuple[Finding | None, list[Examined]]:
    """Devices and broker at the same time."""
    return await asyncio.gather(
        asyncio.to_thread(broker_of, config),
        examine_all(plans, config.table.simulated, progress),
    )


def _plans(config: Config) -> tuple[list[DevicePlan], list[Examined]]:
    """The devices to try, and those whose key cannot be used: `files` says why."""
    keys, _ = looked_at(config)
    plans, keyless = [], []
    for name, section in config.devices.items():
        plan = plan_of(name, section, keys.get(name))
        if section.key_file is not None and name not in keys:
            keyless.append(_untried(plan, "not tried: its key file cannot be used"))
        else:
            plans.append(plan)
    return plans, keyless


def _untried(plan: DevicePlan, what: str = "not tried: a daemon may have it") -> Examined:
    return Examined(
        device=plan.id, kind=plan.kind, driver=plan.driver, url=plan.url, how="unknown", found=what
    )


def broker_of(config: Config) -> Finding | None:
    """Whether the broker lets us in; None where there is none."""
    if config.mqtt is None:
        return None
    try:
        broker = Broker.at(
            config.mqtt.url,
            username=config.mqtt.username,
            password_file=config.mqtt.password_file,
            ca_file=config.mqtt.ca_file,
        )
        took_s = round_trip_s(broker)
    except (BadBroker, LinkLost) as error:
        return Finding("broker", "wrong", str(error), _about_broker(str(error)))
    who = f" as {config.mqtt.username}" if config.mqtt.username else ""
    return Finding("broker", "fine", f"{broker.name} lets us in{who}, in {took_s * 1000:.1f} ms")


def _about_broker(what: str) -> str:
    if "refuses us" in what:
        return "see to mqtt.username and the password in mqtt.password_file, at both ends"
    if "not trusted" in what:
        return "see to mqtt.ca_file and the name in the broker's certificate"
    if "cannot be reached" in what or "does not answer" in what:
        return "see to mqtt.url, the broker, and the firewall (IPAddressAllow= of the service)"
    return "see to [mqtt], and to the broker's log"


def _users(
    plans: list[DevicePlan],
    ports: list[places.SerialPort],
    usb: list[places.UsbDevice],
) -> dict[str, str]:
    """Which port, and which plug, is whose."""
    users = {}
    for plan in plans:
        for port in ports:
            if plan.url in (port.path, *port.names):
                users[port.path] = plan.id
        for one in usb:
            if plan.url.startswith("usb://") and _finds(plan.url, one):
                users[one.path] = plan.id
    return users


def _finds(url: str, one: places.UsbDevice) -> bool:
    wanted, ids = Address.parse(url), Address.parse(one.url)
    return (
        (wanted.vendor, wanted.product) == (ids.vendor, ids.product)
        and wanted.path in (None, one.path)
        and wanted.serial in (None, ids.serial)
    )
