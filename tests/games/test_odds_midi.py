"""The odds of Midi Baccarat: published figures, totals, clauses, and settled samples."""

import random
from fractions import Fraction
from math import comb, perm

import pytest

from tablectl.cards import DECK
from tablectl.games import paytables
from tablectl.games.midi_baccarat_rules import WAGERS
from tablectl.games.midi_third_cards import next_due
from tablectl.games.odds import midi_baccarat, midi_shoe
from tablectl.games.odds.catalogue import edge, questions
from tablectl.games.odds.report import paid
from tablectl.games.rules import MidiBaccaratRules, RulesError, parse_rules
from tests.games.odds import answers, percent
from tests.games.test_odds_shoe import by_nines, by_ranks, how, pair_of, royal_of

GAME = "midi_baccarat"
EVERY = answers(GAME)


def table(**more) -> MidiBaccaratRules:
    rules = parse_rules({"game": GAME, **more})
    assert isinstance(rules, MidiBaccaratRules)
    return rules


@pytest.mark.parametrize(
    ("wager", "paytable", "published"),
    [
        ("banker", "standard", "1.058"),
        ("player", "standard", "1.235"),
        ("tie", "standard", "14.360"),
        ("dragon_7", "ez", "7.611"),
        ("panda_8", "ez", "10.188"),
        ("dragon_bonus_player", "A", "2.652"),
        ("jackpot", "A", "14.519"),
        # From no publication: counted here, and kept so that a change shows.
        ("dragon_bonus_banker", "A", "9.373"),
        ("banker", "ez", "1.018"),
        ("banker", "no_commission", "1.458"),
    ],
)
def test_the_published_edges_of_eight_decks(wager, paytable, published):
    assert percent(EVERY[wager, paytable]) == published


@pytest.mark.parametrize(
    ("decks", "banker", "player", "tie"), [(6, "1.056", "1.237", "14.438"), (7, None, None, None)]
)
def test_other_shoes(decks, banker, player, tie):
    found = answers(GAME, decks=decks)
    assert {odds.decks for odds in found.values()} == {decks}
    assert list(found) == list(EVERY)
    if banker:
        assert percent(found["banker", "standard"]) == banker
        assert percent(found["player", "standard"]) == player
        assert percent(found["tie", "standard"]) == tie
    else:  # seven decks lie between six and eight
        six = answers(GAME, decks=6)["banker", "standard"].edge
        assert six < found["banker", "standard"].edge < EVERY["banker", "standard"].edge


def test_every_wager_variant_and_paytable_is_counted():
    asked = set(EVERY)
    variants = ("standard", "ez", "fortune_7", "no_commission", "five_treasures")
    assert {(wager, kind) for wager in ("player", "banker", "tie") for kind in variants} <= asked
    assert {wager for wager, _ in asked} == set(WAGERS)
    for wager, letters in {
        "dragon_bonus_player": "ABC",
        "dragon_bonus_banker": "ABC",
        "blazing_7s": "AB",
        "lucky_nines": "ABCD",
        "jackpot": "ABCDE",
        "royal_9": "ABC",
    }.items():
        assert [paytable for name, paytable in EVERY if name == wager] == list(letters)


def test_totals_and_names():
    two_hands = comb(416, 2) * comb(414, 2)
    totals = dict.fromkeys(("any_pair", "any_pair_player", "any_pair_banker", "royal_9"), two_hands)
    totals |= dict.fromkeys(("lucky_nines", "jackpot"), comb(416, 4))
    for (wager, _), odds in EVERY.items():
        assert odds.total == totals.get(wager, perm(416, 6))
        assert odds.total == sum(end.count for end in odds.outcomes)
        assert len({end.name for end in odds.outcomes}) == len(odds.outcomes)


def test_every_row_is_counted_under_its_clause():
    for (key, letter), printed in paytables.midi_baccarat().tables.items():
        if key == "must_hit":
            continue  # a random award without a stake of its own
        wagers = [name for name in WAGERS if name == key or name.startswith(f"{key}_")]
        wagers = [name for name in wagers if name not in ("tie", "player", "banker")] or [key]
        for wager in wagers:
            for (name, paytable), odds in EVERY.items():
                if name == wager and letter in ("", paytable):
                    cited = {one for end in odds.outcomes for one in end.clause.split(", ")}
                    names = {end.name for end in odds.outcomes}
                    assert {row.clause for row in printed.rows} <= cited
                    assert {row.hand for row in printed.rows} <= names


