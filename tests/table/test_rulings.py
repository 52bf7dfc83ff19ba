"""What the dealer reports, as each text rules it (TCP 8 to 10, 13; TCB 13): one case a clause."""

import pytest

from tests.table.by_hand import READER, SHUFFLER, locked, open_by_hand, pit, unseen_round
from tests.table.pit import Pit


def mid_deal(**rules) -> Pit:
    """Two cards of nine are out, one at a time: seats 1 and 3 have one each."""
    table = locked(open_by_hand(pit(READER, **rules)))
    for card in ("2C", "7D"):
        table.device("shoe", "card", [card])
    assert table.state.phase == "dealing"
    return table


def deal_on(table: Pit, *cards: str) -> list[str]:
    since = table.state.sequence
    for card in cards:
        table.device("shoe", "card", [card])
    return [event.data["place"] for event in table.named("card.dealt", since)]


def void_by(table: Pit, clause: str, duty: str = "reshuffle") -> None:
    assert table.state.phase == "voided"
    data = table.last("round.voided").data
    assert data["clauses"] == [clause]
    assert {wager["seat"]: wager["cents"] for wager in data["returned"]} == {1: 1000, 3: 1000}
    assert table.duties() == {duty, "acknowledge_void"}


def shown_then_done(table: Pit, clause: str, action: str, **args) -> None:
    """A report that voids shows its ruling first, and changes nothing until it is confirmed."""
    before = table.state.round
    shown = table.do(action, "dealer", **args).ruling
    assert shown is not None
    assert shown.clauses == (clause,)
    assert table.state.round == before
    table.do(action, "dealer", confirm=True, **args)


# ── Three Card Poker ──
def test_13a_a_face_up_card_goes_to_the_rack_and_the_next_one_takes_its_place():
    table = mid_deal()
    table.do("report_face_up", "dealer", cards=1, place="seat/3/1")
    assert table.last("irregularity.face_up_card").data["clauses"] == ["TCP 13.A"]
    moved = table.last("card.moved").data
    assert (moved["from"], moved["to"]) == ("seat/3/1", "aside/1")
    assert deal_on(table, "9H", "3C", "8D", "TH", "4C", "9D", "JH", "QH") == [
        "seat/3/1", "dealer/1", "seat/1/2", "seat/3/2", "dealer/2", "seat/1/3", "seat/3/3",
        "dealer/3",
    ]  # fmt: skip
    assert table.state.phase == "deciding"
    table.do("count_stub", "dealer", cards=52 - 9 - 1)
    assert table.last("stub.counted").data["result"] == "correct"


def test_13b_a_second_face_up_card_voids():
    table = mid_deal()
    table.do("report_face_up", "dealer", cards=1, place="seat/3/1")
    shown_then_done(table, "TCP 13.B", "report_face_up", cards=1)
    void_by(table, "TCP 13.B")


def test_13b_two_face_up_cards_at_once_void():
    table = mid_deal()
    shown_then_done(table, "TCP 13.B", "report_face_up", cards=2)
    void_by(table, "TCP 13.B")


def test_13c_a_card_drawn_in_error_is_the_next_card():
    table = mid_deal()
    table.do("report_drawn_in_error", "dealer")
    assert table.last("irregularity.drawn_in_error").data["clauses"] == ["TCP 13.C"]
    assert deal_on(table, "9H", "3C")[0] == "dealer/1"
    assert table.state.phase == "dealing"


def test_13e_an_exposed_dealers_card_voids_until_the_last_decision():
    table = mid_deal()
    deal_on(table, "9H", "3C", "8D", "TH", "4C", "9D", "JH")
    shown_then_done(table, "TCP 13.E", "report_exposed", place="dealer/2")
    void_by(table, "TCP 13.E")


def test_13e_after_the_last_decision_it_is_the_reveal():
    table = mid_deal()
    deal_on(table, "9H", "3C", "8D", "TH", "4C", "9D", "JH")
    table.decide()
    refusal = table.refused("report_exposed", "dealer", place="dealer/2", confirm=True)
    assert refusal.clauses == ("TCP 11.D(2)",)


# ── the stub, by the method of dealing ──
def hands_out(method: str, **rules) -> Pit:
    """Locked with seats 1 and 3; every hand is out, seen by a shoe or not."""
    devices = {"manual_shoe": (), "hand": (SHUFFLER,), "automated_shoe": (SHUFFLER, READER)}
    table = pit(*devices[method], dealing=method, **rules)
    if method == "manual_shoe":
        open_by_hand(table)
    else:
        table.opened()
        table.do("load_shoe", "dealer")
    locked(table)
    return table.deal() if method == "automated_shoe" else table


