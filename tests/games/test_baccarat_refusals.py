"""Rounds of both baccarats that cannot be settled, as lines of `tablectl settle`: each refusal is
one sentence that says why, with the clause where the rules have one."""

import json
from typing import Any

import pytest

from tablectl.settle import settle_lines
from tests.clauses import CLAUSES

MARYLAND: dict[str, Any] = {
    "id": 1,
    "game": "three_card_baccarat",
    "rules": {"three_kings": "A"},
    "dealer": ["8C", "TC", "TS"],
    "seats": [
        {"seat": 1, "wagers": {"ante": 1000, "three_kings": 500}, "cards": ["9C", "TD", "TH"]},
        {"seat": 2, "wagers": {"ante": 1000}, "cards": ["2C", "3D", "4H"]},
    ],
}
WASHINGTON = {**MARYLAND, "rules": {"jurisdiction": "WA", "three_kings": "A"}}
MIDI: dict[str, Any] = {
    "id": 1,
    "game": "midi_baccarat",
    "rules": {"royal_9": "A", "royal_9_reading": "printed_per_seat"},
    "meters": {"star": 5_000_000},
    "player": ["2C", "3D", "KH"],
    "banker": ["6C", "TD"],
    "seats": [
        {"seat": 1, "wagers": {"player": 1000, "royal_9": 500}, "printed_king_9": ["KC", "9D"]},
        {"seat": 2, "wagers": {"banker": 1000}},
    ],
}
GOOD = {"MD": MARYLAND, "WA": WASHINGTON, "MIDI": MIDI}


def answer(line: Any) -> dict[str, Any]:
    [told] = settle_lines([line if isinstance(line, str) else json.dumps(line)])
    parsed = json.loads(told)
    assert isinstance(parsed, dict)
    return parsed


def changed(game: str, seat: dict[str, Any], keys: dict[str, Any]) -> dict[str, Any]:
    """The good round with keys changed, and keys of its first seat."""
    first, *others = GOOD[game]["seats"]
    made = {**GOOD[game], "seats": [{**first, **seat}, *others], **keys}
    return {key: value for key, value in made.items() if value is not ...}


def test_the_rounds_are_good() -> None:
    for round_ in GOOD.values():
        assert "error" not in answer(round_)


