"""Three Card Poker, Maryland: what each wager at a table returns (TCP chapters 11 and 12).

Pure functions over rows: a seat's wagers become awards (row, stake, returned), and whoever wants
sums, lines or JSON renders the same awards. Whether a round can be settled at all is asked in
three_card_poker_checks.py, always first.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import IntEnum
from functools import cache, lru_cache
from typing import Final, NamedTuple

from tablectl.cards import Card
from tablectl.games import paytables
from tablectl.games.hands import (
    ALSO_IS,
    QUEEN_HIGH,
    FiveKind,
    ThreeCardHand,
    ThreeKind,
    best_five,
    fields_of,
    pack,
    three_card,
)
from tablectl.games.paytables import Row, unpaid
from tablectl.games.rules import ThreeCardPokerRules
from tablectl.games.settlement import (
    Award,
    AwardedRound,
    Decision,
    Line,
    Meter,
    Result,
    SeatHand,
    SeatResult,
    Settlement,
    from_meter,
    line,
    result_of,
    seat_result,
    spelled_out,
)
from tablectl.games.three_card_poker_checks import CheckedRound, validate_round

__all__ = [
    "AwardedRound",
    "CheckedRound",
    "award_round",
    "decision_results",
    "envy_lines",
    "qualifies",
    "settle_round",
    "settle_seat",
    "settlement_order",
    "validate_round",
]

Rows = tuple[Row, ...]
Bonuses = tuple[Row | None, ...]


# How a wager ends where no paytable row pays it.
_ANTE_LOSES: Final = unpaid("ante", "lose", "TCP 11.D(3)(d)(i)")
_PLAY_LOSES: Final = unpaid("play", "lose", "TCP 11.D(3)(d)(i)")
_ANTE_TIES: Final = unpaid("ante", "push", "TCP 11.D(3)(d)(iii)")
_PLAY_TIES: Final = unpaid("play", "push", "TCP 11.D(3)(d)(iii)")
_PLAY_RETURNED: Final = unpaid("play", "push", "TCP 11.D(3)(c)")
_PAIR_PLUS_LOSES: Final = unpaid("pair_plus", "lose", "TCP 11.D(4)")
_PROGRESSIVE_LOSES: Final = unpaid("progressive", "lose", "TCP 11.D(5)")
_SIX_CARD_LOSES: Final = unpaid("six_card_bonus", "lose", "TCP 11.D(8)(c)")
_FIVE_CARD_LOSES: Final = unpaid("five_card_progressive", "lose", "TCP 11.D(9)")
# A fold gives up all but the six card bonus (TCP 11.C(3)) and a claim to envy bonuses.
_ANTE_FOLDED: Final = unpaid("ante", "forfeit", "TCP 11.B")
_PAIR_PLUS_FOLDED: Final = unpaid("pair_plus", "forfeit", "TCP 11.C(1)")
_PROGRESSIVE_FOLDED: Final = unpaid("progressive", "forfeit", "TCP 11.C(2)")
_FIVE_CARD_FOLDED: Final = unpaid("five_card_progressive", "forfeit", "TCP 11.C(2)")

_FOLDED: Final = len(ThreeKind)  # a folded hand has rows of its own after those of the kinds
_GONE: Final = ThreeCardHand(0, ThreeKind.HIGH_CARD, 0, 0)  # folded, and its cards not known
_ENVIED: Final = ThreeKind.MINI_ROYAL  # the lowest hand that others envy (TCP 1.B(3))

# Settled after the progressive wager and its envy bonuses (TCP 11.D(7)(e), (8), (9)).
_AFTER_ENVY: Final = frozenset({"six_card_bonus", "five_card_progressive"})


class _Payments(NamedTuple):
    """The rows of a table's rules, by the kind of hand; the last kind is a hand that was folded."""

    three_card: tuple[tuple[Row | None, Row, Row], ...]
    """Ante bonus, pair plus, progressive."""
    six_card: Rows
    five_card: Rows
    envy: Mapping[int, Bonuses]
    """By the receiver's progressive stake; empty where that wager is not offered."""


def _by_kind(wager: str, letter: str, kinds: type[IntEnum]) -> Bonuses:
    """For each kind of hand the row that pays it: its own, or that of what it also is."""
    named = {row.hand: row for row in paytables.three_card_poker().table(wager, letter).rows}

    def row_for(hand: str) -> Row | None:
        return row_for(ALSO_IS[hand]) if hand not in named and hand in ALSO_IS else named.get(hand)

    return tuple(row_for(kind.name.lower()) for kind in kinds)


def _or_loses(letter: str | None, kinds: type[IntEnum], loses: Row) -> Rows:
    """The same with the losing row where nothing pays, or where the wager is not offered."""
    if letter is None:
        return tuple(loses for _ in kinds)
    return tuple(row or loses for row in _by_kind(loses.wager, letter, kinds))


