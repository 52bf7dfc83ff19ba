"""What must come of every irregularity at every moment, written from the rule texts.

TCP and TCB are Maryland's texts; in Washington the same is house procedure. Nothing here asks the
program what it would do: `tests/table/test_matrix.py` compares the two.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tablectl.cards import DECK, Card
from tablectl.table import method
from tablectl.table.table import Outcome
from tests.table.moments import Moment
from tests.table.pit import Pit

HOUSE = "house procedure"
BETS = ("no wager", "betting")
AFTER_LOCK = ("locking", "locked", "cancelling", "dealing")  # until the last hand is out
OUT = ("all out", "one decided", "all decided", "stack out")  # until the reveal
SHOWN = ("settling", "one paid", "clearing")


@dataclass(frozen=True)
class Void:
    """The round is void by these clauses, every wager goes back, the cards owe this duty."""

    clauses: tuple[str, ...]
    duty: str | None = "reshuffle"


@dataclass(frozen=True)
class Recorded:
    """Nothing is void; on record by these clauses (none: nothing is irregular), with this duty."""

    clauses: tuple[str, ...] = ()
    duty: str | None = None


@dataclass(frozen=True)
class Halted:
    """The table stops and the floor looks; nothing is void by itself."""


@dataclass(frozen=True)
class Refused:
    """Not possible now, or not to be believed: a reason is given."""


Expected = Void | Recorded | Halted | Refused


def by(moment: Moment, tcp: str, tcb: str) -> tuple[str, ...]:
    """As the table's own text has it; Washington's has none."""
    return ({"TCP": tcp, "TCB": tcb, "WA": HOUSE}[moment.text],)


def locked_unseen(moment: Moment) -> bool:
    """Locked, and nobody reports the cards: the deal may be under way."""
    return moment.name == "locked" and moment.unseen


def dealer_is_out(moment: Moment) -> bool:
    """The dealer's cards, and so the stub, are out of the shuffler."""
    return moment.name in OUT and (not moment.left_inside or moment.name == "stack out")


def stops_the_deal(moment: Moment) -> bool:
    """An automated shoe has not dealt all cards yet."""
    inside = moment.left_inside and moment.name in OUT and not dealer_is_out(moment)
    return moment.automated and (moment.name in AFTER_LOCK or inside)


def stack_is_due(moment: Moment) -> bool:
    inside = moment.left_inside and moment.name == "all decided"
    return moment.name in ("locked", "cancelling", "dealing") or inside


# ── devices ────────────────────────────────────────────────────────────────
def shoe_jams(moment: Moment) -> Expected:
    """TCP 13.G, TCB 13.D: from the lock until every stack is out. Before it nothing is void."""
    if not moment.automated:  # about automated shoes alone: here a reader fails
        return Recorded()
    clauses = by(moment, "TCP 13.G", "TCB 13.D")
    if stops_the_deal(moment):
        return Void(clauses)
    return Recorded(clauses, "reshuffle" if moment.name in ("loaded", *BETS) else None)


def shuffler_jams(moment: Moment) -> Expected:
    """TCP 13.F: voids nothing; what was in it is shuffled anew. TCB has no such clause."""
    decks = moment.state.decks
    inside = bool(decks) and decks[0].custody == "shuffler"
    return Recorded(by(moment, "TCP 13.F", HOUSE), "reshuffle" if inside else None)


def shoe_is_marked(moment: Moment) -> Expected:
    """TCP 13.G: a shoe that is covered before every stack is out has failed to deal all cards."""
    return shoe_jams(moment) if stops_the_deal(moment) else Recorded()


def shoe_cannot_tell(moment: Moment) -> Expected:
    """A dispense whose outcome nobody knows is a shoe failure."""
    leave = moment.state.devices_of("shoe")[0].permitted
    return Void(by(moment, "TCP 13.G", "TCB 13.D")) if moment.automated and leave else Recorded()


def short_stack(moment: Moment) -> Expected:
    """TCP 13.D, TCB 13.C where a hand was due; else as any stray card."""
    if moment.automated and stack_is_due(moment):
        return Void(by(moment, "TCP 13.D", "TCB 13.C"))
    return stray(moment)


