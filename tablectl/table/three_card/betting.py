"""Wagers before the deal: placing, withdrawing, the lock, and what the floor may amend (TCP 7).

An amount is what stands on the spot: placing again replaces it. Nothing here knows a card.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from tablectl.cards import dollars
from tablectl.games import paytables
from tablectl.table import acceptance, method, service
from tablectl.table.decks import in_place
from tablectl.table.lockout import hold, send_lock, takes_wagers
from tablectl.table.phases import ROUND
from tablectl.table.progressive import contributions
from tablectl.table.state import Round, Wager
from tablectl.table.step import HOUSE, Refused, Step, quoted
from tablectl.table.three_card import plan
from tablectl.table.three_card.deciding import ask_next
from tablectl.table.three_card.game import (
    PROGRESSIVE,
    base_wagers,
    beside_base,
    pair_plus_condition,
    rules_of,
)

_UNIT: Final = 100  # what an unknown amount is settled with, so that the odds are right


def open_bets(step: Step) -> None:
    """A round begins with the deck in the shoe."""
    deck = in_place(step.state)
    assert deck is not None
    number = step.state.rounds + 1
    step.update(rounds=number, round=Round(number, deck.id, dealing=method.dealing(step.state)))
    step.emit("round.opened", {"round": number, "kind": "live", "deck": deck.id}, "TCP 7.A")


def place(step: Step, args: Mapping[str, Any]) -> None:
    """A wager is put down, or changed, before "no more bets" (TCP 7.D)."""
    seat, wager, known = args["seat"], args["wager"], "amount" in args
    amount = args["amount"] if known else _unit(step, wager)
    override = _override(step, args)
    check_offer(step, seat, wager, amount, limited=known and not override)
    if wager in PROGRESSIVE:
        _check_devices(step)
    _check_base(step, seat, wager)
    condition = pair_plus_condition(rules_of(step))
    tied = {"ante_at_least_equal": "TCP 7.G(1)", "ante_at_least_half": "TCP 7.G(2)"}
    if wager == "pair_plus" and condition in tied and not step.round.stake(seat, "ante"):
        raise Refused(
            f"seat {seat} has no ante yet: it comes before the pair plus", tied[condition]
        )
    _bind(step, seat, args.get("player"))
    put = Wager(seat, wager, amount, known=known)
    _put(step, put, "wager.placed", **override)


def _unit(step: Step, wager: str) -> int:
    """Where only the seats are followed an amount need not be known: rules about it are then the
    dealer's, and results give odds."""
    if step.setup.tracking != "seats" or wager in PROGRESSIVE:
        raise Refused("an amount in cents is needed ('amount', int)", malformed=True)
    return _UNIT


def _override(step: Step, args: Mapping[str, Any]) -> dict[str, str]:
    """The floor may go beyond the table's own limits, with a reason; never beyond a clause."""
    if "reason" not in args:
        return {}
    if step.events[-1].data["role"] != "floor":
        raise Refused("beyond the table's limits the floor decides", HOUSE, role=True)
    return {"override": args["reason"]}


def _bind(step: Step, seat: int, player: str | None) -> None:
    """TCP 7.H: a player that the page names may play so many boxes, side by side."""
    bound = dict(step.round.players)
    if player is None:
        return
    if bound.get(seat, player) != player:
        raise Refused(f"seat {seat} is another player's in this round", "TCP 7.H")
    boxes = sorted({seat, *(s for s, who in bound.items() if who == player)})
    most = getattr(rules_of(step), "adjacent_boxes", 1)
    if len(boxes) > most or boxes[-1] - boxes[0] >= len(boxes):
        many = "one box" if most == 1 else f"{most} boxes side by side"
        raise Refused(f"a player may play {many} here", "TCP 7.H")
    step.update_round(players=tuple(sorted({**bound, seat: player}.items())))