@cache
def _even_money(wager: str) -> Row:
    [wins] = paytables.three_card_poker().table("ante_play").rows
    return replace(wins, wager=wager)


@lru_cache(maxsize=256)
def _payments(rules: ThreeCardPokerRules) -> _Payments:
    stakes = paytables.three_card_poker().progressive_stakes if rules.progressive else ()
    ante_bonus = _by_kind("ante_bonus", rules.ante_bonus, ThreeKind)
    pair_plus = _or_loses(rules.pair_plus, ThreeKind, _PAIR_PLUS_LOSES)
    progressive = _or_loses(rules.progressive, ThreeKind, _PROGRESSIVE_LOSES)
    return _Payments(
        three_card=(
            *zip(ante_bonus, pair_plus, progressive, strict=True),
            (None, _PAIR_PLUS_FOLDED, _PROGRESSIVE_FOLDED),
        ),
        six_card=_or_loses(rules.six_card_bonus, FiveKind, _SIX_CARD_LOSES),
        five_card=_or_loses(rules.five_card_progressive, FiveKind, _FIVE_CARD_LOSES),
        envy={stake: _by_kind("envy_bonus", str(stake), ThreeKind) for stake in stakes},
    )


@lru_cache(maxsize=2)
def _against_dealer(qualifies: bool) -> tuple[tuple[Row, Row], ...]:
    """How ante and play end where the player is lower than the dealer, equal, higher."""
    if not qualifies:
        return ((_even_money("ante"), _PLAY_RETURNED),) * 3
    return (
        (_ANTE_LOSES, _PLAY_LOSES),
        (_ANTE_TIES, _PLAY_TIES),
        (_even_money("ante"), _even_money("play")),
    )


def _award_turns(
    pays: _Payments, table: CheckedRound, order: Iterable[int], meters: dict[str, Meter]
) -> tuple[dict[int, list[Award]], list[tuple[int, ThreeKind]]]:
    """What becomes of each seat's wagers, envy aside, and which seats hold a hand to envy.

    In the order of TCP 11.D(3)-(9). One loop for the round, not a call a seat and a wager: this is
    the path that must be fast.
    """
    three_rows, six_rows, five_rows, _ = pays
    _, turns, dealer, community, _ = table
    to_beat, _, dealer_ranks, dealer_suits = three_card(dealer)
    community_ranks, community_suits = fields_of(community)
    lower, equal, higher = _against_dealer(to_beat >= QUEEN_HIGH)
    seats: dict[int, list[Award]] = {seat: [] for seat in turns}
    envied: list[tuple[int, ThreeKind]] = []
    for seat in order:
        cards, folded, ante, pair_plus, progressive, six_card, five_stake = turns[seat]
        strength, kind, ranks, suits = three_card(cards) if cards else _GONE
        bonus, pair_row, progressive_row = three_rows[_FOLDED if folded else kind]
        if kind <= _ENVIED and not folded:
            envied.append((seat, kind))
        awards = seats[seat]
        if folded:
            awards.append((_ANTE_FOLDED, ante, 0, 0))
        elif ante:
            row, play = higher if strength > to_beat else lower if strength < to_beat else equal
            awards.append((row, ante, ante * row.multiple, 0))
            awards.append((play, ante, ante * play.multiple, 0))
            if bonus is not None:
                awards.append((bonus, 0, ante * bonus.multiple, 0))
        if pair_plus:
            awards.append((pair_row, pair_plus, pair_plus * pair_row.multiple, 0))
        if progressive:
            row, won = progressive_row, progressive * progressive_row.multiple
            awards.append((row, progressive, from_meter(row, meters) if row.meter else won, 0))
        if six_card:  # a fold keeps it (TCP 11.C(3))
            best = best_five(dealer_ranks + ranks, dealer_suits + suits, dealer, cards)
            row = six_rows[best]
            awards.append((row, six_card, six_card * row.multiple + row.cents, 0))
        if five_stake:
            row = _FIVE_CARD_FOLDED
            if not folded:
                best = best_five(community_ranks + ranks, community_suits + suits, community, cards)
                row = five_rows[best]
            won = from_meter(row, meters) if row.meter else five_stake * row.multiple
            awards.append((row, five_stake, won, 0))
    return seats, envied


def _envy_awards(
    pays: _Payments, holder: int, kind: ThreeKind, stakes: Iterable[tuple[int, int]]
) -> dict[int, Award]:
    """What a qualifying hand gives, by seat, for the progressive stakes (TCP 11.D(7)(e))."""
    rows = {seat: pays.envy[stake][kind] for seat, stake in stakes if stake and seat != holder}
    return {seat: (row, 0, row.cents, 0) for seat, row in rows.items() if row is not None}


