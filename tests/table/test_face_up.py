"""Cards face up, exposed, drawn in error, out of order (TCP 13.A to 13.E; TCB 13.A to 13.C)."""

import pytest

from tests.table.by_hand import READER, locked, open_by_hand, pit, unseen_round
from tests.table.pit import Pit, fill


def total_returned(table):
    return sum(w["cents"] for w in table.last("round.voided").data["returned"])


def ruling(outcome):
    """The clauses of what a report would lead to, before it is confirmed."""
    assert outcome.ruling is not None
    return outcome.ruling.clauses


# ── 13.A, 13.B: face up ──
def test_13a_a_card_face_up_is_racked_and_the_next_one_takes_its_place():
    table = locked(open_by_hand(pit(READER)))
    table.device("shoe", "card", ["2C"])
    table.device("shoe", "card", ["7D"])
    table.do("report_face_up", "dealer", cards=1, place="seat/3/1")
    moved = table.last("card.moved").data
    assert (moved["from"], moved["to"], moved["clauses"]) == ("seat/3/1", "aside/1", ["TCP 13.A"])
    table.device("shoe", "card", ["9H"])
    assert table.last("card.dealt").data["place"] == "seat/3/1"
    for card in ("3C", "8D", "TH", "4C", "9D", "JH", "QH"):
        table.device("shoe", "card", [card])
    assert table.state.phase == "deciding"
    assert len(table.state.round.hand("seat/3")) == 3
    table.do("count_stub", cards=52 - 10)  # the racked card still belongs to the 52
    assert table.last("stub.counted").data["result"] == "correct"


def test_13a_in_a_stack_the_hand_is_completed_from_the_stub():
    table = fill("locked")
    table.device("shoe", "stack", ["2C", "7D", "9H"])
    table.do("report_face_up", "dealer", cards=1, place="seat/1/2")
    table.deal(seat_3="3C 8D TH", seat_5="4C 9D JH", dealer="AS QD 6H")
    assert table.state.phase == "deciding"
    last = table.last("card.dealt").data
    assert (last["place"], last["commitment"], last["inferred"]) == ("seat/1/2", None, True)
    assert len(table.state.round.hand("seat/1")) == 3


@pytest.mark.parametrize("steps", [(2,), (1, 1)])
def test_13b_more_than_one_in_a_round_voids(steps):
    table = locked(open_by_hand(pit(READER)))
    table.device("shoe", "card", ["2C"])
    for cards in steps[:-1]:
        table.do("report_face_up", cards=cards)
    outcome = table.do("report_face_up", cards=steps[-1])
    assert outcome.ruling is not None
    assert outcome.ruling.clauses == ("TCP 13.B",)
    assert table.state.phase == "dealing"  # nothing happens before it is confirmed
    table.do("report_face_up", cards=steps[-1], confirm=True)
    assert table.last("round.voided").data["clauses"] == ["TCP 13.B"]
    assert total_returned(table) == 2000
    assert table.duties() == {"acknowledge_void", "reshuffle", "count_deck"}


def test_tcb_13a_one_face_up_card_voids_at_once():
    table = locked(open_by_hand(pit(READER, baccarat=True)))
    table.device("shoe", "card", ["2C"])
    assert ruling(table.do("report_face_up", cards=1)) == ("TCB 13.A",)
    table.do("report_face_up", cards=1, confirm=True)
    assert table.last("irregularity.face_up_card").data["clauses"] == ["TCB 13.A"]
    assert table.state.phase == "voided"


@pytest.mark.parametrize("baccarat", [False, True])
def test_between_rounds_a_face_up_card_only_means_a_reshuffle(baccarat):
    table = open_by_hand(pit(baccarat=baccarat))
    table.do("report_face_up", cards=1)
    assert table.duties() == {"reshuffle"}
    assert table.state.phase == "preparing"


