"""A scenario: a rack as a TOML file, so that a run can be kept, sent to somebody and had again.

seed = 7
speed = "max"                 # or a number
port = "tcp"                  # or "pty"
faults = ["garbage%20", "disconnect/shoe#40"]
[devices.shoe]
kind = "angel_eye"
tcp_port = 4001
options = { decks = 8, shoes = 1 }   # what the model takes
"""

import tomllib
from pathlib import Path
from typing import Any, Final

from hwsim.faults import parse_faults
from hwsim.rack import BadRack, Place, Rack, place

KEYS: Final = {
    "seed": int,
    "speed": (int, float, str),
    "port": str,
    "faults": list,
    "devices": dict,
}
DEVICE_KEYS: Final = {"kind": str, "tcp_port": int, "options": dict}


def load(path: Path, directory: Path | None = None) -> Rack:
    """The rack that a file describes. Raises BadRack and BadFault, each with a sentence."""
    try:
        found = tomllib.loads(path.read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadRack(f"{path} cannot be read as a scenario: {error}") from None
    _check(str(path), found, KEYS)
    if not found.get("devices"):
        raise BadRack(f"{path}: a scenario needs a table [devices.NAME] with its kind")
    port = found.get("port", "pty")
    if port not in ("pty", "tcp"):
        raise BadRack(f'{path}: port is "pty" or "tcp", not {port!r}')
    try:
        return Rack(
            [_place(name, entry) for name, entry in found["devices"].items()],
            seed=found.get("seed", 0),
            speed=speed(found.get("speed", 1)),
            faults=parse_faults(",".join(map(str, found.get("faults", [])))),
            port=port,
            directory=directory,
        )
    except TypeError as error:  # an option that its model does not take
        raise BadRack(f"{path}: {error}") from None


def speed(text: object) -> float | None:
    """A speed as it is written; raises BadRack."""
    try:
        return None if text == "max" else float(str(text))
    except ValueError:
        raise BadRack(f"speed {text!r} is neither a number nor max") from None


def _place(name: str, entry: object) -> Place:
    if not isinstance(entry, dict):
        raise BadRack(f"devices.{name}: a table with kind, and perhaps tcp_port and options")
    _check(f"devices.{name}", entry, DEVICE_KEYS)
    kind, port = entry.get("kind", ""), entry.get("tcp_port", 0)
    made = place(f"{kind}={name}" + (f":{port}" if port else ""))
    return Place(made.kind, made.id, options=entry.get("options"), tcp_port=made.tcp_port)


def _check(where: str, found: dict[str, Any], keys: dict[str, Any]) -> None:
    for key, value in found.items():
        if key not in keys:
            raise BadRack(f"{where}: no such key {key!r}; there is {', '.join(keys)}")
        if not isinstance(value, keys[key]) or isinstance(value, bool):
            raise BadRack(f"{where}: {key} has a value of another sort")
