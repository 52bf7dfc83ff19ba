"""Three Card Baccarat, Maryland and Washington: hands (TCB 6, WA-TCB ranking) and what each wager
returns (TCB 11.B and 12). Pure functions; a round is checked first, by validate_round.

For the procedure at the table: `points`, `faces` and `rank` of three cards, `winner` of two hands
by rank, `settlement_order`, `settle_round` for all seats and `settle_seat` for one at its turn.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from tablectl.cards import Card
from tablectl.games import paytables
from tablectl.games.hands import distinct, pack, ranks_of
from tablectl.games.paytables import Outcome, Row
from tablectl.games.round_checks import (
    CENTS_MAXIMUM,
    check_meters,
    refuse_not_offered,
    refuse_repeated,
    refuse_seat,
    refuse_stake,
    refuse_twice,
    three_cards,
)
from tablectl.games.rules import ThreeCardBaccaratRules
from tablectl.games.settlement import (
    Award,
    AwardedRound,
    Meter,
    SeatHand,
    SeatResult,
    SettleError,
    Settlement,
    amounts,
    seat_result,
    spelled_out,
)
from tablectl.games.vigorish import vigorish

# ---------------------------------------------------------------- hands

_RANKS: Final = "23456789TJQKA"  # as the packed hand has them, three bits each
_FACES: Final = "JQK"
_TEN: Final = 10
_THREE_FACES, _THREE_KINGS = 10, 11


class Hand(NamedTuple):
    """A hand of three cards, looked up by its ranks; two of the same ranks are the same object."""

    level: int
    """Its points, but 10 for three face cards and 11 for three kings (TCB 6.C)."""
    faces: int
    points: int
    ranks: int

    @property
    def rank(self) -> int:
        """Its place in the ranking of TCB 6.C: higher beats lower, equal ties."""
        return self.level * 4 + self.faces

    @property
    def ten_count(self) -> int:
        """Its points, where three face cards count ten."""
        return min(self.level, _TEN)


class _Hands(dict[int, Hand]):
    """Every hand by its ranks: 455."""

    def __missing__(self, ranks: int) -> Hand:
        held = [rank for at, rank in enumerate(_RANKS) for _ in range(ranks >> 3 * at & 0b111)]
        faces = sum(rank in _FACES for rank in held)
        total = sum(int(rank) if rank.isdigit() else rank == "A" for rank in held) % 10
        level = _THREE_KINGS if held == ["K"] * 3 else _THREE_FACES if faces == 3 else total
        hand = self[ranks] = Hand(level, faces, total, ranks)
        return hand


_HANDS: Final = _Hands()


def hand_of(cards: Iterable[Card]) -> Hand:
    """The hand of three distinct cards; raises KeyError for what is no card."""
    return _HANDS[ranks_of(pack(cards))]


def points(cards: Iterable[Card]) -> int:
    """The plain total modulo ten (TCB 6.B)."""
    return hand_of(cards).points


def faces(cards: Iterable[Card]) -> int:
    """How many face cards; a ten is none (TCB 1.B(7))."""
    return hand_of(cards).faces


def rank(cards: Iterable[Card]) -> int:
    """The place in the ranking of TCB 6.C: higher beats lower, equal ties."""
    return hand_of(cards).rank


def winner(player: Iterable[Card], dealer: Iterable[Card]) -> Literal["player", "dealer", "tie"]:
    """Which hand ranks higher (TCB 6.C). The ante may still push or lose: see `ante_index`."""
    mine, theirs = rank(player), rank(dealer)
    return "player" if mine > theirs else "dealer" if mine < theirs else "tie"


# ---------------------------------------------------------------- rows

_LOSES, _PUSHES, _WINS = 0, 1, 2


class _Payments(NamedTuple):
    """The rows of a table's rules, ready to be indexed."""

    ante: tuple[Row, Row, Row]
    """Lower than the dealer, equal, higher."""
    three_kings: tuple[Row, ...]
    """By the level of the hand."""
    tie: tuple[Row, Row, Row, Row]
    """No tie, points, points and faces, the same three ranks."""
    dragon: tuple[Row, ...]
    """By how many points the player wins, 0 where it does not."""


def _ends(wager: str, outcome: Outcome, clause: str) -> Row:
    return Row(wager, outcome, clause, multiple=1 if outcome == "push" else 0)


def _rows(rules: ThreeCardBaccaratRules, wager: str, letter: str) -> dict[str | None, Row]:
    table = paytables.three_card_baccarat(rules.jurisdiction).table(wager, letter)
    return {row.hand: row for row in table.rows}


