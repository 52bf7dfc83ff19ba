"""Reveal and settlement (TCP 11.D): the dealer's cards, then seat by seat from the dealer's right.

A seat's cards are turned over at its turn, and nothing computed from them leaves before. One seat's
confirmed payment is the next seat's turn.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tablectl.cards import DECK, Card, UnknownCard, parse_card
from tablectl.games.settlement import Line, Meter, SeatHand
from tablectl.table import deck_clock, decks, progressive, stub
from tablectl.table.disputes import put_card
from tablectl.table.halts import end_by_hand, halt
from tablectl.table.irregularities import report
from tablectl.table.lockout import leave_betting
from tablectl.table.phases import ROUND
from tablectl.table.state import Payment, Round, TableCard
from tablectl.table.step import HOUSE, Refused, Step, quoted
from tablectl.table.three_card import account, game, wins

_FOLD_FORFEITS = ("ante", "pair_plus", "progressive", "five_card_progressive")
LEFT_BY = {"abandoned": "TCP 7.C(2)", "forfeited": "TCB 11.A(5)"}


def reveal(step: Step) -> None:
    """The last decision is made: collect what was forfeited, post the meters, show the dealer."""
    progressive.post(step)
    meters = tuple((m.name, m.cents, m.reset) for m in step.state.meters)
    step.update_round(revealed=True, asked=None, meters_before=meters)
    step.emit("round.revealed", {"round": step.round.number}, "TCP 11.D(2)")
    for seat, why in step.round.out:
        collect_out(step, seat, why)
    for seat, decision in step.round.decisions:
        if decision == "fold":
            _collect_fold(step, seat)
    turn_up(step, "dealer", "TCP 11.D(2)")
    seats = {wager.seat for wager in step.round.live_wagers()}
    step.update_round(turns=game.settlement_order(game.rules_of(step), sorted(seats)))
    next_turn(step)


def _collect_fold(step: Step, seat: int) -> None:
    """A fold forfeits its wagers, the six card bonus apart (TCP 11.C); its cards stay face down."""
    stakes = {w.wager: w.cents for w in step.round.live_wagers(seat) if w.wager in _FOLD_FORFEITS}
    # What a fold forfeits depends on no card: any dealer's hand gives the same lines.
    hand = SeatHand(seat, stakes, (), "fold")
    result = game.settle_seat(game.rules_of(step), DECK[:3], hand, {})
    end_wagers(step, [Payment(seat, line) for line in result.lines])


def collect_out(step: Step, seat: int, why: str) -> None:
    """Every wager of a seat that the floor took out is lost, from the reveal on."""
    [clause] = step.cite((LEFT_BY[why],))
    lost = [
        Line(w.wager, w.cents, "forfeit", 0, 0, None, clause) for w in step.round.live_wagers(seat)
    ]
    end_wagers(step, [Payment(seat, line) for line in lost])


def turn_up(step: Step, owner: str, *clauses: str) -> None:
    """Turn a hand face up: card and salt are published, anybody can check the commitment."""
    for card in step.round.hand(owner):
        if not card.up:
            put_card(step, replace(card, up=True))
            if card.card is not None:
                _revealed(step, card, card.card, clauses)


def enter_card(step: Step, args: Mapping[str, Any]) -> None:
    """A card that the reader could not tell is entered once it lies face up."""
    try:
        value = parse_card(args["card"])
    except UnknownCard as error:
        raise Refused(str(error), malformed=True) from None
    card = next((c for c in step.round.cards if c.place == args["place"]), None)
    if card is None or not card.up or card.card is not None:
        raise Refused(
            f"{quoted(args['place'])} is no card that lies face up and is unknown", malformed=True
        )
    # Only cards that lie face up are compared: a refusal must not tell what lies face down.
    twin = any(other.up and other.card == value for other in step.round.cards)
    if twin and not args.get("confirm"):
        raise Refused(
            f"{value} lies face up elsewhere: look again; if both are there, enter it with confirm",
            "TCP 3.A(1)",
        )
    put_card(step, replace(card, card=value))
    _revealed(step, card, value, (HOUSE,), entered=True)
    next_turn(step)


def next_turn(step: Step) -> None:
    """Turn over the next seat's cards and say what it is owed, or end the settlement.

    A seat in dispute is passed over, and so is one that claims the meter of such a seat. Where the
    floor settles by hand there is no next seat, only an end."""
    if step.round.by_hand:
        end_by_hand(step)
        return
    while not step.round.due and all(c.card is not None for c in step.round.hand("dealer")):
        if not step.round.turns:
            if not _stopped_by_twins(step):
                _finish(step)
            return
        held = {*dict(step.round.disputes), *step.round.waiting}
        seat = next((seat for seat in step.round.turns if seat not in held), None)
        if seat is None or not _turn_of(step, seat):
            return


def _turn_of(step: Step, seat: int) -> bool:
    """It is this seat's turn; whether the table could say what it is owed, or that it waits."""
    others = tuple(other for other in step.round.turns if other != seat)
    step.update_round(turns=(seat, *others))
    turn_up(step, f"seat/{seat}", "TCP 11.D(3)(a)")
    if step.round.stake(seat, "five_card_progressive"):
        turn_up(step, "community", "TCP 11.D(9)(b)")
    if any(card.up and card.card is None for card in step.round.cards) or _stopped_by_twins(step):
        return False
    owed = _owed(step, seat)
    contested = {meter for _, meters in step.round.disputes for meter in meters}
    if contested & {payment.line.meter for payment in owed}:
        step.update_round(waiting=(*step.round.waiting, seat))
        return True
    step.update_round(due=tuple(owed))
    wins.recognised(step)
    return True


