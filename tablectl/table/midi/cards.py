"""Six to eight decks become a shoe (MIDI chapters 3, 4 and 5): one stage after the other, together.

Nothing here deals a round. A reading shoe counts its burn itself; else the dealer names the card.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from tablectl.cards import UnknownCard, parse_card
from tablectl.table import decks
from tablectl.table.inputs import DeviceEvent, ReadCard
from tablectl.table.midi.ending import discard_carried
from tablectl.table.midi.shoe import (
    burn,
    burn_value,
    draw,
    new_shoe,
    rules_of,
    seen,
    shoe_of,
    update_shoe,
)
from tablectl.table.state import TableCard
from tablectl.table.step import HOUSE, Refused, Step

# Each step of chapter 4: the stage before it and after it, its event, its clauses.
OPENING: Final[Mapping[str, tuple[str, str, str, tuple[str, ...]]]] = {
    "inspect_cards": ("received", "inspected", "deck.inspected", ("MIDI 4.A",)),
    "verify_inspection": ("inspected", "verified", "deck.inspected", ("MIDI 4.A",)),
    "spread_cards": ("verified", "spread", "deck.spread", ("MIDI 4.B",)),
    "player_inspected": ("spread", "viewed", "deck.viewed", ("MIDI 4.C",)),
    "wash_cards": (
        "viewed", "stacked", "deck.washed", ("MIDI 4.C(1)", "MIDI 4.C(2)", "MIDI 4.C(3)"),
    ),
    "shuffle_done": ("stacked", "mixed", "deck.shuffled", ("MIDI 5.A",)),
    "verify_shuffle": ("mixed", "shuffled", "deck.shuffled", ("MIDI 5.A",)),
}  # fmt: skip

_UNSEEN: Final = ReadCard(None, "")  # a card that no reader saw


def receive(step: Step, args: Mapping[str, Any]) -> None:
    """The decks of a shoe come to the table, all of them, alike (MIDI 3.A, 4.A, 4.D)."""
    wanted = rules_of(step).decks
    step.update(decks=())
    for item in args["decks"]:
        deck = decks.received(step.state, item)
        step.update(decks=(*step.state.decks, deck))
    here = step.state.decks
    if len(here) != wanted:
        raise Refused(f"this table plays with {wanted} decks, not {len(here)}", "MIDI 3.A")
    if len({deck.back for deck in here}) > 1:
        raise Refused("the decks must look alike: their backs differ", "MIDI 3.A(1)")
    if len({deck.preshuffled for deck in here}) > 1:
        raise Refused("all decks are preshuffled, or none", "MIDI 4.D")
    ready = here[0].preshuffled
    new_shoe(step, "shuffled" if ready else "received")
    clause = "MIDI 4.D" if ready else "MIDI 4.A"
    for deck in here:
        data = {"deck": deck.id, "back": deck.back, "preshuffled": deck.preshuffled}
        step.emit("deck.received", data, "MIDI 3.A", clause, subject=f"deck/{deck.id}")


def prepare(step: Step, trigger: str, args: Mapping[str, Any]) -> None:
    """A step of chapter 4, or a shuffle by hand and its verification (MIDI 5.A)."""
    _, stage, type_, clauses = OPENING[trigger]
    update_shoe(step, stage=stage)
    more: dict[str, Any] = {}
    if type_ == "deck.inspected":
        more = {"verified": trigger == "verify_inspection"}
    elif trigger == "player_inspected":
        more = {"viewed": args["viewed"]}
    elif type_ == "deck.shuffled":
        more = {"by": "dealer", "verified": trigger == "verify_shuffle"}
    _emit(step, type_, *clauses, **more)


def shuffled_by_device(step: Step, event: DeviceEvent) -> str | None:
    """A shuffler mixed the cards; where it counts, it counts all of them (MIDI 5.A)."""
    shoe, count = step.state.shoe, event.args.get("count")
    if shoe is None or shoe.stage != "stacked":
        return "it shuffled cards that were not stacked for it"
    if count not in (None, shoe.size):
        what = f"The shuffler counted {count} cards, not {shoe.size}: take these decks out."
        step.raise_alarm("shuffle_count", "critical", what, HOUSE, until_seen=True)
        step.open_duty("change_decks", HOUSE)
        return f"it counted {count} cards, not {shoe.size}"
    update_shoe(step, stage="shuffled")
    _emit(step, "deck.shuffled", "MIDI 5.A", by="device", count=count)
    return None


# ── the cut (MIDI 5.B to 5.E) ──────────────────────────────────────────────
def offer_cut(step: Step, args: Mapping[str, Any]) -> None:
    """The cut is offered from the highest seat down until somebody takes it (MIDI 5.B(2))."""
    seat, seats, shoe = args["seat"], rules_of(step).seats, shoe_of(step)
    if not 1 <= seat <= seats:
        raise Refused(f"this table has seats 1 to {seats}", "MIDI 2.A(1)", malformed=True)
    if shoe.offered and seat >= shoe.offered[-1]:
        raise Refused(f"seat {shoe.offered[-1]} was offered the cut: go on below it", "MIDI 5.B(2)")
    update_shoe(step, offered=(*shoe.offered, seat))
    if args["accepted"]:
        _cut(step, f"seat {seat}", "MIDI 5.B(2)", "MIDI 5.B(4)")
    else:
        data = {"deck": shoe.id, "seat": seat, "accepted": False}
        step.emit("deck.cut_offered", data, "MIDI 5.B(2)", subject=f"deck/{shoe.id}")


def cut_by_staff(step: Step, _args: Mapping[str, Any]) -> None:
    """Nobody took the cut: the dealer or the floor cuts (MIDI 5.B(3))."""
    _cut(step, str(step.events[-1].data["role"]), "MIDI 5.B(3)", "MIDI 5.B(4)")


def _cut(step: Step, who: str, *clauses: str) -> None:
    shoe = update_shoe(step, stage="cut")
    _emit(step, "deck.cut", *clauses, by=who, offered=list(shoe.offered))


def recut(step: Step, args: Mapping[str, Any]) -> None:
    """The floor has the cards cut again by the next person (MIDI 5.D, 5.E(1))."""
    shoe = update_shoe(step, stage="shuffled", recuts=shoe_of(step).recuts + 1)
    clauses = ("MIDI 5.D", "MIDI 5.E(1)")
    _emit(step, "deck.recut", *clauses, reason=args["reason"], recuts=shoe.recuts)
    if shoe.recuts > 1:
        what = f"The cards were recut {shoe.recuts} times: think of a new shuffle."
        step.raise_alarm("recut", "warning", what, HOUSE, about=shoe.id, until_seen=True)


def load(step: Step, _args: Mapping[str, Any]) -> None:
    """The second cover card is in, and the stack goes into the shoe (MIDI 5.C)."""
    shoe = update_shoe(step, stage="loaded")
    _custody(step, "shoe")
    _emit(step, "deck.loaded", "MIDI 5.C(1)", "MIDI 5.C(2)", decks=shoe.decks)


# ── the burn (MIDI 5.F, 5.G) ───────────────────────────────────────────────
def burn_by_hand(step: Step, args: Mapping[str, Any]) -> None:
    """No reader: the dealer names the first card, and confirms that its number was burned."""
    shoe = shoe_of(step)
    if shoe.discard:
        discarded(step, _UNSEEN)
        return
    if shoe.burn_due is None:
        name_first(step, args, drawn=shoe.stage != "loaded")
        shoe = shoe_of(step)
    assert shoe.burn_due is not None
    for n in range(shoe.burned, shoe.burn_due):
        burn(step, draw(step, _UNSEEN, f"burn/{n + 2}"), "MIDI 5.F", "MIDI 5.G")
    update_shoe(step, stage="ready", burned=max(shoe.burned, shoe.burn_due), gap=False)


def burned(step: Step, read: ReadCard, said: object = None) -> TableCard:
    """A reading shoe burns: its first card is shown, and says how many follow it.

    Where reports were lost nobody can tell which of them this is: it stays face down, and the
    dealer says when the burn is over.
    """
    shoe = shoe_of(step)
    if shoe.gap and said != "first":
        taken = draw(step, read, f"burn/{shoe.burned + 2}", counted=False)
        burn(step, taken, "MIDI 5.F", "MIDI 5.G")
        update_shoe(step, burned=shoe.burned + 1)
        return taken
    if shoe.stage == "loaded":
        taken = draw(step, read, "burn/1", up=True)
        burn(step, taken, "MIDI 5.F")
        due = burn_value(read.card) if read.card else None
        update_shoe(step, stage="burning", first=read.card, burn_due=due)
        return taken
    taken = draw(step, read, f"burn/{shoe.burned + 2}")
    burn(step, taken, "MIDI 5.F", "MIDI 5.G")
    shoe = update_shoe(step, burned=shoe.burned + 1)
    if shoe.burned == shoe.burn_due:
        update_shoe(step, stage="ready", gap=False)
    return taken


def name_first(step: Step, args: Mapping[str, Any], *, drawn: bool = True) -> None:
    """The dealer says what the first card is, where no reader could tell."""
    try:
        card = parse_card(args.get("card"))
    except UnknownCard as error:
        raise Refused(f"name the first card: {error}", "MIDI 5.F", malformed=True) from None
    if drawn:
        seen(step, card)
    shoe = update_shoe(step, first=card, burn_due=burn_value(card))
    if not drawn:
        burn(step, draw(step, ReadCard(card, ""), "burn/1", up=True), "MIDI 5.F")
        return
    data = {"round": None, "deck": shoe.id, "draw": 1, "place": "burn/1", "card": card}
    step.emit("card.revealed", {**data, "salt": None, "entered": True}, "MIDI 5.F")
    if shoe.burned >= burn_value(card):
        update_shoe(step, stage="ready", gap=False)


def discarded(step: Step, read: ReadCard) -> TableCard:
    """One card more goes to the bucket without being shown (MIDI 13.C(2)(a))."""
    taken = draw(step, read, f"burn/{shoe_of(step).burned + 2}")
    update_shoe(step, burned=shoe_of(step).burned + 1, discard=False)
    burn(step, taken, "MIDI 13.C(2)(a)")
    return taken


def cover_in_burn(step: Step) -> None:
    """A cover card among the burned ones: the floor looks, and the stack is cut again before play.

    All its cards are in it again, in another order: draws are counted from 1 in a shoe of its own.
    """
    before = shoe_of(step)
    new_shoe(step, "shuffled")
    shoe = update_shoe(step, offered=before.offered, recuts=before.recuts + 1)
    _custody(step, "rack")
    what = "The cover card came out in the burn: the cards go together, and are cut again."
    clauses = ("MIDI 5.C(1)", "MIDI 5.D")
    step.raise_alarm("cover_in_burn", "critical", what, *clauses, about=shoe.id, until_seen=True)


# ── the end of a shoe ──────────────────────────────────────────────────────
def take_out(step: Step, *clauses: str) -> None:
    """All the cards leave the table; what was carried goes with them, unexposed."""
    shoe = shoe_of(step)
    discard_carried(step)
    gone = (*step.state.gone_decks, *(deck.id for deck in step.state.decks))[-decks.REMEMBERED :]
    step.update(decks=(), gone_decks=gone)  # new decks follow, never the same again (MIDI 9.D(3))
    update_shoe(step, stage="removed", discard=False)
    step.emit("deck.removed", {"deck": shoe.id}, *clauses, subject=f"deck/{shoe.id}")
    step.done_duty("change_decks")


def change(step: Step, _args: Mapping[str, Any]) -> None:
    """The decks of a shoe that was played make room for new ones (MIDI 3.B, 9.D(3))."""
    take_out(step, "MIDI 3.B", "MIDI 9.D(3)")
    _emit(step, "deck.changed", "MIDI 3.B")


def _custody(step: Step, custody: str) -> None:
    step.update(decks=tuple(replace(deck, custody=custody) for deck in step.state.decks))


def _emit(step: Step, type_: str, *clauses: str, **data: Any) -> None:
    shoe = shoe_of(step)
    step.emit(type_, {"deck": shoe.id, **data}, *clauses, subject=f"deck/{shoe.id}")