def _check_devices(step: Step) -> None:
    """A progressive on the page: while the devices are open, and where none accepts by itself."""
    if step.round.was_locked:
        raise Refused(
            '"no more bets" was said in this round: the progressive stays as it is',
            "TCP 2.C(2)", "TCP 7.E",
        )  # fmt: skip
    devices = step.state.devices_of("progressive")
    if not all(takes_wagers(step.state, device) for device in devices):
        raise Refused("the wagering devices are not open: see to them first", "TCP 2.C(1)")
    if any(device.accepts for device in devices):
        raise Refused(
            "the progressive device accepts wagers itself: its lamp says what counts",
            "TCP 2.C(1)", "TCP 7.F(4)(b)",
        )  # fmt: skip


def accept(step: Step, seat: int, wager: str, cents: int, device: str) -> None:
    """A device accepted a progressive wager; whether an ante is beside it counts at the lock."""
    put = Wager(seat, wager, cents, device=device)
    _put(step, put, "wager.placed")
    _emit(step, "wager.accepted", put, cents, "TCP 2.C(1)", "TCP 7.F(4)(a)", device=device)


def remove(step: Step, args: Mapping[str, Any]) -> None:
    """The dealer's page takes a wager off; what a device accepted, that device withdraws."""
    spot = (args["seat"], args["wager"])
    if any((w.seat, w.wager) == spot for w in acceptance.accepted(step.round)):
        raise Refused("its device accepted it: the chip comes off the device", "TCP 7.F(4)(b)")
    withdraw(step, args)


def withdraw(step: Step, args: Mapping[str, Any]) -> None:
    """A wager is taken back before "no more bets"; a base wager takes what leans on it with it."""
    seat, wager = args["seat"], args["wager"]
    if not step.round.stake(seat, wager):
        raise Refused(f"seat {seat} has no {wager} wager", "TCP 7.A")
    gone = {wager}
    base = base_wagers(rules_of(step))
    if wager in base and not any(step.round.stake(seat, each) for each in base if each != wager):
        gone |= beside_base(rules_of(step)).keys()
    leaving = [w for w in step.round.live_wagers(seat) if w.wager in gone]
    if step.round.was_locked and _carries_progressive(step, seat, wager, leaving):
        raise Refused(
            f"seat {seat}'s progressive stands since \"no more bets\", and needs this {wager}",
            "TCP 2.C(2)", "TCP 7.E",
        )  # fmt: skip
    step.update_round(wagers=tuple(w for w in step.round.wagers if w not in leaving))
    for each in leaving:
        _emit(step, "wager.returned", each, each.cents, "TCP 7.E", reason="withdrawn")


def _carries_progressive(step: Step, seat: int, wager: str, leaving: list[Wager]) -> bool:
    """Whether a locked progressive would go along, now or by TCP 7.G at the next lock."""
    rules = rules_of(step)
    tied = wager in base_wagers(rules) and pair_plus_condition(rules) != "free"
    going = step.round.live_wagers(seat) if tied else leaving
    return any(each.wager in PROGRESSIVE for each in going)


def announce(step: Step) -> None:
    """ "No more bets": every wager stands as it is from here on (TCP 7.D, 7.E)."""
    if step.round.plan:  # said again while a cancellation was under way: it stays locked
        return
    step.update(lock_attempts=0)
    for seat in sorted({w.seat for w in step.round.wagers}):
        _apply_condition(step, seat)
    _return_lone_progressives(step)
    locked = tuple(replace(wager, status="locked") for wager in step.round.wagers)
    first = not step.round.was_locked
    step.update_round(
        wagers=locked,
        was_locked=True,
        plan=plan.of(step.state, locked),
        pending=contributions(step.setup, locked),
    )
    step.emit("round.bets_locked", {"round": step.round.number}, "TCP 7.D", "TCP 7.E")
    for wager in locked:
        if first and wager.wager in PROGRESSIVE and not wager.device:
            _emit(step, "wager.accepted", wager, wager.cents, "TCP 7.F(4)")
    acceptance.due(step)
    send_lock(step)


def _return_lone_progressives(step: Step) -> None:
    """What a device accepted without an ante or a pair plus beside it is no wager."""
    rules = rules_of(step)
    for wager in step.round.live_wagers():
        alone = not any(step.round.stake(wager.seat, each) for each in base_wagers(rules))
        if wager.device and alone:
            kept = tuple(w for w in step.round.wagers if w is not wager)
            step.update_round(wagers=kept)
            clause = beside_base(rules)[wager.wager]
            _emit(step, "wager.returned", wager, wager.cents, clause, reason="no ante")