@lru_cache(maxsize=256)
def _payments(rules: ThreeCardBaccaratRules) -> _Payments:
    washington, free = rules.jurisdiction == "WA", rules.commission == "free"
    lost, tied = ("WA-TCB D8", "WA-TCB D9") if washington else ("TCB 11.B(2)(a)", "TCB 11.B(2)(c)")
    wins = _rows(rules, "ante", rules.commission)["wins"]
    loses = {
        wager: _ends(wager, "lose", f"WA-TCB {name}" if washington else clause)
        for wager, name, clause in (
            ("three_kings", "three-kings", "TCB 11.B(5)"),
            ("tie", "tie", "TCB 11.B(7)"),
            ("dragon", "dragon", "TCB 11.B(9)"),
        )
    }
    kings = _rows(rules, "three_kings", rules.three_kings) if rules.three_kings else {}
    by_level = {
        8: "eight",
        9: "nine",
        _THREE_FACES: "three_face_cards",
        _THREE_KINGS: "three_kings",
    }
    ties = _rows(rules, "tie", rules.tie) if rules.tie else {}
    point_tie = ties.get("point_tie", loses["tie"])  # table B pays every tie by this row
    dragon = _rows(rules, "dragon", paytables.ONLY) if rules.dragon else {}
    return _Payments(
        ante=(
            _ends("ante", "lose", lost),
            _ends("ante", "push", "TCB 11.B(2)(d)" if free else tied),
            wins,
        ),
        three_kings=tuple(
            kings.get(by_level.get(level, ""), loses["three_kings"])
            for level in range(_THREE_KINGS + 1)
        ),
        tie=(
            loses["tie"],
            point_tie,
            ties.get("point_and_face_tie", point_tie),
            ties.get("three_card_copy", point_tie),
        ),
        dragon=tuple(dragon.get(f"win_by_{by}", loses["dragon"]) for by in range(_TEN + 1)),
    )


def ante_index(rules: ThreeCardBaccaratRules, player: Hand, dealer: Hand) -> int:
    """How the ante ends: 0 it loses, 1 it pushes, 2 it wins (TCB 11.B(2)).

    Without commission equal points never win: more face cards, or as many, push (11.B(2)(d)).
    """
    if rules.commission == "free" and player.level == dealer.level:
        return _PUSHES if player.faces >= dealer.faces else _LOSES
    mine, theirs = player.rank, dealer.rank
    return _WINS if mine > theirs else _LOSES if mine < theirs else _PUSHES


def tie_index(player: Hand, dealer: Hand) -> int:
    """0 no tie, 1 points, 2 points and face cards, 3 the same three ranks."""
    if player.ten_count != dealer.ten_count:
        return 0
    if player.ranks == dealer.ranks:
        return 3
    return 2 if player.faces == dealer.faces else 1


def dragon_margin(rules: ThreeCardBaccaratRules, player: Hand, dealer: Hand) -> int:
    """By how many points the player wins the Dragon Bonus, 0 where it does not (TCB 12.E)."""
    if rules.dragon_three_face == "ten":
        return max(0, player.ten_count - dealer.ten_count)
    if player.level >= _THREE_FACES and dealer.level == 0:
        return _TEN
    return max(0, player.points - dealer.points)


# ---------------------------------------------------------------- a round, checked

_WAGER_CLAUSES: Final = {
    "MD": dict.fromkeys(("three_kings", "tie", "dragon"), "TCB 7.E(2)") | {"ante": "TCB 7.E(1)"},
    "WA": dict.fromkeys(("three_kings", "tie", "dragon"), "WA-TCB D3") | {"ante": "WA-TCB D2"},
}


class Turn(NamedTuple):
    """One seat, checked: its hand, and its stakes (0 for none)."""

    seat: int
    hand: Hand
    ante: int
    three_kings: int
    tie: int
    dragon: int


class CheckedRound(NamedTuple):
    """A round that can be settled; the seats stand in the order in which they were given."""

    rules: ThreeCardBaccaratRules
    turns: list[Turn]
    dealer: Hand
    meters: Mapping[str, Meter]