def stray(moment: Moment) -> Expected:
    """Cards that nobody asked for: before the lock wagers go back; later they join the stub."""
    if moment.name in ("closed", "no deck", "ready", "after"):
        return Refused()  # there is no deck in it
    if moment.name == "loaded":
        return Recorded((HOUSE,), "reshuffle")
    if moment.name in (*BETS, "locking"):
        return Void((HOUSE,))
    return Recorded(by(moment, "TCP 13.C", "TCB 13.B"))


def read_twice(_moment: Moment) -> Expected:
    """One card seen at two places: the floor looks first."""
    return Halted()


# ── the dealer's reports ───────────────────────────────────────────────────
def reported_jam(moment: Moment) -> Expected:
    return Refused() if moment.name == "closed" else shoe_jams(moment)


def one_face_up(moment: Moment) -> Expected:
    """TCP 13.A: racked, the next one takes its place, while it is within reach; TCB 13.A: void."""
    if moment.name in ("ready", "loaded"):
        return Recorded((HOUSE,), "reshuffle")
    if moment.name not in ("locked", "dealing", "all out"):
        return Refused()
    if moment.text != "TCP":
        return Void(by(moment, "", "TCB 13.A"))
    if moment.left_inside and moment.name != "locked":
        return Void(("TCP 13.A", "TCP 13.G"))
    return Recorded(("TCP 13.A",))


def two_face_up(moment: Moment) -> Expected:
    """TCP 13.B, TCB 13.A: more than one in a round voids, in the dealer's last stack too."""
    if moment.name in ("ready", "loaded"):
        return Recorded((HOUSE,), "reshuffle")
    late = moment.name == "stack out"
    if moment.name in ("locked", "dealing", "all out") or late:
        return Void(by(moment, "TCP 13.B", "TCB 13.A"))
    return Refused()


def dealer_exposed(moment: Moment) -> Expected:
    """TCP 13.E: void until every decision is recorded. TCB is silent: it plays."""
    if not dealer_is_out(moment) and not locked_unseen(moment):
        return Refused()
    if moment.name in ("all decided", "stack out"):
        return Refused()
    return Void(("TCP 13.E",)) if moment.text == "TCP" else Recorded((HOUSE,))


def player_exposed(moment: Moment) -> Expected:
    """No clause: it plays, recorded."""
    there = moment.name in ("dealing", *OUT) or locked_unseen(moment)
    return Recorded((HOUSE,)) if there else Refused()


def community_exposed(moment: Moment) -> Expected:
    """Before the last decision as a card found face up (TCP 13.A); later harmless."""
    if not dealer_is_out(moment):
        return Refused()
    late = moment.name in ("all decided", "stack out")
    return Recorded((HOUSE,)) if late else Recorded(("TCP 13.A",))


def drawn_in_error(moment: Moment) -> Expected:
    """TCP 13.C, TCB 13.B: it is the next card."""
    if moment.name in ("locked", "dealing", *OUT):
        return Recorded(by(moment, "TCP 13.C", "TCB 13.B"))
    return Refused()


def misdealt(moment: Moment) -> Expected:
    """TCP 13.D, TCB 13.C."""
    if moment.name in ("dealing", *OUT) or locked_unseen(moment):
        return Void(by(moment, "TCP 13.D", "TCB 13.C"))
    return Refused()


def floor_voids(moment: Moment) -> Expected:
    """No clause, until the reveal. What may have been dealt is shuffled anew."""
    if moment.name not in (*AFTER_LOCK, *OUT):
        return Refused()
    out = moment.name in ("dealing", *OUT) or locked_unseen(moment)
    return Void((HOUSE,), "reshuffle" if out else None)


