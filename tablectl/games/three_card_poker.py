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
    MINI_ROYALS,
    QUEEN_HIGH,
    FiveKind,
    ThreeKind,
    five_card,
    pack,
    three_card,
)
from tablectl.games.paytables import Outcome, Row
from tablectl.games.rules import ThreeCardPokerRules
from tablectl.games.settlement import (
    Award,
    AwardedRound,
    Line,
    Meter,
    SeatHand,
    SeatResult,
    Settlement,
    amounts,
    line,
    paid,
    seat_result,
    spelled_out,
)
from tablectl.games.three_card_poker_checks import CheckedRound, Turn, validate_round

__all__ = [
    "AwardedRound",
    "CheckedRound",
    "award_round",
    "envy_lines",
    "round_amounts",
    "round_lines",
    "settle_round",
    "settle_seat",
    "settlement_order",
    "validate_round",
]

Rows = tuple[Row, ...]
Bonuses = tuple[Row | None, ...]


def _row(wager: str, outcome: Outcome, clause: str) -> Row:
    return Row(wager, outcome, clause, multiple=1 if outcome == "push" else 0)


# How a wager ends where no paytable row pays it.
_ANTE_LOSES: Final = _row("ante", "lose", "TCP 11.D(3)(d)(i)")
_PLAY_LOSES: Final = _row("play", "lose", "TCP 11.D(3)(d)(i)")
_ANTE_TIES: Final = _row("ante", "push", "TCP 11.D(3)(d)(iii)")
_PLAY_TIES: Final = _row("play", "push", "TCP 11.D(3)(d)(iii)")
_PLAY_RETURNED: Final = _row("play", "push", "TCP 11.D(3)(c)")
_PAIR_PLUS_LOSES: Final = _row("pair_plus", "lose", "TCP 11.D(4)")
_PROGRESSIVE_LOSES: Final = _row("progressive", "lose", "TCP 11.D(5)")
_SIX_CARD_LOSES: Final = _row("six_card_bonus", "lose", "TCP 11.D(8)(c)")
_FIVE_CARD_LOSES: Final = _row("five_card_progressive", "lose", "TCP 11.D(9)")
# A fold gives up all but the six card bonus (TCP 11.C(3)) and a claim to envy bonuses.
_ANTE_FOLDED: Final = _row("ante", "forfeit", "TCP 11.B")
_PAIR_PLUS_FOLDED: Final = _row("pair_plus", "forfeit", "TCP 11.C(1)")
_PROGRESSIVE_FOLDED: Final = _row("progressive", "forfeit", "TCP 11.C(2)")
_FIVE_CARD_FOLDED: Final = _row("five_card_progressive", "forfeit", "TCP 11.C(2)")

# A folded hand has no strength, and a row of its own after those of the kinds.
_FOLDED: Final = (0, len(ThreeKind))

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
    pays: _Payments, table: CheckedRound, turns: Iterable[Turn], meters: dict[str, Meter]
) -> list[list[Award]]:
    """What becomes of each turn's wagers, envy aside, in the order of TCP 11.D(3)-(9).

    One loop for the round, not a call a seat and a wager: this is the path that must be fast.
    """
    three_rows, six_rows, five_rows, _ = pays
    dealer, community = table.dealer, table.community
    to_beat = three_card(dealer).strength
    lower, equal, higher = _against_dealer(to_beat >= QUEEN_HIGH)
    seats: list[list[Award]] = []
    for _, cards, folded, ante, pair_plus, progressive, six_card, five_card_stake in turns:
        strength, kind = _FOLDED if folded else three_card(cards)
        bonus, pair_row, progressive_row = three_rows[kind]
        awards: list[Award] = []
        seats.append(awards)
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
            awards.append(paid(progressive_row, progressive, meters))  # TCP 12.E(4)
        if six_card:  # a fold keeps it (TCP 11.C(3))
            row = six_rows[five_card(dealer + cards)]
            awards.append((row, six_card, six_card * row.multiple + row.cents, 0))
        if five_card_stake:
            row = _FIVE_CARD_FOLDED
            if not folded:
                row = five_rows[five_card(community + cards)]
            awards.append(paid(row, five_card_stake, meters))
    return seats


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
    turns = {turn[0]: turn for turn in table.turns}
    order = settlement_order(table.rules, turns)
    in_order = [turns[seat] for seat in order]
    awards = dict(zip(order, _award_turns(pays, table, in_order, meters), strict=True))
    if pays.envy:
        for holder in in_order:
            kind = MINI_ROYALS.get(holder[1])
            if kind is not None and not holder.folded:
                stakes = [(turn.seat, turn.progressive) for turn in in_order]
                for seat, envy in _envy_awards(pays, holder.seat, kind, stakes).items():
                    _insert_envy(awards[seat], envy)
    return AwardedRound([(seat, awards[seat]) for seat in turns], order, meters)


def round_amounts(table: CheckedRound) -> dict[int, int]:
    """Settle a checked round and say only what each seat gets back; raises SettleError."""
    return amounts(award_round(table))


def round_lines(table: CheckedRound) -> Settlement:
    """Settle a checked round with every line spelled out; raises SettleError."""
    return spelled_out(award_round(table))


def settle_round(
    rules: ThreeCardPokerRules,
    dealer: Sequence[Card],
    hands: Sequence[SeatHand],
    meters: Mapping[str, Meter],
    community: Sequence[Card] = (),
) -> Settlement:
    """Check a round and settle it with every line spelled out; raises SettleError."""
    return round_lines(validate_round(rules, dealer, hands, meters, community))


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
    [awards] = _award_turns(_payments(rules), table, table.turns, after)
    meters.update(after)
    return seat_result(hand.seat, awards)


def envy_lines(
    rules: ThreeCardPokerRules, holder: SeatHand, others: Iterable[SeatHand]
) -> dict[int, Line]:
    """What the holder's hand gives each of the other seats, by seat; most hands give nothing.

    A receiver's cards are not looked at, and it may have folded (TCP 11.C(2)).
    """
    kind = MINI_ROYALS.get(pack(holder.cards))
    if kind is None or holder.decision == "fold":
        return {}
    stakes = [(other.seat, other.wagers.get("progressive", 0)) for other in others]
    awards = _envy_awards(_payments(rules), holder.seat, kind, stakes)
    return {seat: line(award) for seat, award in awards.items()}
