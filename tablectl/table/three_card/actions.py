"""What people may do at a Three Card Poker or Three Card Baccarat table, beside what all tables do.

When it may be done stands in phases.py; here stands who, with what, and to what effect.
"""

from collections.abc import Mapping
from typing import Any, Final

from tablectl.table import decks
from tablectl.table.by_hand import settle_by_hand
from tablectl.table.devices import shuffler_jam
from tablectl.table.irregularities import RULINGS, report
from tablectl.table.outputs import Ruling
from tablectl.table.spec import FLOOR, Spec
from tablectl.table.step import Refused, Step, quoted
from tablectl.table.three_card import betting, deciding, settling
from tablectl.table.three_card.shoe import LOCKED_UNTIL_DEALT, jam


def _declare_misdeal(step: Step, args: Mapping[str, Any]) -> None:
    row = RULINGS["incorrect_number_of_cards"]
    if not args.get("confirm"):
        step.ruling = Ruling(row.ruling, row.clauses)
        return
    what = args.get("reason") or "The dealer reports a hand with an incorrect number of cards."
    report(step, row.kind, what, evidence=[step.state.sequence])


def _report_jam(step: Step, args: Mapping[str, Any]) -> None:
    device = step.state.device(args["device"])
    if device is None or device.kind not in ("shoe", "shuffler"):
        raise Refused(
            f"{quoted(args['device'])} is no shoe or shuffler of this table", malformed=True
        )
    voids = device.kind == "shoe" and step.state.phase in LOCKED_UNTIL_DEALT
    if voids and not args.get("confirm"):
        row = RULINGS["shoe_jam"]
        step.ruling = Ruling(row.ruling, row.clauses)
        return
    jammed = shuffler_jam if device.kind == "shuffler" else jam
    jammed(step, device, f"The dealer reports that {device.kind} {device.id} jammed.")


def _seat(step: Step, args: Mapping[str, Any], decision: str) -> None:
    deciding.decide(step, args["seat"], decision)


ACTIONS: Final[Mapping[str, Spec]] = {
    "load_shoe": Spec(decks.load, args="deck:str?"),
    "single_deck": Spec(lambda step, _args: decks.declare_single(step), FLOOR),
    "open_bets": Spec(lambda step, _args: betting.open_bets(step)),
    "place_wager": Spec(betting.place, args="seat:int wager:str amount:int"),
    "remove_wager": Spec(betting.withdraw, args="seat:int wager:str"),
    "no_more_bets": Spec(lambda step, _args: betting.announce(step), halted=True),
    "cancel_lock": Spec(
        lambda step, _args: betting.cancel_lock(step, step.state.phase), FLOOR, args="reason:str"
    ),
    "amend_wager": Spec(betting.amend, FLOOR, args="seat:int wager:str amount:int reason:str"),
    "play": Spec(lambda step, args: _seat(step, args, "play"), args="seat:int"),
    "fold": Spec(lambda step, args: _seat(step, args, "fold"), args="seat:int"),
    "reveal_dealer": Spec(lambda step, _args: settling.reveal(step)),
    "enter_card": Spec(settling.enter_card, args="place:str card:str confirm:bool?"),
    "confirm_payment": Spec(
        lambda step, args: settling.confirm(step, args["seat"]), args="seat:int"
    ),
    "settle_by_hand": Spec(settle_by_hand, FLOOR, args="seat:int returned:int reason:str"),
    "clear_round": Spec(lambda step, _args: settling.clear(step)),
    "declare_misdeal": Spec(_declare_misdeal, args="confirm:bool? reason:str?"),
    "report_jam": Spec(_report_jam, args="device:str confirm:bool?"),
}
