"""One line of `tablectl settle`, in and out, and the account of a round: types only, as JSON has
them. What may stand in a text or a number is written beside its type, for readers and for schemas.
"""

from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict

from tablectl.cards import CENTS_MAXIMUM
from tablectl.games.paytables import Outcome
from tablectl.games.settlement import Decision


class Form(NamedTuple):
    """What is asked of a text (a pattern), a number (its bounds) or a list (how many)."""

    pattern: str | None = None
    minimum: int | None = None
    maximum: int | None = None
    fewest: int | None = None
    most: int | None = None


CardText = Annotated[str, Form("^[A23456789TJQK][CDHS]$")]
CentsNumber = Annotated[int, Form(minimum=0, maximum=CENTS_MAXIMUM)]
Stake = Annotated[int, Form(minimum=1, maximum=CENTS_MAXIMUM)]
SeatNumber = Annotated[int, Form(minimum=1, maximum=9)]
ThreeCards = Annotated[list[CardText], Form(fewest=3, most=3)]
TwoCards = Annotated[list[CardText], Form(fewest=2, most=2)]
HandCards = Annotated[list[CardText], Form(fewest=2, most=3)]


# ── in ─────────────────────────────────────────────────────────────────────
class MeterReading(TypedDict):
    """What a meter shows, and where it starts again; the rules' least where that is not said."""

    cents: CentsNumber
    reset: NotRequired[CentsNumber]


Meters = dict[str, CentsNumber | MeterReading]


class HandSeat(TypedDict):
    """A seat at a three-card game; its cards may be left out where the hand was folded."""

    seat: SeatNumber
    wagers: dict[str, Stake]
    cards: NotRequired[ThreeCards]
    decision: NotRequired[Decision | None]


class PrintedSeat(TypedDict):
    """A seat at a Midi Baccarat table; the king and the nine that its layout shows."""

    seat: SeatNumber
    wagers: dict[str, Stake]
    printed_king_9: NotRequired[TwoCards | None]


class PokerRound(TypedDict):
    """A round of Three Card Poker; community cards where a five-card progressive plays."""

    id: NotRequired[Any]
    game: Literal["three_card_poker"]
    rules: dict[str, Any]
    meters: NotRequired[Meters]
    dealer: ThreeCards
    community: NotRequired[TwoCards]
    seats: list[HandSeat]


class BaccaratRound(TypedDict):
    """A round of Three Card Baccarat."""

    id: NotRequired[Any]
    game: Literal["three_card_baccarat"]
    rules: dict[str, Any]
    meters: NotRequired[Meters]
    dealer: ThreeCards
    seats: list[HandSeat]


class MidiRound(TypedDict):
    """A round of Midi Baccarat."""

    id: NotRequired[Any]
    game: Literal["midi_baccarat"]
    rules: dict[str, Any]
    meters: NotRequired[Meters]
    player: HandCards
    banker: HandCards
    seats: list[PrintedSeat]


# ── out ────────────────────────────────────────────────────────────────────
class LineText(TypedDict):
    """The end of one wager: `returned` is all that the player gets for it, the stake included."""

    wager: str
    stake: CentsNumber
    outcome: Outcome
    returned: CentsNumber
    vigorish: CentsNumber
    odds: str | None
    clause: str


class SeatText(TypedDict):
    """What one seat gets back."""

    seat: SeatNumber
    returned: CentsNumber
    lines: list[LineText]


class Settled(TypedDict):
    """A settled round: the order of settlement, and the meters afterwards."""

    id: Any
    seats: list[SeatText]
    order: list[SeatNumber]
    meters: dict[str, CentsNumber]


class Unsettled(TypedDict):
    """A line that could not be settled: one sentence says why."""

    id: Any
    error: str
