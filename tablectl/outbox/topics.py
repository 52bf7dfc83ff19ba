"""The table's topics, all under tablectl/v1/{site}/{table}/. Pure: names in, topics out.

Everything is published with QoS 1. A name that could act as a wildcard or open another level is
refused here, once.
"""

import re
from dataclasses import dataclass
from typing import Final

ROOT: Final = "tablectl/v1"
QOS: Final = 1

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_ID: Final = re.compile(r"[A-Za-z0-9-]{1,64}")
_TYPE: Final = re.compile(r"([a-z][a-z0-9_]{0,63})\.([a-z][a-z0-9_]{0,63})")

_TYPES_MAXIMUM: Final = 1024


class BadName(ValueError):
    """A name that cannot stand in a topic."""


@dataclass(frozen=True, slots=True)
class Message:
    """What is published: a topic, its bytes, and whether the broker keeps them for newcomers."""

    topic: str
    payload: bytes
    retain: bool = False


def is_id(text: object) -> bool:
    """Whether `text` can be the id of a command."""
    return isinstance(text, str) and _ID.fullmatch(text) is not None


def _name(kind: str, text: str) -> str:
    if not _NAME.fullmatch(text):
        raise BadName(
            f"{kind} {text[:80]!a} cannot stand in a topic: use 1 to 64 letters, digits, - and _"
        )
    return text


class Topics:
    """The topics of one table. Every method raises BadName where a name has no place in one."""

    def __init__(self, site: str, table: str) -> None:
        self.root = f"{ROOT}/{_name('site', site)}/{_name('table', table)}/"
        self.status = self.root + "status"
        self.state = self.root + "state"
        self.commands = self.root + "cmd/+"
        self._events: dict[str, str] = {}  # made once a type
        # What a newcomer finds at the broker beside status and state: one topic a thing.
        self.lists = tuple(f"{self.root}{kind}/+" for kind in ("alarm", "meter", "device"))

    def event(self, type_: str) -> str:
        """Of an event, by its type "area.name". The stream has no gaps: an odd type has one too."""
        found = self._events.get(type_)
        if found is None:
            match = _TYPE.fullmatch(type_)
            area, name = (match[1], match[2]) if match else ("other", "unnamed")
            found = f"{self.root}event/{area}/{name}"
            if len(self._events) < _TYPES_MAXIMUM:
                self._events[type_] = found
        return found

    def alarm(self, alarm_id: str) -> str:
        """Of an alarm: kept while it lasts."""
        return f"{self.root}alarm/{_name('alarm', alarm_id)}"

    def meter(self, name: str) -> str:
        """Of a progressive meter."""
        return f"{self.root}meter/{_name('meter', name)}"

    def device(self, device_id: str) -> str:
        """Of a device."""
        return f"{self.root}device/{_name('device', device_id)}"

    def command(self, name: str) -> str:
        """Where a command comes in."""
        return f"{self.root}cmd/{_name('command', name)}"

    def reply(self, command_id: str) -> str:
        """Where a command is answered."""
        return self._of_command("reply", command_id)

    def replay(self, command_id: str) -> str:
        """Where events are sent again."""
        return self._of_command("replay", command_id)

    def _of_command(self, kind: str, command_id: str) -> str:
        if not is_id(command_id):
            raise BadName("a command's id has 1 to 64 letters, digits and -")
        return f"{self.root}{kind}/{command_id}"

    def command_name(self, topic: str) -> str | None:
        """The name in a command's topic, None for another topic."""
        prefix = self.root + "cmd/"
        name = topic.removeprefix(prefix)
        return name if topic.startswith(prefix) and "/" not in name else None

    def is_listed(self, topic: str) -> bool:
        """Whether a topic is one of those that a thing has only while it is there."""
        kind, slash, rest = topic.removeprefix(self.root).partition("/")
        mine = topic.startswith(self.root) and kind in ("alarm", "meter", "device")
        return mine and bool(slash) and "/" not in rest
