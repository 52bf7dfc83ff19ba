"""docs/integrators/mqtt.md is true: its examples are made again, its figures are the code's."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tablectl.journal.canonical import canonical_bytes
from tablectl.outbox import payloads
from tablectl.outbox.commands import (
    COMMANDS,
    LIFE_MAXIMUM_S,
    PAYLOAD_MAXIMUM,
    Judge,
    Key,
    Order,
    signed_bytes,
)
from tablectl.outbox.link import Bounds
from tablectl.outbox.payloads import DeviceFacts
from tablectl.outbox.view import alarm_view, cards, snapshot
from tablectl.table.state import Alarm, Device, MeterState, State, TableCard

PAGE = (Path(__file__).parents[2] / "docs/integrators/mqtt.md").read_text()
EXAMPLES: dict[str, Any] = {
    name: json.loads(text)
    for name, text in re.findall(r"```json (\w+)\n(.*?)\n```", PAGE, re.DOTALL)
}
START_NS = 1_800_000_000_000_000_000


def test_every_example_is_looked_at() -> None:
    assert EXAMPLES.keys() == {
        "status", "card", "alarm", "meter", "device", "command", "reply"
    }  # fmt: skip


def test_payloads() -> None:
    made = payloads.status("online", epoch=1_800_000_000, since_ns=START_NS)
    assert made == canonical_bytes(EXAMPLES["status"])
    alarm = Alarm(
        "broker_away-3", "broker_away", "warning", "The broker cannot be reached.", START_NS
    )
    assert alarm_view(alarm) == EXAMPLES["alarm"]
    meter = MeterState(
        "main", 100_000, "0.20", 1_234_567, 100_000, 5_672_835, seeded=100_000,
        awarded=4_638_268, hits=1, wagered=28_364_175,
    )  # fmt: skip
    assert payloads.meter(meter) == EXAMPLES["meter"]
    facts = DeviceFacts({"serial": "A1234"}, {"CardRec": "4.0.018"}, {"frames_bad": 2})
    assert payloads.device(Device("shoe", "shoe", "online"), facts) == EXAMPLES["device"]
    shown = EXAMPLES["card"]
    card = TableCard(1, shown["place"], None, None, shown["commitment"])
    assert cards([card]) == [shown]
    answer = EXAMPLES["reply"]
    made = payloads.reply(answer["id"], answer["command"], result=answer["result"])
    assert made == canonical_bytes(answer)


def test_the_signed_command_two_ways() -> None:
    vector = EXAMPLES["command"]
    payload = vector["payload"].encode()
    body = json.loads(payload)
    signature = body.pop("signature")
    assert rfc8785.dumps(body).decode() == vector["unsigned"]
    message = vector["topic"].encode() + b"\x00" + vector["unsigned"].encode()
    assert message.hex() == vector["signed_hex"]
    assert signed_bytes(vector["topic"], json.loads(payload)) == message
    private = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(vector["private"]))
    assert private.public_key().public_bytes_raw().hex() == vector["public"]
    assert private.sign(message).hex() == vector["signature"] == signature
    key = Key("archive", vector["public"], frozenset({"confirm", "replay"}))
    order = Judge([key]).judge("replay", vector["topic"], payload, retained=False, now_ns=START_NS)
    assert order == Order(
        "replay", "7f3a-1", "archive", "archive-1", 1_800_000_060, {"from": 40, "to": 42}
    )


def test_keys_figures_and_names() -> None:
    listed = PAGE.split("The keys are those of")[1].split("`sequence` is the last event")[0]
    keys = set(re.findall(r"`(\w+)`", listed))
    # Only a table that listens has hands whose seat nobody told.
    assert keys == {*snapshot(State(), unconfirmed=0), "hands"}
    assert f"at most {LIFE_MAXIMUM_S} s ahead" in PAGE
    assert f"at most {PAYLOAD_MAXIMUM} bytes" in PAGE
    bounds = Bounds()
    assert f"never faster than {bounds.replay_per_s} a second" in PAGE
    assert f"{bounds.replay_maximum} events" in PAGE
    assert f"At most {bounds.replays} requests wait" in PAGE
    named = re.findall(r"^\| `(\w+)` \|", PAGE.split("## Commands")[1], re.MULTILINE)
    assert named[:4] == list(COMMANDS)
    assert EXAMPLES["command"]["public"] in PAGE.split("```toml")[1]


def test_the_recipe_proves_the_event_of_the_journals_page() -> None:
    page = (Path(__file__).parents[2] / "docs/integrators/journal.md").read_text()
    found = re.search(r"```json event\n(.*?)\n```", page, re.DOTALL)
    assert found is not None
    event = json.loads(json.loads(found[1])["published"])
    own = event.pop("hash")
    text = bytes.fromhex(event["prevhash"]) + rfc8785.dumps(event)
    assert hashlib.sha256(text).hexdigest() == own
