"""Guards that the scenario tests pass by: each is shown to refuse by itself."""

from tests.table.pit import fill


def test_2c1_a_wagering_device_that_locked_itself_takes_no_wager():
    pit = fill("betting")
    pit.device("bonus", "locked")
    refusal = pit.refused("place_wager", seat=5, wager="progressive", amount=100)
    assert refusal.clauses == ("TCP 2.C(1)",)


def test_3b_two_decks_more_are_refused_where_one_is_here():
    pit = fill("preparing")
    more = [{"id": "a", "back": "blue"}, {"id": "b", "back": "green"}]
    assert pit.refused("receive_decks", decks=more).clauses == ("TCP 3.A(1)", "TCP 3.B")
    assert len(pit.state.decks) == 1