def reopen(step: Step) -> None:
    """The floor cancelled the lock, and no card is out: wagers may change again."""
    placed = tuple(replace(wager, status="placed") for wager in step.round.wagers)
    step.update_round(wagers=placed, plan=(), pending=())
    step.emit("round.lock_cancelled", {"round": step.round.number}, "TCP 7.E", HOUSE)


def cancel_lock(step: Step, phase: str) -> None:
    """Pressed by mistake. A shoe that had leave to dispense must say first that it holds."""
    if phase == "cancelling":
        hold(step)
        held_by_hand(step)
    else:
        reopen(step)


def held_by_hand(step: Step) -> None:
    """Where no shoe can answer, nothing but the dealer's hand holds the cards."""
    answers = (
        shoe.health != service.OUT and step.setup.controls(shoe.id)
        for shoe in step.state.devices_of("shoe")
    )
    if not any(answers):
        shoe_holds(step)


def shoe_holds(step: Step) -> None:
    """The shoe said that it holds; a cancelled lock takes effect."""
    if step.state.phase == "cancelling" and not step.state.cards_on_table:
        step.update(phase=ROUND.fire("-shoe_holds", "cancelling", step.state))
        reopen(step)


def amend(step: Step, args: Mapping[str, Any]) -> None:
    """The floor corrects a wager that was placed in time and keyed wrong or late."""
    seat, wager, known = args["seat"], args["wager"], "amount" in args
    if wager in PROGRESSIVE:
        raise Refused("a progressive wager is what its device accepted", "TCP 2.C(2)", "TCP 7.E")
    amount = args["amount"] if known else _unit(step, wager)
    check_offer(step, seat, wager, amount, limited=known)
    before = step.round.stake(seat, wager)
    if not plan.includes(step.round, seat) and step.state.phase != "locking":
        raise Refused(
            f"the shoe has no leave to deal to seat {seat}: cancel the lock first (cancel_lock)",
            "TCP 7.E",
        )  # fmt: skip
    _check_base(step, seat, wager)
    reason = {"reason": args["reason"]}
    _put(step, Wager(seat, wager, amount, "locked", known=known), "wager.amended", **reason)
    fault = _condition_fault(step, seat)
    if fault and not (step.state.phase == "locking" and not before):  # recheck() has the last word
        raise Refused(*fault)
    if wager == "ante" and step.round.stake(seat, "play"):
        _put(step, Wager(seat, "play", amount, "locked", known=known), "wager.amended", **reason)
    if not step.state.cards_on_table:
        step.update_round(plan=plan.of(step.state, step.round.wagers))
    asked = step.round.asked
    if step.state.phase == "deciding" and (asked is None or step.round.decision(asked)):
        ask_next(step)  # a seat whose ante was keyed late has not been asked yet


def recheck(step: Step) -> None:
    """What the floor added while the lock was under way must satisfy TCP 7.G by its end."""
    if step.state.phase != "locked" or step.state.cards_on_table:
        return
    for seat in sorted({w.seat for w in step.round.wagers}):
        _apply_condition(step, seat)
    step.update_round(plan=plan.of(step.state, step.round.wagers))


def check_offer(step: Step, seat: int, wager: str, amount: int, *, limited: bool = True) -> None:
    """Whether the table takes such a wager at all; raises Refused."""
    rules = rules_of(step)
    if not 1 <= seat <= rules.seats:
        raise Refused(f"this table has seats 1 to {rules.seats}", "TCP 2.A", malformed=True)
    if wager == "play":
        raise Refused(
            "a play wager follows from the seat's decision (play)", "TCP 7.F(1)", "TCP 11.B"
        )
    if wager not in rules.wagers:
        offered = ", ".join(w for w in rules.wagers if w != "play")
        raise Refused(f"{quoted(wager)} is not offered here; offered are {offered}", "TCP 7.F")
    if amount <= 0:
        raise Refused("an amount is a whole number of cents above 0", malformed=True)
    stakes = paytables.three_card_poker().progressive_stakes
    if wager in PROGRESSIVE and amount not in stakes:
        allowed = " or ".join(dollars(stake) for stake in stakes)
        raise Refused(f"a progressive wager is {allowed}", "TCP 12.E(5)")
    for limit in step.setup.limits:
        if limited and limit.wager == wager and not limit.minimum <= amount <= limit.maximum:
            low, high = dollars(limit.minimum), dollars(limit.maximum)
            raise Refused(f"this table takes {wager} wagers from {low} to {high}", HOUSE)


