"""The generator of Midi Baccarat rounds: what it makes is valid, and no row is out of its reach."""

import random
from collections import Counter
from typing import Any

from . import midi_paytables as pays
from .midi_baccarat import settle
from .midi_hands import banker_draws, player_draws
from .random_midi_baccarat import MAIN_WAGERS, deal, random_round
from .royal_9 import ROYAL_9


def test_random_rounds_are_valid() -> None:
    rng = random.Random(20240605)
    for _ in range(3000):
        round_ = random_round(rng)
        rules, player, banker = round_["rules"], round_["player"], round_["banker"]
        assert len(player) == 2 + player_draws(player, banker)
        assert len(banker) == 2 + banker_draws(player, banker)
        assert max(Counter(player + banker).values()) <= rules.get("decks", 8)
        numbers = [seat["seat"] for seat in round_["seats"]]
        assert len(set(numbers)) == len(numbers)
        assert 1 <= min(numbers) <= max(numbers) <= rules.get("seats", 9) <= 9
        for seat in round_["seats"]:
            wagers = seat["wagers"]
            assert set(wagers) <= set(pays.offered(rules))
            assert all(stake > 0 for stake in wagers.values())
            if "royal_9" in wagers:
                assert set(wagers) & set(MAIN_WAGERS)
                assert "printed_king_9" in seat
                assert {"star", "spade", "heart"} <= set(round_["meters"])


def test_the_deal_follows_the_shoe() -> None:
    assert deal(["2S", "2C", "3H", "KD", "6D", "8S"]) == (["2S", "3H", "6D"], ["2C", "KD", "8S"])
    assert deal(["3S", "7C", "4H", "KD", "6D", "8S"]) == (["3S", "4H"], ["7C", "KD"])
    assert deal(["3S", "5C", "4H", "KD", "6D", "8S"]) == (["3S", "4H"], ["5C", "KD", "6D"])


ONE_PAYTABLE = {
    "dragon_7": pays.DRAGON_7,
    "panda_8": pays.PANDA_8,
    "fortune_7": pays.FORTUNE_7,
    "one_up": pays.ONE_UP,
    "treasure_fortune_7": pays.TREASURE_FORTUNE_7,
    "golden_8": pays.GOLDEN_8,
    "heavenly_9": pays.HEAVENLY_9,
    "cover_all": pays.COVER_ALL,
    "any_pair": pays.ANY_PAIR,
    "any_pair_player": pays.ANY_PAIR,
    "any_pair_banker": pays.ANY_PAIR,
    "lucky_6": pays.LUCKY_6,
    "super_6": pays.SUPER_6,
}
SEVERAL_PAYTABLES: dict[str, dict[str, dict[str, Any]]] = {
    "dragon_bonus_player": {x: {**odds, "natural tie": 0} for x, odds in pays.DRAGON_BONUS.items()},
    "dragon_bonus_banker": {x: {**odds, "natural tie": 0} for x, odds in pays.DRAGON_BONUS.items()},
    "blazing_7s": pays.BLAZING_7S,
    "lucky_nines": pays.LUCKY_NINES,
    "jackpot": {x: {**odds, "pair of tens to kings": 0} for x, odds in pays.JACKPOT.items()},
    "royal_9": ROYAL_9,
}


def test_random_rounds_reach_every_row() -> None:
    rng = random.Random(20240606)
    seen: Counter[tuple[str, str, str]] = Counter()
    for _ in range(4000):
        round_ = random_round(rng)
        rules = round_["rules"]
        for seat in settle(round_)["seats"]:
            for one in seat["lines"]:
                wager = one["wager"]
                key = "dragon_bonus" if wager.startswith("dragon_bonus") else wager
                paytable = rules.get(key, "") if wager in SEVERAL_PAYTABLES else ""
                if wager == "banker":
                    paytable = rules.get("variant", "standard")
                seen[wager, paytable, one.get("row", "lose")] += 1
    wanted = {(wager, "", row) for wager, odds in ONE_PAYTABLE.items() for row in odds}
    for wager, letters in SEVERAL_PAYTABLES.items():
        wanted |= {(wager, letter, row) for letter in letters for row in letters[letter]}
    wanted |= {("banker", "ez", "three-card 7"), ("banker", "fortune_7", "three-card 7")}
    wanted |= {("banker", "no_commission", "with 6"), ("tie", "", "tie"), ("player", "", "higher")}
    assert wanted <= set(seen)
