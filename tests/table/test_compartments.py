"""A shuffler with two compartments (TCP 3.B), and one that recognises cards (TCP 5.D).

The shuffler names its compartments, never a deck: which deck lies in which, the table knows.
"""

from dataclasses import replace

import pytest

from tablectl.games.rules import parse_rules
from tests.table.by_hand import BACCARAT
from tests.table.pit import Pit, setup


def washed(*decks: str, **more) -> Pit:
    """Every deck is ready for its first shuffle."""
    pit = Pit(**more)
    pit.start()
    pit.devices_tell()
    pit.do("open_table")
    for deck in decks or ("red", "blue"):
        pit.do("receive_decks", decks=[{"id": deck, "back": deck}])
        pit.do("inspect_cards", "dealer", deck=deck)
        pit.do("verify_inspection", deck=deck)
        pit.do("spread_cards", "dealer", deck=deck)
        pit.do("player_inspected", "dealer", deck=deck, viewed=True)
        pit.do("wash_cards", "dealer", deck=deck)
    return pit


def begins(pit: Pit, compartment: int) -> None:
    pit.device("shuffler", "shuffle_started", compartment=compartment)


def ends(pit: Pit, compartment: int, count: int | None = 52, **more) -> None:
    pit.device("shuffler", "shuffle_done", compartment=compartment, count=count, **more)


def how(pit: Pit, deck: str) -> tuple[str, str, bool]:
    found = pit.state.deck(deck)
    return found.preparation, found.custody, found.latched


READY = ("shuffled", "shuffler", False)


def test_each_deck_has_its_compartment_and_its_count():
    pit = washed()
    begins(pit, 1)
    ends(pit, 1)
    begins(pit, 2)
    assert how(pit, "red") == READY
    assert how(pit, "blue")[0] == "shuffling"
    ends(pit, 2, 51)
    assert how(pit, "red") == READY
    assert how(pit, "blue") == ("shuffled", "shuffler", True)
    assert pit.last("deck.shuffled").data["compartment"] == 2
    assert pit.last("deck.latched").data["deck"] == "blue"


def test_two_that_run_side_by_side_end_in_any_order():
    pit = washed()
    begins(pit, 1)
    begins(pit, 2)
    ends(pit, 2, 51)
    assert how(pit, "red")[0] == "shuffling"
    assert how(pit, "blue") == ("shuffled", "shuffler", True)
    ends(pit, 1)
    assert how(pit, "red") == READY


def test_an_end_in_a_compartment_where_nothing_began_is_no_deck_s():
    pit = washed()
    begins(pit, 1)
    ends(pit, 2)
    assert pit.last("device.refused").data["what"].endswith("did not see begin")
    assert how(pit, "red")[0] == "shuffling"
    assert how(pit, "blue")[1] == "rack"


def test_a_wrong_count_that_was_not_seen_to_begin_still_latches_the_deck_that_lies_there():
    pit = washed()
    for place in (1, 2):
        begins(pit, place)
        ends(pit, place)
    ends(pit, 2, 53)
    assert how(pit, "blue")[2]
    assert not how(pit, "red")[2]


def test_a_jam_spoils_the_deck_in_its_compartment_alone():
    pit = washed()
    begins(pit, 1)
    begins(pit, 2)
    pit.device("shuffler", "jam", compartment=1)
    assert how(pit, "red")[0] == "stacked"
    assert how(pit, "blue")[0] == "shuffling"
    assert [d.deck for d in pit.state.duties if d.duty == "reshuffle"] == ["red"]


def test_a_jam_of_the_whole_mechanism_spoils_whatever_it_shuffled():
    pit = washed()
    begins(pit, 1)
    begins(pit, 2)
    pit.device("shuffler", "jam")
    assert {d.deck for d in pit.state.duties if d.duty == "reshuffle"} == {"red", "blue"}


