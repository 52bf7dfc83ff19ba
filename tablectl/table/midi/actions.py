"""What people may do at a Midi Baccarat table, beside what all tables do.

When it may be done stands in phases.py; here stands who, with what, and to what effect.
"""

from collections.abc import Mapping
from typing import Any, Final

from tablectl.table import acceptance, late_bets
from tablectl.table.common_actions import COMMON
from tablectl.table.disputes import end, settle_void_seat
from tablectl.table.house_rows import house_rows
from tablectl.table.midi import (
    attending,
    betting,
    cards,
    dealing,
    disputes,
    reports,
    settling,
    turning,
    vigorish,
)
from tablectl.table.spec import FLOOR, STAFF, Effect, Spec
from tablectl.table.step import HOUSE, Refused, Step, quoted

# What every table has, and what else of the common actions a shoe of many decks shares.
_OF_ALL: Final = (
    *dict.fromkeys(row.trigger for row in house_rows({"any": ""})),
    "open_table", "close_table", "acknowledge_void",
)  # fmt: skip


def _prepare(trigger: str) -> Effect:
    return lambda step, args: cards.prepare(step, trigger, args)


def _remove(step: Step, _args: Mapping[str, Any]) -> None:
    """The cards are taken out; once the shoe is in play, before its end, by the floor alone."""
    shoe, by = step.state.shoe, step.events[-1].data["role"]
    due = any(duty.duty == "change_decks" for duty in step.state.duties)
    if by == "dealer" and shoe is not None and shoe.drawn and not due:
        why = "the shoe is not at its end: the floor takes the cards out"
        raise Refused(why, "MIDI 3.B", "MIDI 9.D(3)", role=True)
    cards.take_out(step, HOUSE)


def _on_decks(effect: Effect, role: tuple[str, ...] = STAFF, args: str = "") -> Spec:
    """The decks of a shoe go together: whoever names one of them, or the shoe, means them all."""

    def named(step: Step, args: Mapping[str, Any]) -> None:
        deck, shoe = args.get("deck"), step.state.shoe
        known = {*(each.id for each in step.state.decks), *((shoe.id,) if shoe else ())}
        if deck is not None and deck not in known:
            raise Refused(f"there is no deck {quoted(deck)} at this table", malformed=True)
        effect(step, args)

    return Spec(named, role, f"deck:str? {args}")


ACTIONS: Final[Mapping[str, Spec]] = {
    **{name: COMMON[name] for name in _OF_ALL},
    "receive_decks": Spec(cards.receive, args="decks:list"),
    "inspect_cards": _on_decks(_prepare("inspect_cards")),
    "verify_inspection": _on_decks(_prepare("verify_inspection"), FLOOR),
    "spread_cards": _on_decks(_prepare("spread_cards")),
    "player_inspected": _on_decks(_prepare("player_inspected"), args="viewed:bool"),
    "wash_cards": _on_decks(_prepare("wash_cards")),
    "shuffle_done": _on_decks(_prepare("shuffle_done")),
    "verify_shuffle": _on_decks(_prepare("verify_shuffle"), FLOOR),
    "offer_cut": Spec(cards.offer_cut, args="seat:int accepted:bool"),
    "cut_cards": _on_decks(cards.cut_by_staff),
    "recut": _on_decks(cards.recut, FLOOR, args="reason:str"),
    "load_shoe": _on_decks(cards.load),
    "burn": Spec(cards.burn_by_hand, args="card:str?"),
    "cover_card": Spec(attending.covered),
    "change_decks": Spec(cards.change),
    "remove_deck": _on_decks(_remove),
    "open_bets": Spec(lambda step, _args: betting.open_bets(step)),
    "place_wager": Spec(betting.place, args="seat:int wager:str amount:int? reason:str?"),
    "remove_wager": Spec(betting.remove, args="seat:int wager:str"),
    "no_more_bets": Spec(lambda step, _args: betting.announce(step), halted=True),
    "cancel_lock": Spec(betting.cancel_lock, FLOOR, args="reason:str"),
    "amend_wager": Spec(betting.amend, FLOOR, args="seat:int wager:str amount:int? reason:str"),
    "report_late_bet": Spec(late_bets.told_by_dealer, args="seat:int wager:str"),
    "count_progressive": Spec(acceptance.count, args="chips:int cents:int?"),
    "resolve_count": Spec(acceptance.resolve, FLOOR, args="seat:int? wager:str? reason:str?"),
    "hand_cards": Spec(dealing.hand_cards, args="seat:int hand:str"),
    "relinquish": Spec(turning.relinquish, args="seat:int reason:str?"),
    "reveal_dealer": Spec(dealing.reveal, args="hand:str?"),
    "enter_card": Spec(dealing.enter_card, args="place:str card:str"),
    "confirm_payment": Spec(settling.confirm, args="seat:int"),
    "validate_progressive": Spec(settling.validate, FLOOR, args="seat:int meter:str"),
    "settle_by_hand": Spec(
        settling.by_hand, FLOOR, args="seat:int returned:int reason:str meter:str? award:int?"
    ),
    "clear_round": Spec(settling.clear),
    "collect_vigorish": Spec(vigorish.collect, args="seat:int"),
    "write_off_vigorish": Spec(vigorish.write_off, FLOOR, args="seat:int reason:str"),
    "report_drawn_in_error": Spec(reports.drawn_in_error, args="place:str? confirm:bool?"),
    "report_exposed": Spec(reports.exposed, args="place:str card:str? confirm:bool?"),
    "report_face_up": Spec(
        reports.face_up, args="cards:int? place:str? card:str? confirm:bool?"
    ),
    "begin_simulated_round": Spec(reports.begin_simulated_round),
    "report_cards_run_out": Spec(reports.cards_run_out, args="confirm:bool?"),
    "report_jam": Spec(reports.jam, args="device:str? order_lost:bool? confirm:bool?"),
    "void_round": Spec(reports.void_round, FLOOR, args="reason:str"),
    # ── hands in doubt, and what is found late ──
    "dispute": Spec(disputes.dispute, FLOOR, args="seat:int reason:str?"),
    "end_dispute": Spec(end, FLOOR, args="seat:int reason:str"),
    "correct_card": Spec(
        disputes.correct_card, FLOOR, args="draw:int card:str reason:str?", halted=True,
        second="surveillance",
    ),
    "void_found_late": Spec(
        disputes.void_found_late, FLOOR, args="cause:str reason:str confirm:bool?"
    ),
    "settle_void_seat": Spec(settle_void_seat, FLOOR, args="seat:int recovered:bool"),
}  # fmt: skip
