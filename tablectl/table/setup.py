"""What a table is set up with: its rules, meters, devices and limits, as the journal records them.

Built from the configuration file by the daemon; plain JSON-able values only, so that the full setup
stands in the journal and a replay needs no file.
"""

from dataclasses import dataclass
from typing import Literal

from tablectl.cards import Card
from tablectl.games.rules import GameRules

DeviceKind = Literal["shuffler", "shoe", "progressive", "button", "indicator", "badge_reader"]


@dataclass(frozen=True, slots=True)
class MeterSetup:
    """A progressive meter's terms. `rate` is an exact decimal in text: "0.20" of each wager."""

    name: str
    reset: int
    rate: str
    maximum: int = 0  # by when it must be hit (MIDI 12.O(2)); 0: a meter without a trigger


@dataclass(frozen=True, slots=True)
class DeviceSetup:
    """A device that the table counts on."""

    id: str
    kind: DeviceKind
    listen_only: bool = False  # another system owns it: no command is ever sent to it
    # What its identity and versions are held to, so that a change of that is a change of setup.
    pins: tuple[tuple[str, str], ...] = ()
    combined_with: str = ""  # of a shuffler: the shoe that it is one machine with


@dataclass(frozen=True, slots=True)
class Limit:
    """The table's minimum and maximum for a wager, in cents."""

    wager: str
    minimum: int
    maximum: int


@dataclass(frozen=True, slots=True)
class Setup:
    """The whole of it."""

    site: str
    table: str
    rules: GameRules
    meters: tuple[MeterSetup, ...] = ()
    devices: tuple[DeviceSetup, ...] = ()
    limits: tuple[Limit, ...] = ()
    tracking: Literal["cards", "seats", "wagers"] = "wagers"
    simulated: bool = False
    training: bool = False
    lock_ack_ms: int = 500  # how long a wagering device may take to acknowledge the lock
    printed_king_9: tuple[tuple[int, tuple[Card, Card]], ...] = ()  # by seat (MIDI 12.K)
    lock_attempts: int = 3  # how often the lock is sent before the table halts

    def controls(self, device_id: str) -> bool:
        """Whether the table may order this device to do anything."""
        if self.tracking == "cards":
            return False
        return any(device.id == device_id and not device.listen_only for device in self.devices)

    def other_half(self, device_id: str) -> str | None:
        """Of a machine that shuffles and deals: the id under which its other half stands here."""
        for device in self.devices:
            if device.combined_with and device_id in (device.id, device.combined_with):
                return device.id if device_id == device.combined_with else device.combined_with
        return None

    def device_ids(self, kind: DeviceKind) -> tuple[str, ...]:
        """The ids of every device of a kind, in the order of the setup."""
        return tuple(device.id for device in self.devices if device.kind == kind)
