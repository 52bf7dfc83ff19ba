"""Voids, misread cards and late findings that cross each other: every wager ends once and right."""

import pytest

from tablectl.games.rules import parse_rules
from tests.table.by_hand import BACCARAT, READER, locked, open_by_hand, pit
from tests.table.pit import DEVICES, Pit, fill, setup


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


# ── one card read twice before the reveal ──
def draw_at(table, place):
    return next(c.draw for c in table.state.round.cards if c.place == place)


def test_a_misread_card_is_corrected_in_the_deal_and_the_deal_goes_on():
    table = fill("dealing")
    table.device("shoe", "stack", ["2C", "8D", "TH"])
    table.do("resume_table")
    table.device("shoe", "held")
    table.acknowledge()
    assert table.leave == 0
    [prompt] = table.tick(1).prompts
    assert (prompt.awaits, prompt.role) == ("correct_card", "floor")
    table.do("correct_card", draw=draw_at(table, "seat/3/1"), card="3C")
    told = table.last("card.corrected").data
    assert (told["place"], told["commitment"]) == ("seat/3/1", None)
    assert not {"3C", "2C"} & {str(value) for value in told.values()}
    assert table.leave == 2
    table.deal(seat_5="4C 9D JH", dealer="AS QD 6H").decide()
    table.do("reveal_dealer")
    table.do("confirm_payment", seat=5)
    assert table.tick(1).prompts[0].awaits == "enter_card"
    table.do("enter_card", place="seat/3/1", card="3C")
    table.settle_rest()


def test_a_correction_of_the_wrong_card_leaves_the_doubt():
    table = fill("dealing")
    table.device("shoe", "stack", ["2C", "8D", "TH"])
    table.do("resume_table")
    table.do("correct_card", draw=draw_at(table, "seat/3/2"))
    assert table.state.round.doubt
    table.do("correct_card", draw=draw_at(table, "seat/3/1"))
    assert not table.state.round.doubt
    assert table.refused("correct_card", draw=1).why


# ── one card found twice after the reveal ──
def twice():
    """Seat 5 is settled; the card entered for seat 3 turns up again at seat 1."""
    table = fill("locked")
    table.device("shoe", "stack", ["2C", "7D", "9H"])
    table.device("shoe", "stack", [None, "8D", "TH"])
    table.deal(seat_5="4C 9D JH", dealer="AS QD 6H").decide()
    table.do("reveal_dealer")
    table.do("confirm_payment", seat=5)
    table.do("enter_card", place="seat/3/1", card="2C")
    table.do("confirm_payment", seat=3)
    table.do("resume_table")
    return table


def test_a_real_duplicate_found_late_voids_and_removes_the_deck():
    table = twice()
    assert table.tick(1).prompts[0].awaits == "void_found_late"
    table.do("void_found_late", cause="duplicate_card", reason="two of them", confirm=True)
    assert table.last("round.voided").data["clauses"] == ["TCP 10.G"]
    assert "remove_deck" in table.duties()


def test_a_duplicate_that_was_settled_by_hand_removes_the_deck():
    table = twice()
    table.do("settle_by_hand", seat=1, returned=0, reason="two of them")
    table.do("clear_round")
    assert table.duties() == {"remove_deck"}
    assert table.refused("open_bets").clauses == ("TCP 10.G",)


def test_a_seat_paid_by_a_misread_card_is_ticked_off_before_the_cards_go():
    table = twice()
    table.do("correct_card", draw=draw_at(table, "seat/3/1"), card="3C")
    table.do("settle_by_hand", seat=1, returned=0, reason="the card was corrected")
    assert "seat 3" in table.refused("clear_round").why
    assert table.tick(1).prompts[0].awaits == "end_dispute"
    table.do("end_dispute", seat=3, reason="nothing changes for it")
    table.do("clear_round")
    assert table.duties() == set()


# ── found late: the clauses of how the cards were dealt ──
@pytest.mark.parametrize(
    ("cause", "clause"),
    [("misdeal", "TCP 10.F"), ("stub_incorrect", "TCP 10.G"), ("shoe_jam", "TCP 13.G")],
)
def test_a_late_void_cites_how_the_cards_were_dealt(cause, clause):
    table = fill("settling")
    table.do("void_found_late", cause=cause, reason="seen by the camera", confirm=True)
    assert table.last("round.voided").data["clauses"] == [clause]