# ── 13.C: drawn in error ──
@pytest.mark.parametrize(("baccarat", "clause"), [(False, "TCP 13.C"), (True, "TCB 13.B")])
def test_13c_a_card_drawn_in_error_is_the_next_one(baccarat, clause):
    table = locked(open_by_hand(pit(READER, baccarat=baccarat)))
    table.device("shoe", "card", ["2C"])
    table.do("report_drawn_in_error")
    assert table.last("irregularity.drawn_in_error").data["clauses"] == [clause]
    table.device("shoe", "card", ["7D"])
    assert table.last("card.dealt").data["place"] == "seat/3/1"


# ── 13.D, 13.E ──
@pytest.mark.parametrize("reader", [True, False])
@pytest.mark.parametrize(("baccarat", "clause"), [(False, "TCP 13.D"), (True, "TCB 13.C")])
def test_13d_a_misdeal_voids_in_every_mode(reader, baccarat, clause):
    table = locked(open_by_hand(pit(*((READER,) if reader else ()), baccarat=baccarat)))
    if reader:
        table.device("shoe", "card", ["2C"])
    assert ruling(table.do("declare_misdeal")) == (clause,)
    table.do("declare_misdeal", confirm=True)
    assert table.last("round.voided").data["clauses"] == [clause]
    assert total_returned(table) == 2000


def test_13e_an_exposed_dealer_card_voids_until_the_last_decision():
    table = fill("deciding")
    assert ruling(table.do("report_exposed", place="dealer/2")) == ("TCP 13.E",)
    table.do("report_exposed", place="dealer/2", confirm=True)
    assert table.last("irregularity.dealer_card_exposed").data["ruling"]
    assert table.state.phase == "voided"
    table = fill("deciding")
    table.decide()
    assert table.refused("report_exposed", place="dealer/2").clauses == ("TCP 11.D(2)",)


def test_tcb_an_exposed_dealer_card_plays():
    table = locked(open_by_hand(pit(baccarat=True)))
    table.do("report_exposed", place="dealer/1")
    assert table.state.phase == "examining"
    assert table.last("irregularity.dealer_card_exposed").data["clauses"] == []


def test_a_players_card_flipped_by_the_dealer_plays():
    table = fill("deciding")
    table.do("report_exposed", place="seat/1/1")
    assert table.state.phase == "deciding"
    assert table.last("irregularity.disclosed_card").data["basis"] == ["house procedure"]


# ── order ──
def test_untouched_cards_go_to_their_places_on_the_floors_word():
    table = fill("deciding")
    one, three = (table.state.round.hand(f"seat/{seat}")[0] for seat in (1, 3))
    assert table.refused("move_card", "dealer", draw=one.draw, to=three.place).role
    table.do("move_card", draw=one.draw, to=three.place)
    assert table.state.round.cards[one.draw - 1].place == "seat/3/1"
    assert table.state.round.cards[three.draw - 1].place == "seat/1/1"
    assert table.types().count("card.moved") == 2
    table.do("play", seat=1)
    assert table.refused("move_card", draw=one.draw, to="seat/1/1").why


# ── Washington ──
def washington(**rules):
    return pit(baccarat=True, jurisdiction="WA", **rules)


def test_wa_maryland_s_rulings_are_house_procedure_and_cite_no_clause_of_maryland():
    table = locked(open_by_hand(washington()))
    table.do("declare_misdeal", confirm=True)
    voided = table.last("round.voided").data
    assert (voided["clauses"], voided["basis"]) == ([], ["house procedure"])
    cited = {c for event in table.events for c in event.data["clauses"]}
    assert not {c for c in cited if not c.startswith("WA-TCB ")}


def test_wa_without_house_rulings_the_floor_decides():
    table = locked(open_by_hand(washington(house_rulings=False)))
    table.do("declare_misdeal", confirm=True)
    assert table.state.phase == "examining"
    table.do("void_round", reason="a wrong hand")
    assert table.state.phase == "voided"


def test_wa_settles_from_the_right():
    table = unseen_round(open_by_hand(washington()))
    assert table.last("round.settled").data["order"] == [3, 1]


