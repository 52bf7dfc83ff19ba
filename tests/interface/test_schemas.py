"""The shipped schemas: fresh, valid themselves, and true of what the program really says."""

import copy
import json
import random
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tablectl.outbox import payloads
from tablectl.outbox.commands import COMMANDS
from tablectl.outbox.topics import Topics
from tablectl.outbox.view import snapshot
from tablectl.table.events import EVENTS
from tablectl.table.outputs import Event
from tests.daemon.files import ROOT
from tests.interface import names
from tests.interface.apis import TOPICS
from tests.interface.documents import FOLDER, documents, every_action, text
from tests.interface.judge import event_faults, faults, shipped
from tests.interface.run import tablectl
from tests.interface.test_commands import BACCARAT, BAD, MIDI, POKER, lines
from tests.interface.test_events import told
from tests.journal.test_real_core import record, two_rounds
from tests.outbox.signing import command
from tests.table.midi.pit import fill as midi_fill
from tests.table.pit import fill

OWN = sorted(set(documents()) - {"openapi", "asyncapi"})


def test_the_shipped_files_are_what_the_types_say() -> None:
    made = {name: text(content) for name, content in documents().items()}
    there = {path.stem: path.read_text() for path in FOLDER.glob("*.json")}
    stale = sorted(name for name in made.keys() | there if made.get(name) != there.get(name))
    assert not stale, f"run make schemas: {', '.join(stale)}"


@pytest.mark.parametrize("name", OWN)
def test_a_schema_is_one(name: str) -> None:
    Draft202012Validator.check_schema(shipped(name))
    refs = set(_refs(shipped(name)))
    assert refs <= {f"#/$defs/{key}" for key in shipped(name).get("$defs", {})}


def _refs(value: Any) -> list[str]:
    if isinstance(value, list):
        return [ref for item in value for ref in _refs(item)]
    if not isinstance(value, dict):
        return []
    own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
    return own + [ref for item in value.values() for ref in _refs(item)]


def test_the_two_descriptions_name_files_that_are_there() -> None:
    for name in ("openapi", "asyncapi"):
        files = {ref for ref in _refs(shipped(name)) if not ref.startswith("#")}
        assert files
        assert all((FOLDER / ref).exists() for ref in files)
    paths = shipped("openapi")["paths"]
    described = {(verb.upper(), path) for path, verbs in paths.items() for verb in verbs}
    assert described == set(names.ROUTES)


def test_every_topic_is_described() -> None:
    made = Topics("site", "table")
    real = {
        "status": made.status, "state": made.state, "event/{area}/{name}": made.event("a.b"),
        "alarm/{id}": made.alarm("x"), "meter/{name}": made.meter("x"),
        "device/{id}": made.device("x"), "reply/{id}": made.reply("x"),
        "replay/{id}": made.replay("x"),
    }  # fmt: skip
    assert real.keys() == TOPICS.keys()
    addresses = {one["address"] for one in shipped("asyncapi")["channels"].values()}
    for topic, address in real.items():
        assert address.startswith(f"tablectl/v1/site/table/{topic.partition('/')[0]}")
        assert f"tablectl/v1/{{site}}/{{table}}/{topic}" in addresses
    for name in COMMANDS:
        assert f"tablectl/v1/{{site}}/{{table}}/cmd/{name}" in addresses
    retained = {topic for topic, (_, _, kept, _) in TOPICS.items() if kept}
    assert retained == {"status", "state", "alarm/{id}", "meter/{name}", "device/{id}"}


# ── what really comes ──────────────────────────────────────────────────────
def test_every_event_of_many_sessions_is_of_a_known_type_with_known_fields() -> None:
    # One of each make, and some of each type.
    some: dict[Any, Event] = {(event.type, frozenset(event.data)): event for event in told()}
    some |= {(event.type, event.sequence % 20): event for event in told()}
    found = {f for event in some.values() for f in event_faults(event.type, dict(event.data))}
    assert not found, "\n".join(sorted(found)[:20])


def test_every_name_of_the_interface_is_described() -> None:
    named = {f"{area}.{name}" for area, found in names.AREAS.items() for name in found.split()}
    assert named <= EVENTS.keys()


def test_a_published_event_is_as_the_whole_schema_says(tmp_path: Path) -> None:
    events = record(tmp_path, two_rounds(4), random.Random(0), crashes=0)
    assert len(events) > 100
    for event in events[::3]:
        assert not faults("event", json.loads(event.body)), event.body
    wrong = json.loads(next(e.body for e in events if e.type == "round.opened"))
    wrong["data"]["kind"] = "pretended"
    assert faults("event", wrong), "the schema sees what is wrong"


