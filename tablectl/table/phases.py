"""The procedure of a round in each game: every move, with its guards and clauses.

This is the one place that says what may follow what. Triggers are the people's actions, and, marked
with a dash in front, what follows by itself from devices and rules. The three-card games share
their rows, which cite the poker text; what the other text says instead is in concordance.py.
"""

from typing import Final

from tablectl.table import deck_clock, idle, service
from tablectl.table import guards as g
from tablectl.table import people_guards as n
from tablectl.table import wager_guards as w
from tablectl.table.decks import a_deck_awaits
from tablectl.table.house_rows import house_rows, led_by_people
from tablectl.table.machines import SAME, ByGame, FlatMachine, Row, rows
from tablectl.table.midi.phases import MIDI
from tablectl.table.step import HOUSE

_BEFORE_DEAL: Final = {
    "closed": "no gaming; opens by the floor, or by itself where the table only listens",
    "preparing": "open, between rounds: decks made ready, duties done, shoe loaded",
    "betting": "wagers may be placed and withdrawn",
    "locking": '"no more bets" was said; the wagering devices have not all acknowledged the lock',
    "locked": "wagering is locked everywhere; the shoe may dispense, no card is out yet",
    "cancelling": "the floor cancelled the lock; waiting for the shoe to say that it holds",
    "dealing": "cards leave the shoe, seat by seat, the dealer last",
}
_AFTER_REVEAL: Final = {
    "settling": "the dealer's cards are up; seats are settled one after the other",
    "clearing": "everything is settled; the cards go to the discard rack",
    "voided": "the round is void, wagers went back; the cards are gathered",
}
PHASES: Final = {
    **_BEFORE_DEAL,
    "deciding": "seats with an ante play or fold, in order",
    **_AFTER_REVEAL,
}
BACCARAT_PHASES: Final = {
    **_BEFORE_DEAL,
    "examining": "every hand is out; players look at their cards and put them down",
    **_AFTER_REVEAL,
}


def _for_a_deck(trigger: str, where: str, *clauses: str) -> tuple[Row, ...]:
    """A step of a deck's own, in any phase of an open table, where some deck awaits it."""
    return rows(trigger, where, SAME, *clauses, guards=(a_deck_awaits(trigger),))


def _deck_rows(opened: str) -> tuple[Row, ...]:
    """Chapters 3, 4 and 5."""
    return (
        *rows(
            "receive_decks", opened, SAME, "TCP 3.A", "TCP 3.B", "TCP 4.A",
            guards=(g.there_is_room_for_a_deck,),
        ),
        *_for_a_deck("inspect_cards", opened, "TCP 4.A"),
        *_for_a_deck("verify_inspection", opened, "TCP 4.A"),
        *_for_a_deck("spread_cards", opened, "TCP 4.B"),
        *_for_a_deck("player_inspected", opened, "TCP 4.C"),
        *_for_a_deck("wash_cards", opened, "TCP 4.C"),
        *rows(
            "shuffle_done", opened, SAME, "TCP 4.D", "TCP 5.A",
            guards=(
                g.no_shuffler_is_in_order, service.every_fault_is_covered,
                a_deck_awaits("shuffle_done"),
            ),
        ),
        *_for_a_deck("cut_cards", opened, "TCP 5.E(2)", "TCP 5.F"),
        *rows(
            "recut", "preparing betting locking locked", SAME, "TCP 5.G",
            guards=(a_deck_awaits("recut"), g.no_card_is_out),
        ),
        *_for_a_deck("order_shuffle", "preparing", "TCP 5.A(3)"),
        *rows("spread_idle", "preparing", SAME, "TCP 5.H", guards=(idle.nobody_plays,)),
        *rows("remove_deck", opened, SAME, "TCP 5.D", guards=(g.a_deck_can_be_removed,)),
        *rows("change_decks", "preparing", SAME, "TCP 3.C", guards=(g.a_deck_can_be_removed,)),
        *rows(
            "clear_deck_latch", opened, SAME, "COMAR 36.05.03.27C",
            guards=(g.a_deck_is_latched_and_removed,),
        ),
        *rows("single_deck", opened, SAME, "TCP 3.A", guards=(g.two_decks_are_in_use,)),
        *rows("load_shoe", "preparing", SAME, "TCP 10.A(1)", guards=(g.a_deck_can_be_loaded,)),
    )  # fmt: skip