def one_card_twice(round_: Round) -> bool:
    """Whether one card lies face up at two places."""
    shown = [card.card for card in round_.cards if card.up and card.card is not None]
    return len(shown) != len(set(shown))


def _stopped_by_twins(step: Step) -> bool:
    """An entered card turns up a second time: stop; the floor corrects, voids or settles."""
    if not one_card_twice(step.round):
        return False
    what = "One card lies face up twice; the floor looks at the cards and at what was entered."
    if not step.round.doubt:
        report(step, "duplicate_card", what)
        halt(step, "duplicate_card", what)
    # With no seat left to settle by hand it is corrected, or the round is void.
    step.update_round(by_hand=bool(step.round.live_wagers()), doubt=True)
    return True


def _owed(step: Step, seat: int) -> list[Payment]:
    """What a seat's cards bring: its own wagers, and the envy of the others (TCP 11.D(7)(e))."""
    hand = _hand(step, seat)
    rules, meters = game.rules_of(step), progressive.readings(step)
    result = game.settle_seat(rules, _dealer(step), hand, meters, _community(step))
    owed = [Payment(seat, line) for line in result.lines if line.outcome != "forfeit"]
    others = [_hand(step, other) for other in _in_play(step) if other != seat]
    envy = game.envy_lines(game.rules_of(step), hand, others)
    return owed + [Payment(other, line) for other, line in sorted(envy.items(), reverse=True)]


def confirm(step: Step, seat: int) -> None:
    """The dealer has paid or collected at the seat whose turn it is (TCP 11.D(3))."""
    if seat != step.round.turns[0]:
        raise Refused(f"seat {step.round.turns[0]} is settled now", "TCP 11.D(3)")
    wins.check_validated(step)
    due = step.round.due
    if not due:
        raise Refused("the open seats are in dispute: end that first (end_dispute)", HOUSE)
    step.update_round(due=(), turns=step.round.turns[1:])
    end_wagers(step, due)
    next_turn(step)


def clear(step: Step) -> None:
    """The cards go to the discard rack (TCP 11.E), or are gathered after a void."""
    number, deck = step.round.number, step.state.deck(step.round.deck)
    dealt = deck is not None and deck.preparation not in (*decks.READY, "uncut")
    if deck is not None and dealt and deck.custody in ("play", *decks.IN_PLACE):
        custody = decks.CUSTODY.fire("clear_round", deck.custody, step.state)
        step.update_deck(deck.id, custody=custody)
    if deck is not None:
        deck_clock.overran(step, deck)
        _remove_doubted(step, deck.id)
    leave_betting(step)
    step.update(round=None)
    step.emit("round.cleared", {"round": number}, "TCP 11.E")


