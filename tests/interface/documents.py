"""The schemas of docs/integrators/schemas, from the program's own types. No test here.

`make schemas` writes them; a test fails where a file is not what this makes.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tablectl.daemon import shapes as answers
from tablectl.daemon.sections import CONFIG_VERSION, ENTRIES_MAXIMUM, NAMED, SINGLE, TOP_LEVEL
from tablectl.games.lines import BaccaratRound, MidiRound, PokerRound, Settled, Unsettled
from tablectl.games.rule_notes import RuleNote
from tablectl.games.rules import GAMES, rule_notes
from tablectl.journal import shapes as journal
from tablectl.odds import Counted
from tablectl.outbox import commands, shapes
from tablectl.table.common_actions import COMMON
from tablectl.table.events import EVENTS
from tablectl.table.midi.actions import ACTIONS as MIDI
from tablectl.table.spec import Spec
from tablectl.table.three_card.actions import ACTIONS, BACCARAT_ONLY, POKER_ONLY
from tablectl.technician import shapes as technician
from tablectl.trace.report import ClauseHome
from tablectl.web.app import Act, Leave, Who
from tests.interface import apis
from tests.interface.schemas import Schema, Schemas

FOLDER: Final = Path(__file__).parents[2] / "docs/integrators/schemas"
_ARGS: Final = {
    "replay": shapes.ReplayArgs,
    "confirm": shapes.ConfirmArgs,
    "acknowledge_alarm": shapes.AcknowledgeArgs,
    "halt_table": shapes.HaltArgs,
}
_TYPES: Final = {int: "integer", str: "string", bool: "boolean", list: "array"}


def documents() -> dict[str, Schema]:
    """Every file's content by its name."""
    made = {
        "configuration": configuration(),
        "settle-in": settle_in(),
        "settle-out": plain("A line that `tablectl settle` answers", "settle-out",
                            Settled | Unsettled),
        "odds": plain("What `tablectl odds --json` answers", "odds", list[Counted]),
        "check": plain("What `tablectl check --json` answers", "check", answers.Checked),
        "verify": plain("What `tablectl verify --json` and `replay --json` answer", "verify",
                        journal.Verified),
        "doctor": plain("What `tablectl doctor --json` answers", "doctor", technician.Doctored),
        "listen": plain("A line of `tablectl listen --json`", "listen", technician.Line),
        "trace": plain("What `tablectl trace --json` answers", "trace", list[ClauseHome]),
        "event": event(),
        "state": plain("The topic `state`, and GET /api/state", "state", shapes.StateView),
        "status": plain("The topic `status`, and the will", "status", shapes.Status),
        "alarm": plain("The topics `alarm/ID`", "alarm", shapes.AlarmView),
        "meter": plain("The topics `meter/NAME`", "meter", shapes.MeterView),
        "device": plain("The topics `device/ID`", "device", shapes.DeviceView),
        "cmd": command(),
        "reply": plain("The topics `reply/ID`", "reply", shapes.Reply),
        "act": act(),
        "act-answer": plain("What POST /api/act answers", "act-answer",
                            answers.Done | answers.NotNow | answers.Failed),
        "session": plain("What POST /api/session takes", "session", Who),
        "session-end": plain("What DELETE /api/session takes", "session-end", Leave),
        "session-answer": plain("What POST and DELETE /api/session answer", "session-answer",
                                answers.SessionOpened | answers.Done | answers.NotNow
                                | answers.Failed),
        "health": plain("What GET /healthz answers", "health", answers.Health),
    }  # fmt: skip
    return made | {"openapi": apis.openapi(), "asyncapi": apis.asyncapi()}


def plain(title: str, name: str, shape: Any) -> Schema:
    """A file about one type."""
    schemas = Schemas()
    return schemas.document(title, name, schemas.of(shape))


# ── configuration and rules ────────────────────────────────────────────────
def configuration() -> Schema:
    schemas = Schemas()
    parts: dict[str, Schema] = {"config_version": {"const": CONFIG_VERSION}}
    parts["rules"] = rules(needs_game=True)
    for name, model in SINGLE.items():
        parts[name] = schemas.of(model)
    for name, model in NAMED.items():
        names = {"pattern": "^[1-9]$" if name == "seats" else "^[A-Za-z0-9_-]{1,32}$"}
        parts[name] = {
            "type": "object", "propertyNames": names, "maxProperties": ENTRIES_MAXIMUM[name],
            "additionalProperties": schemas.of(model),
        }  # fmt: skip
    # A device's kind may follow from its driver or from its own name.
    schemas.defs["DeviceSection"]["required"].remove("kind")
    body = {
        "type": "object",
        "properties": {name: parts[name] for name in TOP_LEVEL},
        "required": ["config_version", "table", "rules"],
        "additionalProperties": False,
    }
    title = "A table's configuration, a TOML file; what the rules refuse beside is check's to say"
    return schemas.document(title, "configuration", body)


def rules(*, needs_game: bool) -> Schema:
    """[rules]: one choice for each game, and for each jurisdiction where they differ."""
    places = [(game, "MD") for game in GAMES] + [("three_card_baccarat", "WA")]
    return {"oneOf": [_rules_of(*place, needs_game=needs_game) for place in places]}