def _insert_envy(awards: list[Award], envy: Award) -> None:
    """Put an envy bonus after the progressive wager and any earlier envy bonus of the seat."""
    after = (i for i, (row, *_) in enumerate(awards) if row.wager in _AFTER_ENVY)
    awards.insert(next(after, len(awards)), envy)


# What a fold gives up, by wager; the six card bonus plays on with the cards (TCP 11.C(3)).
_FOLD: Final = (_ANTE_FOLDED, _PAIR_PLUS_FOLDED, _PROGRESSIVE_FOLDED, _FIVE_CARD_FOLDED)
# The clauses by which the player's own cards decide a wager that stays in play.
_BY_OWN_CARDS: Final = {
    "ante": "TCP 11.D(3)(d)", "play": "TCP 11.D(3)(d)", "pair_plus": "TCP 11.D(4)",
    "progressive": "TCP 11.D(5)", "six_card_bonus": "TCP 11.D(8)(c)",
    "five_card_progressive": "TCP 11.D(9)",
}  # fmt: skip


def qualifies(dealer: Iterable[Card]) -> bool:
    """Whether the dealer plays: queen high or better (TCP 11.D(3)(c))."""
    return three_card(pack(dealer)).strength >= QUEEN_HIGH


def decision_results(
    rules: ThreeCardPokerRules, dealer: Iterable[Card], decision: Decision
) -> tuple[Result, ...]:
    """How every wager offered ended for a hand that stays face down, by what it decided.

    The dealer's cards alone speak here: what the hand's own cards decide is sealed.
    """
    known = {row.wager: row for row in _FOLD} if decision == "fold" else {}
    if decision == "play" and not qualifies(dealer):
        known = {row.wager: row for row in _against_dealer(False)[0]}
    return tuple(
        result_of(known[wager])
        if wager in known
        else Result(wager, "sealed", None, _BY_OWN_CARDS[wager])
        for wager in rules.wagers
        if decision == "play" or wager != "play"
    )


def settlement_order(
    rules: ThreeCardPokerRules,  # noqa: ARG001 - one signature for all games
    seats: Iterable[int],
) -> tuple[int, ...]:
    """The order of settlement: from the dealer's right, the highest seat down (TCP 11.D(3))."""
    return tuple(sorted(seats, reverse=True))


def award_round(table: CheckedRound) -> AwardedRound:
    """Settle a checked round without spelling it out.

    Raises SettleError where a meter is won that was not given.
    """
    pays, meters = _payments(table.rules), dict(table.meters)
    order = settlement_order(table.rules, table.turns)
    seats, envied = _award_turns(pays, table, order, meters)
    if envied and pays.envy:
        stakes = [(seat, table.turns[seat][4]) for seat in order]
        for holder, kind in envied:
            for seat, envy in _envy_awards(pays, holder, kind, stakes).items():
                _insert_envy(seats[seat], envy)
    return AwardedRound(seats, order, meters)


def settle_round(
    rules: ThreeCardPokerRules,
    dealer: Sequence[Card],
    hands: Sequence[SeatHand],
    meters: Mapping[str, Meter],
    community: Sequence[Card] = (),
) -> Settlement:
    """Check a round and settle it with every line spelled out; raises SettleError."""
    return spelled_out(award_round(validate_round(rules, dealer, hands, meters, community)))


def settle_seat(
    rules: ThreeCardPokerRules,
    dealer: Sequence[Card],
    hand: SeatHand,
    meters: dict[str, Meter],
    community: Sequence[Card] = (),
) -> SeatResult:
    """Settle one seat at its turn, envy aside; the other seats' cards may still be face down.

    `meters` changes in place. Raises SettleError, and then no meter has changed.
    """
    table = validate_round(rules, dealer, (hand,), meters, community)
    after = dict(meters)
    seats, _ = _award_turns(_payments(rules), table, table.turns, after)
    meters.update(after)
    return seat_result(hand.seat, seats[hand.seat])


def envy_lines(
    rules: ThreeCardPokerRules, holder: SeatHand, others: Iterable[SeatHand]
) -> dict[int, Line]:
    """What the holder's hand gives each of the other seats, by seat; most hands give nothing.

    A receiver's cards are not looked at, and it may have folded (TCP 11.C(2)).
    """
    if holder.decision == "fold":
        return {}
    kind = three_card(pack(holder.cards)).kind
    if kind > _ENVIED:
        return {}
    stakes = [(other.seat, other.wagers.get("progressive", 0)) for other in others]
    awards = _envy_awards(_payments(rules), holder.seat, kind, stakes)
    return {seat: line(award) for seat, award in awards.items()}
