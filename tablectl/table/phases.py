"""The procedure of a Three Card Poker round from an automated shoe: every move, with its clauses.

This is the one place that says what may follow what. Triggers are the people's actions, and, marked
with a dash in front, what follows by itself from devices and rules.
"""

from typing import Final

from tablectl.table import guards as g
from tablectl.table import service
from tablectl.table import wager_guards as w
from tablectl.table.decks import a_deck_awaits
from tablectl.table.machines import SAME, ByGame, FlatMachine, Row, rows
from tablectl.table.step import HOUSE

PHASES: Final = {
    "closed": "no gaming; opens by the floor",
    "preparing": "open, between rounds: decks made ready, duties done, shoe loaded",
    "betting": "wagers may be placed and withdrawn",
    "locking": '"no more bets" was said; the wagering devices have not all acknowledged the lock',
    "locked": "wagering is locked everywhere; the shoe may dispense, no card is out yet",
    "cancelling": "the floor cancelled the lock; waiting for the shoe to say that it holds",
    "dealing": "stacks leave the shoe, seat by seat, the dealer last",
    "deciding": "seats with an ante play or fold, in order",
    "settling": "the dealer's cards are up; seats are settled one after the other",
    "clearing": "everything is settled; the cards go to the discard rack",
    "voided": "the round is void, wagers went back; the cards are gathered",
}
ALWAYS: Final = " ".join(PHASES)
OPEN: Final = " ".join(phase for phase in PHASES if phase != "closed")
BEFORE_REVEAL: Final = "betting locking locked cancelling dealing deciding"
LOCKED_BEFORE_REVEAL: Final = "locking locked cancelling dealing deciding"
AFTER_LOCK: Final = "locking locked cancelling dealing deciding settling clearing"


def _for_a_deck(trigger: str, clause: str) -> tuple[Row, ...]:
    """A step of a deck's own, in any phase of an open table, where some deck awaits it."""
    return rows(trigger, OPEN, SAME, clause, guards=(a_deck_awaits(trigger),))


