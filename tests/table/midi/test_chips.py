"""Royal 9 chips that the progressive device reports: accepted, taken back, late, counted (MIDI 2.C,
7.A(9), 12.K, 12.L)."""

from typing import Any

import pytest

from tablectl.table.setup import MeterSetup
from tests.table.midi.pit import BUTTON, HELD, READER, Attended

LOSING = ("2C", "3D", "7H", "4S")  # Player 9: the banker's wagers lose, and no Royal 9
SPADE = ("2C", "KS", "KH", "9S")  # the Banker's hand is seat 1's own king and nine; Player 2


def lamps(pit: Attended, since: int = 0) -> list[tuple[int, bool]]:
    return [(c.args["seat"], c.args["on"]) for c in pit.commands[since:] if c.name == "lamp"]


def accepting(*seats: int, cents: int = 100, **more: Any) -> Attended:
    """Seats 1, 2 and 3 with a base wager; the device accepts at those named."""
    pit = Attended(royal=True, **more).in_play().betting()
    for seat in (1, 2, 3):
        pit.wager(seat, banker=1000)
    for seat in seats:
        pit.accept(seat, cents)
    return pit


def counted(pit: Attended, chips: int) -> Attended:
    pit.lock().do("count_progressive", "dealer", chips=chips)
    return pit


# ── acceptance ──
def test_2c1_a_device_accepts_and_the_lamp_is_lit():
    pit = accepting(2)
    assert pit.state.round.stake(2, "royal_9") == 100
    placed, accepted = pit.last("wager.placed").data, pit.last("wager.accepted").data
    for data in (placed, accepted):
        assert (data["seat"], data["wager"], data["cents"]) == (2, "royal_9", 100)
    assert {"MIDI 2.C(1)", "MIDI 7.A(9)"} == set(accepted["clauses"])
    assert lamps(pit) == [(2, True)]


def test_before_the_lock_the_chip_is_taken_back_and_the_lamp_goes_out():
    pit = accepting(2)
    pit.device("bonus", "withdrawn", seat=2, wager="royal_9")
    assert pit.state.round.stake(2, "royal_9") == 0
    assert pit.last("wager.returned").data["reason"] == "withdrawn"
    assert lamps(pit) == [(2, True), (2, False)]


def test_what_is_no_wager_stays_dark():
    pit = accepting()
    for seat, cents in ((5, 100), (1, 0), (1, -100)):  # nothing is printed at seat 5
        pit.accept(seat, cents)
        assert pit.types()[-1] == "device.refused"
        assert lamps(pit)[-1] == (seat, False)
    pit.device("bonus", "accepted", seat=1, wager="progressive", cents=100)
    assert pit.types()[-1] == "device.refused"
    assert pit.state.round.stake(1, "royal_9") == 0


def test_2c1_where_the_device_accepts_the_page_does_not():
    pit = accepting(2)
    args: dict[str, Any] = {"seat": 3, "wager": "royal_9"}
    assert pit.refused("place_wager", **args, amount=100).clauses == ("MIDI 2.C(1)",)
    assert pit.refused("remove_wager", seat=2, wager="royal_9").clauses == ("MIDI 2.C(1)",)


def test_7a9_an_accepted_chip_without_a_base_wager_goes_back_at_the_lock():
    pit = accepting(2, 4)
    pit.do("no_more_bets", "dealer")
    back = pit.last("wager.returned").data
    assert (back["seat"], back["wager"], back["clauses"]) == (4, "royal_9", ["MIDI 7.A(9)"])
    assert lamps(pit)[-1] == (4, False)
    assert {c.wagered for c in pit.state.round.pending} == {100}


@pytest.mark.parametrize("phase", ["locking", "locked", "dealing", "turning", "settling"])
@pytest.mark.parametrize("name", ["accepted", "late"])
def test_2c2_7d_a_chip_after_the_lock_is_never_counted(phase, name):
    pit = accepting(2)
    pit.do("no_more_bets", "dealer")
    if phase != "locking":
        pit.acknowledge()
        pit.do("count_progressive", "dealer", chips=1)
    cards = {"dealing": 2, "turning": 4, "settling": 4}.get(phase, 0)
    pit.drawn(*LOSING[:cards])
    if phase == "settling":
        pit.turn()
        phase = "clearing"  # nothing is left to pay
    assert pit.state.phase == phase
    more = {"cents": 100} if name == "accepted" else {}
    pit.device("bonus", name, seat=3, wager="royal_9", **more)
    late = pit.last("irregularity.wager_after_lock").data
    assert late["clauses"] == ["MIDI 2.C(2)", "MIDI 7.D"]
    assert pit.last("wager.refused").data["reason"] == "late"
    assert pit.state.round.stake(3, "royal_9") == 0
    assert (3, True) not in lamps(pit)
    assert any("Give seat 3 its late royal 9 back" in p.text for p in pit.tick(1).prompts)
    pit.device("bonus", "withdrawn", seat=2, wager="royal_9")
    assert pit.types()[-1] == "device.refused"


