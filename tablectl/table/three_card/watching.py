"""A three-card table that only listens: the procedure follows from what its shoe tells.

A round is over when the shoe says that it stands by, or when a card leaves that can only be of
another round. Never sooner: while people may still decide, the dealer's hand stays sealed. Nothing
is guessed; where a card may be missing, the round is never settled.
"""

import re
from typing import Final

from tablectl.cards import DECK_SIZE
from tablectl.table import devices, listening, method
from tablectl.table.devices import Handlers, failed, tell
from tablectl.table.inputs import DeviceEvent, ReadCard
from tablectl.table.listening import noted
from tablectl.table.phases import ROUND
from tablectl.table.seal import commitment
from tablectl.table.state import Round, State, TableCard
from tablectl.table.step import Step
from tablectl.table.three_card import outcome, watched_decks
from tablectl.table.three_card.game import rules_of
from tablectl.table.three_card.observed import doubt, flag, is_mixed, wrong_stack
from tablectl.table.three_card.watched_decks import update_watch, watch_of

STACK: Final = 3
_PLACE: Final = re.compile(r"(?:seat/(?P<seat>[1-9])|dealer)/[1-3]|community/[12]")
_DEALT: Final = {
    "automated_shoe": ("TCP 10.B",), "manual_shoe": ("TCP 8.E",), "hand": ("TCP 9.C(2)",),
}  # fmt: skip


# ── cards ──────────────────────────────────────────────────────────────────
def stack(step: Step, event: DeviceEvent) -> str | None:
    """A stack left an automated shoe. Returns what is wrong with the report, if anything."""
    if (wrong := _wrong_with(step.state, event)) is not None:
        return _not_taken(step, wrong)
    _comes(step, event)
    number = len({card.place.rpartition("/")[0] for card in step.round.cards}) + 1
    evidence = [_lay(step, f"hand/{number}/{at}", read) for at, read in enumerate(event.cards, 1)]
    if len(event.cards) != STACK:
        wrong_stack(step, f"A stack had {len(event.cards)} cards, not {STACK}.", evidence)
    _look_at(step, event.cards, evidence)
    return None


def card(step: Step, event: DeviceEvent) -> str | None:
    """One card left a shoe that reads; in whatever mode, for burning is of another game."""
    if (wrong := _wrong_with(step.state, event)) is not None:
        return _not_taken(step, wrong)
    _comes(step, event)
    place, [read] = event.args.get("place"), event.cards
    outside = event.args.get("mode") == "outside"
    twice = any(each.place == place for each in step.round.cards)
    if outside or twice:
        place = f"aside/{len(step.round.cards) + 1}"
    evidence = [_lay(step, place or f"deal/{len(step.round.cards) + 1}", read)]
    if outside:
        what = "A card was drawn while the shoe was not in play."
        flag(step, "drawn_in_error", what, evidence)
    elif twice:
        flag(step, "duplicate_card", "A second card was told for one place.", evidence)
    _look_at(step, event.cards, evidence)
    return None


def over(state: State, event: DeviceEvent) -> bool:
    """Whether cards leave now that cannot be of the round under way."""
    shoe = state.device(event.device)
    deals = shoe is not None and shoe.kind == "shoe" and event.name in ("stack", "card")
    if not deals or _wrong_with(state, event) is not None:
        return False
    return watched_decks.of_another_round(state, _told(event))


def _wrong_with(state: State, event: DeviceEvent) -> str | None:
    """What makes a report of cards impossible to place."""
    cards, place = len(event.cards), event.args.get("place")
    in_stacks = method.dealing(state) == "automated_shoe"
    if event.name == "stack" and not in_stacks:
        return "it reports a stack; this table is dealt card by card"
    if event.name == "card" and in_stacks:
        return "it reports a single card; this table is dealt in stacks of three"
    if not 0 < cards <= (DECK_SIZE if in_stacks else 1):
        return f"it reports {cards} cards at once"
    if place is not None and not _is_here(state, place):
        return "it names a place that no card of this game has"
    return None


