"""What the table knows: one frozen value, the fold of every input so far; it only looks up.

Only JSON-able types, so that a snapshot is the state and nothing but the state.
"""

from dataclasses import dataclass, field

from tablectl.cards import DECK_SIZE, Card
from tablectl.games.settlement import Line
from tablectl.table.midi.state import MidiHands, MidiShoe
from tablectl.table.setup import DeviceKind, Setup
from tablectl.table.three_card.state import Watch


@dataclass(frozen=True, slots=True)
class Clock:
    """The record's time never goes back; `elapsed_ns` is the stop-watch across boots."""

    utc_ns: int = 0
    mono_ns: int = 0
    boot: str = ""
    elapsed_ns: int = 0


@dataclass(frozen=True, slots=True)
class Wager:
    """One wager of one seat. It ends exactly once: settled, returned, forfeited or withdrawn."""

    seat: int
    wager: str
    cents: int
    status: str = "placed"  # placed, locked, then one of the endings
    device: str = ""  # the device that accepted it; keyed on the dealer's page otherwise
    known: bool = True  # False where only the seat is followed: `cents` then stands for one unit

    @property
    def shown(self) -> int | None:
        """The amount as it may leave the table: no money is invented where none is known."""
        return (self.cents or None) if self.known else None


@dataclass(frozen=True, slots=True)
class TableCard:
    """A card out of the shoe: its identity is deck and draw, its place may change."""

    draw: int
    place: str
    card: Card | None
    salt: str | None
    commitment: str | None
    up: bool = False


@dataclass(frozen=True, slots=True)
class Contribution:
    """What a progressive wager adds to a meter, exact: numerator/denominator cents."""

    meter: str
    numerator: int
    denominator: int
    wagered: int = 0  # the cents of the wagers that it comes from


@dataclass(frozen=True, slots=True)
class Payment:
    """A line of settlement, and the seat that it belongs to."""

    seat: int
    line: Line


@dataclass(frozen=True, slots=True)
class Round:
    """One round of play, from open bets to cleared cards."""

    number: int
    deck: str
    kind: str = "live"
    wagers: tuple[Wager, ...] = ()
    dealing: str = ""  # how it is dealt, from open bets to the end
    was_locked: bool = False  # "no more bets" was said once: no progressive wager may change
    plan: tuple[str, ...] = ()  # what is due from the shoe, in order: hands, or card by card places
    cards: tuple[TableCard, ...] = ()
    stacks: int = 0  # how much of the plan is out
    face_up: int = 0  # cards found face up in this round (TCP 13.A, 13.B)
    by_stub: tuple[str, ...] = ()  # places that are filled from the stub, once the shoe is done
    stub: str = ""  # its count: "", then "recount" and "judge" where it was wrong
    doubt: bool = False  # one card was seen twice: the floor looks before anything goes on
    decisions: tuple[tuple[int, str], ...] = ()
    asked: int | None = None
    pending: tuple[Contribution, ...] = ()
    revealed: bool = False
    turns: tuple[int, ...] = ()  # seats still to settle, the one whose turn it is first
    due: tuple[Payment, ...] = ()  # what the seat whose turn it is brings about
    paid: tuple[Payment, ...] = ()
    meters_before: tuple[tuple[str, int, int], ...] = ()  # name, cents, reset when settling began
    by_hand: bool = False  # a halt after the reveal: the floor settles the open seats
    void_reason: str | None = None
    midi: MidiHands | None = None  # of a round with a Player's and a Banker's hand
    # ── wagers and people ──
    late: tuple[tuple[int, str], ...] = ()  # seen after the lock: no wagers, to be given back
    count: str = ""  # progressive chips: due, mismatch, verified; empty where none was accepted
    counts: int = 0  # how often they were counted and differed
    chips: int | None = None  # as counted last
    validated: tuple[tuple[int, str], ...] = ()  # progressive wins that the floor validated
    told: tuple[tuple[int, str, int], ...] = ()  # wins that were told: seat, wager, cents
    out: tuple[tuple[int, str], ...] = ()  # seats that left the round: abandoned, forfeited
    disputes: tuple[tuple[int, tuple[str, ...]], ...] = ()  # seats, and the meters they claim
    waiting: tuple[int, ...] = ()  # seats with a claim on a meter that is in dispute
    void_seats: tuple[tuple[int, int], ...] = ()  # void found late: to give (or take, below 0)
    players: tuple[tuple[int, str], ...] = ()  # seats bound to a player
    meter_paid: bool = False  # a meter's award is paid: this round cannot be void any more
    doubts: tuple[tuple[str, str], ...] = ()  # irregularities that leave it unsettled, and why

    def hand(self, owner: str) -> tuple[TableCard, ...]:
        """The cards of "seat/3" or "dealer", in place order."""
        prefix = owner + "/"
        return tuple(card for card in self.cards if card.place.startswith(prefix))

    def live_wagers(self, seat: int | None = None) -> tuple[Wager, ...]:
        """Wagers that have not ended, of one seat or of all."""
        return tuple(
            wager
            for wager in self.wagers
            if wager.status in ("placed", "locked") and seat in (None, wager.seat)
        )

    def stake(self, seat: int, wager: str) -> int:
        """What stands on a seat's spot for a wager, 0 where nothing does."""
        return next((w.cents for w in self.live_wagers(seat) if w.wager == wager), 0)

    def decision(self, seat: int) -> str | None:
        """ "play", "fold" or None."""
        return dict(self.decisions).get(seat)

    def ante_seats(self) -> tuple[int, ...]:
        """The seats to be asked, from the dealer's far left (TCP 11.B)."""
        left = dict(self.out)
        antes = {w.seat for w in self.wagers if w.wager == "ante" and w.status == "locked"}
        return tuple(sorted(antes - left.keys()))