@pytest.mark.parametrize(
    "pit",
    [fill(phase) for phase in ("closed", "betting", "deciding", "settling", "voided")]
    + [midi_fill(phase) for phase in ("closed", "betting", "dealing", "settling")],
)
def test_topics_and_state(pit: Any) -> None:
    topics = Topics("harbor", "tcp-12")
    found, _left_out = payloads.retained(topics, pit.state, {}, unconfirmed=3)
    for topic, payload in found.items():
        kind = topic.removeprefix(topics.root).partition("/")[0]
        assert not faults(kind, json.loads(payload)), topic
    status = json.loads(payloads.status("online", epoch=1, since_ns=10**18, trouble="a full disk"))
    assert not faults("status", status)
    reply = json.loads(payloads.reply("7f3a-1", "replay", why="no"))
    assert not faults("reply", reply)


def test_a_face_down_card_with_a_value_is_not_even_a_state() -> None:
    state: Any = snapshot(fill("deciding").state, unconfirmed=0)
    state = copy.deepcopy(state)
    state["seats"][0]["cards"][0]["card"] = "1X"
    assert faults("state", state)


@pytest.mark.parametrize("file", sorted((ROOT / "config").glob("*.toml")), ids=lambda f: f.stem)
def test_every_ready_configuration(file: Path) -> None:
    assert not faults("configuration", tomllib.loads(file.read_text()))


@pytest.mark.parametrize(
    ("section", "key", "value"),
    [
        ("table", "colour", 1),
        ("table", "simulated", "yes"),
        ("rules", "seats", 8),
        ("rules", "pair_plus", "Z"),
        ("http", "listen", 8080),
        ("colour", "x", 1),
    ],
)
def test_a_configuration_that_is_none(section: str, key: str, value: Any) -> None:
    found = tomllib.loads((ROOT / "config/three-card-poker.toml").read_text())
    found.setdefault(section, {})[key] = value
    assert faults("configuration", found)


def test_lines_to_settle_and_their_answers() -> None:
    rounds = [POKER, BACCARAT, MIDI]
    for one in rounds:
        assert not faults("settle-in", one)
    done = tablectl("settle", stdin=lines(*rounds, *BAD.values()))
    for line in done.lines:
        assert not faults("settle-out", line)
    objects = {name: bad for name, bad in BAD.items() if isinstance(bad, dict)}
    # What a form can see; the rest is the rules'.
    seen = {
        "an unknown card", "too few cards", "a stake of zero", "a stake as a text",
        "a stake as a flag", "a stake of null", "seat 0", "an unknown key", "no game",
        "an unknown game", "a paytable that does not exist", "an unknown key of a seat",
    }  # fmt: skip
    for name in seen:
        assert faults("settle-in", objects[name]), name


def test_what_the_commands_answer(tmp_path: Path) -> None:
    data = tmp_path / "journal"
    record(data, two_rounds(4), random.Random(0), crashes=0)
    poker = ROOT / "config/three-card-poker.toml"
    for name, arguments in (
        ("check", ["check", str(poker)]), ("check", ["check", "nowhere.toml"]),
        ("verify", ["verify", str(data)]), ("verify", ["verify", "nowhere.db"]),
        ("verify", ["replay", str(data)]), ("trace", ["trace"]),
        ("odds", ["odds", "--game", "three_card_baccarat"]),
    ):  # fmt: skip
        assert not faults(name, tablectl(*arguments, "--json").data), arguments


def test_actions_and_commands() -> None:
    assert set(shipped("act")["properties"]["action"]["enum"]) == set(every_action())
    who = {"actor": "ana", "credential": "1234"}
    good = {**who, "action": "place_wager", "args": {"seat": 1, "wager": "ante", "amount": 500}}
    assert not faults("act", good)
    assert not faults("act", {**good, "second": who})
    for wrong in (
        {**good, "action": "dance"}, {**good, "colour": 1},
        {**good, "args": {"seat": "1", "wager": "ante"}}, {**good, "args": {"seat": 1}},
        {**good, "args": {**good["args"], "colour": 1}},  # type: ignore[dict-item]
    ):  # fmt: skip
        assert faults("act", wrong), wrong
    sent = json.loads(command("replay", {"from": 1, "to": 2}, expires="2027-01-15T08:01:00Z"))
    assert not faults("cmd", sent)
    for wrong in ({**sent, "signature": "no"}, {**sent, "args": {"from": 0, "to": 1}}):
        assert faults("cmd", wrong)
