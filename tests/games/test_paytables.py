"""Every row of every paytable: what it pays, and the clause that says so (TCP chapter 12)."""

from decimal import Decimal
from typing import Any

import pytest

from tablectl.games import paytables
from tests.clauses import CLAUSES

from .deals import by_wager, hand, rules, settle_one

FIGURES = paytables.three_card_poker()

# Retyped from the rules, apart from the packaged file: wager, letter, clause, odds from the top.
PRINTED = [
    ("ante_bonus", "A", "12.B(1)", "abc", "5 to 1|4 to 1|1 to 1"),
    ("ante_bonus", "B", "12.B(2)", "abc", "5 to 1|3 to 1|1 to 1"),
    ("ante_bonus", "C", "12.B(3)", "abc", "4 to 1|3 to 1|1 to 1"),
    ("ante_bonus", "version", "12.C", "123", "50 to 1|8 to 1|6 to 1"),
    ("pair_plus", "A", "12.D(1)", "abcde", "35 to 1|25 to 1|6 to 1|4 to 1|1 to 1"),
    ("pair_plus", "B", "12.D(2)", "abcde", "40 to 1|30 to 1|5 to 1|4 to 1|1 to 1"),
    ("pair_plus", "C", "12.D(3)", "abcde", "40 to 1|30 to 1|6 to 1|3 to 1|1 to 1"),
    ("pair_plus", "D", "12.D(4)", "abcde", "40 to 1|30 to 1|6 to 1|4 to 1|1 to 1"),
    ("pair_plus", "E", "12.D(5)", "abcde", "40 to 1|25 to 1|6 to 1|4 to 1|1 to 1"),
    ("progressive", "A", "12.E(1)(a)", ["i", "ii", "iii", "iv", "v"],
     "100 percent of meter|500 for 1|70 for 1|60 for 1|6 for 1"),
    ("progressive", "B", "12.E(1)(b)", ["i", "ii", "iii", "iv"],
     "100 percent of meter|500 for 1|100 for 1|90 for 1"),
    ("progressive", "C", "12.E(1)(c)", ["i", "ii", "iii", "iv", "v"],
     "100 percent of Major Progressive|100 percent of Minor Progressive|70 for 1|60 for 1|6 for 1"),
    ("six_card_bonus", "A", "12.F(1)", "abcdefghi",
     "$1,000,000|$100,000|1,000 to 1|200 to 1|50 to 1|20 to 1|15 to 1|10 to 1|5 to 1"),
    ("six_card_bonus", "B", "12.F(2)", "abcdefgh",
     "$100,000|1,000 to 1|200 to 1|50 to 1|20 to 1|15 to 1|10 to 1|5 to 1"),
    ("six_card_bonus", "C", "12.F(3)", "abcdefg",
     "1,000 to 1|200 to 1|50 to 1|25 to 1|20 to 1|10 to 1|5 to 1"),
    ("six_card_bonus", "D", "12.F(4)", "abcdefg",
     "1,000 to 1|200 to 1|100 to 1|20 to 1|15 to 1|9 to 1|8 to 1"),
    ("six_card_bonus", "E", "12.F(5)", "abcdefg",
     "1,000 to 1|200 to 1|100 to 1|20 to 1|15 to 1|10 to 1|7 to 1"),
    ("six_card_bonus", "F", "12.F(6)", "abcdefg",
     "1,000 to 1|200 to 1|50 to 1|25 to 1|15 to 1|10 to 1|5 to 1"),
    ("five_card_progressive", "A", "12.G(1)", "abcdefg",
     "100 percent of meter|10 percent of meter|300 for 1|50 for 1|40 for 1|30 for 1|9 for 1"),
    ("five_card_progressive", "B", "12.G(2)", "abcdefg",
     ("100 percent of Major Progressive|100 percent of Minor Progressive"
      "|300 for 1|50 for 1|40 for 1|30 for 1|9 for 1")),
    ("five_card_progressive", "C", "12.G(3)", "abcdefg",
     ("100 percent of Mega Progressive|100 percent of Major Progressive"
      "|100 percent of Minor Progressive|50 for 1|40 for 1|30 for 1|9 for 1")),
    ("envy_bonus", "100", "12.E(5)(a)", ["i", "ii"], "$100|$25"),
    ("envy_bonus", "500", "12.E(5)(b)", ["i", "ii"], "$500|$125"),
]  # fmt: skip