def _wager_rows(settled_open: str) -> tuple[Row, ...]:
    """Chapter 7, and the lock; `settled_open`: the phase between the deal and the reveal."""
    return (
        *rows(
            "open_bets", "preparing", "betting", "TCP 7.A", "TCP 10.A(1)",
            guards=(
                g.no_duty_is_open, g.shoe_is_loaded, g.discard_rack_is_clear, g.devices_are_fit,
                deck_clock.the_decks_are_in_time, g.no_count_is_overdue,
            ),
        ),
        *rows("place_wager", "betting", SAME, "TCP 7.D", "TCP 7.E"),
        *rows("remove_wager", "betting", SAME, "TCP 7.E", guards=(g.a_wager_is_down,)),
        *rows("no_more_bets", "betting", "locking", "TCP 7.D", "TCP 10.A(2)"),
        *rows("no_more_bets", "cancelling", "locked", "TCP 7.D", "TCP 10.A(2)"),
        *rows("amend_wager", "locking", SAME, "TCP 7.E", HOUSE),
        *rows(
            "amend_wager", f"locked cancelling dealing {settled_open}", SAME, "TCP 7.E", HOUSE,
            guards=(g.a_wager_is_down,),
        ),
        *rows(
            "-lock_acknowledged", "locking", "locked", "TCP 2.C(2)", "TCP 10.A(2)",
            guards=(g.every_wagering_device_is_locked,),
        ),
        *rows("cancel_lock", "locking", "betting", "TCP 7.E", HOUSE, guards=(g.no_card_is_out,)),
        *rows("cancel_lock", "locked", "cancelling", "TCP 7.E", HOUSE, guards=(g.no_card_is_out,)),
        *rows("-shoe_holds", "cancelling", "betting", HOUSE, guards=(g.no_card_is_out,)),
    )  # fmt: skip