def test_what_the_house_may_set():
    assert answers(GAME, tie_pays=9)["tie", "ez"].edge == 1 - 10 * tied()
    only = answers(GAME, variant="ez", any_pair="nominated_hand", jackpot="B", lucky_6=False)
    assert ("banker", "ez") in only
    assert ("super_6", "ez") in only
    assert not {"fortune_7", "golden_8", "blazing_7s", "any_pair", "lucky_6"} & {w for w, _ in only}
    assert [paytable for wager, paytable in only if wager == "jackpot"] == ["B"]


def tied() -> Fraction:
    [ties] = [end.count for end in EVERY["tie", "standard"].outcomes if end.name == "tie"]
    return Fraction(ties, perm(416, 6))


def test_the_vigorish_is_counted_though_it_is_marked():
    rules = table(vigorish_collection="marked", vigorish_rounding="up_to_quarter")
    assert edge(rules)["banker"] == EVERY["banker", "standard"].edge


def test_royal_9_counts_its_awards_as_nothing_and_says_so():
    for letter in "ABC":
        odds = EVERY["royal_9", letter]
        assert "counted as 0" in odds.notes[0]
        awards = [end for end in odds.outcomes if end.award]
        assert len(awards) == 8
        assert all(end.pays == 0 for end in awards)
    exact = {end.name: end.count for end in EVERY["royal_9", "A"].outcomes}["exact_match"]
    # One king and one nine out of eight each for a hand, out of seven for the other.
    assert exact == (8 * 8) * (7 * 7)


def test_a_pair_in_either_hand_pays_more_than_is_staked():
    """What the texts' second reading costs the house: it is on record, not a slip of the count."""
    assert EVERY["any_pair", "standard"].edge < Fraction(-7, 10)
    assert percent(EVERY["any_pair_player", "standard"]) == "9.787"


SEEN = {
    midi_shoe.whole_rounds: how,
    midi_shoe.first_pairs: lambda one: (pair_of(one.player), pair_of(one.banker)),
    midi_shoe.first_royal_nines: lambda one: (royal_of(one.player), royal_of(one.banker)),
    midi_shoe.first_nines: lambda one: by_nines([*one.player[:2], *one.banker[:2]]),
    midi_shoe.first_four: lambda one: by_ranks([*one.player[:2], *one.banker[:2]]),
}
CENSUS = {
    "any_pair": midi_shoe.first_pairs,
    "any_pair_player": midi_shoe.first_pairs,
    "any_pair_banker": midi_shoe.first_pairs,
    "royal_9": midi_shoe.first_royal_nines,
    "lucky_nines": midi_shoe.first_nines,
    "jackpot": midi_shoe.first_four,
}


def test_a_sample_of_rounds_ends_as_its_class_does():
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    chosen = random.Random(seed)
    classes = {counted: {key(one): one for one in counted(8)} for counted, key in SEEN.items()}
    everything = {
        "lucky_6": True, "super_6": True, "royal_9_reading": "printed_per_seat",
    }  # fmt: skip
    for _ in range(200):
        rules = table(
            **everything,
            variant=chosen.choice(["standard", "ez", "fortune_7", "no_commission"]),
            any_pair=chosen.choice(["either_hand", "nominated_hand"]),
            dragon_bonus=chosen.choice("ABC"),
            lucky_nines=chosen.choice("ABCD"),
            jackpot=chosen.choice("ABCDE"),
            royal_9=chosen.choice("ABC"),
        )
        dealt = deal(chosen)
        for wager in rules.wagers:
            counted = CENSUS.get(wager, midi_shoe.whole_rounds)
            like = classes[counted][SEEN[counted](dealt)]
            mine, theirs = (
                paid(midi_baccarat.settled(rules, wager, one), 10_000) for one in (dealt, like)
            )
            assert mine == theirs, dealt


def deal(chosen: random.Random) -> midi_shoe.Round:
    """A round from a shoe; now and then one of nines, kings and queens, which are rare."""
    shoe = [card for card in DECK if card[0] in "9KQ"] if chosen.random() < 0.3 else list(DECK)
    cards = chosen.sample(shoe * 8, 6)
    hands = {"player": [cards[0], cards[2]], "banker": [cards[1], cards[3]]}
    rest = cards[4:]
    while (side := next_due(hands["player"], hands["banker"]).side) is not None:
        hands[side].append(rest.pop(0))
    return midi_shoe.Round(1, tuple(hands["player"]), tuple(hands["banker"]))


@pytest.mark.parametrize(
    "settings",
    [
        {"decks": 5},
        {"decks": "8"},
        {"tie_pays": 7},
        {"jackpot": "F"},
        {"variant": "mini"},
        {"x": 1},
    ],
)
def test_settings_that_the_rules_do_not_allow(settings):
    with pytest.raises(RulesError):
        questions(GAME, settings)