# For each kind of hand: the player's cards, the dealer's, the community's.
THREE = {
    "mini_royal_spades": "AS KS QS",
    "mini_royal": "AH KH QH",
    "straight_flush": "9H TH JH",
    "three_of_a_kind": "7C 7D 7H",
    "straight": "5C 6D 7H",
    "flush": "2D 9D JD",
    "pair": "8C 8D 3H",
}
SIX = {
    "super_royal_diamonds": ("AD KD QD", "JD TD 9D"),
    "super_royal": ("AC KC QC", "JC TC 9C"),
    "royal_flush": ("AS KS QS", "JS TS 2C"),
    "straight_flush": ("5H 6H 7H", "8H 9H KC"),
    "four_of_a_kind": ("7C 7D 7H", "7S 2C 3D"),
    "full_house": ("7C 7D 7H", "2C 2D 9S"),
    "flush": ("2D 9D JD", "4D KD 3S"),
    "straight": ("5C 6D 7H", "8S 9C KD"),
    "three_of_a_kind": ("7C 7D 7H", "2C 4D 9S"),
}


def row_of(wager: str, letter: str, kind: str) -> paytables.Row:
    return next(row for row in FIGURES.table(wager, letter).rows if row.hand == kind)


def every_row(*wagers: str) -> list[Any]:
    return [
        pytest.param(wager, letter, row.hand, id=f"{wager}-{letter}-{row.hand}")
        for (wager, letter), table in FIGURES.tables.items()
        if wager in wagers
        for row in table.rows
    ]


@pytest.mark.parametrize(
    ("wager", "letter", "clause", "marks", "odds"), PRINTED, ids=lambda v: str(v)[:12]
)
def test_printed(wager: str, letter: str, clause: str, marks: list[str], odds: str) -> None:
    table = FIGURES.table(wager, letter)
    assert [row.odds for row in table.rows] == odds.split("|")
    assert [row.clause for row in table.rows] == [f"TCP {clause}({mark})" for mark in marks]
    assert table.clause == f"TCP {clause}"


def test_nothing_else_is_in_the_file() -> None:
    printed = {(wager, letter) for wager, letter, *_ in PRINTED}
    assert set(FIGURES.tables) == {("ante_play", paytables.ONLY), *printed}
    named = {row.hand for table in FIGURES.tables.values() for row in table.rows}
    assert named == {"wins", *THREE, *SIX}


def test_every_clause_exists() -> None:
    cited = {row.clause for table in FIGURES.tables.values() for row in table.rows}
    cited |= {table.clause for table in FIGURES.tables.values()}
    cited |= {FIGURES.reset_minimum.clause}
    assert FIGURES.seats_clause in CLAUSES
    cited |= {FIGURES.progressive_stakes_clause}
    cited |= {figure.clause for figure in FIGURES.rate_minimums.values()}
    assert cited <= CLAUSES


def test_other_figures() -> None:
    assert FIGURES.seats_maximum == 7
    assert FIGURES.progressive_stakes == (100, 500)
    assert FIGURES.reset_minimum.value == 100_000
    assert {key: figure.value for key, figure in FIGURES.rate_minimums.items()} == {
        ("progressive", "A"): Decimal("0.14"),
        ("progressive", "B"): Decimal("0.20"),
    }
    [even_money] = FIGURES.table("ante_play").rows
    assert even_money.odds == "1 to 1"


def expected_return(row: paytables.Row, stake: int) -> int:
    """What the odds in words mean, worked out from the words."""
    assert row.odds is not None
    words = row.odds.replace(",", "").split()
    if words[1:] == ["to", "1"]:
        return stake + int(words[0]) * stake
    if words[1:] == ["for", "1"]:
        return int(words[0]) * stake
    return stake + int(words[0].removeprefix("$")) * 100


