"""Who draws a third card: every branch of MIDI chapter 10, taken and refused."""

import pytest

from tablectl.cards import Card
from tablectl.games import paytables
from tablectl.games.midi_baccarat_checks import check_hands
from tablectl.games.midi_third_cards import is_natural, next_due, points, winner
from tablectl.games.paytables import DrawRow
from tablectl.games.settlement import SettleError

from .deals import cards

FIGURES = paytables.midi_baccarat()
RANK = "TA23456789"  # one rank of each value


def hand(*values: int) -> tuple[Card, ...]:
    return tuple(Card(RANK[value] + suit) for value, suit in zip(values, "CDH", strict=False))


def two(count: int) -> tuple[Card, ...]:
    """Two cards of so many points."""
    return hand(0, count)


def refused(player: tuple[Card, ...], banker: tuple[Card, ...]) -> SettleError:
    with pytest.raises(SettleError) as error:
        check_hands(player, banker)
    return error.value


def branches(rows: tuple[DrawRow, ...]) -> list:
    return [
        pytest.param(row, count, id=f"{row.clause}-{count}".replace(" ", "-"))
        for row in rows
        for count in row.points
    ]


def completed(player: tuple[Card, ...], banker: tuple[Card, ...]) -> tuple[Card, ...]:
    """The banker's hand with a third card where it is due one."""
    return (*banker, Card("KS")) if next_due(player, banker).side == "banker" else banker


@pytest.mark.parametrize(("row", "count"), branches(FIGURES.player_draws))
def test_the_player_s_hand(row: DrawRow, count: int) -> None:
    """MIDI 10.B, with every hand of the banker that is no natural."""
    for other in range(8):
        banker = two(other)
        stays, draws = two(count), (*two(count), Card("AH"))
        good, bad = (draws, stays) if row.draws else (stays, draws)
        assert check_hands(good, completed(good, banker)).player == points(good)
        error = refused(bad, banker)
        assert error.clause == row.clause
        assert f"the player's hand counts {count} with two cards and must" in str(error)
        due = next_due(two(count), banker)
        assert (due.side == "player") == row.draws
        if row.draws:
            assert due.clause == row.clause


@pytest.mark.parametrize(("row", "count"), branches(FIGURES.banker_draws_alone))
@pytest.mark.parametrize("stood", [6, 7])
def test_the_banker_s_hand_where_the_player_s_stood(row: DrawRow, count: int, stood: int) -> None:
    """MIDI 10.D."""
    banker_branch(two(stood), row, count)


@pytest.mark.parametrize(("row", "count"), branches(FIGURES.banker_draws))
def test_the_banker_s_hand_where_the_player_s_drew(row: DrawRow, count: int) -> None:
    """MIDI 10.E; a row without a third card's value holds for all ten."""
    for third in range(10) if row.third is None else (row.third,):
        banker_branch(hand(0, 2, third), row, count)


def banker_branch(player: tuple[Card, ...], row: DrawRow, count: int) -> None:
    stays, draws = two(count), (*two(count), Card("AH"))
    good, bad = (draws, stays) if row.draws else (stays, draws)
    assert check_hands(player, good).banker_cards == len(good)
    error = refused(player, bad)
    assert error.clause == row.clause
    assert f"must {'draw' if row.draws else 'stay'}" in str(error)
    due = next_due(player, stays)
    assert (due.side, due.clause) == ("banker" if row.draws else None, row.clause)
    assert next_due(player, draws).side is None


def test_no_branch_is_missing_and_none_is_there_twice() -> None:
    """Every two hands that are no natural, and every value of the third card, have one row."""
    player = [count for row in FIGURES.player_draws for count in row.points]
    alone = [count for row in FIGURES.banker_draws_alone for count in row.points]
    assert sorted(player) == sorted(alone) == list(range(8))
    drew = [
        (third, count)
        for row in FIGURES.banker_draws
        for third in (range(10) if row.third is None else (row.third,))
        for count in row.points
    ]
    assert sorted(drew) == [(third, count) for third in range(10) for count in range(8)]
    assert sum(row.third is not None for row in FIGURES.banker_draws) == 40  # MIDI 10.E(3)


def test_the_usual_table() -> None:
    """What every player knows, written as a player would: on which third cards the banker draws."""
    known = {
        3: {0, 1, 2, 3, 4, 5, 6, 7, 9}, 4: {2, 3, 4, 5, 6, 7}, 5: {4, 5, 6, 7}, 6: {6, 7},
    }  # fmt: skip
    for row in FIGURES.banker_draws:
        for count in row.points:
            if row.third is not None:
                assert row.draws == (row.third in known[count]), row.clause


@pytest.mark.parametrize("natural", FIGURES.natural.points)
@pytest.mark.parametrize("other", range(10))
def test_a_natural_ends_the_round(natural: int, other: int) -> None:
    """MIDI 10.A, whichever hand has it and whatever the other would do."""
    for player, banker in ((two(natural), two(other)), (two(other), two(natural))):
        assert next_due(player, banker).side is None
        assert next_due(player, banker).clause == "MIDI 10.A"
        check_hands(player, banker)
        assert refused((*player, Card("2S")), banker).clause == "MIDI 10.A"
        assert refused(player, (*banker, Card("2S"))).clause == "MIDI 10.A"


def test_the_first_four_cards() -> None:
    """MIDI 8.C: player, banker, player, banker."""
    dealt = cards("2C 3D 4H 5S")
    told = [next_due(dealt[:at:2], dealt[1:at:2]) for at in range(4)]
    assert [due.side for due in told] == ["player", "banker", "player", "banker"]
    assert {due.clause for due in told} == {"MIDI 8.C(1)", "MIDI 8.C(2)"}


@pytest.mark.parametrize(
    ("text", "count"),
    [("AC KD", 1), ("9C 9D", 8), ("TC JD QH", 0), ("7C 8D", 5), ("9C 9D 9H", 7), ("2C 8D", 0)],
)
def test_points(text: str, count: int) -> None:
    """MIDI 6.A, 6.B: tens and faces count nothing, and only the last digit counts."""
    assert points(cards(text)) == count


def test_naturals_and_winners() -> None:
    assert is_natural(cards("KC 8D"))
    assert is_natural(cards("4C 5D"))
    assert not is_natural(cards("KC 7D"))
    assert not is_natural(cards("2C 3D 4H"))  # nine, but not with two cards
    assert winner(cards("9C KD"), cards("8C KD")) == "player"
    assert winner(cards("7C KD"), cards("8C KD")) == "banker"
    assert winner(cards("7C KD"), cards("7D KH")) == "tie"


def test_six_cards_of_a_kind_are_in_every_shoe() -> None:
    """A shoe has six decks or more, so no six cards are more copies than it holds (MIDI 3.A)."""
    assert FIGURES.decks[0] == 6
    check_hands(cards("2C 2C 2C"), cards("2C 2C 2C"))
