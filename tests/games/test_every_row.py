"""Every row of every paytable is hit by a round that it is for, and pays what its words say.

The odds in words, the clauses and the letters are read from the packaged figures; the examples are
rounds that somebody who knows the game would name.
"""

from typing import Any

import pytest

from tablectl.games import paytables
from tablectl.games.paytables import GameFigures, Paytable, Row
from tablectl.games.settlement import Line
from tablectl.games.three_card_poker import settle_round

from .baccarat_deals import MIDI_METERS, midi_line, midi_rules, three_card_line, three_card_rules
from .deals import METERS, by_wager, cards, hand, rules, settle_one

# ---------------------------------------------------------------- Three Card Poker

# By hand: the player's three cards, then the dealer's three, or the community's two.
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
NOT_QUALIFIED = "2C 3S 5S"


def poker_line(table: Paytable, name: str, stake: int) -> Line:
    """How the wager of a table ends with the hand of a row."""
    wager = table.wager
    if wager == "ante_play":
        result = settle_one(rules(), "QC 3D 2H", hand(1, "AC KD 7H", ante=stake))
        assert by_wager(result)["ante"].clause == by_wager(result)["play"].clause
        return by_wager(result)["play"]
    if wager == "envy_bonus":
        return _envy(name, int(table.letter))
    in_force = rules(**{wager: table.letter})
    if wager in ("six_card_bonus", "five_card_progressive"):
        player, others = SIX[name]
        dealer, community = others, ""
        if wager == "five_card_progressive":
            dealer, community = "2H 3C TH", " ".join(others.split()[:2])
        seat = hand(1, player, None, **{"pair_plus": 1000, wager: stake})
        return by_wager(settle_one(in_force, dealer, seat, community))[wager]
    staked = {"ante": stake} if wager == "ante_bonus" else {"ante": 1000, wager: stake}
    return by_wager(settle_one(in_force, NOT_QUALIFIED, hand(1, THREE[name], **staked)))[wager]


def _envy(name: str, stake: int) -> Line:
    hands = [
        hand(1, "7C 8D TH", ante=1000, progressive=stake),
        hand(4, THREE[name], ante=1000),
    ]
    receiver, _ = settle_round(rules(), cards(NOT_QUALIFIED), hands, METERS).seats
    return by_wager(receiver)["envy_bonus"]


# ---------------------------------------------------------------- Three Card Baccarat

# By wager and hand: the player's cards and the dealer's.
THREE_CARD = {
    ("ante", "wins"): ("9C TD TH", "8C TC TS"),
    ("three_kings", "three_kings"): ("KC KD KH", "8C TC TS"),
    ("three_kings", "three_face_cards"): ("JC QD KH", "8C TC TS"),
    ("three_kings", "nine"): ("4C 2D 3H", "8C TC TS"),
    ("three_kings", "eight"): ("9C 9D KH", "9H TC TS"),
    ("tie", "three_card_copy"): ("4C 5D 7H", "7C 4D 5H"),
    ("tie", "point_and_face_tie"): ("KC 4D 5H", "QC 2D 7H"),
    ("tie", "point_tie"): ("KC 4D 5H", "9C TD TH"),
    ("dragon", "win_by_10"): ("JC QD KH", "TC 5D 5H"),
    ("dragon", "win_by_9"): ("9C TD TH", "TC 5D 5H"),
    ("dragon", "win_by_8"): ("8C TD TH", "TC 5D 5H"),
    ("dragon", "win_by_7"): ("7C TD TH", "TC 5D 5H"),
    ("dragon", "win_by_6"): ("9C TD TH", "3C JD JH"),
    ("dragon", "win_by_5"): ("6C TD TH", "AC JD JH"),
}

# ---------------------------------------------------------------- Midi Baccarat

