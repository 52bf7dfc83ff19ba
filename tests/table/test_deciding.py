"""Play or fold (TCP 11.A to 11.C): who is asked, in which order, and what a fold gives up."""

import pytest

from tests.table.pit import Pit, fill


def asked(pit: Pit) -> list[int]:
    return [event.data["seat"] for event in pit.named("seat.asked")]


def dealt(**seats: dict[str, int]) -> Pit:
    pit = Pit().opened().betting()
    for seat, stakes in seats.items():
        pit.wager(int(seat.removeprefix("seat_")), **stakes)
    pit.lock()
    hands = {f"seat_{n}": f"{n}C {n + 1}D {9 - n}H" for n in (2, 3, 6)}
    return pit.deal(dealer="AS QD KH", **hands)


def test_11b_seats_with_an_ante_are_asked_from_the_dealers_far_left():
    pit = dealt(seat_6={"ante": 1000}, seat_2={"ante": 1000}, seat_3={"ante": 1000})
    assert asked(pit) == [2]
    pit.do("play", "dealer", seat=2)
    assert asked(pit) == [2, 3]
    pit.do("fold", "dealer", seat=3)
    pit.do("play", "dealer", seat=6)
    assert asked(pit) == [2, 3, 6]
    assert pit.types()[-1] == "round.deciding"


def test_11b_a_seat_with_a_pair_plus_only_is_not_asked():
    pit = dealt(seat_2={"pair_plus": 500}, seat_6={"ante": 1000})
    assert asked(pit) == [6]
    for action in ("play", "fold"):
        assert pit.refused(action, seat=2).clauses == ("TCP 11.B",)
    pit.do("play", seat=6)
    pit.do("reveal_dealer")


def test_11b_nobody_with_an_ante_nobody_is_asked():
    pit = dealt(seat_2={"pair_plus": 500})
    assert asked(pit) == []
    for action in ("play", "fold"):
        refusal = pit.refused(action, seat=2)
        assert refusal.clauses == ("TCP 11.B",)
        assert action not in refusal.allowed
    pit.do("reveal_dealer", "dealer")


@pytest.mark.parametrize("action", ["play", "fold"])
def test_11b_a_decision_out_of_turn_is_not_recorded(action):
    pit = fill("deciding")
    for seat in (2, 3, 5, 7, 0, -1):
        assert pit.refused(action, seat=seat).clauses == ("TCP 11.B",)
    assert pit.state.round.decisions == ()
    pit.do(action, seat=1)
    assert pit.refused("fold" if action == "play" else "play", seat=1).clauses == ("TCP 11.B",)


def test_7f1_11b_the_play_wager_equals_the_ante_and_is_recorded():
    pit = fill("deciding")
    pit.do("play", "dealer", seat=1)
    placed = pit.last("wager.placed").data
    assert (placed["seat"], placed["wager"], placed["cents"]) == (1, "play", 1000)
    assert pit.state.round.stake(1, "play") == pit.state.round.stake(1, "ante")
    pit.do("play", "dealer", seat=3)
    assert pit.last("wager.placed").data["cents"] == 2000
    assert pit.last("seat.played").data["seat"] == 3


def test_a_decision_changes_until_the_next_seat_is_asked():
    """The last seat may change its mind until the reveal; its play wager comes and goes with it."""
    pit = fill("deciding")
    pit.do("play", seat=1)
    assert pit.refused("fold", seat=1).clauses == ("TCP 11.B",)  # seat 3 was asked
    pit.do("play", seat=3)
    pit.do("fold", seat=3)
    assert pit.state.round.stake(3, "play") == 0
    back = pit.last("wager.returned").data
    assert (back["seat"], back["wager"], back["cents"]) == (3, "play", 2000)
    pit.refused("fold", seat=3)
    pit.do("play", seat=3)
    assert pit.state.round.stake(3, "play") == 2000
    assert len([w for w in pit.state.round.wagers if (w.seat, w.wager) == (3, "play")]) == 1


def test_11d_no_reveal_before_the_last_decision():
    pit = fill("deciding")
    for seat in (1, 3):
        refusal = pit.refused("reveal_dealer", "dealer")
        assert "TCP 11.D" in refusal.clauses
        assert "reveal_dealer" not in refusal.allowed
        pit.do("play", seat=seat)
    pit.do("reveal_dealer", "dealer")


@pytest.mark.parametrize("phase", ["betting", "locking", "locked", "dealing", "settling", "voided"])
def test_11b_no_decision_outside_its_time(phase):
    for action in ("play", "fold"):
        assert "TCP 11.B" in fill(phase).refused(action, seat=1).clauses


# ── 11.C: what a fold gives up ──
def ends(pit: Pit, seat: int) -> dict[str, str]:
    return {
        event.data["wager"]: event.type.removeprefix("wager.")
        for event in pit.events
        if event.type in ("wager.settled", "wager.forfeited", "wager.returned")
        and event.data["seat"] == seat
    }


@pytest.mark.parametrize(
    ("clause", "stakes", "kept"),
    [
        ("TCP 11.C(1)", {"pair_plus": 500}, ()),
        ("TCP 11.C(2)", {"progressive": 100}, ()),
        ("TCP 11.C(3)", {"pair_plus": 500, "six_card_bonus": 500}, ("six_card_bonus",)),
        ("TCP 11.C(3)", {"progressive": 500, "six_card_bonus": 500}, ("six_card_bonus",)),
    ],
)
def test_11c_a_fold_forfeits_all_but_the_six_card_bonus(clause, stakes, kept):
    pit = Pit().opened().betting().wager(1, ante=1000, **stakes).lock()
    pit.deal(seat_1="AS KS QS", dealer="JS TS 2H")  # the best hand there is: folded all the same
    pit.do("fold", seat=1)
    pit.do("reveal_dealer")
    forfeited = {"ante", *stakes} - set(kept)
    assert {w for w, end in ends(pit, 1).items() if end == "forfeited"} == forfeited
    assert {w.wager for w in pit.state.round.live_wagers()} == set(kept)
    for event in pit.named("wager.forfeited"):
        assert event.data["returned"] == 0
        assert event.data["clauses"][0] in ("TCP 11.B", clause, "TCP 11.C(1)", "TCP 11.C(2)")
    while pit.state.phase == "settling":
        pit.do("confirm_payment", seat=1)
    assert pit.state.meter("main").hits == 0
    if kept:
        line = pit.last("round.settled").data["seats"][0]["lines"][-1]
        assert (line["wager"], line["outcome"]) == ("six_card_bonus", "win")


def test_11d1_folded_cards_stay_down_unless_the_six_card_bonus_plays_them():
    pit = fill("deciding")
    pit.do("fold", seat=1)  # has a six card bonus
    pit.do("fold", seat=3)
    pit.settle()
    shown = {event.data["place"].rpartition("/")[0] for event in pit.named("card.revealed")}
    assert shown == {"dealer", "seat/1", "seat/5"}


def test_11d1_forfeited_wagers_are_collected_before_the_dealers_cards_are_shown():
    pit = fill("deciding").decide(seat_3="fold")
    since = pit.state.sequence
    pit.do("reveal_dealer", "dealer")
    types = pit.types(since)
    last = max(i for i, t in enumerate(types) if t == "wager.forfeited")
    assert last < types.index("card.revealed")


@pytest.mark.parametrize("wanted", ["play", "fold"])
def test_a_seat_that_said_so_already_is_refused(wanted):
    pit = fill("deciding")
    pit.do("fold", seat=1)
    pit.do(wanted, seat=3)
    assert pit.refused(wanted, seat=3).clauses == ("TCP 11.B",)