def _closing_rows(after_deal: str) -> tuple[Row, ...]:
    """Chapters 10, 11 and 13, as both games have them."""
    out = f"dealing {after_deal}"
    seen, dealt_to = (g.dealt_unseen,), (g.somebody_is_dealt_to,)
    return (
        *rows("open_table", "closed", "preparing", HOUSE, guards=(g.clock_is_confirmed,)),
        *rows(
            "close_table", "preparing", "closed", HOUSE,
            guards=(n.nothing_is_missing,),
        ),
        # ── dealing (chapters 8, 9, 10) ──
        *rows("-first_card", "locked cancelling", "dealing", "TCP 8.E", "TCP 9.C", "TCP 10.B"),
        *rows(
            "-all_dealt", "dealing", after_deal,
            "TCP 8.E(3)", "TCP 9.C(5)", "TCP 10.B(3)", "TCP 10.B(5)",
        ),
        *rows("count_stub", f"preparing {after_deal}", SAME, "TCP 8.F", "TCP 9.D", "TCP 10.C",
              guards=(g.a_stub_can_be_counted,)),
        *rows("count_stub", "locked dealing", after_deal, "TCP 8.F", "TCP 9.D",
              guards=(g.dealt_behind_the_lock,)),
        *rows("judge_stub", after_deal, SAME, "TCP 8.H", "TCP 9.F", "TCP 10.E",
              guards=(g.a_stub_awaits_judgement,)),
        # ── completing the round (chapter 11) ──
        *rows(
            "reveal_dealer", after_deal, "settling", "TCP 11.D", "TCP 11.D(2)",
            guards=(
                g.no_card_is_in_doubt, g.everybody_has_decided, g.the_dealer_has_cards,
                g.the_stub_is_counted, g.every_hand_has_three,
            ),
        ),
        *rows(
            "reveal_dealer", "locked dealing", "settling", "TCP 11.D", "TCP 11.D(2)",
            guards=(g.dealt_behind_the_lock, g.nobody_decides, g.the_count_is_not_due_next),
        ),
        *rows("enter_card", "settling", SAME, HOUSE, guards=(g.a_card_awaits_entry,)),
        *rows("confirm_payment", "settling", SAME, "TCP 11.D(3)",
              guards=(g.a_payment_is_due, w.not_only_disputes_are_left)),
        *rows("settle_by_hand", "settling", SAME, HOUSE, guards=(g.round_is_settled_by_hand,)),
        *rows("-all_settled", "settling", "clearing", "TCP 11.D"),
        *rows("clear_round", "clearing voided", "preparing", "TCP 11.E",
              guards=(w.no_void_seat_is_open, w.no_dispute_is_open)),
        *rows(
            "clear_round", "betting locked", "preparing", "TCP 11.E", guards=(g.no_wager_is_down,)
        ),
        # ── irregularities (chapter 13) ──
        *rows("declare_misdeal", out, SAME, "TCP 13.D", guards=(g.cards_are_out,)),
        *rows("declare_misdeal", "locked", SAME, "TCP 13.D", guards=seen),
        *rows("report_face_up", "preparing dealing", SAME, "TCP 13.A", "TCP 13.B"),
        *rows("report_face_up", after_deal, SAME, "TCP 13.A", "TCP 13.B",
              guards=(g.a_card_is_still_dealt,)),
        *rows("report_face_up", "locked", SAME, "TCP 13.A", "TCP 13.B", guards=dealt_to),
        *rows("report_exposed", out, SAME, "TCP 13.E", guards=(g.a_card_can_be_exposed,)),
        *rows("report_exposed", "locked", SAME, "TCP 13.E", guards=seen),
        *rows("report_drawn_in_error", out, SAME, "TCP 13.C"),
        *rows("report_drawn_in_error", "locked", SAME, "TCP 13.C", guards=dealt_to),
        *rows("move_card", out, SAME, HOUSE, guards=(g.nobody_has_decided,)),
        *rows("report_jam", _opened(after_deal), SAME, "TCP 13.F", "TCP 13.G"),
        *rows("void_round", f"locking locked cancelling dealing {after_deal}", SAME, HOUSE),
        *rows(
            "-void", f"betting locking locked cancelling dealing {after_deal}", "voided",
            "TCP 8.H", "TCP 13.B", "TCP 13.D", "TCP 13.E", "TCP 13.G",
        ),
        *rows(
            "acknowledge_void", _opened(after_deal), SAME, HOUSE,
            guards=(g.a_void_awaits_acknowledgement,),
        ),
    )  # fmt: skip


def _disputed_rows(after_deal: str) -> tuple[Row, ...]:
    """Wagers that are late, and chips that do not agree (2.C(2), 7.E, 8.C, 9.B, 10.A)."""
    after_lock = f"locking locked cancelling dealing {after_deal} settling clearing"
    return (
        *rows("report_late_bet", after_lock, SAME, "TCP 2.C(2)", "TCP 7.E",
              guards=(w.bets_are_locked,)),
        *rows("count_progressive", "locked", SAME, *w.COUNT, guards=(w.a_count_is_due,)),
        *rows("resolve_count", "locked", SAME, HOUSE, *w.COUNT, guards=(w.a_count_differs,)),
        *rows("validate_progressive", "settling", SAME, "TCP 11.D(7)(c)", "TCP 11.D(9)(e)",
              guards=(w.a_win_is_pending,)),
        # ── seats that leave the round (7.C(2), TCB 11.A(5)) ──
        *rows("abandon", f"dealing {after_deal} settling", SAME, "TCP 7.C(2)",
              guards=(w.a_seat_is_in_play,)),
        *rows("abandon", "locked", SAME, "TCP 7.C(2)", guards=(g.dealt_unseen,)),
        # ── hands in doubt, and what is found late ──
        *rows("dispute", "settling", SAME, HOUSE, guards=(w.a_turn_is_under_way,)),
        *rows("end_dispute", "settling clearing", SAME, HOUSE, guards=(w.a_dispute_is_open,)),
        *rows("correct_card", "settling", SAME, HOUSE),
        *rows("correct_card", f"dealing {after_deal}", SAME, HOUSE, guards=(g.a_card_is_in_doubt,)),
        *rows("void_found_late", "settling clearing", SAME, HOUSE, guards=(w.no_meter_was_paid,)),
        *rows("-void_late", "settling clearing", "voided", HOUSE),
        *rows("settle_void_seat", "voided", SAME, HOUSE, guards=(w.a_void_seat_is_open,)),
    )  # fmt: skip


