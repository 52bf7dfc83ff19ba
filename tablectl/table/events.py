"""Every event that a table tells, and what its `data` holds beside `clauses` and `inferred`.

Types only: the schemas in docs/integrators are made from here, and tests hold sessions of every
game to it. A field that is not NotRequired is always there; null says that it is not known.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, NotRequired, TypedDict

from tablectl.games.lines import CardText, CentsNumber, Form, SeatNumber, SeatText

__all__ = [
    "EVENTS", "CardText", "CentsNumber", "Count", "Fields", "Form", "Hash", "Number", "Place",
    "SeatNumber", "Signature",
]  # fmt: skip

Hash = Annotated[str, Form("^[0-9a-f]{64}$")]
Signature = Annotated[str, Form("^[0-9a-f]{128}$")]
Number = Annotated[int, Form(minimum=1)]
Count = Annotated[int, Form(minimum=0)]
Place = Annotated[str, Form("^(seat/[1-9]|dealer|community|player|banker|burn|"
                            "hand/[0-9]+|deal|carried|aside|stub)/[0-9]+$")]  # fmt: skip
Fields = Mapping[str, Any]
_Hands = list[CardText]


class Points(TypedDict):
    """What the two hands of a Midi round count."""

    player: int
    banker: int


class Returned(TypedDict):
    """A wager that a void gave back; null where the amount is not known. Where nobody knows who
    wagered, one row: no seat, and the wager `all`."""

    seat: SeatNumber | None
    wager: str
    cents: int | None


class Result(TypedDict):
    """How a wager ended for whoever made it, where seats or amounts are not known.

    Of a hand whose seat nobody told `hand` counts them; `decision` is the one that it is shown for,
    where nobody told which was made; the outcome `sealed` is decided by cards that stay face down.
    """

    wager: str
    outcome: str
    odds: str | None
    clause: str
    seat: NotRequired[SeatNumber | None]
    hand: NotRequired[Number]
    decision: NotRequired[Literal["play", "fold"]]


class Who(TypedDict):
    """What a device says of itself, and the USB plug (`path`) that it is behind."""

    serial: NotRequired[str]
    model: NotRequired[str]
    path: NotRequired[str]
    game_mode: NotRequired[str]
    boot: NotRequired[str]
    versions: dict[str, str]


class Held(TypedDict):
    """A hand whose seat nobody told, in the order of the deal; no cards where they stay sealed."""

    hand: Number
    seat: SeatNumber | None
    cards: list[CardText]


# A meter's figures as the table closes; `in` is no name in Python.
Totals = TypedDict(
    "Totals", {"in": CentsNumber, "out": CentsNumber, "hand_paid": CentsNumber, "hits": Count}
)


class Terms(TypedDict):
    """A meter's terms: an exact rate as text; a maximum only where it must be hit by then."""

    reset: CentsNumber
    rate: str
    maximum: NotRequired[CentsNumber]
    wager: str


class GiveTake(TypedDict):
    """A seat of a round that was found void late: what to give it, or to take back from it; null
    where nobody knows the amount."""

    seat: SeatNumber
    give: int | None
    take: int | None


