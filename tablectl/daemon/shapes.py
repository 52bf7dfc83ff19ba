"""What `check --json` and the HTTP API answer, as JSON: types only."""

from typing import Any, NotRequired, TypedDict

from tablectl.games.rule_notes import RuleValue
from tablectl.journal.shapes import EventBody, Time
from tablectl.table.events import Count, Hash


# ── check --json ───────────────────────────────────────────────────────────
class CheckError(TypedDict):
    """Something that is refused; the key is empty where the whole file is meant."""

    file: str
    key: str
    expected: str
    clause: str | None


class CheckWarning(TypedDict):
    """Something that is allowed, and perhaps not meant."""

    file: str
    key: str
    what: str


class RuleInForce(TypedDict):
    """A rule with its value, its default, and the clause behind it."""

    value: RuleValue
    default: RuleValue
    clause: str | None


class WagerOffered(TypedDict):
    """A wager that the table offers, and its house edge per unit wagered."""

    wager: str
    paytable: str | None
    edge: float | None


class Checked(TypedDict):
    """What is to be said of a configuration."""

    valid: bool
    errors: list[CheckError]
    warnings: list[CheckWarning]
    rules: dict[str, RuleInForce]
    wagers: list[WagerOffered]
    digest: Hash | None


# ── HTTP ───────────────────────────────────────────────────────────────────
class Done(TypedDict):
    """200: the events that came of it, durable. `ruling`: what a report would lead to; nothing was
    done, and `confirm` makes it so."""

    events: list[EventBody]
    ruling: NotRequired[str]
    clauses: NotRequired[list[str]]


class NotNow(TypedDict):
    """403 and 409: why not, by which clauses, and what could be done instead."""

    refused: str
    clauses: list[str]
    allowed: list[str]


class Failed(TypedDict):
    """Every other answer that is no success: one sentence."""

    error: str


class SessionOpened(TypedDict):
    """A session stands for the credential until it ends."""

    session: str
    roles: list[str]
    expires: Time


class Health(TypedDict):
    """Whether the journal writes, or why not."""

    journal: str
    halted: bool
    sequence: Count
    durable: Count


Body = Done | NotNow | Failed | SessionOpened | dict[str, Any]
