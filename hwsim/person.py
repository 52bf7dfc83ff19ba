"""A person at the simulated table, by lines of text: what `python -m hwsim` reads on stdin."""

from collections.abc import Callable, Mapping
from typing import Final

from hwsim.physical import NotPossible, PhysicalTable

Act = Callable[[PhysicalTable, str], None]


def _seat(table: PhysicalTable, seat: str) -> None:
    if not seat.isdigit() or not table.place_chip(int(seat)):
        raise NotPossible(f"the chip on seat {seat} is not taken")


def _two(rest: str) -> tuple[str, str]:
    device, _, mode = rest.partition(" ")
    if not mode.strip():
        raise NotPossible("mode needs a device and a game: mode shoe Three Card Poker")
    return device, mode.strip()


# Word -> (what stands behind it, what it does).
ACTS: Final[Mapping[str, tuple[str, Act]]] = {
    "receive": ("DECK", lambda table, deck: void(table.receive(deck))),
    "wash": ("DECK", PhysicalTable.wash),
    "shuffle": ("DECK", PhysicalTable.put_into_shuffler),
    "load": ("DECK", PhysicalTable.load_shoe),
    "gather": ("DECK", PhysicalTable.gather),
    "remove": ("DECK", PhysicalTable.remove),
    "clear": ("DEVICE", PhysicalTable.clear_jam),
    "press": ("", lambda table, device: table.press_button(device or None)),
    "chip": ("SEAT", _seat),
    "draw": ("PLACE", lambda table, place: void(table.draw(place))),
    "badge": ("NUMBER", lambda table, token: void(table.show_badge(token))),
    "mode": ("DEVICE GAME", lambda table, rest: table.set_mode(*_two(rest))),
    "key": ("", lambda table, device: table.progressive(device or None).turn_key()),
}
HELP: Final = ", ".join(f"{word} {what}".rstrip() for word, (what, _) in ACTS.items())


def void(_: object) -> None:
    """An act's answer that nobody asked for."""


def act(table: PhysicalTable, line: str) -> None:
    """Do what a line says; raises NotPossible with a sentence."""
    word, _, rest = line.strip().partition(" ")
    if word not in ACTS:
        raise NotPossible(f"{word!r} is nothing that a person does here; there is: {HELP}")
    what, do = ACTS[word]
    if what and not rest.strip():
        raise NotPossible(f"{word} needs a {what.lower()}: {word} {what}")
    do(table, rest.strip())
