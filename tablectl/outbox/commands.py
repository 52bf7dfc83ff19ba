"""Commands from the network: who may give which, and why one is refused. Pure.

Four commands and no more: none can touch a card, a wager or a permission. What cannot be proved to
come from a configured key, fresh and for this very topic, is refused with a sentence.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from tablectl.journal.canonical import MAX_INTEGER, canonical_bytes
from tablectl.journal.errors import Unrecordable
from tablectl.outbox.shapes import (
    AcknowledgeArgs,
    ConfirmArgs,
    HaltArgs,
    ReplayArgs,
    SignedCommand,
)
from tablectl.outbox.topics import is_id
from tablectl.table.inputs import Action, Stamp

COMMANDS: Final = ("replay", "confirm", "acknowledge_alarm", "halt_table")
ACTIONS: Final = ("acknowledge_alarm", "halt_table")  # those that become actions at the table
METHOD: Final = "mqtt-key"
ROLES: Final = ("surveillance",)  # may acknowledge and halt, and nothing that permits
PAYLOAD_MAXIMUM: Final = 4096
LIFE_MAXIMUM_S: Final = 3600  # how far ahead `expires` may lie: so long must an id be remembered
SEEN_MAXIMUM: Final = 8192

_FIELDS: Final = tuple(SignedCommand.__annotations__)
_SIGNATURE: Final = re.compile(r"[0-9a-f]{128}")
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_TIME: Final = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?Z", re.ASCII)


class Unfit(Exception):
    """Why a command is refused: one sentence, the same for all such; `more` is about this one."""

    def __init__(self, why: str, more: str = "") -> None:
        super().__init__(why)
        self.more = more


@dataclass(frozen=True, slots=True)
class Key:
    """A configured key: `public` is 64 hex digits."""

    name: str
    public: str
    commands: frozenset[str]


@dataclass(frozen=True, slots=True)
class Order:
    """A command that is proved and may be carried out."""

    name: str
    id: str
    key: str  # the name of the key that signed it
    actor: str  # whom the signer names
    expires_s: int  # UTC
    args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rejected:
    """A command that is not. `id` where it had a usable one; `key` where the signature held."""

    name: str
    id: str | None
    why: str
    more: str = ""  # for the sender's eyes: what would spoil the counting of refusals
    key: str | None = None


def signed_bytes(topic: str, body: Mapping[str, Any]) -> bytes:
    """What is signed: topic || 00 || canonical JSON of the command without its signature.

    Raises Unrecordable where the command holds what canonical JSON cannot.
    """
    unsigned = {name: value for name, value in body.items() if name != "signature"}
    return topic.encode() + b"\x00" + canonical_bytes(unsigned)


class Seen:
    """Ids that were heeded, until they expire by themselves; bounded.

    When it is full a new command is refused, unless it halts: that one takes the place of the
    entry that would end first, for what restricts is never turned away.
    """

    def __init__(self, kept: Mapping[str, int] | None = None, size: int = SEEN_MAXIMUM) -> None:
        self._size = size
        self._expires: dict[str, int] = dict(kept or {})
        self._lasting: set[str] = set(self._expires)

    def knows(self, key: str, command_id: str) -> bool:
        """Whether this key has used this id already."""
        return f"{key}/{command_id}" in self._expires

    def has_room(self, now_s: int) -> bool:
        """Whether another id can be remembered."""
        if len(self._expires) >= self._size:
            self._expires = {k: end for k, end in self._expires.items() if end >= now_s}
            self._lasting &= self._expires.keys()
        return len(self._expires) < self._size

    def add(self, order: Order, now_s: int) -> None:
        """Remember an id for as long as its command could be believed."""
        if not self.has_room(now_s):
            del self._expires[min(self._expires, key=self._expires.__getitem__)]
        name = f"{order.key}/{order.id}"
        self._expires[name] = order.expires_s
        if order.name in ACTIONS:
            self._lasting.add(name)

    def lasting(self, now_s: int) -> dict[str, int]:
        """What must outlive the process: to confirm or replay twice does no harm."""
        known = ((name, self._expires.get(name, 0)) for name in sorted(self._lasting))
        return {name: end for name, end in known if end >= now_s}


class Judge:
    """Decides about commands: the configured keys, and the ids that were heeded."""

    def __init__(self, keys: Iterable[Key], seen: Seen | None = None) -> None:
        self._keys = [
            (key, Ed25519PublicKey.from_public_bytes(bytes.fromhex(key.public))) for key in keys
        ]
        self.seen = seen or Seen()

    def judge(
        self, name: str, topic: str, payload: bytes, *, retained: bool, now_ns: int
    ) -> Order | Rejected:
        """An order, its id remembered; or why not."""
        command_id: str | None = None
        key: Key | None = None
        try:
            if len(payload) > PAYLOAD_MAXIMUM:
                raise Unfit(f"a command has at most {PAYLOAD_MAXIMUM} bytes")
            body = _parsed(payload)
            command_id = body["id"] if is_id(body.get("id")) else None
            if retained:
                raise Unfit("a retained command is never heeded: publish it without retain")
            _check_shape(body)
            if name not in COMMANDS:
                raise Unfit(f"there is no command of this name: only {', '.join(COMMANDS)}")
            key = self._signer(name, topic, body)
            order = self._order(name, body, key, now_ns)
        except Unfit as unfit:
            signer = key.name if key else None
            return Rejected(name[:64], command_id, str(unfit), unfit.more, signer)
        self.seen.add(order, now_ns // 1_000_000_000)
        return order

    def _signer(self, name: str, topic: str, body: Mapping[str, Any]) -> Key:
        """The key that signed it, one that may give this command; raises Unfit."""
        try:
            message = signed_bytes(topic, body)
        except Unrecordable as error:
            raise Unfit("it has no canonical form", f": {error}") from None
        signature = bytes.fromhex(body["signature"])
        signers = [key for key, public in self._keys if _holds(public, signature, message)]
        if not signers:
            raise Unfit("it is not signed by a key of this table, for this topic")
        for key in signers:
            if name in key.commands:
                return key
        raise Unfit(f"key {signers[0].name} may not give {name}")

    def _order(self, name: str, body: Mapping[str, Any], key: Key, now_ns: int) -> Order:
        now_s = now_ns // 1_000_000_000
        expires_s = _expires(body["expires"])
        if expires_s <= now_s:
            raise Unfit("it has expired", f" at {_clock(expires_s)}; here it is {_clock(now_s)}")
        if expires_s - now_s > LIFE_MAXIMUM_S:
            why = f"expires may lie at most {LIFE_MAXIMUM_S} s ahead"
            raise Unfit(why, f"; here it is {_clock(now_s)}")
        if self.seen.knows(key.name, body["id"]):
            raise Unfit("its id was used before: every command has an id of its own")
        if name != "halt_table" and not self.seen.has_room(now_s):
            raise Unfit("too many commands wait to expire: try again later, expire sooner")
        args = _ARGS[name](body["args"])
        return Order(name, body["id"], key.name, body["actor"], expires_s, args)


def as_action(order: Order, at: Stamp) -> Action:
    """The action at the table that an order asks for: the key is named with the actor."""
    assert order.name in ACTIONS, f"{order.name} is no action"
    actor = f"{order.key}/{order.actor}"
    return Action(at, order.name, actor, ROLES, method=METHOD, args=order.args)


# ── the parts of a command ─────────────────────────────────────────────────
def _parsed(payload: bytes) -> dict[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({name for name, _ in pairs}) != len(pairs):
            raise Unfit("a key stands in it twice")
        return dict(pairs)

    try:
        body = json.loads(payload.decode(), object_pairs_hook=once)
    except (ValueError, RecursionError):
        raise Unfit("it is not JSON in UTF-8") from None
    if not isinstance(body, dict):
        raise Unfit("it is not a JSON object")
    return body


def _check_shape(body: Mapping[str, Any]) -> None:
    if "signature" not in body:
        raise Unfit("it is not signed")
    if set(body) != set(_FIELDS):
        raise Unfit(f"it must have {', '.join(_FIELDS)}, and nothing else")
    if not is_id(body["id"]):
        raise Unfit("its id must have 1 to 64 letters, digits and -")
    if not _is_text(body["actor"], 64):
        raise Unfit("actor must be a printable text of 1 to 64 characters")
    signature = body["signature"]
    if not isinstance(signature, str) or not _SIGNATURE.fullmatch(signature):
        raise Unfit("signature must be 128 lower-case hex digits")
    if not isinstance(body["args"], dict):
        raise Unfit("args must be an object")


def _expires(value: object) -> int:
    """UTC seconds, given as such or as RFC 3339; a fraction is dropped: sooner, never later."""
    if type(value) is int and 0 <= value <= MAX_INTEGER:
        return value
    match = _TIME.fullmatch(value) if isinstance(value, str) else None
    try:
        assert match is not None
        return int(datetime.fromisoformat(match[1]).replace(tzinfo=UTC).timestamp())
    except (AssertionError, ValueError):
        what = "expires must be a time like 2027-01-15T08:00:30Z, or UTC seconds as an integer"
        raise Unfit(what) from None


def _clock(second: int) -> str:
    try:
        return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return f"{second} s"


def _holds(public: Ed25519PublicKey, signature: bytes, message: bytes) -> bool:
    try:
        public.verify(signature, message)
    except InvalidSignature:
        return False
    return True


def _is_text(value: object, longest: int) -> bool:
    return isinstance(value, str) and 0 < len(value) <= longest and value.isprintable()


def _is_sequence(value: object) -> bool:
    return type(value) is int and 1 <= value <= MAX_INTEGER


# ── the arguments of each ──────────────────────────────────────────────────
def _has_keys(args: dict[str, Any], shape: Any) -> bool:
    """Every key that must be there, and none that may not."""
    required: frozenset[str] = shape.__required_keys__
    known: frozenset[str] = required | shape.__optional_keys__
    return required <= args.keys() <= known


def _replay(args: dict[str, Any]) -> dict[str, Any]:
    if not _has_keys(args, ReplayArgs) or not all(map(_is_sequence, args.values())):
        raise Unfit("replay takes from and to, two sequences")
    if args["from"] > args["to"]:
        raise Unfit("replay: from lies behind to")
    return args


def _confirm(args: dict[str, Any]) -> dict[str, Any]:
    if not _has_keys(args, ConfirmArgs):
        raise Unfit("confirm takes sequence and hash, and epoch if you like")
    if not _is_sequence(args["sequence"]) or type(args.get("epoch", 0)) is not int:
        raise Unfit("confirm: sequence and epoch are integers")
    if not isinstance(args["hash"], str) or not _HASH.fullmatch(args["hash"]):
        raise Unfit("confirm: hash must be 64 lower-case hex digits")
    return args


def _acknowledge_alarm(args: dict[str, Any]) -> dict[str, Any]:
    if not _has_keys(args, AcknowledgeArgs) or not _is_text(args["id"], 64):
        raise Unfit("acknowledge_alarm takes id, the id of an alarm")
    return args


def _halt_table(args: dict[str, Any]) -> dict[str, Any]:
    if not _has_keys(args, HaltArgs) or not _is_text(args.get("reason", "-"), 200):
        raise Unfit("halt_table takes reason, a printable text of 1 to 200 characters")
    # A halt is not turned away for want of words.
    return args or {"reason": "no reason was given"}


_ARGS: Final[Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    "replay": _replay,
    "confirm": _confirm,
    "acknowledge_alarm": _acknowledge_alarm,
    "halt_table": _halt_table,
}
