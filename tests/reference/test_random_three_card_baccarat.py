"""The generator of Three Card Baccarat rounds: what it makes is valid, and reaches every row."""

import random
from collections import Counter

from .random_play import DECK
from .random_three_card_baccarat import random_round
from .three_card_baccarat import DRAGON, SEATS, THREE_KINGS, TIE, offered, settle


def test_random_rounds_are_valid() -> None:
    rng = random.Random(20240603)
    for _ in range(3000):
        round_ = random_round(rng)
        rules, seats = round_["rules"], round_["seats"]
        cards = round_["dealer"] + [card for seat in seats for card in seat["cards"]]
        assert len(set(cards)) == len(cards) == 3 * (len(seats) + 1)
        assert set(cards) <= set(DECK)
        most = SEATS[rules.get("jurisdiction", "MD")]
        numbers = [seat["seat"] for seat in seats]
        assert len(set(numbers)) == len(numbers)
        assert 1 <= min(numbers) <= max(numbers) <= rules.get("seats", most) <= most
        for seat in seats:
            assert "ante" in seat["wagers"]
            assert set(seat["wagers"]) <= set(offered(rules))
            assert min(seat["wagers"].values()) > 0


def test_random_rounds_reach_every_row() -> None:
    rng = random.Random(20240604)
    seen: Counter[tuple[str, str, str]] = Counter()
    for _ in range(3000):
        round_ = random_round(rng)
        rules = round_["rules"]
        setting = {"ante": "commission", "dragon": "dragon_three_face"}
        for seat in settle(round_)["seats"]:
            for line in seat["lines"]:
                paytable = rules.get(setting.get(line["wager"], line["wager"]), "default")
                seen[line["wager"], paytable, line.get("row", "lose")] += 1
    wanted = {
        *(("three_kings", letter, row) for letter in "AB" for row in THREE_KINGS[letter]),
        *(("tie", letter, row) for letter in "AB" for row in TIE[letter]),
        *(("dragon", reading, row) for reading in ("ten", "ten_against_zero") for row in DRAGON),
        *(
            ("ante", commission, row)
            for commission in ("five_percent", "free")
            for row in ("higher hand", "push", "lose")
        ),
    }
    assert wanted <= set(seen)
