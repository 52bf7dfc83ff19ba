"""What must hold after every step, in production too. A violation halts the table, recorded.

Each check is a generator of sentences; none of them names a sealed card.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from tablectl.cards import DECK_SIZE
from tablectl.table.actions import allowed
from tablectl.table.outputs import Command, Event
from tablectl.table.seal import trigger_commitment
from tablectl.table.state import State

_ENDED: Final = ("settled", "returned", "forfeited")
# What is possible at any time leads nowhere: a table that allows nothing else is stuck.
_ALWAYS_POSSIBLE: Final = frozenset({"log_on", "log_off", "halt_table", "acknowledge_alarm"})
_LOCKED_PHASES: Final = (
    "locking", "locked", "cancelling", "dealing", "deciding", "turning", "drawing",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Made:
    """A step as it was made: the state before and after it, and what would leave."""

    before: State
    after: State
    events: Sequence[Event]
    commands: Sequence[Command]


Check = Callable[[Made], Iterator[str]]


def violations(made: Made) -> tuple[str, ...]:
    """Everything that is wrong with a step; empty where nothing is."""
    return tuple(sentence for check in CHECKS for sentence in check(made))


def wagers_end_once(made: Made) -> Iterator[str]:
    """A wager that has ended never changes again; a cleared round leaves none open."""
    if made.before.round is None:
        return
    if made.after.round is None:
        if made.before.round.live_wagers():
            yield "a round was cleared with wagers open"
        return
    for wager in made.before.round.wagers:
        if wager.status in _ENDED and wager not in made.after.round.wagers:
            yield f"a wager of seat {wager.seat} that had ended was changed"


def nothing_after_the_lock(made: Made) -> Iterator[str]:
    """After "no more bets" only a play wager, or the floor's amendment; never a progressive."""
    if (
        made.before.round is None
        or made.after.round is None
        or made.before.phase not in _LOCKED_PHASES
    ):
        return
    amended = {
        (event.data["seat"], event.data["wager"])
        for event in made.events
        if event.type == "wager.amended"
    }
    old = {(w.seat, w.wager): w.cents for w in made.before.round.wagers}
    for wager in made.after.round.wagers:
        spot = (wager.seat, wager.wager)
        if old.get(spot) == wager.cents or wager.wager == "play":
            continue
        if spot not in amended or wager.wager.endswith(("progressive", "royal_9")):
            yield f"a {wager.wager} wager of seat {wager.seat} changed after the lock"


def play_equals_ante(made: Made) -> Iterator[str]:
    """TCP 7.F(1)."""
    if made.after.round is None:
        return
    stakes = {(w.seat, w.wager): w.cents for w in made.after.round.wagers}
    for (seat, wager), cents in stakes.items():
        if wager == "play" and cents != stakes.get((seat, "ante")):
            yield f"seat {seat}'s play wager is not its ante"


def cards_account_for_the_deck(made: Made) -> Iterator[str]:
    """Draws run on without a gap, places are unique, and no more cards are out than there are."""
    if made.after.round is None:
        return
    cards, shoe = made.after.round.cards, made.after.shoe
    if shoe is not None:  # it deals many rounds, and what it dealt for one may be put aside
        draws = [card.draw for card in cards]
        if draws != sorted(set(draws)) or (draws and draws[-1] > shoe.drawn):
            yield "the draws of the shoe are not in order"
    elif [card.draw for card in cards] != list(range(1, len(cards) + 1)):
        yield "the draws of the deck do not run from 1 without a gap"
    if len({card.place for card in cards}) != len(cards):
        yield "two cards lie at one place"
    if len(cards) > DECK_SIZE:
        yield "more cards are out than a deck has"


def nothing_dealt_unlocked(made: Made) -> Iterator[str]:
    """No leave to dispense while a wagering device could still take a wager (TCP 10.A(2)), nor
    before its chips agree with what it accepted (TCP 10.A(3))."""
    round_, wagering = made.after.round, made.after.devices_of("progressive")
    locked = made.after.lock == "locked" and all(device.locked for device in wagering)
    for command in made.commands:
        leave = command.name in ("dispense", "release")
        if leave and not locked:
            yield "the shoe was given leave to deal while wagering was not locked"
        if leave and round_ is not None and round_.count in ("due", "mismatch"):
            yield "the shoe was given leave to deal before the chips were verified"
        sign = command.name == "show"  # a light may say that the table is halted
        if not command.restrictive and not sign and made.after.halt is not None:
            yield f"{command.name} was permitted on a halted table"


