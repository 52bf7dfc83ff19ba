"""Each `[devices.ID]` against the driver that it names: what that driver drives, takes and allows.

Drivers are loaded to be asked, and nothing is opened. What all devices share stands in sections.py.
"""

from collections.abc import Iterator, Mapping

from tablectl.daemon.sections import DeviceSection
from tablectl.daemon.source import dotted
from tablectl.games.midi_baccarat_rules import GAME as MIDI
from tablectl.games.rules import Fault, GameRules
from tablectl.hal import options, registry
from tablectl.hal.errors import DriverError, UnknownDriver
from tablectl.hal.identity import PINS
from tablectl.hal.kinds import KINDS


def faults(devices: Mapping[str, DeviceSection]) -> Iterator[Fault]:
    """What the drivers do not take."""
    for name, device in devices.items():
        key = f"devices.{name}"
        try:
            family = registry.family(device.driver)
        except UnknownDriver:
            known = ", ".join(sorted(registry.known()))
            yield Fault(f"{key}.driver", f"an installed driver: {known}", None)
            continue
        except DriverError as error:
            yield Fault(f"{key}.driver", f"a driver that works: {error}", None)
            continue
        if device.kind not in family.kinds:
            drives = ", ".join(sorted(family.kinds))
            yield Fault(f"{key}.driver", f"a driver of a {device.kind}, not of {drives}", None)
        if family.speaks == "never" and _said(device) and not device.read_only:
            yield Fault(f"{key}.read_only", "true: this driver has no commands", None)
        for pin in device.identity.keys() - set(PINS):
            expected = f"one of {', '.join(PINS)}: no device tells anything else of itself"
            yield Fault(dotted("devices", name, "identity", pin), expected, None)
        for pin in ("identity", "versions", "minimum_versions") if family.anonymous else ():
            if getattr(device, pin):
                yield Fault(f"{key}.{pin}", "nothing: this device never says who it is", None)
        if device.key_file is not None and not family.proves:
            yield Fault(f"{key}.key_file", "nothing: this driver proves nobody's identity", None)
        for option, expected in options.faults(family.options, device.options):
            yield Fault(dotted("devices", name, "options", option), expected, None)


def listened_to(
    devices: Mapping[str, DeviceSection], rules: GameRules | None, tracking: object
) -> Iterator[Fault]:
    """What a table that only listens must be able to hear: whose cards they are, and where a round
    ends. A dealer would know; here nobody does. Call it without other faults of the drivers."""
    if tracking != "cards" or rules is None or rules.game == MIDI:
        return
    shuffler = any(device.kind == "shuffler" for device in devices.values())
    for name, device in devices.items():
        if device.kind != "shoe":
            continue
        family = registry.family(device.driver)
        if family.games and rules.game not in family.games:
            known = ", ".join(sorted(family.games))
            expected = f"a driver of a shoe for {rules.game}; {device.driver} is for {known}"
            yield Fault(f"devices.{name}.driver", expected, None)
        elif not family.tells_rounds and not shuffler:
            expected = (
                f"a device of kind shuffler beside {name}: {device.driver} does not tell where a "
                "round ends, and nobody else would"
            )
            yield Fault("devices", expected, None)


def kind_of(name: str, driver: object) -> str | None:
    """The kind of a device whose section does not say it: what its driver drives, where that is
    one kind alone; else the device's own name, where that is a kind's."""
    try:
        drives = registry.family(str(driver)).kinds
    except DriverError:
        drives = frozenset()  # told of the driver, once
    known = drives or KINDS.keys()
    return next(iter(drives)) if len(drives) == 1 else name if name in known else None


def completed(devices: Mapping[str, DeviceSection]) -> dict[str, DeviceSection]:
    """The sections with what their drivers say where the file is silent; call it without faults."""
    return {name: _completed(device) for name, device in devices.items()}


def _said(device: DeviceSection) -> bool:
    """Whether the file itself says read_only."""
    return "read_only" in device.model_fields_set


def _completed(device: DeviceSection) -> DeviceSection:
    family = registry.family(device.driver)
    read_only = device.read_only if _said(device) else family.speaks != "freely"
    full = options.completed(family.options, device.options)
    return device.model_copy(update={"read_only": read_only, "options": full})