def test_7d_a_late_bet_that_the_dealer_sees():
    pit = accepting()
    assert pit.refused("report_late_bet", "dealer", seat=1, wager="banker").clauses
    pit.lock()
    refusal = pit.refused("report_late_bet", "dealer", seat=1, wager="ante")
    assert (refusal.clauses, refusal.malformed) == (("MIDI 7.A",), True)
    pit.do("report_late_bet", "dealer", seat=1, wager="banker")
    assert "it plays as it was" in pit.last("irregularity.wager_after_lock").data["what"]
    assert pit.state.round.stake(1, "banker") == 1000
    assert pit.refused("report_late_bet", "dealer", seat=1, wager="banker").clauses == ("MIDI 7.D",)


def test_7d_a_locked_progressive_is_not_withdrawn_by_way_of_its_base_wager():
    pit = counted(accepting(2), 1)
    pit.do("cancel_lock", reason="pressed by mistake")
    assert pit.state.phase == "betting"
    refusal = pit.refused("remove_wager", "dealer", seat=2, wager="banker")
    assert refusal.clauses == ("MIDI 2.C(2)", "MIDI 7.D")
    pit.do("remove_wager", "dealer", seat=3, wager="banker")
    pit.do("place_wager", "dealer", seat=2, wager="tie", amount=500)
    pit.do("remove_wager", "dealer", seat=2, wager="banker")
    pit.do("no_more_bets", "dealer")
    pit.acknowledge()
    assert pit.state.round.stake(2, "royal_9") == 100
    assert pit.state.round.count == "verified"


# ── the count: house procedure here, as the poker text has it ──
@pytest.mark.parametrize("shoe", [HELD, READER], ids=["held", "listened to"])
def test_no_card_is_dealt_before_the_chips_are_counted(shoe):
    pit = accepting(1, 3, devices=(shoe, BUTTON))
    pit.device("shoe", "held")
    pit.lock()
    assert pit.state.phase == "locked"
    since = len(pit.commands)
    [prompt] = pit.tick(1).prompts
    assert prompt.awaits == "count_progressive"
    if shoe is READER:  # it cannot be held: the card is the next hand's first, once it may be dealt
        pit.drawn("6H")
        assert pit.last("irregularity.drawn_in_error").data["clauses"] == ["MIDI 13.A"]
        assert pit.state.phase == "locked"
    pit.do("count_progressive", "dealer", chips=2)
    verified = pit.last("progressive.count_verified").data
    assert (verified["chips"], verified["accepted"], verified["clauses"]) == (2, 2, [])
    assert verified["basis"] == ["house procedure"]
    if shoe is HELD:
        assert "release" in pit.permitted(since)
    else:
        assert [c.place for c in pit.state.round.cards] == ["player/1"]


def test_from_a_plain_shoe_nothing_goes_on_before_the_count():
    pit = accepting(1, devices=(BUTTON,)).lock()
    for action, args in (
        ("hand_cards", {"seat": 1, "hand": "banker"}), ("enter_card", {"place": "player/1",
         "card": "2C"}),
    ):  # fmt: skip
        assert "count the progressive chips" in pit.refused(action, "dealer", **args).why
    pit.do("count_progressive", "dealer", chips=1, cents=100)
    pit.do("enter_card", "dealer", place="player/1", card="2C")


def test_a_count_that_differs_is_repeated_and_then_the_floors():
    pit = accepting(1, 3).lock()
    pit.do("count_progressive", "dealer", chips=1)
    assert [a.kind for a in pit.state.alarms] == ["count_mismatch"]
    assert "once more" in pit.refused("resolve_count", seat=3).why
    pit.do("count_progressive", "dealer", chips=1)
    assert pit.tick(1).prompts[0].awaits == "resolve_count"
    assert pit.refused("resolve_count", "dealer", seat=3).role
    pit.do("resolve_count", seat=3)
    assert pit.last("wager.refused").data["reason"] == "no chip"
    assert {c.wagered for c in pit.state.round.pending} == {100}
    pit.do("count_progressive", "dealer", chips=1)
    pit.drawn(*LOSING).turn()
    assert pit.last("progressive.contributed").data["wagered"] == 100