def test_decks_alternate_and_a_deck_that_left_frees_its_compartment():
    pit = washed()
    for place in (1, 2):
        begins(pit, place)
        ends(pit, place)
    pit.play_round("red", ante=1000)
    begins(pit, 1)  # red goes back where it was
    assert how(pit, "red") == ("shuffling", "shuffler", False)
    ends(pit, 1)
    pit.do("load_shoe", deck="blue")
    pit.play_round("blue", ante=1000)
    begins(pit, 2)
    ends(pit, 2, 51)
    assert how(pit, "red") == READY
    assert how(pit, "blue")[2]


def test_decks_may_change_their_compartments():
    pit = washed()
    for place in (1, 2):
        begins(pit, place)
        ends(pit, place)
    pit.play_round("red", ante=1000)
    pit.do("load_shoe", deck="blue")
    begins(pit, 2)  # blue has left it, so red is there now
    assert pit.state.deck("red").compartment == 2
    ends(pit, 2, 51)
    assert how(pit, "red")[2]
    assert not how(pit, "blue")[2]


def test_a_deck_that_somebody_took_out_unseen_is_in_no_compartment():
    pit = washed()
    begins(pit, 1)
    ends(pit, 1)
    begins(pit, 1)  # red is ready: what begins here is blue
    ends(pit, 1, 51)
    assert how(pit, "blue")[2]
    assert how(pit, "red") == READY
    ends(pit, 1, 50)
    assert pit.types()[-1] == "device.refused"
    assert how(pit, "red") == READY


@pytest.mark.parametrize("strange", [-1, True, "2", 2.5, [1], {"a": 1}])
def test_a_compartment_that_is_none_is_not_named(strange):
    pit = washed("red")
    pit.device("shuffler", "shuffle_started", compartment=strange)
    pit.device("shuffler", "shuffle_done", compartment=strange, count=52)
    assert how(pit, "red") == READY
    assert pit.state.halt is None


# ── recognised cards ──
@pytest.mark.parametrize(
    ("count", "distinct", "latched"),
    [(52, 52, False), (None, 52, False), (52, 51, True), (None, 51, True), (51, 51, True),
     (53, 52, True), (52, None, False)],
)  # fmt: skip
def test_5d_a_card_that_is_there_twice_is_a_wrong_deck(count, distinct, latched):
    """TCP 5.D, and TCP 8.H(2) by analogy: 52 are present, and one of them is another's copy."""
    pit = washed("red")
    begins(pit, 0)
    seen = {} if distinct is None else {"distinct": distinct}
    pit.device("shuffler", "shuffle_done", count=count, **seen)
    assert how(pit, "red")[2] is latched
    assert {"remove_deck", "clear_deck_latch"} <= pit.duties() or not latched
    if latched:
        event = pit.last("deck.latched").data
        assert (event["count"], event["distinct"]) == (count, distinct)
        assert ("TCP 8.H(2)" in event["clauses"]) is (count in (None, 52))
        assert "TCP 5.D(1)" in event["clauses"]
        assert pit.refused("load_shoe", deck="red").clauses


def test_the_sentence_says_what_was_found():
    pit = washed("red")
    begins(pit, 0)
    pit.device("shuffler", "shuffle_done", count=52, distinct=51)
    [what] = [alarm.what for alarm in pit.state.alarms if alarm.kind == "deck_latched"]
    assert what == (
        "Deck red has 51 different cards, not 52 (a card is there twice, and another is missing): "
        "remove it; a supervisor clears it."
    )


def test_only_a_count_proves_the_deck_whole():
    """52 different cards without a count leave the stub counts as they are (TCP 8.F)."""
    pit = washed("red")
    for distinct, count, since in ((52, None, 1), (52, 52, 0)):
        pit.table.state = replace(pit.state, rounds_since_count=1)
        begins(pit, 0)
        pit.device("shuffler", "shuffle_done", count=count, distinct=distinct)
        assert pit.state.rounds_since_count == since
        pit.do("order_shuffle", reason="again")


def test_baccarat_cites_its_own_clauses():
    pit = washed("red", setup=setup(parse_rules(BACCARAT)))
    begins(pit, 0)
    pit.device("shuffler", "shuffle_done", count=52, distinct=51)
    assert "TCB 8.F(5)" in pit.last("deck.latched").data["clauses"]
