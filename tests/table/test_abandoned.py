"""Seats that leave the round: abandoned (TCP 7.C(2), TCB 7.B(3)), forfeited (TCB 11.A(5)); 7.H."""

from typing import Any

import pytest

from tablectl.games.rules import parse_rules
from tablectl.table.setup import Setup
from tests.table.pit import DEVICES, Pit, fill, setup

BARE = {"game": "three_card_poker", "ante_bonus": "A", "pair_plus": "D", "progressive": "A"}
BACCARAT = parse_rules(
    {"game": "three_card_baccarat", "three_kings": "A", "tie": "A", "dragon": True}
)


def lines(pit: Pit) -> dict[int, dict[str, tuple[str, int]]]:
    return {
        seat["seat"]: {line["wager"]: (line["outcome"], line["returned"]) for line in seat["lines"]}
        for seat in pit.last("round.settled").data["seats"]
    }


@pytest.mark.parametrize("phase", ["dealing", "deciding", "settling"])
def test_7c2_every_wager_of_an_abandoned_seat_loses(phase):
    pit = fill(phase)
    pit.do("abandon", seat=1)
    told = pit.last("seat.abandoned").data
    assert (told["seat"], told["clauses"]) == (1, ["TCP 7.C(2)"])
    if phase == "dealing":
        pit.deal(seat_3="3C 8D TH", seat_5="4C 9D JH", dealer="AS QD 6H")
    if phase != "settling":
        assert pit.state.round.asked == 3
        pit.decide().do("reveal_dealer")
    forfeited = [e.data for e in pit.named("wager.forfeited") if e.data["seat"] == 1]
    wanted = {"ante", "pair_plus", "progressive", "six_card_bonus"}
    wanted |= {"play"} if phase == "settling" else set()
    assert {data["wager"] for data in forfeited} == wanted
    assert not any(c.up for c in pit.state.round.hand("seat/1"))
    pit.settle_rest()
    assert set(lines(pit)[1].values()) == {("forfeit", 0)}
    assert pit.state.meter("main").cents == 100_120, "a wager that loses has still been made"


def test_7c2_it_is_the_floors_choice_and_only_where_a_wager_plays():
    pit = fill("deciding")
    assert pit.refused("abandon", "dealer", seat=1).role
    assert pit.refused("abandon", seat=2).clauses == ("TCP 7.C(2)",)
    pit.do("abandon", seat=1)
    pit.refused("abandon", seat=1)


def test_7c2_the_turn_of_an_abandoned_seat_passes_on():
    pit = fill("settling")
    assert pit.state.round.turns[0] == 5
    pit.do("abandon", seat=5)
    assert pit.state.round.turns[0] == 1
    pit.settle_rest()


def test_7c2_when_everybody_has_left_the_round_ends():
    pit = fill("deciding")
    for seat in (1, 3, 5):
        pit.do("abandon", seat=seat)
    pit.do("reveal_dealer")
    assert pit.state.phase == "clearing"
    assert lines(pit).keys() == {1, 3, 5}


def test_7c2_an_abandoned_royal_gives_nobody_envy_and_gets_none():
    pit = Pit().opened().betting()
    for seat in (1, 2, 3):
        pit.wager(seat, ante=1000, progressive=100)
    hands = {"seat_1": "AH KH QH", "seat_2": "2C 7D 9H", "seat_3": "AD KD QD"}
    pit.lock().deal(dealer="3C 8D TH", **hands).decide()
    pit.do("abandon", seat=1)
    pit.settle()
    envy = [e.data["seat"] for e in pit.named("wager.settled") if e.data["wager"] == "envy_bonus"]
    assert envy == [2]


# ── baccarat ──
def baccarat() -> Pit:
    devices = tuple(d for d in DEVICES if d.kind != "progressive")
    table = Setup("harbor", "tcb-2", BACCARAT, devices=devices, simulated=True)
    pit = Pit(setup=table).opened().betting().wager(1, ante=1000, tie=500).wager(4, ante=1000)
    return pit.lock().deal(seat_1="2C 3D 4H", seat_4="5C 5D 7H", dealer="AS QD 6H")