_WRONG_STUB = {  # misdealt with 52 present; not 52
    ("TCP", "manual_shoe"): ("TCP 8.H(1)", "TCP 8.H(2)"),
    ("TCP", "hand"): ("TCP 9.G", "TCP 9.H"),
    ("TCP", "automated_shoe"): ("TCP 10.F", "TCP 10.G"),
    ("TCB", "manual_shoe"): ("TCB 8.F(4)", "TCB 8.F(5)"),
    ("TCB", "hand"): ("TCB 9.D(4)", "TCB 9.D(5)"),
    ("TCB", "automated_shoe"): ("TCB 10.C(3)", "TCB 10.C(4)"),
}


def wrong_stub(moment: Moment, *, whole: bool) -> Expected:
    """By the method of dealing: misdealt with 52 present, or the deck is not whole."""
    assert moment.state.setup is not None
    dealing = getattr(moment.state.setup.rules, "dealing", "")
    present, missing = _WRONG_STUB.get((moment.text, dealing), (HOUSE, HOUSE))
    if moment.name in ("ready", "loaded", "after"):  # the whole deck: what was settled stands
        return Recorded((missing,), "remove_deck")
    if not dealer_is_out(moment) and not locked_unseen(moment):
        return Refused()
    return Void((present,)) if whole else Void((missing,), "remove_deck")


def late_bet(moment: Moment) -> Expected:
    """TCP 2.C(2), 7.E: never counted, it goes back whatever the result. TCB has 7.D."""
    if moment.name not in (*AFTER_LOCK, *OUT, *SHOWN):
        return Refused()
    clauses = {"TCP": ("TCP 2.C(2)", "TCP 7.E"), "TCB": ("TCB 7.D", HOUSE)}
    return Recorded(clauses.get(moment.text, (HOUSE,)))


def wrong_order(moment: Moment) -> Expected:
    """House procedure: put right on the floor's word while nobody has touched them."""
    two = moment.state.round is not None and len(moment.state.round.cards) > 1
    return Recorded((HOUSE,)) if two and moment.name in ("dealing", "all out") else Refused()


def the_floor_decides(expected: Expected, moment: Moment, doing: str) -> Expected:
    """Washington without house rulings: nothing is void by itself, and no deck is spoilt by it."""
    if doing == "the floor voids" or not isinstance(expected, Void | Recorded):
        return expected
    if isinstance(expected, Void):
        return Recorded((HOUSE,))
    spares = doing == "shuffler jams"  # a deck that is not whole any more is shuffled all the same
    return Recorded(expected.clauses, None if spares else expected.duty)


# ── how it happens ─────────────────────────────────────────────────────────
Doing = Callable[[Pit], Outcome]


def fresh(pit: Pit, many: int) -> list[Card]:
    """Cards that the table has not seen in this round."""
    known = {card.card for card in pit.state.round.cards} if pit.state.round else set()
    return [card for card in DECK if card not in known][:many]


def told(device: str, name: str, **args: Any) -> Doing:
    return lambda pit: pit.device(device, name, **args)


def dealt(cards: int) -> Doing:
    """So many cards leave the shoe, in a stack or as the single card that it deals."""

    def doing(pit: Pit) -> Outcome:
        if method.dealing(pit.state) == "automated_shoe":
            return pit.device("shoe", "stack", fresh(pit, cards))
        return pit.device("shoe", "card", fresh(pit, 1))

    return doing


def dealt_again(pit: Pit) -> Outcome:
    again = next(card.card for card in pit.state.round.cards if card.card)
    if method.dealing(pit.state) == "automated_shoe":
        return pit.device("shoe", "stack", [again, *fresh(pit, 2)])
    return pit.device("shoe", "card", [again])


def away(then: Doing) -> Doing:
    def doing(pit: Pit) -> Outcome:
        pit.device("shoe", "offline")
        return then(pit)

    return doing


def said(action: str, **args: Any) -> Doing:
    """Somebody says so; where a ruling is shown first, it is confirmed, and must be that one."""

    def doing(pit: Pit) -> Outcome:
        outcome = pit.act(action, **args)
        if outcome.ruling is None:
            return outcome
        shown = outcome.ruling
        outcome = pit.act(action, **args, confirm=True)
        assert shown.clauses == tuple(pit.last("round.voided").data["clauses"])
        return outcome

    return doing


