"""docs/integrators/journal.md is true: every vector on it is computed again, two ways."""

import ast
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tablectl.journal.canonical import canonical
from tablectl.journal.chain import digest, link
from tablectl.journal.codec import Sealed, decode, encode
from tablectl.journal.keys import SigningKey, checkpoint_message, signed_by
from tablectl.journal.store import APPLICATION_ID, TABLES, Meta
from tablectl.table.seal import commitment

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/integrators/journal.md").read_text()
VECTORS: dict[str, Any] = {
    name: json.loads(text)
    for name, text in re.findall(r"```json (\w+)\n(.*?)\n```", PAGE, re.DOTALL)
}


def sha(*parts: bytes) -> str:
    return hashlib.sha256(b"".join(parts)).hexdigest()


def test_every_formula_has_its_vector() -> None:
    assert VECTORS.keys() == {
        "canonical", "commitment", "record", "digest", "event", "checkpoint", "snapshot", "segment"
    }  # fmt: skip


def test_canonical_json() -> None:
    vector = VECTORS["canonical"]
    assert canonical(vector["value"]) == vector["text"]
    assert rfc8785.dumps(vector["value"]).hex() == vector["utf8_hex"]


def test_commitment() -> None:
    vector = VECTORS["commitment"]
    assert commitment(vector["card"], vector["salt"]) == vector["commitment"]
    assert sha(bytes.fromhex(vector["hashed_hex"])) == vector["commitment"]


def test_record_and_digest() -> None:
    sealed = tuple(Sealed(**row) for row in VECTORS["record"]["sealed"])
    encoded = encode(decode(VECTORS["record"]["input"], sealed))
    assert encoded.text == VECTORS["record"]["input"] == VECTORS["digest"]["input"]
    assert encoded.sealed == sealed
    vector = VECTORS["digest"]
    assert digest(vector["salt"], vector["input"]) == vector["digest"]
    assert sha(bytes.fromhex(vector["salt"]), vector["input"].encode()) == vector["digest"]


def test_event() -> None:
    vector = VECTORS["event"]
    assert link(vector["prevhash"], vector["hashed"]) == vector["hash"]
    assert sha(bytes.fromhex(vector["prevhash"]), vector["hashed"].encode()) == vector["hash"]
    event = json.loads(vector["published"])
    assert canonical(event) == vector["published"]
    assert event["input"] == VECTORS["digest"]["digest"]
    assert event.pop("hash") == vector["hash"]
    assert canonical(event) == vector["hashed"]


def test_checkpoint_and_snapshot() -> None:
    snapshot, vector = VECTORS["snapshot"], VECTORS["checkpoint"]
    assert digest(snapshot["salt"], snapshot["state"]) == snapshot["digest"] == vector["state"]
    place = vector["sequence"], vector["hash"], vector["state"]
    assert checkpoint_message(*place).hex() == vector["message_hex"]
    key = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes.fromhex(vector["private"])))
    assert key.public == vector["key"]
    assert key.sign(*place) == vector["signature"]
    assert signed_by(vector["key"], vector["signature"], *place)
    assert not signed_by(vector["key"], vector["signature"], place[0] + 1, *place[1:])


def test_segment() -> None:
    vector = VECTORS["segment"]
    record, event = json.loads(vector["record"]), json.loads(vector["event"])
    assert event["input"] == digest(vector["record_salt"], vector["record"])
    assert (
        event["prevhash"] == record["hash"] == event["data"]["hash"] == vector["meta"]["previous"]
    )
    assert event["sequence"] == record["sequence"] + 1 == int(vector["meta"]["first_sequence"])
    assert Meta.of(vector["meta"]).rows() == vector["meta"]


def test_tables() -> None:
    found = re.search(r"```sql\n(.*?)\n```", PAGE, re.DOTALL)
    assert found is not None
    assert found[1].split("\n") == [f"{sql};" for sql in TABLES.values()]
    assert f"0x{APPLICATION_ID:X}" in PAGE


def test_the_stand_alone_verifier_is_short_and_stands_alone() -> None:
    source = (Path(__file__).parent / "standalone_verifier.py").read_text()
    lines = [line for line in source.splitlines() if line.strip() and line[0] not in '#"']
    assert len(lines) <= 60
    imports = {
        alias.name.split(".")[0]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import)
        for alias in node.names
    } | {
        str(node.module).split(".")[0]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom)
    }
    assert imports == {"contextlib", "hashlib", "json", "sqlite3", "sys", "cryptography"}


@pytest.mark.parametrize("word", ["restart", "action", "device", "tick", "journal_failed"])
def test_every_kind_of_record_is_named(word: str) -> None:
    assert word in PAGE