@dataclass(frozen=True, slots=True)
class Deck:
    """A deck of 52: where it is (custody) and how far it is made ready (preparation)."""

    id: str
    back: str
    preshuffled: bool = False
    custody: str = "rack"
    preparation: str = "received"
    size: int = DECK_SIZE
    latched: bool = False
    loaded_ns: int | None = None  # on the table's stop-watch: the deck clock starts here
    by_hand: bool = False  # dealt from the hand at least once: the shorter clock (TCP 3.C(1))
    change_soon: bool = False  # told that the clock runs out
    overdue: bool = False  # the clock has run out: no new round with it
    to_count: bool = False  # since a void or a jam: 52 are to be counted after the reshuffle
    recuts: int = 0
    compartment: int = 0  # of a shuffler with two, while it is in it; else it means nothing
    rounds_since_count: int = 0  # rounds dealt from it since its last proof of 52
    table_rounds: int = 0  # rounds dealt at the table since then, from any deck


@dataclass(frozen=True, slots=True)
class Known:
    """Who a device said it is, when it was online last."""

    serial: str = ""
    model: str = ""
    path: str = ""  # the USB plug that it is behind
    game_mode: str = ""
    boot: str = ""  # changes when it restarts; empty where a change would mean nothing
    versions: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Mark:
    """Up to where a device was heard, in its driver's words, and when."""

    text: str
    mono_ns: int
    boot: str


@dataclass(frozen=True, slots=True)
class Device:
    """A device as the table sees it."""

    id: str
    kind: DeviceKind
    health: str = "unknown"  # unknown until it has told its state since the start
    behind: str = ""  # out of order: what its link has told meanwhile
    confirmed: bool = False  # out of order: the floor saw the cover or the sign
    locked: bool = True  # wagering devices: what it last acknowledged
    permitted: bool = False  # a permission is out that may not have been used up yet
    holding: bool = False  # shoe: told to hold, and has not said yet that it does
    opening: bool = False  # wagering device: told to unlock, and has not said yet that it did
    opened_by: int = 0  # wagering device: the number of the last order to unlock
    numbers: bool = False  # wagering device: its answers name the order that they answer
    sign: str = ""  # indicator: what it was told to show since it came up
    dispensed: int = 0  # shoe: stacks since it was loaded, as far as the table has seen
    accepts: bool = False  # wagering device: accepts wagers by itself, as it told or showed
    lit: tuple[tuple[int, str], ...] = ()  # its lamps, by seat and wager, as the table set them
    known: Known | None = None
    mark: Mark | None = None  # where the next process begins to listen, if it begins at once


@dataclass(frozen=True, slots=True)
class Trigger:
    """What a Must Hit meter waits for. Only the commitment may leave the table before the hit."""

    commitment: str
    cents: int
    salt: str
    least: int  # it was drawn from here
    most: int  # to here


