"""Devices out of order (TCP 13.H, TCB 13.E): covered or marked, confirmed, returned."""

import pytest

from tablectl.table import service
from tablectl.table.setup import DeviceSetup
from tablectl.table.step import Refused
from tests.table.pit import DEVICES, Pit, fill, setup

LIT = (*DEVICES, DeviceSetup("sign", "indicator"))


def covered(pit: Pit) -> str | None:
    """What stands in the way of another method, if anything."""
    try:
        service.every_fault_is_covered(pit.state)
    except Refused as refused:
        return f"{refused.why} {refused.clauses}"
    return None


@pytest.mark.parametrize("device", ["shoe", "shuffler"])
def test_13h_no_other_method_before_the_device_is_covered_and_that_is_confirmed(device):
    pit = fill("preparing")
    assert covered(pit) is None
    pit.device(device, "jam")
    assert "mark_out_of_order) ('TCP 13.H'" in (covered(pit) or "")
    pit.do("mark_out_of_order", "dealer", device=device)
    assert pit.state.device(device).health == "out_of_order"
    assert "confirm_out_of_order" in (covered(pit) or "")
    pit.do("confirm_out_of_order", "floor", device=device)
    assert covered(pit) is None
    told = pit.named("device.out_of_order")
    assert [e.data["device"] for e in told] == [device, device]
    assert {"TCP 13.H(1)", "TCP 13.H(2)"} <= set(told[0].data["clauses"])


def test_13h_a_progressive_with_a_fault_forbids_no_method_of_dealing():
    pit = fill("preparing")
    pit.device("bonus", "fault", what="display")
    assert covered(pit) is None
    pit.do("load_shoe")
    assert pit.refused("open_bets").clauses == ("TCP 2.C",)


def test_13h_the_dealer_marks_the_floor_confirms_a_technician_returns():
    pit = fill("preparing")
    pit.device("shuffler", "jam")
    assert pit.refused("confirm_out_of_order", "floor", device="shuffler")
    assert pit.refused("mark_out_of_order", "technician", device="shuffler").role
    pit.do("mark_out_of_order", "dealer", device="shuffler")
    assert pit.refused("confirm_out_of_order", "dealer", device="shuffler").role
    pit.do("confirm_out_of_order", device="shuffler")
    assert pit.refused("confirm_out_of_order", device="shuffler").clauses == ("TCP 13.H",)
    assert pit.refused("return_to_service", "floor", device="shuffler").role
    pit.do("return_to_service", "technician", device="shuffler")
    assert pit.state.device("shuffler").health == "online"
    assert pit.last("device.returned").data["device"] == "shuffler"
    assert pit.state.alarms == ()


def test_13h_a_device_that_works_is_not_marked_before_its_fault_is_reported():
    pit = fill("preparing")
    assert "TCP 13.H" in pit.refused("mark_out_of_order", device="shoe").clauses
    pit.device("shuffler", "jam")
    assert "report" in pit.refused("mark_out_of_order", device="shoe").why
    assert pit.refused("mark_out_of_order", device="toaster").malformed


def test_13h_it_does_not_come_back_by_itself():
    """What it tells meanwhile counts when the technician returns it."""
    pit = fill("preparing")
    pit.device("shoe", "jam")
    pit.do("mark_out_of_order", device="shoe")
    for name in ("cleared", "online", "offline", "online"):
        pit.device("shoe", name, dispensed=0)
        assert pit.state.device("shoe").health == "out_of_order", name
    pit.restart()
    assert pit.state.device("shoe").health == "out_of_order"
    assert pit.state.device("shuffler").health == "unknown"
    pit.devices_tell()
    pit.do("resume_table")
    pit.do("load_shoe")
    assert "TCP 13.H" in pit.refused("open_bets").clauses
    pit.do("return_to_service", "technician", device="shoe")
    assert pit.state.device("shoe").health == "online"
    pit.do("open_bets")


def test_13h_the_next_round_goes_on_by_another_method_once_the_sign_is_confirmed():
    pit = fill("preparing")
    pit.device("shoe", "jam")
    pit.do("load_shoe")
    pit.do("mark_out_of_order", "dealer", device="shoe")
    assert pit.refused("open_bets").clauses == ("TCP 13.H",)
    pit.do("confirm_out_of_order", device="shoe")
    pit.do("open_bets")


def test_13h_one_that_is_away_stays_away_when_it_is_returned():
    pit = fill("preparing")
    pit.device("shoe", "offline", what="cable")
    pit.do("mark_out_of_order", "dealer", device="shoe")
    pit.do("return_to_service", "technician", device="shoe")
    assert pit.state.device("shoe").health == "offline"
    pit.device("shoe", "online", dispensed=0)
    assert pit.state.device("shoe").health == "online"


def test_13h_the_sign_is_shown_and_taken_down():
    pit = Pit(setup=setup(devices=LIT)).opened()
    for device in ("shoe", "shuffler"):
        pit.device(device, "jam")
        pit.do("mark_out_of_order", "dealer", device=device)
    shown = [c for c in pit.commands if c.device == "sign"]
    assert [c.args["sign"] for c in shown][-1] == "out_of_order"
    assert not any(c.restrictive for c in shown)
    pit.do("return_to_service", "technician", device="shoe")
    assert [c for c in pit.commands if c.device == "sign"] == shown  # the other is still out
    pit.do("return_to_service", "technician", device="shuffler")
    assert pit.commands[-1].args["sign"] != "out_of_order"


def test_13h_people_are_told_who_does_what_next():
    pit = fill("preparing")
    pit.device("shuffler", "jam")
    [marking] = [p for p in pit.tick(1).prompts if p.awaits == "mark_out_of_order"]
    assert (marking.role, marking.clauses) == ("dealer", ("TCP 13.H",))
    pit.do("mark_out_of_order", "dealer", device="shuffler")
    [confirming] = [p for p in pit.tick(1).prompts if p.awaits == "confirm_out_of_order"]
    assert confirming.role == "floor"
    assert "shuffler" in confirming.text
    assert [a.kind for a in pit.state.alarms] == ["out_of_order"]
