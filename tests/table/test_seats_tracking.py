"""Tracking "seats": who plays and decides is known, amounts are not. No money is invented."""

from typing import Any

import pytest

from tablectl.games.rules import parse_rules
from tablectl.outbox.view import snapshot
from tablectl.table.setup import Limit
from tests.table.pit import DEVICES, Pit, setup


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


# ── rules about amounts are the dealer's ──
CONDITIONS = {
    "ante_at_least_equal": "TCP 7.G(1)",
    "ante_at_least_half": "TCP 7.G(2)",
    "both_compulsory": "TCP 7.G(3)",
}


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("told", ["ante", "pair_plus", "neither"])
def test_7g_no_ratio_is_reckoned_with_an_amount_that_nobody_told(condition, told):
    """Else chips that lie there in order would be given back."""
    pit = seats(rules=rules(condition))
    for wager in ("ante", "pair_plus"):
        amount = {"amount": 5000} if wager == told else {}
        pit.do("place_wager", "dealer", seat=1, wager=wager, **amount)
    pit.lock()
    assert not pit.named("wager.returned")
    assert {w.wager for w in pit.state.round.live_wagers(1)} == {"ante", "pair_plus"}


@pytest.mark.parametrize("condition", CONDITIONS)
def test_7g_a_wager_that_is_missing_is_seen_without_amounts(condition):
    pit = seats(rules=rules(condition))
    put(pit, 1, "ante")
    if condition == "both_compulsory":
        pit.lock()
        assert pit.last("wager.returned").data["clauses"] == ["TCP 7.G(3)"]
    else:
        refusal = pit.refused("place_wager", "dealer", seat=2, wager="pair_plus")
        assert refusal.clauses == (CONDITIONS[condition],)


def test_7g_amounts_that_are_known_are_held_to_it():
    pit = seats(rules=rules("ante_at_least_equal"))
    pit.wager(1, ante=500, pair_plus=700).lock()
    assert pit.last("wager.returned").data["cents"] == 200


def rules(condition: str) -> Any:
    return parse_rules(
        {"game": "three_card_poker", "ante_bonus": "A", "pair_plus": "D",
         "pair_plus_condition": condition}
    )  # fmt: skip


def test_a_limit_is_no_matter_of_an_amount_that_nobody_told():
    pit = seats(limits=(Limit("ante", 2500, 10_000),))
    put(pit, 1, "ante")
    assert pit.refused("place_wager", "dealer", seat=2, wager="ante", amount=500)


@pytest.mark.parametrize("amount", [None, 2000])
def test_the_floor_amends_what_was_keyed_late_with_or_without_its_amount(amount):
    pit = put(seats(), 1, "ante")
    put(pit, 2, "ante").do("no_more_bets", "dealer")
    known = {"amount": amount} if amount else {}
    pit.do("amend_wager", seat=1, wager="pair_plus", reason="keyed late", **known)
    assert pit.last("wager.amended").data["cents"] == amount
    pit.acknowledge()
    pit.deal()
    pit.do("play", "dealer", seat=1)
    pit.do("amend_wager", seat=1, wager="ante", reason="keyed wrong", **known)
    amended = {e.data["wager"]: e.data["cents"] for e in pit.named("wager.amended")}
    assert amended == {"pair_plus": amount, "ante": amount, "play": amount}
    pit.do("play", "dealer", seat=2)
    pit.settle()
    assert pit.last("round.settled").data["seats"] == []
    other = Pit().opened().betting().wager(1, ante=1000)
    other.do("no_more_bets", "dealer")
    assert other.refused("amend_wager", seat=1, wager="pair_plus", reason="late").malformed


def test_a_wager_that_is_placed_again_was_as_unknown_as_it_is():
    pit = put(seats(), 1, "ante", "ante")
    data = pit.last("wager.placed").data
    assert (data["was"], data["cents"]) == (None, None)


@pytest.mark.parametrize("commission", ["five_percent", "free"])
def test_baccarat_by_its_seats_gives_odds_and_no_vigorish(commission):
    parsed = parse_rules({"game": "three_card_baccarat", "tie": "A", "commission": commission})
    pit = seats(rules=parsed, devices=DEVICES[:2], meters=())
    put(pit, 1, "ante", "tie").lock()
    pit.deal(seat_1="9C KD KH", dealer="2D 3C TH")
    pit.settle()
    data = pit.last("round.settled").data
    told = {row["wager"]: (row["outcome"], row["odds"]) for row in data["results"]}
    assert (data["seats"], told) == ([], {"ante": ("win", "1 to 1"), "tie": ("lose", None)})
    for event in pit.named("wager.settled"):
        assert event.data["cents"] is None
        assert event.data["returned"] is None
        assert not event.data.get("vigorish")
