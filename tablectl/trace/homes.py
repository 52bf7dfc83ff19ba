"""The clauses of the four rule texts and the home of each, read from the packaged lists.

`clauses.txt` has the names; a TOML file a text says where they live (its head explains the format).
What may be named there is judged by tests/trace; here only its shape is.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

HOMES: Final = {
    "guard": "refuses what the clause forbids",
    "ruling": "carries out what the clause orders when something went wrong",
    "state": "a step or phase of the procedure",
    "check": "judged when a configuration is loaded or a round is settled",
    "settlement": "what is won, lost or returned",
    "action": "done by a person, recorded as an action or asked for by a prompt",
    "furniture": "not the controller's",
    "definition": "says what a word means",
}
LEVELS: Final = ("cards", "seats", "wagers")  # the three values of `tracking`
STRENGTHS: Final = ("enforced", "prompted", "observed")
GAMES: Final = {
    "three_card_poker": ("TCP",),
    "three_card_baccarat": ("TCB", "WA-TCB"),
    "midi_baccarat": ("MIDI",),
}
_FILES: Final = {"TCP": "tcp", "TCB": "tcb", "WA-TCB": "wa_tcb", "MIDI": "midi"}

Levels = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Home:
    """What one entry of a file says of the clauses that it names."""

    key: str  # the names as the file has them
    home: str
    where: str | None = None  # module:name
    row: str | None = None  # the row of a table or machine at `where`
    tests: tuple[str, ...] = ()
    reason: str | None = None
    levels: Levels | None = None
    alone: bool = False  # what stands below the clauses named has homes of its own


@dataclass(frozen=True, slots=True)
class Traced:
    """A clause and its home; None while it has none."""

    clause: str
    home: Home | None


@cache
def clauses(text: str | None = None) -> tuple[str, ...]:
    """The names of all clauses, or of one text's, in the order of the texts."""
    lines = _packaged("clauses.txt").splitlines()
    names = (line for line in lines if not line.startswith("#"))
    return tuple(name for name in names if text is None or name.startswith(f"{text} "))


@cache
def homes(text: str) -> Mapping[str, Home]:
    """What the file of a text says, by the name of a clause, or of a chapter, without the text's.

    Raises ValueError where the file is not as its head says.
    """
    raw = tomllib.loads(_packaged(f"{_FILES[text]}.toml"))
    presets = tomllib.loads(_packaged("levels.toml"))
    found: dict[str, Home] = {}
    for key, fields in raw.items():
        home = _home(key, fields, presets)
        for name in key.split():
            if name in found:
                raise ValueError(f"{text} {name} stands twice")
            found[name] = home
    return found


def trace(game: str | None = None) -> tuple[Traced, ...]:
    """Every clause with its home: of one game, or of all."""
    texts = GAMES[game] if game else tuple(text for texts in GAMES.values() for text in texts)
    return tuple(
        Traced(clause, _home_of(text, clause)) for text in texts for clause in clauses(text)
    )


def _home_of(text: str, clause: str) -> Home | None:
    known, own = homes(text), clause.removeprefix(f"{text} ")
    found = ((name, known[name]) for name in covering(own) if name in known)
    return next((home for name, home in found if name == own or not home.alone), None)


def covering(name: str) -> Iterator[str]:
    """The names that cover a clause, the closest first: 3.B(4), 3.B, 3."""
    yield name
    while name.endswith(")"):
        name = name[: name.rindex("(")]
        yield name
    chapter, dot, _ = name.partition(".")
    if dot:
        yield chapter


def _home(key: str, fields: Mapping[str, Any], presets: Mapping[str, Levels]) -> Home:
    unknown = fields.keys() - {"home", "where", "row", "tests", "reason", "levels", "alone"}
    if unknown or fields.get("home") not in HOMES:
        raise ValueError(f"{key}: unknown {sorted(unknown) or 'home'}")
    where, preset = fields.get("where"), fields.get("levels")
    if preset is not None and preset not in presets:
        raise ValueError(f"{key}: no levels are called {preset!r}")
    return Home(
        key,
        fields["home"],
        f"tablectl.{where}" if where else None,
        fields.get("row"),
        tuple(f"tests/{test}" for test in fields.get("tests", ())),
        fields.get("reason"),
        {level: presets[preset].get(level) for level in LEVELS} if preset else None,
        fields.get("alone", False),
    )


def _packaged(name: str) -> str:
    return (resources.files("tablectl.trace") / name).read_text(encoding="utf-8")