# Game, what is wrong with it, what the first seat and the round become, the words, the clause.
ONE_DECK: list[Any] = [
    (game, *bad, clauses.get(game))
    for game in ("MD", "WA")
    for *bad, clauses in (
        ("unknown card", {"cards": ["9C", "TD", "1H"]}, {}, "'1H', which is not a card", {}),
        ("card of a wrong type", {"cards": ["9C", "TD", 7]}, {}, "7, which is not a card", {}),
        ("card null", {"cards": ["9C", "TD", None]}, {}, "null, which is not a card", {}),
        ("too few cards", {"cards": ["9C", "TD"]}, {}, "seat 1 has 2 cards: give exactly 3", {}),
        ("no cards", {"cards": []}, {}, "seat 1 has 0 cards", {}),
        ("cards no list", {"cards": "9C"}, {}, "cards must be a list", {}),
        ("dealer's cards missing", {}, {"dealer": ...}, "dealer must be a list", {}),
        ("dealer's cards too many", {}, {"dealer": ["8C", "TC", "TS", "2S"]}, "has 4 cards", {}),
        ("dealer's card unknown", {}, {"dealer": ["8C", "TC", "tS"]}, "'tS', which is not", {}),
        ("card twice", {"cards": ["9C", "TD", "8C"]}, {}, "8C appears twice", {"MD": "TCB 3.A"}),
        ("card twice in a hand", {"cards": ["9C", "9C", "8C"]}, {}, "twice", {"MD": "TCB 3.A"}),
        ("wager not offered", {"wagers": {"ante": 1, "tie": 1}}, {},
         "do not offer: they offer ante, three_kings", {"MD": "TCB 7.E(2)", "WA": "WA-TCB D3"}),
        ("unknown wager", {"wagers": {"ante": 1, "banker": 1}}, {},
         "'banker', which these rules do not offer", {"MD": "TCB 7.E(1)", "WA": "WA-TCB D2"}),
        *(
            (f"stake {stake!r:.12}", {"wagers": {"ante": stake}}, {}, "seat 1 has ante of",
             {"MD": "TCB 7.E(1)", "WA": "WA-TCB D2"})
            for stake in (0, -100, 1.0, True, None, "100", [100], {"cents": 1}, 10**12 + 1, 10**400)
        ),
        ("stake of a bonus", {"wagers": {"ante": 1, "three_kings": 0}}, {}, "three_kings of 0",
         {"MD": "TCB 7.E(2)", "WA": "WA-TCB D3"}),
        ("bonus without ante", {"wagers": {"three_kings": 500}}, {}, "needs an ante",
         {"MD": "TCB 7.E(2)", "WA": "WA-TCB D3"}),
        ("no wager", {"wagers": {}}, {}, "no wager but needs an ante",
         {"MD": "TCB 7.E(1)", "WA": "WA-TCB D2"}),
        *(
            (f"decision {decision!r}", {"decision": decision}, {}, "nothing to decide",
             {"MD": "TCB 11.A", "WA": "WA-TCB D5"})
            for decision in ("play", "fold", "", 0)
        ),
        ("seat 0", {"seat": 0}, {}, "seat 0 is not at this table", {"MD": "TCB 2.A(1)"}),
        ("seat 8", {"seat": 8}, {}, "seat 8 is not at this table", {"MD": "TCB 2.A(1)"}),
        ("seat twice", {"seat": 2}, {}, "seat 2 is given twice", {}),
        ("seat no integer", {"seat": "1"}, {}, "a seat's number must be an integer", {}),
        ("wagers no object", {"wagers": [100]}, {}, "wagers must be an object", {}),
        ("seats no list", {}, {"seats": {}}, "seats must be a list", {}),
        ("another game's seat key", {"printed_king_9": ["KC", "9D"]}, {}, "unknown key", {}),
        ("another game's round key", {}, {"player": ["KC", "9D"]}, "unknown key 'player'", {}),
        ("meters", {}, {"meters": {"main": 5}}, "'main' is no meter of this game", {}),
        ("meters no object", {}, {"meters": 5}, "meters must be an object", {}),
        ("rules missing", {}, {"rules": ...}, "rules must be an object", {}),
    )
]  # fmt: skip
MIDI_BAD: list[Any] = [
    ("MIDI", *bad)
    for bad in (
        ("unknown card", {}, {"player": ["2C", "3D", "XX"]}, "'XX', which is not a card", None),
        ("card of a wrong type", {}, {"banker": ["6C", ["TD"]]}, "is not a card", None),
        ("too few cards", {}, {"player": ["2C"]}, "hand has 1 card: give 2 or 3", None),
        ("too many cards", {}, {"banker": ["6C", "TD", "KH", "KH"]}, "has 4 cards", None),
        ("hand missing", {}, {"banker": ...}, "banker must be a list of two or three", None),
        ("hand no list", {}, {"player": "2C3D"}, "player must be a list", None),
        ("third card missing", {}, {"player": ["2C", "3D"]},
         "the player's hand counts 5 with two cards and must draw: give its", "MIDI 10.B(1)"),
        ("third card forbidden", {}, {"player": ["2C", "5D", "KH"]}, "must stay", "MIDI 10.B(2)"),
        ("banker's third card missing", {}, {"banker": ["2H", "TD"]}, "must draw", "MIDI 10.E(1)"),
        ("banker's third card forbidden", {}, {"banker": ["6C", "TD", "2H"]}, "must stay",
         "MIDI 10.E(3)(a)(iv)"),
        ("third card after a natural", {}, {"banker": ["9C", "TD"]},
         "the player's hand counts 5 with two cards and must stay", "MIDI 10.A"),
        ("wager not offered", {"wagers": {"lucky_6": 1}}, {},
         "do not offer: they offer player, banker, tie, royal_9", "MIDI 7.A(18)"),
        ("wager of another variant", {"wagers": {"dragon_7": 1}}, {},
         "a wager of the variant ez, and this table plays standard", "MIDI 7.A(5)"),
        ("treasure elsewhere", {"wagers": {"cover_all": 1}}, {}, "five_treasures", "MIDI 7.A(15)"),
        ("any pair not set", {"wagers": {"any_pair": 1}}, {}, "here it is not set", "MIDI 7.A(16)"),
        ("any pair the other way", {"wagers": {"any_pair_player": 1}},
         {"rules": {**MIDI["rules"], "any_pair": "either_hand"}}, "here it is 'either_hand'",
         "MIDI 7.A(16)"),
        ("unknown wager", {"wagers": {"ante": 1}}, {}, "'ante', which these rules", "MIDI 7.A"),
        *(
            (f"stake {stake!r:.12}", {"wagers": {"tie": stake}}, {}, "tie of", "MIDI 7.A(3)")
            for stake in (0, -100, 1.0, True, None, "100", [100], {"cents": 1}, 10**12 + 1, 10**400)
        ),
        ("royal 9 alone", {"wagers": {"royal_9": 500}}, {}, "needs a player, banker or tie wager",
         "MIDI 7.A(9)"),
        ("nothing printed", {"printed_king_9": None}, {}, "give its printed_king_9", "MIDI 12.K"),
        ("printed no list", {"printed_king_9": "KC9D"}, {}, "must be a list of a king", None),
        ("printed two kings", {"printed_king_9": ["KC", "KD"]}, {}, "give a king and a nine", None),
        ("printed one card", {"printed_king_9": ["KC"]}, {}, "1 card: give exactly 2", None),
        ("printed unknown card", {"printed_king_9": ["KC", "9X"]}, {}, "is not a card", None),
        ("seat 0", {"seat": 0}, {}, "1 to 9", "MIDI 2.A(1)"),
        ("seat 10", {"seat": 10}, {}, "1 to 9", "MIDI 2.A(1)"),
        ("seat beyond this table", {"seat": 7}, {"rules": {**MIDI["rules"], "seats": 6}}, "1 to 6",
         "MIDI 2.A(1)"),
        ("seat twice", {"seat": 2}, {}, "seat 2 is given twice", None),
        ("seat no integer", {"seat": 1.0}, {}, "a seat's number must be an integer", None),
        ("cards at a seat", {"cards": ["2C"]}, {}, "unknown key 'cards'", None),
        ("decision", {"decision": "play"}, {}, "unknown key 'decision'", None),
        ("dealer", {}, {"dealer": ["2C"]}, "unknown key 'dealer'", None),
        ("unknown meter", {}, {"meters": {"main": 5}},
         "no meter of this game: the meters are heart, must_hit, spade, star", None),
        ("meter negative", {}, {"meters": {"star": -1}}, "the meter star has -1", None),
        ("meter a float", {}, {"meters": {"star": 1.5}}, "the meter star has 1.5", None),
        ("meter won but not given", {}, {"player": ["KC", "9D"], "banker": ["2C", "5D"]},
         "the meter heart is won but was not given", "MIDI 12.K(1)(d)"),
        ("decks", {}, {"rules": {"decks": 5}}, "expected an integer from 6 to 8", None),
        ("no reading of royal 9", {}, {"rules": {"royal_9": "A"}}, "rules.royal_9_reading", None),
    )
]  # fmt: skip