def face_up(cards: int, owner: str = "seat/1") -> Doing:
    """Its place is named where the table knows of a card there."""

    def doing(pit: Pit) -> Outcome:
        there = pit.state.round.hand(owner) if pit.state.round else ()
        place = {"place": there[0].place} if there else {}
        return said("report_face_up", cards=cards, **place)(pit)

    return doing


def counted_wrong(*, whole: bool) -> Doing:
    def doing(pit: Pit) -> Outcome:
        outcome = pit.act("count_stub", "dealer", cards=3)
        if outcome.refusal is not None or pit.state.round is None:
            return outcome
        pit.act("count_stub", "dealer", cards=3)
        return pit.act("judge_stub", "dealer", misdealt=whole)

    return doing


def swapped(pit: Pit) -> Outcome:
    places = [card.place for card in pit.state.round.cards] if pit.state.round else []
    to = places[1] if len(places) > 1 else "seat/3/1"
    return pit.act("move_card", draw=1, to=to)


def always(_moment: Moment) -> bool:
    return True


def has_shoe(moment: Moment) -> bool:
    return bool(moment.state.devices_of("shoe"))


def reads(moment: Moment) -> bool:
    return has_shoe(moment) and moment.name == "dealing"


def not_due(moment: Moment) -> bool:
    return has_shoe(moment) and not stack_is_due(moment)


@dataclass(frozen=True)
class Irregularity:
    """What happens, what must come of it, and where it can happen at all."""

    doing: Doing
    expected: Callable[[Moment], Expected]
    where: Callable[[Moment], bool] = always


IRREGULARITIES: dict[str, Irregularity] = {
    "shoe jams": Irregularity(told("shoe", "jam"), shoe_jams, has_shoe),
    "shoe stops": Irregularity(told("shoe", "fault", what="motor"), shoe_jams, has_shoe),
    "dealer sees the shoe jam": Irregularity(
        said("report_jam", device="shoe"), reported_jam, has_shoe
    ),
    "shuffler jams": Irregularity(
        told("shuffler", "jam"), shuffler_jams, lambda m: bool(m.state.devices_of("shuffler"))
    ),
    "shoe is away and marked": Irregularity(
        away(said("mark_out_of_order", device="shoe")), shoe_is_marked, has_shoe
    ),
    "shoe comes back and cannot tell": Irregularity(
        away(told("shoe", "online", dispensed=None)), shoe_cannot_tell, has_shoe
    ),
    "stack of two": Irregularity(dealt(2), short_stack, lambda m: has_shoe(m) and m.automated),
    "stack of four": Irregularity(dealt(4), short_stack, lambda m: has_shoe(m) and m.automated),
    "cards nobody asked for": Irregularity(dealt(3), stray, not_due),
    "one card read twice": Irregularity(dealt_again, read_twice, reads),
    "one card face up": Irregularity(face_up(1), one_face_up),
    "two cards face up": Irregularity(face_up(2, "dealer"), two_face_up),
    "dealer's card exposed": Irregularity(said("report_exposed", place="dealer/1"), dealer_exposed),
    "player's card exposed": Irregularity(said("report_exposed", place="seat/1/1"), player_exposed),
    "community card exposed": Irregularity(
        said("report_exposed", place="community/1"), community_exposed, lambda m: m.five_cards
    ),
    "drawn in error": Irregularity(said("report_drawn_in_error"), drawn_in_error),
    "wrong number of cards": Irregularity(said("declare_misdeal"), misdealt),
    "the floor voids": Irregularity(said("void_round", reason="a quarrel"), floor_voids),
    "stub wrong, misdealt": Irregularity(
        counted_wrong(whole=True), lambda m: wrong_stub(m, whole=True)
    ),
    "stub wrong, not 52": Irregularity(
        counted_wrong(whole=False), lambda m: wrong_stub(m, whole=False)
    ),
    "late bet": Irregularity(said("report_late_bet", seat=1, wager="ante"), late_bet),
    "wrong order": Irregularity(swapped, wrong_order),
}
