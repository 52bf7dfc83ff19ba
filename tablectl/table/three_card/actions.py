"""What people may do at a Three Card Poker or Three Card Baccarat table, beside what all tables do.

When it may be done stands in phases.py; here stands who, with what, and to what effect.
"""

from collections.abc import Mapping
from typing import Any, Final

from tablectl.table import acceptance, counting, decks, late_bets
from tablectl.table.by_hand import settle_by_hand
from tablectl.table.disputes import settle_void_seat
from tablectl.table.spec import FLOOR, Spec
from tablectl.table.step import Step
from tablectl.table.three_card import (
    betting,
    dealing,
    deciding,
    disputes,
    forfeits,
    reports,
    settling,
    wins,
)


def _seat(step: Step, args: Mapping[str, Any], decision: str) -> None:
    dealing.infer_deal(step)
    deciding.decide(step, args["seat"], decision)


def _reveal(step: Step, _args: Mapping[str, Any]) -> None:
    dealing.infer_deal(step)
    settling.reveal(step)


def _count_stub(step: Step, args: Mapping[str, Any]) -> None:
    if step.state.round is not None:
        dealing.infer_deal(step)
    counting.count(step, args)


ACTIONS: Final[Mapping[str, Spec]] = {
    "load_shoe": Spec(decks.load, args="deck:str?"),
    "single_deck": Spec(lambda step, _args: decks.declare_single(step), FLOOR),
    "open_bets": Spec(lambda step, _args: betting.open_bets(step)),
    "place_wager": Spec(
        betting.place, args="seat:int wager:str amount:int? player:str? reason:str?"
    ),
    "remove_wager": Spec(betting.remove, args="seat:int wager:str"),
    "no_more_bets": Spec(lambda step, _args: betting.announce(step), halted=True),
    "cancel_lock": Spec(
        lambda step, _args: betting.cancel_lock(step, step.state.phase), FLOOR, args="reason:str"
    ),
    "amend_wager": Spec(betting.amend, FLOOR, args="seat:int wager:str amount:int? reason:str"),
    # ── late bets, progressive chips ──
    "report_late_bet": Spec(late_bets.told_by_dealer, args="seat:int wager:str"),
    "count_progressive": Spec(acceptance.count, args="chips:int cents:int?"),
    "resolve_count": Spec(acceptance.resolve, FLOOR, args="seat:int? wager:str? reason:str?"),
    # ── progressive wins and meters ──
    "validate_progressive": Spec(wins.validate, FLOOR, args="seat:int meter:str?"),
    # ── seats out of the round, hands in doubt, what is found late ──
    "abandon": Spec(forfeits.abandon, FLOOR, args="seat:int"),
    "dispute": Spec(disputes.dispute, FLOOR, args="seat:int reason:str?"),
    "end_dispute": Spec(disputes.end_dispute, FLOOR, args="seat:int reason:str"),
    "correct_card": Spec(
        disputes.correct_card, FLOOR, args="draw:int card:str?", second="surveillance"
    ),
    "void_found_late": Spec(
        disputes.void_found_late, FLOOR, args="cause:str reason:str confirm:bool?"
    ),
    "settle_void_seat": Spec(settle_void_seat, FLOOR, args="seat:int recovered:bool"),
    # ── stub, settlement ──
    "count_stub": Spec(_count_stub, args="cards:int deck:str?", witness="floor"),
    "judge_stub": Spec(counting.judge, args="misdealt:bool confirm:bool?"),
    "reveal_dealer": Spec(_reveal),
    "enter_card": Spec(settling.enter_card, args="place:str card:str confirm:bool?"),
    "confirm_payment": Spec(
        lambda step, args: settling.confirm(step, args["seat"]), args="seat:int"
    ),
    "settle_by_hand": Spec(
        settle_by_hand,
        FLOOR,
        args="seat:int returned:int reason:str meter:str? award:int?",
    ),
    "clear_round": Spec(lambda step, _args: settling.clear(step)),
    "declare_misdeal": Spec(reports.misdeal, args="confirm:bool? reason:str?"),
    "report_jam": Spec(reports.jammed, args="device:str order_lost:bool? confirm:bool?"),
    "mark_out_of_order": Spec(reports.marked, args="device:str confirm:bool?", halted=True),
    "report_face_up": Spec(reports.face_up, args="cards:int place:str? confirm:bool?"),
    "report_exposed": Spec(reports.exposed, args="place:str confirm:bool?"),
    "report_drawn_in_error": Spec(reports.drawn_in_error, args="confirm:bool?"),
    "move_card": Spec(reports.move_card, FLOOR, args="draw:int to:str"),
}
POKER_ONLY: Final[Mapping[str, Spec]] = {
    "attest_decision": Spec(deciding.attest, FLOOR, args="seat:int decision:str"),
    "play": Spec(lambda step, args: _seat(step, args, "play"), args="seat:int"),
    "fold": Spec(lambda step, args: _seat(step, args, "fold"), args="seat:int"),
}
BACCARAT_ONLY: Final[Mapping[str, Spec]] = {
    "forfeit": Spec(forfeits.forfeit, FLOOR, args="seat:int reason:str"),
}
