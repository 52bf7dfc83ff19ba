"""Three Card Baccarat, Maryland and Washington: what each wager returns (TCB 11.B and 12).

Pure functions over rows. Whether a round can be settled at all is asked in
three_card_baccarat_checks.py, always first.

For the procedure at the table: `points`, `faces` and `rank` of three cards, `winner` of two hands
by rank, `settlement_order`, `settle_round` for all seats and `settle_seat` for one at its turn.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from tablectl.cards import Card
from tablectl.games import paytables
from tablectl.games.paytables import Commission, Row, unpaid
from tablectl.games.rules import ThreeCardBaccaratRules
from tablectl.games.settlement import (
    Award,
    AwardedRound,
    Meter,
    Result,
    SeatHand,
    SeatResult,
    Settlement,
    result_of,
    seat_result,
    spelled_out,
)
from tablectl.games.three_card_baccarat_checks import CheckedRound, Turn, validate_round
from tablectl.games.three_card_baccarat_hands import (
    TEN,
    THREE_FACES,
    THREE_KINGS,
    Hand,
    faces,
    hand_of,
    points,
    rank,
    winner,
)
from tablectl.games.vigorish import vigorish

__all__ = [
    "CheckedRound",
    "ante_index",
    "award_round",
    "dragon_margin",
    "faces",
    "hand_results",
    "points",
    "rank",
    "settle_round",
    "settle_seat",
    "settlement_order",
    "tie_index",
    "validate_round",
    "winner",
]

_LOSES, _PUSHES, _WINS = 0, 1, 2
_LEVELS: Final = {
    8: "eight",
    9: "nine",
    THREE_FACES: "three_face_cards",
    THREE_KINGS: "three_kings",
}
"""What the Three Kings bonus calls a hand, by its level."""


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
    commission: Commission


def _loses(rules: ThreeCardBaccaratRules) -> dict[str, Row]:
    """How each wager loses."""
    clauses = {
        "MD": ("TCB 11.B(2)(a)", "TCB 11.B(5)", "TCB 11.B(7)", "TCB 11.B(9)"),
        "WA": ("WA-TCB D8", "WA-TCB three-kings", "WA-TCB tie", "WA-TCB dragon"),
    }[rules.jurisdiction]
    wagers = ("ante", "three_kings", "tie", "dragon")
    return {
        wager: unpaid(wager, "lose", clause) for wager, clause in zip(wagers, clauses, strict=True)
    }


def _pushes(rules: ThreeCardBaccaratRules) -> Row:
    tied = "WA-TCB D9" if rules.jurisdiction == "WA" else "TCB 11.B(2)(c)"
    return unpaid("ante", "push", "TCB 11.B(2)(d)" if rules.commission == "free" else tied)


@lru_cache(maxsize=256)
def _payments(rules: ThreeCardBaccaratRules) -> _Payments:
    figures, loses = paytables.three_card_baccarat(rules.jurisdiction), _loses(rules)

    def rows(wager: str, letter: str | None) -> dict[str, Row]:
        table = figures.table(wager, letter).rows if letter is not None else ()
        return {row.hand: row for row in table if row.hand}

    kings, ties = rows("three_kings", rules.three_kings), rows("tie", rules.tie)
    margins = rows("dragon", paytables.ONLY if rules.dragon else None)
    point_tie = ties.get("point_tie", loses["tie"])  # table B pays every tie by this row
    return _Payments(
        ante=(loses["ante"], _pushes(rules), rows("ante", rules.commission)["wins"]),
        three_kings=tuple(
            kings.get(_LEVELS.get(level, ""), loses["three_kings"])
            for level in range(THREE_KINGS + 1)
        ),
        tie=(
            loses["tie"],
            point_tie,
            ties.get("point_and_face_tie", point_tie),
            ties.get("three_card_copy", point_tie),
        ),
        dragon=tuple(margins.get(f"win_by_{by}", loses["dragon"]) for by in range(TEN + 1)),
        commission=figures.commission,
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
    if player.level >= THREE_FACES and dealer.level == 0:
        return TEN
    return max(0, player.points - dealer.points)


def _awards(
    pays: _Payments, rules: ThreeCardBaccaratRules, turn: Turn, dealer: Hand
) -> list[Award]:
    """What becomes of one seat's wagers, in the order of TCB 11.B."""
    hand, ante, three_kings, tie, dragon = turn
    row = pays.ante[ante_index(rules, hand, dealer)]
    owed = vigorish(pays.commission, rules.vigorish_rounding, ante) if row.vigorish else 0
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


def hand_results(
    rules: ThreeCardBaccaratRules, dealer: Iterable[Card], cards: Iterable[Card]
) -> tuple[Result, ...]:
    """How every wager offered ended for one hand, whoever made it."""
    pays, mine, theirs = _payments(rules), hand_of(cards), hand_of(dealer)
    rows = {
        "ante": pays.ante[ante_index(rules, mine, theirs)],
        "three_kings": pays.three_kings[mine.level],
        "tie": pays.tie[tie_index(mine, theirs)],
        "dragon": pays.dragon[dragon_margin(rules, mine, theirs)],
    }
    return tuple(result_of(rows[wager]) for wager in rules.wagers)


def settlement_order(rules: ThreeCardBaccaratRules, seats: Iterable[int]) -> tuple[int, ...]:
    """From the dealer's left in Maryland (TCB 11.B(2)), from the right in Washington (D10)."""
    return tuple(sorted(seats, reverse=rules.jurisdiction == "WA"))


def award_round(table: CheckedRound) -> AwardedRound:
    """Settle a checked round without spelling it out."""
    rules, turns, dealer, meters = table
    pays = _payments(rules)
    seats = {seat: _awards(pays, rules, turn, dealer) for seat, turn in turns.items()}
    return AwardedRound(seats, settlement_order(rules, turns), dict(meters))


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
    awarded = award_round(validate_round(rules, dealer, (hand,), {}))
    return seat_result(hand.seat, awarded.seats[hand.seat])