_OF_ROUND: Final[Fields] = {"round": Number}
_SEAT: Final[Fields] = {"round": Number, "seat": SeatNumber}
_CARD: Final[Fields] = {"round": Number | None, "draw": Number, "place": Place}
_MOVED: Final[Fields] = {"round": Number | None, "draw": Number, "from": Place, "to": Place}
_DECK: Final[Fields] = {"deck": str}
_WAGER: Final[Fields] = {
    "round": Number, "seat": SeatNumber | None, "wager": str, "cents": int | None,
}  # fmt: skip
_ENDED: Final[Fields] = {
    **_WAGER, "outcome": str | None, "returned": NotRequired[CentsNumber | None],
    "odds": NotRequired[str | None], "vigorish": NotRequired[CentsNumber | None],
    "reason": NotRequired[str],
}  # fmt: skip
_AWARD: Final[Fields] = {
    "round": Number, "seat": SeatNumber, "meter": str | None, "wager": NotRequired[str],
    "cents": CentsNumber, "training": NotRequired[bool],
}  # fmt: skip
_COUNTED: Final[Fields] = {
    "round": Number, "chips": Count, "accepted": Count, "cents": int | None, "value": CentsNumber,
}  # fmt: skip
_DEVICE: Final[Fields] = {"device": str, "kind": str, "what": str, "said": NotRequired[str]}
_MET: Final[Fields] = {**_DEVICE, "identity": NotRequired[Who | None]}
_IRREGULARITY: Final[Fields] = {
    "round": Number | None, "what": str, "evidence": list[Number], "ruling": str,
}  # fmt: skip
_ALARM: Final[Fields] = {"id": str, "kind": str}
_DUTY: Final[Fields] = {"duty": str, "round": Number | None, "deck": str | None}
_PERSON: Final[Fields] = {"actor": str, "role": str, "round": Number | None}
_HANDS: Final[Fields] = {
    "player": NotRequired[_Hands], "banker": NotRequired[_Hands], "points": NotRequired[Points],
    "winner": NotRequired[Literal["player", "banker", "tie"]],
}  # fmt: skip

