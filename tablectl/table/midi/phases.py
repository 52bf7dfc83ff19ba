"""The procedure of a Midi Baccarat table: every move, with its clauses.

Triggers are the people's actions, and, marked with a dash in front, what follows by itself from
devices and rules. At a table that only listens nobody acts, and everything follows by itself.
"""

from typing import Final

from tablectl.table import guards as g
from tablectl.table import must_hit
from tablectl.table import wager_guards as w
from tablectl.table.house_rows import house_rows, led_by_people
from tablectl.table.machines import SAME, FlatMachine, rows
from tablectl.table.midi import guards as m
from tablectl.table.step import HOUSE

PHASES: Final = {
    "closed": "no gaming; opens by the floor, or by itself where the table only listens",
    "preparing": "open, between rounds: decks made ready, shoe loaded, cards burned, duties done",
    "betting": "wagers may be placed and withdrawn",
    "locking": '"no more bets" was said; the wagering devices have not all acknowledged the lock',
    "locked": "wagering is locked everywhere; no card is out yet",
    "cancelling": "the floor cancelled the lock; waiting for the shoe to say that it holds",
    "dealing": "the first four cards leave the shoe, two for each hand",
    "turning": "the Player's hand, then the Banker's, is handed to a player and turned over",
    "drawing": "both hands are up; third cards are dealt where they are due",
    "settling": "the result is announced, losing wagers are collected; seats are paid in order",
    "clearing": "everything is settled; the cards go to the discard bucket",
    "simulating": "a simulated round with a disclosed card: no wagers, every card turned up",
    "voided": "the round is void, wagers went back; the cards are gathered",
}
ALWAYS: Final = " ".join(PHASES)
OPEN: Final = " ".join(phase for phase in PHASES if phase != "closed")
_IN_PLAY: Final = "dealing turning drawing"
_LOCKED: Final = "locking locked cancelling"
_DRAWN_FROM: Final = f"preparing betting {_LOCKED} {_IN_PLAY} settling clearing simulating voided"