@pytest.mark.parametrize(
    ("game", "what", "seat", "keys", "words", "clause"),
    ONE_DECK + MIDI_BAD,
    ids=lambda value: value if isinstance(value, str) and len(value) < 40 else "",
)
def test_refused(
    game: str, what: str, seat: dict[str, Any], keys: dict[str, Any], words: str, clause: str | None
) -> None:
    made = changed(game, seat, keys)
    told = answer(made)
    assert set(told) == {"id", "error"}, (what, told)
    assert words in told["error"]
    assert "\n" not in told["error"]
    if clause is not None:
        assert clause in CLAUSES
        assert told["error"].endswith(f"({clause})")


@pytest.mark.parametrize("game", GOOD)
def test_malformed_lines_of_every_game(game: str) -> None:
    good = json.dumps(GOOD[game])
    for text, why in (
        (good[:-1], "the line is not JSON"),
        (good.replace("1000", "NaN"), "NaN is not a JSON number"),
        (good.replace("1000", "1e3"), "of 1000.0"),
        (good.replace('"seat": 1', '"seat": 1, "seat": 1'), "the key 'seat' is given twice"),
        ("[" + good + "]", "a round must be an object"),
        (good + good, "the line is not JSON"),
    ):
        assert why in answer(text)["error"]


@pytest.mark.parametrize("game", GOOD)
def test_the_rest_goes_on(game: str) -> None:
    good = json.dumps(GOOD[game])
    told = [json.loads(line) for line in settle_lines([good, "{", good])]
    assert ["error" in line for line in told] == [False, True, False]
    assert told[0] == told[2]
