"""The demonstration's configuration: a real file for a real daemon, with people made up for it."""

import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from argon2 import PasswordHasher

# Cheap on purpose: these PINs live as long as the demonstration.
_HASHER = PasswordHasher(time_cost=1, memory_cost=8192, parallelism=1)
KINDS = {"shuffler": "shuffler", "shoe": "shoe", "bonus": "progressive", "button": "button"}


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
) -> str:
    """The TOML text. `login`: the broker's user name and the file with the password."""
    lines = [
        "config_version = 1",
        "[table]",
        'site = "harbor"',
        'id = "demo"',
        f'data = "{data}"',
        "simulated = true",
        "[rules]",
        'game = "three_card_poker"',
        'ante_bonus = "A"',
        'pair_plus = "D"',
        'six_card_bonus = "A"',
        'progressive = "A"',
        "[meters.main]",
        "reset = 100000",
        "rate = 0.20",
        "[limits]",
        "ante = {minimum = 500, maximum = 10000}",
        "[http]",
        f'listen = "127.0.0.1:{http_port}"',
        "[mqtt]",
        f'url = "{broker}"',
    ]
    if login is not None:
        lines += [f'username = "{login[0]}"', f'password_file = "{login[1]}"']
    for name, url in urls.items():
        lines += [f"[devices.{name}]", f'kind = "{KINDS[name]}"', 'driver = "tablelink"']
        lines += [f'url = "{url if "://" in url else "pty:" + url}"']
    for person in staff:
        lines += [f"[people.{person.name}]", f'name = "{person.name.title()}"']
        lines += [f'roles = ["{person.role}"]', f'pin_hash = "{_HASHER.hash(person.pin)}"']
    return "\n".join(lines) + "\n"