_LED: Final = (
    # ── opening and closing ──
    *rows("open_table", "closed", "preparing", HOUSE, guards=(g.clock_is_confirmed,)),
    *rows(
        "close_table", "preparing", "closed", HOUSE,
        guards=(m.nothing_is_missing,),
    ),
    # ── decks (chapters 3, 4, 5) ──
    *rows("receive_decks", "preparing", SAME, "MIDI 3.A", "MIDI 4.A",
          guards=(m.there_are_no_cards,)),
    *rows("inspect_cards", "preparing", SAME, "MIDI 4.A",
          guards=(m.stage_is("MIDI 4.A", "received"),)),
    *rows("verify_inspection", "preparing", SAME, "MIDI 4.A",
          guards=(m.stage_is("MIDI 4.A", "inspected"),)),
    *rows("spread_cards", "preparing", SAME, "MIDI 4.B",
          guards=(m.stage_is("MIDI 4.B", "verified"),)),
    *rows("player_inspected", "preparing", SAME, "MIDI 4.C",
          guards=(m.stage_is("MIDI 4.C", "spread"),)),
    *rows("wash_cards", "preparing", SAME, "MIDI 4.C", guards=(m.stage_is("MIDI 4.C", "viewed"),)),
    *rows("shuffle_done", "preparing", SAME, "MIDI 5.A",
          guards=(m.stage_is("MIDI 5.A", "stacked"),)),
    *rows("verify_shuffle", "preparing", SAME, "MIDI 5.A",
          guards=(m.stage_is("MIDI 5.A", "mixed"),)),
    *rows("offer_cut", "preparing", SAME, "MIDI 5.B",
          guards=(m.stage_is("MIDI 5.B", "shuffled"),)),
    *rows("cut_cards", "preparing", SAME, "MIDI 5.B(3)",
          guards=(m.stage_is("MIDI 5.B(3)", "shuffled"),)),
    *rows("recut", "preparing", SAME, "MIDI 5.D", guards=(m.stage_is("MIDI 5.D", "cut"),)),
    *rows("load_shoe", "preparing", SAME, "MIDI 5.C(2)",
          guards=(m.stage_is("MIDI 5.C(2)", "cut"), m.no_vigorish_is_owed)),
    *rows("burn", "preparing", SAME, "MIDI 5.F",
          guards=(m.a_burn_is_due, m.cards_are_entered)),
    *rows("burn", "settling clearing", SAME, "MIDI 13.C(2)(a)",
          guards=(m.the_bucket_waits, m.cards_are_entered)),
    *rows("cover_card", _DRAWN_FROM, SAME, "MIDI 9.D", guards=(m.cards_are_in_the_shoe,)),
    *rows("change_decks", "preparing", SAME, "MIDI 3.B", "MIDI 9.D(3)",
          guards=(m.the_cards_may_be_changed,)),
    *rows("remove_deck", "preparing", SAME, HOUSE, guards=(m.there_are_cards,)),
    # ── wagers (chapter 7) ──
    *rows(
        "open_bets", "preparing", "betting", "MIDI 7.A",
        guards=(
            g.no_duty_is_open, m.the_shoe_is_ready, m.cards_suffice, m.no_disclosed_card_waits,
            m.wagering_devices_are_fit, must_hit.is_armed,
        ),
    ),
    *rows("place_wager", "betting", SAME, "MIDI 7.B", "MIDI 7.D"),
    *rows("remove_wager", "betting", SAME, "MIDI 7.D", guards=(g.a_wager_is_down,)),
    *rows("no_more_bets", "betting", "locking", "MIDI 8.B"),
    *rows("no_more_bets", "cancelling", "locked", "MIDI 8.B"),
    *rows("amend_wager", f"{_LOCKED} dealing turning", SAME, "MIDI 7.D", HOUSE,
          guards=(m.no_hand_is_up,)),
    *rows("cancel_lock", "locking", "betting", "MIDI 7.D", HOUSE, guards=(g.no_card_is_out,)),
    *rows("cancel_lock", "locked", "cancelling", "MIDI 7.D", HOUSE, guards=(g.no_card_is_out,)),
    *rows("report_late_bet", f"{_LOCKED} {_IN_PLAY} settling clearing", SAME,
          "MIDI 2.C(2)", "MIDI 7.D", guards=(w.bets_are_locked,)),
    *rows("count_progressive", "locked", SAME, HOUSE, guards=(w.a_count_is_due,)),
    *rows("resolve_count", "locked", SAME, HOUSE, guards=(w.a_count_differs,)),
    # ── dealing and turning (chapters 8 and 9) ──
    *rows("hand_cards", "locked dealing", SAME, "MIDI 8.D",
          guards=(w.chips_are_counted, m.cards_are_entered)),
    *rows("hand_cards", "turning", SAME, "MIDI 8.D"),
    *rows("hand_cards", "drawing", SAME, "MIDI 8.E(1)", "MIDI 8.F(1)",
          guards=(m.a_third_card_is_down,)),
    *rows("relinquish", "turning", SAME, "MIDI 8.I"),
    *rows("relinquish", "drawing", SAME, "MIDI 8.I", guards=(m.a_third_card_is_down,)),
    *rows("reveal_dealer", "locked dealing", SAME, "MIDI 8.D(3)",
          guards=(w.chips_are_counted, m.cards_are_entered)),
    *rows("reveal_dealer", "turning", SAME, "MIDI 8.D(3)", "MIDI 8.D(5)"),
    *rows("reveal_dealer", "drawing", SAME, "MIDI 8.E(2)", "MIDI 8.F(2)"),
    *rows("enter_card", "preparing", SAME, "MIDI 5.F",
          guards=(m.stage_is("MIDI 5.F", "burning"),)),
    *rows("enter_card", "locked dealing", SAME, HOUSE,
          guards=(w.chips_are_counted, m.cards_are_entered)),
    *rows("enter_card", "turning drawing simulating", SAME, HOUSE,
          guards=(m.a_card_awaits_entry,)),
    # ── the result (chapter 11) ──
    *rows("confirm_payment", "settling", SAME, "MIDI 11.B", guards=(m.a_payment_is_due,)),
    *rows("validate_progressive", "settling", SAME, "MIDI 12.K",
          guards=(m.an_award_awaits_validation,)),
    *rows("settle_by_hand", "settling", SAME, HOUSE, guards=(g.round_is_settled_by_hand,)),
    *rows("clear_round", "clearing voided", "preparing", "MIDI 11.C",
          guards=(w.no_void_seat_is_open, w.no_dispute_is_open)),
    *rows("clear_round", "betting locked", "preparing", "MIDI 11.C",
          guards=(g.no_wager_is_down,)),
    *rows("collect_vigorish", OPEN, SAME, "MIDI 12.D(2)(b)", guards=(m.vigorish_is_owed,)),
    *rows("write_off_vigorish", OPEN, SAME, HOUSE, guards=(m.vigorish_is_owed,)),
    # ── irregularities (chapter 13) ──
    *rows("report_drawn_in_error", _DRAWN_FROM, SAME, "MIDI 13.A", "MIDI 13.B",
          guards=(m.the_shoe_is_loaded, m.cards_are_entered)),
    *rows("report_exposed", _DRAWN_FROM, SAME, "MIDI 13.C", "MIDI 13.D",
          guards=(m.the_shoe_is_loaded,)),
    *rows("report_face_up", _DRAWN_FROM, SAME, "MIDI 13.C", "MIDI 13.D",
          guards=(m.the_shoe_is_loaded,)),
    *rows("begin_simulated_round", "preparing", "simulating", "MIDI 13.D(1)",
          guards=(m.a_disclosed_card_waits, g.no_duty_is_open, m.the_shoe_is_ready,
                  m.cards_suffice)),
    *rows("report_cards_run_out", f"locked {_IN_PLAY} simulating", SAME, "MIDI 13.E"),
    *rows("report_jam", OPEN, SAME, HOUSE, guards=(m.there_are_cards,)),
    *rows("void_round", f"{_LOCKED} {_IN_PLAY}", SAME, HOUSE, guards=(m.no_trusted_hand_is_up,)),
    *rows("correct_card", "turning drawing settling clearing", SAME, HOUSE,
          guards=(m.a_card_is_up,)),
    # ── hands in doubt, and what is found late ──
    *rows("dispute", "settling clearing", SAME, HOUSE,
          guards=(m.a_seat_has_wagered, m.the_table_settles)),
    *rows("end_dispute", "settling clearing", SAME, HOUSE, guards=(w.a_dispute_is_open,)),
    *rows("void_found_late", "settling clearing", SAME, HOUSE,
          guards=(m.wagers_were_taken, w.no_meter_was_paid)),
    *rows("-void_late", "settling clearing", "voided", HOUSE),
    *rows("settle_void_seat", "voided", SAME, HOUSE, guards=(w.a_void_seat_is_open,)),
    *rows("acknowledge_void", OPEN, SAME, HOUSE, guards=(g.a_void_awaits_acknowledgement,)),
)  # fmt: skip