@dataclass(frozen=True, slots=True)
class MeterState:
    """A progressive meter: cents = base + whole contributed + seeded - awarded + corrected.

    The totals never start again: what was wagered on it (in), awarded from it (out), and how much
    of that the floor paid by hand.
    """

    name: str
    reset: int
    rate: str
    cents: int
    base: int
    contributed_numerator: int = 0
    contributed_denominator: int = 1
    seeded: int = 0
    awarded: int = 0
    hits: int = 0
    corrected: int = 0
    wagered: int = 0
    hand_paid: int = 0
    maximum: int = 0  # by when it must be hit; 0: a meter without a trigger
    trigger: Trigger | None = None  # None: one is to be drawn, where the meter has a maximum
    keeper: str = (
        "table"  # whose meter it is; one shared by several tables has its keeper elsewhere
    )


@dataclass(frozen=True, slots=True)
class Duty:
    """Something that must be done before the next round."""

    duty: str
    round: int | None
    deck: str | None
    clauses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Alarm:
    """Something that somebody must know of until it is over."""

    id: str
    kind: str
    severity: str
    what: str
    since_ns: int
    about: str = ""
    acknowledged: bool = False
    until_seen: bool = False  # it has no end of its own: acknowledged, it is over


@dataclass(frozen=True, slots=True)
class Halt:
    """Why the table stands still."""

    cause: str  # person, restart, lock, invariant, exception, journal, duplicate_card
    why: str


@dataclass(frozen=True, slots=True)
class State:
    """The table, whole. `State()` is the blank before the first record."""

    sequence: int = 0
    setup: Setup | None = None
    setup_digest: str = ""
    next_setup: Setup | None = None  # came with a restart in mid-round; takes effect after it
    next_setup_digest: str = ""
    phase: str = "closed"
    lock: str = "locked"
    lock_attempts: int = 0
    lock_deadline_ns: int | None = None  # monotonic, in the clock's boot
    halt: Halt | None = None
    clock: Clock = field(default_factory=Clock)
    clock_confirmed: bool = True
    commands: int = 0
    rounds: int = 0
    round: Round | None = None
    decks: tuple[Deck, ...] = ()
    dealer: str | None = None  # who is on the table
    tested: bool = True  # lamps and lock, since the table was opened
    last_deck: str | None = None  # the deck that dealt the last round with a card out
    single_deck: bool = False
    gone_decks: tuple[str, ...] = ()  # they have left, and do not come back
    rounds_since_count: int = 0  # rounds with a card out since the last proof of 52
    idle_since_ns: int | None = None  # on the stop-watch: since when nobody plays
    idle_told: bool = False
    shoe: MidiShoe | None = None  # where decks are dealt as one shoe
    carried: tuple[TableCard, ...] = ()  # drawn in error, kept for the next round
    watch: Watch | None = None  # where a three-card table only listens
    devices: tuple[Device, ...] = ()
    meters: tuple[MeterState, ...] = ()
    duties: tuple[Duty, ...] = ()
    alarms: tuple[Alarm, ...] = ()
    alarms_raised: int = 0

    @property
    def listens(self) -> bool:
        """Whether nobody acts here, and the devices alone tell what happens."""
        return self.setup is not None and self.setup.tracking == "cards"

    @property
    def cards_on_table(self) -> bool:
        """True while any card of a round is out."""
        return self.round is not None and bool(self.round.cards)

    def deck(self, deck_id: str | None) -> Deck | None:
        """The deck of that id, if the table has it."""
        return next((deck for deck in self.decks if deck.id == deck_id), None)

    def device(self, device_id: str) -> Device | None:
        """The device of that id, if the table has it."""
        return next((device for device in self.devices if device.id == device_id), None)

    def devices_of(self, kind: DeviceKind) -> tuple[Device, ...]:
        """Every device of a kind."""
        return tuple(device for device in self.devices if device.kind == kind)

    @property
    def untold(self) -> tuple[str, ...]:
        """The devices that matter to a round and have not told their state since the start."""
        beside = ("indicator", "badge_reader")
        return tuple(d.id for d in self.devices if d.health == "unknown" and d.kind not in beside)

    def meter(self, name: str) -> MeterState | None:
        """The meter of that name, if the table has it."""
        return next((meter for meter in self.meters if meter.name == name), None)