# By wager and hand: the player's cards and the banker's. At seat 1 KC 9D is printed, at 2 KH 9S.
_SEVEN = ("6C KD", "2C 3D 2H")  # the banker wins with three cards that count seven
_EIGHT = ("2C 3D 3H", "2H 3S")  # the player wins with three cards that count eight
MIDI = {
    ("player", "wins"): ("9C KD", "2C 5D"),
    ("banker", "wins"): ("2C 5D", "9C KD"),
    ("banker", "dragon_7"): _SEVEN,
    ("banker", "fortune_7"): _SEVEN,
    ("banker", "wins_with_6"): ("2C 3D KH", "6C TD"),
    ("tie", "tie"): ("7C KD", "7D KH"),
    **{
        ("dragon_bonus_player", f"win_by_{by}"): ("2C 3D 4H", f"2H 3S {third}")
        for by, third in zip(range(9, 3, -1), ("5C", "6C", "7C", "8C", "9C", "TC"), strict=True)
    },
    ("dragon_bonus_player", "natural_winner"): ("9C KD", "8C KH"),
    ("dragon_bonus_player", "natural_tie"): ("9C KD", "9D KH"),
    **{
        ("dragon_bonus_banker", f"win_by_{by}"): ("KC QD TH", f"KH 3S {third}")
        for by, third in zip(range(9, 3, -1), ("6C", "5C", "4C", "3C", "2C", "AC"), strict=True)
    },
    ("dragon_bonus_banker", "natural_winner"): ("2C 5D", "8C KD"),
    ("dragon_bonus_banker", "natural_tie"): ("8C KD", "8D KH"),
    ("dragon_7", "dragon_7"): _SEVEN,
    ("panda_8", "panda_8"): _EIGHT,
    ("fortune_7", "fortune_7"): _SEVEN,
    ("one_up", "one_to_zero"): ("KC QD AH", "KH 3S 7C"),
    ("one_up", "by_one_point"): ("7C KD", "6D KH"),
    ("treasure_fortune_7", "fortune_7"): _SEVEN,
    ("golden_8", "golden_8"): _EIGHT,
    ("heavenly_9", "both_hands"): ("2C 3D 4H", "2H 3S 4C"),
    ("heavenly_9", "one_hand"): ("KC QD TH", "KH 3S 6C"),
    ("blazing_7s", "three_cards_each"): ("2C 2D 3H", "2H 2S 3C"),
    ("blazing_7s", "two_cards_each"): ("7C KD", "5D 2H"),
    ("cover_all", "any_treasure"): _EIGHT,
    ("any_pair", "pair"): ("2C 5D", "8C 8D"),
    ("any_pair", "pair_of_nines"): ("8C 8H", "9C 9D"),
    ("any_pair_player", "pair"): ("4C 4D", "9C 9D"),
    ("any_pair_player", "pair_of_nines"): ("9C 9D", "4C 4D"),
    ("any_pair_banker", "pair"): ("9C 9D", "4C 4D"),
    ("any_pair_banker", "pair_of_nines"): ("4C 4D", "9C 9D"),
    ("lucky_nines", "four_nines"): ("9C 9D", "9H 9S"),
    ("lucky_nines", "three_nines_same_suit"): ("9C 9C", "9C 5D"),
    ("lucky_nines", "three_nines"): ("9C 9D", "9H 5D"),
    ("lucky_nines", "two_nines_same_suit"): ("9C KD", "9C 5D"),
    ("lucky_nines", "two_nines"): ("9C KD", "9D 5D"),
    ("lucky_nines", "nine_of_diamonds"): ("9D KD", "2C 5D"),
    ("lucky_nines", "one_nine"): ("2C 5D", "9H KD"),
    ("lucky_6", "two_cards"): ("2C 3D KH", "6C TD"),
    ("lucky_6", "three_cards"): ("2C 3D KH", "KC 3H 3S"),
    ("super_6", "wins_with_6"): ("2C 3D KH", "KC 3H 3S"),
    ("jackpot", "four_card_royal"): ("AS KS 2C", "QS JS 5H"),
    ("jackpot", "four_of_a_kind"): ("8C 8D", "8H 8S"),
    ("jackpot", "straight_flush"): ("5C 4C", "3C 2C"),
    ("jackpot", "three_of_a_kind"): ("8C 8D", "8H AS"),
    ("jackpot", "flush"): ("9C KC", "2C 5C"),
    ("jackpot", "straight"): ("9C TD", "8H 7S"),
    ("jackpot", "two_pair"): ("9C KD", "9H KS"),
    ("jackpot", "pair_of_aces"): ("AC 8D", "AH 4S"),
    ("jackpot", "pair_of_tens_to_kings"): ("9C TD", "TH 4S"),
    ("royal_9", "exact_match"): ("KC 9D", "9D KC"),
    ("royal_9", "any_two_personal"): ("KH 9S", "KC 9D"),
    ("royal_9", "personal_banker"): ("2C 5D", "KC 9D"),
    ("royal_9", "personal_player"): ("KC 9D", "2C 5D"),
    ("royal_9", "identical"): ("KS 9H", "9H KS"),
    ("royal_9", "both_suited"): ("QC 9C", "9D JD"),
    ("royal_9", "both"): ("QC 9C", "9D JC"),
    ("royal_9", "any_suited"): ("2C 5D", "9D JD"),
    ("royal_9", "any"): ("QC 9D", "2C 5D"),
}
_MIDI_WAGERS = {
    "dragon_bonus": ("dragon_bonus_player", "dragon_bonus_banker"),
    "any_pair": ("any_pair", "any_pair_player", "any_pair_banker"),
}


