"""What leaves by MQTT and HTTP beside the events, as JSON has it: types only.

The functions that make it are held to these by the type checker, and the schemas in
docs/integrators are made from them.
"""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from tablectl.journal.shapes import Time
from tablectl.table.events import (
    CardText,
    CentsNumber,
    Count,
    Form,
    Hash,
    Number,
    Place,
    SeatNumber,
    Signature,
)

CommandId = Annotated[str, Form("^[A-Za-z0-9-]{1,64}$")]
Custody = Annotated[str, Form("^(rack|shuffler|shoe|hand|play|discard|removed)$")]
Severity = Annotated[str, Form("^(notice|warning|critical)$")]
RoundKind = Annotated[str, Form("^(live|simulated)$")]


# ── the state ──────────────────────────────────────────────────────────────
class CardView(TypedDict):
    """A card as it lies: null while it is face down."""

    place: Place
    card: CardText | None
    commitment: Hash | None


class HandView(TypedDict):
    """A hand that is no seat's."""

    cards: list[CardView]


class HeldView(TypedDict):
    """A hand whose seat nobody told; 0: cards of which not even the hand is known yet."""

    hand: Count
    cards: list[CardView]


class SeatView(TypedDict):
    """A seat that has a part in the round; null where an amount is not known."""

    seat: SeatNumber
    wagers: dict[str, int | None]
    decision: str | None
    cards: list[CardView]


class RoundView(TypedDict):
    """The round under way."""

    number: Number
    kind: RoundKind
    deck: str


class PromptView(TypedDict):
    """What comes next: for whom, which action is awaited, and by which clauses."""

    text: str
    awaits: str
    role: str
    clauses: list[str]


class DutyView(TypedDict):
    """What must be done before the next round."""

    duty: str
    round: Number | None
    deck: str | None
    clauses: list[str]


class DeckView(TypedDict):
    """A deck."""

    id: str
    back: str
    custody: Custody
    rounds_since_count: Count
    change_due: bool
    latched: bool


class DeviceHealth(TypedDict):
    """A device, shortly."""

    kind: str
    health: str


class AlarmView(TypedDict):
    """An alarm, as it stands in the state and on its own topic."""

    id: str
    kind: str
    severity: Severity
    what: str
    since: Time
    acknowledged: bool


class WinView(TypedDict):
    """A progressive win of the seat that is settled now."""

    seat: SeatNumber
    wager: str
    meter: str | None
    cents: CentsNumber
    status: Literal["PENDING", "VALIDATED"]


class StateView(TypedDict):
    """The table as everybody may see it; never a face-down card."""

    sequence: Count
    time: Time
    phase: str
    locked: bool
    halted: bool
    round: RoundView | None
    seats: list[SeatView]
    hands: NotRequired[list[HeldView]]
    dealer: NotRequired[HandView]
    player: NotRequired[HandView]
    banker: NotRequired[HandView]
    prompts: list[PromptView]
    allowed: list[str]
    duties: list[DutyView]
    decks: list[DeckView]
    devices: dict[str, DeviceHealth]
    alarms: list[AlarmView]
    meters: dict[str, CentsNumber]
    wins: list[WinView]
    unconfirmed: Count
    last_hand: bool


# ── other topics ───────────────────────────────────────────────────────────
class Status(TypedDict):
    """Whether the table is there; `trouble` is what the journal can no longer record."""

    state: Literal["online", "offline"]
    epoch: int
    since: Time
    trouble: NotRequired[str]


class MeterView(TypedDict):
    """A progressive meter; `rate` is an exact decimal, as text. The totals never start again."""

    cents: CentsNumber
    reset: CentsNumber
    rate: str
    hits: Count
    wagered: CentsNumber
    awarded: CentsNumber
    hand_paid: CentsNumber
    keeper: str


class DeviceView(TypedDict):
    """A device: health as the table sees it, the rest as its link tells it."""

    kind: str
    health: str
    identity: dict[str, str]
    versions: dict[str, str]
    counters: dict[str, int]


class Reply(TypedDict):
    """The answer to a command."""

    id: CommandId
    command: str
    ok: bool
    why: str | None
    result: dict[str, Any]


# ── commands ───────────────────────────────────────────────────────────────
ReplayArgs = TypedDict("ReplayArgs", {"from": Number, "to": Number})


class ConfirmArgs(TypedDict):
    """The archive has everything up to this event."""

    sequence: Number
    hash: Hash
    epoch: NotRequired[int]


class AcknowledgeArgs(TypedDict):
    """Somebody has seen this alarm."""

    id: Annotated[str, Form("^.{1,64}$")]


class HaltArgs(TypedDict):
    """The table stops."""

    reason: NotRequired[Annotated[str, Form("^.{1,200}$")]]


class SignedCommand(TypedDict):
    """What is published on cmd/NAME; `expires` also as UTC seconds."""

    id: CommandId
    actor: Annotated[str, Form("^.{1,64}$")]
    expires: Annotated[str, Form(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$")] | Count
    args: dict[str, Any]
    signature: Signature
