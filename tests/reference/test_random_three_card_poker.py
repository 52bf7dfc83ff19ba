"""The generator of Three Card Poker rounds: what it makes is valid, and reaches the rare rows."""

import random
from collections import Counter

from .random_play import DECK
from .random_three_card_poker import random_round
from .three_card_poker import best_five_of_six, five_card_name, settle, super_royal_suit


def _condition_holds(condition: str, wagers: dict[str, int]) -> bool:
    ante, pair_plus = wagers.get("ante", 0), wagers.get("pair_plus", 0)
    return {
        "free": ante > 0 or pair_plus > 0,
        "ante_at_least_equal": ante > 0 and ante >= pair_plus,
        "ante_at_least_half": ante > 0 and 2 * ante >= pair_plus,
        "both_compulsory": 0 < ante <= 5 * pair_plus and 0 < pair_plus <= 5 * ante,
    }[condition]


def test_random_rounds_are_valid() -> None:
    rng = random.Random(20240601)
    for _ in range(3000):
        round_ = random_round(rng)
        dealt = round_["dealer"] + round_.get("community", [])
        assert len(round_["dealer"]) == 3
        assert len(round_.get("community", ["", ""])) == 2
        for one in round_["seats"]:
            dealt = dealt + one["cards"]
            wagers = one["wagers"]
            assert len(one["cards"]) == 3
            assert _condition_holds(round_["rules"].get("pair_plus_condition", "free"), wagers)
            assert ("decision" in one) == ("ante" in wagers)
            assert set(wagers) - {"ante"} <= set(round_["rules"])
            assert one["seat"] <= round_["rules"].get("seats", 7)
            assert min(wagers.values()) > 0
            assert wagers.get("progressive", 100) in (100, 500)
            assert wagers.get("five_card_progressive", 100) in (100, 500)
            assert "community" in round_ or "five_card_progressive" not in wagers
        assert len(set(dealt)) == len(dealt)
        assert set(dealt) <= set(DECK)


def test_random_rounds_reach_the_rare_rows() -> None:
    rng = random.Random(20240602)
    seen: Counter[str] = Counter()
    for _ in range(10_000):
        round_ = random_round(rng)
        result = settle(round_)
        for given, one in zip(round_["seats"], result["seats"], strict=True):
            wagers = [line["wager"] for line in one["lines"]]
            seen["two envy bonuses"] += wagers.count("envy_bonus") >= 2
            for line in one["lines"]:
                seen[f"{line['wager']} {line['outcome']}"] += 1
            if "six_card_bonus" in wagers:
                six = given["cards"] + round_["dealer"]
                seen["super royal " + round_["rules"]["six_card_bonus"]] += (
                    super_royal_suit(six) is not None
                )
                seen["six " + best_five_of_six(six)] += 1
            if "five_card_progressive" in wagers and given.get("decision") != "fold":
                name = five_card_name(given["cards"] + round_["community"])
                seen[f"five {round_['rules']['five_card_progressive']} {name}"] += 1
        for name, meter_ in round_["meters"].items():
            before = meter_ if isinstance(meter_, int) else meter_["cents"]
            seen["meter " + name] += result["meters"][name] != before
    for name in ("main", "major", "minor", "main5", "mega5", "major5", "minor5"):
        assert seen["meter " + name] >= 10, name
    for wager in ("ante", "pair_plus", "progressive", "five_card_progressive"):
        for outcome in ("win", "lose", "forfeit"):
            assert seen[f"{wager} {outcome}"] >= 100, (wager, outcome)
    for paytable in "ABCDEF":
        assert seen["super royal " + paytable] >= 5, paytable
    for paytable in "ABC":
        for name in ("royal flush", "straight flush", "four of a kind", "full house", "straight"):
            assert seen[f"five {paytable} {name}"] >= 5, (paytable, name)
    for rare in ("ante push", "play push", "ante_bonus win", "two envy bonuses", "six royal flush"):
        assert seen[rare] >= 20, rare
