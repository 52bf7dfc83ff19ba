"""An event as it is published, and what `verify` and `replay` answer, as JSON: types only."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from tablectl.table.events import Count, Form, Hash, Number

Time = Annotated[str, Form(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$")]


class EventBody(TypedDict):
    """A CloudEvents 1.0 object. `data` always has `clauses` and `inferred`."""

    specversion: Literal["1.0"]
    id: Annotated[str, Form("^[A-Za-z0-9_-]{1,64}/[0-9]+/[0-9]+$")]
    source: Annotated[str, Form("^tablectl/[A-Za-z0-9_-]{1,64}/[A-Za-z0-9_-]{1,64}$")]
    type: Annotated[str, Form("^tablectl\\.[a-z0-9_]+\\.[a-z0-9_]+$")]
    time: Time
    subject: str
    sequence: Number
    input: Hash
    prevhash: Hash
    hash: Hash
    data: dict[str, Any]


class BrokenAt(TypedDict):
    """Where a journal is broken, and what is wrong there."""

    sequence: Number | None
    what: str


# The public key that signatures were checked with; `from` is no name in Python.
UsedKey = TypedDict("UsedKey", {"public": Hash, "from": str})


class Verified(TypedDict):
    """What `verify --json` and `replay --json` answer."""

    ok: bool
    records: Count
    events: Count
    first: Number | None
    last: Number | None
    head: Hash | None
    broken: BrokenAt | None
    signed: Number | None
    key: UsedKey | None
    rederived: NotRequired[Count]