def _is_here(state: State, place: object) -> bool:
    found = _PLACE.fullmatch(place) if isinstance(place, str) else None
    return found is not None and int(found["seat"] or 1) <= rules_of(state).seats


def _told(event: DeviceEvent) -> int | None:
    """How many stacks have left the shoe by its own count, this one included."""
    told = event.args.get("dispensed")
    return told if type(told) is int and told > 0 else None


def _not_taken(step: Step, wrong: str) -> str:
    """A card may have left that the record cannot place: the round is in doubt for it."""
    if step.state.round is not None:
        doubt(step, "sequence_gap", "A report of cards made no sense.")
    update_watch(step, sure=False)
    return wrong


def _comes(step: Step, event: DeviceEvent) -> None:
    """The round that these cards belong to: the one under way, or another that begins with them."""
    listening.opens(step)
    told, counted = _told(event), watch_of(step).counted
    if step.state.round is not None and watched_decks.of_another_round(step.state, told):
        outcome.ends(step)
    if step.state.round is not None and len(step.round.cards) + len(event.cards) > DECK_SIZE:
        what = "More cards than a deck has left the shoe, and nothing told that a round ended."
        flag(step, "impossible_card", what)
        outcome.ends(step)
        update_watch(step, sure=False)
    if step.state.round is None:
        _begins(step, told)
    elif told is not None and counted is not None and told != counted + 1:
        flag(step, "sequence_gap", f"The shoe has told {counted} stacks, and now {told}.")
    watched_decks.card_left(step, told)


def _begins(step: Step, told: int | None) -> None:
    """Nobody opens a round here: its first card shows that it is open, and that bets are closed."""
    deck = watched_decks.deck_in_play(step)
    number, dealt = step.state.rounds + 1, _DEALT[method.dealing(step.state)]
    phase = ROUND.fire("-card_seen", step.state.phase, step.state)
    step.update(rounds=number, phase=phase, round=Round(number, deck.id), last_deck=deck.id)
    opened = {"round": number, "kind": "live", "deck": deck.id}
    step.emit("round.opened", opened, "TCP 7.A", inferred=True)
    step.emit("round.bets_locked", {"round": number}, "TCP 7.D", "TCP 7.E", inferred=True)
    step.emit("round.dealing", {"round": number}, *dealt, inferred=True)
    watched_decks.one_more_round(step, deck)
    whole = told == 1 if told is not None else watch_of(step).sure
    if not whole:
        watched_decks.begins_unknown(step)


def _lay(step: Step, place: str, read: ReadCard) -> int:
    """A card lies face down: its place and its seal are told, and nothing else."""
    sealed = commitment(read.card, read.salt) if read.card else None
    salt = read.salt if read.card else None
    laid = TableCard(len(step.round.cards) + 1, place, read.card, salt, sealed)
    step.update_round(cards=(*step.round.cards, laid))
    where = {"round": step.round.number, "draw": laid.draw, "place": place}
    data = {**where, "deck": step.round.deck, "commitment": sealed}
    sequence = step.emit("card.dealt", data, *_DEALT[method.dealing(step.state)])
    if read.card is None:
        step.emit("card.unreadable", where)
    return sequence


def _look_at(step: Step, cards: tuple[ReadCard, ...], evidence: list[int]) -> None:
    """What is wrong with what was just laid. Of face-down cards neither value nor place is told."""
    if any(read.card is None for read in cards):
        flag(step, "unreadable_card", "A card could not be read.", evidence)
    if is_mixed(step.round):
        return
    known = [each.card for each in step.round.cards if each.card is not None]
    if len(set(known)) < len(known):
        flag(step, "duplicate_card", "A card was read twice in one deck.")
    most = outcome.most_cards(step.state)
    if len(step.round.cards) > most:
        what = f"More cards left the shoe than the {most} that a round of this table can have."
        flag(step, "drawn_in_error", what)


