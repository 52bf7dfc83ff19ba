"""A sender of commands that shares no code with tablectl: rfc8785 and Ed25519, by the book."""

import itertools
import json
from typing import Any

import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tablectl.outbox.commands import Key
from tests.outbox.fakes import ROOT, Rig

ALL = frozenset({"replay", "confirm", "acknowledge_alarm", "halt_table"})
PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
STRANGER = Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))
UNKNOWN = Ed25519PrivateKey.from_private_bytes(bytes(32))  # no table has its public half
_numbers = itertools.count(1)


def public(private: Ed25519PrivateKey) -> str:
    return private.public_key().public_bytes_raw().hex()


KEY = Key("archive", public(PRIVATE), ALL)


def fresh_id() -> str:
    return f"c-{next(_numbers)}"


def sign(topic: str, body: dict[str, Any], private: Ed25519PrivateKey = PRIVATE) -> dict[str, Any]:
    """The command with its signature."""
    message = topic.encode() + b"\x00" + rfc8785.dumps(body)
    return {**body, "signature": private.sign(message).hex()}


def command(
    name: str,
    args: Any,
    *,
    expires: Any,
    private: Ed25519PrivateKey = PRIVATE,
    root: str = ROOT,
    **changes: Any,
) -> bytes:
    """A signed command; `changes` replace its parts before it is signed."""
    body = {"id": fresh_id(), "actor": "tess", "expires": expires, "args": args} | changes
    return json.dumps(sign(f"{root}cmd/{name}", body, private)).encode()


class Signer:
    """Gives signed commands to a rig."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig

    def give(self, name: str, args: Any, **changes: Any) -> str:
        """Send one; returns its id."""
        expires = self.rig.now_ns // 1_000_000_000 + 60
        payload = command(name, args, **{"expires": expires, **changes})
        self.rig.came(f"cmd/{name}", payload)
        return str(json.loads(payload)["id"])

    def answer(self, command_id: str) -> Any:
        """What came back on reply/{id}, the last one."""
        self.rig.work()
        return json.loads(self.rig.link.of(f"reply/{command_id}")[-1])