EVENTS: Final[Mapping[str, Fields]] = {
    # ── the table and its people ──
    "table.opened": {},
    "table.closed": {"meters": dict[str, int], "totals": dict[str, Totals]},
    "table.halted": {"cause": str, "why": str},
    "table.resumed": {},
    "table.restarted": {
        "first": bool, "software": str, "core_version": int, "setup": str, "simulated": bool,
        "training": bool, "boot": str, "round": Number | None,
    },
    "table.suspended": {"round": Number | None, "reason": str},
    "table.tested": {"lamps": bool, "lock": bool},
    "table.idle": {"minutes": int},
    "config.loaded": {
        "digest": str, "game": str, "simulated": bool, "training": bool, "meters": dict[str, Terms],
    },
    "clock.skewed": {"back_ms": Count},
    "action.done": {
        "action": str, "actor": str, "role": str, "round": Number | None,
        "reason": NotRequired[str], "second": NotRequired[str],
    },
    "action.refused": {
        "action": str, "actor": str | None, "role": str | None, "why": str, "allowed": list[str],
        "count": Number, "round": Number | None,
    },
    "person.logged_on": {**_PERSON, "relieves": NotRequired[str | None]},
    "person.logged_off": {**_PERSON, "deals_on": NotRequired[bool]},
    "duty.opened": _DUTY,
    "duty.done": _DUTY,
    "alarm.raised": {**_ALARM, "severity": str, "what": str},
    "alarm.acknowledged": _ALARM,
    "alarm.cleared": _ALARM,
    "alarm.noted": {"kind": str, "what": str, "over": bool},
    # ── the journal ──
    "journal.checkpoint": {
        "sequence": Number, "hash": Hash, "key": Hash, "signature": Signature, "state": Hash,
    },
    "journal.segment": {"previous": str, "sequence": Number, "hash": Hash, "state": Hash},
    "journal.unsealed": {
        "device": str, "actor": str, "role": str, "method": str, "over": bool, "cards": Count,
    },
    # ── decks ──
    "deck.received": {**_DECK, "back": str, "preshuffled": bool},
    "deck.inspected": {**_DECK, "verified": bool},
    "deck.spread": {**_DECK, "idle": NotRequired[bool]},
    "deck.viewed": {**_DECK, "viewed": bool},
    "deck.washed": _DECK,
    "deck.shuffling": {**_DECK, "compartment": NotRequired[Number]},
    "deck.shuffled": {
        **_DECK, "by": str, "count": NotRequired[int | None], "verified": NotRequired[bool],
        "distinct": NotRequired[int], "compartment": NotRequired[Number],
    },
    "deck.shuffle_ordered": {**_DECK, "reason": str | None},
    "deck.cut_offered": {**_DECK, "seat": SeatNumber, "accepted": bool},
    "deck.cut": {**_DECK, "by": NotRequired[str], "offered": NotRequired[list[SeatNumber]]},
    "deck.recut": {**_DECK, "reason": str, "recuts": Number},
    "deck.loaded": {**_DECK, "to": NotRequired[str], "decks": NotRequired[int]},
    "deck.removed": _DECK,
    "deck.changed": {
        "deck": NotRequired[str], "decks": NotRequired[int], "was": NotRequired[str],
    },
    "deck.change_due": {
        **_DECK, "when": Literal["now", "soon"], "minutes": NotRequired[int],
    },
    "deck.overrun": {**_DECK, "seconds": Count},
    "deck.count_due": {**_DECK, "rounds_since_count": Number},
    "deck.latched": {
        **_DECK, "count": int | None, "expected": int, "distinct": NotRequired[int],
    },
    "deck.latch_cleared": _DECK,
    "deck.face_up": {**_DECK, "cards": Number},
    "deck.cover_card": {**_DECK, "round": Number | None},
    "stub.counted": {
        "round": Number | None, "cards": int | None, "expected": int,
        "result": Literal["correct", "misdealt", "incorrect"], "deck": str | None,
    },
    "stub.miscounted": {"round": Number, "cards": Count, "expected": Count, "again": bool},
    # ── rounds ──
    "round.opened": {"round": Number, "kind": Literal["live", "simulated"], "deck": str},
    "round.bets_locked": _OF_ROUND,
    "round.lock_cancelled": _OF_ROUND,
    "round.dealing": _OF_ROUND,
    "round.dealt": _OF_ROUND,
    "round.dealer_stack": _OF_ROUND,
    "round.deciding": {"round": Number, "decided": bool},
    "round.revealed": {**_OF_ROUND, **_HANDS, "announced": NotRequired[str | None]},
    "round.settled": {
        **_OF_ROUND, **_HANDS, "dealer": NotRequired[_Hands], "community": NotRequired[_Hands],
        "seats": list[SeatText], "order": NotRequired[list[SeatNumber]],
        "meters": NotRequired[dict[str, int]], "results": NotRequired[list[Result]],
        "by_hand": NotRequired[bool], "hands": NotRequired[list[Held]],
        "qualifies": NotRequired[bool],
    },
    "round.voided": {
        "round": Number, "reason": str, "returned": list[Returned], "duties": list[str],
        "evidence": list[Number], "why": NotRequired[str], "late": NotRequired[bool],
        "seats": NotRequired[list[GiveTake]],
    },
    "round.disputed": {
        "round": Number, "seat": NotRequired[SeatNumber], "meters": NotRequired[list[str]],
        "seats": NotRequired[list[SeatNumber]], "reason": str | None, "over": NotRequired[bool],
    },
    "round.last_hand": _OF_ROUND,
    "round.cleared": {"round": Number, "settled": NotRequired[bool], "why": NotRequired[str]},
    # ── cards ──
    "card.dealt": {**_CARD, "deck": str, "commitment": Hash | None},
    "card.revealed": {
        **_CARD, "card": CardText, "salt": Hash | None, "entered": NotRequired[bool],
        "deck": NotRequired[str],
    },
    "card.moved": _MOVED,
    "card.corrected": {
        **_CARD, "card": NotRequired[CardText], "was": NotRequired[CardText | None],
        "commitment": NotRequired[None], "what": NotRequired[str],
    },
    "card.burned": {
        "deck": str, "draw": Number, "place": Place, "commitment": NotRequired[Hash | None],
        "card": NotRequired[CardText], "salt": NotRequired[Hash | None],
    },
    "card.unreadable": _CARD,
    # ── seats and wagers ──
    "seat.asked": _SEAT,
    "seat.played": _SEAT,
    "seat.folded": _SEAT,
    "seat.abandoned": _SEAT,
    "seat.forfeited": {**_SEAT, "what": str},
    "seat.handed": {**_SEAT, "hand": str},
    "seat.relinquished": {**_SEAT, "hand": str, "to": SeatNumber | None},
    "seat.void_settled": {
        **_SEAT, "give": int | None, "take": int | None, "recovered": bool,
    },
    "seat.settled_by_hand": {**_SEAT, "returned": CentsNumber, "reason": str},
    "wager.placed": {
        **_WAGER, "was": int | None, "player": NotRequired[str], "override": NotRequired[str],
    },
    "wager.amended": {**_WAGER, "was": int | None, "reason": NotRequired[str]},
    "wager.refused": {**_WAGER, "reason": str},
    "wager.accepted": {**_WAGER, "device": NotRequired[str]},
    "wager.collected": _WAGER,
    "wager.settled": _ENDED,
    "wager.forfeited": _ENDED,
    "wager.returned": {**_WAGER, "reason": str},
    "vigorish.marked": {**_SEAT, "cents": CentsNumber, "owed": CentsNumber},
    # With a round and a wager where it is taken as the win is paid; without where it was owed.
    "vigorish.collected": {
        "seat": SeatNumber, "cents": int | None,
        "round": NotRequired[Number], "wager": NotRequired[str],
    },
    "vigorish.written_off": {"seat": SeatNumber, "cents": CentsNumber, "reason": str},
    # ── progressive wagers and meters ──
    "progressive.locked": {"round": Number | None, "devices": list[str]},
    "progressive.unlocked": _DEVICE,
    "progressive.count_verified": _COUNTED,
    "progressive.count_mismatch": _COUNTED,
    "progressive.contributed": {
        "round": Number, "meter": str, "wager": NotRequired[str], "cents": CentsNumber,
        "exact": str, "wagered": CentsNumber, "shows": CentsNumber, "training": NotRequired[bool],
    },
    "progressive.sealed": {"meter": str, "commitment": Hash, "least": int, "most": int},
    "progressive.hit": {
        **_AWARD, "status": str, "trigger": NotRequired[int], "salt": NotRequired[Hash],
        "commitment": NotRequired[Hash], "seats": NotRequired[list[SeatNumber]],
    },
    "progressive.validated": _AWARD,
    "progressive.paid": {
        **_AWARD, "by_hand": NotRequired[bool], "shows": NotRequired[CentsNumber],
    },
    "progressive.reset": _AWARD,
    "progressive.void_hit": _AWARD,
    "progressive.corrected": {
        "meter": str, "was": CentsNumber, "cents": CentsNumber, "by": int, "reason": str,
    },
    # ── irregularities and devices ──
    **dict.fromkeys(
        (
            f"irregularity.{name}" for name in (
                "face_up_card", "drawn_in_error", "incorrect_number_of_cards",
                "dealer_card_exposed", "shuffler_jam", "shoe_jam", "unauthorised_third_card",
                "disclosed_card", "cards_run_out", "duplicate_card", "impossible_card",
                "card_before_lock", "wager_after_lock", "wrong_order", "result_mismatch",
                "sequence_gap", "stub_incorrect", "misdeal", "unreadable_card",
            )
        ),
        _IRREGULARITY,
    ),
    **dict.fromkeys(
        (
            f"device.{name}" for name in (
                "offline", "fault", "cleared", "out_of_order", "returned", "restarted", "changed",
                "badge", "locked", "unlocked", "held", "released", "pressed", "accepted",
                "withdrawn", "late", "gap", "cover_card", "result", "standby", "started",
            )
        ),
        _DEVICE,
    ),
    "device.online": _MET,
    "device.refused": {**_MET, "reason": NotRequired[str]},
    "device.swapped": {
        **_DEVICE, "before": Who | None, "now": Who | None,
    },
}  # fmt: skip
