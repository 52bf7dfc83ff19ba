"""What a wrong stub leads to, by each method of dealing and each text; a jam in baccarat."""

import pytest

from tests.table.by_hand import READER, SHUFFLER, locked, open_by_hand, pit
from tests.table.pit import Pit


def void_by(table: Pit, clause: str, duty: str = "reshuffle") -> None:
    assert table.state.phase == "voided"
    data = table.last("round.voided").data
    assert data["clauses"] == [clause]
    assert {wager["seat"]: wager["cents"] for wager in data["returned"]} == {1: 1000, 3: 1000}
    assert table.duties() - {"count_deck"} == {duty, "acknowledge_void"}


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


def test_tcb_13d_a_jam_of_the_automated_shoe_voids():
    table = pit(SHUFFLER, READER, baccarat=True, dealing="automated_shoe").opened()
    table.do("load_shoe", "dealer")
    locked(table)
    table.device("shoe", "stack", ["2C", "7D", "9H"])
    table.device("shoe", "jam")
    void_by(table, "TCB 13.D")