def _rules_of(game: str, jurisdiction: str, *, needs_game: bool) -> Schema:
    notes = rule_notes(game, jurisdiction)
    keys = {key: _rule(note) for key, note in notes.items()}
    keys["game"] = {"const": game}
    keys["jurisdiction"] = {"const": jurisdiction}
    needed = [k for k, n in notes.items() if n.required and (k != "game" or needs_game)]
    if jurisdiction != "MD":
        needed.append("jurisdiction")
    return {
        "title": f"{game}, {jurisdiction}", "type": "object", "properties": keys,
        "required": needed, "additionalProperties": False,
    }  # fmt: skip


def _rule(note: RuleNote) -> Schema:
    made: Schema = {"description": note.expected}
    if note.switch:
        made["type"] = "boolean"
    elif note.choices is not None:
        made["enum"] = list(note.choices)
    elif note.bounds is not None:
        made |= {"type": "integer", "minimum": note.bounds[0], "maximum": note.bounds[1]}
    if note.default is not None:
        made["default"] = note.default
    return made | ({"x-clause": note.clause} if note.clause else {})


# ── settle ─────────────────────────────────────────────────────────────────
def settle_in() -> Schema:
    schemas = Schemas(strict=True)
    games = [schemas.of(shape) for shape in (PokerRound, BaccaratRound, MidiRound)]
    for name in ("PokerRound", "BaccaratRound", "MidiRound"):
        game = schemas.defs[name]["properties"]["game"]["const"]
        own = rules(needs_game=False)["oneOf"]
        mine = [one for one in own if one["properties"]["game"] == {"const": game}]
        schemas.defs[name]["properties"]["rules"] = {"anyOf": mine} if mine[1:] else mine[0]
    return schemas.document("A line that `tablectl settle` takes", "settle-in", {"oneOf": games})


# ── events ─────────────────────────────────────────────────────────────────
def event() -> Schema:
    """The envelope, and for each type what its data holds."""
    schemas = Schemas()
    body = schemas.fields(journal.EventBody.__annotations__, journal.EventBody.__doc__ or "")
    by_type = []
    named: dict[int, str] = {}  # types that carry the same are told once
    for type_, fields in EVENTS.items():
        name = named.setdefault(id(fields), f"data.{type_}")
        schemas.defs[name] = data(schemas, fields)
        asked = {"properties": {"type": {"const": f"tablectl.{type_}"}}}
        told = {"properties": {"data": {"$ref": f"#/$defs/{name}"}}}
        by_type.append({"if": asked, "then": told})
    told_of = "An event: on MQTT, in the stream, in the journal. More types and fields may be added"
    return schemas.document(told_of, "event", {**body, "allOf": by_type})


def data(schemas: Schemas, fields: Mapping[str, Any]) -> Schema:
    """An event's data: its own fields, and what every event has."""
    every = {"clauses": list[str], "inferred": bool}
    made = schemas.fields({**fields, **every})
    made["properties"]["basis"] = schemas.of(list[str])  # what else it rests on, where it does
    return made


# ── commands and actions ───────────────────────────────────────────────────
def command() -> Schema:
    """What is published on cmd/NAME; which arguments it takes follows from the name."""
    schemas = Schemas(strict=True)
    body = schemas.fields(shapes.SignedCommand.__annotations__)
    assert set(_ARGS) == set(commands.COMMANDS)
    body["properties"]["args"] = {
        "anyOf": [{"title": f"cmd/{name}", **schemas.of(shape)} for name, shape in _ARGS.items()]
    }
    return schemas.document("A signed command on cmd/NAME", "cmd", body)


def every_action() -> dict[str, list[Spec]]:
    """Each action with what it is at the tables that have it."""
    found: dict[str, list[Spec]] = {}
    for actions in (COMMON, ACTIONS, POKER_ONLY, BACCARAT_ONLY, MIDI):
        for name, spec in actions.items():
            found.setdefault(name, []).append(spec)
    return dict(sorted(found.items()))


def act() -> Schema:
    """What POST /api/act takes: each action with its arguments and roles."""
    schemas = Schemas()
    schemas.of(Act)
    body = schemas.defs.pop("Act")
    specs = every_action()
    body["properties"]["action"] = {"enum": list(specs)}
    rules_ = []
    for name, kinds in specs.items():
        schemas.defs[f"args.{name}"] = _args(kinds)
        told = {"properties": {"args": {"$ref": f"#/$defs/args.{name}"}}}
        rules_.append({"if": {"properties": {"action": {"const": name}}}, "then": told})
    title = "What POST /api/act takes; not every game has every action"
    return schemas.document(title, "act", {**body, "allOf": rules_})


def _args(kinds: list[Spec]) -> Schema:
    """What any table takes; required is what every table asks for."""
    wanted = {key: kind for spec in kinds for key, (kind, _) in spec.wanted.items()}
    needed = [
        key for key in wanted if all(spec.wanted.get(key, (None, False))[1] for spec in kinds)
    ]
    made: Schema = {
        "type": "object", "additionalProperties": False,
        "properties": {key: {"type": _TYPES[kind]} for key, kind in wanted.items()},
        "x-roles": sorted({role for spec in kinds for role in spec.role}),
    }  # fmt: skip
    if needed:
        made["required"] = needed
    second = next((spec.second for spec in kinds if spec.second), None)
    return made | ({"x-second": second} if second else {})


def text(content: Schema) -> str:
    """A file's text."""
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def write() -> None:
    """Write every file, and take away what is none any more."""
    FOLDER.mkdir(exist_ok=True)
    made = documents()
    for old in FOLDER.glob("*.json"):
        if old.stem not in made:
            old.unlink()
    for name, content in made.items():
        (FOLDER / f"{name}.json").write_text(text(content), encoding="utf-8")


if __name__ == "__main__":
    write()
