"""The table's devices on the desk's side: readings become inputs, commands find their supervisor.

The salts that seal the cards are drawn here, from the operating system, and nowhere else.
"""

import asyncio
import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import structlog

from tablectl.cards import Card
from tablectl.daemon.config import Config
from tablectl.daemon.named_files import device_keys
from tablectl.daemon.sections import DeviceSection
from tablectl.hal.errors import CommandRefused
from tablectl.hal.kinds import DevicePlan, Identity, Reading, Token
from tablectl.hal.supervisor import Status, Supervisor
from tablectl.table.inputs import DeviceEvent, Input, ReadCard, Stamp
from tablectl.table.outputs import Command

log = structlog.get_logger("tablectl.devices")
_SALT_BYTES: Final = 32
_SIMULATOR: Final = "hwsim"  # how a simulator names its model; see hwsim/

Submit = Callable[[Callable[[Stamp], Input]], object]
Badge = Callable[[str, Token], None]


class Devices:
    """Every configured device with its supervisor."""

    def __init__(self, config: Config) -> None:
        """Raises ConfigError where a file that the configuration names cannot be used."""
        self._simulated = config.table.simulated
        self._listens = config.table.tracking == "cards"
        self._submit: Submit | None = None
        self._badge: Badge | None = None
        self._tasks: list[asyncio.Task[None]] = []
        keys = device_keys(config)
        self.supervisors = {
            name: Supervisor(plan_of(name, section, keys.get(name)), self._heard)
            for name, section in config.devices.items()
        }

    def start(
        self,
        submit: Submit,
        failed: Callable[[str], None],
        marks: Mapping[str, str],
        badge: Badge | None = None,
    ) -> None:
        """Open every link; `failed` is told where a supervisor ends by a mistake of ours.

        `marks`: up to where the process before this one heard each device, a moment ago.
        `badge` gets the badges: their numbers are for people.py alone, and no input.
        """
        self._submit, self._badge = submit, badge
        for name, supervisor in self.supervisors.items():
            supervisor.resume(marks.get(name, ""))
            task = asyncio.create_task(supervisor.run(), name=f"device {name}")
            task.add_done_callback(partial(self._ended, name, failed))
            self._tasks.append(task)

    async def stop(self) -> None:
        """Say good-bye to every device and close every link."""
        for supervisor in self.supervisors.values():
            supervisor.stop()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def send(self, command: Command) -> None:
        """Order a device; what restricts and cannot leave now is owed until it is back."""
        supervisor = self.supervisors.get(command.device)
        if supervisor is None:
            log.error("no_such_device", device=command.device, command=command.name)
            return
        try:
            supervisor.send(command)
        except CommandRefused as refused:
            log.warning("command_not_sent", device=command.device, what=str(refused))

    def statuses(self) -> dict[str, Status]:
        """How every link is."""
        return {name: supervisor.status for name, supervisor in self.supervisors.items()}

    # ── the inside ─────────────────────────────────────────────────────────
    def _heard(self, device: str, reading: Reading) -> None:
        assert self._submit is not None
        if reading.name != "offline" and not self._welcome(device):
            return
        if reading.name == "badge":
            if self._badge is not None:
                self._badge(device, reading.args["token"])
            return
        cards = tuple(_sealed(card) for card in reading.cards)
        args = self._beside(device, reading)
        self._submit(lambda at: DeviceEvent(at, device, reading.name, args, cards))

    def _beside(self, device: str, reading: Reading) -> Mapping[str, Any]:
        """What goes into the record with a reading: its mark, and who is online or refused."""
        more: dict[str, Any] = {"mark": reading.mark} if reading.mark else {}
        identity = self.supervisors[device].status.identity
        if identity is not None and (reading.name == "online" or "refused" in reading.args):
            more["identity"] = recorded(identity)
        return {**reading.args, **more} if more else reading.args

    def _welcome(self, device: str) -> bool:
        """Whether what a device tells gets in. A simulator is no device for real money, and a table
        that only listens cannot do with a shoe that waits for its leave."""
        supervisor = self.supervisors[device]
        identity, refused = supervisor.status.identity, "simulator"
        what = None if self._simulated else stranger(identity)
        if what is None and self._listens and supervisor.plan.kind == "shoe":
            what, refused = waiting(identity), "leave"
        if what is None:
            return True
        assert identity is not None
        args = {"what": what, "refused": refused, "identity": recorded(identity)}
        assert self._submit is not None
        self._submit(lambda at: DeviceEvent(at, device, "offline", args))
        supervisor.stop()
        return False

    def _ended(self, name: str, failed: Callable[[str], None], task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("supervisor_failed", device=name, exc_info=error)
            failed(f"the supervisor of {name} failed: {type(error).__name__}")


def recorded(identity: Identity) -> dict[str, Any]:
    """An identity as it stands in a record: what the device says, and where it is plugged in."""
    names = ("serial", "model", "path", "game_mode", "boot")
    said = {name: getattr(identity, name) for name in names if getattr(identity, name)}
    return {**said, "versions": dict(identity.versions)}


def stranger(identity: Identity | None) -> str | None:
    """Why a device must not serve at a table that is not simulated; None where it may."""
    if identity is None or not identity.model.startswith(_SIMULATOR):
        return None
    return f"{identity.model} is a simulator, and this table is not simulated"


def waiting(identity: Identity | None) -> str | None:
    """Why a shoe must not serve where nobody gives it leave; None where it deals by itself."""
    if identity is None or not identity.capabilities & {"takes_hold", "takes_release"}:
        return None
    return (
        "it deals only with leave, and a table that only listens gives none: set it to deal by "
        "itself, or let a dealer lead the table (tracking)"
    )


def _sealed(card: Card | None) -> ReadCard:
    return ReadCard(card, os.urandom(_SALT_BYTES).hex())


def plan_of(name: str, section: DeviceSection, key: bytes | None) -> DevicePlan:
    """What links and drivers need to know of a device."""
    return DevicePlan(
        id=name,
        kind=section.kind,
        driver=section.driver,
        url=section.url.removeprefix("pty:"),
        read_only=section.read_only,
        identity=section.identity,
        versions=section.versions,
        minimum_versions=section.minimum_versions,
        silence_ms=section.silence_ms,
        ack_ms=section.ack_ms,
        options=section.options,
        key=key,
    )
