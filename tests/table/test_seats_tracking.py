"""Tracking "seats": who plays and decides is known, amounts are not. No money is invented."""

from typing import Any

import pytest

from tablectl.outbox.view import snapshot
from tests.table.pit import Pit, setup


def seats(**more: Any) -> Pit:
    return Pit(setup=setup(tracking="seats", **more)).opened().betting()


def put(pit: Pit, seat: int, *wagers: str) -> Pit:
    for wager in wagers:
        pit.do("place_wager", "dealer", seat=seat, wager=wager)
    return pit


def played() -> Pit:
    pit = put(seats(), 1, "ante", "pair_plus", "six_card_bonus")
    put(pit, 2, "ante").accept(2, 500)
    pit.lock()
    pit.do("count_progressive", "dealer", chips=1)
    return pit.deal(seat_1="4C 5D 6H", seat_2="2C 7D 9H", dealer="QD 8C TH")


def test_an_amount_may_be_missing_only_where_seats_are_followed():
    pit = seats()
    put(pit, 1, "ante")
    assert pit.last("wager.placed").data["cents"] is None
    assert snapshot(pit.state, unconfirmed=0)["seats"][0]["wagers"] == {"ante": None}
    other = Pit().opened().betting()
    assert other.refused("place_wager", seat=1, wager="ante").malformed


def test_a_progressive_has_its_amount_at_every_level():
    pit = put(seats(), 1, "ante")
    assert pit.refused("place_wager", seat=1, wager="progressive").malformed


def test_rules_about_who_wagers_what_still_hold():
    pit = seats()
    args: dict[str, Any] = {"seat": 1, "wager": "six_card_bonus"}
    assert pit.refused("place_wager", **args).clauses == ("TCP 7.F(5)(b)",)
    put(pit, 1, "ante")
    pit.lock()
    assert pit.refused("place_wager", **args).clauses


def test_results_give_odds_and_no_money():
    pit = played().decide()
    pit.do("reveal_dealer")
    [prompt] = [p for p in pit.tick(1).prompts if p.awaits == "confirm_payment"]
    assert "lose" in prompt.text
    assert "$" not in prompt.text
    pit.settle_rest()
    data = pit.last("round.settled").data
    assert data["seats"] == []
    told = {(r["seat"], r["wager"]): (r["outcome"], r["odds"]) for r in data["results"]}
    assert told[1, "pair_plus"] == ("win", "6 to 1")
    assert told[1, "ante_bonus"] == ("win", "1 to 1")
    assert told[2, "ante"][0] == "lose"


def test_no_amount_leaves_the_table_for_a_wager_whose_amount_nobody_knows():
    pit = played().decide().settle()
    for event in pit.events:
        data = event.data
        if event.type.startswith("wager.") and data["wager"] != "progressive":
            assert data["cents"] is None, event
            assert data.get("returned") is None, event


def test_what_a_device_accepted_is_known_and_feeds_the_meter():
    pit = played().decide().settle()
    assert pit.last("progressive.contributed").data["wagered"] == 500
    [line] = [e.data for e in pit.named("wager.settled") if e.data["wager"] == "progressive"]
    assert (line["cents"], line["returned"]) == (500, 0)


@pytest.mark.parametrize("phase", ["locked", "deciding"])
def test_a_void_says_whose_wagers_go_back_without_amounts(phase):
    pit = put(seats(), 1, "ante").lock()
    if phase == "deciding":
        pit.deal()
    pit.do("void_round", reason="evacuation")
    assert pit.last("round.voided").data["returned"] == [
        {"seat": 1, "wager": "ante", "cents": None}
    ]


def test_a_play_wager_is_as_unknown_as_its_ante():
    pit = played()
    for seat in (1, 2):
        pit.do("play", "dealer", seat=seat)
        assert pit.last("wager.placed").data["cents"] is None
    pit.do("fold", "dealer", seat=2)
    assert pit.last("wager.returned").data["cents"] is None


def test_found_late_the_floor_looks_at_each_seat():
    pit = played().decide().settle()
    args: dict[str, Any] = {"cause": "misdeal", "reason": "seen on camera", "confirm": True}
    pit.do("void_found_late", **args)
    assert {"seat": 1, "give": None, "take": None} in pit.last("round.voided").data["seats"]
    for seat in (1, 2):
        pit.do("settle_void_seat", seat=seat, recovered=True)
    pit.do("clear_round")