@pytest.mark.parametrize("reason", ["2", "3", "4", "(2)"])
def test_tcb_11a5_the_floor_forfeits_all_wagers_of_the_seat(reason):
    pit = baccarat()
    pit.do("forfeit", seat=1, reason=reason)
    told = pit.last("seat.forfeited").data["clauses"]
    assert told == ["TCB 11.A(5)", f"TCB 11.A({reason.strip('()')})"]
    pit.settle()
    assert lines(pit)[1] == {"ante": ("forfeit", 0), "tie": ("forfeit", 0)}
    assert lines(pit)[4]["ante"][0] in ("win", "lose", "push")


def test_tcb_11a5_before_that_seat_is_settled_and_for_those_rules_only():
    pit = baccarat()
    assert pit.refused("forfeit", seat=1, reason="1").malformed
    assert pit.refused("forfeit", "dealer", seat=1, reason="2").role
    pit.do("reveal_dealer")
    pit.do("confirm_payment", seat=1)
    assert "TCB 11.A(5)" in pit.refused("forfeit", seat=1, reason="2").clauses
    pit.do("forfeit", seat=4, reason="4")
    assert pit.state.phase == "clearing"


def test_tcb_7b3_an_abandoned_seat_cites_the_baccarat_text():
    pit = baccarat()
    pit.do("abandon", seat=4)
    assert pit.last("seat.abandoned").data["clauses"] == ["TCB 7.B(3)"]


def test_three_card_poker_has_no_forfeit():
    assert fill("deciding").refused("forfeit", seat=1, reason="2").malformed


# ── 7.H ──
def boxes(most: int) -> Pit:
    return Pit(setup=setup(parse_rules({**BARE, "adjacent_boxes": most}))).opened().betting()


def place(pit: Pit, seat: int, player: str) -> Any:
    args: dict[str, Any] = {"seat": seat, "wager": "ante", "amount": 1000, "player": player}
    return pit.act("place_wager", "dealer", **args).refusal


def test_7h_a_player_bound_to_seats_plays_so_many_boxes_side_by_side():
    pit = boxes(2)
    assert place(pit, 3, "ann") is None
    assert place(pit, 3, "ann") is None
    assert place(pit, 5, "ann").clauses == ("TCP 7.H",)
    assert place(pit, 4, "ann") is None
    assert place(pit, 2, "ann").clauses == ("TCP 7.H",)
    assert place(pit, 4, "bob").clauses == ("TCP 7.H",)
    assert place(pit, 5, "bob") is None


def test_7h_where_nobody_is_bound_it_is_the_dealers():
    pit = boxes(1).wager(1, ante=1000).wager(7, ante=1000)
    assert pit.state.round.players == ()


# ── attested decisions ──
def test_a_decision_that_was_made_and_not_keyed_is_attested_by_the_floor():
    pit = fill("deciding")
    pit.do("attest_decision", seat=3, decision="play")
    assert pit.last("seat.played").data["attested"] is True
    assert pit.state.round.stake(3, "play") == 2000
    assert pit.state.round.asked == 1
    pit.do("fold", "dealer", seat=1)
    pit.do("reveal_dealer")


def test_an_attested_decision_is_play_or_fold_of_a_seat_that_owes_one():
    pit = fill("deciding")
    assert pit.refused("attest_decision", seat=3, decision="wait").malformed
    assert pit.refused("attest_decision", seat=5, decision="play").clauses == ("TCP 11.B",)
    assert pit.refused("attest_decision", "dealer", seat=3, decision="play").role
    pit.do("attest_decision", seat=1, decision="fold")
    assert pit.state.round.asked == 3
    pit.refused("attest_decision", seat=1, decision="play")