def who_listens_orders_nobody(made: Made) -> Iterator[str]:
    """Where the table only listens no command leaves, but for the sign on a light of its own."""
    if made.after.listens:
        yield from (f"{c.name} was ordered" for c in made.commands if c.name != "show")


def meters_add_up(made: Made) -> Iterator[str]:
    """cents = base + contributed + seeded - awarded + corrected; a meter falls only for a win, or
    for a correction by two people."""
    lowering = ("progressive.paid", "progressive.corrected")
    fell = {event.data["meter"] for event in made.events if event.type in lowering}
    for meter in made.after.meters:
        whole = int(Fraction(meter.contributed_numerator, meter.contributed_denominator))
        stood = meter.base + whole + meter.seeded + meter.corrected
        if meter.cents != stood - meter.awarded or meter.cents < 0:
            yield f"meter {meter.name} does not add up"
        old = made.before.meter(meter.name)
        if old is not None and meter.cents < old.cents and meter.name not in fell:
            yield f"meter {meter.name} fell without a win or a correction"


def triggers_stay_sealed(made: Made) -> Iterator[str]:
    """A trigger is within its bounds and opens its commitment; one that is there stays until its
    meter starts again, or its hit was void, and nothing but its hit names it."""
    ends = ("progressive.reset", "progressive.void_hit")
    started = {e.data["meter"] for e in made.events if e.type in ends}
    for meter in made.after.meters:
        trigger, old = meter.trigger, made.before.meter(meter.name)
        known = old.trigger if old is not None else None
        if known is not None and trigger != known and meter.name not in started:
            yield f"the trigger of meter {meter.name} changed before it was hit"
        if trigger is not None and trigger != known:
            if not trigger.least <= trigger.cents <= trigger.most:
                yield f"the trigger of meter {meter.name} is out of bounds"
            if trigger_commitment(trigger.cents, trigger.salt) != trigger.commitment:
                yield f"the trigger of meter {meter.name} does not open its commitment"
        for event in made.events:
            hit = event.type == "progressive.hit" and event.data["meter"] == meter.name
            if trigger is not None and not hit and trigger.salt in repr(event.data):
                yield f"{event.type} names the trigger of meter {meter.name}"


def sealed_cards_stay_sealed(made: Made) -> Iterator[str]:
    """No event names a card that does not lie face up."""
    shown = _face_up(made.before) | _face_up(made.after)
    before, after = made.before.round, made.after.round
    if before is not None and (after is None or after.number != before.number):
        # The round was shown and cleared in one step: what it turned up lay open in between.
        shown |= {e.data["card"] for e in made.events if e.type == "card.revealed"}
    for event in made.events:
        if event.type.startswith(("card.", "round.")) and not _cards_in(event.data) <= shown:
            yield f"{event.type} names a card that lies face down"


def _face_up(state: State) -> set[str]:
    """Every card that lies face up, or was shown as a shoe began."""
    cards = (*(state.round.cards if state.round else ()), *state.carried)
    shown: set[str] = {card.card for card in cards if card.up and card.card is not None}
    first = state.shoe.first if state.shoe else None
    return shown | ({first} if first else set())


def _cards_in(value: Any, key: str = "") -> set[str]:
    if isinstance(value, dict):
        return {card for k, v in value.items() for card in _cards_in(v, k)}
    if isinstance(value, list):
        return {card for v in value for card in _cards_in(v, key)}
    if key in ("card", "cards", "dealer", "community", "player", "banker") and isinstance(
        value, str
    ):
        return {value}
    return set()


def something_is_allowed(made: Made) -> Iterator[str]:
    """Nobody is ever left in a dead end; where the devices alone lead, nobody waits."""
    if made.after.listens:
        return
    if not _ALWAYS_POSSIBLE.issuperset(allowed(made.after)):
        return
    if made.after.setup is not None:
        yield f"nothing is allowed in phase {made.after.phase}"


def the_record_is_gapless(made: Made) -> Iterator[str]:
    """Sequences go on by one, and time never goes back."""
    sequences = [event.sequence for event in made.events]
    if sequences != list(
        range(made.before.sequence + 1, made.before.sequence + 1 + len(made.events))
    ):
        yield "the sequence of events has a gap"
    if any(event.time_ns < made.before.clock.utc_ns for event in made.events):
        yield "time went back"


CHECKS: Final[tuple[Check, ...]] = (
    wagers_end_once,
    nothing_after_the_lock,
    play_equals_ante,
    cards_account_for_the_deck,
    nothing_dealt_unlocked,
    who_listens_orders_nobody,
    meters_add_up,
    triggers_stay_sealed,
    sealed_cards_stay_sealed,
    something_is_allowed,
    the_record_is_gapless,
)