def midi_table_rules(wager: str, table: Paytable) -> Any:
    """Rules under which the table is in force."""
    settings: dict[str, Any] = {}
    if wager == "banker":
        settings["variant"] = table.letter
    elif table.variant:
        settings["variant"] = table.variant
    if wager == "any_pair":
        settings["any_pair"] = "either_hand"
    if table.letter and wager != "banker":
        settings[table.wager] = table.letter
    return midi_rules(**settings)


# ---------------------------------------------------------------- all of them

GAMES: dict[str, GameFigures] = {
    "TCP": paytables.three_card_poker(),
    "TCB": paytables.three_card_baccarat("MD"),
    "WA-TCB": paytables.three_card_baccarat("WA"),
    "MIDI": paytables.midi_baccarat(),
}
EVERY = [
    pytest.param(game, table, row, wager, id=f"{game}-{wager}-{table.letter}-{row.hand}")
    for game, figures in GAMES.items()
    for table in figures.tables.values()
    if table.wager != "must_hit"  # a random award, without a wager or a hand of its own
    for wager in _MIDI_WAGERS.get(table.wager, (table.wager,))
    for row in table.rows
]


def settled(game: str, table: Paytable, row: Row, wager: str, stake: int) -> Line:
    assert row.hand is not None
    if game == "TCP":
        return poker_line(table, row.hand, stake)
    if game == "MIDI":
        return midi_line(midi_table_rules(wager, table), *MIDI[wager, row.hand], wager, stake)
    player, dealer = THREE_CARD[wager, row.hand]
    key = "commission" if wager == "ante" else wager
    letter: Any = table.letter or True
    settings = {"jurisdiction": "WA" if game == "WA-TCB" else "MD", key: letter}
    return three_card_line(three_card_rules(**settings), player, dealer, wager, stake)


def in_words(row: Row, stake: int) -> int:
    """What the odds in words mean, worked out from the words."""
    assert row.odds is not None
    if row.odds == "push":
        return stake
    words = row.odds.replace(",", "").split()
    if words[1:2] == ["to"]:
        won = int(words[0]) * stake // int(words[2])
        return won if row.wager == "ante_bonus" else stake + won
    if words[1:2] == ["for"]:
        return int(words[0]) * stake
    if words[1:2] == ["percent"]:
        assert row.meter is not None
        shows = {**METERS, **MIDI_METERS}[row.meter].cents
        return (shows * int(words[0]) + 50) // 100
    cents = int(words[0].removeprefix("$")) * 100
    return cents + (stake if row.wager == "six_card_bonus" else 0)


@pytest.mark.parametrize("stake", [100, 500])
@pytest.mark.parametrize(("game", "table", "row", "wager"), EVERY)
def test_row(game: str, table: Paytable, row: Row, wager: str, stake: int) -> None:
    line = settled(game, table, row, wager, stake)
    outcome = "push" if row.odds == "push" else "win"
    assert (line.outcome, line.odds, line.clause) == (outcome, row.odds, row.clause)
    assert line.stake == (0 if wager in ("ante_bonus", "envy_bonus") else stake)
    assert line.returned + line.vigorish == in_words(row, stake)
    assert line.vigorish == (25 if row.vigorish else 0)  # 5 percent, up to a quarter
    assert (line.meter, line.resets) == (row.meter, row.percent == 100)


def test_no_example_is_idle() -> None:
    named = {(param.values[3], param.values[2].hand) for param in EVERY}  # type: ignore[union-attr]
    assert named >= THREE_CARD.keys() | MIDI.keys()
    of_poker = {row.hand for table in GAMES["TCP"].tables.values() for row in table.rows}
    assert of_poker == {"wins", *THREE, *SIX}


def test_a_wager_of_one_cent_is_settled_too() -> None:
    """A half cent goes up, and the commission never takes more than was won."""
    no_commission = midi_rules(variant="no_commission")
    assert midi_line(no_commission, "2C 3D KH", "6C TD", "banker", 1).returned == 2
    assert midi_line(no_commission, "2C 3D KH", "6C TD", "banker", 3).returned == 5
    line = midi_line(midi_rules(), "2C 5D", "9C KD", "banker", 1)
    assert (line.returned, line.vigorish) == (1, 1)
    exact = three_card_rules(vigorish_rounding="none")
    line = three_card_line(exact, "9C TD TH", "8C TC TS", "ante", 1)
    assert (line.returned, line.vigorish) == (2, 0)