# ── baccarat with devices ──
def baccarat_pit():
    from tablectl.games.rules import parse_rules  # noqa: PLC0415
    from tests.table.by_hand import BACCARAT  # noqa: PLC0415
    from tests.table.pit import DEVICES, setup  # noqa: PLC0415

    devices = tuple(d for d in DEVICES if d.kind != "progressive")
    return Pit(setup=setup(parse_rules(BACCARAT), devices=devices, limits=()))


def test_tcb_10b_stacks_then_the_dealers_hand_then_seats_from_the_left():
    table = baccarat_pit().opened().betting()
    table.wager(1, ante=1000, three_kings=500).wager(4, ante=2000, tie=500, dragon=500).lock()
    table.deal(seat_1="KC KD KH", seat_4="2C 3D 4H", dealer="9S KS QD")
    assert table.state.phase == "examining"
    assert "play" not in table.tick(1).allowed
    table.do("reveal_dealer")
    assert table.state.round.turns == (1, 4)
    table.do("confirm_payment", seat=1)
    table.do("confirm_payment", seat=4)
    seats = {s["seat"]: s for s in table.last("round.settled").data["seats"]}
    assert seats[1]["returned"] == 1950 + 500 * 51
    assert {line["wager"]: line["outcome"] for line in seats[4]["lines"]}["ante"] in (
        "lose",
        "push",
    )
    cited = {c for event in table.events for c in event.data["clauses"]}
    assert not {c for c in cited if c.startswith("TCP ")}


def test_tcb_7e_bonus_wagers_need_an_ante():
    table = baccarat_pit().opened().betting()
    refusal = table.refused("place_wager", seat=1, wager="tie", amount=500)
    assert refusal.clauses == ("TCB 7.E(2)",)


@pytest.mark.parametrize("moment", ["locked", "dealing"])
def test_tcb_13d_a_shoe_jam_voids(moment):
    table = baccarat_pit().opened().betting().wager(1, ante=1000).lock()
    if moment == "dealing":
        table.device("shoe", "stack", ["2C", "7D", "9H"])
    table.device("shoe", "jam")
    assert table.last("round.voided").data["clauses"] == ["TCB 13.D"]


# ── the dealer's cards left in the shuffler ──
def waiting_dealer(**rules):
    from tablectl.games.rules import parse_rules  # noqa: PLC0415
    from tests.table.by_hand import POKER  # noqa: PLC0415
    from tests.table.pit import DEVICES, setup  # noqa: PLC0415

    chosen = parse_rules({**POKER, "dealer_cards": "left_in_shuffler", **rules})
    devices = tuple(d for d in DEVICES if d.kind != "progressive")
    table = Pit(setup=setup(chosen, devices=devices, limits=())).opened().betting()
    return table.wager(1, ante=1000).wager(3, ante=1000).lock()


def test_10b_4_the_dealers_stack_comes_out_when_all_have_acted():
    table = waiting_dealer()
    assert table.state.round.plan == ("seat/1", "seat/3")
    assert table.leave == 2
    table.deal()
    assert table.state.phase == "deciding"
    assert table.leave == 0
    table.do("play", seat=1)
    assert table.leave == 0
    table.do("fold", seat=3)
    assert table.leave == 1
    assert table.refused("reveal_dealer").clauses == ("TCP 10.B(4)", "TCP 11.D(2)")
    table.deal()
    table.do("reveal_dealer")
    assert table.state.phase == "settling"


def test_13g_a_jam_with_the_dealers_stack_inside_voids_even_after_the_decisions():
    table = waiting_dealer().deal().decide()
    table.device("shoe", "jam")
    assert table.last("round.voided").data["clauses"] == ["TCP 13.G"]


def test_13g_with_only_the_stub_inside_the_round_stands():
    table = waiting_dealer().deal().decide().deal()
    table.device("shoe", "jam")
    assert table.state.phase == "deciding"
    table.do("reveal_dealer")