# ── the end of a round ─────────────────────────────────────────────────────
def standby(step: Step, event: DeviceEvent) -> str | None:
    """The shoe waits for the next round: the one under way is over."""
    tell(step, "device.standby", event, "shoe", "between rounds")
    if step.state.round is not None:
        outcome.ends(step)
    update_watch(step, sure=True, renewed=False, tells=True)
    return None


def started(step: Step, event: DeviceEvent) -> str | None:
    """It begins with cards that were loaded: the next one is of another round."""
    tell(step, "device.started", event, "shoe", "started")
    update_watch(step, sure=True, renewed=step.state.round is not None, tells=True, counted=None)
    return None


# ── trouble ────────────────────────────────────────────────────────────────
def gap(step: Step, event: DeviceEvent) -> str | None:
    """Reports may be missing: a round with cards out is in doubt, the next one may be too."""
    what = str(event.args.get("what", "reports may be missing"))[:200]
    tell(step, "device.gap", event, "shoe", what)
    _lost(step, "Reports of the shoe were lost")
    return None


def _lost(step: Step, what: str) -> None:
    evidence, under_way = [step.state.sequence], step.state.round is not None
    when = "while a round was under way" if under_way else "between rounds"
    flag(step, "sequence_gap", f"{what} {when}.", evidence, stands=not under_way)
    update_watch(step, sure=False)


def online(step: Step, event: DeviceEvent) -> str | None:
    """The link is up; another count of stacks than the last one told: some are missing."""
    devices.online(step, event)
    told, counted = event.args.get("dispensed"), watch_of(step).counted
    told = told if type(told) is int else None
    if counted is None or told == counted:
        return None
    if step.state.round is not None:
        says = "cannot say how many stacks left it" if told is None else f"says {told}"
        what = f"{event.device} has told {counted} stacks, and {says}."
        flag(step, "sequence_gap", what, [step.state.sequence])
    # Counted on from there: what it deals now may still be of the round that it was stopped in.
    update_watch(step, counted=told or 0, sure=False)
    return None


def jam(step: Step, event: DeviceEvent) -> str | None:
    """It jammed: with a round's cards out nobody here knows whether a stack was still inside."""
    return _stopped(step, event, "jammed")


def fault(step: Step, event: DeviceEvent) -> str | None:
    return _stopped(step, event, f"stopped: {str(event.args.get('what', 'fault'))[:200]}")


def _stopped(step: Step, event: DeviceEvent, how: str) -> str | None:
    shoe = step.state.device(event.device)
    assert shoe is not None
    evidence = [failed(step, shoe, f"{shoe.kind} {shoe.id} {how}.")]
    update_watch(step, sure=False)
    if step.state.round is None:
        return None
    if method.dealing(step.state) == "automated_shoe":
        flag(step, "shoe_jam", f"The shoe {how}.", evidence)
    else:  # TCP 13.G is about automated shoes: here a card may have passed unread
        flag(step, "sequence_gap", f"The reader {how}.", evidence)
    return None


def cover_card(step: Step, event: DeviceEvent) -> str | None:
    """It belongs at the bottom (TCP 5.F(1)), and is no card of a hand."""
    tell(step, "device.cover_card", event, "shoe", "cover card")
    if step.state.round is not None:
        what = "The cover card came out while cards were dealt: it belongs at the bottom."
        flag(step, "wrong_order", what, [step.state.sequence], stands=True)
    return None


def after(step: Step) -> None:
    """What follows by itself, once an input is taken in."""
    listening.opens(step)
    watched_decks.look(step)


HANDLERS: Final[Handlers] = {
    **listening.HANDLERS,
    **watched_decks.HANDLERS,
    ("shoe", "stack"): stack,
    ("shoe", "card"): card,
    ("shoe", "standby"): standby,
    ("shoe", "started"): started,
    ("shoe", "gap"): gap,
    ("shoe", "online"): online,
    ("shoe", "jam"): jam,
    ("shoe", "fault"): fault,
    ("shoe", "cover_card"): cover_card,
    ("shoe", "held"): noted,
    ("shoe", "released"): noted,
}