def _remove_doubted(step: Step, deck: str) -> None:
    """One card was there twice, and the round was settled by hand: the deck deals no more."""
    if step.round.doubt and step.round.void_reason is None:
        step.open_duty("remove_deck", stub.clauses(step.state)[4], HOUSE, deck=deck)


# ── parts ──────────────────────────────────────────────────────────────────
def _dealer(step: Step) -> tuple[Card, ...]:
    return tuple(card.card for card in step.round.hand("dealer") if card.card is not None)


def _in_play(step: Step) -> list[int]:
    """The seats whose hands count: those with a wager that the floor has not taken out."""
    return sorted({wager.seat for wager in step.round.wagers} - dict(step.round.out).keys())


def _community(step: Step) -> tuple[Card, ...]:
    """The community cards, once they are exposed (TCP 11.D(9)(b))."""
    cards = step.round.hand("community")
    return tuple(card.card for card in cards if card.up and card.card is not None)


def _hand(step: Step, seat: int) -> SeatHand:
    """A seat as settlement wants it; cards only where they lie face up."""
    stakes = {w.wager: w.cents for w in step.round.wagers if w.seat == seat and w.wager != "play"}
    cards = step.round.hand(f"seat/{seat}")
    shown = tuple(c.card for c in cards if c.up and c.card is not None)
    decision = step.round.decision(seat)
    return SeatHand(seat, stakes, shown, decision)  # type: ignore[arg-type]


def _revealed(
    step: Step, card: TableCard, value: Card, clauses: tuple[str, ...], entered: bool = False
) -> None:
    data = {"round": step.round.number, "draw": card.draw, "place": card.place, "card": value}
    step.emit("card.revealed", {**data, "salt": card.salt, "entered": entered}, *clauses)


def end_wagers(step: Step, payments: list[Payment] | tuple[Payment, ...]) -> None:
    """Wagers end here, each once: settled or forfeited, with its money and its clause."""
    for payment in payments:
        seat, line = payment.seat, payment.line
        status = "forfeited" if line.outcome == "forfeit" else "settled"
        step.update_round(
            wagers=tuple(
                replace(w, status=status) if (w.seat, w.wager) == (seat, line.wager) else w
                for w in step.round.wagers
            ),
            paid=(*step.round.paid, payment),
        )
        known = account.amount_is_known(step.round, payment)
        data = {"round": step.round.number, "seat": seat, "wager": line.wager}
        data |= {"cents": line.stake if known else None, "outcome": line.outcome}
        data |= {"returned": line.returned if known else None, "odds": line.odds}
        step.emit(f"wager.{status}", data, line.clause)
        if line.vigorish:  # collected as the winning payout is made
            taken = {"round": step.round.number, "seat": seat, "wager": line.wager}
            taken["cents"] = line.vigorish if known else None
            step.emit("vigorish.collected", taken, "TCP 12.A", "TCB 12.A(2)")
        if line.meter is not None:
            progressive.take(step, seat, line)
        elif line.wager in game.PROGRESSIVE and line.returned:
            wins.by_odds(step, payment)


def _finish(step: Step) -> None:
    """Everything is paid: the account of the round, checked against a settlement made in one go."""
    round_ = step.round
    before = {name: Meter(cents, reset) for name, cents, reset in round_.meters_before}
    hands = [_hand(step, seat) for seat in _in_play(step)]
    rules, community = game.rules_of(step), _community(step)
    whole = game.settle_round(rules, _dealer(step), hands, before, community)
    paid: dict[int, list[Line]] = defaultdict(list)
    for payment in round_.paid:
        paid[payment.seat].append(payment.line)
    for result in whole.seats:
        assert sorted(result.lines, key=repr) == sorted(paid[result.seat], key=repr), (
            "paid otherwise"
        )
    shown = {meter.name: meter.cents for meter in step.state.meters}
    if not step.setup.training:
        assert whole.meters == shown, "the meters show something else"
    data = {
        "round": round_.number,
        "dealer": list(_dealer(step)),
        "community": list(community),
        **account.of_seats(round_, sorted((*whole.seats, *account.left_play(round_)))),
        "order": list(whole.order),
        "meters": shown,
    }
    step.update(phase=ROUND.fire("-all_settled", step.state.phase, step.state))
    step.emit("round.settled", data, "TCP 11.D", "TCP 12.A")