def test_13b_a_second_face_up_card_found_late_voids():
    table = fill("dealing")
    table.do("report_face_up", cards=1, place="seat/1/1")
    table.deal(seat_3="3C 8D TH", seat_5="4C 9D JH", dealer="AS QD 6H").decide()
    table.do("reveal_dealer")
    table.do("void_found_late", cause="face_up_card", reason="seen by the camera", confirm=True)
    assert table.last("round.voided").data["clauses"] == ["TCP 13.B"]


# ── Washington: Maryland's text is never cited ──
def washington(**rules):
    return locked(open_by_hand(pit(READER, baccarat=True, jurisdiction="WA", **rules)))


def test_wa_a_face_up_void_and_a_forfeit_are_house_procedure():
    table = washington()
    for card in ("2C", "7D", "9H", "3C", "8D", "TH", "4C", "9D", "JH"):
        table.device("shoe", "card", [card])
    table.do("forfeit", seat=1, reason="4")
    told = table.last("seat.forfeited").data
    assert (told["clauses"], told["basis"]) == ([], ["house procedure"])
    table.do("report_face_up", cards=1, confirm=True)
    voided = table.last("round.voided").data
    assert (voided["clauses"], voided["basis"]) == ([], ["house procedure"])
    cited = {c for e in table.events for c in (*e.data["clauses"], *e.data.get("basis", ()))}
    assert not {c for c in cited if c.startswith(("TCB ", "TCP "))}


@pytest.mark.parametrize("short", [0, 1, 2])
def test_wa_a_short_hand_is_never_revealed_before_the_floor_decides(short):
    rules = parse_rules({**BACCARAT, "jurisdiction": "WA", "house_rulings": False})
    devices = tuple(d for d in DEVICES if d.kind != "progressive")
    table = Pit(setup=setup(rules, devices=devices, limits=())).opened().betting()
    table.wager(1, ante=1000).wager(3, ante=1000).lock()
    hands = [["2C", "7D", "9H"], ["3C", "8D", "TH"], ["4C", "9D", "JH"]]
    hands[short].pop()
    for hand in hands:
        table.device("shoe", "stack", hand)
    assert "floor_decides" in {alarm.kind for alarm in table.state.alarms}
    prompt = table.tick(1).prompts[0]
    assert (prompt.awaits, prompt.role) == ("void_round", "floor")
    table.refused("reveal_dealer")
    table.do("acknowledge_alarm", id=table.state.alarms[-1].id)
    table.refused("reveal_dealer")
    table.do("void_round", reason="a hand of two cards")
    assert table.state.phase == "voided"


# ── a progressive device that is away, or that accepts by itself ──
def test_between_rounds_the_prompt_names_the_device_that_is_away():
    table = fill("preparing")
    table.do("load_shoe", "dealer", deck="red")
    table.device("bonus", "offline")
    said = table.tick(1).prompts
    assert any("bonus is offline" in prompt.text for prompt in said)
    assert "open_bets" not in {prompt.awaits for prompt in said}


def test_after_no_more_bets_the_floor_is_told_what_it_can_do():
    table = fill("locking")
    table.device("bonus", "offline")
    prompt = table.tick(1).prompts[0]
    assert prompt.role == "floor"
    allowed = table.tick(1).allowed
    for action in ("void_round", "cancel_lock"):
        assert action in prompt.text
        assert action in allowed


@pytest.mark.parametrize("told", [True, False])
def test_7f4_a_device_that_accepts_by_itself_takes_no_wager_from_the_page(told):
    table = fill("preparing")
    table.device("bonus", "online", locked=True, accepts=told)
    table.betting().wager(1, ante=1000)
    keyed = {"seat": 1, "wager": "progressive", "amount": 100}
    if told:
        assert "TCP 7.F(4)(b)" in table.refused("place_wager", "dealer", **keyed).clauses
    else:
        table.do("place_wager", "dealer", **keyed)


def test_7e_the_prompt_of_a_late_bet_awaits_what_can_be_done():
    table = fill("deciding")
    table.do("report_late_bet", "dealer", seat=1, wager="ante")
    outcome = table.tick(1)
    [late] = [prompt for prompt in outcome.prompts if "late ante" in prompt.text]
    assert late.awaits in outcome.allowed