MIDI: Final = FlatMachine(
    "the table",
    PHASES,
    (
        *led_by_people(_LED),
        # ── what follows by itself at a table with a dealer ──
        *rows("-lock_acknowledged", "locking", "locked", "MIDI 2.C(2)",
              guards=(g.every_wagering_device_is_locked,)),
        *rows("-shoe_holds", "cancelling", "betting", HOUSE, guards=(g.no_card_is_out,)),
        *rows("-first_card", "locked cancelling", "dealing", "MIDI 8.C"),
        *rows("-all_dealt", "locked dealing", "turning", "MIDI 8.C"),
        *rows("-replaces", "turning", "dealing", "MIDI 13.D", HOUSE),
        *rows("-hands_up", "turning", "drawing", "MIDI 9.A"),
        *rows("-complete", "drawing", "settling", "MIDI 11.A"),
        *rows("-complete", "simulating", "clearing", "MIDI 13.D(3)"),
        *rows("-all_settled", "settling", "clearing", "MIDI 11.B(3)"),
        *rows("-void", f"betting {_LOCKED} {_IN_PLAY} simulating", "voided", "MIDI 13.E(1)", HOUSE),
        # ── what a listening table follows by itself ──
        *rows("-opens", "closed", "preparing", HOUSE),
        *rows("-card_seen", "preparing", "dealing", "MIDI 8.B", "MIDI 8.C"),
        *rows("-third_seen", "dealing", "drawing", "MIDI 8.E", "MIDI 8.F"),
        *rows("-round_ends", "dealing drawing", "clearing", "MIDI 11.A"),
        *rows("-cleared", "clearing voided", "preparing", "MIDI 11.C"),
        *house_rows(PHASES),
    ),
)  # fmt: skip