def validate_round(
    rules: ThreeCardBaccaratRules,
    dealer: Sequence[Card],
    hands: Sequence[SeatHand],
    meters: Mapping[str, Meter],
) -> CheckedRound:
    """Check a round; raises SettleError at the first thing that is wrong."""
    packed = three_cards("the dealer", dealer)
    theirs = _HANDS[ranks_of(packed)]
    turns: list[Turn] = []
    offered, clauses = rules.wagers, _WAGER_CLAUSES[rules.jurisdiction]
    for seat, wagers, cards, decision in hands:
        if type(seat) is not int or not 1 <= seat <= rules.seats:
            clause = paytables.three_card_baccarat(rules.jurisdiction).seats_clause
            refuse_seat(seat, rules.seats, clause)
        for wager, stake in wagers.items():
            if wager not in offered:
                refuse_not_offered(seat, wagers, offered, clauses, clauses["ante"])
            if type(stake) is not int or not 0 < stake <= CENTS_MAXIMUM:
                refuse_stake(seat, wagers, clauses)
        if "ante" not in wagers:
            named = ", ".join(wagers) or "no wager"
            clause = clauses[next(iter(wagers), "ante")]
            raise SettleError(f"seat {seat} has {named} but needs an ante", clause)
        if decision is not None:
            raise SettleError(f"seat {seat} has nothing to decide in this game: leave it out")
        held = three_cards(seat, cards)
        packed += held
        get = wagers.get
        stakes = (wagers["ante"], get("three_kings", 0), get("tie", 0), get("dragon", 0))
        turns.append(Turn(seat, _HANDS[ranks_of(held)], *stakes))
    if distinct(packed) != 3 + 3 * len(turns):
        clause = "TCB 3.A" if rules.jurisdiction == "MD" else None
        refuse_repeated([*dealer, *(card for hand in hands for card in hand.cards)], clause)
    if len({turn.seat for turn in turns}) != len(turns):
        refuse_twice([turn.seat for turn in turns])
    check_meters(meters, ())
    return CheckedRound(rules, turns, theirs, meters)


# ---------------------------------------------------------------- settlement


def _awards(
    pays: _Payments, rules: ThreeCardBaccaratRules, turn: Turn, dealer: Hand
) -> list[Award]:
    """What becomes of one seat's wagers, in the order of TCB 11.B."""
    _, hand, ante, three_kings, tie, dragon = turn
    row = pays.ante[ante_index(rules, hand, dealer)]
    owed = 0
    if row.vigorish:
        commission = paytables.three_card_baccarat(rules.jurisdiction).commission
        owed = vigorish(commission, rules.vigorish_rounding, ante)
    awards = [(row, ante, ante * row.multiple - owed, owed)]
    if three_kings:
        row = pays.three_kings[hand.level]
        awards.append((row, three_kings, three_kings * row.multiple, 0))
    if tie:
        row = pays.tie[tie_index(hand, dealer)]
        awards.append((row, tie, tie * row.multiple, 0))
    if dragon:
        row = pays.dragon[dragon_margin(rules, hand, dealer)]
        awards.append((row, dragon, dragon * row.multiple, 0))
    return awards


def settlement_order(rules: ThreeCardBaccaratRules, seats: Iterable[int]) -> tuple[int, ...]:
    """From the dealer's left in Maryland (TCB 11.B(2)), from the right in Washington (D10)."""
    return tuple(sorted(seats, reverse=rules.jurisdiction == "WA"))


def award_round(table: CheckedRound) -> AwardedRound:
    """Settle a checked round without spelling it out."""
    rules, turns, dealer, meters = table
    pays = _payments(rules)
    seats = [(turn.seat, _awards(pays, rules, turn, dealer)) for turn in turns]
    order = settlement_order(rules, [turn.seat for turn in turns])
    return AwardedRound(seats, order, dict(meters))


def round_amounts(table: CheckedRound) -> dict[int, int]:
    """Settle a checked round and say only what each seat gets back."""
    return amounts(award_round(table))


def settle_round(
    rules: ThreeCardBaccaratRules,
    dealer: Sequence[Card],
    hands: Sequence[SeatHand],
    meters: Mapping[str, Meter] | None = None,
) -> Settlement:
    """Check a round and settle it with every line spelled out; raises SettleError."""
    return spelled_out(award_round(validate_round(rules, dealer, hands, meters or {})))


def settle_seat(
    rules: ThreeCardBaccaratRules, dealer: Sequence[Card], hand: SeatHand
) -> SeatResult:
    """Settle one seat at its turn; raises SettleError."""
    table = validate_round(rules, dealer, (hand,), {})
    [turn] = table.turns
    return seat_result(turn.seat, _awards(_payments(rules), rules, turn, table.dealer))
