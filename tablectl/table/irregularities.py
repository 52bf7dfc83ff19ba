"""Irregularities and their rulings (TCP 5.D, 8.H, chapter 13): a row each, with its clauses.

A mandatory void takes effect on report and is never undone. Shared code cites the poker text; where
another text rules otherwise, its row stands under that text's name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tablectl.table import decks
from tablectl.table.concordance import text_of
from tablectl.table.lockout import hold, leave_betting
from tablectl.table.method import usable_shuffler
from tablectl.table.phases import ROUND
from tablectl.table.state import State, Wager
from tablectl.table.step import HOUSE, Step


@dataclass(frozen=True, slots=True)
class Row:
    """What the rules say about one kind of irregularity."""

    kind: str
    clauses: tuple[str, ...]
    ruling: str
    void: bool = False
    deck: str | None = None  # what becomes of the deck: "reshuffle", "remove_deck"


_FLOOR_DECIDES: Final = "recorded; the floor decides (void_round)"
FLOOR_ALARM: Final = "floor_decides"
_RESHUFFLED: Final = "all hands are void, wagers go back, the cards are reshuffled"
RULINGS: Final[Mapping[str, Row]] = {
    "shoe_jam": Row(
        "shoe_jam", ("TCP 13.G",),
        "the round is void, wagers go back, the cards leave the shoe and are reshuffled with "
        "those already dealt",
        void=True, deck="reshuffle",
    ),
    "incorrect_number_of_cards": Row(
        "incorrect_number_of_cards", ("TCP 13.D",), _RESHUFFLED, void=True, deck="reshuffle"
    ),
    "face_up_card": Row(
        "face_up_card", ("TCP 13.A",), "the card goes to the rack; the next one takes its place"
    ),
    "more_face_up_cards": Row(
        "face_up_card", ("TCP 13.B",), _RESHUFFLED, void=True, deck="reshuffle"
    ),
    "stub_out_of_reach": Row(
        "face_up_card", ("TCP 13.A", "TCP 13.G"),
        "the hand cannot be completed while the stub is in the shoe: all hands are void, wagers go "
        "back, the cards are reshuffled",
        void=True, deck="reshuffle",
    ),
    "drawn_in_error": Row(
        "drawn_in_error", ("TCP 13.C",), "the card stays face down and is used as the next one"
    ),
    "dealer_card_exposed": Row(
        "dealer_card_exposed", ("TCP 13.E",), _RESHUFFLED, void=True, deck="reshuffle"
    ),
    "disclosed_card": Row("disclosed_card", (HOUSE,), "the card plays; recorded"),
    "wrong_order": Row("wrong_order", (HOUSE,), "the card goes to its place; recorded"),
    "misdeal": Row("misdeal", ("TCP 8.H(1)",), _RESHUFFLED, void=True, deck="reshuffle"),
    "stub_incorrect": Row(
        "stub_incorrect", ("TCP 8.H(2)",),
        "all hands are void, wagers go back, the whole deck leaves the table",
        void=True, deck="remove_deck",
    ),
    "duplicate_card": Row(
        "duplicate_card", (HOUSE,),
        "the table stops and the floor looks: a misread card is corrected; where the card is there "
        "twice, all hands are void, wagers go back, the deck leaves the table",
    ),
    "sequence_gap": Row(
        "sequence_gap", (HOUSE,), "recorded; the stub is counted before the round goes on"
    ),
    "card_before_lock": Row(
        "card_before_lock", (HOUSE,),
        "a card left the shoe before the lock: wagers go back, the cards are reshuffled",
        void=True, deck="reshuffle",
    ),
    # ── wagers ──
    "wager_after_lock": Row(
        "wager_after_lock", ("TCP 2.C(2)", "TCP 7.E"),
        "it is never counted and goes back whatever the result; what was locked plays",
    ),
    "shuffler_jam": Row(
        "shuffler_jam", ("TCP 13.F",), "the cards are reshuffled, counted", deck="reshuffle"
    ),
}  # fmt: skip

# Where another text rules otherwise than the poker text does.
_OTHERWISE: Final[Mapping[str, Mapping[str, Row]]] = {
    "TCB": {
        "face_up_card": Row(
            "face_up_card", ("TCB 13.A",), _RESHUFFLED, void=True, deck="reshuffle"
        ),
        "dealer_card_exposed": Row("dealer_card_exposed", (HOUSE,), "the card plays; recorded"),
    },
}  # fmt: skip


def ruling_of(state: State, key: str) -> Row:
    """What the table's own rules say. Washington has no rulings: Maryland's, where the house
    adopted them, else the floor decides."""
    assert state.setup is not None
    rules = state.setup.rules
    text = text_of(rules.game, rules.jurisdiction)
    row = _OTHERWISE.get("TCB" if text == "WA-TCB" else text, {}).get(key) or RULINGS[key]
    if getattr(rules, "house_rulings", None) is False:
        return Row(row.kind, (HOUSE,), _FLOOR_DECIDES)
    return row


def report(
    step: Step,
    kind: str,
    what: str,
    *,
    deck: str | None = None,
    evidence: Sequence[int] = (),
    stands: bool = False,
    by: tuple[str, ...] = (),
) -> None:
    """Record an irregularity and carry out its ruling. `stands`: the round goes on all the same;
    `by`: the clauses, where they depend on how the cards are dealt."""
    row = ruling_of(step.state, kind)
    clauses = by or row.clauses
    round_ = step.state.round
    ruling = row.ruling
    if stands:
        void_already = round_ is not None and round_.void_reason is not None
        ruling = "the round is void already" if void_already else "the round stands"
    data = {
        "round": round_.number if round_ else None,
        "what": what,
        "evidence": list(evidence),
        "ruling": ruling,
    }
    sequence = step.emit(f"irregularity.{row.kind}", data, *clauses)
    if row.void and not stands and round_ is not None and can_be_void(step):
        void(step, row.kind, clauses, deck_duty=row.deck, evidence=(sequence,))
    elif ruling == _FLOOR_DECIDES and RULINGS[kind].void and round_ is not None:
        step.raise_alarm(FLOOR_ALARM, "critical", f"{what} The floor decides.", until_seen=True)
    elif row.deck and deck is not None and not stands:
        _spoil(step, deck, row.deck, clauses)


def can_be_void(step: Step) -> bool:
    """Whether the round may still be void by the phase that it is in."""
    return ROUND.row("-void", step.state.phase, step.state) is not None


def void(
    step: Step,
    reason: str,
    clauses: Sequence[str],
    *,
    deck_duty: str | None,
    evidence: Sequence[int] = (),
    trigger: str = "-void",
    **more: Any,
) -> None:
    """Every wager goes back, pending contributions are dropped, what follows becomes a duty."""
    step.update(phase=ROUND.fire(trigger, step.state.phase, step.state))
    returned = step.round.live_wagers()
    for wager in returned:
        step.emit(
            "wager.returned",
            {
                "round": step.round.number,
                "seat": wager.seat,
                "wager": wager.wager,
                "cents": wager.shown,
                "reason": "void",
            },
            *clauses,
        )
    wagers = tuple(
        replace(wager, status="returned") if wager in returned else wager
        for wager in step.round.wagers
    )
    step.update_round(wagers=wagers, pending=(), asked=None, void_reason=reason)
    step.clear_alarm(FLOOR_ALARM)
    hold(step)
    leave_betting(step)
    if not step.state.listens:  # there nobody could do a duty, nor say that it is done
        _duties(step, clauses, deck_duty)
    data = {
        "round": step.round.number,
        "reason": reason,
        "returned": _all_of_them(step, returned),
        "duties": [duty.duty for duty in step.state.duties],
        "evidence": list(evidence),
    }
    step.emit("round.voided", {**data, **more}, *clauses)


def _duties(step: Step, clauses: Sequence[str], deck_duty: str | None) -> None:
    step.open_duty("acknowledge_void", HOUSE)
    if deck_duty is not None:
        _spoil(step, step.round.deck, deck_duty, clauses)
    if deck_duty == "reshuffle" and usable_shuffler(step.state) is None and step.state.shoe is None:
        step.open_duty("count_deck", HOUSE, deck=step.round.deck)  # no device will prove 52


def _all_of_them(step: Step, returned: Sequence[Wager]) -> list[dict[str, Any]]:
    """The wagers that go back; all of them, whosever they are, where none is known."""
    if step.state.listens:
        return [{"seat": None, "wager": "all", "cents": None}]
    return [{"seat": w.seat, "wager": w.wager, "cents": w.shown} for w in returned]


def _spoil(step: Step, deck_id: str, duty: str, clauses: Sequence[str]) -> None:
    """The deck may not deal again before it is reshuffled, or not at all."""
    deck = step.state.deck(deck_id)
    if deck is None:
        return
    if decks.PREPARATION.row("spoilt", deck.preparation):
        step.update_deck(deck_id, preparation="used")
    elif deck.preparation == "shuffling":
        decks.move(step, deck, "shuffle_failed")
    step.open_duty(duty, *clauses, deck=deck_id)
    if duty == "reshuffle":
        step.update_deck(deck_id, to_count=True)
