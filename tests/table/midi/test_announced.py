"""What the dealer calls out (MIDI 11.A), and wagering devices that are away (MIDI 2.C)."""

import pytest

from tests.table.midi.pit import Attended

DRAGON_7 = ("KC", "KD", "KH", "KS", "2H", "7S")  # Player 2, Banker 7 with three cards
PANDA_8 = ("KC", "KD", "KH", "7S", "8H")  # Player 8 with three cards, Banker 7
ONE_UP = ("KC", "2D", "8H", "5S")  # Player 8, Banker 7
TIE = ("KC", "KD", "7H", "7S")  # both 7


@pytest.mark.parametrize(
    ("variant", "cards", "words", "clause"),
    [
        ("standard", TIE, "tie hand", "MIDI 11.A(1)"),
        ("ez", TIE, "tie hand", "MIDI 11.A(1)"),
        ("ez", DRAGON_7, "Dragon 7", "MIDI 11.A(2)"),
        ("ez", PANDA_8, "Panda 8", "MIDI 11.A(3)"),
        ("fortune_7", DRAGON_7, "Fortune 7", "MIDI 11.A(4)"),
        ("fortune_7", ONE_UP, "One Up", "MIDI 11.A(5)"),
        ("standard", DRAGON_7, None, None),
        ("ez", ONE_UP, None, None),
    ],
)
def test_11a_a_result_with_a_name_is_called_out(variant, cards, words, clause):
    pit = Attended(variant=variant).in_play().betting()
    pit.wager(1, player=1000).wager(2, banker=1000).wager(3, tie=500).lock()
    pit.drawn(*cards[:4]).turn()
    for card in cards[4:]:
        hand = (
            "player" if len(pit.state.round.hand("player")) == 2 and card == cards[4] else "banker"
        )
        pit.drawn(card).turn(hand)
    data = pit.last("round.revealed").data
    assert data["announced"] == words
    assert data["clauses"] == ["MIDI 11.A", *([clause] if clause else [])]
    [prompt] = pit.tick(1).prompts
    assert prompt.text.startswith(f"Announce {words or 'that the '}")


def test_2c_a_wagering_device_that_is_away_opens_no_round():
    pit = Attended(royal=True).in_play()
    pit.device("bonus", "offline", what="power")
    assert pit.refused("open_bets", "dealer").clauses == ("MIDI 2.C",)


def test_2c1_a_wagering_device_that_locked_itself_takes_no_wager():
    pit = Attended(royal=True).in_play().betting()
    pit.device("bonus", "locked")
    pit.wager(1, player=1000)
    refusal = pit.refused("place_wager", "dealer", seat=1, wager="royal_9", amount=100)
    assert refusal.clauses == ("MIDI 2.C(1)",)
