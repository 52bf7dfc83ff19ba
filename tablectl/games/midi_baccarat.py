"""Midi Baccarat, Maryland, in all its variants: what each wager returns (MIDI chapters 11 and 12).

A round ends the same way for every seat, so each wager's row is found once and then only applied;
Royal 9 alone asks what is printed at a seat. Whether a round can be settled is asked in
midi_baccarat_checks.py, always first.

For the procedure at the table: third cards and points stand in midi_third_cards.py; here
`round_results` (how every wager ended, no stakes needed), `settlement_order`, `settle_round`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from tablectl.cards import Card
from tablectl.games import midi_side_wagers as side
from tablectl.games import paytables
from tablectl.games.midi_baccarat_checks import (
    CheckedRound,
    MidiSeat,
    check_hands,
    validate_round,
)
from tablectl.games.midi_side_wagers import Coup, KingNine
from tablectl.games.paytables import Row, unpaid
from tablectl.games.rules import MidiBaccaratRules
from tablectl.games.settlement import (
    Award,
    AwardedRound,
    Meter,
    Settlement,
    from_meter,
    spelled_out,
)
from tablectl.games.vigorish import vigorish

__all__ = [
    "CheckedRound",
    "MidiSeat",
    "award_round",
    "round_results",
    "settle_round",
    "settlement_order",
    "validate_round",
]

Rows = Mapping[str, Row]
"""How each wager ended, by wager."""

# The clause by which a wager loses. The main wagers and the dragon bonus have several: see _unpaid.
_LOST: Final = {
    "tie": "MIDI 7.A(3)(b)",
    "dragon_7": "MIDI 7.A(5)(b)",
    "panda_8": "MIDI 7.A(6)(b)",
    "fortune_7": "MIDI 7.A(7)(b)",
    "one_up": "MIDI 7.A(8)(b)",
    "royal_9": "MIDI 7.A(9)",
    "jackpot": "MIDI 7.A(10)(b)",
    "treasure_fortune_7": "MIDI 7.A(11)(b)",
    "golden_8": "MIDI 7.A(12)(b)",
    "heavenly_9": "MIDI 7.A(13)(b)",
    "blazing_7s": "MIDI 7.A(14)(b)",
    "cover_all": "MIDI 7.A(15)(b)",
    "any_pair": "MIDI 7.A(16)(b)",
    "any_pair_player": "MIDI 7.A(16)(b)",
    "any_pair_banker": "MIDI 7.A(16)(b)",
    "lucky_nines": "MIDI 7.A(17)(b)",
    "lucky_6": "MIDI 7.A(18)(b)",
    "super_6": "MIDI 7.A(19)(b)",
}
# In EZ and Fortune 7 a banker's seven with three cards has clauses of its own.
_PLAYER_LOST_TO_7: Final = {"ez": "MIDI 7.A(2)(b)(ii)", "fortune_7": "MIDI 7.A(2)(b)(iii)"}
_TABLE_OF: Final = {
    "dragon_bonus_player": "dragon_bonus",
    "dragon_bonus_banker": "dragon_bonus",
    "any_pair_player": "any_pair",
    "any_pair_banker": "any_pair",
}


def _paying(rules: MidiBaccaratRules) -> dict[str, dict[str | None, Row]]:
    """The rows of every wager offered, in their order, by what a hand must be."""
    figures, found = paytables.midi_baccarat(), {}
    for wager in rules.wagers:
        table, letter = _TABLE_OF.get(wager, wager), rules.paytable(wager)
        if letter is None or (table, letter) not in figures.tables:
            letter = paytables.ONLY
        rows = (replace(row, wager=wager) for row in figures.table(table, letter).rows)
        found[wager] = {row.hand: row for row in rows}
    [tie] = found["tie"].values()
    odds = f"{rules.tie_pays:,} to 1"
    found["tie"] = {tie.hand: replace(tie, odds=odds, multiple=rules.tie_pays + 1)}
    return found


def _unpaid(rules: MidiBaccaratRules, wager: str, coup: Coup) -> Row:
    """How a wager ends that no row of a paytable covers."""
    tied = coup.player == coup.banker
    if wager == "banker":
        if tied:
            return unpaid(wager, "push", "MIDI 7.A(1)(c)(i)")
        return unpaid(wager, "lose", "MIDI 7.A(1)(b)")
    if wager == "player":
        if tied:
            return unpaid(wager, "push", "MIDI 7.A(2)(c)")
        seven = _PLAYER_LOST_TO_7.get(rules.variant) if side.banker_three_card_7(coup) else None
        return unpaid(wager, "lose", seven or "MIDI 7.A(2)(b)(i)")
    if wager.startswith("dragon_bonus"):
        mine, theirs = coup.player, coup.banker
        my_cards = coup.player_cards
        if wager == "dragon_bonus_banker":
            mine, theirs, my_cards = theirs, mine, coup.banker_cards
        natural = my_cards == 2 and mine == 8 and theirs == 9
        mark = "i" if natural else "ii" if mine <= theirs else "iii"
        return unpaid(wager, "lose", f"MIDI 7.A(4)(b)({mark})")
    return unpaid(wager, "lose", _LOST[wager])


class _Book(dict[Coup, Rows]):
    """The rows of a table's rules: how every wager that points decide ends, by coup.

    Worked out the first time that a coup comes, and kept: there are at most 400.
    """

    def __init__(self, rules: MidiBaccaratRules) -> None:
        super().__init__()
        self.rules = rules
        self.paying = _paying(rules)
        self._by_cards = tuple(
            (wager, hit, self.paying[wager], unpaid(wager, "lose", _LOST[wager]))
            for wager, hit in side.BY_FIRST_FOUR.items()
            if wager in self.paying
        )

    def __missing__(self, coup: Coup) -> Rows:
        rows: dict[str, Row] = {}
        for wager, hit in side.BY_POINTS.items():
            if wager in self.paying:
                found = self.paying[wager].get(hit(coup))
                rows[wager] = found or _unpaid(self.rules, wager, coup)
        banker = (self.paying["banker"].get(name) for name in side.banker(coup))
        won = next((row for row in banker if row is not None), None)
        rows["banker"] = won or _unpaid(self.rules, "banker", coup)
        self[coup] = rows
        return rows

    def rows(self, coup: Coup, player: Sequence[Card], banker: Sequence[Card]) -> Rows:
        """How every wager offered ended, Royal 9 aside."""
        mine, theirs = player[:2], banker[:2]
        found = {w: pays.get(hit(mine, theirs), lost) for w, hit, pays, lost in self._by_cards}
        return {**self[coup], **found}


@lru_cache(maxsize=256)
def _book(rules: MidiBaccaratRules) -> _Book:
    return _Book(rules)


class _Royal9:
    """The Royal 9 of one round: the hands once, then each seat by its printed king and nine."""

    def __init__(self, table: CheckedRound, paying: Mapping[str | None, Row]) -> None:
        player, banker = table.player[:2], table.banker[:2]
        self._player, self._banker = side.king_nine(player), side.king_nine(banker)
        self._printed = frozenset(printed for _, printed in table.turns.values() if printed)
        self._paying = paying
        plain = side.plain_royal_9(player, banker)
        self._plain = self._paying.get(plain) or unpaid("royal_9", "lose", _LOST["royal_9"])

    def row(self, own: KingNine) -> Row:
        """One award, the highest row that its paytable has."""
        if self._player is None and self._banker is None:
            return self._plain
        hit = side.personal_royal_9(self._player, self._banker, own, self._printed)
        return next((self._paying[name] for name in hit if name in self._paying), self._plain)


def settlement_order(
    rules: MidiBaccaratRules,  # noqa: ARG001 - one signature for all games
    seats: Iterable[int],
) -> tuple[int, ...]:
    """The order of payment, from the highest seat down (MIDI 11.B)."""
    return tuple(sorted(seats, reverse=True))


def award_round(table: CheckedRound) -> AwardedRound:
    """Settle a checked round without spelling it out.

    Raises SettleError where a meter is won that was not given.
    """
    rules, player, banker, coup, turns, given = table
    book, meters = _book(rules), dict(given)
    rows = book.rows(coup, player, banker)
    royal_9 = _Royal9(table, book.paying["royal_9"]) if rules.royal_9 else None
    order = settlement_order(rules, turns)
    seats: dict[int, list[Award]] = {seat: [] for seat in turns}
    for seat in order:  # each meter at what it shows at that seat's turn
        wagers, printed = turns[seat]
        for wager in book.paying:
            stake = wagers.get(wager)
            if stake is None:
                continue
            if wager == "royal_9" and royal_9 is not None and printed is not None:
                seats[seat].append(_royal_9_award(royal_9.row(printed), stake, meters))
            else:
                seats[seat].append(_award(book, rows[wager], stake))
    return AwardedRound(seats, order, meters)


def _royal_9_award(row: Row, stake: int, meters: dict[str, Meter]) -> Award:
    """An award is the whole return, whatever was staked."""
    return row, stake, from_meter(row, meters) if row.meter else row.cents, 0


def _award(book: _Book, row: Row, stake: int) -> Award:
    if row.vigorish:
        return _with_vigorish(book.rules, row, stake)
    if row.divisor == 1:
        return row, stake, stake * row.multiple, 0
    # A fraction of a cent is rounded half up.
    return row, stake, (2 * stake * row.multiple + row.divisor) // (2 * row.divisor), 0


def _with_vigorish(rules: MidiBaccaratRules, row: Row, stake: int) -> Award:
    """A banker's win: the commission is taken at once, or marked and owed (MIDI 12.D(2))."""
    commission = paytables.midi_baccarat().commission
    owed = vigorish(commission, rules.vigorish_rounding, stake * (row.multiple - 1))
    taken = 0 if rules.vigorish_collection == "marked" else owed
    return row, stake, stake * row.multiple - taken, owed


def round_results(
    rules: MidiBaccaratRules, player: Sequence[Card], banker: Sequence[Card]
) -> dict[str, Row]:
    """How every wager offered ended, Royal 9 aside, whoever made it; raises SettleError."""
    book = _book(rules)
    rows = book.rows(check_hands(player, banker), player, banker)
    return {wager: rows[wager] for wager in book.paying if wager in rows}


def settle_round(
    rules: MidiBaccaratRules,
    player: Sequence[Card],
    banker: Sequence[Card],
    seats: Sequence[MidiSeat],
    meters: Mapping[str, Meter],
) -> Settlement:
    """Check a round and settle it with every line spelled out; raises SettleError."""
    return spelled_out(award_round(validate_round(rules, player, banker, seats, meters)))