def _listening_rows() -> tuple[Row, ...]:
    """What a table that only listens follows by itself (`tracking = "cards"`)."""
    return (
        *rows("-opens", "closed", "preparing", HOUSE),
        *rows("-card_seen", "preparing", "dealing", "TCP 7.D", "TCP 8.E", "TCP 9.C", "TCP 10.B"),
        *rows("-round_ends", "dealing", "clearing", "TCP 11.D"),
        *rows("-cleared", "clearing voided", "preparing", "TCP 11.E"),
    )


def _opened(after_deal: str) -> str:
    phases = {**_BEFORE_DEAL, after_deal: "", **_AFTER_REVEAL}
    return " ".join(phase for phase in phases if phase != "closed")


def _three_card(phases: dict[str, str], after_deal: str, *more: Row) -> FlatMachine:
    return FlatMachine(
        "the table",
        phases,
        (
            *led_by_people(
                (
                    *_deck_rows(_opened(after_deal)),
                    *_wager_rows(after_deal),
                    *_closing_rows(after_deal),
                    *_disputed_rows(after_deal),
                    *more,
                )
            ),
            *_listening_rows(),
            *house_rows(phases),
        ),
    )


POKER: Final = _three_card(
    PHASES, "deciding",
    *rows(
        "play", "deciding", SAME, "TCP 11.B",
        guards=(g.no_card_is_in_doubt, g.the_stub_is_counted_in_time, g.somebody_may_play),
    ),
    *rows(
        "fold", "deciding", SAME, "TCP 11.B", "TCP 11.C",
        guards=(g.no_card_is_in_doubt, g.the_stub_is_counted_in_time, g.somebody_may_fold),
    ),
    *rows(
        "attest_decision", "deciding", SAME, "TCP 11.B", HOUSE, guards=(w.a_seat_has_not_decided,)
    ),
    *rows(
        "play", "locked dealing", "deciding", "TCP 11.B",
        guards=(g.dealt_behind_the_lock, g.somebody_is_asked, g.the_count_is_not_due_next),
    ),
    *rows(
        "fold", "locked dealing", "deciding", "TCP 11.B", "TCP 11.C",
        guards=(g.dealt_behind_the_lock, g.somebody_is_asked, g.the_count_is_not_due_next),
    ),
)  # fmt: skip
BACCARAT: Final = _three_card(
    BACCARAT_PHASES, "examining",
    *rows(
        "forfeit", "dealing examining settling", SAME, "TCB 11.A(5)", guards=(w.a_seat_is_in_play,)
    ),
    *rows("forfeit", "locked", SAME, "TCB 11.A(5)", guards=(g.dealt_unseen,)),
)  # fmt: skip

# The procedure of each game: the machine that says what may follow what at its table.
ROUND: Final = ByGame(
    {"three_card_poker": POKER, "three_card_baccarat": BACCARAT, "midi_baccarat": MIDI}
)

LOCK: Final = FlatMachine(
    "wagering",
    ("locked", "unlocked", "locking"),
    (
        *rows("unlock", "locked", "unlocked", "TCP 7.A"),
        *rows("lock", "locked unlocked locking", "locking", "TCP 2.C(2)", "TCP 10.A(2)"),
        *rows("acknowledged", "locking", "locked", "TCP 2.C(2)", "TCP 10.A(2)"),
    ),
)
