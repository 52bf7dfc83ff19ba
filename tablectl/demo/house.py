"""The demonstration's configuration: a real file for a real daemon, with people made up for it."""

import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from argon2 import PasswordHasher

# Cheap on purpose: these PINs live as long as the demonstration.
_HASHER = PasswordHasher(time_cost=1, memory_cost=8192, parallelism=1)
_DEVICES = {"shuffler": "shuffler", "shoe": "shoe", "button": "button"}


@dataclass(frozen=True, slots=True)
class House:
    """A game as the demonstration plays it: its `[rules]` and more, and its devices by name."""

    table: tuple[str, ...]
    kinds: Mapping[str, str]  # as the table calls them
    model: str = ""  # the simulated shoe, where it is not one that speaks tablelink
    seats: int = 7
    wagers: tuple[tuple[str, int, float], ...] = ()  # beside the ante: cents, and how often
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # of the simulators
    staffed: bool = True

    @property
    def simulated(self) -> Mapping[str, str]:
        """The devices as hwsim calls them."""
        return {n: self.model if self.model and n == "shoe" else k for n, k in self.kinds.items()}


HOUSES: Mapping[str, House] = {
    "three_card_poker": House(
        (
            "[rules]", 'game = "three_card_poker"', 'ante_bonus = "A"', 'pair_plus = "D"',
            'six_card_bonus = "A"', 'progressive = "A"',
            "[meters.main]", "reset = 100000", "rate = 0.20",
            "[limits]", "ante = {minimum = 500, maximum = 10000}",
        ),
        {**_DEVICES, "bonus": "progressive"},
        wagers=(("pair_plus", 500, 0.6), ("progressive", 100, 0.5), ("six_card_bonus", 500, 0.3)),
        options={"bonus": {"tells": "progressive", "cents": 100}},
    ),
    "three_card_baccarat": House(
        (
            "[rules]", 'game = "three_card_baccarat"', 'three_kings = "A"', 'tie = "A"',
            "dragon = true", "[limits]", "ante = {minimum = 500, maximum = 10000}",
        ),
        _DEVICES,
        seats=6,
        wagers=(("three_kings", 500, 0.5), ("tie", 500, 0.4), ("dragon", 500, 0.4)),
    ),
    "midi_baccarat": House(
        (
            'tracking = "cards"', "[rules]", 'game = "midi_baccarat"', "decks = 8",
            'dragon_bonus = "A"',
        ),
        {"shoe": "shoe"},
        model="angel_eye",
        staffed=False,
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody of the house, with the PIN in clear: it is a demonstration."""

    name: str
    role: str
    pin: str


def people() -> tuple[Person, Person]:
    """A dealer and a floorperson."""
    return (
        Person("dana", "dealer", secrets.token_hex(8)),
        Person("flo", "floor", secrets.token_hex(8)),
    )


def free_port() -> int:
    """A loopback port that nobody uses at this moment."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def configuration(
    data: Path,
    urls: Mapping[str, str],
    staff: tuple[Person, ...],
    broker: str,
    http_port: int,
    login: tuple[str, Path] | None,
    game: str = "three_card_poker",
) -> str:
    """The TOML text. `login`: the broker's user name and the file with the password."""
    house = HOUSES[game]
    lines = [
        "config_version = 1",
        "[table]",
        'site = "harbor"',
        'id = "demo"',
        f'data = "{data}"',
        "simulated = true",
        *house.table,
        "[http]",
        f'listen = "127.0.0.1:{http_port}"',
        "[mqtt]",
        f'url = "{broker}"',
    ]
    if login is not None:
        lines += [f'username = "{login[0]}"', f'password_file = "{login[1]}"']
    for name, url in urls.items():
        driver = house.model or "tablelink"
        lines += [f"[devices.{name}]", f'kind = "{house.kinds[name]}"', f'driver = "{driver}"']
        lines += ["read_only = true"] if house.model else []
        lines += [f'url = "{url if "://" in url else "pty:" + url}"']
    for person in staff if house.staffed else ():
        lines += [f"[people.{person.name}]", f'name = "{person.name.title()}"']
        lines += [f'roles = ["{person.role}"]', f'pin_hash = "{_HASHER.hash(person.pin)}"']
    return "\n".join(lines) + "\n"
