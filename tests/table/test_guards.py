"""Guards and steps that the scenario tests pass by: each is shown by itself."""

import pytest

from tablectl.table.setup import DeviceSetup
from tests.table.by_hand import READER, SHUFFLER, open_by_hand, pit
from tests.table.pit import Pit, fill

BONUS = DeviceSetup("bonus", "progressive")
DEVICES = {"manual_shoe": (), "hand": (SHUFFLER,), "automated_shoe": (SHUFFLER, READER)}


def bets_open(method: str, **rules) -> Pit:
    """A table with a progressive device, its bets open, by one of the methods of dealing."""
    table = pit(*DEVICES[method], BONUS, dealing=method, **rules)
    if method == "manual_shoe":
        open_by_hand(table)
    else:
        table.opened()
        table.do("load_shoe", "dealer")
    table.do("open_bets", "dealer")
    table.device("bonus", "unlocked")
    return table


def test_2c1_a_wagering_device_that_locked_itself_takes_no_wager():
    table = fill("betting")
    table.device("bonus", "locked")
    refusal = table.refused("place_wager", seat=5, wager="progressive", amount=100)
    assert refusal.clauses == ("TCP 2.C(1)",)


def test_3b_two_decks_more_are_refused_where_one_is_here():
    table = fill("preparing")
    more = [{"id": "a", "back": "blue"}, {"id": "b", "back": "green"}]
    assert table.refused("receive_decks", decks=more).clauses == ("TCP 3.A(1)", "TCP 3.B")
    assert len(table.state.decks) == 1


@pytest.mark.parametrize(
    ("method", "clause"),
    [("manual_shoe", "TCP 8.E(2)"), ("hand", "TCP 9.C(4)"), ("automated_shoe", "TCP 10.B(6)")],
)
def test_two_community_cards_after_the_last_hand(method, clause):
    table = bets_open(method, five_card_progressive="A")
    table.wager(1, ante=1000, five_card_progressive=100)
    table.lock()
    if method == "automated_shoe":
        table.deal()
    table.do("play", "dealer", seat=1)
    *_, first, second = table.named("card.dealt")
    assert [first.data["place"], second.data["place"]] == ["community/1", "community/2"]
    assert first.data["clauses"] == second.data["clauses"] == [clause]
    assert not table.state.round.hand("community")[0].up


@pytest.mark.parametrize("method", ["manual_shoe", "hand"])
def test_10a3_nothing_goes_on_unseen_before_the_chips_are_counted(method):
    table = bets_open(method, progressive="A")
    table.wager(1, ante=1000)
    table.accept(1, 100)
    table.lock()
    count = {"TCP 8.C(2)(b)", "TCP 9.B(2)(b)", "TCP 10.A(3)(b)"}
    assert set(table.refused("play", seat=1).clauses) == count
    table.do("count_progressive", "dealer", chips=1)
    table.do("play", "dealer", seat=1)


def test_10b4_the_dealers_stack_comes_out_when_everybody_has_acted():
    table = bets_open("automated_shoe", dealer_cards="left_in_shuffler")
    table.wager(1, ante=1000)
    table.lock()
    table.device("shoe", "stack", ["2C", "7D", "9H"])
    assert table.state.phase == "deciding"
    table.do("play", "dealer", seat=1)
    assert "TCP 10.B(4)" in table.refused("reveal_dealer").clauses
    table.device("shoe", "stack", ["AS", "QD", "6H"])
    table.do("reveal_dealer", "dealer")
    assert len(table.state.round.hand("dealer")) == 3