POKER: Final = FlatMachine(
    "the table",
    PHASES,
    (
        # ── opening and closing ──
        *rows("open_table", "closed", "preparing", HOUSE, guards=(g.clock_is_confirmed,)),
        *rows("confirm_clock", ALWAYS, SAME, HOUSE, guards=(g.clock_awaits_confirmation,)),
        *rows(
            "close_table", "preparing", "closed", HOUSE,
            guards=(g.every_deck_is_out, g.no_duty_is_open),
        ),
        # ── decks (chapters 3, 4, 5) ──
        *rows(
            "receive_decks", OPEN, SAME, "TCP 3.A", "TCP 3.B", "TCP 4.A",
            guards=(g.there_is_room_for_a_deck,),
        ),
        *_for_a_deck("inspect_cards", "TCP 4.A"),
        *_for_a_deck("verify_inspection", "TCP 4.A"),
        *_for_a_deck("spread_cards", "TCP 4.B"),
        *_for_a_deck("player_inspected", "TCP 4.C"),
        *_for_a_deck("wash_cards", "TCP 4.C"),
        *rows("remove_deck", OPEN, SAME, "TCP 5.D", guards=(g.a_deck_can_be_removed,)),
        *rows(
            "clear_deck_latch", OPEN, SAME, "COMAR 36.05.03.27C",
            guards=(g.a_deck_is_latched_and_removed,),
        ),
        *rows("single_deck", OPEN, SAME, "TCP 3.A", guards=(g.two_decks_are_in_use,)),
        *rows("load_shoe", "preparing", SAME, "TCP 10.A(1)", guards=(g.a_deck_can_be_loaded,)),
        # ── wagers (chapter 7) ──
        *rows(
            "open_bets", "preparing", "betting", "TCP 7.A", "TCP 10.A(1)",
            guards=(
                g.no_duty_is_open, g.shoe_is_loaded, g.discard_rack_is_clear, g.devices_are_fit,
            ),
        ),
        *rows("place_wager", "betting", SAME, "TCP 7.D", "TCP 7.E"),
        *rows("remove_wager", "betting", SAME, "TCP 7.E", guards=(g.a_wager_is_down,)),
        *rows("no_more_bets", "betting", "locking", "TCP 7.D", "TCP 10.A(2)"),
        *rows("no_more_bets", "cancelling", "locked", "TCP 7.D", "TCP 10.A(2)"),
        *rows("amend_wager", "locking", SAME, "TCP 7.E", HOUSE),
        *rows(
            "amend_wager", "locked cancelling dealing deciding", SAME, "TCP 7.E", HOUSE,
            guards=(g.a_wager_is_down,),
        ),
        *rows(
            "-lock_acknowledged", "locking", "locked", "TCP 2.C(2)", "TCP 10.A(2)",
            guards=(g.every_wagering_device_is_locked,),
        ),
        *rows("cancel_lock", "locking", "betting", "TCP 7.E", HOUSE, guards=(g.no_card_is_out,)),
        *rows("cancel_lock", "locked", "cancelling", "TCP 7.E", HOUSE, guards=(g.no_card_is_out,)),
        *rows("-shoe_holds", "cancelling", "betting", HOUSE, guards=(g.no_card_is_out,)),
        # ── late bets, progressive chips (2.C(2), 7.E, 8.C, 9.B, 10.A) ──
        *rows(
            "report_late_bet", AFTER_LOCK, SAME, "TCP 2.C(2)", "TCP 7.E",
            guards=(w.bets_are_locked,),
        ),
        *rows(
            "count_progressive", "locked", SAME, *w.COUNT, guards=(w.a_count_is_due,),
        ),
        *rows(
            "resolve_count", "locked", SAME, HOUSE, *w.COUNT, guards=(w.a_count_differs,),
        ),
        # ── dealing (chapter 10) ──
        *rows("-first_stack", "locked cancelling", "dealing", "TCP 10.B(1)"),
        *rows("-all_dealt", "dealing", "deciding", "TCP 10.B(3)", "TCP 10.B(5)"),
        # ── completing the round (chapter 11) ──
        *rows("play", "deciding", SAME, "TCP 11.B", guards=(g.somebody_may_play,)),
        *rows("fold", "deciding", SAME, "TCP 11.B", "TCP 11.C", guards=(g.somebody_may_fold,)),
        *rows(
            "reveal_dealer", "deciding", "settling", "TCP 11.D", "TCP 11.D(2)",
            guards=(g.everybody_has_decided,),
        ),
        *rows("enter_card", "settling", SAME, HOUSE, guards=(g.a_card_awaits_entry,)),
        *rows("confirm_payment", "settling", SAME, "TCP 11.D(3)", guards=(g.a_payment_is_due,)),
        *rows("settle_by_hand", "settling", SAME, HOUSE, guards=(g.round_is_settled_by_hand,)),
        *rows("-all_settled", "settling", "clearing", "TCP 11.D"),
        *rows("clear_round", "clearing voided", "preparing", "TCP 11.E"),
        *rows(
            "clear_round", "betting locked", "preparing", "TCP 11.E", guards=(g.no_wager_is_down,)
        ),
        # ── irregularities (chapter 13) ──
        *rows("declare_misdeal", "dealing deciding", SAME, "TCP 13.D", guards=(g.cards_are_out,)),
        *rows("report_jam", OPEN, SAME, "TCP 13.F", "TCP 13.G"),
        *rows("void_round", LOCKED_BEFORE_REVEAL, SAME, HOUSE),
        *rows("-void", BEFORE_REVEAL, "voided", "TCP 13.D", "TCP 13.G"),
        *rows("acknowledge_void", OPEN, SAME, HOUSE, guards=(g.a_void_awaits_acknowledgement,)),
        # ── always ──
        *rows("log_on", ALWAYS, SAME, HOUSE),
        *rows("log_off", ALWAYS, SAME, HOUSE),
        *rows("acknowledge_alarm", ALWAYS, SAME, HOUSE, guards=(g.an_alarm_is_unacknowledged,)),
        # ── devices out of order (13.H) ──
        *rows("mark_out_of_order", ALWAYS, SAME, "TCP 13.H", guards=(service.a_device_ails,)),
        *rows(
            "confirm_out_of_order", ALWAYS, SAME, "TCP 13.H",
            guards=(service.a_cover_awaits_confirmation,),
        ),
        *rows("return_to_service", ALWAYS, SAME, HOUSE, guards=(service.a_device_can_return,)),
        # ── always ──
        *rows("halt_table", ALWAYS, SAME, HOUSE, guards=(g.table_is_running,)),
        *rows("resume_table", ALWAYS, SAME, HOUSE, guards=(g.table_is_halted,)),
    ),
)  # fmt: skip

# The procedure of each game: the machine that says what may follow what at its table.
ROUND: Final = ByGame({"three_card_poker": POKER})

LOCK: Final = FlatMachine(
    "wagering",
    ("locked", "unlocked", "locking"),
    (
        *rows("unlock", "locked", "unlocked", "TCP 7.A"),
        *rows("lock", "locked unlocked locking", "locking", "TCP 2.C(2)", "TCP 10.A(2)"),
        *rows("acknowledged", "locking", "locked", "TCP 2.C(2)", "TCP 10.A(2)"),
    ),
)