def counted_wrong(method: str, **rules) -> Pit:
    table = hands_out(method, **rules)
    for _ in range(2):
        table.do("count_stub", "dealer", cards=42)
    return table


WRONG = [
    ("manual_shoe", {}, "TCP 8.H(1)", "TCP 8.H(2)"),
    ("hand", {}, "TCP 9.G", "TCP 9.H"),
    ("automated_shoe", {}, "TCP 10.F", "TCP 10.G"),
    ("manual_shoe", {"baccarat": True}, "TCB 8.F(4)", "TCB 8.F(5)"),
    ("hand", {"baccarat": True}, "TCB 9.D(4)", "TCB 9.D(5)"),
    ("automated_shoe", {"baccarat": True}, "TCB 10.C(3)", "TCB 10.C(4)"),
]


@pytest.mark.parametrize(("method", "rules", "misdealt", "_incorrect"), WRONG)
def test_misdealt_with_52_present_the_hands_are_void(method, rules, misdealt, _incorrect):
    table = counted_wrong(method, **rules)
    table.do("judge_stub", "dealer", misdealt=True)
    void_by(table, misdealt)


@pytest.mark.parametrize(("method", "rules", "_misdealt", "incorrect"), WRONG)
def test_not_misdealt_the_hands_are_void_and_the_deck_leaves(method, rules, _misdealt, incorrect):
    table = counted_wrong(method, **rules)
    table.do("judge_stub", "dealer", misdealt=False)
    void_by(table, incorrect, "remove_deck")


RIGHT = [
    ("manual_shoe", {}, "TCP 8.H", "TCP 8.G"),
    ("hand", {}, "TCP 9.F", "TCP 9.E"),
    ("automated_shoe", {}, "TCP 10.E", "TCP 10.D"),
    ("manual_shoe", {"baccarat": True}, "TCB 8.F(3)", "TCB 8.F(2)"),
    ("hand", {"baccarat": True}, "TCB 9.D(3)", "TCB 9.D(2)"),
    ("automated_shoe", {"baccarat": True}, "TCB 10.C(2)", "TCB 10.C(1)"),
]


@pytest.mark.parametrize(("method", "rules", "wrong", "right"), RIGHT)
def test_a_wrong_stub_is_looked_into_and_a_right_one_racked(method, rules, wrong, right):
    table = counted_wrong(method, **rules)
    assert table.last("stub.miscounted").data["clauses"] == [wrong]
    table = hands_out(method, **rules)
    table.do("count_stub", "dealer", cards=43)
    assert table.last("stub.counted").data["clauses"] == [right]


# ── Three Card Baccarat ──
def test_tcb_13a_one_face_up_card_voids():
    table = mid_deal(baccarat=True)
    shown_then_done(table, "TCB 13.A", "report_face_up", cards=1, place="seat/3/1")
    void_by(table, "TCB 13.A")


def test_tcb_13b_a_card_drawn_in_error_is_the_next_card():
    table = mid_deal(baccarat=True)
    table.do("report_drawn_in_error", "dealer")
    assert table.last("irregularity.drawn_in_error").data["clauses"] == ["TCB 13.B"]
    assert deal_on(table, "9H", "3C")[0] == "dealer/1"


def test_tcb_13c_an_incorrect_number_of_cards_voids():
    table = mid_deal(baccarat=True)
    shown_then_done(table, "TCB 13.C", "declare_misdeal")
    void_by(table, "TCB 13.C")


def test_tcb_13d_a_jam_of_the_automated_shoe_voids():
    table = pit(SHUFFLER, READER, baccarat=True, dealing="automated_shoe").opened()
    table.do("load_shoe", "dealer")
    locked(table)
    table.device("shoe", "stack", ["2C", "7D", "9H"])
    table.device("shoe", "jam")
    void_by(table, "TCB 13.D")


def test_tcb_an_exposed_dealers_card_plays():
    table = mid_deal(baccarat=True)
    deal_on(table, "9H", "3C", "8D", "TH", "4C", "9D", "JH")
    table.do("report_exposed", "dealer", place="dealer/2")
    data = table.last("irregularity.dealer_card_exposed").data
    assert (data["clauses"], data["basis"]) == ([], ["house procedure"])
    assert table.state.phase == "examining"


def test_a_round_of_baccarat_unseen():
    table = unseen_round(open_by_hand(pit(baccarat=True)))
    assert [event.data["order"] for event in table.named("round.settled")] == [[1, 3]]