def _check_base(step: Step, seat: int, wager: str) -> None:
    """A side wager stands beside an ante or a pair plus only."""
    clause, base = beside_base(rules_of(step)).get(wager), base_wagers(rules_of(step))
    if clause and not any(step.round.stake(seat, each) for each in base):
        none = " and ".join(f"no {each.replace('_', ' ')}" for each in base)
        raise Refused(f"seat {seat} has {none} yet: that comes first", clause)


def _put(step: Step, put: Wager, type_: str, **more: Any) -> None:
    standing = step.round.live_wagers(put.seat)
    before = next((w for w in standing if w.wager == put.wager), None)
    kept = tuple(w for w in step.round.wagers if w is not before)
    step.update_round(wagers=(*kept, put))
    was = before.shown if before else 0
    _emit(step, type_, put, put.cents, "TCP 7.D", was=was, **more)


def _condition_fault(step: Step, seat: int) -> tuple[str, str] | None:
    """What breaks TCP 7.G at a seat, if anything: the sentence and the clause. A ratio to an amount
    that nobody told is the dealer's; that a wager is missing is seen all the same."""
    ante, pair_plus = step.round.stake(seat, "ante"), step.round.stake(seat, "pair_plus")
    if any(not w.known for w in step.round.live_wagers(seat)):  # how much is the dealer's to see
        ante, pair_plus = min(ante, 1), min(pair_plus, 1)
    match pair_plus_condition(rules_of(step)):
        case "ante_at_least_equal" if pair_plus > ante:
            return f"seat {seat}: the ante must be at least the pair plus", "TCP 7.G(1)"
        case "ante_at_least_half" if pair_plus > 2 * ante:
            return f"seat {seat}: the ante must be at least half the pair plus", "TCP 7.G(2)"
        case "both_compulsory" if not ante or not pair_plus:
            return f"seat {seat}: ante and pair plus are both compulsory", "TCP 7.G(3)"
        case "both_compulsory" if max(ante, pair_plus) > 5 * min(ante, pair_plus):
            return f"seat {seat}: one wager is over five times the other", "TCP 7.G(3)"
    return None


def _apply_condition(step: Step, seat: int) -> None:
    """TCP 7.G at the lock: what exceeds the ratio goes back; a lone compulsory wager, all of it."""
    fault = _condition_fault(step, seat)
    if fault is None:
        return
    ante, pair_plus = step.round.stake(seat, "ante"), step.round.stake(seat, "pair_plus")
    clause = fault[1]
    keep = {
        "TCP 7.G(1)": {"pair_plus": ante},
        "TCP 7.G(2)": {"pair_plus": 2 * ante},
        "TCP 7.G(3)": {"ante": min(ante, 5 * pair_plus), "pair_plus": min(pair_plus, 5 * ante)},
    }[clause]
    base = base_wagers(rules_of(step))
    if not any(keep.get(each, step.round.stake(seat, each)) for each in base):
        keep = {wager.wager: 0 for wager in step.round.live_wagers(seat)}
    for each in step.round.live_wagers(seat):
        left = keep.get(each.wager, each.cents)
        if left < each.cents:
            stay = (replace(each, cents=left),) if left else ()
            kept = tuple(w for w in step.round.wagers if w is not each)
            step.update_round(wagers=(*kept, *stay))
            _emit(step, "wager.returned", each, each.cents - left, clause, reason="condition")


def _emit(step: Step, type_: str, wager: Wager, cents: int, *clauses: str, **more: Any) -> None:
    data = {"round": step.round.number, "seat": wager.seat, "wager": wager.wager}
    data["cents"] = cents if wager.known else None
    step.emit(type_, {**data, **more}, *clauses)
