"""The packaged figures: what they must have, and clauses that exist.

That each row pays what it says is in test_every_row.py; that the figures are those of the rule
texts is for the second implementation in tests/reference/, typed from the texts by somebody else.
"""

from collections.abc import Iterator

import pytest

from tablectl.games import paytables
from tablectl.games.paytables import GameFigures
from tests.clauses import CLAUSES

POKER = paytables.three_card_poker()
MIDI = paytables.midi_baccarat()
GAMES: dict[str, GameFigures] = {
    "TCP": POKER,
    "TCB": paytables.three_card_baccarat("MD"),
    "WA-TCB": paytables.three_card_baccarat("WA"),
    "MIDI": MIDI,
}


@pytest.mark.parametrize(("game", "wager", "letters"), [
    ("TCP", "ante_bonus", ["A", "B", "C", "version"]),
    ("TCP", "pair_plus", [*"ABCDE"]),
    ("TCP", "progressive", [*"ABC"]),
    ("TCP", "six_card_bonus", [*"ABCDEF"]),
    ("TCP", "five_card_progressive", [*"ABC"]),
    ("TCP", "envy_bonus", ["100", "500"]),
    ("TCB", "ante", ["five_percent", "free"]),
    ("TCB", "three_kings", [*"AB"]),
    ("TCB", "tie", [*"AB"]),
    ("TCB", "dragon", [""]),
    ("WA-TCB", "ante", ["five_percent"]),
    ("WA-TCB", "three_kings", ["A"]),
    ("WA-TCB", "tie", ["A"]),
    ("WA-TCB", "dragon", [""]),
    ("MIDI", "banker", ["standard", "ez", "fortune_7", "no_commission", "five_treasures"]),
    ("MIDI", "dragon_bonus", [*"ABC"]),
    ("MIDI", "blazing_7s", [*"AB"]),
    ("MIDI", "lucky_nines", [*"ABCD"]),
    ("MIDI", "jackpot", [*"ABCDE"]),
    ("MIDI", "royal_9", [*"ABC"]),
])  # fmt: skip
def test_the_paytables_that_the_rules_print(game: str, wager: str, letters: list[str]) -> None:
    assert list(GAMES[game].letters(wager)) == letters


def cited(figures: GameFigures) -> Iterator[str | None]:
    yield figures.seats_clause
    for table in figures.tables.values():
        yield table.clause
        yield from (row.clause for row in table.rows)


@pytest.mark.parametrize("game", GAMES)
def test_every_clause_exists_and_is_the_game_s_own(game: str) -> None:
    clauses = {clause for clause in cited(GAMES[game]) if clause}
    assert clauses <= CLAUSES
    assert all(clause.startswith(f"{game} ") for clause in clauses)


@pytest.mark.parametrize("game", GAMES)
def test_no_row_is_printed_twice(game: str) -> None:
    for table in GAMES[game].tables.values():
        hands = [row.hand for row in table.rows]
        assert len(set(hands)) == len(hands)
        if game != "WA-TCB":  # which has one name for its whole paytable
            rows = [row.clause for row in table.rows]
            assert len(set(rows)) == len(rows)


def test_every_other_clause_exists() -> None:
    figures = [POKER.reset_minimum, POKER.compulsory_times, *POKER.rate_minimums.values()]
    figures += [*MIDI.reset_minimums.values(), *MIDI.maximum_minimums.values()]
    draws = [MIDI.natural, *MIDI.player_draws, *MIDI.banker_draws_alone, *MIDI.banker_draws]
    clauses = {figure.clause for figure in figures} | {row.clause for row in draws}
    assert {*clauses, POKER.progressive_stakes_clause, MIDI.decks_clause} <= CLAUSES
    for commission in (MIDI.commission, paytables.three_card_baccarat("MD").commission):
        assert {commission.clause, commission.rounding_clause} <= CLAUSES
    washington = paytables.three_card_baccarat("WA").commission
    assert (washington.clause in CLAUSES, washington.rounding_clause) == (True, None)


def test_washington_pays_as_maryland_where_both_print_a_table() -> None:
    maryland, washington = GAMES["TCB"].tables, GAMES["WA-TCB"].tables
    for key, table in washington.items():
        assert [row.odds for row in table.rows] == [row.odds for row in maryland[key].rows]


def test_minimums() -> None:
    """Their values are told on the regulators' page, whose test names them."""
    assert {letter for _, letter in POKER.rate_minimums} == {"A", "B"}  # none is printed for C
    [tie] = MIDI.table("tie").rows
    assert tie.at_least
    resets = {f"{name}-{letter}" for name, letter in MIDI.reset_minimums}
    royal_9 = {f"{name}-{letter}" for name in ("star", "spade", "heart") for letter in "ABC"}
    assert resets == royal_9 | {"must_hit-a", "must_hit-b", "must_hit-c"}
    for key, maximum in MIDI.maximum_minimums.items():
        assert maximum.value > MIDI.reset_minimums[key].value