@pytest.mark.parametrize(("wager", "letter", "kind"), every_row("ante_bonus"))
def test_ante_bonus(wager: str, letter: str, kind: str) -> None:
    seat = hand(1, THREE[kind], ante=1500)
    lines = by_wager(settle_one(rules(ante_bonus=letter), "2C 3S 5S", seat))
    row = row_of(wager, letter, kind)
    bonus = lines["ante_bonus"]
    assert (bonus.stake, bonus.outcome, bonus.odds, bonus.clause) == (
        0,
        "win",
        row.odds,
        row.clause,
    )
    assert bonus.returned == expected_return(row, 1500) - 1500


@pytest.mark.parametrize(("wager", "letter", "kind"), every_row("pair_plus"))
def test_pair_plus(wager: str, letter: str, kind: str) -> None:
    seat = hand(1, THREE[kind], None, pair_plus=700)
    [line] = settle_one(rules(pair_plus=letter), "2C 3S 5S", seat).lines
    row = row_of(wager, letter, kind)
    assert (line.outcome, line.odds, line.clause) == ("win", row.odds, row.clause)
    assert line.returned == expected_return(row, 700)


@pytest.mark.parametrize("stake", [100, 500])
@pytest.mark.parametrize(("wager", "letter", "kind"), every_row("progressive"))
def test_progressive(wager: str, letter: str, kind: str, stake: int) -> None:
    seat = hand(1, THREE[kind], ante=1000, progressive=stake)
    line = by_wager(settle_one(rules(progressive=letter), "2C 3S 5S", seat))["progressive"]
    row = row_of(wager, letter, kind)
    assert (line.outcome, line.odds, line.clause) == ("win", row.odds, row.clause)
    meter = {"A": "main", "B": "main", "C": "major"}[letter]
    if kind == "mini_royal" and letter == "C":
        meter = "minor"
    awards = {"main": 1_234_567, "major": 2_000_001, "minor": 300_003}
    if row.meter:
        assert (line.meter, line.resets, line.returned) == (meter, True, awards[meter])
    else:
        assert (line.meter, line.resets) == (None, False)
        assert line.returned == expected_return(row, stake)


@pytest.mark.parametrize(("wager", "letter", "kind"), every_row("six_card_bonus"))
def test_six_card_bonus(wager: str, letter: str, kind: str) -> None:
    player, dealer = SIX[kind]
    seat = hand(1, player, ante=1000, six_card_bonus=300)
    line = by_wager(settle_one(rules(six_card_bonus=letter), dealer, seat))["six_card_bonus"]
    row = row_of(wager, letter, kind)
    assert (line.outcome, line.odds, line.clause) == ("win", row.odds, row.clause)
    assert line.returned == expected_return(row, 300)


@pytest.mark.parametrize("stake", [100, 500])
@pytest.mark.parametrize(("wager", "letter", "kind"), every_row("five_card_progressive"))
def test_five_card_progressive(wager: str, letter: str, kind: str, stake: int) -> None:
    player, others = SIX[kind]
    community = " ".join(others.split()[:2])
    seat = hand(1, player, None, pair_plus=500, five_card_progressive=stake)
    result = settle_one(rules(five_card_progressive=letter), "2H 3C TH", seat, community)
    line = by_wager(result)["five_card_progressive"]
    row = row_of(wager, letter, kind)
    assert (line.outcome, line.odds, line.clause) == ("win", row.odds, row.clause)
    paid_from = {
        ("A", "royal_flush"): ("main5", 5_000_005, True),
        ("A", "straight_flush"): ("main5", 500_001, False),  # 10 percent, half a cent up
        ("B", "royal_flush"): ("major5", 700_007, True),
        ("B", "straight_flush"): ("minor5", 200_002, True),
        ("C", "royal_flush"): ("mega5", 9_000_009, True),
        ("C", "straight_flush"): ("major5", 700_007, True),
        ("C", "four_of_a_kind"): ("minor5", 200_002, True),
    }
    fixed = (None, expected_return(row, stake) if row.meter is None else 0, False)
    wanted = paid_from.get((letter, kind), fixed)
    assert (line.meter, line.returned, line.resets) == wanted