def test_an_extra_chip_goes_back_to_its_dark_seat():
    pit = accepting(1).lock()
    for _ in range(2):
        pit.do("count_progressive", "dealer", chips=2)
    assert pit.refused("resolve_count", seat=1).clauses == ("MIDI 2.C(1)",)
    pit.do("resolve_count", seat=2)
    unlit = pit.last("wager.refused").data
    assert (unlit["seat"], unlit["wager"], unlit["reason"]) == (2, "royal_9", "unlit")


# ── wins ──
def test_12k_the_winning_seats_lamp_is_lit_and_the_award_leaves_the_meter():
    pit = counted(accepting(1, 2), 2)
    since = len(pit.commands)
    pit.drawn(*SPADE).turn()
    assert lamps(pit, since) == []  # both stay lit: seat 1 has the spade meter, seat 2 any Royal 9
    assert pit.paying == 3
    pit.do("confirm_payment", "dealer", seat=3)
    pit.do("confirm_payment", "dealer", seat=2)
    assert lamps(pit, since) == [(2, False)]
    assert pit.refused("confirm_payment", "dealer", seat=1).clauses == ("MIDI 12.K",)
    pit.do("validate_progressive", seat=1, meter="spade")
    pit.do("confirm_payment", "dealer", seat=1)
    assert lamps(pit, since)[-1] == (1, False)
    assert [m.cents for m in pit.state.meters] == [5_000_020, 35_000, 35_020]


def test_12n_the_lamp_of_a_must_hit_winner_is_lit_too():
    meter = MeterSetup("must_hit", 10_000, "0.5", 20_000)
    pit = Attended(royal=True, trigger_meter=meter, triggers=[10_050]).in_play().betting()
    pit.wager(2, banker=1000).accept(2)
    counted(pit, 1)
    since = len(pit.commands)
    pit.drawn(*LOSING).turn()
    assert lamps(pit, since) == []
    pit.do("validate_progressive", seat=2, meter="must_hit")
    pit.paid()
    assert lamps(pit, since) == [(2, False)]


def test_12k_any_two_personal_counts_what_is_printed_at_seats_where_nobody_plays():
    """The Player's hand is seat 3's king and nine, the Banker's seat 4's; only seat 1 plays."""
    pit = Attended(royal=True).in_play().betting().wager(1, tie=500, royal_9=100).lock()
    pit.drawn("KD", "KC", "9D", "9C").turn()
    hit = pit.last("progressive.hit").data
    assert (hit["seat"], hit["meter"], hit["cents"]) == (1, "star", 500_001)


def test_a_void_gives_accepted_chips_back_from_the_inventory():
    pit = counted(accepting(1, 3), 2)
    pit.do("void_round", reason="a spilt drink")
    assert "inventory: seat 1, 3" in pit.tick(1).prompts[-1].text
    assert pit.state.round.pending == ()
    assert lamps(pit)[-2:] == [(1, False), (3, False)]


@pytest.mark.parametrize("phase", ["betting", "locking", "locked"])
def test_a_restart_keeps_what_was_accepted_and_stays_locked(phase):
    pit = accepting(1)
    if phase != "betting":
        pit.do("no_more_bets", "dealer")
    if phase == "locked":
        pit.acknowledge()
    pit.restart()
    pit.devices_tell()
    assert pit.state.round.stake(1, "royal_9") == 100
    told = len(pit.commands)
    pit.accept(3)
    assert pit.state.round.stake(3, "royal_9") == 0
    assert all(c.restrictive for c in pit.commands[told:])


# ── seats only: amounts are unknown, but the progressive has its own ──
def test_a_progressive_has_its_amount_where_only_the_seats_are_followed():
    pit = Attended(royal=True, tracking="seats").in_play().betting().wager(1, banker=0)
    assert pit.refused("place_wager", "dealer", seat=1, wager="royal_9").malformed
    pit.accept(1)
    counted(pit, 1).drawn(*SPADE)
    pit.do("reveal_dealer", "dealer", hand="player")
    pit.do("hand_cards", "dealer", seat=1, hand="banker")
    pit.do("reveal_dealer", "dealer", hand="banker")
    assert pit.last("progressive.hit").data["cents"] == 35_010
    pit.do("validate_progressive", seat=1, meter="spade")
    text = pit.tick(1).prompts[0].text
    assert "seat 1: banker win" in text
    pit.paid()
    ended = {e.data["wager"]: e.data for e in pit.named("wager.settled")}
    assert (ended["banker"]["cents"], ended["banker"]["returned"]) == (None, None)
    assert ended["royal_9"]["returned"] == 35_010
    assert pit.state.meter("spade").cents == 35_000
    assert pit.last("round.settled").data["seats"] == []
