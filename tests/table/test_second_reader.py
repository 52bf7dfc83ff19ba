"""Voids, misread cards and late findings that cross each other: every wager ends once and right."""

import pytest

from tests.table.by_hand import READER, locked, open_by_hand, pit
from tests.table.pit import fill


# ── a void returns every wager, of a seat that left the round too ──
def endings(table, seat):
    """What ended each wager of a seat, as the record has it."""
    ended = ("wager.returned", "wager.forfeited", "wager.settled")
    return [
        (e.data["wager"], e.type)
        for e in table.events
        if e.type in ended and e.data["seat"] == seat
    ]


@pytest.mark.parametrize("phase", ["dealing", "deciding"])
def test_13d_a_void_returns_the_wagers_of_an_abandoned_seat(phase):
    table = fill(phase)
    table.do("abandon", seat=1)
    assert endings(table, 1) == []
    table.do("declare_misdeal", confirm=True)
    back = ("ante", "pair_plus", "progressive", "six_card_bonus")
    assert sorted(endings(table, 1)) == [(wager, "wager.returned") for wager in back]
    returned = table.last("round.voided").data["returned"]
    assert sum(w["cents"] for w in returned) == 2100 + 2500 + 1500


def test_13d_the_play_wager_of_an_abandoned_seat_comes_back_as_well():
    table = fill("deciding")
    table.do("play", seat=1)
    table.do("abandon", seat=1)
    table.refused("abandon", seat=1)
    table.do("declare_misdeal", confirm=True)
    assert ("play", "wager.returned") in endings(table, 1)


@pytest.mark.parametrize("void", [False, True])
def test_tcb_13c_a_forfeited_wager_ends_once(void):
    table = locked(open_by_hand(pit(READER, baccarat=True)))
    for card in ("2C", "7D", "9H", "3C", "8D", "TH", "4C", "9D", "JH"):
        table.device("shoe", "card", [card])
    table.do("forfeit", seat=1, reason="2")
    if void:
        table.do("declare_misdeal", confirm=True)
    else:
        table.do("reveal_dealer")
    assert endings(table, 1) == [("ante", "wager.returned" if void else "wager.forfeited")]
